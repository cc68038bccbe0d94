"""Small run records made by hand, for tests of frames, store and charts."""

from __future__ import annotations

from sealmark.compare.fingerprint import stamp
from sealmark.record.model import (
    Badge,
    Body,
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
    Look,
    Observation,
    Probe,
    Readings,
    RuleText,
    RunRecord,
    ServerFacts,
    Sighting,
    Surface,
    Tool,
    Verdict,
)

LOOSE = Tool(
    name="read_file",
    title="Read",
    description="Reads a file.\nOne per call.",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}, "n": {}}, "required": ["path"]},
    annotations={"readOnlyHint": True, "openWorldHint": False},
    sha256="aa11",
)
PLAIN = Tool(name="echo", description="Says it again.", output_schema={"type": "object"}, sha256="bb22")

CATALOGUE = (
    CatalogueEntry(
        pack="fs",
        check="fs-read-escape",
        title="Reads stay inside the root",
        severity="critical",
        lifecycle="standard",
        revision=3,
        scope="server",
        rules=(
            RuleText("outside-read", "fail", "A reply held the secret planted outside."),
            RuleText("refused", "pass", "All refused."),
        ),
        cwe=("CWE-22", "CWE-23"),
        owasp="MCP05",
    ),
    CatalogueEntry(
        "fs",
        "fs-size-cap",
        "Large files are refused",
        "scored",
        "standard",
        1,
        "server",
        (RuleText("capped", "pass", "Capped."),),
    ),
)


def gathered(name: str = "files", version: str = "1.0.0", *, leaks: bool = True) -> Gathered:
    """A server with two tools, a control, an attack (that leaks or is refused) and a probe that was not sent."""
    probes = (
        Probe(
            "fs-read-escape/read_file/control:inside",
            "fs",
            "fs-read-escape",
            "control",
            (Call("read_file", {"path": "{sandbox}/a.txt"}),),
            tool="read_file",
            case="inside",
        ),
        Probe(
            "fs-read-escape/read_file/dotdot",
            "fs",
            "fs-read-escape",
            "attack",
            (Call("read_file", {"path": "{outside}/secret.txt"}), Look("outside")),
            tool="read_file",
            case="dotdot",
            session="fs",
        ),
        Probe(
            "fs-size-cap/read_file/big",
            "fs",
            "fs-size-cap",
            "attack",
            (Call("read_file", {"path": "{sandbox}/big"}),),
            tool="read_file",
            case="big",
        ),
    )
    answer = (
        Observation(
            probes[1].id,
            0,
            "result",
            body="b2",
            is_error=False,
            elapsed_ms=7.5,
            readings=Readings(text="{outside_secret}", text_length=16, blocks=("text",), shape="content[text]"),
            sightings=(Sighting("outside_secret", "plain", "text", 0),),
        )
        if leaks
        else Observation(
            probes[1].id,
            0,
            "result",
            body="b3",
            is_error=True,
            elapsed_ms=2.0,
            readings=Readings(text="Access denied", text_length=13, refusal="target", refusal_words="Access denied"),
        )
    )
    return Gathered(
        server=ServerFacts(
            name, version, command=("npx", "-y", f"{name}@{version}", "{sandbox}"), package=f"npm:{name}@{version}"
        ),
        surface=Surface(protocol_version="2025-11-25", server_name=name, server_version=version, tools=(LOOSE, PLAIN)),
        classified=(Classified("read_file", "path", "high", "an argument called path"),),
        probes=probes,
        observations=(
            Observation(
                probes[0].id,
                0,
                "result",
                body="b1",
                is_error=False,
                elapsed_ms=3.5,
                readings=Readings(text="hello", text_length=5, rows=1),
            ),
            answer,
            Observation(probes[1].id, 1, "look", facts={"created": ["new.txt"], "changed": []}),
            Observation(probes[2].id, 0, "unsent", reason="budget: 0 calls left"),
        ),
        bodies={
            "b1": Body("11" * 32, 60, "{}"),
            "b2": Body("22" * 32, 4000, "{}", "}", True),
            "b3": Body("33" * 32, 70, "{}"),
        },
    )


def judgement(*, leaks: bool = True, standard: bool = True) -> Judgement:
    """The judgement that goes with `gathered`."""
    attack = "fs-read-escape/read_file/dotdot"
    first = (
        Verdict(
            "fs",
            "fs-read-escape",
            "fail",
            "outside-read",
            "The secret came back.",
            (Evidence("read it", attack, (0, 1)),),
            2,
            2,
            "FS_READ_ESCAPE_OUTSIDE_READ",
            "Resolve the path first.",
        )
        if leaks
        else Verdict(
            "fs", "fs-read-escape", "pass", "refused", "All refused.", (Evidence("refused", attack, (0,)),), 2, 2
        )
    )
    return Judgement(
        methodology="0.3",
        tool_version="0.1.0",
        integrity=Integrity(standard, "c0ffee", () if standard else (Difference("packs", "all", "fs", "flag"),)),
        catalogue=CATALOGUE,
        verdicts=(
            first,
            Verdict("fs", "fs-size-cap", "inconclusive", "not-sent", "Not sent.", (), 1, 0, "NOT_SENT", "Raise it."),
        ),
        grades=(
            Grade("core", "not-applicable", reason="not selected"),
            Grade(
                "fs",
                "graded",
                "D" if leaks else "A",
                "B" if leaks else "A",
                1.5 if leaks else 2.0,
                2,
                3,
                75.0 if leaks else 100.0,
                capped_by=("fs-read-escape",) if leaks else (),
            ),
        ),
        coverage=Coverage(2, 1, ("echo",), 2, 2, 0, 1),
        badge=Badge(standard and not leaks, "fs A · self-reported"),
    )


def record(
    name: str = "files",
    version: str = "1.0.0",
    started: str = "2026-11-01T10:00:00Z",
    *,
    leaks: bool = True,
    standard: bool = True,
) -> RunRecord:
    """A complete run of such a server."""
    run = RunRecord(
        1,
        "0.1.0",
        started,
        1500,
        "complete",
        gathered(name, version, leaks=leaks),
        (judgement(leaks=leaks, standard=standard),),
    )
    return stamp(run)


def failed(name: str = "broken", started: str = "2026-11-01T11:00:00Z") -> RunRecord:
    """A run whose server never started, and that was not judged."""
    failure = Failure("TARGET_EXITED", "the server exited with code 1", "Look at its stderr.")
    return stamp(RunRecord(1, "0.1.0", started, 20, "failed", Gathered(ServerFacts(name, "")), failure=failure))
