"""What a tool does with an argument: reads it, writes it, lists it, moves from it to another, fetches it, runs it."""

from __future__ import annotations

from sealmark.record.model import ParamUse, Tool
from sealmark.surface import vocabulary as v
from sealmark.surface.leaves import Leaf, words


def verb(tool: Tool) -> str:
    """Return what a tool does, a verb of `vocabulary.VERBS`, by its name, its annotations or its description."""
    named = set(words(tool.name))
    for name, any_of in v.VERBS:
        if named & any_of:
            return name
    if tool.annotations.get("readOnlyHint") is True:
        return "read"
    changes = tool.annotations.get("readOnlyHint") is False
    described = v.FIRST_VERB.search(tool.description[:200])
    if described:
        word = next(group for group in described.groups() if group).lower()
        does = v.LIKE_VERB.get(word, word if word in v.VERB_NAMES else "read")
        return "edit" if changes and does == "read" else does
    return "edit" if changes else "read"


def _of_a_part(tool: Tool) -> bool:
    """Say whether a tool's name speaks of something inside a file (a sheet, a chart), not of files."""
    rest = [word for word in words(tool.name) if word not in v.VERB_WORDS]
    return bool(rest) and not v.FILE_NOUNS & set(rest)


def path_use(leaf: Leaf, tool: Tool, others: tuple[Leaf, ...]) -> str:
    """Return what a tool does with one path among its paths."""
    own, name = set(leaf.words), " ".join(leaf.words)
    if name in v.CWD_NAMES:
        return "cwd"
    does = verb(tool)
    harmless = tool.annotations.get("readOnlyHint") is True
    paired = any(other.pointer != leaf.pointer for other in others)
    if does in ("move", "copy") and paired and own & (v.SOURCES | v.DESTINATIONS):
        return "source" if own & v.SOURCES else "destination"
    if does in ("move", "copy") and not _of_a_part(tool):
        return "source" if others[0].pointer == leaf.pointer or own & v.SOURCES else "destination"
    traded = _traded(leaf, tool) if paired else ""
    if traded:
        return traded
    if own & v.OUTPUTS or v.OUTPUT_TEXT.search(leaf.description) or _beside_a_source(leaf, others):
        return "write"
    if harmless and does in ("write", "create", "edit", "delete", "move", "copy"):
        return "read"
    if paired and own & v.INPUTS and does in ("write", "create", "edit"):
        return "read"
    if does in ("move", "copy", "delete", "create") and _of_a_part(tool):
        return "edit"
    if does in ("list", "stat") and _of_a_part(tool):
        return "read" if harmless or does == "stat" or tool.annotations.get("readOnlyHint") is None else "edit"
    if does == "read" and {"import", "upload"} & set(words(tool.name)) and _contents(leaf) and not harmless:
        return "write"
    if does == "create" and (set(words(tool.name)) & {"file", "files"} or _contents(leaf)):
        return "write"
    return does


def _beside_a_source(leaf: Leaf, others: tuple[Leaf, ...]) -> bool:
    """Say whether a path is named as a destination and another one as a source."""
    sources = v.SOURCES | v.INPUTS
    if not set(leaf.words) & v.DESTINATIONS or set(leaf.words) & sources:
        return False
    return any(set(other.words) & sources for other in others)


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
    return any(" ".join(words(name)) in v.CONTENT_NAMES for name in leaf.siblings)


_PUTTING = ("write", "create", "edit")


def companions(tool: Tool, paths: tuple[Leaf, ...], every: tuple[Leaf, ...]) -> list[ParamUse]:
    """Return the arguments that go with a path: content to write, text to replace, a pattern to search for."""
    does = "write" if {"import", "upload"} & set(words(tool.name)) else verb(tool)
    taken = {leaf.pointer for leaf in paths}
    beside = {_parent(leaf) for leaf in paths}
    found: list[ParamUse] = []
    for leaf in every:
        if not leaf.textual or leaf.pointer in taken:
            continue
        name, near = " ".join(leaf.words), _parent(leaf) in beside
        if does == "search" and name in v.PATTERN_NAMES and not _excludes(leaf):
            found.append(ParamUse(leaf.pointer, "path", "pattern"))
        elif does == "edit" and name in v.OLD_NAMES:
            found.append(ParamUse(leaf.pointer, "path", "old"))
        elif (does == "edit" and name in v.NEW_NAMES) or (does in _PUTTING and name in v.CONTENT_NAMES and near):
            found.append(ParamUse(leaf.pointer, "path", "content"))
    return found


def _parent(leaf: Leaf) -> str:
    return leaf.pointer.rpartition("/")[0]


def _excludes(leaf: Leaf) -> bool:
    return bool({"exclude", "excluded", "ignore"} & set(leaf.words))


def sql_use(tool: Tool) -> str:
    """Return whether a SQL tool is there to write (`write`) or to ask (`query`): by its name, else by what it says."""
    says = v.SQL_WRITING.search(tool.description) and not v.SQL_DENYING.search(tool.description)
    claims = bool(says) and tool.annotations.get("readOnlyHint") is not True
    return "write" if claims or v.SQL_WRITERS & set(words(tool.name)) else "query"


def git_use(tool: Tool) -> str:
    """Return whether a git tool reads a repository or writes to it."""
    named = set(words(tool.name))
    if named & v.GIT_READERS and not named & {"create", "delete", "stash"}:
        return "read"
    if named & v.GIT_WRITERS:
        return "write"
    return "write" if tool.annotations.get("readOnlyHint") is False and "branch" not in named else "read"


def git_argument(leaf: Leaf) -> str:
    """Return what another argument of a git tool is: a `message`, a `file`, a `ref`, or some other `text`."""
    own = set(leaf.words)
    if own & {"message", "msg", "comment", "body", "title", "description"}:
        return "message"
    if own & {"file", "files", "path", "paths", "pathspec"}:
        return "file"
    return "ref" if own & v.REF_WORDS or v.REF_TEXT.search(leaf.description) else "text"
