"""What is sent in the modern era: to a session of its own, or to the main one when the server speaks nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Target
from sealmark.packs.core.protocol import messages as m
from sealmark.record.model import ListAll, Notify, Open, Probe, Raw, Request, Role, Step

DISCOVER_SECONDS = 30.0
"""For the start of a process and its answer to `server/discover`, which a legacy server may never give."""


def modern_probes(target: Target, session: str) -> Iterator[Probe]:
    """The probes of the modern clauses. On a session of their own they wait for its opening."""
    requires = ""
    if session != "main":
        step = Open(era="modern", version=m.MODERN_VERSION, timeout_sec=DISCOVER_SECONDS)
        why = "A server of both eras answers here; any other refuses."
        opening = target.probe("fact", "modern", step, session=session, why=why)
        yield opening
        requires = opening.id
    for role, case, steps, why in _rows(target):
        yield target.probe(role, case, *steps, session=session, requires=requires, why=why)


def _rows(target: Target) -> Iterator[tuple[Role, str, list[Step], str]]:
    """The version first and the envelope last: a server of both eras may settle on one by what it is sent first."""
    wrong: list[Step] = [Request("server/discover", {"_meta": m.envelope(protocolVersion=m.NO_VERSION)}, bare=True)]
    yield "attack", "modern-version", wrong, "No server speaks this version."
    offered = {*target.gathered.surface.capabilities, "tools"}
    listed: list[Step] = [ListAll(method, key) for _, method, key in m.LISTINGS if method.split("/")[0] in offered]
    yield "control", "modern-listings", listed, "What is declared is served in this era too."
    same = m.line("tools/list", "sealmark-order", modern=True)
    twice: list[Step] = [Raw(same, expect="sealmark-order"), Raw(same, expect="sealmark-order")]
    yield "attack", "order", twice, "The same request twice, byte for byte."
    yield "attack", "modern-method", [Request(m.NO_METHOD, {})], "No server has this method."
    yield "attack", "modern-resource", [Request("resources/read", {"uri": m.NO_URI})], "No server has this resource."
    gone: list[Step] = [Request("ping"), Request("logging/setLevel", {"level": "error"})]
    yield "attack", "removed", gone, "The revision removed these methods."
    level = {"_meta": {m.PREFIX + "logLevel": "sealmark-no-such-level"}}
    yield "attack", "log-level", [Request("server/discover", level)], "No such level exists."
    if target.gathered.server.transport == "stdio":
        yield "attack", "listen", _listening(), "The server acknowledges a subscription."
    yield "attack", "version-again", wrong, "No server speaks this version, whatever it was sent before."
    yield "attack", "envelope", _envelopes(), "Every request carries its version and its client's capabilities."


def _envelopes() -> list[Step]:
    none: dict[str, object] = {}
    unversioned = {"_meta": m.envelope(protocolVersion=None)}
    incapable = {"_meta": m.envelope(clientCapabilities=None)}
    return [Request("server/discover", params, bare=True) for params in (none, unversioned, incapable)]


def _listening() -> list[Step]:
    """A subscription and a request after it, whose answer shows that the subscription has been read."""
    wanted = {"notifications": {"toolsListChanged": True}}
    lines = (
        m.line("subscriptions/listen", m.LISTENING, wanted, modern=True),
        m.alive("sealmark-on", modern=True),
    )
    cancel = Notify("notifications/cancelled", {"requestId": m.LISTENING})
    return [Raw("\n".join(lines), expect="sealmark-on"), cancel]
