"""Servers that break one clause each, and near misses that break none."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import MODERN, PREFIX, RpcError, Toys, error

OTHERS = (
    "tool-poisoning",
    "robust-input",
    "secret-echo",
    "refusal-quality",
    "instructions-hygiene",
    "surface-stability",
    "output-schema",
    "credential-exposure",
    "stderr-noise",
)
toys = Toys(**{f"checks__{check}__enabled": False for check in OTHERS})
WORD = {"word": {"type": "string", "description": "Any word."}}


def echo(server):
    @server.tool("echo", WORD, ["word"], annotations={"readOnlyHint": True})
    def tool(arguments):
        """Says the word again."""
        return arguments["word"]


def needs(params, key, known):
    if params.get(key) not in known:
        raise RpcError(-32602, f"Unknown {key}")
    return known[params[key]]


def full(server):
    """Tools, resources, a template, prompts, completions, logging: all declared, all served."""
    echo(server)
    server.instructions = "Ask for an echo."
    server.capabilities |= {"logging": {}, "completions": {}, "prompts": {}, "resources": {"subscribe": True}}
    pages = {"toy://a": "one", "toy://b": "two"}
    server.offer("resources", [{"uri": uri, "name": text, "mimeType": "text/plain"} for uri, text in pages.items()])
    server.offer("resourceTemplates", [{"uriTemplate": "toy://{letter}", "name": "letters"}])
    word = {"name": "word", "description": "Any word.", "required": True}
    server.offer("prompts", [{"name": "plain"}, {"name": "greet", "arguments": [word]}])

    @server.on("resources/read")
    def read(params):
        return {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": needs(params, "uri", pages)}]}

    @server.on("prompts/get")
    def get(params):
        text = needs(params, "name", {"plain": "Hello.", "greet": "Hello"})
        if params["name"] == "greet":
            if "word" not in params.get("arguments", {}):
                raise RpcError(-32602, "word is required")
            text += " " + params["arguments"]["word"]
        return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}

    server.on("resources/subscribe")(lambda params: {})
    server.on("resources/unsubscribe")(lambda params: {})
    server.on("completion/complete")(lambda params: {"completion": {"values": ["word", "world"]}})
    server.on("logging/setLevel")(lambda params: needs(params, "level", {"error": {}, "info": {}}))


# ---- near misses ----


@toys.toy("pass", "clauses-hold", near=True)
def keeps_everything(server):
    """Declares every capability and serves it."""
    full(server)


@toys.toy("pass", "clauses-hold", near=True)
def pages_properly(server):
    """Lists its tools in pages of two, and refuses a cursor that it never gave out."""
    for number in range(5):
        server.tool(f"tool_{number}", description="One of five.")(lambda arguments: "done")

    @server.on("tools/list")
    def listing(params):
        start = needs({"cursor": None} | params, "cursor", {None: 0, "after-2": 2, "after-4": 4})
        more = {"nextCursor": f"after-{start + 2}"} if start < 4 else {}
        return {"tools": list(server.tools.values())[start : start + 2], **more}


@toys.toy("pass", "clauses-hold", near=True)
def interleaves_notifications(server):
    """Sends a log message, which it declares, before every reply."""
    full(server)
    reply = server.reply

    def with_a_log(request_id, result):
        params = {"level": "info", "data": "about to answer"}
        server.send({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
        reply(request_id, result)

    server.reply = with_a_log


@toys.toy("pass", "clauses-hold", near=True)
def ignores_what_is_no_message(server):
    """Answers nothing to a malformed line, as the official SDKs do."""
    echo(server)
    send = server.send
    server.send = lambda message: None if message.get("id", 0) is None else send(message)


@toys.toy("pass", "clauses-hold", near=True)
def refuses_by_result(server):
    """Refuses an unknown tool by a result that is an error, as the official SDKs do."""
    echo(server)
    call = server.call
    server.on("tools/call")(lambda params: call(params) if params.get("name") == "echo" else error("Unknown tool"))


@toys.toy("pass", "clauses-hold", near=True)
def dies_of_discovery(server):
    """Speaks the legacy era only, and ends when it is asked for the modern one."""
    echo(server)
    server.on("server/discover")(lambda params: os._exit(3))


@toys.toy("pass", "clauses-hold", near=True)
def an_older_dialect(server):
    """Names draft-07 in its schema and uses what only draft-07 has."""
    echo(server)
    pair = {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "description": "A pair."}
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"pair": pair}}
    server.tools["echo"]["inputSchema"] = schema


@toys.toy("pass", "clauses-hold", near=True)
def only_2024_11_05(server):
    """Speaks the first revision only, and makes that its counter-offer."""
    full(server)
    server.versions = ["2024-11-05"]


@toys.toy("pass", "clauses-hold", near=True)
def both_eras(server):
    """Serves a handshake and requests with an envelope alike."""
    full(server)
    modern(server)


@toys.toy("pass", "clauses-hold", near=True)
def modern_only(server):
    """Speaks the modern era only, and says so when it refuses the handshake."""
    full(server)
    modern(server)
    for method in ("resources/subscribe", "resources/unsubscribe", "logging/setLevel"):
        server.methods.pop(method)
    server.capabilities |= {"resources": {}}
    server.capabilities.pop("logging")
    refusal = {"supported": [MODERN], "requested": "2025-11-25"}

    @server.on("initialize")
    def initialize(params):
        raise RpcError(-32022, "Unsupported protocol version", refusal)


def modern(server):
    """Adds what the kit's modern half lacks: identity, removed methods, subscriptions, levels of logging."""
    server.modern = True
    server.capabilities |= {"tools": {"listChanged": True}}
    dispatch, discover = server.dispatch, server.discover
    legacy_only = ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "initialize")

    def by_envelope(method, params):
        meta = params.get("_meta", {})
        if PREFIX + "protocolVersion" not in meta:
            return dispatch(method, params)
        if method in legacy_only:
            raise RpcError(-32601, f"Method not found: {method}")
        if meta.get(PREFIX + "logLevel", "info") != "info":
            raise RpcError(-32602, "Unknown level")
        if method == "subscriptions/listen":
            note = {"_meta": {PREFIX + "subscriptionId": "sealmark-listen"}, "notifications": {}}
            server.send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": note})
            return None
        result = dispatch(method, params)
        hints = {"ttlMs": 0, "cacheScope": "private"} if method == "resources/read" else {}
        return {**result, **hints, "_meta": {PREFIX + "serverInfo": server.info}}

    server.dispatch = by_envelope
    server.discover = lambda params: {**discover(params), "resultType": "complete"}


# ---- broken in the handshake ----


@toys.toy("fail", "must-broken")
def agrees_to_any_version(server):
    """Answers every offer with the version that was offered."""
    echo(server)
    initialize = server.initialize
    server.initialize = lambda params: {**initialize(params), "protocolVersion": params["protocolVersion"]}


@toys.toy("fail", "must-broken")
def has_no_version_of_its_own(server):
    """Leaves its own version out of the handshake."""
    echo(server)
    server.info = {"name": "nameless"}


@toys.toy("fail", "must-broken")
def asks_for_roots(server):
    """Asks for the roots of a client that declared none."""
    echo(server)
    initialize = server.initialize

    @server.on("initialize")
    def asking(params):
        server.send({"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"})
        return initialize(params)


# ---- broken in JSON-RPC ----


@toys.toy("fail", "server-crashed")
def crashes_on_an_unknown_method(server):
    """Ends when it is asked for a method that it does not have."""
    echo(server)
    server.on("sealmark/no-such-method")(lambda params: os._exit(3))


@toys.toy("fail", "server-hung", timeouts__call_sec=1)
def hangs_on_a_notification(server):
    """Never comes back from a notification that it does not know."""
    echo(server)
    receive = server.receive
    unknown = "notifications/sealmark-unknown"
    server.receive = lambda message: time.sleep(3600) if unknown in str(message) else receive(message)


@toys.toy("part", "malformed-fatal")
def crashes_on_broken_json(server):
    """Ends when a line is not JSON."""
    echo(server)

    def serve():
        for line in sys.stdin.buffer:
            try:
                server.receive(json.loads(line))
            except ValueError:
                os._exit(1)

    server.serve = serve


@toys.toy("fail", "must-broken")
def answers_notifications(server):
    """Answers an unknown notification with an error."""
    echo(server)
    receive = server.receive

    def answering(message):
        receive(message)
        if isinstance(message, dict) and message.get("method") == "notifications/sealmark-unknown":
            server.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Method not found"}})

    server.receive = answering


@toys.toy("fail", "must-broken", timeouts__call_sec=1)
def takes_zero_for_no_id(server):
    """Takes the id 0 for a notification."""
    echo(server)
    receive = server.receive
    zero = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    server.receive = lambda message: None if message == zero else receive(message)


@toys.toy("fail", "must-broken")
def replies_twice(server):
    """Sends every reply twice."""
    echo(server)
    reply = server.reply
    server.reply = lambda request_id, result: [reply(request_id, result) for _ in range(2)]


@toys.toy("fail", "must-broken")
def result_and_error(server):
    """Sends a result and an error in the reply to a ping."""
    echo(server)
    problem = {"error": {"code": 0, "message": "no error"}}
    send = server.send
    server.send = lambda message: send({**message, **problem} if message.get("result") == {} else message)


@toys.toy("fail", "must-broken")
def does_everything(server):
    """Answers methods that do not exist with an empty result."""
    echo(server)
    server.on("sealmark/no-such-method")(lambda params: {})


@toys.toy("part", "stdout-noise")
def prints_a_banner(server):
    """Writes a banner to stdout before its first message."""
    echo(server)
    server.write(b"Toy server listening on stdio\n")


# ---- broken in listings ----


@toys.toy("fail", "must-broken")
def gives_a_cursor_again(server):
    """Gives out the same cursor for ever."""
    echo(server)
    server.on("tools/list")(lambda params: {"tools": list(server.tools.values()), "nextCursor": "again"})


@toys.toy("fail", "must-broken")
def ends_with_null(server):
    """Ends its listing with a cursor of null."""
    echo(server)
    server.on("tools/list")(lambda params: {"tools": list(server.tools.values()), "nextCursor": None})


@toys.toy("fail", "listing-bound", limits__tools=5)
def lists_without_end(server):
    """Makes up a new page for every cursor."""
    echo(server)

    @server.on("tools/list")
    def listing(params):
        number = int(params.get("cursor", "0")) if params.get("cursor", "0").isdecimal() else 0
        tool = {**server.tools["echo"], "name": f"echo_{number}"}
        return {"tools": [tool], "nextCursor": str(number + 1)}


@toys.toy("fail", "must-broken")
def declares_and_serves_not(server):
    """Declares prompts and has no method for them."""
    echo(server)
    server.capabilities["prompts"] = {}
    server.listings.pop("prompts", None)

    @server.on("prompts/list")
    def listing(params):
        raise RpcError(-32601, "Method not found")


@toys.toy("part", "should-broken")
def serves_undeclared(server):
    """Serves prompts and does not declare them."""
    echo(server)
    server.on("prompts/list")(lambda params: {"prompts": [{"name": "hidden"}]})


@toys.toy("part", "should-broken")
def takes_any_cursor(server):
    """Has pages, and takes a cursor that it never gave out for the first one."""
    echo(server)
    server.tool("again", WORD, ["word"])(lambda arguments: arguments["word"])

    @server.on("tools/list")
    def listing(params):
        tools = list(server.tools.values())
        last = {"tools": tools[1:]}
        return last if params.get("cursor") == "second" else {"tools": tools[:1], "nextCursor": "second"}


@toys.toy("part", "no-tools")
def lists_no_tool(server):
    """Declares tools and has none."""


# ---- broken in tools, resources and prompts ----


@toys.toy("fail", "tool-schema-invalid")
def has_no_input_schema(server):
    """Lists a tool without an input schema."""
    echo(server)
    server.tools["echo"].pop("inputSchema")
    server.strict = False


@toys.toy("fail", "tool-schema-invalid")
def has_an_invalid_schema(server):
    """Marks an argument as required in a way that no dialect since draft-03 knows."""
    echo(server)
    server.tools["echo"]["inputSchema"] = {"type": "object", "properties": {"word": {"type": "word"}}, "required": True}
    server.strict = False


@toys.toy("fail", "tool-schema-invalid")
def promises_an_array(server):
    """Promises an array where this revision allows objects only."""
    echo(server)
    server.tools["echo"]["outputSchema"] = {"type": "array", "items": {"type": "string"}}


@toys.toy("fail", "must-broken")
def names_two_tools_alike(server):
    """Lists two tools of one name."""
    echo(server)
    server.on("tools/list")(lambda params: {"tools": [*server.tools.values(), *server.tools.values()]})


@toys.toy("part", "should-broken")
def names_a_tool_with_spaces(server):
    """Has a tool whose name has spaces."""
    server.tool("say it again", WORD, ["word"])(lambda arguments: arguments["word"])


@toys.toy("fail", "must-broken")
def has_every_tool(server):
    """Answers the call of a tool that does not exist."""
    echo(server)
    call, hello = server.call, {"name": "echo", "arguments": {"word": "hello"}}
    server.on("tools/call")(lambda params: call(hello if params.get("name") == "sealmark-no-such-tool" else params))


@toys.toy("part", "arguments-unchecked")
def needs_no_arguments(server):
    """Carries out a call without its required arguments."""
    server.strict = False
    server.tool("echo", WORD, ["word"])(lambda arguments: "a fine word: " + arguments.get("word", "hello"))


@toys.toy("fail", "must-broken")
def sends_unknown_content(server):
    """Reads a resource as a part without a text or a blob."""
    full(server)
    server.on("resources/read")(
        lambda params: {"contents": [{"uri": needs(params, "uri", {"toy://a": "toy://a"}), "markdown": "# one"}]}
    )


@toys.toy("part", "should-broken")
def reads_what_is_not_there(server):
    """Reads a resource that does not exist as an empty one."""
    full(server)
    server.on("resources/read")(lambda params: {"contents": []})


@toys.toy("part", "should-broken")
def fills_the_gap(server):
    """Fetches a prompt without the argument that it requires."""
    full(server)
    get, you = server.methods["prompts/get"], {"word": "you"}
    server.on("prompts/get")(lambda params: get({**params, "arguments": {**you, **params.get("arguments", {})}}))


@toys.toy("fail", "must-broken")
def completes_too_much(server):
    """Completes an argument with more than a hundred values."""
    full(server)
    server.on("completion/complete")(lambda params: {"completion": {"values": [f"w{n}" for n in range(101)]}})


# ---- broken in the modern era ----


@toys.toy("fail", "must-broken")
def forgets_caching(server):
    """Lists its tools in the modern era without caching hints."""
    echo(server)
    modern(server)
    dispatch = server.dispatch

    def without_hints(method, params):
        result = dispatch(method, params)
        for key in ("ttlMs", "cacheScope") if method == "tools/list" and result else ():
            result.pop(key, None)
        return result

    server.dispatch = without_hints


@toys.toy("fail", "must-broken")
def needs_no_envelope(server):
    """Serves discovery without the envelope."""
    echo(server)
    modern(server)
    server.check_meta = lambda method, params: None


@toys.toy("fail", "must-broken")
def refuses_a_version_without_a_list(server):
    """Refuses a version of the modern era without naming those that it supports."""
    echo(server)
    modern(server)
    check = server.check_meta

    def vague(method, params):
        try:
            check(method, params)
        except RpcError as problem:
            raise RpcError(problem.body["code"], problem.body["message"]) from None

    server.check_meta = vague


@toys.toy("part", "should-broken")
def changes_its_order(server):
    """Lists its tools in another order every time."""
    echo(server)
    server.tool("again", WORD, ["word"])(lambda arguments: arguments["word"])
    modern(server)

    @server.on("tools/list")
    def listing(params):
        server.tools = dict(reversed(server.tools.items()))
        return {"tools": list(server.tools.values())}


if __name__ == "__main__":
    toys.main()
