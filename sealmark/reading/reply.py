"""All readers put together: what a whole reply says, before any of it is cut."""

from __future__ import annotations

from collections.abc import Callable

from sealmark.reading import blocks
from sealmark.reading.failure import failure
from sealmark.reading.internals import internals
from sealmark.reading.protocol import invalid_shape
from sealmark.reading.refusal import refusal
from sealmark.reading.rows import rows
from sealmark.reading.schema import UNCHECKED, problems
from sealmark.reading.secrets import secrets
from sealmark.reading.walk import mapping, text_of
from sealmark.record.model import Json, Readings, Tool

VERSION = 1
"""Version of the readers; a stored reading of another version may differ for the same reply."""
MAX_TEXT = 300
MAX_BLOCKS = 20
MAX_ANSWER = 1_200
"""Characters of a reply that is no error and is still read for refusals and failures; a longer one is content."""


def read_reply(
    message: Json,
    *,
    method: str,
    tool: Tool | None = None,
    protocol_version: str = "",
    mark: Callable[[str], str] = str,
    content: blocks.Content | None = None,
) -> Readings:
    """Return what the readers make of one JSON-RPC reply.

    `tool` is the tool that was called, if any; `mark` turns per-run values into marks and is applied to every text
    that is kept; `content` saves reading the blocks twice when the caller has them.
    """
    content = blocks.content_of(message, method) if content is None else content
    said = content.said
    result = mapping(message).get("result")
    is_error = "error" in mapping(message) or mapping(result).get("isError") is True
    answer = said if is_error or len(said) <= MAX_ANSWER else ""
    refused, failed = refusal(answer), failure(answer)
    everything = content.joined()
    marked = mark(said)
    return Readings(
        version=VERSION,
        text=marked[:MAX_TEXT],
        text_length=len(marked),
        blocks=content.kinds[:MAX_BLOCKS],
        shape=mark(blocks.shape_of(message, method)),
        refusal=refused.kind,
        refusal_words=mark(refused.words),
        failure=failed.kind,
        failure_words=mark(failed.words),
        internals=internals(everything),
        secrets=secrets(everything),
        rows=rows(mapping(result).get("structuredContent"), content.joined("text")) if method == "tools/call" else None,
        invalid_shape=mark(invalid_shape(method, protocol_version, result)) if "result" in mapping(message) else "",
        output_schema=mark(output_schema(tool, result)) if method == "tools/call" else "",
        result_type=text_of(mapping(result).get("resultType"))[:40],
    )


def output_schema(tool: Tool | None, result: Json) -> str:
    """Return "conforms", the first problem, or the empty string when the tool promises nothing or the call failed."""
    if tool is None or tool.output_schema is None or not isinstance(result, dict):
        return ""
    if result.get("isError") is True or result.get("resultType", "complete") != "complete":
        return ""
    if "structuredContent" not in result:
        return "the result has no structuredContent"
    found = problems(tool.output_schema, result["structuredContent"], limit=1)
    if not found:
        return "conforms"
    first = next((line for line in found if not line.startswith(UNCHECKED)), "")
    serious = [line for line in found if line.startswith(UNCHECKED) and line not in _MINOR]
    return first or (serious[0] if serious else "conforms")


_MINOR = {UNCHECKED + name for name in ("pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems")}
