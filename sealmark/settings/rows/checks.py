"""Per-check settings: on or off, what it is worth, thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sealmark.settings.methodology import CheckRow, PackRow, current
from sealmark.settings.rows.server import NAME
from sealmark.settings.table import Setting
from sealmark.settings.types import ANY, BOOL, TEXT, Type, choice, integer, list_of, map_of, number

SEVERITIES = ("critical", "scored", "advisory")

_SECONDS = number(0.1, 3600)

THRESHOLDS: tuple[tuple[str, Type, Any, str, str], ...] = (
    ("db-row-cap.max_rows", integer(1), 1000, "rows", "The most rows that one query may return."),
    ("db-timeout.max_sec", _SECONDS, 30, "seconds", "The longest that a query may run."),
    ("sqlite-row-cap.max_rows", integer(1), 1000, "rows", "The most rows that one query may return."),
    ("sqlite-timeout.max_sec", _SECONDS, 30, "seconds", "The longest that a query may run."),
    (
        "fs-size-cap.file_mib",
        integer(1, 1024),
        4,
        "MiB",
        "The size of the file that the server is asked to read.",
    ),
    ("fs-size-cap.max_mib", integer(1, 1024), 2, "MiB", "The most that a reply about it may hold."),
    ("net-caps.body_mib", integer(1, 1024), 64, "MiB", "The size of the body that the listener offers."),
    ("net-caps.max_mib", integer(1, 1024), 16, "MiB", "The most of it that the server may consume."),
    (
        "exec-timeout-cap.sleep_sec",
        _SECONDS,
        120,
        "seconds",
        "How long the child that must be stopped would run.",
    ),
    (
        "upstream-slow.expected_sec",
        _SECONDS,
        None,
        "seconds",
        "The longest wait for a slow backend. Default: timeouts.probe_sec.",
    ),
    (
        "sql-guard-rowcap.row_cap",
        integer(1),
        10_000,
        "rows",
        "The largest row bound that may reach the backend.",
    ),
    (
        "sql-guard-statements.control_sql",
        NAME,
        None,
        "",
        "A statement that the guard passes. Default: a SELECT on an allowed name.",
    ),
    (
        "refusal-quality.patterns",
        list_of(TEXT, single=True),
        (),
        "",
        "Regular expressions for refusals that say what to do instead. Default: common words.",
    ),
    (
        "instructions-hygiene.deny",
        list_of(TEXT, single=True),
        (),
        "",
        "Regular expressions that the server's instructions must not match.",
    ),
)
"""(key under `checks.`, type, default, unit, meaning)."""


def rows() -> Iterator[Setting]:
    """Rows of every check of the methodology: `enabled`, `severity`, then its thresholds; then those of plugins."""
    for pack in current().packs:
        for check in pack.checks:
            yield from _rows_of(pack, check)
    yield Setting(
        key="plugin_checks",
        type=map_of(ANY),
        doc="Settings of plugins' checks, as `check.name`; in a file they may stand under `checks:` like all others.",
        affects="gather",
        locked=True,
    )


def _rows_of(pack: PackRow, check: CheckRow) -> Iterator[Setting]:
    yield Setting(
        key=f"checks.{check.id}.enabled",
        type=BOOL,
        default=True,
        doc=f"Run the check {check.id} of the pack {pack.id}.",
        affects="gather",
        locked=True,
    )
    yield Setting(
        key=f"checks.{check.id}.severity",
        type=choice(*SEVERITIES),
        default=check.severity,
        doc=f"What {check.id} is worth.",
        affects="judge",
        locked=True,
    )
    for name, type_, default, unit, doc in THRESHOLDS:
        if name.startswith(f"{check.id}."):
            yield Setting(
                key=f"checks.{name}",
                type=type_,
                default=default,
                unit=unit,
                doc=doc,
                affects="gather",
                locked=check.in_standard,
            )
