"""Real servers from the registries: each disclosed flaw is found on the vulnerable version, and nothing on the good."""

import os
from pathlib import Path

import pytest
import yaml

from sealmark import corpora
from sealmark.catalogue import find_check
from sealmark.configfile import load as load_config
from sealmark.configfile import read
from sealmark.frames.run import Run
from sealmark.record.codec import load
from sealmark.surveys.jobs import jobs_of, run_job
from sealmark.surveys.packages import expand

ROOT = Path(corpora.root()) / "servers"
EXPECTED = yaml.safe_load((ROOT / "expected.yaml").read_text("utf-8"))["servers"]
IDEAS = yaml.safe_load((ROOT / "ideas.yaml").read_text("utf-8"))
ALL = os.environ.pop("SEALMARK_REAL", "") == "all"  # the harness refuses variables that are no settings of its own


def jobs(active=False):
    path = ROOT / "survey.yaml"
    flags = {"active": True} if active else {}
    return {job.entry: job for job in jobs_of(load_config(path, flags=flags, project=expand(read(path))))}


@pytest.mark.real
@pytest.mark.parametrize("name", [name for name, row in EXPECTED.items() if ALL or row.get("in_ci")])
def test_server_gets_what_is_expected(name):
    expected = EXPECTED[name]
    run = Run(load(run_job(jobs(expected.get("active", False))[name])))
    assert run.record.failure is None, run.record.failure
    verdicts = run.checks.set_index("check")
    verdicts = verdicts[verdicts.index.isin(expected.get("only", list(verdicts.index)))]
    failed = verdicts[verdicts["verdict"] == "fail"]["rule"].astype(str).to_dict()
    for check in expected.get("tolerated", ()):
        failed.pop(check, None)
    assert failed == expected["fails"], run.checks[["check", "verdict", "rule", "summary"]].to_string()
    undecided = verdicts[(verdicts["verdict"] == "inconclusive") & (verdicts["severity"] == "critical")]
    left_open = undecided["rule"].astype(str).to_dict()
    assert left_open == expected.get("inconclusive", {}), undecided["summary"].to_string()


def test_every_idea_names_a_check_a_rule_and_cases_of_ours():
    for idea, row in IDEAS["ideas"].items():
        pack, check = find_check(row["check"])
        assert check.rule(row["rule"]), idea
        known = {case.id for case in corpora.cases(check.corpus or f"{pack.id}/{check.id}")}
        assert set(row["cases"]) <= known, idea


def test_every_expected_server_is_in_the_survey():
    assert set(EXPECTED) <= set(jobs())
