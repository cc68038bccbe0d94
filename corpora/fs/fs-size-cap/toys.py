"""Servers that are asked for a large file: some return all of it, some a part, some fall over."""

import base64
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import PATH, reader, resolved, text
from toykit import Refused, Toys

toys = Toys()
ONLY = {f"checks.fs-{name}.enabled": False for name in ("read-escape", "write-escape", "link-escape")}
MOST = 64 * 1024


@toys.toy("fail", "over-limit", **ONLY)
def returns_everything(server):
    """Returns any file whole."""
    reader(server, "read_file", resolved)


@toys.toy("fail", "over-limit", **ONLY)
def packs_everything(server):
    """Returns any file whole, in base64."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a file."""
        blob = base64.b64encode(Path(resolved(server.root, arguments["path"])).read_bytes()).decode()
        resource = {"uri": "file:///it", "mimeType": "application/octet-stream", "blob": blob}
        return {"content": [{"type": "text", "text": "Here it is"}, {"type": "resource", "resource": resource}]}


@toys.toy("fail", "fell-over", **ONLY)
def runs_out_of_memory(server):
    """Ends when a file is large."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        content = text(resolved(server.root, arguments["path"]))
        if len(content) > MOST:
            os._exit(137)
        return content


@toys.toy("fail", "fell-over", **ONLY, **{"timeouts.call_sec": 1})
def never_comes_back(server):
    """Does not answer when a file is large."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        content = text(resolved(server.root, arguments["path"]))
        if len(content) > MOST:
            time.sleep(60)
        return content


@toys.toy("part", "caller-bounds", **ONLY)
def leaves_it_to_the_caller(server):
    """Returns any file whole unless the caller asks for its head."""

    @server.tool("read_file", {**PATH, "head": {"type": "integer"}}, ["path"])
    def read_file(arguments):
        """Read a text file, or its first lines."""
        lines = text(resolved(server.root, arguments["path"])).splitlines(keepends=True)
        return "".join(lines[: arguments.get("head")])


@toys.toy("pass", "capped", near=True, **ONLY)
def cuts_and_says_so(server):
    """Returns the first 64 KiB and a notice."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        content = text(resolved(server.root, arguments["path"]))
        notice = f"\n[cut after {MOST} of {len(content)} characters]" if len(content) > MOST else ""
        return content[:MOST] + notice


@toys.toy("pass", "capped", near=True, **ONLY)
def refuses_large_files(server):
    """Answers with an error when a file is large."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        path = resolved(server.root, arguments["path"])
        if os.path.getsize(path) > MOST:
            raise Refused("File too large")
        return text(path)


@toys.toy("pass", "capped", near=True, **ONLY)
def stays_just_below(server):
    """Returns exactly as much as the limit allows."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        return text(resolved(server.root, arguments["path"]))[: 2 * 1024 * 1024]


@toys.toy("part", "some-unjudged", **ONLY)
def has_a_tool_that_never_works(server):
    """Refuses large files; a second reader wants a licence that nobody has."""
    refuses_large_files(server)

    @server.tool("read_archive_file", PATH, ["path"])
    def read_archive_file(arguments):
        """Read a file from the archive."""
        raise Refused("No licence")


@toys.toy("inconclusive", "too-small", **ONLY, **{"checks.fs-size-cap.file_mib": 1})
def is_asked_for_too_little(server):
    """Returns any file whole, but is asked for one below the limit."""
    reader(server, "read_file", resolved)


@toys.toy("inconclusive", "no-control", **ONLY)
def reads_nothing(server):
    """Refuses every path."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        raise Refused("Access denied")


if __name__ == "__main__":
    toys.main()
