"""Whether a tool that takes a URL keeps to the schemes of the web.

Why: A URL can name more than a web page. `file:` reads the disk, `gopher:` and `dict:` say any bytes to any port,
`ftp:` and `ldap:` open connections and load what comes. A client library that knows these schemes serves them unless
somebody says no.

How: First an ordinary page of the harness's listener is asked for, which shows whether the tool fetches at all; so does
net.control_url, if it is set. Then come file URLs in the spellings that parsers take for one, each of which leads to a
file outside the sandbox with a secret of its own, and URLs of other schemes with the listener's port. The secret in a
reply, or a visit to the listener, fails the check. A data URL holds encoded content; a reply that shows it decoded
makes the check part, since what an agent takes for content of the web came from whoever wrote the URL. When nothing of
this happened, a tool that fetches passes; one that was not seen to fetch passes only if every reply ties the refusal to
the target, to a scheme or to a rule.

When it can be wrong: A tool may read a local file and show nothing of it, which is not seen. The schemes are tried with
loopback addresses, so a tool that refuses these says nothing of its schemes by it. Few clients know the rare spellings;
one that cannot use them is neither praised nor blamed for it. Without a sandbox no file is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Outcome, Rule, Seen, Target
from sealmark.corpora import Case
from sealmark.packs.net.findings import all_refused, of, shown_to_work, visit, worst
from sealmark.packs.net.urls import Aim, aims, asked, asking, control, late, page, visited
from sealmark.record.model import Probe, Verdict

RULES = (
    Rule(
        "file-read",
        "fail",
        "A reply held the content of a local file that was asked for by a URL.",
        "Allow http and https by name, before the URL is handed to the client library, and after every redirect.",
    ),
    Rule(
        "other-scheme",
        "fail",
        "A tool opened a connection for a URL of another scheme than http or https.",
        "Allow http and https by name, before the URL is handed to the client library, and after every redirect.",
    ),
    Rule(
        "data-decoded",
        "part",
        "A reply showed the decoded content of a data URL, as if it came from the web.",
        "Refuse data URLs: their content is the caller's own.",
    ),
    Rule(
        "not-shown",
        "inconclusive",
        "No other scheme was followed, but no fetch was seen to work, and not every reply ties a refusal to the URL.",
        "Set net.control_url to a URL that the tool does fetch, and run again.",
    ),
    Rule("web-only", "pass", "The tool fetches, and no URL of another scheme than http and https was followed."),
    Rule("refused", "pass", "Every URL of another scheme was refused in words that name the target or a rule."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument the controls, then the other schemes."""
    found = aims(target)
    for aim in found:
        yield from asking(target, "control", aim, "plain", page(aim, "plain", "127.0.0.1"), "an ordinary page")
        yield from control(target, aim)
        for case in target.cases:
            if _wanted(target, case) and (case.get("always") or aim is found[0]):
                yield from asking(target, "attack", aim, case.id, case["url"], case.why)
    if found:
        yield late(target)


def _wanted(target: Target, case: Case) -> bool:
    return not case.get("file") or bool(target.facts.get("sandboxed"))


def judge(seen: Seen) -> Verdict:
    """Pick the rule: a file read, another scheme followed, data decoded, or what the replies come to."""
    files = seen.attacks.sighting("outside_secret")
    if files:
        return seen.decide("file-read", files, _told(files, "showed the file"), line=_showed)
    reached = visited(seen.attacks)
    if reached:
        return seen.decide("other-scheme", reached, _told(reached, "came to the listener"), line=visit)
    decoded = seen.attacks.where(_decoded)
    if decoded:
        return seen.decide("data-decoded", decoded, line=_showed)
    return worst(seen, _rule)


def _told(by: Group, did: str) -> str:
    return f"{', '.join(by.tools)} {did} ({', '.join(dict.fromkeys(outcome.probe.case for outcome in by))})."


def _decoded(outcome: Outcome) -> bool:
    """Whether a reply shows in plain what was sent encoded; what stands in an echo of the URL does not count."""
    return any(
        sighting.spelling == "plain" and sighting.place in ("text", "structured")
        for sighting in outcome.sightings("listener_secret")
    )


def _showed(outcome: Outcome) -> str:
    return f"{asked(outcome)}: the reply shows what stands there: {outcome.probe.why}"


def _rule(seen: Seen, aim: Aim) -> str:
    fetched = visited(seen.controls.where(of(aim)))
    if fetched or shown_to_work(seen, aim):
        return "web-only"
    return "refused" if all_refused(seen, aim) else "not-shown"


CHECK = Check(
    id="net-scheme-allowlist",
    revision=1,
    title="URL tools keep to the web",
    question="Can a tool that takes a URL read local files or speak other protocols?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-918", "CWE-73"),
    settings=("net.control_url",),
)
