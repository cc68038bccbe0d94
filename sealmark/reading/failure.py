"""Did a reply report that something went wrong by itself, and what kind of thing?

Kinds, in the order in which they decide when several are named: `runtime` (an error that the program did not
handle), `permission-os` (the operating system said no), `validation` (the arguments were turned down before use),
`not-found`, `auth`, `timeout`, `transport` (a mechanism that carries a request failed), `upstream` (another service
answered badly). A failure is not a refusal: nobody decided against the request.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sealmark.reading.clauses import clauses, words_around


class Failure(NamedTuple):
    """The kind of a failure (empty: none) and the clause that named it."""

    kind: str = ""
    words: str = ""


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "runtime",
        _any(
            r"\b(?:Type|Attribute|Name|Reference|Key|Index|Range|Syntax|Unbound\w{0,12}|Recursion|Assertion|ZeroDivision"
            r"|Import|ModuleNotFound|NotImplemented|Unicode\w{0,12}|Overflow|Memory|Internal)Error\b(?! in \()",
            r"cannot read propert(?:y|ies) of (?:undefined|null)",
            r"is not a function\b",
            r"\bis not (?:iterable|defined)\b",
            r"undefined is not an? ",
            r"cannot destructure property",
            r"object has no attribute",
            r"object is not (?:callable|iterable|subscriptable)",
            r"'?NoneType'? object",
            r"unsupported operand type",
            r"must be str, not \w",
            r"argument must be of type (?:string|buffer|\w+)\b.{0,80}\breceived",
            r"\bERR_INVALID_ARG_TYPE\b",
            r"missing \d+ required (?:positional|keyword-only) arguments?",
            r"got an unexpected keyword argument",
            r"\bNull(?:Pointer|Reference)Exception\b",
            r"\b(?:ClassCast|IllegalState|IndexOutOfBounds|ArrayIndexOutOfBounds|StackOverflow|InvalidCast)\w{0,12}Exception\b",
            r"\bjava\.lang\.\w+(?:Exception|Error)\b",
            r"\bpanic(?:ked at|: |\()",
            r"runtime error: ",
            r"nil pointer dereference",
            r"\bsegmentation fault\b",
            r"unhandled (?:exception|promise rejection|error)",
            r"uncaught (?:exception|error|\w+Error)",
            r"maximum (?:call stack size|recursion depth) exceeded",
            r"undefined method `?\w",
        ),
    ),
    (
        "permission-os",
        _any(
            r"\b(?:EACCES|EPERM|EROFS)\b",
            r"\[Errno (?:1|13|30)\]",
            r"\bPermissionError\b",
            r"\bos error (?:1|13|30)\b",
            r"read-only file system",
            r"\boperation not permitted\b",
            r"^(?:\S+ )?permission denied$",
            r"\bopen \S{1,300} permission denied",
        ),
    ),
    (
        "validation",
        _any(
            r"\bvalidation errors?\b",
            r"\binvalid (?:argument|arguments|parameter|parameters|params|input|type|value|format|request parameters)\b",
            r"\bfield required\b",
            r"\b(?:is|are) (?:a )?required (?:property|argument|parameter|field)\b",
            r"\brequired (?:property|argument|parameter|field)\b",
            r"\bmissing required\b",
            r"\binput should be\b",
            r"\binvalid_type\b",
            r"\bexpected (?:string|number|boolean|array|object|integer|bool|str|int|list|dict)\b",
            r"\bis not of type\b",
            r"\bmust be (?:a |an |of type )?(?:string|number|integer|boolean|array|object|list)\b",
            r"\bmust have required property\b",
            r"\badditional properties\b",
            r"\bdoes not match (?:the )?(?:schema|pattern|input schema)\b",
            r"\bMCP error -3260[02]\b",
            r"\bfailed to deserialize\b",
            r"\bunmarshal\b",
        ),
    ),
    (
        "not-found",
        _any(
            r"\bENOENT\b",
            r"\bENOTDIR\b",
            r"\[Errno (?:2|20)\]",
            r"\bno such (?:file|directory|table|column|host file|tool|resource|prompt|repository|branch|ref)\b",
            r"\b(?:File|Path|Resource|NoSuch\w{0,20})NotFound(?:Error|Exception)?\b",
            r"\b(?:does not|doesn't|did not) exist\b",
            r"\b(?:could not|couldn't|cannot|can't|can not) (?:be found|find)\b",
            r"\b(?:was |were |is |are )?not found\b",
            r"\bunknown (?:tool|resource|prompt|method|revision|file)\b",
            r"\bnot a (?:directory|file|git repository|valid git repository)\b",
            r"\bHTTP (?:status )?(?:code )?404\b|\bstatus code 404\b",
            r"\bInvalidGitRepositoryError\b",
        ),
    ),
    (
        "auth",
        _any(
            r"\b(?:HTTP|status|status code|code|error) ?:?(?: code)? ?(?:401|403|407)\b",
            r"\b(?:401|403|407) (?:unauthori[sz]ed|forbidden|proxy)\b",
            r"\bunauthori[sz]ed\b",
            r"\bunauthenticated\b",
            r"\b(?:authentication|authori[sz]ation) (?:failed|required|error|is required)\b",
            r"\b(?:invalid|missing|expired|bad|no|incorrect) (?:api[ _-]?key|access token|bearer token|token|credentials?|password)\b",
            r"\bapi[ _-]?key (?:is )?(?:required|missing|not set|not provided|invalid)\b",
            r"\blogin (?:required|failed)\b",
        ),
    ),
    (
        "timeout",
        _any(
            r"\btim(?:ed|e)[ -]?out\b",
            r"\bETIMEDOUT\b",
            r"\bdeadline exceeded\b",
            r"\bTimeoutError\b",
            r"\b(?:statement|query|request|operation) (?:was )?(?:cancel+ed|aborted|terminated) (?:due to|after|because of)",
            r"\bMCP error -32001\b",
        ),
    ),
    (
        "transport",
        _any(
            r"\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ECONNABORTED)\b",
            r"\b(?:fail(?:ed|s|ure)?|unable|could ?n[o']t|cannot|can't) (?:to )?(?:fetch|connect|reach|resolve|retrieve|download|load|open|get|access the (?:url|page|site)|navigate)\b",
            r"\b(?:fetch|request|connection|download|navigation|lookup|socket|dns) (?:has |was |is |to \S{1,200} )?(?:failed|refused|reset|aborted|closed|blocked by (?:a |the )?proxy|error)\b",
            r"\brefused to connect\b",
            r"\bconnection (?:error|refused|reset|blocked|attempts? failed|closed)\b",
            r"\bnetwork (?:access )?(?:is |was )?(?:error|unreachable|restricted|disabled|unavailable|failure|down)\b",
            r"\bno (?:network|internet)(?: access| connection)?\b",
            r"\bname or service not known\b|\bname resolution\b|\bnodename nor servname\b|\bno such host\b|\bgetaddrinfo\b",
            r"\b(?:proxy|tunnel|ssl|tls|certificate) (?:error|verify failed|connection|handshake|authentication)\b",
            r"\bnet::ERR_\w+",
            r"\bserver disconnected\b|\bremote end closed\b|\bsocket hang up\b",
            r"\bfetch failed\b",
            r"\brobots\.txt\b",
            r"\bproxy\b.{0,40}\b(?:denied|refused|blocked|rejected)\b",
            r"\b(?:denied|refused|blocked|rejected) by (?:a |the |your )?(?:proxy|firewall|gateway)\b",
        ),
    ),
    (
        "upstream",
        _any(
            r"\b(?:upstream|backend|remote server|external (?:api|service)|third[- ]party|api) (?:request |call |server |service )?(?:error|failed|failure|returned|responded|unavailable)\b",
            r"\b(?:HTTP|status|status code|HTTP error|response code) ?:?(?: code)? ?(?:4\d\d|5\d\d)\b",
            r"\b5\d\d (?:internal server error|bad gateway|service unavailable|gateway timeout)\b",
            r"\b(?:bad gateway|service unavailable|gateway timeout|internal server error|too many requests|rate limit(?:ed| exceeded))\b",
        ),
    ),
)
"""Kinds and the words that name them, first match first."""


def failure_in(clause: str) -> str:
    """Return the kind of failure that one clause names, or the empty string."""
    return next((kind for kind, pattern in KINDS if pattern.search(clause)), "")


def failure(text: str) -> Failure:
    """Return the most telling failure that a reply reports, by the order of KINDS."""
    order = [kind for kind, _ in KINDS]
    best = Failure()
    for clause in clauses(text):
        kind = failure_in(clause)
        if kind and (not best.kind or order.index(kind) < order.index(best.kind)):
            best = Failure(kind, words_around(clause))
    return best
