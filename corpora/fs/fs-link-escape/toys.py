"""Servers that meet links: some follow them out of the root, some only look as if they did."""

import os
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import PATH, is_below, lexical, reader, resolved, text
from toykit import Refused, Toys

toys = Toys()
ONLY = {f"checks.fs-{name}.enabled": False for name in ("read-escape", "write-escape", "size-cap")}
CONTENT = {**PATH, "content": {"type": "string"}}
PAIR = {"source": {"type": "string"}, "destination": {"type": "string"}}


def writer(server, find):
    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        Path(find(server.root, arguments["path"])).write_text(arguments["content"])
        return "Written"


@toys.toy("fail", "link-read", **ONLY)
def reads_through_links(server):
    """Removes dots and compares, and opens whatever the name leads to."""
    reader(server, "read_file", lexical)


@toys.toy("fail", "link-read", **ONLY)
def refuses_linked_files_only(server):
    """Refuses a path that is a link, and does not look at the folders on the way."""

    def find(root, path):
        found = lexical(root, path)
        if os.path.islink(found):
            raise Refused("Links are not read")
        return found

    reader(server, "read_file", find)


@toys.toy("fail", "link-written", **ONLY)
def writes_through_links(server):
    """Guards reading, and writes to whatever the name leads to."""
    reader(server, "read_file", resolved)
    writer(server, lexical)


@toys.toy("fail", "link-written", **ONLY)
def trusts_what_does_not_exist(server):
    """Looks where existing files lead; a new file needs no look, and a dangling link is taken for one."""

    def find(root, path):
        found = lexical(root, path)
        if not is_below(os.path.realpath(root), os.path.realpath(os.path.dirname(found))):
            raise Refused("Access denied")
        return resolved(root, path) if os.path.exists(found) else found

    writer(server, find)


@toys.toy("fail", "link-copied", **ONLY)
def copies_through_links(server):
    """Guards where a copy goes, and copies whatever the source's name leads to."""

    @server.tool("copy_file", PAIR, ["source", "destination"])
    def copy_file(arguments):
        """Copy a file."""
        shutil.copyfile(lexical(server.root, arguments["source"]), resolved(server.root, arguments["destination"]))
        return "Copied"


@toys.toy("fail", "link-listed", **ONLY)
def walks_into_links(server):
    """Guards reading and the top of a listing, and walks into linked folders."""
    reader(server, "read_file", resolved)

    @server.tool("directory_tree", PATH, ["path"])
    def directory_tree(arguments):
        """List all names below a directory."""
        top = resolved(server.root, arguments["path"])
        return "\n".join(name for _, _, names in os.walk(top, followlinks=True) for name in sorted(names))


@toys.toy("pass", "not-followed", near=True, **ONLY)
def looks_where_it_leads(server):
    """Looks where every path leads before it reads, writes or lists; hard links it cannot tell."""
    reader(server, "read_file", resolved)
    writer(server, resolved)

    @server.tool("directory_tree", PATH, ["path"])
    def directory_tree(arguments):
        """List all names below a directory."""
        return "\n".join(
            sorted(name for _, _, names in os.walk(resolved(server.root, arguments["path"])) for name in names)
        )


@toys.toy("pass", "not-followed", near=True, **ONLY)
def opens_without_following(server):
    """Opens each part of the path from the root on with O_NOFOLLOW, and needs no other check."""

    def opened(path, flags):
        parts = os.path.relpath(lexical(server.root, path), server.root).split("/")
        folder = os.open(server.root, os.O_RDONLY)
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        try:
            return os.open(parts[-1], flags | os.O_NOFOLLOW, 0o644, dir_fd=folder)
        finally:
            os.close(folder)

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        with os.fdopen(opened(arguments["path"], os.O_RDONLY)) as file:
            return file.read()

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        with os.fdopen(opened(arguments["path"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as file:
            file.write(arguments["content"])
        return "Written"


@toys.toy("pass", "not-followed", near=True, **ONLY)
def replaces_links(server):
    """Writes a new file and puts it in the place of the link, whose target stays as it was."""

    @server.tool("write_file", CONTENT, ["path", "content"])
    def write_file(arguments):
        """Write a text file."""
        path = lexical(server.root, arguments["path"])
        folder = os.path.realpath(os.path.dirname(path))
        if not is_below(os.path.realpath(server.root), folder):
            raise Refused("Access denied")
        Path(folder, ".new").write_text(arguments["content"])
        os.replace(Path(folder, ".new"), Path(folder, os.path.basename(path)))
        return "Written"


@toys.toy("pass", "not-followed", near=True, **ONLY)
def tells_where_links_lead(server):
    """Shows the target of each link in a listing, which follows nothing."""
    reader(server, "read_file", resolved)

    @server.tool("list_directory", PATH, ["path"])
    def list_directory(arguments):
        """List the names in a directory."""
        found = Path(resolved(server.root, arguments["path"])).iterdir()
        return "\n".join(
            f"{path.name} -> {os.readlink(path)}" if path.is_symlink() else path.name for path in sorted(found)
        )


@toys.toy("part", "some-unjudged", **ONLY)
def has_a_tool_that_never_works(server):
    """Guards reading; deleting wants a licence that nobody has."""
    reader(server, "read_file", resolved)

    @server.tool("delete_file", PATH, ["path"])
    def delete_file(arguments):
        """Delete a file."""
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control", **ONLY)
def reads_nothing(server):
    """Refuses every path, links and others."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        raise Refused("Access denied")


@toys.toy("inconclusive", "none-answered", **ONLY, **{"timeouts.call_sec": 1})
def falls_silent(server):
    """Reads plain files, and says nothing about anything else."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        if not arguments["path"].endswith("/hello.txt") or "link" in arguments["path"]:
            time.sleep(60)
        return text(resolved(server.root, arguments["path"]))


if __name__ == "__main__":
    toys.main()
