"""A small server for tests of the engine: `python servers.py NAME [ROOT]`, by the toy kit of the corpora."""

import base64
import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpora" / "_shared"))

from toykit import Refused, Toys, error

toys = Toys()
TEXT = {"text": {"type": "string"}}


@toys.toy("pass", "")
def many(server):
    """Tools that answer, refuse, hang, crash, write, and echo the environment."""

    @server.tool("echo", TEXT, ["text"])
    def echo(arguments):
        return arguments["text"]

    @server.tool("refuse", TEXT, ["text"])
    def refuse(arguments):
        raise Refused("not allowed")

    @server.tool("hang")
    def hang(arguments):
        time.sleep(3600)

    @server.tool("crash")
    def crash(arguments):
        print("Traceback (most recent call last):", file=sys.stderr, flush=True)
        os._exit(7)

    @server.tool("write", {"path": {"type": "string"}, **TEXT}, ["path", "text"])
    def write(arguments):
        Path(arguments["path"]).write_text(arguments["text"])
        return "written"

    @server.tool("environment", annotations={"readOnlyHint": True})
    def environment(arguments):
        return "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))

    @server.tool("big", TEXT, ["text"])
    def big(arguments):
        return "x" * 300_000 + os.environ["SEALMARK_CANARY"]

    @server.tool("ask")
    def ask(arguments):
        return {"resultType": "input_required", "inputRequests": {}}


@toys.toy("pass", "")
def contract(server):
    """Says what it is told to, as a result or as an error, and can log, crash and hang."""

    @server.tool("say", TEXT, ["text"], annotations={"readOnlyHint": True})
    def say(arguments):
        return arguments["text"]

    @server.tool("fail", TEXT, ["text"])
    def fail(arguments):
        raise Refused(arguments["text"])

    @server.tool("log", TEXT, ["text"])
    def log(arguments):
        print(arguments["text"], file=sys.stderr, flush=True)
        return "logged"

    @server.tool("hang")
    def hang(arguments):
        time.sleep(3600)

    @server.tool("crash")
    def crash(arguments):
        os._exit(7)


@toys.toy("pass", "")
def slow_start(server):
    """Answers nothing until it is told to on a pipe, that is never."""
    time.sleep(3600)


@toys.toy("pass", "")
def modern_only(server):
    """Speaks the 2026-07-28 revision and refuses `initialize`."""
    server.modern = True

    @server.tool("echo", TEXT, ["text"])
    def echo(arguments):
        return arguments["text"]

    from toykit import MODERN, RpcError

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", {"supported": [MODERN], "requested": "2025-11-25"})


@toys.toy("pass", "")
def secret_error(server):
    """Fails with the text of every variable that looks like a secret."""

    @server.tool("fail")
    def fail(arguments):
        return error(" ".join(os.environ.values()))


@toys.toy("pass", "")
def notes_methods(server):
    """Appends the name of every method that it is asked to the file that NOTES names; offers all kinds of tools."""
    receive = server.receive

    def noting(message):
        with open(os.environ["NOTES"], "a") as file:
            file.write(f"{message.get('method')}\n")
        receive(message)

    server.receive = noting
    path, text = {"path": {"type": "string", "description": "A file."}}, {"type": "string"}
    server.tool("read_file", path, ["path"], "Reads a file.", annotations={"readOnlyHint": True})(lambda given: "")
    server.tool("write_file", {**path, "content": text}, ["path", "content"], "Writes a file.")(lambda given: "")
    server.tool("run_command", {"command": text}, ["command"], "Runs a shell command.")(lambda given: "")
    server.tool("query", {"sql": {**text, "description": "A SQL statement."}}, ["sql"], "Queries.")(lambda given: "")
    server.tool("add", {"a": {"type": "number"}, "b": {"type": "number"}}, ["a", "b"], "Adds.")(lambda given: "")
    server.tool("impossible", {"x": {"not": {}}}, ["x"], "Takes nothing at all.")(lambda given: "")


def spellings():
    """Every variable of the environment in every usual spelling."""
    for name, value in sorted(os.environ.items()):
        data = value.encode()
        yield f"{name}={value}"
        yield f"{name}={base64.b64encode(data).decode()} {base64.urlsafe_b64encode(b'x' + data).decode()}"
        yield f"{name}={data.hex()} {quote(value, safe='')} {quote(quote(value, safe=''), safe='')}"
        yield json.dumps({name: json.dumps({name: value})})


@toys.toy("pass", "")
def tells_everything(server):
    """Puts its whole environment wherever it can: stdout, stderr, instructions, descriptions, results, errors."""
    told = "\n".join(spellings())
    print(told, file=sys.stderr, flush=True)
    for start in range(0, 600, 7):  # in pieces, so that no chunk holds a whole value
        sys.stderr.write(told[start : start + 7])
        sys.stderr.flush()
    server.write(told.encode() + b"\n")
    server.instructions = told
    server.info = {"name": "tells", "version": told[:200]}

    @server.tool("show", TEXT, ["text"], description=told, annotations={"readOnlyHint": True})
    def show(arguments):
        return told

    @server.tool("read_file", {"path": {"type": "string", "description": told}}, ["path"])
    def read_file(arguments):
        return error(told)


@toys.toy("pass", "")
def dies_telling(server):
    """Writes its environment to stderr and stdout and ends."""
    told = "\n".join(spellings())
    print(told, file=sys.stderr, flush=True)
    server.write(told.encode() + b"\n")
    raise SystemExit(3)


@toys.toy("pass", "")
def refuses_telling(server):
    """Answers the handshake with an error that holds its environment."""
    from toykit import RpcError

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32000, "\n".join(spellings()), {"why": list(spellings())})


if __name__ == "__main__":
    toys.main()
