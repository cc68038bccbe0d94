"""Survey files: `servers:` as in sealmark.yaml, and `packages:` that stand for one server per published version.

    packages:
      - npm: "@modelcontextprotocol/server-filesystem"
        versions: [2025.3.28, 2025.7.1]
        args: ["{sandbox}"]
      - pypi: mcp-server-git
        versions: [2025.7.1]
        with: ["mcp<2"]
        args: ["--repository", "{sandbox}"]

An entry may hold whatever an entry of `servers:` may hold, beside the keys below. A version becomes a server that is
started through npx or uvx, so that each gets dependencies of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from sealmark.settings.document import Document
from sealmark.settings.types import Path, did_you_mean

DEADLINE_SEC = 1800
"""Bound of one run of a survey that sets none, so that no server can hold up the others for ever."""

KEYS = ("npm", "pypi", "versions", "with", "bin", "name")
"""Keys of a package beside those of a server: its registry name, versions, further requirements, program, name."""

_NAME = {"npm": r"(@[\w.-]+/)?[\w.-]+", "pypi": r"[A-Za-z0-9][\w.-]*(\[[\w,.-]+\])?"}
_VERSION = r"[0-9A-Za-z][0-9A-Za-z.+!_-]*"


class _Mistake(Exception):
    """Something wrong at a path of the file."""

    def __init__(self, path: Path, says: str) -> None:
        super().__init__(says)
        self.path, self.says = path, says


def expand(document: Document) -> Document:
    """The same file with every package written out as entries of `servers:`, each with a name and a deadline.

    Positions of what was written out are those of the package, so that messages point at it. What is wrong with a
    package is added to the document's problems.
    """
    data = dict(document.data)
    packages = data.pop("packages", None) or []
    servers: dict[str, Any] = dict(data.get("servers") or {}) if _is_mapping(data.get("servers")) else {}
    named = {name: {"name": name, **body} if _is_mapping(body) else body for name, body in servers.items()}
    moved: dict[Path, Path] = {("servers", name): ("servers", name) for name in named}
    problems = list(document.problems)
    if not isinstance(packages, list):
        problems.append((*document.position(("packages",)), "packages must be a list"))
        packages = []
    for at, package in enumerate(packages):
        try:
            for name, body in _servers(package, at, document.written.get):
                if name in named:
                    raise _Mistake(("packages", at), f"a server called {name!r} is there already; give a `name:`")
                named[name] = body
                moved["servers", name] = ("packages", at)
        except _Mistake as mistake:
            problems.append((*document.position(mistake.path), mistake.says))
    timeouts: Mapping[str, Any] = data["timeouts"] if _is_mapping(data.get("timeouts")) else {}
    whole = {**data, "timeouts": {"deadline_sec": DEADLINE_SEC, **timeouts}}
    if named or "servers" in data:
        whole["servers"] = named
    return _placed(msgspec.structs.replace(document, data=whole, problems=tuple(problems)), moved)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _placed(document: Document, moved: Mapping[Path, Path]) -> Document:
    """The document with positions for what was written out."""

    def extended(places: Mapping[Path, Any]) -> dict[Path, Any]:
        found = dict(places)
        for new, old in moved.items():
            if new != old:
                found |= {(*new, *path[2:]): at for path, at in places.items() if path[:2] == old}
        return found

    return msgspec.structs.replace(
        document,
        values=extended(document.values),
        keys=extended(document.keys),
        written=extended(document.written),
    )


def _servers(package: Any, at: int, written: Callable[[Path], str | None]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, entry) of every version of one package."""
    here: Path = ("packages", at)
    if not _is_mapping(package):
        raise _Mistake(here, "a package must be a mapping with `npm:` or `pypi:`")
    kinds = [kind for kind in ("npm", "pypi") if kind in package]
    if len(kinds) != 1:
        close = next((did_you_mean(key, ["npm", "pypi"]) for key in package if did_you_mean(key, ["npm", "pypi"])), "")
        raise _Mistake(here, f"a package needs either npm: or pypi:{close}")
    kind = kinds[0]
    package_name = str(package[kind] or "")
    if not re.fullmatch(_NAME[kind], package_name, re.ASCII):
        raise _Mistake((*here, kind), f"{package_name!r} is not the name of a package on {kind}")
    name = str(package.get("name") or re.sub(r"\[.*", "", package_name.rsplit("/", 1)[-1]))
    versions = _texts(package, "versions", here, written) or [""]
    for number, version in enumerate(versions):
        if version and not re.fullmatch(_VERSION, version, re.ASCII):
            raise _Mistake((*here, "versions", number), f"{version!r} is not a version; write it in quotes")
        command, args = _command(kind, package_name, version, package, here, written)
        body = {key: value for key, value in package.items() if key not in (*KEYS, "args")}
        body |= {"name": name, "command": command, "args": [*args, *_texts(package, "args", here, written)]}
        yield (f"{name}@{version}" if version else name), body | ({"version": version} if version else {})


def _command(
    kind: str, name: str, version: str, package: Mapping[str, Any], here: Path, written: Callable[[Path], str | None]
) -> tuple[str, list[str]]:
    """The program and the arguments that start one version, the server's own arguments left out."""
    program = str(package.get("bin") or "")
    extra = _texts(package, "with", here, written)
    if kind == "npm":
        pinned = f"{name}@{version}" if version else name
        if not program and not extra:
            return "npx", ["-y", pinned]
        asked = [f"--package={item}" for item in (pinned, *extra)]
        return "npx", ["-y", *asked, program or name.rsplit("/", 1)[-1]]
    pinned = f"{name}=={version}" if version else name
    if not program and not extra:
        return "uvx", [pinned]
    asked = [word for item in extra for word in ("--with", item)]
    return "uvx", ["--from", pinned, *asked, program or re.sub(r"\[.*", "", name)]


def _texts(package: Mapping[str, Any], key: str, here: Path, written: Callable[[Path], str | None]) -> list[str]:
    """A list of texts as they are written, so that the version 1.10 is not the number 1.1."""
    value = package.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _Mistake((*here, key), f"{key} must be a list")
    found = []
    for number, item in enumerate(value):
        if isinstance(item, list | Mapping) or item is None:
            raise _Mistake((*here, key, number), f"{key} must hold texts")
        found.append(written((*here, key, number)) or str(item))
    return found
