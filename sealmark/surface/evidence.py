"""What one argument takes, by its name, its description, its format and the tool around it.

Every class has a function that returns a strength: 0 nothing, 1 a hint, 2 likely but not alone, 3 enough to act on,
4 sure. Names are words of identifiers, so that one rule covers every way of writing them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sealmark.record.model import Tool
from sealmark.surface import vocabulary as v
from sealmark.surface.leaves import MAX_WORDS, Leaf, words

CLASSES = ("command", "sql", "git", "path", "url")
"""Classes that packs probe, in the order in which they decide what a tool is taken for first."""


class Context(NamedTuple):
    """The tool around an argument: the words of its name, and its description."""

    words: frozenset[str]
    text: str


class Found(NamedTuple):
    """A class that an argument speaks for, how strongly, and why."""

    cls: str
    strength: int
    why: str


def context_of(tool: Tool) -> Context:
    """Return the words around the arguments of a tool."""
    text = f"{tool.title}. {tool.description}" if tool.title else tool.description
    return Context(frozenset(words(tool.name)), text[:MAX_WORDS])


@lru_cache(maxsize=2048)
def says(pattern: re.Pattern[str], text: str) -> bool:
    """Say whether a pattern is found; remembered, since every argument of a tool asks the same of its description."""
    return pattern.search(text) is not None


def nothing(cls: str) -> Found:
    """Return that an argument does not speak for a class."""
    return Found(cls, 0, "")


# ---- paths

_PATH_FORMATS = ("path", "file-path", "filepath", "directory-path", "directory", "file")


def _path_name(leaf: Leaf) -> int:
    """Return how much the name alone speaks for a path."""
    if not leaf.words:
        return 0
    last, rest = leaf.words[-1], leaf.words[:-1]
    if last in v.PATH_LAST:
        return 0 if v.NOT_FILES & set(rest) else 3
    if last in ("name", "names") and {"file", "dir", "directory", "folder"} & set(rest):
        return 3
    if last in ("file", "files"):
        return 2 if len(leaf.words) == 1 else 3
    if last in ("root", "workspace") and rest:
        return 2
    return 1 if last in v.PATH_WEAK else 0


def path(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a file path."""
    if leaf.format in _PATH_FORMATS:
        return Found("path", 4, f"its format is {leaf.format}")
    by_name, told = _path_name(leaf), says(v.PATH_TEXT, leaf.description)
    if says(v.NOT_PATH_TEXT, leaf.description) or says(v.FILTER_TEXT, leaf.description) or not (by_name or told):
        return nothing("path")
    if any(group <= leaf.siblings for group in (*v.REMOTE, *v.REQUEST)):
        return Found("path", min(by_name, 2), "its name, though the names beside it speak of a remote service")
    mentioned = told or says(v.FILE_TEXT, leaf.description)
    named = bool(v.FILE_WORDS & around.words)
    tool_says = named or says(v.FILE_TEXT, around.text)
    if by_name >= 3:
        strength = 3 + (mentioned or tool_says or _pathlike(leaf.default))
    elif by_name == 2:
        strength = 2 + (mentioned or tool_says) + told
    elif told:
        strength = 3 if by_name or tool_says else 2
    else:
        strength = 3 if named and _pair(leaf) else 1 + (mentioned or named)
    reasons = (("its name", by_name > 1 or not (mentioned or tool_says)), ("its description", mentioned))
    why = [reason for reason, holds in (*reasons, ("the tool's words", tool_says)) if holds]
    return Found("path", min(strength, 4), " and ".join(why))


def _pair(leaf: Leaf) -> bool:
    """Say whether an argument is one of a pair of places, such as source and destination."""
    name, names = leaf.name.lower(), leaf.siblings
    return any(name in pair and set(pair) <= names for pair in v.PAIRS)


def _pathlike(value: object) -> bool:
    return isinstance(value, str) and bool(re.match(r"(?:/|\./|\.\./|~/|\.$|\{sandbox|[A-Za-z]:\\)", value))


# ---- URLs

_ONLY_FILE = re.compile(r"file://|\bfile uri\b", re.IGNORECASE)
_URL_FORMATS = ("uri", "url", "iri", "http-url", "https-url")


def url(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a URL that the tool will fetch."""
    if not leaf.words or says(v.FILTER_TEXT, leaf.description):
        return nothing("url")
    last, is_uri = leaf.words[-1], leaf.words[-1] in ("uri", "uris")
    told, formatted = says(v.URL_TEXT, leaf.description), leaf.format in _URL_FORMATS
    if not told and _ONLY_FILE.search(leaf.description):
        return nothing("url")
    if is_uri and not told and says(v.RESOURCE_TEXT, leaf.description or around.text):
        return nothing("url")
    if last in v.URL_LAST and not is_uri:
        return Found("url", 4 if formatted or told or says(v.WEB_TEXT, around.text) else 3, "its name")
    if formatted:
        return Found("url", 4 if told or is_uri else 3, f"its format is {leaf.format}")
    if is_uri:
        return Found("url", 3 if told or says(v.WEB_TEXT, around.text) else 2, "its name")
    if last in v.URL_WEAK and told:
        return Found("url", 3 if leaf.required or v.WEB_TOOL & around.words else 2, "its description")
    if last == "endpoint" and "api" not in around.words:
        return Found("url", 2, "its name")
    return Found("url", 2 if told and leaf.required else 0, "its description")


# ---- commands


def command(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a command that the tool will run."""
    told, tool_says = says(v.COMMAND_TEXT, leaf.description), bool(v.COMMAND_TOOL & around.words)
    tool_told = says(v.COMMAND_TEXT, around.text)
    if says(v.FILTER_TEXT, leaf.description) or {"history", "search", "list", "find"} & around.words:
        return nothing("command")
    if " ".join(leaf.words) in v.COMMAND_NAMES:
        return Found("command", 4 if told or tool_says or tool_told else 2, "its name")
    if leaf.words and leaf.words[-1] in v.COMMAND_WEAK and (told or (tool_says and tool_told)):
        return Found("command", 3, "its description" if told else "its name and the tool's words")
    return Found("command", 2 if told and tool_says else 0, "its description")


# ---- SQL


def sql(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for SQL."""
    name = " ".join(leaf.words)
    if name in v.SQL_NAMES:
        return Found("sql", 4, "its name")
    if name not in v.QUERY_NAMES or says(v.NOT_SQL_TEXT, leaf.description):
        return nothing("sql")
    if says(v.SQL_TEXT, leaf.description):
        return Found("sql", 4, "its name and its description")
    if v.SQL_TOOL & around.words and name != "q":
        return Found("sql", 4, "its name and the tool's name")
    if name != "q" and says(v.SQL_TEXT, around.text) and not says(v.NOT_SQL_TEXT, around.text):
        return Found("sql", 3, "its name and the tool's description")
    return nothing("sql")


# ---- git


def git(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for the path of a local git repository."""
    if "owner" in leaf.siblings or says(v.FILTER_TEXT, leaf.description):
        return nothing("git")
    name, last = " ".join(leaf.words), leaf.words[-1] if leaf.words else ""
    git_tool = says(v.GIT_TEXT, around.text) or bool({"git", "repo", "repository"} & around.words)
    told_path = says(v.REPO_PATH_TEXT, leaf.description)
    if name in v.REPO_NAMES:
        return Found("git", 4 if name != "local path" or told_path or git_tool else 0, "its name")
    if name in ("repo", "repository", "repos"):
        remote = bool(says(v.HUB_TEXT, leaf.description) or says(v.HUB_TEXT, around.text)) and not told_path
        return Found("git", 0 if remote else 4 if told_path else 3 if git_tool else 2, "its name")
    placed = last in v.PATH_LAST or last in ("root", "project", "workspace")
    if placed and told_path and not says(v.IN_REPO_TEXT, leaf.description) and last != "file":
        return Found("git", 4 if git_tool else 3, "its description")
    alone = not any(words(other)[:1] in (("repo",), ("repository",)) for other in leaf.siblings)
    if "git" in around.words and alone and not leaf.array and name in v.REPO_PLACES:
        return Found("git", 3, "its name and the tool's name")
    return nothing("git")


READERS = {"command": command, "sql": sql, "git": git, "path": path, "url": url}


def evidence(leaf: Leaf, around: Context) -> tuple[Found, ...]:
    """Return what one argument speaks for, strongest first; only free text speaks for anything."""
    if not leaf.textual:
        return ()
    found = [READERS[cls](leaf, around) for cls in CLASSES]
    return tuple(sorted((item for item in found if item.strength), key=lambda item: -item.strength))
