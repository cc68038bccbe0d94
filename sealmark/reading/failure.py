"""Whether a reply reports that something went wrong by itself, and what kind of thing.

Kinds, in the order in which they decide when several are named: `runtime` (an error that the program did not
handle), `permission-os` (the operating system said no), `validation` (the arguments were turned down before
use), `not-found`, `auth`, `timeout`, `transport` (a mechanism that carries a request failed), `upstream`
(another service answered badly). A failure is not a refusal: nobody decided against the request.
"""

from __future__ import annotations

from typing import NamedTuple

from sealmark.reading.clauses import clauses, words_around
from sealmark.reading.words import alternatives


class Failure(NamedTuple):
    """The kind of a failure (empty: none) and the clause that named it."""

    kind: str = ""
    words: str = ""


_RUNTIME = alternatives(r"""
    \b(?:Type|Attribute|Name|Reference|Key|Index|Range|Syntax|UnboundLocal|Recursion|Assertion)Error\b
    \b(?:ZeroDivision|Import|ModuleNotFound|NotImplemented|UnicodeDecode|UnicodeEncode|Overflow|Memory)Error\b
    cannot read propert(?:y|ies) of (?:undefined|null)
    \bis not a function\b
    \bis not (?:iterable|defined)\b
    undefined is not an?\b
    cannot destructure property
    object has no attribute
    object is not (?:callable|iterable|subscriptable)
    'NoneType' object
    unsupported operand type
    must be str, not \w
    ^received (?:undefined|null|type \w|an instance of)
    \bERR_INVALID_ARG_TYPE\b
    missing \d+ required (?:positional|keyword-only) arguments?
    got an unexpected keyword argument
    \bNull(?:Pointer|Reference)Exception\b
    \b(?:ClassCast|IllegalState|(?:Array|String)?IndexOutOfBounds|InvalidCast)Exception\b
    \bjava\.lang\.\w{1,60}(?:Exception|Error)\b
    \bpanicked at\b
    \bpanic: \w
    runtime error: \w
    nil pointer dereference
    \bsegmentation fault\b
    unhandled (?:exception|promise rejection|error)
    uncaught (?:exception|error|\w{1,40}Error)
    maximum (?:call stack size|recursion depth) exceeded
    undefined method [`']\w
""")
_PERMISSION = alternatives(r"""
    \b(?:EACCES|EPERM|EROFS)\b
    \[Errno (?:1|13|30)\]
    \bPermissionError\b
    \(os error (?:1|13|30)\)
    \bread-only file system\b
    \boperation not permitted\b
    ^permission denied$
    \b(?:open|mkdir|unlink|rename|stat|chdir|scandir) \S{1,300} permission denied\b
""")
_VALIDATION = alternatives(r"""
    \bvalidation errors?\b
    \binvalid (?:arguments?|parameters?|params|input|type|value|format|request parameters)\b
    \bfield required\b
    \b(?:is )?(?:a )?required (?:property|argument|parameter|field|input)\b
    \bmissing required\b
    \bis required\b
    \binput should be\b
    \binvalid_(?:type|enum_value|union|literal|string|format|value|arguments?|union_discriminator)\b
    \btoo_(?:small|big)\b
    \bexpected (?:string|number|boolean|array|object|integer|bool|str|int|list|dict)\b
    \bis not of type\b
    \bmust be (?:a |an |of type )?(?:string|number|integer|boolean|array|object|list)\b
    \bmust have required property\b
    \badditional properties\b
    \bdoes not match (?:the )?(?:schema|pattern|input schema)\b
    \bfailed to deserialize\b
    \bunmarshal\b
    参数(?:错误|无效|缺失)|缺少.{0,8}参数|无效的?参数
    \bunexpected (?:argument|parameter|property|keyword)\b
    \bunrecognized[_ ]keys?\b
""")
_NOT_FOUND = alternatives(r"""
    \b(?:ENOENT|ENOTDIR)\b
    \[Errno (?:2|20)\]
    \bno such (?:file|directory|table|column|tool|resource|prompt|repository|branch|ref)\b
    \b(?:File|Path|Resource|Module)NotFound(?:Error|Exception)?\b
    \bNoSuch(?:File|Path|Key|Bucket|Method)\w{0,20}\b
    \b(?:does not|doesn't|did not) exist\b
    \b(?:could not|couldn't|cannot|can't|can not) (?:be found|find)\b
    \bnot found\b
    \bref '[^']{1,200}' did not resolve to\b
    \bunknown (?:tool|resource|prompt|method|revision|file)\b
    \bnot a (?:directory|regular file|git repository|valid git repository)\b
    \bInvalidGitRepositoryError\b
    不存在|找不到|未找到
    \b(?:HTTP|status|status code|error|code) ?:?(?: code)? ?404\b
""")
_AUTH = alternatives(r"""
    \b(?:HTTP|status|status code|code|error) ?:?(?: code)? ?(?:401|403|407)\b
    \b(?:401|403|407) (?:unauthori[sz]ed|forbidden|proxy)\b
    \bunauthori[sz]ed\b
    \bunauthenticated\b
    \b(?:authentication|authori[sz]ation) (?:failed|required|error|is required)\b
    \b(?:invalid|missing|expired|bad|incorrect) (?:api[ _-]?key|access token|bearer token|token|credentials?|password)\b
    \bno (?:api[ _-]?key|access token|bearer token|credentials)\b
    \bapi[ _-]?key (?:is )?(?:required|missing|not set|not provided|invalid)\b
    \blogin (?:required|failed)\b
    未授权|认证失败|鉴权失败
""")
_TIMEOUT = alternatives(r"""
    \btim(?:ed|e)[ -]?out\b
    \bETIMEDOUT\b
    \bdeadline exceeded\b
    超时
    \bTimeoutError\b
    \b(?:statement|query|request|operation) (?:was )?(?:cancell?ed|aborted|terminated) (?:due to|after|because of)\b
    \bMCP error -32001\b
""")
_TRANSPORT = alternatives(r"""
    \b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ECONNABORTED)\b
    \b(?:fail(?:ed|s|ure)?|unable|could not|couldn't|cannot|can't) (?:to )?(?:fetch|connect|reach|resolve|retrieve)\b
    \b(?:fail(?:ed|s|ure)?|unable|could not|couldn't|cannot|can't) (?:to )?(?:download|navigate|load|open|get) (?:the )?(?:url|page|site|https?:)
    \b(?:fetch|request|download|navigation|lookup|dns) (?:has |was |is )?(?:failed|reset|aborted|error)\b
    \b(?:connection|socket) (?:has |was |is )?(?:failed|refused|reset|aborted|closed|error)\b
    \brequest to \S{1,300} (?:failed|was reset|was aborted)\b
    \bconnection to \S{1,300} (?:was )?(?:failed|refused|reset|aborted|closed)\b
    \brefused to connect\b
    \bconnection (?:was |is )?(?:error|refused|reset|blocked|closed)\b
    \bconnection attempts? failed\b
    \bnetwork (?:access )?(?:is |was )?(?:error|unreachable|restricted|disabled|unavailable|failure|down)\b
    \bno (?:network|internet)(?: access| connection)?\b
    \bname or service not known\b
    \bname resolution\b
    \bnodename nor servname\b
    \bno such host\b
    \bgetaddrinfo\b
    \b(?:proxy|tunnel|ssl|tls|certificate) (?:error|verify failed|connection|handshake|authentication)\b
    \bnet::ERR_\w{1,60}
    \bserver disconnected\b
    \bremote end closed\b
    \bsocket hang up\b
    (?:连接|请求|网络|抓取|获取)(?:失败|错误|异常|被拒绝)
    (?<![/\w])robots\.txt\b
    \bproxy (?:server )?(?:has |have |was |is )?(?:denied|refused|blocked|rejected)\b
    \b(?:denied|refused|blocked|rejected) by (?:a |the |your )?(?:proxy|firewall|gateway)\b
""")  # noqa: E501 - one pattern to a line
_UPSTREAM = alternatives(r"""
    \b(?:upstream|backend|remote server|external (?:api|service)|third[- ]party) (?:request |call |server |service )?(?:error|failed|failure|returned)\b
    \b(?:upstream|backend|remote server|external (?:api|service)) (?:request |call |server |service )?(?:responded|unavailable|is down)\b
    \bapi (?:request |call )?(?:error|failed|failure)\b
    \b(?:HTTP|status|status code|HTTP error|response code|HTTP status) ?:?(?: code)? ?[45]\d\d\b
    \b5\d\d (?:internal server error|bad gateway|service unavailable|gateway timeout)\b
    \b(?:bad gateway|service unavailable|gateway timeout|internal server error|too many requests)\b
    \brate limit(?:ed| exceeded)?\b
""")  # noqa: E501 - one pattern to a line

KINDS = (
    ("runtime", _RUNTIME),
    ("permission-os", _PERMISSION),
    ("validation", _VALIDATION),
    ("not-found", _NOT_FOUND),
    ("auth", _AUTH),
    ("timeout", _TIMEOUT),
    ("transport", _TRANSPORT),
    ("upstream", _UPSTREAM),
)
"""Kinds and the words that name them, first match first."""
_INVALID_CODE = alternatives(r"\bMCP error -3260[02]\b")
"""Codes that servers use for invalid arguments, and for other things too: they decide when no word does."""
_RANK = {kind: rank for rank, (kind, _) in enumerate(KINDS)}


def failure_in(clause: str) -> str:
    """Return the kind of failure that one clause names, or the empty string."""
    return next((kind for kind, pattern in KINDS if pattern.search(clause)), "")


def failure(text: str) -> Failure:
    """Return the most telling failure that a reply reports, by the order of KINDS."""
    best = Failure()
    coded = Failure()
    for clause in clauses(text):
        kind = failure_in(clause)
        if kind and (not best.kind or _RANK[kind] < _RANK[best.kind]):
            best = Failure(kind, words_around(clause))
        if not coded.kind and _INVALID_CODE.search(clause):
            coded = Failure("validation", words_around(clause))
    return best if best.kind else coded
