"""What this build can do, as data: the rows behind `list-checks`, `explain`, `describe` and the generated pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import sealmark
from sealmark import corpora
from sealmark.check import Check, Pack
from sealmark.errors import UsageError
from sealmark.packs import PACKS
from sealmark.report import FORMATS
from sealmark.settings.flags import STAGES, extra_flags, flagged
from sealmark.settings.methodology import CheckRow, current
from sealmark.settings.placeholders import PLACEHOLDERS
from sealmark.settings.profiles import differences
from sealmark.settings.schema import schema_of
from sealmark.settings.table import Setting, table
from sealmark.settings.types import describe as in_words

EXIT_CODES: Mapping[int, str] = {
    0: "every graded pack met the gate, or --soft-fail softened a miss",
    1: "a graded pack is below the gate, or a comparison with a baseline failed",
    2: "a flag, an argument, a configuration or a stored run cannot be used",
    3: "nothing was graded",
    4: "the server or the harness failed",
    129: "stopped by SIGHUP",
    130: "interrupted by Ctrl-C",
    143: "stopped by SIGTERM",
}


def worth(check: Check) -> CheckRow:
    """What the current methodology says of a check."""
    return current().check(check.id) or CheckRow(check.id, check.severity or "scored", check.revision, "custom")


def check_rows(packs: Sequence[Pack] = PACKS) -> list[dict[str, Any]]:
    """One row per check of this build (or of these packs), in pack order."""
    return [_row(pack, check) for pack in packs for check in pack.checks]


def _row(pack: Pack, check: Check) -> dict[str, Any]:
    found = worth(check)
    return {
        "pack": pack.id,
        "check": check.id,
        "title": check.title,
        "question": check.question,
        "severity": found.severity,
        "lifecycle": found.lifecycle,
        "revision": check.revision,
        "scope": check.scope,
        "cwe": list(check.cwe),
        "owasp": check.owasp,
        "rules": [
            {"id": rule.id, "verdict": rule.tag, "says": rule.says, "code": check.code(rule), "hint": rule.hint}
            for rule in check.rules
        ],
        "settings": [row.key for row in table() if row.key.startswith(f"checks.{check.id}.")],
    }


def find_check(check_id: str, packs: Sequence[Pack] = PACKS) -> tuple[Pack, Check]:
    """The check of that id, with its pack.

    Raises:
        UsageError: this build has none; close names are offered.
    """
    by_id = {check.id: (pack, check) for pack in packs for check in pack.checks}
    if check_id not in by_id:
        close = get_close_matches(check_id, by_id, n=1)
        hint = f"Did you mean {close[0]}?" if close else "Type: sealmark list-checks"
        raise UsageError(f"no check {check_id!r}", hint=hint)
    return by_id[check_id]


def explain_check(check_id: str, packs: Sequence[Pack] = PACKS) -> str:
    """The page of one check as plain text.

    Raises:
        UsageError: this build has no such check.
    """
    pack, check = find_check(check_id, packs)
    row = _row(pack, check)
    width = max(len(rule.id) for rule in check.rules)
    lines = [
        f"{check.id} · {check.title}",
        f"pack {pack.id} · {row['severity']} · {row['lifecycle']} · revision {check.revision} · scope {check.scope}",
        *([" · ".join([*check.cwe, *([check.owasp] if check.owasp else [])])] if check.cwe or check.owasp else []),
        "",
        check.page.strip(),
        "",
        "Rules:",
        *(f"  {rule.id:<{width}}  {rule.tag:<12}  {rule.says}" for rule in check.rules),
    ]
    cases = corpora.cases(check.corpus or f"{pack.id}/{check.id}")
    if cases:
        lines += ["", f"Corpus ({len(cases)} cases):", *(f"  {case.id}: {case.why}" for case in cases)]
    settings = [row for row in table() if row.key.startswith(f"checks.{check.id}.")]
    if settings:
        lines += ["", "Settings:", *(f"  {row.key} (default {row.default!r}): {row.doc}" for row in settings)]
    return "\n".join(lines)


def check_page(check_id: str) -> str:
    """The page of one check as Markdown, for docs/checks/.

    Raises:
        UsageError: this build has no such check.
    """
    pack, check = find_check(check_id)
    row = _row(pack, check)
    head, *paragraphs = check.page.strip().split("\n\n")
    cases = corpora.cases(check.corpus or f"{pack.id}/{check.id}")
    tags = [*check.cwe, *([check.owasp] if check.owasp else [])]
    parts = [
        f"# {check.id}",
        f"{check.title}. {' '.join(head.split())}",
        f"Pack `{pack.id}` · {row['severity']} · {row['lifecycle']} · revision {check.revision}"
        + (f" · {', '.join(tags)}" if tags else ""),
        *(_bold_lead(paragraph) for paragraph in paragraphs),
        "## Rules\n\n| rule | verdict | sentence | what to do |\n|---|---|---|---|\n"
        + "\n".join(f"| `{r.id}` | {r.tag} | {_cell(r.says)} | {_cell(r.hint)} |" for r in check.rules),
    ]
    if cases:
        rows = "\n".join(f"| `{case.id}` | {_cell(case.why)} |" for case in cases)
        parts.append(f"## Corpus\n\n| case | reason |\n|---|---|\n{rows}")
    thresholds = [row for row in table() if row.key.startswith(f"checks.{check.id}.")]
    if thresholds:
        rows = "\n".join(f"| `{row.key}` | `{row.default}` | {_cell(row.doc)} |" for row in thresholds)
        parts.append(f"## Settings\n\n| setting | default | meaning |\n|---|---|---|\n{rows}")
    return "\n\n".join(parts) + "\n"


def _bold_lead(paragraph: str) -> str:
    lead, colon, rest = paragraph.partition(":")
    known = lead.strip() in ("What", "Why", "How", "When it can be wrong")
    return f"**{lead.strip()}:**{rest}" if colon and known else paragraph


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def describe_build(commands: Mapping[str, tuple[str, str]], packs: Sequence[Pack] = PACKS) -> dict[str, Any]:
    """Everything about this build (or about one with these packs) as one JSON document (`sealmark.describe/1`)."""
    methodology = current()
    return {
        "format": "sealmark.describe/1",
        "version": sealmark.__version__,
        "methodology": methodology.version,
        "corpora": corpora.digest(),
        "packs": [
            {"id": pack.id, "title": pack.title, "question": pack.question, "status": pack.status} for pack in packs
        ],
        "checks": check_rows(packs),
        "settings": [_setting(row) for row in table()],
        "profiles": differences({}),
        "placeholders": [
            {"name": word.name, "forms": list(word.forms), "doc": word.says, "where": list(word.where)}
            for word in PLACEHOLDERS
        ],
        "formats": [
            {"name": name, "suffix": found.suffix, "machine": found.machine} for name, found in FORMATS.items()
        ],
        "commands": [{"name": name, "help": text, "flags": _flags_of(name)} for name, (_, text) in commands.items()],
        "exitCodes": {str(code): text for code, text in EXIT_CODES.items()},
    }


def _setting(row: Setting) -> dict[str, Any]:
    return {
        "key": row.key,
        "type": schema_of(row),
        "typeInWords": in_words(row.type),
        "default": row.default,
        "doc": row.doc,
        "locked": row.locked,
        "affects": row.affects,
        "merge": row.merge,
        "secret": row.secret,
        "perServer": row.per_server,
        "inFiles": not row.flag_only,
        "aliases": list(row.aliases),
        "flag": row.flag.name or row.flag.off if row.flag else "",
        "variable": row.variable,
        "unit": row.unit,
    }


def _flags_of(command: str) -> list[dict[str, Any]]:
    """The flags of a command that settings have; other commands have few, and their help names them."""
    if command not in STAGES:
        return []
    rows = [
        {"name": name, "metavar": row.flag.metavar, "doc": row.doc, "sets": [row.key]}
        for row in flagged(command)
        if row.flag is not None
        for name in (row.flag.name, row.flag.off)
        if name
    ]
    extra = [
        {"name": flag.name, "metavar": flag.metavar, "doc": flag.doc, "sets": list(flag.sets)}
        for flag in extra_flags(command)
    ]
    return [*extra, *rows]
