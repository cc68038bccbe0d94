"""What the checks share that need an isolated run: URLs at addresses of a network of the harness's own, and who came.

Every address of that network answers at port 80, and names say themselves what they stand for (`bench.isolation`). A
visit or an attempt decides, whatever the reply says.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping

from sealmark.check import Group, Outcome, Rule, Seen, Target
from sealmark.packs.net.urls import Aim, aims, asked, calling, label
from sealmark.record.model import Look, Probe, Restore, Role, Verdict, Wait

ZONE = "sealmark.example"
PUBLIC = f"public.{ZONE}"

LATE_SEC = 0.5
"""How long the last look waits for visits that a tool left for later."""

NOT_ISOLATED = Rule("not-isolated", "na", "The run was not isolated, so the harness owned only its loopback listener.")

NO_CONTROL = Rule(
    "no-control",
    "inconclusive",
    "No tool fetched a page at an address of the open internet, so nothing shows that it fetches at all.",
    "Look at the replies to the control probes; a server that needs its own backend cannot be judged in isolation.",
)


def not_isolated(seen: Seen) -> Verdict:
    """The verdict on a run that was not isolated, with what kept it from being so."""
    found = seen.target.facts.get("isolation")
    if not isinstance(found, Mapping):
        return seen.decide("not-isolated", summary="The run was not isolated; type --isolate auto on Linux.")
    return seen.decide(
        "not-isolated", summary=f"The run was not isolated: {found.get('reason') or found.get('level')}."
    )


def unfetched(seen: Seen) -> Verdict | None:
    """The verdict when no tool was there to try, or not every one was seen to fetch at all; None when all were."""
    if not seen.own:
        return seen.decide("no-target")
    lacking = seen.controls.where(lambda outcome: not fetched_public(outcome))
    return seen.decide("no-control", lacking, line=came) if lacking else None


def probing(target: Target, role: Role, aim: Aim, case: str, url: str, why: str) -> Iterator[Probe]:
    """Yield the probe that asks for a URL and then looks who was contacted; none when the schema takes no such URL."""
    step = calling(target, aim, url)
    if step is not None:
        yield target.probe(
            role,
            case + aim.suffix,
            Restore("contacts"),
            step,
            Look("contacts"),
            tool=aim.tool.name,
            why=why,
            resource="contacts",
        )


def control(target: Target, aim: Aim) -> Iterator[Probe]:
    """Yield the fetch of a page at an address of the open internet."""
    url = f"http://{name_of(target, aim, 'control')}.{PUBLIC}/{{listener_token}}/page/{label(aim, 'control')}"
    yield from probing(target, "control", aim, "public", url, "a page at an address of the open internet")


def late(target: Target) -> Probe:
    """A last look, for what a tool left for later."""
    why = "who was contacted after the last answer"
    return target.probe("fact", "late", Wait(LATE_SEC), Look("contacts"), why=why, resource="contacts")


def name_of(target: Target, aim: Aim, case: str) -> str:
    """The first label of a host name, which no other probe of the run uses."""
    check = target.check.id if target.check is not None else ""
    return f"{case}-{aims(target).index(aim)}-{check}"


def page_at(aim: Aim, case: str, host: str) -> str:
    """A page at a host of the isolated network, with a path that tells the probe."""
    return f"http://{host}/{{listener_token}}/page/{label(aim, case)}"


def contacts(outcome: Outcome) -> list[tuple[str, int]]:
    """Every address and port that was tried or visited while a probe ran."""
    looks = outcome.looked("contacts")
    tried = [(row["address"], row["port"]) for look in looks for row in look.get("tried", ())]
    return list(dict.fromkeys([*tried, *((visit["to"], 80) for look in looks for visit in look.get("visits", ()))]))


def lookups(outcome: Outcome) -> list[str]:
    """Every name that was looked up while a probe ran."""
    return list(dict.fromkeys(row["name"] for look in outcome.looked("contacts") for row in look.get("lookups", ())))


def inside(outcome: Outcome, *, loopback: bool) -> list[str]:
    """Contacts that are no address of the open internet, as text; `loopback`: port 80 of this machine counts too."""
    return [
        f"{address} port {port}"
        for address, port in contacts(outcome)
        if not _plain(address).is_global and (not _plain(address).is_loopback or (loopback and port == 80))
    ]


def _plain(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    parsed = ipaddress.ip_address(address)
    return getattr(parsed, "ipv4_mapped", None) or parsed


def spoken(outcome: Outcome) -> list[str]:
    """Addresses of this machine at which something was said, rather than only connected to."""
    looks = outcome.looked("contacts")
    visits = [visit for look in looks for visit in look.get("visits", ()) if visit["protocol"] != "none"]
    return [visit["to"] for visit in visits if _plain(visit["to"]).is_loopback]


def fetched_public(outcome: Outcome) -> bool:
    """Whether an address of the open internet was visited while a probe ran."""
    return any(_plain(address).is_global for address, _ in contacts(outcome))


def reached(seen: Seen, *, loopback: bool) -> Group:
    """The attacks, and the last look, during which an address inside was contacted."""
    return seen.own.role("attack", "fact").where(lambda outcome: bool(inside(outcome, loopback=loopback)))


def came(outcome: Outcome, *, loopback: bool = True) -> str:
    """The sentence that says who was contacted during a probe."""
    found = inside(outcome, loopback=loopback) or [f"{address} port {port}" for address, port in contacts(outcome)]
    shown = ", and the reply shows its page" if outcome.sightings("listener_secret") else ""
    where = f"contacted {', '.join(found[:3])}{shown}" if found else "contacted nobody"
    return f"after the last answer the server {where}" if outcome.probe.role == "fact" else f"{asked(outcome)}: {where}"
