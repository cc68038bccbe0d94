"""Whether a tool that takes a URL can be sent to the machine that the server runs on.

Why: Loopback is where databases, admin pages, browsers' debugging ports and other MCP servers listen, most of them
without a password. A tool that fetches any URL for an agent fetches these too, for whoever wrote the page or the
message that the agent reads.

How: The harness listens on loopback, on IPv4 and, where there is one, on IPv6. The first URL argument is given every
spelling of that address in the corpus: dotted, by name, IPv6, IPv4 inside IPv6, unspecified, short, hexadecimal,
octal, decimal, with other full stops, behind user information, by https, through a redirect; other URL arguments get
the two plainest. A visit to the listener decides, whatever the reply says, be it a fetch of robots.txt alone or one
that comes after the reply. When nobody came, a server passes if a fetch of net.control_url works, or if every reply
ties the refusal to the target or to a rule: it names the kind of address, repeats the target as refused, or says what
is allowed. That something failed (a connection, a proxy, a name, a time-out) is no refusal. Then a URL that has no
host is sent too: when it gets the same sentence as loopback, or is refused as an address, the tool has one answer for
everything, and nothing was learnt. The evidence names for each probe what was made of its reply.

When it can be wrong: Without net.control_url a pass rests on words alone, and says so. A guard that answers every
rejection with one constant sentence is inconclusive until net.control_url names a URL that the tool fetches. Few
clients know the short and the numeric spellings; one that fails to resolve them is neither praised nor blamed for it.
Other addresses of 127/8, link-local and private networks, names that change their address, and redirects from a public
host are not tried: the harness owns only its own listener. A tool that has the URL fetched by a service elsewhere
sends that service the probe's text.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Rule, Seen, Target
from sealmark.corpora import Case
from sealmark.packs.net.findings import all_refused, of, refusals, shown_to_work, visit, worst
from sealmark.packs.net.replies import incoherent, same_for_all
from sealmark.packs.net.urls import Aim, aims, asking, control, label, late, page, visited
from sealmark.record.model import Probe, Verdict

HOSTLESS = ("data:text/plain,{listener_token}", "http:///{listener_token}")
"""URLs without a host; the second is for tools whose schema takes only http."""

CONTROL = "Set net.control_url to a URL that the tool does fetch, and run again."

RULES = (
    Rule(
        "reached",
        "fail",
        "A tool fetched from a loopback address.",
        "Resolve the host, refuse loopback, private and link-local addresses, connect to the address that was checked, "
        "and do the same for every redirect.",
    ),
    Rule(
        "not-shown",
        "inconclusive",
        "Nobody came to the listener, but not every reply ties a refusal to its target, and no fetch was seen to work.",
        CONTROL,
    ),
    Rule(
        "same-text",
        "inconclusive",
        "A URL without a host gets the same answer as loopback, so the tool may have one answer for everything.",
        CONTROL,
    ),
    Rule(
        "incoherent",
        "inconclusive",
        "A URL that has no address is refused as an address, so the words do not describe the target.",
        CONTROL,
    ),
    Rule("not-reached", "pass", "A fetch of another URL works, and no spelling of loopback was fetched."),
    Rule(
        "refused",
        "pass",
        "Every spelling of loopback was refused in words that name the target or a rule; no fetch of any URL was shown "
        "to work.",
    ),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield for each URL argument the control, then the spellings."""
    found = aims(target)
    for aim in found:
        yield from control(target, aim)
        for case in target.cases:
            if _wanted(target, case) and (case.get("always") or aim is found[0]):
                yield from asking(target, "attack", aim, case.id, url_of(aim, case), case.why)
    if found:
        yield late(target)


def _wanted(target: Target, case: Case) -> bool:
    if case.get("ipv6") and not target.facts["listener"]["ipv6"]:
        return False
    return not case.get("dns") or bool(target.setting("net.dns_names"))


def url_of(aim: Aim, case: Case) -> str:
    """The URL of a case, with a path that tells the probe."""
    if case.get("url"):
        return f"{case['url']}/{{listener_token}}/page/{label(aim, case.id)}"
    url = page(aim, case.id, case["host"])
    return url.replace("/page/", f"/{case['path']}/", 1) if case.get("path") else url


def follow_up(target: Target, seen: Seen) -> Iterator[Probe]:
    """Yield the URL without a host for each argument whose every loopback probe was refused in fitting words."""
    for aim in aims(target) if not visited(seen.attacks) else ():
        if all_refused(seen, aim) and not shown_to_work(seen, aim):
            made = (asking(target, "twin", aim, "hostless", url, "a URL that has no host") for url in HOSTLESS)
            yield from next((probes for one in made if (probes := list(one))), [])


def judge(seen: Seen) -> Verdict:
    """Pick the rule: reached, or the worst of what could be made of each argument's replies."""
    reached = Group((*visited(seen.attacks), *visited(seen.own.role("fact"))))
    if reached:
        cases = ", ".join(dict.fromkeys(outcome.probe.case for outcome in reached))
        tools = ", ".join(reached.tools or seen.attacks.tools)
        return seen.decide("reached", reached, f"{tools} reached the listener ({cases}).", line=visit)
    return worst(seen, _rule)


def _rule(seen: Seen, aim: Aim) -> str:
    if shown_to_work(seen, aim):
        return "not-reached"
    if not all_refused(seen, aim):
        return "not-shown"
    twins = seen.twins.where(of(aim)).answered
    if not twins or same_for_all(twins[0], refusals(seen, aim)):
        return "same-text"
    return "incoherent" if incoherent(twins[0]) else "refused"


CHECK = Check(
    id="net-loopback-ssrf",
    revision=1,
    title="URL tools stay off loopback",
    question="Can a tool be sent to the machine that the server runs on?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    follow_up=follow_up,
    cwe=("CWE-918",),
    settings=("net.control_url", "net.dns_names"),
)
