"""Whether a result is well formed by the negotiated revision, and a tool's name one that the spec asks for."""

from __future__ import annotations

import re

from sealmark.reading.visible import visible
from sealmark.record.model import Json

MAX_SHOWN = 300
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def invalid_shape(method: str, protocol_version: str, result: Json) -> str:
    """Return what is wrong with the shape of a result, or the empty string when it is fine or no rule is known.

    The types are those that `mcp-types` publishes for the revision; an unknown method or revision has none.
    """
    if not isinstance(result, dict):
        return f"the result is {_kind(result)}, not an object"
    from mcp_types import methods
    from mcp_types.version import KNOWN_PROTOCOL_VERSIONS
    from pydantic import ValidationError

    if protocol_version not in KNOWN_PROTOCOL_VERSIONS:
        return ""
    try:
        methods.validate_server_result(method, protocol_version, result)
    except KeyError:
        return ""
    except ValidationError as error:
        return _first(error.errors(include_url=False, include_context=False, include_input=False))
    except ValueError:  # no rule for this revision: the types know only those that were published
        return ""
    except (RecursionError, TypeError) as error:
        return visible(f"the result cannot be validated: {type(error).__name__}", newlines="escape", limit=MAX_SHOWN)
    return ""


def _first(errors: list[Json]) -> str:
    """Return pydantic's errors in one line: the first one of the branch of a union that came closest.

    The branches of a union stand in the places of errors as class names; a branch whose fixed values (a block's type)
    did not fit was not the one that was meant.
    """
    branches: dict[tuple[str, ...], list[Json]] = {}
    for error in errors:
        branches.setdefault(tuple(str(part) for part in error.get("loc", ()) if _is_class(part)), []).append(error)
    if not branches:
        return "the result does not have the shape that its revision asks for"
    closest = min(branches.values(), key=lambda found: (any(_is_fixed(error) for error in found), len(found)))
    place = ".".join(str(part) for part in closest[0].get("loc", ()) if not _is_class(part))
    more = f" (and {len(closest) - 1} more)" if len(closest) > 1 else ""
    return visible(f"{place or 'result'}: {closest[0].get('msg', '')}{more}", newlines="escape", limit=MAX_SHOWN)


def _is_class(part: Json) -> bool:
    return isinstance(part, str) and part[:1].isupper()


def _is_fixed(error: Json) -> bool:
    return str(error.get("type", "")).startswith(("literal", "enum"))


def _kind(value: Json) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "no JSON value")


def name_problem(name: Json) -> str:
    """Return why a tool name is not one that the spec asks for (1 to 128 of letters, digits, `_`, `-`, `.`)."""
    if not isinstance(name, str):
        return "the name is not a string"
    if not name:
        return "the name is empty"
    if len(name) > 128:
        return f"the name has {len(name)} characters, more than 128"
    return "" if _NAME.fullmatch(name) else "the name has characters other than letters, digits, _, - and ."
