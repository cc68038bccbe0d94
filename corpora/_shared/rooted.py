"""Ways in which toys turn a path that they were given into one that they open, from careless to careful."""

import os

from toykit import Refused


def joined(root, path):
    """Joins, and looks no further."""
    if "\0" in path:
        raise Refused("Not a path")
    return os.path.join(root, path)


def is_below(root, path):
    """Compares by path components."""
    return os.path.commonpath([root, path]) == root


def lexical(root, path):
    """Removes dots, then compares; does not look where links lead."""
    found = os.path.abspath(joined(root, path))
    if not is_below(root, found):
        raise Refused("Access denied")
    return found


def resolved(root, path):
    """Looks where the path leads, then compares. What it returns holds no link."""
    found = os.path.realpath(joined(root, path))
    if not is_below(os.path.realpath(root), found):
        raise Refused("Access denied")
    return found


def text(path):
    """The text of a file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


PATH = {"path": {"type": "string"}}


def reader(server, name, find, root=None):
    """Registers a tool that reads the file that `find(root, path)` returns."""

    @server.tool(name, PATH, ["path"], f"Read a text file ({name}).")
    def read(arguments):
        return text(find(root or server.root, arguments["path"]))
