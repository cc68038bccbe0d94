"""The engine on a real process: order, controls, crashes, hangs, budgets, bounds, marks."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from sealmark.bench import Bench, Launch
from sealmark.engine import Bounds, Engine
from sealmark.engine.observe import Observer
from sealmark.record.model import Bind, Call, ListAll, Look, Open, Probe, Raw, Request, Restore

SERVERS = str(Path(__file__).with_name("servers.py"))
INHERIT = ("PATH", "LANG")


def probe(name, *steps, session="main", pack="core", role="attack", **more):
    tool = next((step.tool for step in steps if isinstance(step, Call)), "")
    return Probe(id=name, pack=pack, check="test", role=role, steps=steps, tool=tool, session=session, **more)


def execute(probes, *, server="many", bounds=None, before=lambda engine: None, packs=("core",)):
    """Observations by probe id, and the engine."""

    async def go():
        launch = Launch((sys.executable, SERVERS, server, "{sandbox}"), inherit=INHERIT)
        with Bench(launch, os.environ, packs) as bench:
            engine = Engine(bench, Observer(bench.marks, bench.owned), bounds or Bounds(call_sec=1, connect_sec=20))
            before(engine)
            try:
                seen = await engine.execute(probes)
            finally:
                await engine.close()
            assert [item.probe for item in seen] == sorted(
                (item.probe for item in seen), key=[p.id for p in probes].index
            )
            return {p.id: [item for item in seen if item.probe == p.id] for p in probes}, engine

    return asyncio.run(go())


def echo(text, **more):
    return Call(tool="echo", arguments={"text": text}, **more)


def test_observations_come_in_plan_order_whatever_the_sessions_do():
    seen, engine = execute([probe(f"p{i}", echo(str(i)), session=f"s{i % 3}") for i in range(9)])
    assert [seen[f"p{i}"][0].readings.text for i in range(9)] == [str(i) for i in range(9)]
    assert sorted((s.name, s.generation) for s in engine.sessions) == [("s0", 1), ("s1", 1), ("s2", 1)]


def test_values_of_the_run_are_marks_in_what_is_kept():
    seen, engine = execute([probe("a", echo("{sandbox}/x and {=sandbox}"))])
    (item,) = seen["a"]
    assert item.readings.text == "{sandbox}/x and {=sandbox}"
    body = engine.observer.bodies[item.body]
    assert "{sandbox}/x" in body.head
    assert "sealmark-" not in body.head


def test_a_canary_at_the_end_of_a_large_body_is_sighted_and_only_a_part_is_kept():
    seen, engine = execute([probe("a", Call(tool="big", arguments={"text": ""}))])
    (item,) = seen["a"]
    assert {(s.name, s.spelling) for s in item.sightings} == {("canary", "plain")}
    body = engine.observer.bodies[item.body]
    assert body.cut
    assert len(body.head) + len(body.tail) < 3000
    assert body.length > 300_000


def test_a_crash_opens_the_next_generation():
    seen, engine = execute([probe("a", Call(tool="crash")), probe("b", echo("alive"))])
    assert seen["a"][0].outcome == "closed"
    assert seen["a"][0].exit_code == 7
    assert seen["b"][0].readings.text == "alive"
    assert seen["b"][0].generation == 2
    assert [s.generation for s in engine.sessions] == [1, 2]
    assert engine.sessions[0].stderr_internals or "Traceback" in engine.sessions[0].stderr


def test_a_tool_that_hangs_twice_is_not_called_again_and_others_are():
    hang = Call(tool="hang")
    seen, _ = execute([probe("h1", hang), probe("h2", hang), probe("h3", hang), probe("e", echo("ok"))])
    assert [seen[name][0].outcome for name in ("h1", "h2", "h3", "e")] == ["timeout", "timeout", "unsent", "result"]
    assert seen["h3"][0].reason.startswith("tool-hung")


def test_a_probe_waits_for_its_control_and_is_not_sent_when_that_failed():
    bad = probe("control", Call(tool="refuse", arguments={"text": "x"}), role="control")
    good = probe("works", echo("x"), role="control", session="other")
    seen, _ = execute([bad, good, probe("a", echo("1"), requires="control"), probe("b", echo("2"), requires="works")])
    assert seen["a"][0].outcome == "unsent"
    assert "control" in seen["a"][0].reason
    assert seen["b"][0].outcome == "result"


def test_one_of_several_controls_is_enough_and_a_second_try_is_left_out_when_the_first_worked():
    bad = probe("bad", Call(tool="refuse", arguments={"text": "x"}), role="control")
    again = probe("again", echo("x"), role="control", requires="!bad")
    third = probe("third", echo("x"), role="control", requires="!again")
    seen, _ = execute(
        [bad, again, third, probe("a", echo("1"), requires="bad|again"), probe("b", echo("2"), requires="bad|third")]
    )
    assert seen["again"][0].outcome == seen["a"][0].outcome == "result"
    assert seen["third"][0].reason == "control: again worked already"
    assert seen["b"][0].reason == "control: bad, third did not work"


@pytest.mark.parametrize(
    ("bounds", "cut"),
    [({"calls_per_tool": 2}, {"p2", "p3"}), ({"calls_per_run": 3}, {"p3"}), ({}, set())],
)
def test_budgets_cut_from_the_end_of_the_plan_and_say_so(bounds, cut):
    seen, _ = execute([probe(f"p{i}", echo("x")) for i in range(4)], bounds=Bounds(call_sec=5, **bounds))
    assert {name for name, items in seen.items() if items[0].outcome == "unsent"} == cut
    assert all(seen[name][0].reason.startswith("budget") for name in cut)


def test_a_pack_that_takes_too_long_is_abandoned_and_the_rest_is_named():
    bounds = Bounds(call_sec=60, connect_sec=20, pack_sec=2)
    seen, _ = execute([probe("a", echo("x")), probe("h", Call(tool="hang")), probe("z", echo("y"))], bounds=bounds)
    assert seen["a"][0].outcome == "result"
    assert seen["h"][-1].reason.startswith("pack-timeout")
    assert seen["z"][0].reason.startswith("pack-timeout")


def test_a_write_is_looked_at_and_put_back():
    target = "{outside}/new.txt"
    write = Call(tool="write", arguments={"path": target, "text": "hello"})
    seen, _ = execute(
        [
            probe("w", write, Look("outside"), Restore("outside"), resource="fs"),
            probe("after", Look("outside"), resource="fs"),
        ]
    )
    (change,) = seen["w"][1].facts["changes"]
    assert (change["path"], change["change"]) == (target, "created")
    assert seen["after"][0].facts["changes"] == []


def test_state_is_looked_at_even_when_the_call_got_no_answer():
    seen, _ = execute([probe("h", Call(tool="hang"), Look("outside"))])
    assert [item.outcome for item in seen["h"]] == ["timeout", "look"]


def test_a_value_of_one_step_can_be_used_in_the_next():
    first = Request("tools/list", bind=(Bind("name", "/result/tools/0/name"),))
    seen, _ = execute([probe("a", first, Call(tool="{bind.name}", arguments={"text": "{bind.name}"}))])
    assert seen["a"][1].readings.text == "echo"


def test_raw_lines_are_sent_as_they_are():
    line = '{"jsonrpc": "2.0", "id": "own", "method": "ping"}'
    seen, _ = execute([probe("a", Raw(line, expect="own")), probe("b", Raw("{not json", any_reply=True))])
    assert seen["a"][0].outcome == "result"
    assert seen["b"][0].outcome == "error"
    assert seen["b"][0].error_code == -32700


def test_input_required_is_not_success():
    from sealmark.check.seen import succeeded

    seen, _ = execute([probe("a", Call(tool="ask"))])
    assert seen["a"][0].readings.result_type == "input_required"
    assert not succeeded(seen["a"][0])


def test_a_session_is_opened_as_the_probe_says():
    seen, _ = execute(
        [probe("old", Open(version="2024-11-05"), session="old"), probe("bare", Open(handshake="none"), session="bare")]
    )
    assert seen["old"][0].facts["protocolVersion"] == "2024-11-05"
    assert seen["bare"][0].outcome == "done"


def test_a_modern_only_server_is_met_in_its_era():
    seen, _ = execute([probe("o", Open()), probe("l", ListAll("tools/list", "tools"))], server="modern_only")
    assert seen["o"][0].facts["era"] == "modern"
    assert seen["l"][0].facts["items"] == 1


def test_a_server_that_never_answers_is_an_observation_with_a_code():
    bounds = Bounds(call_sec=1, connect_sec=1)
    seen, _ = execute([probe("o", Open())], server="slow_start", bounds=bounds)
    assert seen["o"][0].outcome == "closed"
    assert seen["o"][0].facts["code"] == "HANDSHAKE_TIMEOUT"


def test_stopping_leaves_the_rest_unsent_with_the_reason():
    def stop_soon(engine):
        asyncio.get_running_loop().call_later(1.0, engine.stop, "interrupted")

    bounds = Bounds(call_sec=60, connect_sec=20)
    seen, _ = execute([probe("h", Call(tool="hang")), probe("z", echo("y"))], bounds=bounds, before=stop_soon)
    assert seen["z"][0].outcome == "unsent"
    assert seen["z"][0].reason == "interrupted"


def test_packs_do_not_share_a_sandbox():
    write = Call(tool="write", arguments={"path": "{sandbox}/mine.txt", "text": "x"})
    seen, _ = execute([probe("w", write, pack="core"), probe("l", Look("sandbox"), pack="fs")], packs=("core", "fs"))
    assert seen["w"][0].outcome == "result"
    assert seen["l"][0].facts["changes"] == []
