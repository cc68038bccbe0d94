"""How many rows a reply of a query holds, in whatever spelling; None when nothing tells, which is not 0."""

from __future__ import annotations

import ast
import re

import msgspec

from sealmark.reading.walk import mapping, sequence
from sealmark.record.model import Json

MAX_TEXT = 4 * 1024 * 1024
MAX_LITERAL = 256 * 1024
"""Longer texts are not parsed as Python literals: that parser is slow and hungry."""

_ARRAYS = ("rows", "records", "results", "result", "data", "items", "values", "output", "response", "content")
_SETS = ("statements", "results", "resultsets", "result_sets")
"""Keys of arrays of results that have rows of their own."""
_COUNTS = (
    *("rowcount", "row_count", "rows_returned", "rowsreturned", "num_rows", "numrows"),
    *("total_rows", "totalrows", "count", "returned"),
)
_COUNT_TEXT = re.compile(
    r"(?:^|[\s(\[:])(\d{1,9}) (?:rows?|records?|results?)\b(?: (?:returned|in set|selected|found|fetched))?"
    r"|\b(?:row|record|result)s?(?:[ _]?count| returned| found| fetched)?\s?[:=]\s?(\d{1,9})\b"
    r"|\b(?:returned|fetched|selected|found|showing)(?: the first)? (\d{1,9}) (?:rows?|records?|results?)\b",
    re.IGNORECASE,
)  # fmt: skip
_NOTHING = re.compile(
    r"\b(?:no|zero|0) (?:matching )?(?:rows?|results?|records?|data)\b"
    r"|\b(?:empty set|empty result(?: set)?|returned no (?:rows|results|data)|query returned nothing)\b",
    re.IGNORECASE,
)
_RULE_LINE = re.compile(r"[\s|+:=─━┼┿╋┬┴├┤╞╪╡═-]+")


def rows(structured: Json, text: str) -> int | None:
    """Return the number of rows of a reply, from its structured value if that tells, else from its text."""
    counted = count_json(structured) if structured is not None else None
    return count_text(text) if counted is None else counted


def count_json(value: Json, depth: int = 0) -> int | None:
    """Return how many rows a JSON value holds: an array of rows, or an object that holds or counts them."""
    if isinstance(value, list):
        return len(value) if all(isinstance(item, dict | list) or item is None for item in value) else None
    if not isinstance(value, dict) or depth > 4:
        return None
    lowered = {str(key).lower(): item for key, item in value.items()}
    for key in _SETS:
        inner = lowered.get(key)
        if isinstance(inner, list) and inner and all(isinstance(mapping(item).get("rows"), list) for item in inner):
            return sum(len(item["rows"]) for item in inner)
    for key in _ARRAYS:
        if isinstance(lowered.get(key), list):
            return len(lowered[key])
    for key in _COUNTS:
        count = lowered.get(key)
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
            return count
    for key in _ARRAYS:
        inner = lowered.get(key)
        found = count_text(inner, depth + 1) if isinstance(inner, str) else count_json(inner, depth + 1)
        if found is not None:
            return found
    return None


def count_text(text: str, depth: int = 0) -> int | None:
    """Return how many rows a text holds: JSON, Python literals, JSON lines, tables, CSV, or words that count."""
    text = text[:MAX_TEXT].strip()
    if not text or depth > 4:
        return None
    for reader in (_json, _literal, _json_lines, _table, _words, _csv):
        found = reader(text, depth)
        if found is not None:
            return found
    return None


def _json(text: str, depth: int) -> int | None:
    """Read the whole text, or what stands between its first and last bracket, as JSON."""
    if text[0] in "[{":
        return count_json(_decoded(text), depth)
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    end = max(text.rfind("]"), text.rfind("}"))
    if 0 < start <= 4_000 and end > start:
        return count_json(_decoded(text[start : end + 1]), depth)
    return None


def _decoded(text: str) -> Json:
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def _literal(text: str, depth: int) -> int | None:
    """Read a Python list of tuples or dicts; None stands for what cannot be read (a call such as Decimal(…))."""
    if text[0] != "[" or text[-1] != "]" or len(text) > MAX_LITERAL:
        return None
    if text == "[]":
        return 0
    if text[1:2] not in "([{":
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return _top_level(text)
    return len(value) if isinstance(value, list) else None


def _top_level(text: str) -> int | None:
    """Count the bracketed items one level down in a literal that is not plain, strings skipped."""
    depth, count, quote, skip = 0, 0, "", False
    for character in text:
        if skip or quote:
            skip, quote = (not skip and character == "\\"), ("" if character == quote and not skip else quote)
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
            count += depth == 2
        elif character in ")]}":
            depth -= 1
    return count if depth == 0 and not quote else None


def _json_lines(text: str, depth: int) -> int | None:
    """Count lines when every one of them is a JSON object or array."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or any(line.lstrip()[0] not in "[{" for line in lines):
        return None
    return len(lines) if all(_decoded(line) is not None for line in lines[:200]) else None


def _table(text: str, depth: int) -> int | None:
    """Count the body lines of a Markdown, box or psql table: what follows the ruled line under the heads."""
    lines = [line.rstrip() for line in text.splitlines()]
    ruled = [
        at for at, line in enumerate(lines) if len(line) > 2 and _RULE_LINE.fullmatch(line) and set(line) & set("-─━═")
    ]
    heads = next((at for at in ruled if at > 0 and _is_row(lines[at - 1])), None)
    if heads is None:
        return None
    count = 0
    for line in lines[heads + 1 :]:
        if _RULE_LINE.fullmatch(line) and line.strip():
            continue
        if not _is_row(line):
            break
        count += 1
    return count


def _is_row(line: str) -> bool:
    return "|" in line or "│" in line or "┃" in line


def _words(text: str, depth: int) -> int | None:
    """Read the words that count rows, near the beginning or the end."""
    parts = (text[:2_000], text[-600:]) if len(text) > 2_600 else (text,)
    for part in parts:
        match = _COUNT_TEXT.search(part)
        if match:
            return int(next(group for group in match.groups() if group is not None))
    return 0 if any(_NOTHING.search(part) for part in parts) else None


def _csv(text: str, depth: int) -> int | None:
    """Count lines after a head line when all of them have as many separators as it has (tabs, commas, semicolons)."""
    lines = [line for line in text.splitlines() if line.strip()]
    for separator in ("\t", ",", ";", "|"):
        width = lines[0].count(separator)
        named = all(re.fullmatch(r"[\"' \w.()*-]{1,80}", name) for name in lines[0].split(separator)[:50])
        if len(lines) > 1 and width and named and all(line.count(separator) >= width for line in lines[1:500]):
            return len(lines) - 1
    return None


def structured_of(message: Json) -> Json:
    """Return the structured value of a reply, or None."""
    return mapping(mapping(message).get("result")).get("structuredContent")


def first_text(message: Json) -> str:
    """Return the text blocks of a reply, one per line."""
    blocks = sequence(mapping(mapping(message).get("result")).get("content"))
    return "\n".join(
        block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)
    )
