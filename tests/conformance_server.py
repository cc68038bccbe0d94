"""A server with the tools, resources and prompts that the official conformance suite asks for, by their names.

`python conformance_server.py PORT` serves Streamable HTTP on the official SDK. What a client must declare first
(sampling, elicitation) is left out: the harness declares nothing.
"""

import base64
import logging
import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

server = MCPServer("conformance-fixture", version="1.0.0")
PIXEL = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
).decode()
SOUND = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0D\xac\0\0\x88X\1\0\2\0\x10\0data\0\0\0\0").decode()


def tool(name, description):
    return server.tool(name=name, description=description, structured_output=False)


@tool("test_simple_text", "Returns a text.")
def simple_text() -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text="This is a simple text response for testing.")])


@tool("test_image_content", "Returns an image.")
def image_content() -> CallToolResult:
    return CallToolResult(content=[ImageContent(type="image", data=PIXEL, mime_type="image/png")])


@tool("test_audio_content", "Returns a sound.")
def audio_content() -> CallToolResult:
    return CallToolResult(content=[AudioContent(type="audio", data=SOUND, mime_type="audio/wav")])


def embedded(uri, text):
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return EmbeddedResource(type="resource", resource=contents)


@tool("test_embedded_resource", "Returns a resource.")
def embedded_resource() -> CallToolResult:
    return CallToolResult(content=[embedded("test://embedded-resource", "This is an embedded resource content.")])


@tool("test_multiple_content_types", "Returns a text, an image and a resource.")
def multiple_content_types() -> CallToolResult:
    text = TextContent(type="text", text="Multiple content types test:")
    image = ImageContent(type="image", data=PIXEL, mime_type="image/png")
    return CallToolResult(content=[text, image, embedded("test://mixed-content-resource", '{"test":"data"}')])


@tool("test_error_handling", "Fails.")
def error_handling() -> CallToolResult:
    text = TextContent(type="text", text="This tool intentionally returns an error for testing")
    return CallToolResult(content=[text], is_error=True)


@tool("test_tool_with_progress", "Reports its progress.")
async def with_progress(ctx: Context) -> CallToolResult:
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return CallToolResult(content=[TextContent(type="text", text="done")])


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """An image."""
    return base64.b64decode(PIXEL)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:
    """Data by its id."""
    return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'


@server.prompt("test_simple_prompt")
def simple_prompt() -> str:
    """A prompt."""
    return "This is a simple prompt for testing."


@server.prompt("test_prompt_with_arguments")
def prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with two arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


if __name__ == "__main__":
    logging.disable()
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
