"""Click options made from the settings table, so that flags, variables, files and documentation are one declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from sealmark.settings.flags import ExtraFlag, extra_flags, flagged, parameter
from sealmark.settings.profiles import shipped
from sealmark.settings.table import Setting

Command = TypeVar("Command", bound=Callable[..., Any])


def options_for(command: str) -> list[click.Option]:
    """The options of a command: those beside the table first, then the table's in its order.

    An option that was not given is None (or an empty tuple), so that lower layers stay.
    """
    return [*map(_extra, extra_flags(command)), *map(_option, flagged(command))]


def with_options(command: str) -> Callable[[Command], Command]:
    """A decorator that gives a command function the options of that command."""

    def decorate(function: Command) -> Command:
        # click keeps the options of a function that is no command yet in this list, last first
        params: list[click.Parameter] = getattr(function, "__click_params__", [])
        function.__click_params__ = [*params, *reversed(options_for(command))]  # type: ignore[attr-defined]
        return function

    return decorate


def given(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given."""
    return {name: value for name, value in params.items() if value is not None and value != ()}


def _extra(flag: ExtraFlag) -> click.Option:
    if not flag.metavar:
        return click.Option([flag.name], is_flag=True, default=None, help=flag.doc)
    return click.Option(
        [flag.name], type=_type(flag.metavar), metavar=flag.metavar, multiple=flag.repeat, help=flag.doc
    )


def _type(metavar: str) -> click.ParamType[Any]:
    """Text; for files and folders one that shells complete. What is given is checked by the table, not by click."""
    kinds: dict[str, click.ParamType[Any]] = {"FILE": click.Path(), "DIR": click.Path(file_okay=False)}
    return kinds.get(metavar, click.STRING)


def _completing(words: Sequence[str]) -> Callable[[click.Context, click.Parameter, str], list[str]] | None:
    if not words:
        return None
    return lambda context, parameter, begun: [word for word in words if word.startswith(begun)]


def _option(row: Setting) -> click.Option:
    flag = row.flag
    assert flag is not None
    if row.type.kind == "bool" or flag.constant is not None:
        if flag.name and flag.off:
            return click.Option([f"{flag.name}/{flag.off}"], default=None, help=row.doc)
        return click.Option([flag.name or flag.off], is_flag=True, default=None, help=row.doc)
    words = row.type.item if row.type.kind == "list" and row.type.item else row.type
    metavar = "|".join(words.choices) if 0 < len(words.choices) <= 9 else flag.metavar
    text = row.doc if row.default in (None, ()) or row.type.kind == "list" else f"{row.doc} Default: {row.default}."
    return click.Option(
        [flag.name, parameter(flag.name)],
        type=_type(flag.metavar),
        metavar=metavar,
        multiple=row.type.kind == "list",
        help=text,
        shell_complete=_completing(tuple(shipped()) if row.key == "profile" else words.choices),
    )
