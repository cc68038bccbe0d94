"""Whether tools that say that they only read change nothing.

Why: Clients let tools with readOnlyHint run without asking anybody, and people allow them for good. A tool that writes
all the same turns that trust into a hole, and one that only seems to read misleads whoever looks at its name.

How: Every tool that claims readOnlyHint is called with what the harness owns: a file or folder of its sandbox, its
repository, a page of its listener, or nothing when the tool takes nothing; a tool that also claims to reach nothing
outside gets neutral values. So is a tool without that annotation that reads by its name and takes such a target.
Before and after each call the harness takes a picture of all of the sandbox: the allowed root, what lies around it, and
the home of the server. A change of content, of a name, of a mode or of a time of writing decides, and so does a folder
that was written to though its names are the same: something in it was made and removed. A tool that claims and changes
fails the check; a tool that only seems to read makes it part. What changes while nothing is asked is left out. What
changes between one call and the next makes the check part, since it may be the server's own doing.

When it can be wrong: Writes elsewhere are not seen: in the real home, in a store that is named by its absolute path, in
a database, at a service. Caches and logs in the home, temporary files, and what guards a database or a repository while
it is read are left out, and so is what a new process of the server writes when it starts. The time of the last reading
of a file does not count. A tool that refuses the harness's targets was not tried, and the check says how many were.
"""

from __future__ import annotations

from collections.abc import Iterator

from sealmark.check import Check, Group, Rule, Seen, Target, call
from sealmark.check.calls import valid_calls
from sealmark.packs.effects.changes import before, by_itself, changed, in_words
from sealmark.packs.effects.claims import Reader, asked, readers
from sealmark.packs.net.urls import LATE_SEC
from sealmark.record.model import ListAll, Look, Probe, Verdict, Wait
from sealmark.surface.arguments import CannotFill

IDLE_SEC = 0.3
"""How long nothing is asked, to see what changes by itself."""

AROUND = Look("tree")

RULES = (
    Rule(
        "changed",
        "fail",
        "A tool that claims to be read-only changed something in the sandbox.",
        "Write nothing in such a tool, no cache, no time stamp, no file that is removed again; or drop readOnlyHint.",
    ),
    Rule(
        "seems-to-read",
        "part",
        "A tool that reads by its name, and says nothing of it, changed something in the sandbox.",
        "Annotate the tool with readOnlyHint: false, and say in its description what it writes.",
    ),
    Rule(
        "changed-later",
        "part",
        "Something changed between one call of a reading tool and the next.",
        "Find out what writes after the reply; a tool that leaves work for later is not read-only.",
    ),
    Rule(
        "no-control",
        "inconclusive",
        "No call of a reading tool worked, so nothing follows from what did not change.",
        "Look at what the calls answered; give the server what it needs to work on the sandbox.",
    ),
    Rule("no-owned-target", "na", "The reading tools take nothing that the harness owns, or refuse it."),
    Rule("unchanged", "pass", "Reading tools were called, and nothing in the sandbox changed."),
)


def plan(target: Target) -> Iterator[Probe]:
    """Yield a look at idleness, the calls, and a last look."""
    found = list(readers(target))
    if found:
        why = "what changes while nothing is asked"
        opened = ListAll("tools/list", "tools")
        yield target.probe("fact", "idle", opened, AROUND, Wait(IDLE_SEC), AROUND, why=why, resource="tree")
    for reader in found:
        yield from _calls(target, reader)
    if found:
        why = "what changed after the last call"
        yield target.probe("fact", "late", Wait(LATE_SEC), AROUND, why=why, resource="tree")


def _calls(target: Target, reader: Reader) -> Iterator[Probe]:
    """Yield the call, and for a path that must be relative a second try."""
    why = "it claims to be read-only" if reader.claims else "it reads by its name, and says nothing of it"
    first = ""
    for case, values in (("called", reader.values), ("relative", reader.spare)):
        arguments = target.fill(reader.tool, values)
        if (case == "relative" and not values) or isinstance(arguments, CannotFill):
            continue
        probe = target.probe(
            "coverage",
            case,
            AROUND,
            call(reader.tool, arguments),
            AROUND,
            tool=reader.tool.name,
            why=why,
            requires=f"!{first}" if first else "",
            resource="tree",
            consent=reader.consent,
        )
        first = probe.id
        yield probe


def judge(seen: Seen) -> Verdict:
    """Pick the rule: changed by a claimer, by a seeming reader, in between, or whether any call worked."""
    by_tool = {reader.tool.name: reader for reader in readers(seen.target)}
    idle = by_itself(seen)
    calls = seen.own.role("coverage").where(lambda outcome: outcome.sent)
    guilty = calls.where(lambda outcome: bool(changed(outcome, idle)))
    for rule, claims in (("changed", True), ("seems-to-read", False)):
        by = guilty.where(lambda outcome, claims=claims: by_tool[outcome.probe.tool].claims is claims)  # type: ignore[misc]
        if by:
            return seen.decide(rule, by, _summary(by), line=lambda o: f"{asked(o)} {in_words(changed(o, idle))}")
    later = seen.own.where(lambda outcome: bool(before(outcome, idle)))
    if later:
        return seen.decide("changed-later", later, line=lambda o: f"before {asked(o)}: {in_words(before(o, idle))}")
    worked = calls.where(lambda outcome: any(True for _ in valid_calls(outcome)))
    if worked:
        tools, tried = len(set(worked.tools)), len(by_tool)
        summary = f"{tools} of {tried} reading tools worked on what the harness owns, and nothing changed."
        return seen.decide("unchanged", worked, summary, line=lambda o: f"{asked(o)} changed nothing")
    if not calls.answered and calls:
        return seen.decide("none-answered", calls)
    owning = calls.where(lambda o: by_tool[o.probe.tool].owned and not by_tool[o.probe.tool].url)
    rule = "no-control" if owning else "no-owned-target" if seen.own else "no-target"
    return seen.decide(rule, owning, line=lambda o: f"{asked(o)} did not work")


def _summary(by: Group) -> str:
    return f"{', '.join(by.tools)}: {by[0].probe.why}, and something changed."


CHECK = Check(
    id="effects-read-only",
    revision=1,
    title="Read-only tools change nothing",
    question="Does a tool that says it only reads change something?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    cwe=("CWE-1061", "CWE-684"),
    owasp="MCP03:2025 Tool Poisoning",
)
