"""JSON Schema validation that a hostile schema cannot turn against the harness.

No reference leaves the document, no regular expression of the schema is executed (each is reported as unchecked),
and the number of validation steps is bounded, so that neither recursion nor branching runs away.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from sealmark.reading.visible import visible
from sealmark.reading.walk import exceeds
from sealmark.record.model import Json

MAX_STEPS = 20_000
"""Keywords that one validation may apply."""
MAX_NODES = 20_000
"""Values that a schema or an instance may hold; larger ones are unchecked."""
MAX_SHOWN = 240
UNCHECKED = "unchecked: "
"""Beginning of a line that names something that was not looked at; it is no problem of the instance."""

DIALECTS = {
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
}
"""Dialects by the identifier that `$schema` names, without a trailing `#`."""


class _Stop(Exception):
    """A bound was reached; the text says which."""


class _Watch:
    """Counts steps and notes what was left unchecked, during one validation."""

    def __init__(self) -> None:
        self.steps = 0
        self.unchecked: dict[str, None] = {}

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _Stop("too many steps")


_WATCH: ContextVar[_Watch] = ContextVar("watch")
"""The watch of the validation that runs in this thread."""


def dialect_of(schema: Json) -> str:
    """Return the identifier of the dialect that a schema names; 2020-12 when it names none."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(named, str) or not named:
        return "https://json-schema.org/draft/2020-12/schema"
    return named.rstrip("#").replace("https://json-schema.org/draft-0", "http://json-schema.org/draft-0")


def problems(schema: Json, instance: Json, *, limit: int = 8) -> tuple[str, ...]:
    """Return what a schema has against an instance, one `place: reason` per line, at most `limit`.

    Lines that begin with `unchecked: ` name what was not looked at (a pattern, a remote reference, a bound) and are
    not problems; see `refuses`.
    """
    if isinstance(schema, bool):
        return () if schema else ("value: the schema accepts nothing",)
    if not isinstance(schema, dict):
        return (UNCHECKED + "the schema is neither an object nor a boolean",)
    if _too_large(schema):
        return (UNCHECKED + "the schema is too large or too deep",)
    if _too_large(instance):
        return (UNCHECKED + "the value is too large or too deep",)
    watch = _Watch()
    token = _WATCH.set(watch)
    found: dict[str, None] = {}
    try:
        for error in _errors(schema, instance):
            found[_line(error)] = None
            if len(found) >= limit:
                break
    except _Stop as stop:
        watch.unchecked[str(stop)] = None
    except RecursionError:
        watch.unchecked["the schema refers to itself without end"] = None
    except Exception as error:  # a schema that is not one breaks the validator in ways without number
        watch.unchecked[_broken(error)] = None
    finally:
        _WATCH.reset(token)
    return (*found, *(UNCHECKED + reason for reason in watch.unchecked))


def refuses(found: tuple[str, ...]) -> bool:
    """Say whether the lines of `problems` hold a true problem."""
    return any(not line.startswith(UNCHECKED) for line in found)


def _too_large(value: Json) -> bool:
    return exceeds(value, nodes=MAX_NODES, depth=200)


def _broken(error: Exception) -> str:
    name = type(error).__name__
    if "Unresolvable" in name or "NoSuchResource" in name or "Referencing" in name:
        return "a reference that leads out of the document or nowhere"
    return f"the schema is not one ({name})"


def _line(error: Any) -> str:
    place = "/".join(str(part) for part in error.absolute_path) or "value"
    return visible(f"{place}: {error.message[:2_000]}", newlines="escape", limit=MAX_SHOWN)


def _errors(schema: dict[str, Json], instance: Json) -> Iterator[Any]:
    from referencing import Registry

    validator = _validator(DIALECTS.get(dialect_of(schema), "Draft202012Validator"))
    yield from validator(schema, registry=Registry()).iter_errors(instance)


@cache
def _jsonschema() -> Any:
    """Return the library without its checkers of formats, which nothing here uses.

    One of them builds 39 grammars when it is imported, for seconds of CPU; None in `sys.modules` keeps it out.
    """
    known = {name: sys.modules.get(name) for name in _GRAMMARS}
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(_GRAMMARS))
    try:
        return import_module("jsonschema")
    finally:
        for name, module in known.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


_GRAMMARS = ("rfc3987_syntax",)


@cache
def _validator(name: str) -> Any:
    """Return the validator class of a dialect with every keyword counted and every regular expression left alone."""
    jsonschema = _jsonschema()
    base = getattr(jsonschema, name)
    counted = {keyword: _counted(function) for keyword, function in base.VALIDATORS.items()}
    safe = {
        "pattern": _unchecked("pattern", str),
        "patternProperties": _unchecked("patternProperties", dict),
        "additionalProperties": _unless_patterns(counted["additionalProperties"]),
        "uniqueItems": _unique_items,
        "multipleOf": _multiple_of,
    }
    if "unevaluatedProperties" in counted:
        safe["unevaluatedProperties"] = _unchecked("unevaluatedProperties", dict)
    if "unevaluatedItems" in counted:
        safe["unevaluatedItems"] = _unchecked("unevaluatedItems", list)
    extend: Any = jsonschema.validators.extend
    return extend(base, {**counted, **safe})


Keyword = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


def _counted(function: Keyword) -> Keyword:
    def keyword(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        _WATCH.get().step()
        yield from function(validator, value, instance, schema) or ()

    return keyword


def _unchecked(name: str, applies_to: type) -> Keyword:
    def keyword(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        _WATCH.get().step()
        if isinstance(instance, applies_to):
            _WATCH.get().unchecked[name] = None
        yield from ()

    return keyword


def _unless_patterns(function: Keyword) -> Keyword:
    def keyword(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if "patternProperties" in schema:
            return
        yield from function(validator, value, instance, schema) or ()

    return keyword


def _unique_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Compare items by their canonical JSON: linear, where comparing pairs is not."""
    import jsonschema

    _WATCH.get().step()
    if value and isinstance(instance, list):
        seen = {json.dumps(item, sort_keys=True) for item in instance}
        if len(seen) < len(instance):
            yield jsonschema.ValidationError("the items are not unique")


def _multiple_of(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Decide by exact fractions, without the overflow of floating point."""
    import jsonschema

    _WATCH.get().step()
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return
    if not is_multiple(instance, value):
        yield jsonschema.ValidationError(f"{str(instance)[:40]} is not a multiple of {str(value)[:40]}")


def is_multiple(number: float, step: float) -> bool:
    """Say whether `number` is a whole multiple of `step`, both taken as the decimals that they are written as."""
    value, unit = _exact(number), _exact(step)
    return value is None or unit is None or unit <= 0 or (value / unit).denominator == 1


def _exact(number: float) -> Fraction | None:
    if isinstance(number, int):
        return Fraction(number)
    return Fraction(repr(number)) if math.isfinite(number) else None
