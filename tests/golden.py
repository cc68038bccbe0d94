"""Golden files: five fixed sets of runs in every format. `python -m tests.golden` writes them anew.

Except html: half of such a file is its style sheet, so its structure is tested in `test_report_html`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sealmark.report import FORMATS, Options, render
from tests import runs

DATA = Path(__file__).parent / "data"
GOLDEN = DATA / "golden"
TEMPLATE = "{% for card in findings %}\n{{ card.check }}: {{ card.summary }}\n{% endfor %}\n"
VARIANTS = {
    "quiet.txt": ("text", Options(verbosity="quiet")),
    "verbose.txt": ("text", Options(verbosity="verbose")),
    "template.txt": ("text", Options(template=TEMPLATE)),
    "template.md": ("markdown", Options(template=TEMPLATE)),
}


def goldens() -> Iterator[tuple[Path, str]]:
    """Path and text of every golden file."""
    for name, make in runs.RUNS.items():
        records = make()
        for form, about in FORMATS.items():
            if form != "html" and (len(records) == 1 or form not in ("badge", "shields")):
                yield GOLDEN / f"{name}{about.suffix}", render(form, records)
        for suffix, (form, options) in VARIANTS.items():
            yield GOLDEN / f"{name}.{suffix}", render(form, records, options)


def write() -> list[Path]:
    """Write every golden file, remove those that are none any more, and return what changed."""
    wanted = dict(goldens())
    GOLDEN.mkdir(parents=True, exist_ok=True)
    stale = [path for path in GOLDEN.iterdir() if path not in wanted]
    for path in stale:
        path.unlink()
    changed = [path for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
    for path in changed:
        path.write_text(wanted[path], "utf-8")
    return [*stale, *changed]


if __name__ == "__main__":
    for written in write():
        print(written.relative_to(DATA))
