"""Five fixed runs for the report tests, made without starting anything, and the pieces to make more.

CLEAN passed everything, ESCAPES failed by the file system, OPEN is custom with a candidate, an inconclusive and a
provisional pack, BROKEN never started, HOSTILE is full of text that tries to leave its box.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from sealmark.judging.grade import grade_pack
from sealmark.record.model import (
    SCHEMA,
    Badge,
    Call,
    CatalogueEntry,
    Classified,
    Coverage,
    Difference,
    Evidence,
    Failure,
    Gathered,
    Grade,
    Integrity,
    Judgement,
    Limit,
    ListAll,
    Look,
    Observation,
    Open,
    PackState,
    ParamUse,
    Probe,
    Prompt,
    Readings,
    RuleText,
    RunRecord,
    ServerFacts,
    SessionFacts,
    Setting,
    Sighting,
    Surface,
    Tool,
    Verdict,
)
from sealmark.settings.methodology import load

HASH = "sha256:" + "5ea1" * 16

CHECKS: Mapping[str, tuple[str, str, str, str]] = {
    "protocol": ("core", "scored", "standard", "The server speaks MCP as its revision says"),
    "tool-poisoning": ("core", "critical", "standard", "No text steers the model"),
    "robust-input": ("core", "scored", "standard", "Bad input gets a clean error"),
    "refusal-quality": ("core", "advisory", "candidate", "Refusals say what to do instead"),
    "fs-read-escape": ("fs", "critical", "standard", "Reads stay inside the root"),
    "fs-write-escape": ("fs", "critical", "standard", "Writes stay inside the root"),
    "fs-size-cap": ("fs", "scored", "standard", "A huge file is not returned whole"),
    "scope-escape": ("scope", "critical", "candidate", "Identifiers stay inside the declared scope"),
    "my-check": ("custom", "scored", "custom", "An expectation of our own"),
}
"""check -> (pack, severity, lifecycle, title)."""

RULES = {"pass": "all-good", "part": "some-good", "fail": "went-wrong", "inconclusive": "none-answered", "na": "none"}
TITLES = {"core": "Hygiene", "fs": "File access", "scope": "Declared scope", "custom": "Your checks", "db": "Databases"}


def entry(check: str, **more: Any) -> CatalogueEntry:
    pack, severity, lifecycle, title = CHECKS[check]
    rules = tuple(
        RuleText(rule, tag, f"{title}: {tag} by the rule {rule}.", code(check, tag), hint(tag))
        for tag, rule in RULES.items()
    )
    made = CatalogueEntry(
        pack,
        check,
        title,
        severity,
        lifecycle,
        1,
        "server",
        rules,
        question=f"{title}?",
        why="An agent relies on it.",
        cwe=("CWE-22",),
    )
    return replace(made, **more)


def code(check: str, tag: str) -> str:
    return "" if tag in ("pass", "na") else f"{check}-{RULES[tag]}".upper().replace("-", "_")


def hint(tag: str) -> str:
    return "" if tag in ("pass", "na") else "Resolve the path, then compare it with the root."


def verdict(check: str, tag: str, summary: str = "", probes: Iterable[Probe] = ()) -> Verdict:
    own = tuple(probes)
    return Verdict(
        CHECKS[check][0],
        check,
        tag,
        RULES[tag],
        summary or f"{len(own)} probes gave {tag}.",
        tuple(Evidence(f"case {probe.case} gave {tag}", probe.id, (0,)) for probe in own),
        len(own),
        len(own),
        code(check, tag),
        hint(tag),
    )


def judgement(verdicts: Iterable[Verdict], states: Iterable[PackState], **more: Any) -> Judgement:
    """A judgement with grades that follow from its verdicts."""
    found = tuple(verdicts)
    catalogue = tuple(entry(v.check) for v in found)
    grades = tuple(grade(state, found) for state in states)
    made = Judgement(
        methodology="0.3-draft",
        tool_version="0.1.0",
        integrity=Integrity(True, HASH),
        catalogue=catalogue,
        verdicts=found,
        grades=grades,
        coverage=Coverage(tools=2, exercised=2, sent=6, answered=6, not_covered=("writes outside the sandbox",)),
        badge=Badge(True, " · ".join([*(f"{g.pack} {g.letter}" for g in grades if g.letter), "self-reported"])),
    )
    return replace(made, **more)


def grade(state: PackState, verdicts: Iterable[Verdict]) -> Grade:
    own = [v for v in verdicts if v.pack == state.pack]
    return grade_pack(state, [entry(v.check) for v in own], own, load("0.3-draft"))


def state(pack: str, applies: bool = True, reason: str = "it applies", status: str = "standard") -> PackState:
    return PackState(pack, TITLES[pack], applies, reason, status)


def probe(check: str, case: str, *steps: Any, tool: str = "read_file", role: str = "attack", why: str = "") -> Probe:
    made = steps or (Call(tool, {"path": "{outside}/secret.txt"}),)
    return Probe(f"{check}/{tool}/{case}", CHECKS[check][0], check, role, made, why=why, tool=tool, case=case)


def seen(of: Probe, text: str = "hello", step: int = 0, **more: Any) -> Observation:
    readings = Readings(text=text, text_length=len(text), shape="content[text]")
    made = Observation(of.id, step, "result", is_error=False, readings=readings, elapsed_ms=12.5)
    return replace(made, **more)


SCHEMA_OF_READ = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = Tool("read_file", "Read", "Reads a file below the root.", SCHEMA_OF_READ, annotations={"readOnlyHint": True})
WRITE = Tool("write_file", "Write", "Writes a file below the root.", SCHEMA_OF_READ)
SERVER = ServerFacts(
    "files", "1.0.0", "stdio", ("python", "server.py", "{sandbox}"), env={"SEALMARK_CANARY": "{canary}"}
)
SURFACE = Surface("legacy", "2025-11-25", "files", "", "1.0.0", tools=(READ, WRITE))
USES = (
    Classified(
        "read_file", "path", "high", "the parameter path names a file", uses=(ParamUse("path", "path", "read"),)
    ),
    Classified("write_file", "path", "high", "the parameter path names a file"),
)
MEETING = (
    Probe("surface/fact:open", "core", "surface", "fact", (Open(),), case="open"),
    Probe("surface/fact:tools", "core", "surface", "fact", (ListAll("tools/list", "tools"),), case="tools"),
)
MET = (
    Observation("surface/fact:open", 0, "opened", facts={"era": "legacy", "protocolVersion": "2025-11-25"}),
    Observation("surface/fact:tools", 0, "listing", facts={"items": 2, "pages": 1, "stoppedBy": ""}),
)


def run(
    made: Judgement | None,
    probes: Iterable[Probe] = (),
    observations: Iterable[Observation] = (),
    packs: Iterable[PackState] = (),
    **more: Any,
) -> RunRecord:
    gathered = Gathered(
        server=SERVER,
        surface=SURFACE,
        classified=USES,
        packs=tuple(packs),
        probes=(*MEETING, *probes),
        observations=(*MET, *observations),
        sessions=(SessionFacts("core", "main", 1, "legacy", "2025-11-25", 321.4),),
    )
    base = RunRecord(SCHEMA, "0.1.0", "2030-01-02T03:04:05Z", 4200, "complete", gathered, (made,) if made else ())
    return replace(base, **more)


def but(record: RunRecord, **more: Any) -> RunRecord:
    """The run with other fields in its gathered half."""
    return replace(record, gathered=replace(record.gathered, **more))


def judged(record: RunRecord, **more: Any) -> RunRecord:
    """The run with other fields in its judgement."""
    return replace(record, judgements=(replace(record.judgement, **more),))


def simple(tags: Mapping[str, str], **more: Any) -> RunRecord:
    """A run with these verdicts, and one probe per check."""
    probes = {check: probe(check, "one") for check in tags}
    states = tuple(state(pack) for pack in dict.fromkeys(CHECKS[check][0] for check in tags))
    verdicts = [verdict(check, tag, probes=[probes[check]]) for check, tag in tags.items()]
    return run(judgement(verdicts, states), probes.values(), [seen(p) for p in probes.values()], states, **more)


def clean() -> RunRecord:
    return simple(
        {
            "protocol": "pass",
            "tool-poisoning": "pass",
            "robust-input": "pass",
            "refusal-quality": "pass",
            "fs-read-escape": "pass",
            "fs-write-escape": "pass",
            "fs-size-cap": "na",
        }
    )


def escapes() -> RunRecord:
    reads = [probe("fs-read-escape", case, why="a decoder that runs late") for case in ("dotdot", "percent", "link")]
    write = probe(
        "fs-write-escape", "plain", Call("write_file", {"path": "{outside}/new"}), Look("outside"), tool="write_file"
    )
    good = [probe(check, "one") for check in ("protocol", "tool-poisoning", "robust-input")]
    holds = (Sighting("outside_secret", "plain", "text", 0),)
    made = [
        seen(reads[0], "the secret is {outside_secret}", sightings=holds),
        seen(reads[1], "access denied: outside of the root", is_error=True),
        seen(reads[2], "", outcome="error", error_code=-32602),
        seen(write, "written"),
        Observation(write.id, 1, "look", facts={"changes": [{"path": "{outside}/new", "change": "created"}]}),
        *(seen(p) for p in good),
    ]
    states = (state("core"), state("fs"), state("db", False, "the configuration has no database placeholder"))
    verdicts = [
        verdict("protocol", "pass", probes=good[:1]),
        verdict("tool-poisoning", "pass", probes=good[1:2]),
        verdict("robust-input", "part", "One of four errors shows a stack trace.", good[2:]),
        verdict("fs-read-escape", "fail", "A reply held the secret planted outside the root.", reads),
        verdict("fs-write-escape", "fail", "A file appeared outside the root.", [write]),
        verdict("fs-size-cap", "pass"),
    ]
    found = judgement(verdicts, states)
    record = run(found, [*good, *reads, write], made, states)
    return but(record, limits=(Limit("body", "2 KiB", "fs-size-cap"),), warnings=("server.env DATA points outside",))


def undecided() -> RunRecord:
    record = simple(
        {
            "protocol": "pass",
            "tool-poisoning": "inconclusive",
            "robust-input": "pass",
            "scope-escape": "inconclusive",
            "my-check": "part",
        }
    )
    states = (state("core"), state("scope", status="candidate"), state("custom", status="custom"))
    differences = (
        Difference("timeouts.probe_sec", 10, 2, "flag --timeout-probe"),
        Difference("packs", ["core", "fs"], ["core"], "sealmark.yaml:3"),
    )
    settings = (Setting("timeouts.probe_sec", 2, "flag --timeout-probe"),)
    found = judgement(
        record.judgement.verdicts,
        states,
        integrity=Integrity(False, HASH, differences),
        badge=Badge(False, "no badge: custom run"),
    )
    return replace(but(record, packs=states, settings=settings), judgements=(found,), status="partial")


def broken() -> RunRecord:
    failure = Failure(
        "TARGET_EXITED",
        "the server ended with exit code 1 before it answered",
        "Read its stderr below; is a dependency missing?",
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'mcp'\n",
    )
    record = run(None, status="failed", failure=failure)
    return replace(record, gathered=Gathered(server=SERVER))


NASTY = (
    "\x1b[31mred\x1b[0m \x9b2J \u202eevil\u202c \u200b</script><img src=x onerror=alert(1)> `code` **bold** "
    "[link](javascript:alert(1)) | cell | @torvalds #1 https://evil.example www.evil.example &amp; \"quoted\" 'q' "
    "]]> <!-- x --> ${{ secrets.X }} {{ 7*7 }} {% raw %}\n✗ FAIL         forged\n::error::forged\n##[error]forged\r\n"
    "# heading\n- [x] item\n```\nfence\n~~~ \U000e0041 \x00 \uffff"
)


def hostile(text: str = NASTY) -> RunRecord:
    """A run in which every text that a server or a stored file can choose is `text`."""
    steps = (Call(text, {text: text}), Look("outside"))
    nasty = Probe(f"fs-read-escape/{text}/x", "fs", "fs-read-escape", "attack", steps, text, text, text)
    made = [
        seen(nasty, text, is_error=True, reason=text, sightings=(Sighting("outside_secret", "plain", "text", 0),)),
        Observation(nasty.id, 1, "look", facts={"changes": [{"path": text, "change": text}]}),
    ]
    states = (state("core"), state("fs", reason=text))
    verdicts = [
        replace(
            verdict("fs-read-escape", "fail", text, [nasty]), evidence=(Evidence(text, nasty.id, (0,)),), hint=text
        ),
        verdict("protocol", "part", text),
        verdict("tool-poisoning", "inconclusive", text),
    ]
    coverage = Coverage(tools=1, exercised=1, untested=(text,), not_covered=(text,))
    found = judgement(verdicts, states, coverage=coverage, badge=Badge(True, text))
    record = run(found, [nasty], made, states)
    tool = Tool(text, text, text, {"type": "object", "properties": {text: {"type": "string", "description": text}}})
    return but(
        record,
        server=ServerFacts(text, text, "stdio", ("python", text), env={text: text}, package=text),
        surface=Surface("legacy", text, text, text, text, instructions=text, tools=(tool,), prompts=(Prompt(text),)),
        classified=(Classified(text, "path", "high", text, secondary=text),),
        limits=(Limit(text, text, text),),
        warnings=(text,),
    )


def hostile_failure(text: str = NASTY) -> RunRecord:
    record = replace(broken(), failure=Failure(text, text, text, text))
    return but(record, server=ServerFacts(text, text, "stdio", ("python", text)))


RUNS = {
    "clean": lambda: [clean()],
    "escapes": lambda: [escapes()],
    "undecided": lambda: [undecided()],
    "broken": lambda: [broken()],
    "several": lambda: [clean(), but(broken(), server=replace(SERVER, name="broken")), hostile()],
}
"""Name -> the runs of one golden set."""
