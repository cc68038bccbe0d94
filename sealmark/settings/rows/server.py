"""The server under test: how it is started or reached, its scope, its callers, and what it fronts."""

from __future__ import annotations

from sealmark.settings.table import Flag, Setting
from sealmark.settings.types import (
    ANY,
    BOOL,
    SCALAR,
    TEXT,
    Field,
    choice,
    integer,
    list_of,
    map_of,
    number,
    record,
    text,
)

NAME = text(empty=False)

VARIABLE_NAME = text(r"[A-Za-z_][A-Za-z0-9_]*", "the name of a variable (letters, digits and _)")
HEADER_NAME = text(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", "the name of an HTTP header")
OWN_CHECK = text(r"[a-z0-9][a-z0-9-]{0,63}", "a name such as my-check (lower case, digits and -)")
HEADER_VALUE = text(r"[^\r\n]*", "a text on one line")

FILE = record(
    Field("path", NAME, "where to write it: {sandbox}/…, {dir}/… or {sandbox_home}/…", required=True),
    Field("content", TEXT, "the whole text of the file", required=True),
)

SQL_TOOL = record(
    Field("tool", NAME, "a tool that the server lists", required=True),
    Field("arg", NAME, "its argument that takes SQL", required=True),
    Field("role", choice("reader", "writer"), "what the tool is for; a detected writer stays a writer"),
    Field("shape", NAME, "how its rows come back, when detection is wrong"),
    Field("approval", NAME, "the argument that approves a write"),
    Field("args", map_of(SCALAR), "values for its other required arguments"),
)

OVERRIDE = record(
    Field(
        "class",
        choice("path", "url", "command", "sql", "git", "text", "opaque"),
        "what the tool takes",
        required=True,
    ),
    Field("params", map_of(NAME), "which argument holds it, by class: {path: filename}"),
)

REPLY = record(
    Field("status", integer(100, 599), "HTTP status"),
    Field("headers", map_of(TEXT), "HTTP headers"),
    Field("body", TEXT, "the body as text"),
    Field("json", ANY, "the body as JSON"),
    Field("bytes", integer(0), "the body padded to this many bytes"),
    Field("delay_ms", integer(0, 600_000), "milliseconds to wait before answering"),
)

RESPONSE = record(
    Field("id", NAME, "a name for reports"),
    Field(
        "match",
        record(
            Field("method", TEXT, "regular expression for the method"),
            Field("path", TEXT, "regular expression for the path"),
            Field("body", TEXT, "regular expression for the body"),
            Field("header", map_of(TEXT), "regular expressions by header name"),
        ),
        "what a request must look like; the first match answers",
    ),
    Field("reply", REPLY, "the answer", required=True),
)

_EXPECT = record(
    Field("status", choice("pass", "fail", "warn"), "succeeds, is refused or fails, or reaches a login"),
    Field("required_fields", list_of(NAME, single=True), "names that must occur in the result"),
    Field("max_rows", integer(0), "most rows that the result may hold"),
    Field("error_code", SCALAR, "the code that an error must carry"),
    Field("contains", list_of(NAME, single=True), "texts that must occur"),
    Field("not_contains", list_of(NAME, single=True), "texts that must not occur"),
    Field(
        "tolerate",
        list_of(SCALAR, single=True),
        "error codes that make the probe inconclusive instead of failed",
    ),
    Field("response", record(Field("max_bytes", integer(0), "largest reply in bytes")), "bounds of the reply"),
    Field(
        "upstream",
        record(
            Field("requests", choice("none", "any"), "whether anything may reach the stub"),
            Field("none_matching", TEXT, "no request may match this regular expression"),
            Field("all_matching", TEXT, "every request must match this regular expression"),
            Field("header", map_of(TEXT), "headers that every request must carry"),
            Field("token_echoed", BOOL, "whether the reply must hold the marker that the stub minted"),
        ),
        "what must have reached the upstream stub",
    ),
    Field(
        "log",
        record(
            Field("contains", list_of(NAME, single=True), "texts that must occur in the server's log lines"),
            Field("not_contains", list_of(NAME, single=True), "texts that must not occur there"),
        ),
        "what the server's log lines must say",
    ),
)

PROBE = record(
    Field("id", NAME, "a name, unique among the probes"),
    Field("tool", NAME, "the tool to call", required=True),
    Field("args", map_of(ANY), "its arguments; placeholders are filled"),
    Field("check", OWN_CHECK, "the check of yours that this probe decides; without it the probe is coverage only"),
    Field("title", NAME, "a title for that check"),
    Field(
        "severity",
        choice("critical", "scored", "advisory"),
        "what that check is worth; scored when not given",
    ),
    Field("active", BOOL, "it changes something, so it runs only with --active"),
    Field("identity", choice("a", "b", "none"), "the caller whose token is sent"),
    Field("matrix", map_of(list_of(ANY)), "values for {matrix.<name>}: one call per combination"),
    Field("cases", list_of(map_of(ANY)), "arguments of further calls, each laid over args"),
    Field("upstream", record(Field("reply", REPLY, "the answer")), "what the stub answers to this probe"),
    Field("expect", _EXPECT, "what must hold"),
)

ROWS = (
    Setting(
        key="server.name",
        aliases=("name",),
        type=NAME,
        doc="The server's name in reports. Default: what the server calls itself.",
        affects="gather",
        flag=Flag("--name", metavar="TEXT"),
    ),
    Setting(
        key="server.version",
        aliases=("version",),
        type=NAME,
        doc="The server's version in reports. Default: what the server says.",
        affects="gather",
    ),
    Setting(
        key="server.command",
        type=NAME,
        doc="The program that starts the server. It is not run through a shell.",
        affects="gather",
    ),
    Setting(
        key="server.args",
        type=list_of(TEXT),
        default=(),
        doc="The program's arguments, one per item.",
        affects="gather",
    ),
    Setting(
        key="server.env",
        type=map_of(TEXT, keys=VARIABLE_NAME),
        doc="Variables for the server, beside the few that every server gets. Write secrets as ${NAME}.",
        affects="gather",
    ),
    Setting(
        key="server.forward",
        type=list_of(VARIABLE_NAME, single=True),
        default=(),
        doc="Names of variables of yours that the server gets as they are.",
        affects="gather",
        merge="append",
        flag=Flag("--env", metavar="NAME"),
    ),
    Setting(
        key="variables",
        type=map_of(TEXT, keys=VARIABLE_NAME),
        doc="Values for ${NAME} where the environment has none. Write them into sealmark.local.yaml, and only there.",
        affects="gather",
        secret=True,
    ),
    Setting(
        key="server.cwd",
        type=NAME,
        doc="The directory that the server starts in. Default: {sandbox}.",
        affects="gather",
    ),
    Setting(
        key="server.url",
        type=text(r"https?://\S+|.*\$\{.*", "a URL that begins with http:// or https://"),
        doc="The server's HTTP endpoint. With a command, the server is started and this URL awaited.",
        affects="gather",
        flag=Flag("--url", metavar="URL"),
    ),
    Setting(
        key="server.headers",
        type=map_of(HEADER_VALUE, keys=HEADER_NAME),
        doc="HTTP headers for the URL. Write secrets as ${NAME}; {bearer} is a caller's token.",
        affects="gather",
        secret=True,
    ),
    Setting(
        key="server.start_timeout_sec",
        type=number(0.1, 3600),
        default=60,
        unit="seconds",
        doc="How long the URL gets to answer after the server was started.",
        affects="gather",
        flag=Flag("--start-timeout", metavar="SEC"),
    ),
    Setting(
        key="server.transport",
        type=choice("auto", "stdio", "http", "sse"),
        default="auto",
        doc="The transport: stdio for a command, Streamable HTTP for a URL, or the older SSE endpoint.",
        affects="gather",
        flag=Flag("--transport", metavar="NAME"),
    ),
    Setting(
        key="server.ca_file",
        type=NAME,
        doc="A file with the certificate authorities to trust for the URL, instead of the system's.",
        affects="gather",
        flag=Flag("--ca-file", metavar="FILE"),
    ),
    Setting(
        key="server.auth_policy",
        type=choice("required", "public"),
        doc="`required`: nobody without credentials may be served. `public`: anybody may be. Default: as it looks.",
        affects="gather",
        flag=Flag("--auth-policy", metavar="POLICY"),
    ),
    Setting(
        key="server.protocol",
        type=choice("auto", "legacy", "2026-07-28"),
        default="auto",
        doc="The protocol era to speak. auto asks the server and falls back to the older handshake.",
        affects="gather",
        locked=True,
        flag=Flag("--protocol", metavar="ERA"),
    ),
    Setting(
        key="server.files",
        type=list_of(FILE),
        default=(),
        doc="Small files written into the sandbox before the server starts.",
        affects="gather",
    ),
    Setting(
        key="server.invented",
        type=BOOL,
        default=False,
        doc="The server is made up (a test fixture): every report about it says so.",
        affects="gather",
    ),
    Setting(
        key="server.rootless",
        type=BOOL,
        default=False,
        doc="The server takes no root argument: its working directory is the root for the fs pack.",
        affects="gather",
    ),
    Setting(
        key="sql_tools",
        type=list_of(SQL_TOOL),
        default=(),
        doc="Tools that take SQL. Adds to what detection finds or corrects it, and never hides a tool.",
        affects="gather",
    ),
    Setting(
        key="scope.tools",
        type=list_of(
            record(
                Field("tool", NAME, "a tool that the server lists", required=True),
                Field("param", NAME, "its argument that names what is asked for", required=True),
            )
        ),
        default=(),
        doc="Which argument of which tool names an object (a table, a bucket) of the backend.",
        affects="gather",
        flag=Flag("--scope-tool", metavar="TOOL=PARAM", pair=("tool", "param")),
    ),
    Setting(
        key="scope.allow",
        type=list_of(NAME, single=True),
        default=(),
        doc="Identifiers that the server may serve. One that ends in the separator is a prefix.",
        affects="gather",
        flag=Flag("--scope-allow", metavar="ID"),
    ),
    Setting(
        key="scope.deny",
        type=list_of(NAME, single=True),
        default=(),
        doc="Identifiers that the server must never serve.",
        affects="gather",
        flag=Flag("--scope-deny", metavar="ID"),
    ),
    Setting(
        key="scope.separator",
        type=NAME,
        default=".",
        doc="What separates the parts of an identifier.",
        affects="gather",
    ),
    Setting(
        key="scope.case",
        type=choice("insensitive", "sensitive"),
        default="insensitive",
        doc="Whether the backend tells upper from lower case in identifiers.",
        affects="gather",
    ),
    Setting(
        key="identities.a",
        type=NAME,
        doc="The first caller's token, for a server that validates tokens. Default: minted for each run.",
        affects="gather",
        secret=True,
        flag=Flag("--identity-a", metavar="TOKEN"),
    ),
    Setting(
        key="identities.b",
        type=NAME,
        doc="The second caller's token. Default: minted for each run.",
        affects="gather",
        secret=True,
        flag=Flag("--identity-b", metavar="TOKEN"),
    ),
    Setting(
        key="upstream.kind",
        type=choice("http"),
        doc="`http` starts a stub on loopback that the server uses as its backend, through {upstream}.",
        affects="gather",
        flag=Flag("--upstream", constant="http"),
    ),
    Setting(
        key="upstream.responses",
        type=list_of(RESPONSE),
        default=(),
        doc="Scripted answers of the stub; the first that matches is given.",
        affects="gather",
    ),
    Setting(
        key="upstream.default_reply",
        type=REPLY,
        default={"status": 200, "json": {}},
        doc="The stub's answer when nothing matches.",
        affects="gather",
    ),
    Setting(
        key="upstream.credential_header",
        type=NAME,
        default="authorization",
        doc="The request header in which the backend expects the caller's token.",
        affects="gather",
    ),
    Setting(
        key="upstream.max_body_kib",
        type=integer(1, 65536),
        default=1024,
        unit="KiB",
        doc="How much of each request body the stub keeps.",
        affects="gather",
    ),
    Setting(
        key="probes",
        type=list_of(PROBE),
        default=(),
        doc="Calls of your own: coverage, or with `check:` a check of your own (the run is then CUSTOM).",
        affects="gather",
    ),
)
