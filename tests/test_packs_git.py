"""The pack git without a server: whom it applies to, which tools get which values, and what a judge makes of looks."""

from __future__ import annotations

from typing import Any

from sealmark.check import Target
from sealmark.packs import git
from sealmark.packs.git.aims import aims
from sealmark.packs.git.arg_injection import CHECK as INJECTION
from sealmark.packs.git.repo_scope import CHECK as SCOPE
from sealmark.record.model import Call, Gathered, Look, Probe, Restore, ServerFacts, Setting, Surface, Tool
from sealmark.surface.classify import classify

TEXT = {"type": "string"}
FACTS = {"sandboxed": True, "placeholders": ["sandbox"], "repositories": ["inside", "outside", "sibling"]}


def tool(name: str, *required: str, description: str = "", **properties: Any) -> Tool:
    schemas = {"repo_path": TEXT, **dict.fromkeys(required, TEXT), **properties}
    schema = {"type": "object", "properties": schemas, "required": ["repo_path", *required]}
    return Tool(name, "", description or f"Does {name} in a git repository.", schema)


LOG = tool("git_log")
STATUS = tool("git_status")
CHECKOUT = tool("git_checkout", "branch_name")
COMMIT = tool("git_commit", "message")
BRANCHES = tool("git_branch", branch_type={**TEXT, "description": "Which: local branches ('local') or all ('all')"})
ADD = tool("git_add", "files", files={"type": "array", "items": TEXT})
INIT = tool("git_init")


def target(*tools: Tool, facts: Any = FACTS, **settings: Any) -> Target:
    rows = tuple(Setting(key.replace("__", "."), value) for key, value in settings.items())
    classified = tuple(classify(one, {}) for one in tools)
    found = Surface(tools=tools)
    return Target(Gathered(ServerFacts("x"), surface=found, facts=facts, classified=classified, settings=rows))


def planned(check: Any, *tools: Tool, **more: Any) -> list[Probe]:
    return list(check.plan(target(*tools, **more).bound("git", check)))


def arguments(probe: Probe) -> Any:
    step = probe.steps[0]
    assert isinstance(step, Call)
    return step.arguments


def test_it_applies_to_tools_with_a_repository_and_says_why_not():
    assert git.applies(target(LOG)) == (True, "tools that take the path of a repository: git_log")
    plain = Tool("add", "", "Add numbers.", {"type": "object", "properties": {"a": {"type": "number"}}})
    assert git.applies(target(plain))[1] == "no tool takes the path of a repository"
    assert "git is not on the PATH" in git.applies(target(LOG, facts={**FACTS, "repositories": []}))[1]
    assert "not {sandbox}" in git.applies(target(LOG, facts={**FACTS, "placeholders": []}))[1]
    assert git.applies(target(LOG, facts={**FACTS, "placeholders": []}, server__rootless=True))[0]
    assert "no sandbox" in git.applies(target(LOG, facts={**FACTS, "sandboxed": False}))[1]


def test_tools_get_values_with_which_they_work():
    found = {aim.tool.name: dict(aim.values) for aim in aims(target(LOG, CHECKOUT, COMMIT, ADD))}
    assert found == {
        "git_log": {},
        "git_checkout": {"branch_name": "feature"},
        "git_commit": {"message": "{written}"},
        "git_add": {"files/0": "tracked.txt"},
    }


def test_a_clone_is_made_from_the_sandbox_and_never_from_a_host():
    clone = tool("git_clone", "url", description="Clone a git repository from a URL.", url={**TEXT, "format": "uri"})
    bare = tool("git_clone", "url", description="Clone a git repository from a URL.")
    assert dict(aims(target(bare))[0].values) == {"url": "{sandbox}"}
    for probe in planned(SCOPE, clone, bare) + planned(INJECTION, bare):
        assert not str(arguments(probe).get("url", "")).startswith(("http", "git:", "ssh:"))


def test_a_choice_is_taken_from_the_description():
    schema = {**BRANCHES.input_schema, "required": ["repo_path", "branch_type"]}
    needs = Tool("git_branch", "", "List git branches.", schema)
    assert dict(aims(target(needs))[0].values) == {"branch_type": "local"}


def test_every_call_is_followed_by_a_look_and_a_restore():
    for probe in planned(SCOPE, LOG, COMMIT) + planned(INJECTION, CHECKOUT):
        assert isinstance(probe.steps[0], Call)
        assert probe.steps[1:] == (Look("git"), Restore("git"))
        assert probe.resource == "git"


def test_the_first_reading_and_writing_tools_get_every_path_and_the_others_three():
    probes = planned(SCOPE, LOG, STATUS, COMMIT, ADD)
    count = dict.fromkeys(("git_log", "git_status", "git_commit", "git_add"), 0)
    for probe in probes:
        count[probe.tool] += probe.role == "attack"
    assert count == {"git_log": 7, "git_status": 3, "git_commit": 7, "git_add": 3}


def test_tools_that_make_repositories_are_aimed_at_places_where_none_is():
    probes = [probe for probe in planned(SCOPE, INIT) if probe.role == "attack"]
    assert next(arguments(probe)["repo_path"] for probe in probes) == "{outside}/new-repository"
    assert all("new-repository" in arguments(probe)["repo_path"] for probe in probes)


def test_every_text_argument_gets_options_also_an_optional_one_and_an_item():
    assert {probe.case for probe in planned(INJECTION, ADD)} >= {"output@files.0", "all@files.0"}
    cases = {probe.case for probe in planned(INJECTION, BRANCHES)}
    assert "output@branch_type" in cases
    assert not {case for case in cases if case.startswith(("force", "all", "upload-pack"))}


def test_a_tool_without_texts_is_not_asked_for_injection():
    assert planned(INJECTION, LOG, INIT) == []
