"""Single strings and numbers that a schema accepts."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

from sealmark.reading.schema import is_multiple
from sealmark.record.model import Json
from sealmark.surface.formats import COMMON, FORMATS, NAMES, TEXT
from sealmark.surface.leaves import words
from sealmark.surface.pattern import Unsupported, parse
from sealmark.surface.schemas import Schema

MAX_LENGTH = 65_536
"""Characters of the longest filler."""


class Impossible(Exception):
    """No value can be built: where, and why."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer}: {reason}")
        self.pointer = pointer
        self.reason = reason


def limit_of(schema: Schema, key: str, otherwise: int) -> int:
    """Return a keyword that is a count, or `otherwise` when it is missing or no count."""
    value = schema.get(key)
    if isinstance(value, float) and math.isfinite(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def string(schema: Schema, pointer: str, variant: int = 0) -> str:
    """Return a string that the length, the format and the pattern of a schema accept.

    Raises:
        Impossible: there is none, or the pattern is beyond what is supported.

    """
    least, most = limit_of(schema, "minLength", 0), limit_of(schema, "maxLength", MAX_LENGTH)
    if least > most:
        raise Impossible(pointer, "its lengths contradict each other")
    if least > MAX_LENGTH:
        raise Impossible(pointer, f"it must be longer than {MAX_LENGTH} characters")
    suffix = f"-{variant}" if variant else ""
    source = schema.get("pattern")
    if isinstance(source, str):
        return _patterned(source, schema, pointer, least, most, variant)
    named = FORMATS.get(str(schema.get("format", "")).lower()) or _by_name(pointer)
    if named and least <= len(named) <= most and not variant:
        return named
    return _sized(TEXT + suffix, least, most, keep_end=bool(variant))


def _by_name(pointer: str) -> str:
    """Return what the last name of a pointer means everywhere, or the empty string."""
    names = [part for part in pointer.split("/") if not part.isdecimal()]
    own = words(names[-1]) if names else ()
    return NAMES.get(" ".join(own[-2:])) or NAMES.get(" ".join(own[-1:]), "")


def _sized(text: str, least: int, most: int, *, keep_end: bool) -> str:
    """Return a text made as long as it must and as short as it may be."""
    if len(text) > most:
        return text[len(text) - most :] if keep_end else text[:most]
    return text + "a" * (least - len(text)) if not keep_end else "a" * (least - len(text)) + text


def _patterned(source: str, schema: Schema, pointer: str, least: int, most: int, variant: int) -> str:
    """Return a common value that the pattern accepts, else a shortest one that is built from it."""
    try:
        pattern = parse(source)
    except Unsupported as why:
        raise Impossible(pointer, f"its pattern cannot be built: {why}") from None
    named = FORMATS.get(str(schema.get("format", "")).lower())
    fitting = (text for text in (named, *COMMON) if text is not None and least <= len(text) <= most)
    found = [text for text in fitting if pattern.matches(text)]
    if variant < len(found):
        return found[variant]
    for extra in range(variant + 1 if not found else 1, 0, -1):
        built = pattern.shortest(max(least, extra - 1), most)
        if built is not None and pattern.matches(built):
            return built
    raise Impossible(pointer, "no text that its pattern accepts was found")


def number(schema: Schema, kind: str, pointer: str, variant: int = 0) -> int | float:
    """Return a number that the bounds and the step of a schema accept: its lower bound, else 1 or what is nearest.

    Raises:
        Impossible: the bounds leave nothing.

    """
    step = _positive(schema.get("multipleOf"))
    unit = step if step is not None else Decimal(1)
    if kind == "integer" and unit % 1:
        unit = unit * _whole_factor(unit)
    low, high = _bounds(schema)
    if low is None:
        start = Decimal(1) if high is None or high >= 1 else high - (-high % unit if high % unit else 0)
        start = start if high is None or high >= 1 else (high // unit) * unit
    else:
        start = low
    value = (start / unit).to_integral_value(ROUND_CEILING) * unit
    if low is not None and kind == "number" and step is None and high is not None and not low <= value <= high:
        value = (low + high) / 2
    value += unit * variant
    if not _accepted(schema, value):
        value += unit if low is not None else -unit
    if not _accepted(schema, value) and kind == "number" and low is not None and high is not None:
        value = (low + high) / 2
    if not _accepted(schema, value):
        raise Impossible(pointer, "no number fits its bounds")
    return int(value) if value == value.to_integral_value() else float(value)


def _positive(value: Json) -> Decimal | None:
    found = _decimal(value)
    return found if found is not None and found > 0 else None


def _decimal(value: Json) -> Decimal | None:
    """Return a finite JSON number of a size that arithmetic can take, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return Decimal(value) if value.bit_length() < 128 else None
    return Decimal(str(value)) if math.isfinite(value) and abs(value) < 1e30 else None


def _bounds(schema: Schema) -> tuple[Decimal | None, Decimal | None]:
    """Return the lower and the upper bound, exclusive ones among them (in both of their notations)."""
    lows = [_decimal(schema.get(key)) for key in ("minimum", "exclusiveMinimum")]
    highs = [_decimal(schema.get(key)) for key in ("maximum", "exclusiveMaximum")]
    low = max((value for value in lows if value is not None), default=None)
    high = min((value for value in highs if value is not None), default=None)
    return low, high


def _accepted(schema: Schema, value: Decimal) -> bool:
    """Say whether a number is within the bounds and on the step. Before draft 6 an exclusive bound was a flag."""
    low, high = _decimal(schema.get("minimum")), _decimal(schema.get("maximum"))
    above, below = _decimal(schema.get("exclusiveMinimum")), _decimal(schema.get("exclusiveMaximum"))
    above = low if schema.get("exclusiveMinimum") is True else above
    below = high if schema.get("exclusiveMaximum") is True else below
    within = (low is None or value >= low) and (high is None or value <= high)
    within = within and (above is None or value > above) and (below is None or value < below)
    step = _positive(schema.get("multipleOf"))
    exact = int(value) if value == value.to_integral_value() else float(value)
    return within and (step is None or is_multiple(exact, float(step)))


def _whole_factor(unit: Decimal) -> int:
    """Return the smallest small factor that makes a step whole."""
    return next((factor for factor in (2, 4, 5, 8, 10, 20, 25, 50, 100, 1000, 10**6) if not unit * factor % 1), 1)
