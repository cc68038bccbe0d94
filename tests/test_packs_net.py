"""The pack net without a server: which tools take which URLs, what is planned, and what is made of a reply."""

from __future__ import annotations

from typing import Any

import pytest

from sealmark.check import Group, Outcome, Target
from sealmark.check.calls import exercised_tools
from sealmark.packs import net
from sealmark.packs.net.caps import CHECK as CAPS
from sealmark.packs.net.loopback_ssrf import CHECK as SSRF
from sealmark.packs.net.redirect import CHECK as REDIRECT
from sealmark.packs.net.replies import decline, incoherent, same_for_all, sentence
from sealmark.packs.net.scheme_allowlist import CHECK as SCHEMES
from sealmark.packs.net.urls import aims, works
from sealmark.reading.reply import read_reply
from sealmark.record.model import Call, Gathered, Look, Observation, Probe, ServerFacts, Setting, Surface, Tool
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {"sandboxed": True, "listener": {"ipv4": True, "ipv6": True}}


def tool(name: str, *required: str, **properties: Any) -> Tool:
    schemas = {**dict.fromkeys(required, TEXT), **properties}
    schema = {"type": "object", "properties": schemas, "required": list(required)}
    return Tool(name, "", "Fetch a web page by its URL.", schema)


FETCH = tool("fetch", "url")
OTHER = tool("download_page", "url")
SAVE = tool("download_file", "url", "path")


def target(*tools: Tool, facts: Any = FACTS, url: str = "", **settings: Any) -> Target:
    rows = tuple(Setting(key.replace("__", "."), value) for key, value in settings.items())
    classified = tuple(classify(one, {}) for one in tools)
    server = ServerFacts("x", url=url)
    return Target(Gathered(server, surface=Surface(tools=tools), facts=facts, classified=classified, settings=rows))


def planned(check: Any, *tools: Tool, **more: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **more).bound("net", check)))


def cases(probes: list[Probe], of: str = "fetch") -> list[str]:
    return [probe.case for probe in probes if probe.tool == of]


def arguments(probe: Probe) -> Any:
    step = probe.steps[0]
    assert isinstance(step, Call)
    return step.arguments


def replied(text: str, *, error: bool = True, url: str = "http://127.0.0.1/") -> Outcome:
    """A probe whose call came back with this text."""
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], "isError": error}}
    probe = Probe("p", "net", "c", "attack", (Call("fetch", {"url": url}),), tool="fetch")
    read = read_reply(message, method="tools/call")
    return Outcome(probe, (Observation("p", 0, "result", readings=read, is_error=error),))


# -- whom it applies to


def test_it_applies_to_url_tools_with_a_listener_on_the_same_machine() -> None:
    assert net.applies(target(FETCH))[0]
    assert net.applies(target(FETCH, url="http://127.0.0.1:8000/mcp"))[0]
    assert "another machine" in net.applies(target(FETCH, url="https://mcp.example/mcp"))[1]
    assert "no listener" in net.applies(target(FETCH, facts={}))[1]
    assert "no tool takes a URL" in net.applies(target(tool("add", "a")))[1]


# -- what is planned


def test_the_first_argument_gets_every_spelling_and_the_others_the_plain_ones() -> None:
    probes = planned(SSRF, FETCH, OTHER)
    assert {"dotted", "ipv6", "mapped", "octal", "userinfo", "redirect"} <= set(cases(probes))
    assert cases(probes, "download_page") == ["dotted", "name"]
    assert probes[-1].id == "net-loopback-ssrf/fact:late"


def test_every_probe_has_a_path_of_its_own_looks_and_shares_the_listener() -> None:
    probes = [probe for probe in planned(SSRF, FETCH, OTHER) if probe.tool]
    assert len({arguments(probe)["url"] for probe in probes}) == len(probes)
    assert all(probe.steps[-1] == Look("listener") and probe.resource == "listener" for probe in probes)


def test_no_spelling_leads_to_a_host_of_somebody_else() -> None:
    for probe in planned(SSRF, FETCH):
        if probe.tool:
            assert "{listener_port}" in arguments(probe)["url"]
            assert "177.0.0.1" not in arguments(probe)["url"]


def test_ipv6_and_names_are_asked_for_only_where_they_can_be() -> None:
    without = {**FACTS, "listener": {"ipv4": True, "ipv6": False}}
    assert "ipv6" not in cases(planned(SSRF, FETCH, facts=without))
    assert "mapped" in cases(planned(SSRF, FETCH, facts=without))
    assert "public-name" not in cases(planned(SSRF, FETCH))
    assert "public-name" in cases(planned(SSRF, FETCH, net__dns_names=True))


def test_the_control_url_comes_first_and_is_no_template() -> None:
    probes = planned(SSRF, FETCH, net__control_url="http://public.example/{token}")
    assert probes[0].role == "control"
    assert arguments(probes[0])["url"] == "http://public.example/{=token}"


def test_files_are_asked_for_only_with_a_sandbox() -> None:
    assert "file" in cases(planned(SCHEMES, FETCH))
    assert "file" not in cases(planned(SCHEMES, FETCH, facts={**FACTS, "sandboxed": False}))
    assert "gopher" in cases(planned(SCHEMES, FETCH, facts={**FACTS, "sandboxed": False}))


def test_a_schema_that_takes_only_http_gets_no_other_scheme() -> None:
    strict = tool("fetch", url={"type": "string", "pattern": "^https?://"})
    assert cases(planned(SCHEMES, strict)) == ["plain"]


def test_the_slow_body_waits_as_long_as_the_settings_say() -> None:
    probes = planned(CAPS, FETCH, timeouts__probe_sec=3)
    assert [step.timeout_sec for probe in probes if isinstance(step := probe.steps[0], Call)] == [0, 3]


def test_a_file_that_a_tool_writes_lies_in_the_sandbox() -> None:
    (aim,) = aims(target(SAVE))
    assert aim.beside == {"path": "{sandbox}/fetched.txt"}


def test_redirects_wait_for_what_the_direct_probes_bring() -> None:
    assert planned(REDIRECT, FETCH) == []


# -- what is made of a reply


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Access to loopback addresses is blocked", "refused"),
        ("Refused: 127.0.0.1 is a private or loopback address", "refused"),
        ("Only public hosts are allowed", "refused"),
        ("Blocked: URL 'http://127.0.0.1:8000/x' is not allowed", "refused"),
        ("127.0.0.1 resolves to 127.0.0.1, which is not a public address", "refused"),
        ("Invalid arguments: url must not be a loopback address", "refused"),
        ("Request not permitted", "plain"),
        ("connect ECONNREFUSED 127.0.0.1:9", "failed"),
        ("127.0.0.1:8000 refused to connect", "failed"),
        ("Access denied: failed to connect to localhost", "failed"),
        ("Failed to fetch http://localhost:8000/x", "failed"),
        ("Connection blocked by proxy", "failed"),
        ("Network access is restricted", "failed"),
        ("The request timed out", "failed"),
        ("Something odd", "unclear"),
    ],
)
def test_a_reply_declines_by_naming_the_target_by_a_word_or_by_failing(text: str, kind: str) -> None:
    assert decline(replied(text)).kind == kind


def test_a_page_is_no_refusal_and_silence_is_no_answer() -> None:
    assert decline(replied("Loopback is a small town", error=False)).kind == "unclear"
    probe = Probe("p", "net", "c", "attack", (Call("fetch"),), tool="fetch")
    assert decline(Outcome(probe, (Observation("p", 0, "timeout"),))).kind == "unanswered"


def test_sentences_are_compared_without_their_targets() -> None:
    one = replied("Refused http://127.0.0.1:80/x: 127.0.0.1 is not allowed")
    two = replied("Refused data:text/plain,sm-1: {=x} is not allowed")
    assert sentence(one) == sentence(two)
    assert same_for_all(two, [one])
    assert not same_for_all(two, [one, replied("Loopback is not allowed")])


def test_address_words_for_a_url_without_one_are_incoherent_unless_the_scheme_is_named() -> None:
    assert incoherent(replied("Internal addresses are not allowed"))
    assert not incoherent(replied("Unsupported scheme: only http and https to public hosts are allowed"))
    assert not incoherent(replied("This URL is not allowed"))


def test_a_control_works_when_it_brings_a_page() -> None:
    assert works(replied("A page on the web", error=False))
    assert not works(replied("Access denied", error=False))
    assert not works(replied("Failed to fetch the page", error=False))
    assert not works(replied("A page on the web", error=True))


def test_a_reasoned_refusal_exercises_a_tool_and_a_failure_does_not() -> None:
    assert exercised_tools(Group([replied("Access to loopback addresses is blocked")])) == {"fetch"}
    assert exercised_tools(Group([replied("connect ECONNREFUSED 127.0.0.1:9")])) == frozenset()
    assert exercised_tools(Group([replied("Not permitted")])) == frozenset()
