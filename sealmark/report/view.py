"""One prepared view of a run. Every format, the site and the notebooks lay out this and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sealmark.reading.shown import command_line, line, short_json
from sealmark.record.marks import escape
from sealmark.record.model import Grade, Judgement, PackState, RunRecord, ServerFacts, Surface, Verdict
from sealmark.report import rerun
from sealmark.report.calls import only_logins
from sealmark.report.cards import cards
from sealmark.report.options import Options
from sealmark.report.parts import Card, Header, Seal, Setting, Target, ToolRow, Trouble, View
from sealmark.report.timing import timing
from sealmark.report.words import CLOSING, HYGIENE, amount, count

UNJUDGED = "Nothing was judged: this is what the server offers."


def build(run: RunRecord, options: Options | None = None) -> View:
    """The view of the newest judgement of a run; of a run without one, what is known about why."""
    options = options or Options()
    judgement = run.judgement
    made = cards(run.gathered, judgement, options.accepted) if judgement else ()
    seals = tuple(_seal(grade, judgement, run) for grade in judgement.grades) if judgement else ()
    trouble = _trouble(run)
    coverage = _coverage(run)
    return View(
        header=header(run),
        target=_target(run.gathered.server, run.gathered.surface),
        sentence=INTERRUPTED * (run.status == "interrupted") + _sentence(run, made, seals, trouble, coverage),
        seals=seals,
        cards=made,
        tools=tuple(_tools(run)),
        coverage=coverage,
        not_covered=tuple(line(text, 400) for text in judgement.coverage.not_covered) if judgement else (),
        limits=tuple(
            line(f"{limit.name}: {limit.value}" + (f" in {limit.where}" if limit.where else ""), 300)
            for limit in run.gathered.limits
        ),
        warnings=tuple(_warnings(run)),
        timing=timing(run),
        badge=line(judgement.badge.message, 200)
        if judgement
        else f"no badge: {'server failed' if trouble else 'nothing graded'}",
        badge_eligible=judgement.badge.eligible if judgement else False,
        rerun=rerun.command(run),
        configuration=rerun.configuration(run),
        closing=CLOSING,
        trouble=trouble,
    )


def header(run: RunRecord) -> Header:
    """The integrity header, which no format and no template leaves out."""
    judgement, server = run.judgement, run.gathered.server
    name = line(server.name, 80) or "unnamed server"
    version = line(server.version or run.gathered.surface.server_version, 40)
    differences = judgement.integrity.differences if judgement else ()
    if judgement is None:
        label, words = "NOT JUDGED", "NOT JUDGED"
    elif judgement.integrity.standard:
        label = words = "STANDARD"
    else:
        label = "CUSTOM"
        words = f"CUSTOM ({count(len(differences), 'difference')} from the published methodology)"
    methodology = line(judgement.methodology, 40) if judgement else ""
    built = line(judgement.tool_version if judgement else run.tool_version, 40)
    banner = " · ".join([f"sealmark {built}", *([f"methodology {methodology}"] if methodology else []), words])
    return Header(
        line=f"{banner} · {name} {version}".rstrip(),
        banner=banner,
        tool_version=built,
        methodology=methodology,
        label=label,
        server=name,
        version=version,
        started_at=line(run.started_at, 40),
        status=run.status,
        hash=line(judgement.integrity.hash, 80) if judgement else "",
        differences=tuple(
            Setting(line(d.key, 100), short_json(d.standard, 200), short_json(d.effective, 200), line(d.origin, 200))
            for d in differences
        ),
    )


def _target(server: ServerFacts, surface: Surface) -> Target:
    where = server.url if server.transport != "stdio" and server.url else command_line(server.command)
    reported = f"{surface.server_name} {surface.server_version}".strip()
    return Target(
        transport=server.transport,
        era=surface.era,
        protocol_version=line(surface.protocol_version, 40),
        where=line(where, 1000),
        env=tuple((line(name, 100), line(value, 300)) for name, value in sorted(server.env.items())),
        package=line(server.package, 200),
        invented=server.invented,
        reported=line(reported, 160),
    )


def _seal(grade: Grade, judgement: Judgement, run: RunRecord) -> Seal:
    state = next((state for state in run.gathered.packs if state.pack == grade.pack), None)
    custom = not judgement.integrity.standard
    critical = {(entry.pack, entry.check) for entry in judgement.catalogue if entry.severity == "critical"}
    tagged = [v for v in judgement.verdicts if v.pack == grade.pack and (v.pack, v.check) in critical]
    return Seal(
        pack=line(grade.pack, 60),
        title=line(state.title if state else grade.pack, 120),
        status=grade.status,
        mark=f"{line(grade.letter, 2)}{'*' if grade.provisional else ''}" if grade.letter else "",
        letter=line(grade.letter, 2),
        raw_letter=line(grade.raw_letter, 2),
        provisional=grade.provisional,
        capped_by=tuple(line(check, 80) for check in grade.capped_by),
        critical_failed=_checks(tagged, "fail"),
        critical_part=_checks(tagged, "part"),
        hygiene_only=grade.hygiene_only,
        candidate=grade.candidate,
        custom=custom,
        fraction=_fraction(grade),
        reason=line(grade.reason, 400),
        note=" · ".join(_notes(grade, state, custom)),
    )


def _checks(verdicts: Sequence[Verdict], tag: str) -> tuple[str, ...]:
    return tuple(line(verdict.check, 80) for verdict in verdicts if verdict.tag == tag)


def _fraction(grade: Grade) -> str:
    """`3.5/4 points, 87.5% · 1 of 5 checks not scored`; empty when there is no letter."""
    if grade.percent is None:
        return ""
    left_out = grade.checks - grade.scored
    more = f" · {left_out} of {grade.checks} checks not scored" if left_out else ""
    return f"{amount(grade.points)}/{grade.scored} points, {amount(grade.percent)}%{more}"


def _notes(grade: Grade, state: PackState | None, custom: bool) -> Iterator[str]:
    if grade.capped_by:
        yield f"capped (raw {line(grade.raw_letter, 2)}): {line(', '.join(grade.capped_by), 200)} failed"
    if grade.provisional:
        yield "provisional: a critical check was inconclusive"
    if grade.hygiene_only:
        yield HYGIENE
    if grade.candidate or (state is not None and state.status == "candidate"):
        yield "candidate pack"
    if custom and grade.letter:
        yield "custom grade"


def _coverage(run: RunRecord) -> str:
    if run.judgement is None:
        return ""
    coverage = run.judgement.coverage
    return f"tools called with valid arguments: {coverage.exercised} of {coverage.tools}"


def _trouble(run: RunRecord) -> Trouble | None:
    if run.failure is None:
        return None
    failure = run.failure
    last = [line(text, 300) for text in failure.stderr.splitlines() if text.strip()][-20:]
    return Trouble(
        line(failure.code, 80), line(failure.message.split("\n")[0], 1000), line(failure.hint, 600), tuple(last)
    )


INTERRUPTED = "Interrupted before its end. "


def _sentence(
    run: RunRecord, made: Sequence[Card], seals: Sequence[Seal], trouble: Trouble | None, coverage: str
) -> str:
    """The worst thing found, or that nothing was, and how much was exercised."""
    if run.judgement is None:
        return (
            f"Nothing was tested: {trouble.message}"
            if trouble
            else "Nothing was judged: this is what the server offers."
        )
    exercised = f"{coverage[:1].upper()}{coverage[1:]}."
    counted = [card for card in made if card.counts]
    scored = [card for card in counted if card.tag in ("fail", "part", "pass")]
    worst = next((card for card in counted if card.tag in ("fail", "part")), None)
    if worst is not None:
        how = "failed" if worst.tag == "fail" else "passed only in part"
        kind = "Critical" if worst.severity == "critical" else "Worst"
        return f"{kind}: {worst.check} {how}: {_stop(worst.summary)} {exercised}"
    if not any(seal.letter for seal in seals):
        return f"Nothing was graded. {exercised}"
    undecided = sum(card.tag == "inconclusive" for card in counted)
    more = f"; {count(undecided, 'check')} could not be decided" if undecided else ""
    return f"Nothing failed in {count(len(scored), 'scored check')}{more}. {exercised}"


def _stop(text: str) -> str:
    return text if text.endswith((".", "…", "!", "?")) else f"{text}."


def _tools(run: RunRecord) -> Iterator[ToolRow]:
    untested = set(run.judgement.coverage.untested) if run.judgement else set()
    for entry in run.gathered.classified:
        yield ToolRow(
            tool=line(entry.tool, 80),
            cls=line(entry.cls, 40),
            confidence=entry.confidence,
            why=line(entry.why, 400),
            secondary=line(entry.secondary, 40),
            overridden=entry.overridden,
            exercised=run.judgement is not None and escape(entry.tool) not in untested,
        )


def _badge(run: RunRecord) -> str:
    if run.judgement is None:
        return f"no badge: {'server failed' if run.failure else 'nothing graded'}"
    return line(run.judgement.badge.message, 200)


def _warnings(run: RunRecord) -> Iterator[str]:
    if run.status == "interrupted":
        yield "the run was interrupted; the report may be incomplete"
    if run.status == "partial":
        yield "the run is partial: not everything that was planned was done"
    for seal in run.judgement.grades if run.judgement else ():
        if seal.pack == "core" and seal.hygiene_only:
            yield "core is hygiene only: its letter says nothing about what the tools do"
    if logins := only_logins(run.gathered):
        yield logins
    yield from (line(text, 400) for text in run.gathered.warnings)
