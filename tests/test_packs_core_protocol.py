"""The clauses of the check protocol, each both ways: on stored records of toys, and on those with one change."""

from __future__ import annotations

import hashlib
import json
from functools import cache

import pytest
from msgspec.structs import replace

from sealmark import corpora
from sealmark.check import Seen, Target
from sealmark.judging.judge import outcomes
from sealmark.packs.core.protocol import CHECK
from sealmark.packs.core.protocol.clause import KEYS, read_clause
from sealmark.packs.core.protocol.judge import DECIDING, PREDICATES, findings
from sealmark.packs.core.protocol.messages import MODERN_VERSION, PUBLISHED
from sealmark.packs.core.protocol.plan import plan
from sealmark.packs.core.protocol.schemas import places, problem
from sealmark.record.codec import load
from sealmark.record.model import (
    Body,
    Call,
    Gathered,
    Limit,
    Prompt,
    PromptArgument,
    Raw,
    Readings,
    Request,
    Resource,
    ServerFacts,
    SessionFacts,
    Stray,
    Surface,
    Tool,
)

RECORDS = corpora.root() / "core" / "protocol" / "records"
TOYS = sorted(path.stem for path in RECORDS.glob("*.json"))
CASES = {case.id: case for case in corpora.cases("core/protocol")}
RULES = {rule.id: rule for rule in CHECK.rules}


@cache
def record(name):
    return load((RECORDS / f"{name}.json").read_bytes()).gathered


def bound(gathered):
    return Target(gathered).bound("core", CHECK)


def found(gathered):
    """Clause id -> what was found of it."""
    seen = Seen(bound(gathered), CHECK, outcomes(gathered))
    return {each.clause.id: each.found for each in findings(seen)}


def verdict(gathered):
    return CHECK.judge(Seen(bound(gathered), CHECK, outcomes(gathered)))


def counted(gathered):
    """The broken clauses that are no notes."""
    states = found(gathered)
    return {name for name, each in states.items() if each.state == "broken" and CASES[name]["level"] != "NOTE"}


# ---- one change to a record ----------------------------------------------------------------------------------------


def change(gathered, probe, step=0, **fields):
    made = [
        replace(seen, **fields) if (seen.probe, seen.step) == (probe, step) else seen for seen in gathered.observations
    ]
    assert made != list(gathered.observations), f"{probe} has no step {step}"
    return replace(gathered, observations=tuple(made))


def answer(gathered, probe, message, step=0, **fields):
    text = json.dumps({"jsonrpc": "2.0", "id": 1, **message})
    digest = hashlib.sha256(text.encode()).hexdigest()
    gathered = replace(gathered, bodies={**gathered.bodies, digest[:16]: Body(digest, len(text), text)})
    code = message.get("error", {}).get("code")
    outcome = "error" if "error" in message else "result"
    made = {"outcome": outcome, "body": digest[:16], "error_code": code, "readings": Readings(), "is_error": None}
    return change(gathered, probe, step, **{**made, **fields})


def error(code, **more):
    return {"error": {"code": code, "message": "no", **more}}


def fact(gathered, name, **facts):
    probe = f"surface/fact:{name}"
    old = next(seen.facts for seen in gathered.observations if seen.probe == probe)
    return change(gathered, probe, facts={**old, **facts})


def opening(gathered, probe, **result):
    old = next(seen.facts for seen in gathered.observations if seen.probe == probe)
    return change(gathered, probe, facts={**old, "result": {**old["result"], **result}})


def session(gathered, name, **fields):
    made = tuple(replace(each, **fields) if each.name == name else each for each in gathered.sessions)
    return replace(gathered, sessions=made)


def stray(gathered, kind, head="", method="", name="main"):
    return session(gathered, name, strays=(Stray(kind, 1, head, method),))


def surface(gathered, **fields):
    return replace(gathered, surface=replace(gathered.surface, **fields))


def tool(gathered, **fields):
    return surface(gathered, tools=(replace(gathered.surface.tools[0], **fields),))


def flagged(gathered, flag):
    return change(gathered, "protocol/control:ping", flags=(flag,))


def without(gathered, capability):
    left = {name: value for name, value in gathered.surface.capabilities.items() if name != capability}
    return surface(gathered, capabilities=left)


def headers(schema):
    return lambda r: tool(r, input_schema={"type": "object", "properties": schema})


PAGE = Resource("toy://a", "one")
FORM = Resource("toy://{letter}", "letters", template=True)
TEXT = {"type": "string"}
DONE = {"result": {"content": [{"type": "text", "text": "done"}]}}

BROKEN = {
    "version-published": lambda r: surface(r, protocol_version="2024-10-07"),
    "old-version": lambda r: answer(r, "protocol/old-version", {"result": {"protocolVersion": "banana"}}, 1),
    "counter-offer-latest": lambda r: answer(
        r, "protocol/unknown-version", {"result": {"protocolVersion": "2024-11-05"}}, 1
    ),
    "proper-json": lambda r: flagged(r, "invalid-utf8"),
    "keys-unique": lambda r: flagged(r, "duplicate-key"),
    "reply-form": lambda r: flagged(r, "wrong-jsonrpc"),
    "batch-ignored": lambda r: stray(r, "unmatched", '{"id": "sealmark-batch-1"}', name="malformed"),
    "no-batch-sent": lambda r: stray(r, "batch", "[]"),
    "replies-matched": lambda r: stray(r, "duplicate", "{}"),
    "requests-answered": lambda r: change(r, "protocol/unknown-method", outcome="timeout"),
    "progress-asked": lambda r: session(r, "main", notified={"notifications/progress": 1}),
    "tools-served": lambda r: change(r, "surface/fact:tools", outcome="error", error_code=-32601),
    "resources-served": lambda r: change(r, "surface/fact:resources", outcome="timeout"),
    "templates-served": lambda r: change(r, "surface/fact:templates", outcome="error", error_code=-32601),
    "listings-well-formed": lambda r: fact(r, "tools", problems=["tools.0.title: Input should be a string"]),
    "listings-end": lambda r: fact(r, "prompts", stoppedBy="error"),
    "tools-declared": lambda r: without(r, "tools"),
    "completions-declared": lambda r: answer(
        without(r, "completions"), "protocol/undeclared", {"result": {"completion": {"values": []}}}, 2
    ),
    "logging-declared": lambda r: answer(without(r, "logging"), "protocol/undeclared", {"result": {}}, 3),
    "tool-names-present": lambda r: tool(r, name=""),
    "call-without-name": lambda r: answer(r, "protocol/malformed-call", DONE),
    "call-of-wrong-types": lambda r: answer(r, "protocol/malformed-call", DONE, 1),
    "errors-flagged": lambda r: answer(
        r, "protocol/unknown-tool", {"result": {"content": []}}, readings=Readings(text="Error: Missing arguments")
    ),
    "tasks-backed": lambda r: tool(r, extra={"execution": {"taskSupport": "required"}}),
    "tools-described": lambda r: tool(r, description=""),
    "tools-annotated": lambda r: tool(r, annotations={}),
    "tool-arguments-described": headers({"word": TEXT}),
    "resource-fields": lambda r: surface(r, resources=(replace(PAGE, name=""),)),
    "resource-uris-unique": lambda r: surface(r, resources=(PAGE, PAGE)),
    "resource-uri-form": lambda r: surface(r, resources=(replace(PAGE, uri="no scheme"),)),
    "template-fields": lambda r: surface(r, resources=(replace(FORM, uri=""),)),
    "templates-unique": lambda r: surface(r, resources=(FORM, FORM)),
    "template-form": lambda r: surface(r, resources=(replace(FORM, uri="toy://{letter"),)),
    "read-uri": lambda r: answer(
        r, "protocol/control:read", {"result": {"contents": [{"uri": "toy://z", "text": "one"}]}}
    ),
    "subscribe": lambda r: answer(r, "protocol/control:subscribe", error(-32601)),
    "resources-typed": lambda r: surface(r, resources=(PAGE,)),
    "prompt-names-present": lambda r: surface(r, prompts=(Prompt(""),)),
    "prompt-names-unique": lambda r: surface(r, prompts=(Prompt("a"), Prompt("a"))),
    "prompt-arguments-named": lambda r: surface(r, prompts=(Prompt("a", arguments=(PromptArgument("x"),) * 2),)),
    "prompt-arguments-described": lambda r: surface(r, prompts=(Prompt("a", arguments=(PromptArgument("x"),)),)),
    "prompt-fetched": lambda r: change(r, "protocol/control:prompt", readings=Readings(invalid_shape="messages: none")),
    "prompt-has-messages": lambda r: answer(r, "protocol/control:prompt", {"result": {"messages": []}}),
    "unknown-prompt": lambda r: answer(r, "protocol/unknown-prompt", {"result": {"messages": []}}),
    "logging-level-set": lambda r: answer(r, "protocol/logging", error(-32601)),
    "logging-level-refused": lambda r: answer(r, "protocol/logging", {"result": {}}, 1),
    "logs-declared": lambda r: session(without(r, "logging"), "main", notified={"notifications/message": 2}),
    "discover-result": lambda r: opening(r, "protocol/fact:modern", capabilities=[]),
    "discover-supports": lambda r: opening(r, "protocol/fact:modern", supportedVersions=["2027-01-01"]),
    "server-named": lambda r: opening(r, "protocol/fact:modern", _meta={}),
    "version-refused-again": lambda r: answer(r, "protocol/version-again", {"result": {}}),
    "unknown-resource-code": lambda r: answer(r, "protocol/unknown-resource", error(-32603)),
    "version-requested": lambda r: answer(
        r, "protocol/modern-version", error(-32022, data={"supported": [MODERN_VERSION]})
    ),
    "modern-unknown-method": lambda r: answer(r, "protocol/modern-method", error(-32602)),
    "removed-methods": lambda r: answer(r, "protocol/removed", {"result": {}}),
    "result-type": lambda r: answer(r, "protocol/removed", {"result": {}}),
    "modern-served": lambda r: change(
        r, "protocol/control:modern-listings", 1, outcome="error", error_code=-32601, facts=None
    ),
    "modern-declared": lambda r: opening(r, "protocol/fact:modern", capabilities={"tools": {}}),
    "modern-unknown-resource": lambda r: answer(r, "protocol/modern-resource", {"result": {"contents": []}}),
    "log-level-refused": lambda r: answer(r, "protocol/log-level", {"result": {}}),
    "no-unasked-logs": lambda r: session(r, "modern", notified={"notifications/message": 1}),
    "no-server-requests": lambda r: stray(r, "request", "{}", "ping", name="modern"),
    "listen-acknowledged": lambda r: session(r, "modern", notified={}),
    "input-required": lambda r: answer(
        r, "protocol/log-level", {"result": {}}, readings=Readings(result_type="input_required")
    ),
    "error-codes": lambda r: answer(r, "protocol/modern-resource", error(-32002)),
    "header-annotations": headers({"word": {"type": "number", "x-mcp-header": "Word"}}),
    "resources-declared": lambda r: answer(
        without(r, "resources"), "protocol/undeclared", {"result": {"resources": [{"uri": "toy://a"}]}}
    ),
}
"""Clause -> a change to the record of a server that keeps everything, after which the clause is broken."""

BASES = {
    "resources-declared": "prints_a_banner",
    "completions-declared": "prints_a_banner",
    "logging-declared": "prints_a_banner",
}
"""The record that is changed, where it is not the one of the server that serves both eras."""

KEPT = {
    "tools-described": lambda r: tool(r, title="Echo"),
    "tools-titled": lambda r: tool(r, title="Echo"),
    "tools-declared": lambda r: fact(without(r, "tools"), "tools", items=0),
    "resources-described": lambda r: surface(r, resources=(replace(PAGE, description="A page."),)),
    "resources-titled": lambda r: surface(r, resources=(replace(PAGE, title="One"),)),
    "templates-described": lambda r: surface(r, resources=(replace(FORM, description="A letter."),)),
    "templates-titled": lambda r: surface(r, resources=(replace(FORM, title="Letter"),)),
    "prompts-described": lambda r: surface(r, prompts=(Prompt("a", description="A prompt."),)),
    "prompts-titled": lambda r: surface(r, prompts=(Prompt("a", title="A"),)),
    "unknown-resource-code": lambda r: answer(r, "protocol/unknown-resource", error(-32002)),
    "unknown-resource-named": lambda r: answer(r, "protocol/unknown-resource", error(-32002, data={"uri": "x"})),
    "server-described": lambda r: surface(
        r, instructions="Ask.", server_info={"title": "Toy", "websiteUrl": "https://toy.example", "icons": [{}]}
    ),
    "tool-input-schema-valid": headers({"word": {"$ref": "#/$defs/word"}}),
    "replies-matched": lambda r: stray(r, "late", "{}"),
    "nothing-unrequested": lambda r: stray(r, "request", "{}", "ping"),
    "read-uri": lambda r: answer(
        r, "protocol/control:read", {"result": {"contents": [{"uri": "toy://a/inside", "text": "one"}]}}
    ),
    "unknown-tool": lambda r: answer(
        r, "protocol/unknown-tool", {"result": {"content": []}}, readings=Readings(text="Error: no such tool")
    ),
    "prompts-declared": lambda r: answer(without(r, "prompts"), "protocol/undeclared", {"result": {"prompts": []}}, 1),
    "header-annotations": headers({"word": {**TEXT, "x-mcp-header": "Word"}, "x-mcp-header": TEXT}),
    "input-required": lambda r: answer(
        r,
        "protocol/modern-resource",
        {"result": {"requestState": "s"}},
        readings=Readings(result_type="input_required"),
    ),
    "old-version": lambda r: answer(r, "protocol/old-version", error(-32602), 1),
    "cursors-are-texts": lambda r: fact(r, "tools", cursors=["str"]),
}
"""Clause -> a near miss: a change after which it still holds."""


def changed(table, clause):
    return table[clause](record(BASES.get(clause, "prints_a_banner" if clause == "prompts-declared" else "both_eras")))


@pytest.mark.parametrize("clause", sorted(BROKEN))
def test_one_change_breaks_the_clause(clause):
    each = found(changed(BROKEN, clause))[clause]
    assert each.state == "broken", each
    assert each.line


@pytest.mark.parametrize("clause", sorted(KEPT))
def test_a_near_miss_keeps_the_clause(clause):
    each = found(changed(KEPT, clause))[clause]
    assert each.state == "ok", each


def test_every_clause_is_seen_broken_and_kept():
    seen = {"broken": set(BROKEN), "ok": set(KEPT)}
    for name in TOYS:
        for clause, each in found(record(name)).items():
            seen.setdefault(each.state, set()).add(clause)
    same = {case for case in CASES if case.startswith("malformed-")}  # one predicate, shown by malformed-json
    assert set(CASES) - seen["broken"] - same <= {"initialize-refusal"}
    assert set(CASES) - seen["ok"] == set()


def test_refusal_of_initialize_should_name_a_version():
    vague = answer(record("modern_only"), "protocol/initialize", error(-32601))
    assert found(vague)["initialize-refusal"].state == "broken"
    assert found(record("modern_only"))["initialize-refusal"].state == "ok"


BREAKS = {
    "agrees_to_any_version": {"unknown-version", "future-version"},
    "has_no_version_of_its_own": {"initialize-result"},
    "asks_for_roots": {"nothing-unrequested"},
    "crashes_on_an_unknown_method": {"requests-answered"},
    "hangs_on_a_notification": {"notifications-survived"},
    "crashes_on_broken_json": {"malformed-json"},
    "answers_notifications": {"replies-matched", "notification-silent"},
    "takes_zero_for_no_id": {"id-echoed"},
    "replies_twice": {"replies-matched"},
    "result_and_error": {"ping", "reply-form"},
    "does_everything": {"unknown-method"},
    "prints_a_banner": {"stdout-only-messages"},
    "gives_a_cursor_again": {"listings-end", "bad-cursor", "tool-names-unique"},
    "ends_with_null": {"cursors-are-texts"},
    "lists_without_end": {"listings-bounded", "bad-cursor"},
    "declares_and_serves_not": {"prompts-served"},
    "serves_undeclared": {"prompts-declared"},
    "takes_any_cursor": {"bad-cursor"},
    "lists_no_tool": {"some-tool"},
    "has_no_input_schema": {"tool-input-schema"},
    "has_an_invalid_schema": {"tool-input-schema-valid"},
    "promises_an_array": {"tool-output-schema"},
    "names_two_tools_alike": {"tool-names-unique"},
    "names_a_tool_with_spaces": {"tool-name-form"},
    "has_every_tool": {"unknown-tool"},
    "needs_no_arguments": {"missing-arguments"},
    "sends_unknown_content": {"results-well-formed", "read"},
    "reads_what_is_not_there": {"unknown-resource"},
    "fills_the_gap": {"prompt-arguments-required"},
    "completes_too_much": {"completion-answered"},
    "forgets_caching": {"cache-hints"},
    "needs_no_envelope": {
        "results-well-formed",
        "envelope-required",
        "envelope-version",
        "envelope-capabilities",
        "version-refused",
        "cache-hints",
    },
    "refuses_a_version_without_a_list": {"version-refused"},
    "changes_its_order": {"order-stable"},
}
"""Toy -> the clauses that it breaks, and no others; a toy that is not here breaks none."""


@pytest.mark.parametrize("name", TOYS)
def test_toy_breaks_what_it_says_and_nothing_else(name):
    assert counted(record(name)) == BREAKS.get(name, set())


# ---- corpus and table ----------------------------------------------------------------------------------------------


def test_corpus_and_table_name_the_same_clauses():
    assert set(CASES) == set(PREDICATES)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.id)
def test_entry_is_complete(case):
    assert set(case.data) <= KEYS
    clause = read_clause(case)
    known = (*PUBLISHED, MODERN_VERSION, "")
    assert clause.level in ("MUST", "SHOULD", "NOTE")
    assert clause.era in ("legacy", "modern", "both")
    assert "#" in clause.section
    assert "://" not in clause.section
    assert clause.since in known
    assert clause.until in known
    assert not clause.rule or clause.rule in RULES
    assert case.why.endswith(".")


YARDSTICK = {
    "server-initialize": "initialize-result",
    "ping": "ping",
    "tools-list": "tool-input-schema",
    "tools-name-format": "tool-name-form",
    "tools-call-error": "unknown-tool",
    "tools-call (text, image, audio, mixed, embedded resource)": "results-well-formed",
    "tools-call-with-logging": "logs-declared",
    "tools-call-with-progress": "progress-asked",
    "tools-call-sampling, tools-call-elicitation": "nothing-unrequested",
    "json-schema-2020-12": "tool-input-schema-valid",
    "logging-set-level": "logging-level-set",
    "completion-complete": "completion-answered",
    "resources-list": "resource-fields",
    "resources-read-text, resources-read-binary": "read",
    "resources-templates-read": "template-form",
    "resources-subscribe, resources-unsubscribe": "subscribe",
    "prompts-list": "prompt-names-present",
    "prompts-get": "prompt-fetched",
    "cancellation": "notifications-survived",
    "json-rpc-batch-rejection": "batch-ignored",
    "wire-schema-valid": "results-well-formed",
    "resource-not-found": "modern-unknown-resource",
    "server-stateless, request metadata": "envelope-required",
    "server-stateless, discovery": "discover-result",
    "server-stateless, capabilities match handlers": "modern-declared",
    "server-stateless, unsupported version": "version-refused",
    "server-stateless, removed methods": "removed-methods",
    "server-stateless, no independent requests": "no-server-requests",
    "server-stateless, no logs without a level": "no-unasked-logs",
    "server-stateless, subscriptions acknowledged": "listen-acknowledged",
    "caching": "cache-hints",
    "input-required-result": "input-required",
    "result type included": "result-type",
    "per-request log level": "log-level-refused",
    "other tools: tool names unique, URIs unique, templates valid": "template-form",
    "other tools: x-mcp-header": "header-annotations",
    "other tools: task execution backed": "tasks-backed",
    "other tools: unknown method": "unknown-method",
    "other tools: invalid cursor": "bad-cursor",
    "other tools: descriptions, titles, annotations": "tools-described",
}
"""What the official suite and other tools ask of a server over stdio -> the clause that asks it here."""


def test_no_clause_of_another_tool_is_missing():
    assert set(YARDSTICK.values()) <= set(CASES)


def test_every_rule_that_a_clause_can_name_is_ranked():
    assert set(DECIDING) == {rule.id for rule in CHECK.rules} - {"clauses-hold"}
    tags = [RULES[rule].tag for rule in DECIDING]
    assert tags == sorted(tags, key=["fail", "part"].index)


# ---- from findings to a verdict ------------------------------------------------------------------------------------


def test_a_capability_that_is_not_declared_makes_its_clauses_not_applicable():
    states = found(record("dies_of_discovery"))
    assert {states[name].state for name in ("prompts-served", "read", "completion-answered", "subscribe")} == {"na"}
    assert "prompts" in states["prompts-served"].line
    assert states["result-type"].line == "the server speaks the legacy era only"


def test_clauses_of_a_later_revision_are_not_asked():
    states = found(record("only_2024_11_05"))
    assert states["tool-name-form"].line == "not part of the revision 2024-11-05"
    assert states["logs-declared"].state == "ok"


def test_a_modern_server_is_not_asked_legacy_clauses():
    states = found(record("modern_only"))
    assert states["ping"].line == "the server speaks the modern era"
    assert states["result-type"].state == "ok"


def test_the_summary_counts():
    made = verdict(record("keeps_everything"))
    states = [each.state for each in found(record("keeps_everything")).values()]
    held = states.count("ok")
    assert made.tag == "pass"
    assert made.summary == f"{held} of {held} clauses hold; {states.count('na')} not applicable"
    assert any(line.line.startswith("NOTE") for line in made.evidence)


def test_a_must_decides_before_schemas_and_these_before_noise():
    both = tool(record("prints_a_banner"), input_schema={"type": "array"})
    assert verdict(both).rule == "tool-schema-invalid"
    assert verdict(both).code == "TOOL_SCHEMA_INVALID"
    all_three = flagged(both, "nan")
    made = verdict(all_three)
    assert made.rule == "must-broken"
    assert sum("stdout-only-messages" in line.line for line in made.evidence) == 1


def test_the_banner_is_named_once_as_the_cause():
    made = verdict(record("prints_a_banner"))
    assert made.tag == "part"
    assert made.summary.startswith("stdout-only-messages: stdout carries")
    assert "Toy server listening on stdio" in made.summary
    assert made.code == "STDOUT_NOISE"


def test_the_bound_is_named():
    made = verdict(record("lists_without_end"))
    assert "more than 5 items" in made.summary
    unnamed = replace(record("lists_without_end"), limits=(Limit("listing items", "5000", "tools/list"),))
    assert "more than 5000 items" in verdict(unnamed).summary


def test_nothing_answered_is_inconclusive():
    silent = record("keeps_everything")
    gone = [replace(seen, outcome="timeout", body="", readings=None, facts=None) for seen in silent.observations]
    made = verdict(replace(silent, observations=tuple(gone), sessions=()))
    assert (made.tag, made.rule) == ("inconclusive", "none-answered")


def test_a_probe_that_a_bound_left_out_is_no_pass():
    cut = change(record("keeps_everything"), "protocol/unknown-tool", outcome="unsent", reason="budget: 1 calls in all")
    assert verdict(cut).rule == "not-sent"


def test_an_error_of_what_the_server_stands_on_decides_nothing():
    down = change(record("keeps_everything"), "surface/fact:resources", outcome="error", error_code=-32603, facts=None)
    assert found(down)["resources-served"].state == "unknown"
    assert verdict(down).tag == "pass"


def test_replies_without_an_id_count_only_where_no_broken_line_was_sent():
    assert any(stray.kind == "id-null" for each in record("keeps_everything").sessions for stray in each.strays)
    assert found(record("keeps_everything"))["replies-matched"].state == "ok"
    assert found(stray(record("keeps_everything"), "id-null", "{}"))["replies-matched"].state == "broken"


def test_hostile_names_are_shown_and_not_passed_on():
    nasty = "\x1b[31mred\u202e"
    made = verdict(surface(record("keeps_everything"), tools=(Tool(nasty), Tool(nasty)), prompts=(Prompt(nasty),) * 2))
    assert made.tag == "fail"
    for text in (made.summary, *(line.line for line in made.evidence)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "\\x1b[31mred\\u202e" in made.summary


def test_no_predicate_needs_what_a_record_may_lack():
    bare = replace(record("both_eras"), observations=(), bodies={}, sessions=(), probes=())
    states = found(bare)
    assert set(states) == set(CASES)
    cut = {key: replace(body, cut=True) for key, body in record("both_eras").bodies.items()}
    states = found(replace(record("both_eras"), bodies=cut))
    assert not [name for name, each in states.items() if each.state == "broken" and CASES[name]["level"] != "NOTE"]


# ---- schemas -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "version", "valid"),
    [
        ({"type": "object"}, "2025-11-25", True),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "2025-11-25", False),
        ({"type": "object", "properties": {"a": {"items": [{"type": "string"}]}}}, "2025-06-18", True),
        ({"type": "object", "properties": {"a": {"items": [{"type": "string"}]}}}, "2025-11-25", False),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]}, "2025-11-25", True),
        ({"$schema": "https://dialect.example/none", "type": 7}, "2025-11-25", True),
        ({"type": "object", "required": "a"}, "2024-11-05", False),
    ],
)
def test_a_schema_is_read_in_its_dialect(schema, version, valid):
    assert (problem(schema, version) == "") is valid


def test_only_arguments_that_are_always_there_are_reachable():
    inner = {"type": "object", "properties": {"b": TEXT}}
    schema = {
        "type": "object",
        "properties": {"a": inner, "list": {"type": "array", "items": {"properties": {"c": {}}}}},
    }
    reached = [place for reachable, place in places(schema) if reachable]
    assert inner in reached
    assert TEXT in reached
    assert {} not in reached


# ---- the plan ------------------------------------------------------------------------------------------------------

FULL = record("both_eras").surface


def planned(transport="stdio", **fields):
    return list(plan(bound(Gathered(ServerFacts("toy", transport=transport), replace(FULL, **fields)))))


def test_the_plan_calls_no_tool_with_valid_arguments():
    calls = [step for probe in planned() for step in probe.steps if isinstance(step, Call)]
    assert calls
    assert not any(step.valid for step in calls)
    assert {step.tool for step in calls} == {"sealmark-no-such-tool", "echo"}


def test_the_plan_asks_for_what_is_declared():
    methods = {step.method for probe in planned(capabilities={}) for step in probe.steps if isinstance(step, Request)}
    assert "resources/read" in methods  # in the modern era, where any server must refuse it
    legacy = [probe for probe in planned(capabilities={}) if probe.session == "main"]
    asked = {step.method for probe in legacy for step in probe.steps if isinstance(step, Request)}
    assert not asked & {"resources/read", "prompts/get", "resources/subscribe"}
    assert {"resources/list", "prompts/list", "logging/setLevel", "completion/complete"} <= asked


def test_the_plan_needs_few_processes():
    assert len({probe.session for probe in planned()}) == 5
    assert {probe.session for probe in planned(era="modern", protocol_version=MODERN_VERSION)} == {"main", "malformed"}
    assert len(planned()) <= 40


def test_a_read_only_tool_is_preferred():
    required = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    tools = (
        Tool("drop", input_schema=required),
        Tool("look", input_schema=required, annotations={"readOnlyHint": True}),
    )
    chosen = [probe.tool for probe in planned(tools=tools) if probe.case == "missing-arguments"]
    assert chosen == ["look"]


def test_over_http_each_message_is_a_request_of_its_own():
    raws = [step for probe in planned("http") for step in probe.steps if isinstance(step, Raw)]
    assert raws
    assert not any("\n" in step.text for step in raws)


def test_probes_have_ids_of_their_own_and_reasons():
    for made in (planned(), planned(era="modern")):
        assert len({probe.id for probe in made}) == len(made)
        assert all(probe.why for probe in made)


def test_an_empty_surface_still_has_a_plan():
    gathered = Gathered(
        ServerFacts("toy"), Surface(protocol_version="2025-11-25"), sessions=(SessionFacts("core", "main", 1),)
    )
    assert {"ping", "unknown-method", "ids"} <= {probe.case for probe in plan(bound(gathered))}
