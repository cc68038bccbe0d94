"""The column table of every frame: name, kind, where the value comes from, what it means.

`docs/frames.md` is written from these tables; tests hold them to golden values.
"""

from __future__ import annotations

from collections.abc import Mapping

from sealmark.frames import rows
from sealmark.frames.columns import Column, Grain

C = Column

KEY_READS = ("started_at", "gathered.server", "judgements.integrity")


def _key(kind: str) -> tuple[Column, ...]:
    return (
        C("run_id", kind, "key.id", "Short hash of server, version, configuration and start; the key of a run."),
        C("server", kind, "key.server", "Name of the server, as the configuration calls it, else as it calls itself."),
        C("server_version", kind, "key.server_version", "Version of the server under test."),
    )


KEY = _key("string")
LARGE_KEY = _key("name")

RUNS = Grain(
    "runs",
    "One run of one server.",
    (
        *KEY,
        C("started_at", "time", "run.started_at", "When the run began, UTC."),
        C("duration_ms", "integer", "run.duration_ms", "How long it took, in milliseconds."),
        C("status", "status", "run.status", "Whether it came to its end."),
        C("transport", "transport", "run.gathered.server.transport", "How the server was spoken to."),
        C("era", "era", "run.gathered.surface.era", "legacy: initialize; modern: server/discover."),
        C("protocol_version", "string", "run.gathered.surface.protocol_version", "Protocol revision agreed on."),
        C("package", "string", "run.gathered.server.package", "Registry package that the command line names."),
        C("command", "string", "command", "Command line as configured, placeholders unexpanded."),
        C("invented", "boolean", "run.gathered.server.invented", "Whether the server was made up to show something."),
        C("methodology", "string", "judgement.methodology", "Methodology of the newest judgement."),
        C("standard", "boolean", "integrity.standard", "STANDARD (true) or CUSTOM."),
        C("integrity", "string", "integrity.hash", "Hash of everything that affects a grade."),
        C("differences", "integer", "differences", "Settings that differ from the published standard."),
        C("worst_grade", "letter", "worst", "The worst letter of any pack; no verdict on the server as a whole."),
        C("tools", "integer", "judgement.coverage.tools", "Tools that the server lists."),
        C("exercised", "integer", "judgement.coverage.exercised", "Tools with a valid call that was processed."),
        C("sent", "integer", "judgement.coverage.sent", "Probes sent."),
        C("answered", "integer", "judgement.coverage.answered", "Probes answered."),
        C("failed", "integer", "judgement.coverage.failed", "Probes sent and not answered."),
        C("not_sent", "integer", "judgement.coverage.not_sent", "Probes planned and not sent."),
        C("badge", "boolean", "judgement.badge.eligible", "Whether the run may carry a badge."),
        C("failure_code", "string", "run.failure.code", "Issue code, if the run could not do its work."),
        C("failure", "string", "run.failure.message", "What happened then."),
        C("tool_version", "string", "run.tool_version", "Version of sealmark that ran it."),
        C("file", "string", "file", "The file that it was read from."),
    ),
    rows.run_rows,
    (
        *KEY_READS,
        "duration_ms",
        "status",
        "failure",
        "tool_version",
        "gathered.surface.era",
        "gathered.surface.protocol_version",
        "judgements.methodology",
        "judgements.coverage",
        "judgements.badge",
        "judgements.grades",
    ),
)

PACKS = Grain(
    "packs",
    "One pack of one run: a letter, or why there is none.",
    (
        *KEY,
        C("pack", "string", "grade.pack", "Id of the pack."),
        C("status", "pack_status", "grade.status", "Whether it was graded."),
        C("grade", "letter", "grade.letter", "The letter, empty when nothing was scored."),
        C("points", "number", "grade.points", "Points reached: pass 1, part 0.5, fail 0."),
        C("scored", "integer", "grade.scored", "Checks that counted; the denominator of points."),
        C("percent", "number", "grade.percent", "100 times points over scored."),
        C("provisional", "boolean", "grade.provisional", "A critical check was inconclusive (the star)."),
        C("capped_by", "string", "capped_by", "Critical checks that failed and so capped the letter."),
        C("reason", "string", "grade.reason", "Why there is no letter."),
        C("raw_grade", "letter", "grade.raw_letter", "The letter before the cap."),
        C("checks", "integer", "grade.checks", "Scored and critical checks of the pack, conclusive or not."),
        C("hygiene_only", "boolean", "grade.hygiene_only", "Only invalid input was sent: hygiene, no more."),
        C("candidate", "boolean", "grade.candidate", "A candidate pack: shown, not yet part of the standard."),
        C("standard", "boolean", "judgement.integrity.standard", "STANDARD (true) or CUSTOM."),
        C("methodology", "string", "judgement.methodology", "Methodology of the newest judgement."),
    ),
    rows.pack_rows,
    (*KEY_READS, "judgements.grades", "judgements.methodology"),
)

CHECKS = Grain(
    "checks",
    "One check of one run: the verdict and the rule that decided.",
    (
        *KEY,
        C("pack", "string", "verdict.pack", "Id of the pack."),
        C("check", "string", "verdict.check", "Id of the check."),
        C("title", "string", "entry.title", "Title of the check when it was judged."),
        C("severity", "severity", "entry.severity", "critical caps the letter, scored counts, advisory never counts."),
        C("lifecycle", "lifecycle", "entry.lifecycle", "standard, candidate or custom."),
        C("verdict", "verdict", "verdict.tag", "What was concluded."),
        C("rule", "string", "verdict.rule", "Id of the rule that decided."),
        C("summary", "string", "verdict.summary", "What was seen, in one sentence."),
        C("code", "string", "verdict.code", "Issue code; empty for pass and n/a."),
        C("hint", "string", "verdict.hint", "What to do about it; empty for pass and n/a."),
        C("probes", "integer", "verdict.probes", "Probes of the check."),
        C("answered", "integer", "verdict.answered", "How many of them were answered."),
        C("revision", "integer", "entry.revision", "Revision of the check's plan and judge."),
        C("says", "string", "says", "Sentence of the rule that decided."),
        C("cwe", "string", "cwe", "CWE entries that the check speaks to."),
        C("owasp", "string", "entry.owasp", "OWASP MCP Top 10 entry that it speaks to."),
    ),
    rows.check_rows,
    (*KEY_READS, "judgements.verdicts", "judgements.catalogue"),
)

EVIDENCE = Grain(
    "evidence",
    "One line of evidence of one verdict, as the verdict keeps them (at most twelve).",
    (
        *LARGE_KEY,
        C("pack", "name", "verdict.pack", "Id of the pack."),
        C("check", "name", "verdict.check", "Id of the check."),
        C("verdict", "verdict", "verdict.tag", "What was concluded."),
        C("rule", "name", "verdict.rule", "Id of the rule that decided."),
        C("position", "integer", "position", "Place of the line in the verdict, from 0."),
        C("line", "text", "evidence.line", "The line."),
        C("probe", "string", "evidence.probe", "Id of the probe behind it; may be empty."),
        C("steps", "string", "steps", "Steps of the probe that decided, from 0."),
    ),
    rows.evidence_rows,
    (*KEY_READS, "judgements.verdicts", "judgements.catalogue"),
)

PROBES = Grain(
    "probes",
    "One probe of one run: what was sent and what came back.",
    (
        *LARGE_KEY,
        C("pack", "name", "probe.pack", "Id of the pack."),
        C("check", "name", "probe.check", "Id of the check."),
        C("probe", "string", "probe.id", "Id of the probe."),
        C("role", "role", "probe.role", "control, attack, twin, coverage or fact."),
        C("tool", "name", "probe.tool", "Tool that it aims at; may be empty."),
        C("session", "name", "probe.session", "Named session that it ran on."),
        C("case", "name", "probe.case", "Case of the corpus that it comes from."),
        C("kind", "kind", "kind", "How it ended: the outcome of its deciding step."),
        C("decided", "name", "decided", "Rule of its check's verdict, if the probe is evidence for it."),
        C("sent", "string", "line.sent", "What was sent, as one short line."),
        C("got", "string", "line.got", "What came back, as one short line."),
        C("elapsed_ms", "number", "elapsed_ms", "Time of all its steps, in milliseconds; empty when not sent."),
        C("answered", "boolean", "answered", "Whether the last step that asks the server something was answered."),
        C("refusal", "name", "readings.refusal", "How the deciding reply refuses, if it does."),
        C("failure", "name", "readings.failure", "What kind of failure the deciding reply speaks of, if any."),
        C("sightings", "name", "sightings", "Values of the harness seen in the replies."),
        C("changed", "string", "line.changed", "What a look at the harness's own things found, as one short line."),
    ),
    rows.probe_rows,
    (*KEY_READS, "judgements.verdicts", "gathered.probes", "gathered.observations"),
)

OBSERVATIONS = Grain(
    "observations",
    "One step of one probe and what came of it.",
    (
        *LARGE_KEY,
        C("pack", "name", "probe.pack", "Id of the pack."),
        C("check", "name", "probe.check", "Id of the check."),
        C("probe", "string", "probe.id", "Id of the probe."),
        C("step", "integer", "seen.step", "Place of the step in the probe, from 0."),
        C("action", "name", "action", "Kind of step: open, call, request, raw, list, look and so on."),
        C("tool", "name", "probe.tool", "Tool that the probe aims at; may be empty."),
        C("outcome", "outcome", "seen.outcome", "What came of the step."),
        C("is_error", "boolean", "seen.is_error", "Whether the result is a tool error; empty when there was none."),
        C("error_code", "integer", "seen.error_code", "JSON-RPC error code."),
        C("elapsed_ms", "number", "elapsed_ms", "Time of the step, in milliseconds; empty when not sent."),
        C("text", "text", "seen.readings.text", "What the reply says in words, as far as kept."),
        C("text_length", "integer", "seen.readings.text_length", "Characters of that text before it was cut."),
        C("shape", "string", "seen.readings.shape", "Shape of the reply."),
        C("refusal", "name", "seen.readings.refusal", "How the reply refuses, if it does."),
        C("refusal_words", "string", "seen.readings.refusal_words", "The words that say so."),
        C("failure", "name", "seen.readings.failure", "What kind of failure the reply speaks of, if any."),
        C("failure_words", "string", "seen.readings.failure_words", "The words that say so."),
        C("rows", "integer", "seen.readings.rows", "Rows of data in the reply, if it can be counted."),
        C("invalid_shape", "string", "seen.readings.invalid_shape", "How the reply breaks its protocol revision."),
        C("output_schema", "string", "seen.readings.output_schema", "How it meets the declared output schema."),
        C("internals", "string", "internals", "Kinds of internals in the reply."),
        C("secrets", "string", "secrets", "Kinds of secret-shaped text in the reply."),
        C("sightings", "string", "sightings", "Values of the harness seen in it: name, spelling, place."),
        C("flags", "string", "flags", "What was odd about the reply on the wire."),
        C("facts", "string", "facts", "Result of a look, a listing or an opening, as JSON."),
        C("reason", "string", "seen.reason", "Why the step was not sent, or what stopped it."),
        C("exit_code", "integer", "seen.exit_code", "Exit code of the server, if it ended then."),
        C("generation", "integer", "seen.generation", "Which process of the session answered, from 1."),
        C("body", "string", "seen.body", "Key of the reply's body in the record."),
        C("body_bytes", "integer", "body.length", "Bytes of the whole body after marking."),
        C("body_sha256", "string", "body.sha256", "Hash of the whole body after marking."),
        C("body_cut", "boolean", "body.cut", "Whether the record keeps only its head and tail."),
    ),
    rows.observation_rows,
    (*KEY_READS, "gathered.probes", "gathered.observations", "gathered.bodies"),
)

TOOLS = Grain(
    "tools",
    "One tool that a server lists.",
    (
        *KEY,
        C("tool", "string", "tool.name", "Name of the tool."),
        C("title", "string", "tool.title", "Its title."),
        C("description", "text", "tool.description", "Its description, hidden characters shown as escapes."),
        C("class", "string", "classified.cls", "What the harness takes it for: path, url, sql, command and so on."),
        C("secondary", "string", "classified.secondary", "A second class, if any."),
        C("confidence", "confidence", "classified.confidence", "How sure the harness is."),
        C("why", "string", "classified.why", "Why, in words."),
        C("exercised", "boolean", "exercised", "Whether a valid call to it was processed."),
        C("parameters", "integer", "parameters", "Arguments that its input schema names."),
        C("required", "integer", "required", "How many of them are required."),
        C("schema_bytes", "integer", "schema_bytes", "Bytes of the input schema as compact JSON; 0 when not kept."),
        C("output_schema", "boolean", "output_schema", "Whether it declares an output schema."),
        C("read_only", "boolean", "read_only", "The claim readOnlyHint; empty when not made."),
        C("destructive", "boolean", "destructive", "The claim destructiveHint; empty when not made."),
        C("idempotent", "boolean", "idempotent", "The claim idempotentHint; empty when not made."),
        C("open_world", "boolean", "open_world", "The claim openWorldHint; empty when not made."),
        C("sha256", "string", "tool.sha256", "Hash of the tool as listed."),
        C("cut", "string", "cut", "Fields that were too large to keep whole."),
    ),
    rows.tool_rows,
    (
        *KEY_READS,
        "gathered.surface.tools",
        "gathered.classified",
        "judgements.coverage",
    ),
)

DRIFT = Grain(
    "drift",
    "One change of what a server offers to a model, between two consecutive versions of it.",
    (
        C("server", "string", "after.server", "Name of the server."),
        C("before_version", "string", "before.server_version", "The earlier version."),
        C("after_version", "string", "after.server_version", "The later version."),
        C("level", "drift", "change.level", "How much it matters; suspicious: a text that may steer a model."),
        C("kind", "string", "change.kind", "What kind of change it is."),
        C("tool", "string", "change.tool", "The tool that changed; missing when it is not about one."),
        C("line", "string", "change.line", "The change in one line, without any text of the server's."),
        C("before_run", "string", "before.id", "Run of the earlier version."),
        C("after_run", "string", "after.id", "Run of the later version."),
        C("seen_at", "time", "after.started", "When the run of the later version began, UTC."),
    ),
    reads=(*KEY_READS, "status", "gathered.surface"),
)

PROBLEMS = Grain(
    "problems",
    "One file that could not be read, or that holds a run which another file holds too.",
    (
        C("file", "string", "file", "Path of the file."),
        C("code", "string", "code", "Issue code."),
        C("problem", "string", "problem", "What is wrong with it."),
        C("hint", "string", "hint", "What to do about it."),
    ),
)

GRAINS: Mapping[str, Grain] = {
    grain.name: grain for grain in (RUNS, PACKS, CHECKS, PROBES, OBSERVATIONS, EVIDENCE, TOOLS)
}
"""The frames that are made of one record alone, by name."""
