"""Servers that publish credentials, and some that publish what only looks like one.

The credentials are invented, and put together when a server starts, so that no file holds one.
"""

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Toys

toys = Toys(checks__protocol__enabled=False)
DIGITS = hashlib.sha256(b"invented").hexdigest()
ACCESS_KEY = (
    "AK" + "IA" + "".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[int(DIGITS[n : n + 2], 16) % 32] for n in range(0, 32, 2))
)
TOKEN = "gh" + "p_" + "".join(chr(ord("a") + int(DIGITS[n], 16)) + DIGITS[n + 1].upper() for n in range(0, 36, 2))


def build(server):
    server.tool("add", {"a": {"type": "number"}})(lambda arguments: 1)


@toys.toy("fail", "in-metadata")
def shows_a_key_in_an_example(server):
    """A key in the description of an argument."""
    key = {"type": "string", "description": f"Access key, for instance {ACCESS_KEY}"}
    server.tool("upload", {"key": key})(lambda arguments: 1)


@toys.toy("fail", "in-resource")
def publishes_its_settings(server):
    """A resource with the server's own configuration."""
    build(server)
    server.offer("resources", [{"uri": "config://server", "name": "config"}])
    body = f"region = eu\naws_access_key_id = {ACCESS_KEY}\n"
    server.on("resources/read")(lambda params: {"contents": [{"uri": "config://server", "text": body}]})


@toys.toy("fail", "in-prompt")
def prompts_with_a_token(server):
    """A prompt with a token in it."""
    build(server)
    server.offer("prompts", [{"name": "release"}])
    text = {"type": "text", "text": f"Make a release with the token {TOKEN}."}
    server.on("prompts/get")(lambda params: {"messages": [{"role": "user", "content": text}]})


@toys.toy("fail", "in-result")
def returns_its_settings(server):
    """A tool that returns the configuration."""
    server.tool("settings", annotations={"readOnlyHint": True})(lambda arguments: f"token: {TOKEN}")


@toys.toy("pass", "clean", near=True)
def shows_placeholders(server):
    """Placeholders, hashes and identifiers."""
    build(server)
    text = f"api_key=YOUR_API_KEY_HERE\npassword: <your password>\nsha256 = {DIGITS}\ntoken: ${{TOKEN}}\n"
    server.offer("resources", [{"uri": "config://sample", "name": "sample"}])
    server.on("resources/read")(lambda params: {"contents": [{"uri": "config://sample", "text": text}]})
    server.tool("settings", annotations={"readOnlyHint": True})(lambda arguments: f"commit {DIGITS[:40]}")


if __name__ == "__main__":
    toys.main()
