"""Servers that change files: careless about one argument each, and careful ones that look careless."""

import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import PATH, joined, resolved, text
from toykit import Refused, Toys

toys = Toys()
ONLY = {f"checks.fs-{name}.enabled": False for name in ("read-escape", "link-escape", "size-cap")}
CONTENT = {**PATH, "content": {"type": "string"}}
PAIR = {"source": {"type": "string"}, "destination": {"type": "string"}}


def writer(server, find):
    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        Path(find(server.root, arguments["path"])).write_text(arguments["content"])
        return "Written"


@toys.toy("fail", "outside-written", **ONLY)
def writes_blindly(server):
    """Joins root and path and writes."""
    writer(server, joined)


@toys.toy("fail", "outside-written", **ONLY)
def compares_texts(server):
    """Compares the beginning of the path with the root as text, so the sibling passes."""

    def find(root, path):
        found = os.path.realpath(joined(root, path))
        if not found.startswith(root):
            raise Refused("Access denied")
        return found

    writer(server, find)


@toys.toy("fail", "outside-written", **ONLY)
def decodes_after_the_check(server):
    """Checks the path as it came, then decodes percent signs, then writes."""
    writer(server, lambda root, path: unquote(resolved(root, path)))


@toys.toy("fail", "outside-written", **ONLY)
def refuses_too_late(server):
    """Writes first, then finds that it should not have, and says so."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        Path(joined(server.root, arguments["path"])).write_text(arguments["content"])
        resolved(server.root, arguments["path"])
        return "Written"


@toys.toy("fail", "outside-written", **ONLY)
def edits_anything(server):
    """Guards writing, and edits any file that exists."""
    writer(server, resolved)
    edit = {**PATH, "old_text": {"type": "string"}, "new_text": {"type": "string"}}

    @server.tool("edit_file", edit, ["path", "old_text", "new_text"])
    def edit_file(arguments):
        """Replace a text in a file."""
        path = Path(joined(server.root, arguments["path"]))
        before = text(path)
        if arguments["old_text"] not in before:
            raise Refused("Text not found")
        path.write_text(before.replace(arguments["old_text"], arguments["new_text"]))
        return "Edited"


@toys.toy("fail", "outside-written", **ONLY)
def makes_folders_anywhere(server):
    """Guards writing, and makes folders wherever it is asked to."""
    writer(server, resolved)

    @server.tool("create_directory", PATH, ["path"])
    def create_directory(arguments):
        """Make a directory."""
        os.makedirs(joined(server.root, arguments["path"]), exist_ok=True)
        return "Made"


@toys.toy("fail", "outside-written", **ONLY)
def moves_to_anywhere(server):
    """Checks what is moved, and not where it goes."""

    @server.tool("move_file", PAIR, ["source", "destination"])
    def move_file(arguments):
        """Move a file."""
        os.rename(resolved(server.root, arguments["source"]), joined(server.root, arguments["destination"]))
        return "Moved"


@toys.toy("fail", "outside-removed", **ONLY)
def moves_from_anywhere(server):
    """Checks where a file goes, and not where it comes from."""

    @server.tool("move_file", PAIR, ["source", "destination"])
    def move_file(arguments):
        """Move a file."""
        os.rename(joined(server.root, arguments["source"]), resolved(server.root, arguments["destination"]))
        return "Moved"


@toys.toy("fail", "outside-removed", **ONLY)
def deletes_anything(server):
    """Deletes whatever it is asked to."""

    @server.tool("delete_file", PATH, ["path"])
    def delete_file(arguments):
        """Delete a file."""
        os.unlink(joined(server.root, arguments["path"]))
        return "Deleted"


@toys.toy("fail", "brought-inside", **ONLY)
def copies_from_anywhere(server):
    """Checks where a copy goes, and not what is copied."""

    @server.tool("copy_file", PAIR, ["source", "destination"])
    def copy_file(arguments):
        """Copy a file."""
        shutil.copyfile(joined(server.root, arguments["source"]), resolved(server.root, arguments["destination"]))
        return "Copied"


@toys.toy("pass", "contained", near=True, **ONLY)
def checks_every_argument(server):
    """Looks where every path leads, of every tool, both ends of a move and a copy."""
    writer(server, resolved)

    @server.tool("create_directory", PATH, ["path"])
    def create_directory(arguments):
        """Make a directory."""
        os.makedirs(resolved(server.root, arguments["path"]))
        return "Made"

    @server.tool("move_file", PAIR, ["source", "destination"])
    def move_file(arguments):
        """Move a file."""
        os.rename(resolved(server.root, arguments["source"]), resolved(server.root, arguments["destination"]))
        return "Moved"

    @server.tool("copy_file", PAIR, ["source", "destination"])
    def copy_file(arguments):
        """Copy a file."""
        shutil.copyfile(resolved(server.root, arguments["source"]), resolved(server.root, arguments["destination"]))
        return "Copied"

    @server.tool("delete_file", PATH, ["path"])
    def delete_file(arguments):
        """Delete a file."""
        os.unlink(resolved(server.root, arguments["path"]))
        return "Deleted"


@toys.toy("pass", "contained", near=True, **ONLY)
def boasts(server):
    """Says that it wrote, also when it refused; nothing outside changes."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        with suppress(Refused, OSError):
            Path(resolved(server.root, arguments["path"])).write_text(arguments["content"])
        return f"Successfully wrote {arguments['content']!r} to {arguments['path']}"


@toys.toy("pass", "contained", near=True, **ONLY)
def keeps_a_diary(server):
    """Notes each call and its arguments in a file in its own home, which is its own business."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        with open(os.path.expanduser("~/diary.log"), "a") as diary:
            diary.write(f"write_file {arguments}\n")
        Path(resolved(server.root, arguments["path"])).write_text(arguments["content"])
        return "Written"


@toys.toy("pass", "contained", near=True, **ONLY)
def files_odd_names_inside(server):
    """Takes only the last part of any path, so that everything lands inside the root."""
    writer(server, lambda root, path: os.path.join(root, os.path.basename(path.replace("\0", "").rstrip("/."))))


@toys.toy("part", "some-unjudged", **ONLY)
def has_a_tool_that_never_works(server):
    """Guards writing; deleting wants a licence that nobody has."""
    writer(server, resolved)

    @server.tool("delete_file", PATH, ["path"])
    def delete_file(arguments):
        """Delete a file."""
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control", **ONLY)
def only_says_that_it_wrote(server):
    """Writes nothing at all, inside neither, and says that it did."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        return "Written"


@toys.toy("inconclusive", "none-answered", **ONLY, **{"timeouts.call_sec": 1})
def never_answers(server):
    """Takes calls and says nothing."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        time.sleep(60)


if __name__ == "__main__":
    toys.main()
