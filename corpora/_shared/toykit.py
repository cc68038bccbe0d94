"""A small stdio MCP server that can misbehave on purpose. Standard library only; knows nothing of the harness.

A toys file declares servers, each with the verdict and rule that its check must give:

    toys = Toys()

    @toys.toy("fail", "outside-read")
    def joins_blindly(server):
        '''Joins root and path and opens what comes out.'''
        @server.tool("read_file", {"path": {"type": "string"}}, ["path"])
        def read_file(arguments):
            return open(os.path.join(server.root, arguments["path"])).read()

    if __name__ == "__main__":
        toys.main()

Run one as `python toys.py joins_blindly ROOT`, with a port behind it to serve HTTP (see httpkit).
Hooks for misbehaving: `server.on(method)` replaces a whole method,
`server.listings` and `server.info` are plain data, `server.send` writes any object, `server.write` any bytes.
"""

import inspect
import json
import os
import sys

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.body = {"code": code, "message": message, **({} if data is None else {"data": data})}


class Server:
    def __init__(self, name, root):
        self.name, self.root = name, root
        self.info = {"name": name, "version": "1.0.0"}
        self.versions, self.modern = list(VERSIONS), False
        self.capabilities = {"tools": {}}
        self.instructions = None
        self.tools, self.handlers, self.listings, self.methods = {}, {}, {}, {}
        self.strict = True
        self.http = None

    # -- declaring ------------------------------------------------------------------------------------------
    def tool(self, name, properties=None, required=(), description=None, **more):
        def register(function):
            schema = {"type": "object", "properties": properties or {}}
            if required:
                schema["required"] = list(required)
            text = description or inspect.getdoc(function) or f"The {name} tool."
            self.tools[name] = {"name": name, "description": text, "inputSchema": schema, **more}
            self.handlers[name] = function
            return function

        return register

    def on(self, method):
        def register(function):
            self.methods[method] = function
            return function

        return register

    def offer(self, kind, items):
        """Offer resources, resourceTemplates or prompts."""
        self.listings[kind] = items
        self.capabilities.setdefault("prompts" if kind == "prompts" else "resources", {})

    # -- wire -----------------------------------------------------------------------------------------------
    def write(self, data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def reply(self, request_id, result):
        self.send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def serve(self):
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
                continue
            self.receive(message)

    def receive(self, message):
        if (
            not isinstance(message, dict)
            or message.get("jsonrpc") != "2.0"
            or not isinstance(message.get("method"), str)
        ):
            if not (isinstance(message, dict) and ("result" in message or "error" in message)):
                error = {"code": -32600, "message": "Invalid request"}
                self.send({"jsonrpc": "2.0", "id": None, "error": error})
            return
        if "id" not in message:
            return
        try:
            params = message.get("params")
            if params is not None and not isinstance(params, dict):
                raise RpcError(-32602, "params must be an object")
            result = self.dispatch(message["method"], params or {})
            if result is not None:
                self.reply(message["id"], result)
        except RpcError as error:
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": error.body})

    # -- methods --------------------------------------------------------------------------------------------
    def dispatch(self, method, params):
        modern = self.modern and PREFIX + "protocolVersion" in params.get("_meta", {})
        if method == "server/discover" or modern:
            self.check_meta(method, params)
        if method in self.methods:
            result = self.methods[method](params)
        else:
            handler = {
                "initialize": self.initialize,
                "ping": lambda params: {},
                "server/discover": self.discover if self.modern else None,
                "tools/list": lambda params: self.listing(params, "tools", list(self.tools.values())),
                "tools/call": self.call,
                "resources/list": self.listed("resources", "resources"),
                "resources/templates/list": self.listed("resources", "resourceTemplates"),
                "prompts/list": self.listed("prompts", "prompts"),
            }.get(method)
            if handler is None:
                raise RpcError(-32601, f"Method not found: {method}")
            result = handler(params)
        if modern and isinstance(result, dict):
            result.setdefault("resultType", "complete")
            if method.endswith("/list") or method == "server/discover":
                result.setdefault("ttlMs", 0)
                result.setdefault("cacheScope", "private")
        return result

    def check_meta(self, method, params):
        meta = params.get("_meta")
        if not self.modern:
            raise RpcError(-32601, f"Method not found: {method}")
        if not isinstance(meta, dict) or not {PREFIX + "protocolVersion", PREFIX + "clientCapabilities"} <= set(meta):
            raise RpcError(-32602, "_meta lacks the protocol version or the client capabilities")
        version = meta[PREFIX + "protocolVersion"]
        if version != MODERN:
            raise RpcError(-32022, "Unsupported protocol version", {"supported": [MODERN], "requested": version})

    def initialize(self, params):
        asked = params.get("protocolVersion")
        result = {
            "protocolVersion": asked if asked in self.versions else self.versions[0],
            "capabilities": self.capabilities,
            "serverInfo": self.info,
        }
        return {**result, **({} if self.instructions is None else {"instructions": self.instructions})}

    def discover(self, params):
        result = {"supportedVersions": [MODERN], "capabilities": self.capabilities}
        return {**result, **({} if self.instructions is None else {"instructions": self.instructions})}

    def listed(self, capability, key):
        if capability not in self.capabilities:
            return None
        return lambda params: self.listing(params, key, self.listings.get(key, []))

    def listing(self, params, key, items):
        if "cursor" in params:
            raise RpcError(-32602, "Invalid cursor")
        return {key: items}

    def call(self, params):
        tool = self.tools.get(params.get("name")) if isinstance(params.get("name"), str) else None
        if tool is None:
            raise RpcError(-32602, "Unknown tool")
        arguments = params.get("arguments", {})
        problem = self.problem(tool["inputSchema"], arguments) if self.strict else ""
        if problem:
            return error(problem)
        try:
            return as_result(self.handlers[tool["name"]](arguments))
        except Refused as refusal:
            return error(str(refusal))
        except OSError as failure:
            return error(f"{failure.strerror}")

    def problem(self, schema, arguments):
        if not isinstance(arguments, dict):
            return "Invalid arguments: must be an object"
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
        for name in schema.get("required", ()):
            if name not in arguments:
                return f"Invalid arguments: {name} is required"
        for name, value in arguments.items():
            wanted = kinds.get(schema.get("properties", {}).get(name, {}).get("type"))
            if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)):
                return f"Invalid arguments: {name} has the wrong type"
        return ""


class Refused(Exception):
    """What a tool raises to refuse."""


def as_result(value):
    return value if isinstance(value, dict) else {"content": [{"type": "text", "text": str(value)}]}


def error(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


def steady_trace(kind, error, trace):
    """What Python writes when a server crashes, less the paths and lines, which differ from machine to machine."""
    print(f"Traceback (most recent call last):\n{kind.__name__}: {error}", file=sys.stderr)


class Toys:
    """The servers of one file, with the verdict each must get. `near` marks the near misses.

    Settings of a run (`timeouts__call_sec=1`) are given for one toy, or here for all of them.
    """

    def __init__(self, **settings):
        self.table, self.settings = {}, settings

    def toy(self, verdict, rule, near=False, **settings):
        def register(function):
            self.table[function.__name__] = {
                "verdict": verdict,
                "rule": rule,
                "near": near,
                "settings": {**self.settings, **settings},
                "about": inspect.getdoc(function) or "",
                "build": function,
            }
            return function

        return register

    def main(self):
        sys.excepthook = steady_trace
        name = sys.argv[1]
        server = Server(name, sys.argv[2] if len(sys.argv) > 2 else os.getcwd())
        if len(sys.argv) > 3 and sys.argv[3].isdigit():
            from httpkit import Http

            server.http = Http(server, int(sys.argv[3]))
        self.table[name]["build"](server)
        (server.http or server).serve()
