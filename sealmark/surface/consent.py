"""What a tool's annotations claim. Claims, not facts: the packs that watch effects judge them."""

from __future__ import annotations

from sealmark.reading.walk import mapping
from sealmark.record.model import Tool


def read_only(tool: Tool) -> bool:
    """Say whether the tool claims to change nothing."""
    return tool.annotations.get("readOnlyHint") is True


def destructive(tool: Tool) -> bool:
    """Say whether the tool may destroy: it claims so, or it claims nothing that rules it out (the spec's default)."""
    return not read_only(tool) and tool.annotations.get("destructiveHint") is not False


def closed_world(tool: Tool) -> bool:
    """Say whether the tool claims to reach nothing outside its own domain."""
    return tool.annotations.get("openWorldHint") is False


def no_arguments(tool: Tool) -> bool:
    """Say whether the tool's schema declares an object without any property and without alternatives."""
    schema = tool.input_schema
    if not isinstance(schema, dict) or "type" not in schema:
        return False
    more = ("required", "anyOf", "oneOf", "allOf", "$ref", "patternProperties", "minProperties")
    return not mapping(schema.get("properties")) and not any(schema.get(key) for key in more)


def task_only(tool: Tool) -> bool:
    """Say whether the tool can only be called as a task."""
    return mapping(tool.extra.get("execution")).get("taskSupport") == "required"
