"""What one argument takes, by its name, its description, its format and the tool around it.

Every class has a function that returns a strength: 0 nothing, 1 a hint, 2 likely but not alone, 3 enough to act on,
4 sure. Names are words of identifiers, so that one rule covers every way of writing them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sealmark.record.model import Tool
from sealmark.surface.leaves import MAX_WORDS, Leaf, words

CLASSES = ("command", "sql", "git", "path", "url")
"""Classes that packs probe, in the order in which they decide what a tool is taken for first."""


class Context(NamedTuple):
    """The tool around an argument: the words of its name, and its description."""

    words: tuple[str, ...]
    text: str

    def named(self, *any_of: str) -> bool:
        """Say whether the tool's name has one of these words."""
        return any(word in self.words for word in any_of)


class Found(NamedTuple):
    """A class that an argument speaks for, how strongly, and why."""

    cls: str
    strength: int
    why: str


def context_of(tool: Tool) -> Context:
    """Return the words around the arguments of a tool."""
    text = f"{tool.title}. {tool.description}" if tool.title else tool.description
    return Context(words(tool.name), text[:MAX_WORDS])


def _re(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


# ---- paths

PATH_LAST = frozenset(["path", "paths", "dir", "dirs", "directory", "directories", "folder", "folders", "cwd"])
FILE_WORDS = frozenset(
    [
        "file",
        "files",
        "filename",
        "directory",
        "directories",
        "dir",
        "folder",
        "folders",
        "path",
        "paths",
        "document",
        "workbook",
        "filesystem",
    ]
)
PATH_WEAK = frozenset(
    [
        "source",
        "destination",
        "src",
        "dst",
        "dest",
        "target",
        "from",
        "to",
        "old",
        "new",
        "name",
        "names",
        "uri",
        "location",
        "root",
        "workspace",
        "project",
        "input",
        "output",
        "document",
        "image",
        "video",
        "audio",
        "attachment",
        "archive",
        "template",
        "dataset",
        "database",
        "db",
        "workbook",
        "notebook",
        "spreadsheet",
        "pdf",
        "csv",
    ]
)
NOT_FILES = frozenset(
    [
        "url",
        "json",
        "xpath",
        "jsonpath",
        "api",
        "http",
        "https",
        "request",
        "route",
        "key",
        "field",
        "property",
        "object",
        "xml",
        "element",
        "svg",
        "jq",
        "web",
        "endpoint",
        "sql",
        "class",
        "career",
        "learning",
        "category",
        "menu",
        "breadcrumb",
        "registry",
        "yaml",
        "css",
        "dom",
        "import",
        "module",
        "query",
        "metric",
    ]
)
_PATH_TEXT = _re(
    r"\b(?:file|folder|directory|dir|document|image|workbook|config|local|absolute|relative|full|fs|filesystem|output|input|source|destination|target)[ -]?paths?\b"
    r"|\bpaths? (?:to|of|for|where|relative|inside|within|in) |\bpaths?, (?:absolute|relative)|\bfile ?names?\b"
    r"|\b(?:working|parent|target|root|base|source|destination|output|starting|current) (?:directory|folder)\b"
    r"|\bdirectory (?:to|in which|where|containing|name)\b|\bfolder (?:to|in which|where|containing|name)\b"
    r"|\bfile (?:to (?:read|write|edit|open|load|save|create|delete|move|copy|process|convert|analy[sz]e|parse|search)|location)\b|\bfile://"
)
_FILE_TEXT = _re(r"\b(?:files?|filesystem|file system|director(?:y|ies)|folders?|workbooks?|\.\w{2,5} file)\b")
_NOT_PATH_TEXT = _re(
    r"\b(?:URL|JSON|API|HTTP|request|endpoint|object|property|key|dotted|dot|route|web|XML|class|module|import|query|field|schema|node|S3)[ -]paths?\b"
    r"|\bJSON ?Path\b|\bXPath\b|\bJMESPath\b|\bdot notation\b|\bpath (?:of|in|on) the (?:URL|API|website|server's API)\b"
)
_FILTER_TEXT = _re(r"^\W{0,3}(?:optional\W{1,3})?filters?\b|\bfilter (?:by|on|entries|results|tools)\b|\bto filter\b")
_REMOTE = ({"owner", "repo"}, {"owner", "repository"}, {"bucket"}, {"project_id"}, {"namespace", "pod"})
_REQUEST = ({"method", "headers"}, {"method", "body"}, {"headers", "body"}, {"http_method"})


def _path_name(leaf: Leaf) -> int:
    """Return how much the name alone speaks for a path."""
    if not leaf.words:
        return 0
    last, rest = leaf.words[-1], leaf.words[:-1]
    if last in PATH_LAST:
        return 0 if NOT_FILES & set(rest) else 3
    if last in ("name", "names") and {"file", "dir", "directory", "folder"} & set(rest):
        return 3
    if last in ("file", "files", "cwd"):
        return 2 if len(leaf.words) == 1 else 3
    if last in ("root", "workspace") and rest:
        return 2
    return 1 if last in PATH_WEAK else 0


def path(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a file path."""
    by_name = _path_name(leaf)
    if leaf.format in ("path", "file-path", "filepath", "directory-path", "directory", "file"):
        return Found("path", 4, f"its format is {leaf.format}")
    told = bool(_PATH_TEXT.search(leaf.description))
    mentioned = told or bool(_FILE_TEXT.search(leaf.description))
    tool_says = bool(FILE_WORDS & set(around.words)) or bool(_FILE_TEXT.search(around.text))
    if _NOT_PATH_TEXT.search(leaf.description) or _FILTER_TEXT.search(leaf.description) or (not by_name and not told):
        return Found("path", 0, "")
    if any(group <= leaf.siblings for group in (*_REMOTE, *_REQUEST)):
        return Found("path", min(by_name, 2), "its name, though the names beside it speak of a remote service")
    reasons = [
        reason
        for holds, reason in (
            (by_name > 1, "its name"),
            (mentioned, "its description"),
            (tool_says, "the tool's words"),
        )
        if holds
    ]
    if by_name >= 3:
        strength = 3 + (mentioned or tool_says or _pathlike(leaf.default))
    elif by_name == 2:
        strength = 2 + (1 if mentioned or tool_says else 0) + (1 if told else 0)
    elif told:
        strength = 3 if by_name or tool_says else 2
    else:
        strength = 1 + (1 if mentioned or bool(FILE_WORDS & set(around.words)) else 0)
        if _pair(leaf) and FILE_WORDS & set(around.words):
            strength = 3
    return Found("path", min(strength, 4), " and ".join(reasons) or "its name")


def _pair(leaf: Leaf) -> bool:
    """Say whether an argument is one of a pair of places, such as source and destination."""
    names = leaf.siblings
    pairs = (
        ("source", "destination"),
        ("src", "dst"),
        ("src", "dest"),
        ("from", "to"),
        ("source", "target"),
        ("old", "new"),
    )
    return any(one in names and two in names and leaf.name.lower() in (one, two) for one, two in pairs)


def _pathlike(value: object) -> bool:
    return isinstance(value, str) and bool(re.match(r"(?:/|\./|\.\./|~/|\.$|\{sandbox|[A-Za-z]:\\)", value))


# ---- URLs

URL_LAST = frozenset(["url", "urls", "uri", "uris", "href", "hrefs", "webhook", "website"])
URL_WEAK = frozenset(
    [
        "link",
        "links",
        "endpoint",
        "address",
        "page",
        "site",
        "webpage",
        "target",
        "source",
        "input",
        "data",
        "location",
        "host",
        "domain",
        "src",
        "image",
        "feed",
    ]
)
_URL_TEXT = _re(r"\bURLs?\b|\bhttps?://|\bweb ?(?:page|site)s?\b|\bhttps?: |\blinks? to\b")
_WEB_TEXT = _re(r"\bURLs?\b|\bhttps?\b|\bweb ?(?:page|site)s?\b|\binternet\b")
_RESOURCE_TEXT = _re(
    r"\b(?:MCP )?resource (?:URI|identifier|to read|link)|\bURI of the (?:MCP )?resource\b|\b(?:document|notebook|text) ?URI\b|\b[a-z]{3,20}://(?<!http://)(?<!https://)(?<!file://)"
)


_WEB_TOOL = (
    "fetch",
    "web",
    "url",
    "urls",
    "download",
    "browse",
    "browser",
    "crawl",
    "scrape",
    "http",
    "page",
    "site",
    "navigate",
    "link",
    "request",
    "curl",
)


def url(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a URL that the tool will fetch."""
    if not leaf.words or _FILTER_TEXT.search(leaf.description):
        return Found("url", 0, "")
    last = leaf.words[-1]
    told = bool(_URL_TEXT.search(leaf.description))
    is_uri = last in ("uri", "uris")
    formatted = leaf.format in ("uri", "url", "iri", "http-url", "https-url")
    only_file = bool(re.search(r"file://|\bfile uri\b", leaf.description, re.IGNORECASE)) and not told
    if only_file or (is_uri and not told and _RESOURCE_TEXT.search(leaf.description or around.text)):
        return Found("url", 0, "")
    if last in URL_LAST and not is_uri:
        return Found("url", 4 if formatted or told or _WEB_TEXT.search(around.text) else 3, "its name")
    if formatted:
        return Found("url", 4 if told or is_uri else 3, f"its format is {leaf.format}")
    if is_uri:
        return Found("url", 3 if told or _WEB_TEXT.search(around.text) else 2, "its name")
    if last in URL_WEAK and told:
        return Found("url", 3 if leaf.required or around.named(*_WEB_TOOL) else 2, "its description")
    if last == "endpoint" and not around.named("api"):
        return Found("url", 2, "its name")
    return Found("url", 2 if told and leaf.required else 0, "its description")


# ---- commands

COMMAND_NAMES = frozenset(
    ("command", "commands", "cmd", "cmds", "command line", "cmd line", "shell command", "bash command", "shell cmd", "command string"
     " full command", "command text", "full command", "powershell command", "terminal command", "command to run")
)  # fmt: skip
COMMAND_WEAK = frozenset(("script", "shell", "bash", "powershell", "argv", "executable", "program", "binary", "exec"))
_COMMAND_TEXT = _re(
    r"\b(?:shell|bash|terminal|system|cmd|powershell|console|cli|unix|linux|os)[ -](?:commands?|script|line)\b|\bcommands? (?:line )?to (?:be )?(?:run|execute|send|exec)"
    r"|\b(?:execut\w{1,4}|runs?|running) (?:an? |the |any |arbitrary |allowed |single |given )*(?:shell |bash |system |terminal )?(?:commands?|program|script|executable)\b"
)
_COMMAND_TOOL = (
    "run",
    "exec",
    "execute",
    "shell",
    "command",
    "bash",
    "terminal",
    "cmd",
    "powershell",
    "process",
    "spawn",
    "cli",
    "ssh",
    "console",
)


def command(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for a command that the tool will run."""
    name = " ".join(leaf.words)
    told, tool_says = bool(_COMMAND_TEXT.search(leaf.description)), around.named(*_COMMAND_TOOL)
    tool_told = bool(_COMMAND_TEXT.search(around.text))
    if _FILTER_TEXT.search(leaf.description) or around.named("history", "search", "list", "find"):
        return Found("command", 0, "")
    if name in COMMAND_NAMES:
        return Found("command", 4 if told or tool_says or tool_told else 2, "its name")
    if leaf.words and leaf.words[-1] in COMMAND_WEAK and (told or (tool_says and tool_told)):
        return Found("command", 3, "its description" if told else "its name and the tool's words")
    return Found("command", 2 if told and tool_says else 0, "its description")


# ---- SQL

SQL_NAMES = frozenset(
    (
        "sql",
        "sql query",
        "sql statement",
        "sql text",
        "sql code",
        "sql string",
        "sql command",
        "sql queries",
        "raw sql",
        "query sql",
    )
)
QUERY_NAMES = frozenset(
    (
        "query",
        "queries",
        "statement",
        "statements",
        "query string",
        "query text",
        "select query",
        "q",
        "command",
        "script",
        "expression",
    )
)
SQL_TEXT = _re(
    r"\bSQL\b|\bT-SQL\b|\b(?:sqlite|postgres(?:ql)?|mysql|mariadb|duckdb|bigquery|snowflake|clickhouse|mssql|sql server|redshift|cockroachdb|trino|databricks)\b"
    r"|\b(?:DDL|DML)\b|\bSELECT (?:\*|quer|statement|SQL)|\bINSERT INTO\b|\bCREATE TABLE\b"
)
_NOT_SQL_TEXT = _re(
    r"\bnatural[- ]language\b|\bGraphQL\b|\bCypher\b|\bSPARQL\b|\bPromQL\b|\bKQL\b|\bJQL\b|\bLucene\b|\bkeywords?\b|\bsearch (?:query|term|string|text)\b|\bNoSQL\b"
)
_SQL_TOOL = frozenset(
    [
        "sql",
        "sqlite",
        "postgres",
        "postgresql",
        "mysql",
        "mariadb",
        "duckdb",
        "bigquery",
        "snowflake",
        "clickhouse",
        "mssql",
        "redshift",
    ]
)


def sql(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for SQL."""
    name = " ".join(leaf.words)
    if name in SQL_NAMES:
        return Found("sql", 4, "its name")
    if name not in QUERY_NAMES or _NOT_SQL_TEXT.search(leaf.description):
        return Found("sql", 0, "")
    if SQL_TEXT.search(leaf.description):
        return Found("sql", 4, "its name and its description")
    if name == "command":
        return Found("sql", 0, "")
    if _SQL_TOOL & set(around.words):
        return Found("sql", 4, "its name and the tool's name")
    if name != "q" and SQL_TEXT.search(around.text) and not _NOT_SQL_TEXT.search(around.text):
        return Found("sql", 3, "its name and the tool's description")
    return Found("sql", 0, "")


# ---- git

REPO_NAMES = frozenset(
    ("repo path", "repository path", "git dir", "git path", "git directory", "repo dir", "repo root", "repository root", "git root", "git repo path",
     "local repo", "local repo path", "local path", "repo directory", "repository directory", "worktree path", "git repo", "git repository", "repo paths")
)  # fmt: skip
_REPO_TEXT = _re(r"\b(?:git )?repositor(?:y|ies)\b|\bgit repo\b|\brepo (?:path|root|directory)\b")
_REPO_PATH_TEXT = _re(
    r"\b(?:path|directory|folder|root|location)\b.{0,40}\b(?:git )?repo(?:sitory)?\b|\b(?:git )?repo(?:sitory)?\b.{0,30}\b(?:path|directory|folder|root)\b"
)
_HUB = _re(r"\b(?:github|gitlab|bitbucket|gitea|azure devops)\b")


def git(leaf: Leaf, around: Context) -> Found:
    """Say how much an argument speaks for the path of a local git repository."""
    if {"owner"} & leaf.siblings or _FILTER_TEXT.search(leaf.description):
        return Found("git", 0, "")
    name = " ".join(leaf.words)
    git_tool = around.named("git", "repo", "repository") or bool(re.search(r"\bgit\b", around.text, re.IGNORECASE))
    told_path = bool(_REPO_PATH_TEXT.search(leaf.description))
    if name in REPO_NAMES:
        return Found("git", 4 if name != "local path" or told_path or git_tool else 0, "its name")
    if name in ("repo", "repository", "repos"):
        remote = bool(_HUB.search(leaf.description) or _HUB.search(around.text)) and not told_path
        return Found("git", 0 if remote else 4 if told_path else 3 if git_tool else 2, "its name")
    last = leaf.words[-1] if leaf.words else ""
    placed = last in PATH_LAST or last in ("root", "project", "workspace", "cwd")
    inside = last == "file" or bool(
        re.search(r"\b(?:within|inside|in|relative to) the (?:git )?repo", leaf.description, re.IGNORECASE)
    )
    if placed and told_path and not inside:
        return Found("git", 4 if git_tool else 3, "its description")
    alone = not any(words(other)[:1] in (("repo",), ("repository",)) for other in leaf.siblings)
    if (
        placed
        and around.named("git")
        and alone
        and not leaf.array
        and name
        in (
            "path",
            "cwd",
            "directory",
            "dir",
            "working directory",
            "working dir",
            "work dir",
            "project path",
            "root path",
            "root",
        )
    ):
        return Found("git", 3, "its name and the tool's name")
    return Found("git", 0, "")


READERS = {"command": command, "sql": sql, "git": git, "path": path, "url": url}


def evidence(leaf: Leaf, around: Context) -> tuple[Found, ...]:
    """Return what one argument speaks for, strongest first; only free text speaks for anything."""
    if not leaf.textual:
        return ()
    found = [READERS[cls](leaf, around) for cls in CLASSES]
    return tuple(sorted((item for item in found if item.strength), key=lambda item: -item.strength))
