"""Does a reply refuse: did somebody decide against the request, and what does the refusal rest on?

Kinds: `rule` (it names a rule: only public hosts, must be within, read-only mode), `target` (it names the class of
what it refuses, or repeats it as refused), `plain` (it refuses and says no more). A clause that reports a failure
of some mechanism (a connection, a proxy, the operating system) is no refusal, whatever other words it has.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sealmark.reading.clauses import clauses, words_around
from sealmark.reading.failure import failure_in


class Refusal(NamedTuple):
    """The kind of a refusal (empty: none) and the clause that decided."""

    kind: str = ""
    words: str = ""


_SAYS_NO = re.compile(
    r"\b(?:access|permission|request|operation|path|query|command|statement|url|host)s? (?:was |is |has been )?denied\b"
    r"|\b(?:not|never|n't) (?:be )?(?:allowed|permitted|authori[sz]ed|supported|accepted|whitelisted|allow-?listed|enabled|available in)\b"
    r"|\bdisallow(?:ed|s)?\b|\bforbidden\b|\bprohibited\b|\bunsupported\b|\billegal\b|\bunsafe\b|\bdangerous\b|\bsuspicious\b"
    r"|\b(?:is|are|was|were|been|has|and|request|query|command|url|host|address|access) (?:blocked|rejected|refused|restricted|disabled|denied)\b"
    r"|\b(?:blocked|rejected|refused|refusing|denied|denying)\b"
    r"|\b(?:cannot|can't|may not|must not|will not|won't|should not|shall not) (?:be )?(?:access|accessed|read|write|written|modif|execut|run|use|used|contain|escape|leave|point|fetch|fetched|start|begin|include)"
    r"|\bpath traversal\b|\btraversal (?:attempt|detected)\b|\b(?:escapes?|escaping) (?:the |from |out of )",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\bonly (?:[\w.,*'\"`/()-]+ ){0,6}(?:allowed|permitted|supported|accepted|queries|statements|hosts?|urls?|paths?|commands?|protocols?|schemes?|access|be|operations?|files?|director(?:y|ies)|repositor(?:y|ies)|tables?|select|https?)\b"
    r"|\b(?:allowed|permitted|supported|valid) (?:[\w-]+ ){0,2}(?:are|is|include|includes|paths?|director(?:y|ies)|hosts?|commands?|schemes?|protocols?|roots?|list|domains?)\b"
    r"|\bmust (?:be|stay|remain|lie|reside|start|begin|use|point|resolve) (?:[\w'\"-]+ ){0,3}?(?:within|inside|under|in|with|below|to|one of|relative|absolute|https?|public|read-only)\b"
    r"|\boutside (?:of )?(?:[\w'\"-]+ ){0,4}?(?:allowed|permitted|root|roots|workspace|sandbox|director(?:y|ies)|repository|repositories|scope|base|project|folder|boundar(?:y|ies)|path|configured)\b"
    r"|\b(?:is|are|falls?|lies?|resolves?|points?|was) outside\b"
    r"|\bnot (?:within|inside|under|in|part of|on|one of) (?:[\w'\"-]+ ){0,4}?(?:allow(?:ed)?[ -]?list(?:ed)?|whitelist|allowed|permitted|roots?|workspace|sandbox|director(?:y|ies)|list|scope|repository|base|configured)\b"
    r"|\b(?:allow|deny|block|white|black)[ -]?list(?:ed)?\b"
    r"|\b(?:read[- ]only|safe|restricted) (?:mode|transaction|connection|access|user|role|database)\b|\bin (?:a )?read-only\b"
    r"|\b(?:egress|security|access|network|content) (?:polic(?:y|ies)|rules?|restrictions?)\b|\bnot allowed by\b|\bagainst (?:the )?polic"
    r"|\b(?:unsupported|disallowed|invalid|forbidden|unknown) (?:url )?(?:scheme|protocol)\b|\b(?:scheme|protocol) (?:\S{1,40} )?(?:is |are )?not (?:allowed|supported|permitted)\b"
    r"|\bexceeds? (?:the )?(?:maximum|limit|max)\b|\btoo (?:large|long|many|big)\b|\bmaximum (?:size|length|of)\b"
    r"|\bresolves? to (?:a |an )?(?:private|loopback|internal|local|reserved|non-public|link-local)\b"
    r"|\bpath traversal\b",
    re.IGNORECASE,
)
_CLASS = re.compile(
    r"\b(?:loopback|localhost|private|internal|link-local|reserved|non-public|non-routable|not (?:publicly )?routable|metadata|local)"
    r" (?:\w+ ){0,2}?(?:address(?:es)?|ips?|hosts?|networks?|ranges?|urls?|targets?|endpoints?|resources?|destinations?)\b"
    r"|\bloopback\b|\blocalhost\b|\b(?:symbolic links?|symlinks?|parent director(?:y|ies)|absolute paths?|null bytes?|path traversal|hidden files?)\b"
    r"|\b(?:DROP|DELETE|INSERT|UPDATE|ALTER|CREATE|TRUNCATE|ATTACH|COPY|GRANT|DDL|DML|write|mutating|destructive|multiple) (?:\w+ ){0,2}?(?:statements?|operations?|quer(?:y|ies)|commands?|functions?)\b"
    r"|\bload(?:ing|able)? (?:of )?extensions?\b|\bextension loading\b|\bload_extension\b",
    re.IGNORECASE,
)
_ECHO = re.compile(
    r"['\"`(]\S[^'\"`()]{0,300}['\"`)]|(?:^|\s)[~.]{0,2}/\S+|\b[a-z][a-z0-9+.-]{1,20}:/{0,3}\S+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[A-Za-z]:\\\S+",
    re.IGNORECASE,
)
_OFFERS = re.compile(r"\b(?:try|please use|you can|successfully|written to|created|wrote)\b", re.IGNORECASE)


def refusal(text: str) -> Refusal:
    """Return how a reply refuses, by the strongest clause that does: a rule before a target before plain words."""
    best = Refusal()
    for clause in clauses(text):
        found = _read(clause)
        if found.kind and (not best.kind or _RANK[found.kind] < _RANK[best.kind]):
            best = found
    return best


_RANK = {"rule": 0, "target": 1, "plain": 2}
_MECHANISMS = ("transport", "permission-os", "timeout", "auth", "upstream", "runtime", "not-found")


def _read(clause: str) -> Refusal:
    """Read one clause by itself."""
    says_no, rule = _SAYS_NO.search(clause), _RULE.search(clause)
    if not (says_no or rule) or failure_in(clause) in _MECHANISMS or (not says_no and _OFFERS.search(clause)):
        return Refusal()
    if rule:
        return Refusal("rule", words_around(clause))
    if _CLASS.search(clause) or _ECHO.search(clause):
        return Refusal("target", words_around(clause))
    return Refusal("plain", words_around(clause))
