"""What marks stand for while a plan is checked: values of the right kind, since the true ones come with the run."""

from __future__ import annotations

from sealmark.record import marks
from sealmark.record.model import Json

_PATHS = (
    "sandbox",
    "dir",
    "sandbox_home",
    "sandbox_tmp",
    "sandbox_root",
    "user_home",
    "sibling",
    "outside",
    "sqlite_path",
    "duckdb_path",
)


class _StandIns(dict[str, str]):
    """Stand-ins by name; a name without one stands for a short token."""

    def __missing__(self, name: str) -> str:
        name = name.partition(":")[0]
        if name == "dsn":
            return "postgresql://sealmark@127.0.0.1:5432/sealmark"
        return "8000" if name.endswith("port") else "1" if name.endswith("size") else "sealmark0a1b2c3d"


STAND_INS = _StandIns(
    {
        **{name: f"/srv/sealmark/{name}" for name in _PATHS},
        "listener": "http://127.0.0.1:8000",
        "upstream": "http://127.0.0.1:8000",
        "sha": "0123456789abcdef0123456789abcdef01234567",
    }
)


def has_marks(*values: Json) -> bool:
    """Say whether a text in one of these values refers to a mark."""
    return any(marks.names_in(value) for value in values)


def expanded(value: Json) -> Json:
    """Return a value with stand-ins for its marks; a text that a generator fills, or that no mark explains, stays."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return [expanded(item) for item in value]
    if isinstance(value, dict):
        return {_text(key) if isinstance(key, str) else key: expanded(item) for key, item in value.items()}
    return value


def _text(text: str) -> str:
    if "{" not in text or any(f"{{{name}:" in text for name in marks.GENERATORS):
        return text
    try:
        return marks.fill(text, STAND_INS)
    except (KeyError, ValueError, TypeError):
        return text
