"""What of a server's arguments and variables should point at things that the harness owns, instead of at real ones.

Directories become `{sandbox}`, files `{sandbox}/<name>`, SQLite files `{sqlite_path}`, connection strings of Postgres
`{dsn}`: packs that need these apply then, and nothing real is touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from sealmark.settings.commandline import parts
from sealmark.setup.entries import Entry

_POSTGRES = re.compile(r"postgres(?:ql)?(?:\+\w+)?://.*", re.IGNORECASE)
_SQLITE_URL = re.compile(r"(sqlite(?:\+\w+)?:/{2,3})(?!:memory:)(.+)", re.IGNORECASE)
_SQLITE_FILE = re.compile(r".*\.(?:db|db3|sqlite|sqlite3)", re.IGNORECASE)
_ABSOLUTE = re.compile(r"/[^/]|[A-Za-z]:[\\/]|\$\{HOME\}(?:/|$)")
_RELATIVE = re.compile(r"\.{1,2}(?:/.*)?")
_PROGRAM = re.compile(
    r".*\.(?:[cm]?[jt]s|py|jar|rb|sh|php|pl|dll|exe|so|wasm|lua)|/(?:usr/|opt/)?(?:s?bin|lib)(?:/.*)?"
)
_NEEDED = re.compile(
    r"(?i)cred|cert|\bca\b|_ca_|key|token|secret|auth|conf|settings|bundle|executable|binary|command|shell|interpreter"
    r"|(?:^|_)(?:path|bin|exec|home|pythonpath|node_path|java_home|virtual_env)$|browser|socket"
)
"""Names of what a server must find as it is: replacing it would keep the server from starting."""
_OWN_FILES = re.compile(r"(?i)memory|data|store|storage|log|output|db|database|file|notes?|history|cache|state")


class Offer(msgspec.Struct, frozen=True):
    """One text to replace.

    Attributes:
        key: `args` or `env`.
        at: number of the argument, or name of the variable.
        was: what stands there.
        becomes: what would.
        why: what it is taken for.
    """

    key: str
    at: int | str
    was: str
    becomes: str
    why: str

    @property
    def where(self) -> str:
        """The place in words."""
        return f"argument {self.at + 1}" if isinstance(self.at, int) else f"variable {self.at}"


def offers(entry: Entry, directory: Path) -> tuple[Offer, ...]:
    """What could be replaced, in the order of the command line.

    Args:
        entry: of one server; nothing is offered for one in a container, which sees no path of the harness.
        directory: what relative paths are relative to.
    """
    found = parts((entry.command, *entry.args))
    if not entry.command or found.container:
        return ()
    words = list(_arguments(entry.args, found.own - 1, directory))
    return (*words, *_variables(entry, directory))


def apply(entry: Entry, accepted: Sequence[Offer]) -> Entry:
    """The entry with these offers taken; an argument that would stand there twice in a row is left out."""
    args = list(entry.args)
    env = dict(entry.env)
    for offer in accepted:
        if isinstance(offer.at, int):
            args[offer.at] = offer.becomes
        else:
            env[offer.at] = offer.becomes
    twice = [at for at in range(1, len(args)) if args[at] == args[at - 1] == "{sandbox}"]
    kept = tuple(word for at, word in enumerate(args) if at not in twice)
    return msgspec.structs.replace(entry, args=kept, env=env)


def _arguments(args: Sequence[str], own: int, directory: Path) -> Iterator[Offer]:
    previous = ""
    for at, word in enumerate(args):
        option, equals, value = word.partition("=")
        named = option.startswith("-") and bool(equals)
        if at >= own:
            text, name = (value, option) if named else (word, previous)
            change = _instead(text, name, directory)
            if change is not None:
                becomes, why = change
                yield Offer("args", at, word, f"{option}={becomes}" if named else becomes, why)
        previous = word if word.startswith("-") else ""


def _variables(entry: Entry, directory: Path) -> Iterator[Offer]:
    for name, value in entry.env.items():
        change = _instead(value, name, directory, in_words=False)
        if change is not None:
            yield Offer("env", name, value, change[0], change[1])


def _instead(text: str, name: str, directory: Path, *, in_words: bool = True) -> tuple[str, str] | None:
    """(what could stand in the place of a text, why), or None."""
    if _POSTGRES.fullmatch(text):
        return "{dsn}", "a connection string of Postgres"
    url = _SQLITE_URL.fullmatch(text)
    if url:
        scheme = url[1] if url[1].endswith("///") else url[1] + "/"
        return scheme + "{sqlite_path}", "a SQLite database"
    if "{" in text.replace("${HOME}", "") or not _is_path(text, directory, in_words=in_words):
        return None
    path = _resolved(text, directory)
    if _SQLITE_FILE.fullmatch(text):
        return "{sqlite_path}", "a SQLite database"
    if _PROGRAM.fullmatch(text) or (_NEEDED.search(name.lstrip("-").replace("-", "_")) and not _keeps(name, path)):
        return None
    if path.is_dir() or (not path.exists() and not path.suffix):
        return "{sandbox}", "a directory"
    if path.is_file() and os.access(path, os.X_OK) and not path.suffix:
        return None
    return f"{{sandbox}}/{path.name}", "a file that the server may write"


def _keeps(name: str, path: Path) -> bool:
    """Whether a name that sounds like a setting is that of a file the server keeps (`MEMORY_FILE_PATH`, `LOG_KEY`)."""
    return bool(_OWN_FILES.search(name)) and not re.search(r"(?i)cred|cert|key|token|secret|auth|conf", name)


def _is_path(text: str, directory: Path, *, in_words: bool) -> bool:
    if _ABSOLUTE.match(text) or _RELATIVE.fullmatch(text):
        return os.pathsep not in text
    return in_words and re.fullmatch(r"[\w./-]+", text) is not None and "/" in text and (directory / text).exists()


def _resolved(text: str, directory: Path) -> Path:
    return directory / text.replace("${HOME}", os.path.expanduser("~")).replace("\\", "/")
