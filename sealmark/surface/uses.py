"""What a tool does with an argument: reads it, writes it, lists it, moves from it to another, fetches it, runs it."""

from __future__ import annotations

import re

from sealmark.record.model import ParamUse, Tool
from sealmark.surface.leaves import Leaf, words

VERBS: tuple[tuple[str, frozenset[str]], ...] = (
    ("stat", frozenset(["stat", "info", "metadata", "exists", "size", "checksum", "hash", "properties", "attributes"])),
    ("search", frozenset(["search", "find", "grep", "glob", "locate", "ripgrep", "rg"])),
    ("move", frozenset(["move", "rename", "mv"])),
    ("copy", frozenset(["copy", "cp", "duplicate"])),
    ("delete", frozenset(["delete", "remove", "rm", "unlink", "trash", "erase"])),
    (
        "edit",
        frozenset(["edit", "patch", "replace", "modify", "update", "insert", "apply", "sed", "change", "rewrite"]),
    ),
    ("list", frozenset(["list", "ls", "tree", "readdir", "scan", "browse", "walk", "listing"])),
    (
        "write",
        frozenset(["write", "save", "put", "store", "append", "overwrite", "export", "upload", "download", "dump"]),
    ),
    ("create", frozenset(["create", "make", "new", "touch", "init", "generate"])),
    (
        "read",
        frozenset(
            [
                "read",
                "get",
                "cat",
                "view",
                "open",
                "load",
                "show",
                "fetch",
                "head",
                "tail",
                "import",
                "parse",
                "analyze",
                "extract",
                "preview",
                "print",
                "describe",
            ]
        ),
    ),
)
"""Words of a tool's name, the most telling verb first: `get_file_info` is about the info, not about getting."""

_FIRST_VERBS = re.compile(
    r"\b(search|find|move|rename|copy|delete|remove|edit|modify|replace|update|list|write|save|append|create|overwrite|read|get|retrieve|return|view|load|show)(?:e?s)?\b",
    re.IGNORECASE,
)
_LIKE = {
    "rename": "move",
    "remove": "delete",
    "modify": "edit",
    "replace": "edit",
    "update": "edit",
    "save": "write",
    "append": "write",
    "overwrite": "write",
    "find": "search",
}

SOURCES = frozenset(["source", "src", "from", "old", "input", "origin", "original"])
DESTINATIONS = frozenset(["destination", "dest", "dst", "to", "new", "target", "output", "out"])
OUTPUTS = frozenset(["output", "out", "save", "export", "destination", "dest", "dst", "saved"])
CONTENT_NAMES = frozenset(
    ("content", "contents", "text", "data", "body", "file content", "file contents", "content base 64", "new content", "file text", "file data", "new text", "value", "lines", "code", "markdown", "csv data", "base 64")
)  # fmt: skip
OLD_NAMES = frozenset(
    (
        "old text",
        "old str",
        "old string",
        "old content",
        "search",
        "find",
        "old",
        "search text",
        "original",
        "target text",
        "old lines",
        "match",
        "before",
    )
)
NEW_NAMES = frozenset(
    (
        "new text",
        "new str",
        "new string",
        "new content",
        "replacement",
        "replace",
        "new",
        "replace text",
        "replace with",
        "updated",
        "new lines",
        "replacement text",
        "after",
    )
)
PATTERN_NAMES = frozenset(
    (
        "pattern",
        "patterns",
        "query",
        "regex",
        "glob",
        "search",
        "term",
        "keyword",
        "search term",
        "search pattern",
        "search query",
        "search text",
        "text",
        "name",
        "file pattern",
        "regexp",
        "expression",
        "glob pattern",
    )
)
CWD_NAMES = frozenset(("cwd", "work dir", "working directory", "working dir", "workdir", "current directory"))


def verb(tool: Tool) -> str:
    """Return what a tool does: a verb of VERBS, by its name, else by its annotations, else by its description."""
    named = set(words(tool.name))
    for name, any_of in VERBS:
        if named & any_of:
            return name
    if tool.annotations.get("readOnlyHint") is True:
        return "read"
    described = _FIRST_VERBS.search(tool.description[:200])
    if described:
        word = described.group(1).lower()
        return _LIKE.get(word, word if word in _VERB_NAMES else "read")
    return "edit" if tool.annotations.get("readOnlyHint") is False else "read"


_VERB_NAMES = frozenset(name for name, _ in VERBS)
_VERB_WORDS = frozenset(word for _, any_of in VERBS for word in any_of)
FILE_NOUNS = frozenset(
    [
        "file",
        "files",
        "directory",
        "directories",
        "dir",
        "folder",
        "folders",
        "path",
        "paths",
        "tree",
        "workbook",
        "workbooks",
        "document",
        "documents",
        "doc",
        "docx",
        "pdf",
        "xlsx",
        "csv",
        "image",
        "archive",
        "zip",
        "project",
        "notebook",
        "presentation",
        "spreadsheet",
        "text",
        "media",
        "multiple",
        "item",
        "items",
        "entry",
        "resource",
    ]
)


def _of_a_part(tool: Tool) -> bool:
    """Say whether a tool's name speaks of something inside a file (a sheet, a chart), not of files."""
    rest = [word for word in words(tool.name) if word not in _VERB_WORDS]
    return bool(rest) and not FILE_NOUNS & set(rest)


def path_use(leaf: Leaf, tool: Tool, others: tuple[Leaf, ...]) -> str:
    """Return what a tool does with one path among its paths."""
    own, name = set(leaf.words), " ".join(leaf.words)
    if name in CWD_NAMES:
        return "cwd"
    does = verb(tool)
    harmless = tool.annotations.get("readOnlyHint") is True
    paired = any(other.pointer != leaf.pointer for other in others)
    if does in ("move", "copy") and paired and own & (SOURCES | DESTINATIONS):
        return "source" if own & SOURCES else "destination"
    if does in ("move", "copy") and not _of_a_part(tool):
        return "source" if others[0].pointer == leaf.pointer or own & SOURCES else "destination"
    traded = _traded(leaf, tool) if paired else ""
    if traded:
        return traded
    if own & OUTPUTS:
        return "write"
    if harmless and does in ("write", "create", "edit", "delete", "move", "copy"):
        return "read"
    if paired and own & _INPUTS and does in ("write", "create", "edit"):
        return "read"
    if does in ("move", "copy", "delete", "create") and _of_a_part(tool):
        return "edit"
    if does in ("list", "stat") and _of_a_part(tool):
        return "read" if harmless or does == "stat" or tool.annotations.get("readOnlyHint") is None else "edit"
    if does == "create" and (set(words(tool.name)) & {"file", "files"} or _contents(leaf)):
        return "write"
    return does


_INPUTS = frozenset(["input", "source", "src", "image", "csv", "template"])


def _traded(leaf: Leaf, tool: Tool) -> str:
    """Return the use of one of two paths of an import or export: the foreign file is read or written."""
    named = set(words(tool.name))
    way = "import" if "import" in named else "export" if "export" in named else ""
    if not way:
        return ""
    foreign = bool((set(leaf.words) - {"path", "file"}) & named)
    return {
        ("import", True): "read",
        ("import", False): "edit",
        ("export", True): "write",
        ("export", False): "read",
    }[way, foreign]


def _contents(leaf: Leaf) -> bool:
    return any(" ".join(words(name)) in CONTENT_NAMES for name in leaf.siblings)


def companions(tool: Tool, paths: tuple[Leaf, ...], every: tuple[Leaf, ...]) -> list[ParamUse]:
    """Return the arguments that go with a path: content to write, text to replace, a pattern to search for."""
    does = verb(tool)
    taken = {leaf.pointer for leaf in paths}
    free = [leaf for leaf in every if leaf.textual and leaf.pointer not in taken]
    found: list[ParamUse] = []
    for leaf in free:
        name = " ".join(leaf.words)
        if does == "search" and name in PATTERN_NAMES and not _excludes(leaf):
            found.append(ParamUse(leaf.pointer, "path", "pattern"))
        elif does == "edit" and name in OLD_NAMES:
            found.append(ParamUse(leaf.pointer, "path", "old"))
        elif (does == "edit" and name in NEW_NAMES) or (does in ("write", "create", "edit") and name in CONTENT_NAMES):
            found.append(ParamUse(leaf.pointer, "path", "content"))
    return found


def _excludes(leaf: Leaf) -> bool:
    return bool({"exclude", "excluded", "ignore"} & set(leaf.words))


SQL_WRITERS = frozenset(
    [
        "write",
        "insert",
        "update",
        "delete",
        "modify",
        "create",
        "alter",
        "drop",
        "ddl",
        "dml",
        "mutate",
        "upsert",
        "migrate",
    ]
)
GIT_WRITERS = frozenset(
    [
        "commit",
        "add",
        "reset",
        "checkout",
        "create",
        "init",
        "clone",
        "push",
        "stash",
        "pop",
        "apply",
        "merge",
        "rebase",
        "cherry",
        "pick",
        "tag",
        "pull",
        "fetch",
        "rm",
        "remove",
        "delete",
        "mv",
        "restore",
        "revert",
        "switch",
        "worktree",
    ]
)
GIT_READERS = frozenset(
    [
        "status",
        "diff",
        "log",
        "show",
        "list",
        "get",
        "blame",
        "read",
        "view",
        "describe",
        "history",
        "files",
        "branches",
    ]
)
REF_WORDS = frozenset(
    ["ref", "refs", "revision", "rev", "commit", "hash", "sha", "branch", "tag", "target", "base", "head", "remote"]
)
_REF_TEXT = re.compile(r"\b(?:commit|ref|revision|branch|sha|tag)s?\b", re.IGNORECASE)


def sql_use(tool: Tool) -> str:
    """Return whether a SQL tool is there to write (`write`) or to ask (`query`)."""
    return "write" if SQL_WRITERS & set(words(tool.name)) else "query"


def git_use(tool: Tool) -> str:
    """Return whether a git tool reads a repository or writes to it."""
    named = set(words(tool.name))
    if named & GIT_READERS and not named & {"create", "delete", "stash"}:
        return "read"
    if named & GIT_WRITERS:
        return "write"
    return "write" if tool.annotations.get("readOnlyHint") is False and "branch" not in named else "read"


def git_argument(leaf: Leaf) -> str:
    """Return what another argument of a git tool is: a `message`, a `file`, a `ref`, or some other `text`."""
    own = set(leaf.words)
    if own & {"message", "msg", "comment", "body", "title", "description"}:
        return "message"
    if own & {"file", "files", "path", "paths", "pathspec"}:
        return "file"
    return "ref" if own & REF_WORDS or _REF_TEXT.search(leaf.description) else "text"
