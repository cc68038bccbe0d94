"""Headers of the modern era that repeat an argument of a tool, where the tool's schema asks for it. Pure.

Source: 2026-07-28, server/tools and basic/transports: a property with ``x-mcp-header`` goes along as ``Mcp-Param-*``.
"""

from __future__ import annotations

from typing import Any

MARK = "x-mcp-header"


def wanted(result: Any) -> dict[str, dict[str, str]]:
    """Tool -> property -> header, from the result of ``tools/list``; whatever is not of that shape is passed over."""
    tools = result.get("tools") if isinstance(result, dict) else None
    found: dict[str, dict[str, str]] = {}
    for tool in tools if isinstance(tools, list) else ():
        schema = tool.get("inputSchema") if isinstance(tool, dict) else None
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or not isinstance(tool.get("name"), str):
            continue
        named = {
            name: f"mcp-param-{each[MARK].lower()}"
            for name, each in properties.items()
            if isinstance(each, dict) and isinstance(each.get(MARK), str) and each[MARK].replace("-", "").isalnum()
        }
        if named:
            found[tool["name"]] = named
    return found


def values(params: Any, headers: dict[str, dict[str, str]]) -> dict[str, str]:
    """Header -> value for a call, for the arguments that are texts, numbers or booleans."""
    name = params.get("name") if isinstance(params, dict) else None
    arguments = params.get("arguments") if isinstance(params, dict) else None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return {}
    given = {header: arguments.get(property_) for property_, header in headers.get(name, {}).items()}
    return {header: _text(value) for header, value in given.items() if isinstance(value, str | int | float)}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
