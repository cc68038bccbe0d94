"""Whether a reply refuses, that is, somebody decided against the request, and what the refusal rests on.

Kinds: `rule` (it names a rule: only public hosts, must be within, read-only mode), `target` (it names the class
of what it refuses, or repeats it as refused), `plain` (it refuses and says no more). A clause that reports a
failure of some mechanism (a connection, a proxy, the operating system) is no refusal, whatever else it says.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sealmark.reading.clauses import clauses, words_around
from sealmark.reading.failure import failure_in
from sealmark.reading.words import alternatives


class Refusal(NamedTuple):
    """The kind of a refusal (empty: none) and the clause that decided."""

    kind: str = ""
    words: str = ""


_SAYS_NO = alternatives(r"""
    \b(?:not|never|isn't|aren't|wasn't) (?:be |being )?(?:allowed|permitted|authori[sz]ed|supported|accepted|whitelisted|allow-?listed|enabled)\b
    \bdisallow(?:ed|s)?\b
    \b(?:forbidden|prohibited|unsupported|illegal|unsafe|dangerous|suspicious)\b
    \b(?:blocked|rejected|refused|refusing|refuses|denied|denying|restricted|disabled)\b
    \b(?:cannot|can't|may not|must not|should not|shall not) (?:be )?(?:access|accessed|read|write|written|modif|execut|run|use|used)
    \b(?:cannot|can't|may not|must not|should not|shall not) (?:be )?(?:contain|escape|leave|point|fetch|fetched|start|begin|include)
    \b(?:will not|won't) (?:be )?(?:access|accessed|read|write|written|modif|execut|run|fetch|fetched)
    \bcannot insert multiple commands\b
    \b(?:unexpected|invalid|dangerous) (?:shell )?(?:operator|metacharacter)s?\b
    \btraversal (?:attempt|detected|attack)\b
    拒绝|不允许|禁止|不支持|被阻止|不被允许|無法存取|拒絕
    \b(?:escapes?|escaping) (?:the |from |out of )
""")  # noqa: E501 - one pattern to a line
_DECIDES = alternatives(r"""
    \bonly (?:[\w.,*'"`/()-]+ ){0,6}(?:allowed|permitted|supported|accepted)\b
    \bonly (?:[\w.,*'"`/()-]+ ){0,3}(?:hosts?|urls?|schemes?|protocols?|commands?|statements?|queries|select)\b
    \bmust (?:be|stay|remain|lie|reside|start|begin|use|point|resolve) (?:[\w'"-]+ ){0,3}?(?:within|inside|under|in|with|below|to|one of)\b
    \bmust (?:be|use) (?:[\w'"-]+ ){0,3}?(?:relative|absolute|https?|public|read-only)\b
    \boutside (?:of )?(?:[\w'"-]+ ){0,4}?(?:allowed|permitted|roots?|workspace|sandbox|scope|base|boundar(?:y|ies)|configured|worktree)\b
    \b(?:is|are|falls?|lies?|resolves?|points?|was) outside\b
    \bnot (?:within|inside|under|in|part of|on|one of) (?:[\w'"-]+ ){0,4}?(?:allow(?:ed)?[ -]?list(?:ed)?|whitelist|allowed|permitted)\b
    \bnot (?:within|inside|under|part of) (?:[\w'"-]+ ){0,4}?(?:roots?|workspace|sandbox|director(?:y|ies)|scope|repository)\b
    \b(?:unsupported|disallowed|invalid|forbidden|unknown) (?:url )?(?:scheme|protocol)\b
    \b(?:scheme|protocol) (?:\S{1,40} )?(?:is |are )?not (?:allowed|supported|permitted)\b
    \bexceeds? (?:the )?(?:\w+ ){0,2}?(?:maximum|limit|max|size)\b
    \b(?:file|content|body|response|input|query|path|url|request|payload|result) (?:is )?too (?:large|long|big)\b
    \bresolves? to (?:a |an )?(?:private|loopback|internal|local|reserved|non-public|link-local)\b
    \b(?:not|isn't) a public(?:ly routable)? (?:address|ip|host|url)\b
    \bread[- ]only mode is (?:on|enabled|active)\b
    \bpath traversal\b
    仅允许|只允许|只支持|仅支持|必须(?:是|在|以|位于)|超出.{0,12}(?:范围|目录|限制)|不在.{0,12}(?:范围|目录|列表|白名单)
""")  # noqa: E501 - one pattern to a line
"""Rules that refuse by being named."""
_RULE = alternatives(r"""
    \b(?:allowed|permitted|supported|valid) (?:[\w-]+ ){0,2}(?:are|is|include|includes|paths?|director(?:y|ies)|hosts?|commands?)\b
    \b(?:allowed|permitted|supported|valid) (?:[\w-]+ ){0,2}(?:schemes?|protocols?|roots?|list|domains?)\b
    \bonly (?:[\w.,*'"`/()-]+ ){0,6}(?:paths?|access|operations?|files?|director(?:y|ies)|repositor(?:y|ies)|tables?|https?|read)\b
    \boutside (?:of )?(?:[\w'"-]+ ){0,4}?(?:director(?:y|ies)|repositor(?:y|ies)|project|folder|path)\b
    \bnot (?:in|on) (?:[\w'"-]+ ){0,4}?(?:roots?|workspace|sandbox|list|scope|repository)\b
    \b(?:allow|deny|block|white|black)[ -]?list(?:ed)?\b
    \b(?:read[- ]only|safe|restricted) (?:mode|transaction|connection|access|user|role|database)\b
    \b(?:egress|security|access|network|content) (?:polic(?:y|ies)|rules?|restrictions?)\b
    \b(?:against|violates|by) (?:the |our |its )?(?:\w+ )?polic(?:y|ies)\b
    \btoo (?:large|long|many|big)\b
""")  # noqa: E501 - one pattern to a line
"""Rules that say what a refusal rests on, and nothing by themselves."""
_CLASS = alternatives(r"""
    \b(?:private|internal|link-local|reserved|non-public|non-routable|local|metadata) (?:\w+ ){0,2}?(?:address(?:es)?|ips?|hosts?|networks?)\b
    \b(?:private|internal|link-local|reserved|non-public|non-routable|local|metadata) (?:\w+ ){0,2}?(?:ranges?|urls?|targets?|endpoints?)\b
    \bnot (?:publicly )?routable\b
    \b(?:loopback|localhost)\b
    \b(?:symbolic links?|symlinks?|parent director(?:y|ies)|absolute paths?|null bytes?|hidden files?)\b
    \b(?:DROP|DELETE|INSERT|UPDATE|ALTER|CREATE|TRUNCATE|ATTACH|COPY|GRANT|DDL|DML) (?:\w+ ){0,2}?(?:statements?|operations?|quer(?:y|ies)|commands?)\b
    \b(?:write|mutating|destructive|multiple) (?:\w+ ){0,2}?(?:statements?|operations?|quer(?:y|ies)|commands?|functions?)\b
    \bmultiple commands\b
    \bshell (?:operators?|metacharacters?)\b
    \bload(?:ing|able)? (?:of )?extensions?\b
    \bextension loading\b
    \bload_extension\b
""")  # noqa: E501 - one pattern to a line
_ECHO = alternatives(r"""
    ['"`(]\S[^'"`()]{0,300}['"`)]
    (?:^|\s)[~.]{0,2}/\S
    \b[a-z][a-z0-9+.-]{1,20}:/{0,3}\S
    \b\d{1,3}(?:\.\d{1,3}){3}\b
    \b[A-Za-z]:\\\S
    \w:\s\S{1,80}$
""")
_OFFERS = re.compile(r"\b(?:try|please use|you can|successfully|written to|created|wrote)\b", re.IGNORECASE)
_MECHANISMS = ("transport", "permission-os", "timeout", "auth", "upstream", "runtime", "not-found")
_RANK = {"rule": 0, "target": 1, "plain": 2}


def refusal(text: str) -> Refusal:
    """Return how a reply refuses, by the strongest clause that does: a rule before a target before plain words."""
    best = Refusal()
    for clause in clauses(text):
        found = _read(clause)
        if found.kind and (not best.kind or _RANK[found.kind] < _RANK[best.kind]):
            best = found
    return best


def _read(clause: str) -> Refusal:
    """Read one clause by itself."""
    says_no, decides = _SAYS_NO.search(clause), _DECIDES.search(clause)
    if not (says_no or decides) or failure_in(clause) in _MECHANISMS or (not says_no and _OFFERS.search(clause)):
        return Refusal()
    if decides or _RULE.search(clause):
        return Refusal("rule", words_around(clause))
    if _CLASS.search(clause) or _ECHO.search(clause):
        return Refusal("target", words_around(clause))
    return Refusal("plain", words_around(clause))
