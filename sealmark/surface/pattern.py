r"""Regular expressions of schemas, read by our own parser and never executed by a regex engine.

The subset: literals, escapes, `.`, classes, `\d \w \s` and their opposites, groups (capturing, named, not capturing),
alternation, `* + ? {m,n}` (lazy ones too), `^` and `$`. Everything else (look-around, back-references, word
boundaries, properties) is `Unsupported`. A pattern becomes a small automaton; matching walks it in time linear in the
text, and a shortest match is found by walking it breadth first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

MAX_PATTERN = 1_000
MAX_STATES = 4_000
MAX_REPEAT = 1_000
MAX_MATCH = 4_096
"""Characters of the longest text that is constructed or matched."""
MAX_WORK = 200_000
"""States that the search for a shortest match may visit."""
LAST = 0x10FFFF

Ranges = tuple[tuple[int, int], ...]
PREFERRED = "a1A-_/.:@ 0"
"""Characters that are chosen first where a class leaves a choice."""


class Unsupported(ValueError):
    """The pattern uses what the subset does not have, or is too large; the text says what."""


def _single(character: str) -> Ranges:
    return ((ord(character), ord(character)),)


def _complement(ranges: Ranges) -> Ranges:
    """Return all code points that are not in `ranges`."""
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in sorted(ranges):
        if low > start:
            result.append((start, low - 1))
        start = max(start, high + 1)
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


DIGITS: Ranges = ((48, 57),)
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
SPACE: Ranges = ((9, 13), (32, 32), (160, 160), (0xFEFF, 0xFEFF))
NEWLINES: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
ANY: Ranges = ((0, LAST),)
CLASSES: dict[str, Ranges] = {
    "d": DIGITS,
    "w": WORD,
    "s": SPACE,
    "D": _complement(DIGITS),
    "W": _complement(WORD),
    "S": _complement(SPACE),
}
CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}


class State(NamedTuple):
    """One state: what it consumes (nothing when `ranges` is empty), which end it asserts, and where it leads."""

    ranges: Ranges
    asserts: str
    targets: tuple[int, ...]


Part = Callable[[int], int]
"""A part of a pattern: given the state that follows, adds its own states and returns the one that it begins with."""


class _Parser:
    """Recursive descent over a pattern; builds the automaton from the end to the beginning."""

    def __init__(self, source: str) -> None:
        if len(source) > MAX_PATTERN:
            raise Unsupported("the pattern is too long")
        self.source = source
        self.at = 0
        self.depth = 0
        self.copies = 0
        self.states: list[State] = []

    # ---- states

    def add(self, ranges: Ranges, asserts: str, *targets: int) -> int:
        if len(self.states) >= MAX_STATES:
            raise Unsupported("the pattern is too large")
        self.states.append(State(ranges, asserts, targets))
        return len(self.states) - 1

    def copied(self) -> None:
        """Count a copy of a repeated part: parts without states would else be copied without bound."""
        self.copies += 1
        if self.copies > MAX_STATES:
            raise Unsupported("the pattern is too large")

    def consume(self, ranges: Ranges) -> Part:
        return lambda after: self.add(ranges, "" if ranges else "never", after)

    def repeat(self, part: Part, least: int, most: int | None) -> Part:
        """Return `part` repeated: its states are copied, so that an automaton needs no counters."""

        def build(after: int) -> int:
            entry = after
            if most is None:
                loop = self.add((), "", after)
                body = part(loop)
                self.states[loop] = State((), "", (after, body))
                entry = loop
            for _ in range((most or least) - least):
                self.copied()
                entry = self.add((), "", after, part(entry))
            for _ in range(least):
                self.copied()
                entry = part(entry)
            return entry

        return build

    # ---- grammar

    def peek(self) -> str:
        return self.source[self.at] if self.at < len(self.source) else ""

    def take(self) -> str:
        if self.at >= len(self.source):
            raise Unsupported("the pattern ends too early")
        self.at += 1
        return self.source[self.at - 1]

    def alternatives(self) -> Part:
        self.depth += 1
        if self.depth > 40:
            raise Unsupported("the pattern is nested too deeply")
        branches = [self.sequence()]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence())
        self.depth -= 1
        if len(branches) == 1:
            return branches[0]
        return lambda after: self.add((), "", *(branch(after) for branch in branches))

    def sequence(self) -> Part:
        parts: list[Part] = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified())

        def build(after: int) -> int:
            for part in reversed(parts):
                after = part(after)
            return after

        return build

    def quantified(self) -> Part:
        part = self.atom()
        bounds = self.quantifier()
        if bounds is None:
            return part
        if self.peek() in ("*", "+", "?"):
            raise Unsupported("a quantifier repeats a quantifier")
        return self.repeat(part, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        """Read a quantifier, if one stands here, as (least, most or None)."""
        simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        found: tuple[int, int | None] | None = simple.get(self.peek())
        if found is not None:
            self.take()
        elif self.peek() == "{":
            end = self.source.find("}", self.at)
            low, comma, high = self.source[self.at + 1 : end].partition(",") if end > 0 else ("", "", "")
            if comma and not low and high.isdecimal():
                raise Unsupported("engines disagree about a repetition without a lower bound")
            if not (low.isascii() and low.isdecimal()) or (high and not (high.isascii() and high.isdecimal())):
                return None
            least = int(low[:6])
            found = (least, (int(high[:6]) if high else None) if comma else least)
            self.at = end + 1
        if found is None:
            return None
        if self.peek() == "+":
            raise Unsupported("possessive quantifiers are not supported")
        if self.peek() == "?":
            self.take()
        if max(found[0], found[1] or 0) > MAX_REPEAT or (found[1] is not None and found[1] < found[0]):
            raise Unsupported("a repetition is too large or turned around")
        return found

    def atom(self) -> Part:
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.consume(self.character_class())
        if character == ".":
            return self.consume(_complement(NEWLINES))
        if character in "^$":
            return lambda after: self.add((), character, after)
        if character == "\\":
            return self.consume(self.escaped(in_class=False))
        if character in "*+?":
            raise Unsupported("a quantifier has nothing to repeat")
        return self.consume(_single(character))

    def group(self) -> Part:
        if self.peek() == "?":
            self.take()
            kind = self.take()
            if kind == "P":
                kind = self.take()
            if kind == "<" and self.peek() not in ("=", "!", ""):
                end = self.source.find(">", self.at)
                if end < 0:
                    raise Unsupported("a group's name does not end")
                self.at = end + 1
            elif kind != ":":
                raise Unsupported("look-around, flags and references are not supported")
        inner = self.alternatives()
        if self.take() != ")":
            raise Unsupported("a group does not end")
        return inner

    def escaped(self, *, in_class: bool) -> Ranges:
        character = self.take()
        if character in CLASSES:
            return CLASSES[character]
        if character in CONTROLS:
            return _single(CONTROLS[character])
        if character in "xu":
            return _single(self.code(character))
        if in_class and character == "b":
            return _single("\b")
        if character.isalnum() or character == "_":
            raise Unsupported(f"the escape \\{character} is not supported")
        return _single(character)

    def code(self, kind: str) -> str:
        """Read the digits of a code point: two after x, four after u, or any in braces after u."""
        if kind == "u" and self.peek() == "{":
            end = self.source.find("}", self.at)
            digits, self.at = self.source[self.at + 1 : max(end, self.at)], max(end, self.at) + 1
        else:
            size = 2 if kind == "x" else 4
            digits, self.at = self.source[self.at : self.at + size], self.at + size
            if len(digits) != size:
                raise Unsupported("an escape is cut short")
        if not digits or len(digits) > 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            raise Unsupported("an escape is not a code point")
        if int(digits, 16) > LAST:
            raise Unsupported("an escape is beyond the last code point")
        return chr(int(digits, 16))

    def character_class(self) -> Ranges:
        negated = self.peek() == "^"
        if negated:
            self.take()
        if self.peek() == "]":
            raise Unsupported("engines disagree about a class that begins with its closing bracket")
        ranges: list[tuple[int, int]] = []
        while self.peek() != "]":
            low = self.class_member()
            if self.peek() == "-" and self.source[self.at + 1 : self.at + 2] not in ("]", ""):
                self.take()
                high = self.class_member()
                if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][1] < low[0][0]:
                    raise Unsupported("a range of a class has no order")
                low = ((low[0][0], high[0][1]),)
            ranges += low
        self.take()
        return _complement(tuple(ranges)) if negated else tuple(sorted(ranges))

    def class_member(self) -> Ranges:
        character = self.take()
        if character == "[" and self.peek() == ":":
            raise Unsupported("named classes are not supported")
        return self.escaped(in_class=True) if character == "\\" else _single(character)


class Pattern:
    """A parsed pattern. Matching is a search, as JSON Schema has it: anywhere unless the pattern is anchored."""

    def __init__(self, source: str) -> None:
        parser = _Parser(source)
        body = parser.alternatives()
        if parser.at < len(source):
            raise Unsupported("a bracket closes what was not opened")
        self.accept = parser.add((), "accept")
        tail = parser.add((), "", self.accept)
        parser.states[tail] = State((), "", (self.accept, parser.add(ANY, "", tail)))
        start = body(tail)
        head = parser.add((), "", start)
        parser.states[head] = State((), "", (start, parser.add(ANY, "", head)))
        self.start = head
        self.states = tuple(parser.states)

    def _closure(self, entry: Iterable[int], *, first: bool, last: bool) -> dict[int, int]:
        """Return each state that is reached without consuming, with the state of `entry` that it is reached from.

        The order is fixed. `first` and `last` say whether this is the beginning or the end of the text.
        """
        reached: dict[int, int] = {}
        for origin in entry:
            stack = [origin]
            while stack:
                at = stack.pop()
                state = self.states[at]
                if at in reached or not _holds(state.asserts, first, last):
                    continue
                reached[at] = origin
                if not state.ranges:
                    stack.extend(reversed(state.targets))
        return reached

    def matches(self, text: str) -> bool:
        """Say whether the pattern is found in `text`; texts beyond MAX_MATCH are not."""
        if len(text) > MAX_MATCH:
            return False
        current = self._closure((self.start,), first=True, last=not text)
        for index, character in enumerate(text):
            code = ord(character)
            step = (
                target
                for at in current
                for target in self.states[at].targets
                if self.states[at].ranges and _within(self.states[at].ranges, code)
            )
            current = self._closure(step, first=False, last=index == len(text) - 1)
        return self.accept in current

    def shortest(self, least: int = 0, most: int = MAX_MATCH) -> str | None:
        """Return a shortest match of `least` to `most` characters, or None. The same pattern gives the same text."""
        layers: list[dict[int, tuple[int, str]]] = []
        entry: dict[int, tuple[int, str]] = {self.start: (-1, "")}
        budget = MAX_WORK
        for length in range(min(most, MAX_MATCH) + 1):
            layers.append(entry)
            if length >= least:
                ending = self._closure(entry, first=length == 0, last=True)
                if self.accept in ending:
                    return self._spelled(layers, ending[self.accept])
            reached = self._closure(entry, first=length == 0, last=False)
            following: dict[int, tuple[int, str]] = {}
            for at, origin in reached.items():
                state = self.states[at]
                if state.ranges and state.targets[0] not in following:
                    following[state.targets[0]] = (origin, choose(state.ranges))
            budget -= len(reached)
            if not following or budget < 0:
                return None
            entry = following
        return None

    def _spelled(self, layers: list[dict[int, tuple[int, str]]], origin: int) -> str:
        """Follow the steps back to the start and return the characters on the way."""
        characters: list[str] = []
        for layer in reversed(layers):
            origin, character = layer[origin]
            characters.append(character)
        return "".join(reversed(characters))


def _holds(asserts: str, first: bool, last: bool) -> bool:
    """Say whether what a state asserts is true here; an empty class asserts what is never true."""
    return {"^": first, "$": last, "never": False}.get(asserts, True)


def _within(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def choose(ranges: Ranges) -> str:
    """Return the character of a class that is sent: a preferred one, else the first printable one, else the first."""
    for character in PREFERRED:
        if _within(ranges, ord(character)):
            return character
    printable = next((max(low, 33) for low, high in ranges if high >= 33 and low <= 126), None)
    if printable is not None and _within(ranges, printable):
        return chr(printable)
    return chr(next((low for low, _ in ranges if not 0xD800 <= low <= 0xDFFF), ranges[0][0] if ranges else 97))


@lru_cache(maxsize=256)
def parse(source: str) -> Pattern:
    """Return the parsed pattern.

    Raises:
        Unsupported: it uses what the subset does not have, or is too large.

    """
    return Pattern(source)
