"""The settings reference (docs/settings.md), made from the settings table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

from sealmark.settings.flags import EXTRA
from sealmark.settings.placeholders import PLACEHOLDERS, PLACES
from sealmark.settings.profiles import shipped
from sealmark.settings.show import flow
from sealmark.settings.table import DEPRECATED, Setting, table
from sealmark.settings.types import Field, Type, describe

_HEAD = """\
# Settings

<!-- Generated from the settings table; change sealmark/settings/rows and run `python -m sealmark.dev regen`. -->

Every setting of a run, where it can be given, and what it defaults to. A value is looked for in seven layers; the
last that speaks decides:

1. the built-in default,
2. the profile (`standard` unless `profile:`, `SEALMARK_PROFILE` or `--profile` says otherwise),
3. your own file, `$XDG_CONFIG_HOME/sealmark/config.yaml`,
4. the project's `sealmark.yaml` (or `--config`),
5. `sealmark.local.yaml` beside it, for what must stay on one machine,
6. variables, `SEALMARK_…`, where two underscores nest,
7. flags.

Lists replace those of lower layers, except the ones marked *adds up*. Mappings merge by key. `null` restores the
built-in default. `sealmark config show --origins` prints every value with the place it came from.

A setting marked **locked** can change a grade: with another value than the standard profile's, a run is CUSTOM.

In texts of `server`, `${NAME}` and `${NAME:-default}` are filled from the environment when a run starts and are never
written down; `$${` stands for `${`. `{sandbox}` and its like are filled by the harness.

## Profiles

A profile of your own stands under `profiles:`, with `extends:` and any settings that say how to test (not what).

| Profile | Extends | What it is for |
| --- | --- | --- |
"""


def render() -> str:
    """The whole page."""
    lines = [_HEAD.rstrip("\n")]
    lines += [f"| `{name}` | {below or '-'} | {says} |" for name, (below, says, _) in shipped().items()]
    for section, rows in groupby(table(), key=lambda row: row.path[0]):
        lines += ["", *_section(section, list(rows))]
    lines += ["", *_placeholders(), "", *_flags(), "", *_older()]
    return "\n".join(lines) + "\n"


def _section(section: str, rows: list[Setting]) -> Iterator[str]:
    if section == "checks":
        yield from _checks(rows)
        return
    yield f"## {section}"
    for row in rows:
        yield from ("", *_row(row))


def _row(row: Setting) -> Iterator[str]:
    yield f"### `{row.key}`"
    yield ""
    yield row.doc + (" **Locked.**" if row.locked else "") + (" *Adds up.*" if row.merge == "append" else "")
    yield ""
    default = (
        "none" if row.default is None else "empty" if row.default == () or row.is_map else f"`{flow(row.default)}`"
    )
    unit = f" {row.unit}" if row.unit and row.default is not None else ""
    yield f"- Type: {_words(row.type)}{f', in {row.unit}' if row.unit else ''}"
    yield f"- Default: {default}{unit}"
    ways = ["the command line"] if row.flag_only else ["file"]
    if row.variable:
        ways.append(f"variable `{row.variable}`")
    if row.flag is not None:
        flags = [f"`{flag}`" for flag in (row.flag.name, row.flag.off) if flag]
        ways.append("flag " + " / ".join(flags))
    yield f"- Given by: {', '.join(ways)}"
    if row.aliases:
        yield f"- Also read as: {', '.join(f'`{alias}`' for alias in row.aliases)}"
    if row.per_server and not row.flag_only:
        yield "- May differ for each entry of `servers`"
    fields = _fields(row.type)
    if fields:
        yield ""
        yield "| Key | Type | Meaning |"
        yield "| --- | --- | --- |"
        for path, field in fields:
            needed = " (needed)" if field.required else ""
            yield f"| `{path}` | {_words(field.type)} | {field.doc}{needed} |"


def _words(type_: Type) -> str:
    inner = type_.item if type_.kind in ("list", "map") else type_
    if inner is not None and inner.kind == "object":
        return {"list": "a list of mappings", "map": "a mapping from names to mappings"}.get(type_.kind, "a mapping")
    return describe(type_).replace("|", "\\|") + (", or one alone" if type_.single else "")


def _fields(type_: Type, prefix: str = "") -> list[tuple[str, Field]]:
    """The keys of an object type, nested ones too, with their dotted paths."""
    if type_.kind in ("list", "map") and type_.item is not None:
        return _fields(type_.item, prefix)
    found: list[tuple[str, Field]] = []
    for field in type_.fields:
        found += [(prefix + field.name, field), *_fields(field.type, f"{prefix}{field.name}.")]
    return found


def _checks(rows: list[Setting]) -> Iterator[str]:
    yield "## checks"
    yield ""
    yield "Every check has `checks.<id>.enabled` (true or false) and `checks.<id>.severity` (critical, scored or"
    yield "advisory; the default is the methodology's). Both are **locked**, and so are the thresholds of checks that"
    yield "belong to the standard. Each has a variable, for example `SEALMARK_CHECKS__FS_SIZE_CAP__ENABLED`."
    yield ""
    yield "| Check | Severity | Thresholds |"
    yield "| --- | --- | --- |"
    for check, group in groupby(rows, key=lambda row: row.path[1]):
        own = {row.path[2]: row for row in group}
        more = [row for name, row in own.items() if name not in ("enabled", "severity")]
        yield f"| `{check}` | {own['severity'].default} | {'; '.join(map(_threshold, more)) or '-'} |"


def _threshold(row: Setting) -> str:
    default = "" if row.default in (None, ()) else f" (default {json.dumps(row.default)} {row.unit})".replace(" )", ")")
    return f"`{row.path[2]}`: {row.doc}{default}"


def _placeholders() -> Iterator[str]:
    yield "## Placeholders"
    yield ""
    yield "Filled by the harness when a run starts, and never written down. Any other word in braces stays as it is,"
    yield "with a warning."
    yield ""
    yield "| Placeholder | Stands for | Filled in |"
    yield "| --- | --- | --- |"
    for found in PLACEHOLDERS:
        written = ", ".join(f"`{{{name}}}`" for name in (found.name, *(f"{found.name}:{form}" for form in found.forms)))
        yield f"| {written} | {found.says} | {'; '.join(PLACES[place] for place in found.where)} |"


def _flags() -> Iterator[str]:
    yield "## Flags that are no single setting"
    yield ""
    yield "| Flag | Meaning | Sets |"
    yield "| --- | --- | --- |"
    for flag in EXTRA:
        sets = ", ".join(f"`{key}`" for key in flag.sets) or "-"
        yield f"| `{flag.name}{' ' + flag.metavar if flag.metavar else ''}` | {flag.doc} | {sets} |"


def _older() -> Iterator[str]:
    yield "## Older keys"
    yield ""
    yield "Accepted and ignored with a warning; `sealmark config migrate` removes them."
    yield ""
    for key, why in DEPRECATED.items():
        yield f"- `{key}`: {why}"
