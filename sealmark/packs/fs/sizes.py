"""How much of a file a reply holds, and by which arguments a caller could ask for less."""

from __future__ import annotations

import re

from sealmark.check import Outcome, Seen
from sealmark.record.model import Tool
from sealmark.surface.leaves import Leaf, leaves, words

_BOUNDS = frozenset(
    [
        *("bytes", "chars", "count", "end", "head", "length", "limit", "line", "lines", "max", "offset", "page"),
        *("range", "size", "start", "tail", "truncate"),
    ]
)
"""Words of arguments that ask for a part."""

_TOLD = re.compile(r"['\"`](\w{3,20})['\"`] (?:parameter|argument|option)", re.IGNORECASE)


def amount(outcome: Outcome, seen: Seen) -> int:
    """How much came back: characters of text, or bytes of the whole reply when most of it is something else.

    A reply beyond what the wire reads counts as the most there is.
    """
    if any(observation.outcome == "limit" for observation in outcome.observations):
        return 2**40
    last = outcome.last
    if last is None or last.readings is None:
        return 0
    body, text = seen.gathered.bodies.get(last.body), last.readings.text_length
    return body.length if body is not None and body.length > 3 * text else text


def in_mib(count: int) -> str:
    """A count of bytes or characters in words."""
    return "more than the harness reads" if count >= 2**40 else f"{count / 2**20:.1f} MiB"


def bounding(tool: Tool) -> list[str]:
    """Names of the arguments that ask for a part: by the words in them and their type, or told in the description."""
    named = [leaf.name for leaf in leaves(tool.input_schema) if _BOUNDS & set(leaf.words) and _counts(leaf)]
    told = [name for name in _TOLD.findall(tool.description[:4000]) if _BOUNDS & set(words(name))]
    return list(dict.fromkeys((*named, *told)))


def _counts(leaf: Leaf) -> bool:
    return bool({"integer", "number"} & set(leaf.types))
