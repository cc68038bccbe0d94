"""Servers that show files: careless about one spelling each, and careful ones that look careless."""

import base64
import os
import sys
import time
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from rooted import PATH, is_below, joined, lexical, reader, resolved, text
from toykit import Refused, RpcError, Toys

toys = Toys()
ONLY = {f"checks.fs-{name}.enabled": False for name in ("write-escape", "link-escape", "size-cap")}


@toys.toy("fail", "outside-read", **ONLY)
def joins_blindly(server):
    """Joins root and path and opens what comes out."""
    reader(server, "read_file", joined)


@toys.toy("fail", "outside-read", **ONLY)
def compares_texts(server):
    """Compares the beginning of the resolved path with the root as text, so the sibling passes."""

    def find(root, path):
        found = os.path.realpath(joined(root, path))
        if not found.startswith(root):
            raise Refused("Access denied")
        return found

    reader(server, "read_file", find)


@toys.toy("fail", "outside-read", **ONLY)
def decodes_after_the_check(server):
    """Checks the path as it came, then decodes percent signs, then opens."""
    reader(server, "read_file", lambda root, path: unquote(resolved(root, path)))


@toys.toy("fail", "outside-read", **ONLY)
def cuts_dots_once(server):
    """Cuts ../ out of the path once and takes the rest for harmless; absolute paths are refused."""

    def find(root, path):
        if path.startswith("/"):
            return resolved(root, path)
        return joined(root, path.replace("../", ""))

    reader(server, "read_file", find)


@toys.toy("fail", "outside-read", **ONLY)
def folds_look_alikes_after_the_check(server):
    """Normalises look-alike characters after the check."""
    reader(server, "read_file", lambda root, path: unicodedata.normalize("NFKC", lexical(root, path)))


@toys.toy("fail", "outside-read", **ONLY)
def cuts_at_nul_after_the_check(server):
    """Checks what stands after a NUL, and opens what stands before it."""

    def find(root, path):
        before, _, after = path.rpartition("\0")
        resolved(root, after)
        return joined(root, before or after)

    reader(server, "read_file", find)


@toys.toy("fail", "outside-read", **ONLY)
def expands_home_after_the_check(server):
    """Checks the path as it came, then replaces ~ by the home directory."""

    def find(root, path):
        resolved(root, path)
        return os.path.join(root, os.path.expanduser(path))

    reader(server, "read_file", find)


@toys.toy("fail", "outside-read", **ONLY)
def takes_file_urls_unchecked(server):
    """Checks paths and opens file URLs without a check."""

    def find(root, path):
        return unquote(urlsplit(path).path) if path.startswith("file://") else resolved(root, path)

    reader(server, "read_file", find)


@toys.toy("fail", "outside-read", **ONLY)
def checks_the_first_item(server):
    """Checks the first of several paths only."""

    @server.tool("read_files", {"paths": {"type": "array", "items": {"type": "string"}}}, ["paths"])
    def read_files(arguments):
        """Read several text files."""
        paths = arguments["paths"]
        resolved(server.root, paths[0])
        return "\n".join(text(joined(server.root, path)) for path in paths)


@toys.toy("fail", "outside-read", **ONLY)
def packs_it_in_a_blob(server):
    """Joins blindly and returns the file as an embedded resource in base64."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a file."""
        content = Path(joined(server.root, arguments["path"])).read_bytes()
        blob = {"uri": "file:///it", "mimeType": "text/plain", "blob": base64.b64encode(content).decode()}
        return {"content": [{"type": "resource", "resource": blob}]}


@toys.toy("fail", "outside-read", **ONLY)
def serves_any_resource(server):
    """Guards its tool, and serves every file URL as a resource."""
    reader(server, "read_file", resolved)
    server.offer("resources", [{"uri": f"file://{server.root}/hello.txt", "name": "hello"}])

    @server.on("resources/read")
    def read(params):
        path = unquote(urlsplit(params["uri"]).path)
        try:
            return {"contents": [{"uri": params["uri"], "text": text(path)}]}
        except OSError as problem:
            raise RpcError(-32002, "Resource not found") from problem


@toys.toy("fail", "outside-listed", **ONLY)
def lists_anything(server):
    """Guards reading, and lists any directory."""
    reader(server, "read_file", resolved)

    @server.tool("list_directory", PATH, ["path"])
    def list_directory(arguments):
        """List the names in a directory."""
        return "\n".join(sorted(os.listdir(joined(server.root, arguments["path"]))))


@toys.toy("fail", "outside-listed", **ONLY)
def searches_anywhere(server):
    """Guards reading, and finds files below any directory."""
    reader(server, "read_file", resolved)

    @server.tool("search_files", {**PATH, "pattern": {"type": "string"}}, ["path", "pattern"])
    def search_files(arguments):
        """Find files by a part of their name."""
        top = Path(joined(server.root, arguments["path"]))
        found = sorted(str(path) for path in top.iterdir() if arguments["pattern"] in path.name)
        return "\n".join(found) or "No matches found"


@toys.toy("fail", "outside-listed", **ONLY)
def measures_anything(server):
    """Guards reading, and tells the size of any file."""
    reader(server, "read_file", resolved)

    @server.tool("get_file_info", PATH, ["path"])
    def get_file_info(arguments):
        """Get the size of a file."""
        return f"size: {os.stat(joined(server.root, arguments['path'])).st_size}"


@toys.toy(
    "fail",
    "outside-read",
    **ONLY,
    **{
        "server.rootless": True,
        "server.args": ("${SEALMARK_CORPORA}/fs/fs-read-escape/toys.py", "knows_no_root"),
    },
)
def knows_no_root(server):
    """Takes no root and reads whatever it is asked for."""
    reader(server, "read_file", lambda root, path: path)


@toys.toy("pass", "contained", near=True, **ONLY)
def resolves_then_compares(server):
    """Looks where every path leads and compares by components: reading, listing, searching, measuring."""
    reader(server, "read_file", resolved)

    @server.tool("list_directory", PATH, ["path"])
    def list_directory(arguments):
        """List the names in a directory."""
        return "\n".join(sorted(os.listdir(resolved(server.root, arguments["path"]))))

    @server.tool("search_files", {**PATH, "pattern": {"type": "string"}}, ["path", "pattern"])
    def search_files(arguments):
        """Find files by a wildcard pattern."""
        top = Path(resolved(server.root, arguments["path"]))
        return "\n".join(sorted(str(path) for path in top.glob(arguments["pattern"]))) or "No matches found"

    @server.tool("get_file_info", PATH, ["path"])
    def get_file_info(arguments):
        """Get the size of a file."""
        return f"size: {os.stat(resolved(server.root, arguments['path'])).st_size}"

    @server.tool("read_files", {"paths": {"type": "array", "items": {"type": "string"}}}, ["paths"])
    def read_files(arguments):
        """Read several text files."""
        return "\n".join(text(resolved(server.root, path)) for path in arguments["paths"])


@toys.toy("pass", "contained", near=True, **ONLY)
def decodes_before_the_check(server):
    """Decodes percent signs and file URLs first, and checks what comes out."""

    def find(root, path):
        path = unquote(unquote(urlsplit(path).path if path.startswith("file:") else path))
        return resolved(root, path)

    reader(server, "read_file", find)
    server.offer("resources", [{"uri": f"file://{server.root}/hello.txt", "name": "hello"}])

    @server.on("resources/read")
    def read(params):
        try:
            return {"contents": [{"uri": params["uri"], "text": text(find(server.root, params["uri"]))}]}
        except (Refused, OSError) as problem:
            raise RpcError(-32002, "Resource not found") from problem


@toys.toy("pass", "contained", near=True, **ONLY)
def takes_relative_paths_only(server):
    """Refuses every absolute path, also one inside the root."""

    def find(root, path):
        if os.path.isabs(path):
            raise Refused("Give a relative path")
        return resolved(root, path)

    reader(server, "read_file", find)


@toys.toy("pass", "contained", near=True, **ONLY)
def repeats_the_path(server):
    """Names the path, where it leads and the root in every refusal, and shows nothing."""

    def find(root, path):
        found = os.path.realpath(joined(root, path))
        if not is_below(root, found):
            raise Refused(f"{path} leads to {found}, which is outside {root}; ask for hello.txt in {root} instead")
        return found

    reader(server, "read_file", find)


@toys.toy("pass", "contained", near=True, **ONLY)
def has_one_sentence(server):
    """Answers every problem with the same words, without the error flag."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        try:
            return text(resolved(server.root, arguments["path"]))
        except (Refused, OSError):
            return "That did not work."


@toys.toy("part", "some-unjudged", **ONLY)
def has_a_tool_that_never_works(server):
    """Guards reading; a second reader wants a licence that nobody has."""
    reader(server, "read_file", resolved)

    @server.tool("read_archive_file", PATH, ["path"])
    def read_archive_file(arguments):
        """Read a file from the archive."""
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control", **ONLY)
def reads_nothing(server):
    """Refuses every path, inside too."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        raise Refused("Access denied")


@toys.toy("inconclusive", "none-answered", **ONLY, **{"timeouts.call_sec": 1})
def never_answers(server):
    """Takes calls and says nothing."""

    @server.tool("read_file", PATH, ["path"])
    def read_file(arguments):
        """Read a text file."""
        time.sleep(60)


if __name__ == "__main__":
    toys.main()
