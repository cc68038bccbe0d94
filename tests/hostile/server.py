"""A server of the standard library only that misbehaves in one way, named by its first argument."""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
OUT = sys.stdout.buffer
SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def write(data):
    OUT.write(data)
    OUT.flush()


def send(message):
    write(json.dumps(message).encode() + b"\n")


def reply(id, result):
    send({"jsonrpc": "2.0", "id": id, "result": result})


def fail(id, code=-32601, message="Method not found", **more):
    send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, **more}})


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def hang():
    while True:
        time.sleep(600)


# ---- before the first message ----


def banner():
    write(b"Welcome to the server!\n\nListening on stdio\n[1, 2]\n17\n")


def stderr_flood():
    for number in range(4096):
        sys.stderr.write(f"{number:06d} " + "x" * 1016 + "\n")


def deaf_to_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def never_answers():
    for _ in sys.stdin.buffer:
        pass
    hang()


def exits_at_once():
    sys.stderr.write("KeyError: 'NOTES_API_KEY'\n")
    sys.exit(3)


def noise_only():
    while True:
        write(b"still starting \x1b[31mup\x1b[0m\n")
        time.sleep(0.05)


# ---- on a call of a tool ----


def grandchildren(id, params):
    subprocess.Popen(SLEEP, start_new_session=True, **QUIET)
    subprocess.Popen(SLEEP, start_new_session=True, env={}, **QUIET)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            os.execve(SLEEP[0], SLEEP, {})
        os._exit(0)
    os.wait()
    reply(id, text("started"))


def grandchildren_and_exit(id, params):
    grandchildren(id, params)
    os._exit(0)


def zombie():
    """Leave a dead child that nobody waits for."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)


def huge_line(id, params):
    write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % id)
    piece = b"x" * (1 << 20)
    for _ in range(200):
        OUT.write(piece)
    write(b'"}]}}\n')


def notification_flood(id, params):
    line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}\n' * 500
    while True:
        OUT.write(line)


def byte_flood(id, params):
    line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + b"y" * 1_000_000 + b'"}}\n'
    while True:
        OUT.write(line)


def some_notifications(id, params):
    for number in range(200):
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": number}})
    reply(id, text("after notifications"))


def asks_the_client(id, params):
    for number, method in enumerate(("ping", "sampling/createMessage", "roots/list", "elicitation/create")):
        send({"jsonrpc": "2.0", "id": f"s{number}", "method": method, "params": {}})
    answers = [json.loads(sys.stdin.buffer.readline()) for _ in range(4)]
    reply(id, {"answers": answers})


def stops_reading(id, params):
    reply(id, text("no more"))
    hang()


def wrong_ids(id, params):
    for other in (id + 1000, str(id), float(id), None, [id], True):
        reply(other, text("wrong"))
    send({"jsonrpc": "2.0", "result": text("no id")})
    reply(id, text("right"))


CALLS = {
    "answers": lambda id, params: reply(id, text("fine")),
    "exits-mid-call": lambda id, params: os._exit(7),
    "half-line": lambda id, params: (write(b'{"jsonrpc":"2.0","id":%d,"resu' % id), os._exit(0)),
    "no-newline": lambda id, params: (write(b'{"jsonrpc":"2.0","id":%d,"result":{}}' % id), os._exit(0)),
    "no-answer": lambda id, params: None,
    "wrong-id": lambda id, params: reply(id + 1000, text("wrong")),
    "wrong-ids": wrong_ids,
    "id-null-error": lambda id, params: fail(None, -32700, "Parse error"),
    "duplicate": lambda id, params: (reply(id, text("first")), reply(id, text("second"))),
    "invalid-utf8": lambda id, params: write(
        b'\xff\xfe\n{"jsonrpc":"2.0","id":%d,"result":{"content":[],"x":"\xc3\x28"}}\n' % id
    ),
    "nan": lambda id, params: write(b'{"jsonrpc":"2.0","id":%d,"result":{"x":NaN,"y":1e999}}\n' % id),
    "deep": lambda id, params: write(
        b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (id, b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    ),
    "surrogate": lambda id, params: write(b'{"jsonrpc":"2.0","id":%d,"result":{"x":"\\ud800"}}\n' % id),
    "batch": lambda id, params: send([{"jsonrpc": "2.0", "id": id, "result": {}}]),
    "huge-line": huge_line,
    "flood": notification_flood,
    "byte-flood": byte_flood,
    "some-notifications": some_notifications,
    "asks": asks_the_client,
    "stops-reading": stops_reading,
    "grandchildren": grandchildren,
    "grandchildren-and-exit": grandchildren_and_exit,
    "closes-stdout": lambda id, params: (os.close(1), hang()),
    "late": lambda id, params: None,  # answers once it is cancelled
    "crowd": lambda id, params: (zombie(), reply(id, text("started"))),
    "holds-pipes": lambda id, params: (subprocess.Popen(SLEEP, start_new_session=True), os._exit(5)),
    "closes-stdin": lambda id, params: (os.close(0), reply(id, text("deaf now")), hang()),
    "dies-while-reading": lambda id, params: os._exit(6) if os.read(0, 1) else None,
    "newlines": lambda id, params: write(b"\n" * 300_000),
}
STARTS = {
    "banner": banner,
    "stderr": stderr_flood,
    "deaf": deaf_to_sigterm,
    "never-answers": never_answers,
    "exits-at-once": exits_at_once,
    "noise-only": noise_only,
}


def listing(id, params):
    cursor = params.get("cursor")
    tool = {"name": "t", "inputSchema": {"type": "object"}}
    if MODE == "endless":
        reply(id, {"tools": [tool], "nextCursor": f"c{int((cursor or 'c0')[1:]) + 1}"})
    elif MODE == "loop":
        reply(id, {"tools": [tool], "nextCursor": {None: "a", "a": "b", "b": "a"}[cursor]})
    elif MODE == "pages":
        number = int(cursor or 0)
        reply(id, {"tools": [tool, 17], **({"nextCursor": str(number + 1)} if number < 3 else {})})
    elif MODE == "many":
        reply(id, {"tools": [{**tool, "name": f"t{number}"} for number in range(20_000)]})
    elif MODE == "fat":
        reply(id, {"tools": [{**tool, "description": "d" * 1_000_000}], "nextCursor": f"{cursor}x"})
    elif MODE == "bad-page":
        reply(id, {"tools": {"t": tool}})
    else:
        reply(id, {"tools": [tool]})


def initialize(id, params):
    if MODE == "modern-only":
        fail(id, -32022, "Unsupported protocol version", data={"supported": ["2026-07-28"]})
    elif MODE == "modern-dies":
        os._exit(9)
    elif MODE == "bad-initialize":
        reply(id, {"hello": "world"})
    elif MODE == "refuses":
        fail(id, -32000, "401 Unauthorized")
    elif MODE == "legacy-error":
        fail(id, -32603, "broken")
    else:
        info = {"name": "hostile", "version": "1"}
        version = "1999-01-01" if MODE == "odd-version" else params["protocolVersion"]
        reply(id, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})


def discover(id, params):
    envelope = params.get("_meta", {})
    if not MODE.startswith("modern"):
        fail(id)
    elif envelope.get("io.modelcontextprotocol/protocolVersion") != "2026-07-28":
        fail(id, -32602, "no envelope")
    else:
        reply(id, {"supportedVersions": ["2026-07-28"], "capabilities": {}, "resultType": "complete", "ttlMs": 0})


def main():
    STARTS.get(MODE, lambda: None)()
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except ValueError:
            fail(None, -32700, "Parse error")
            continue
        if not isinstance(message, dict):
            send([{"jsonrpc": "2.0", "id": each.get("id"), "result": {}} for each in message])
            continue
        method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        if method == "initialize":
            initialize(id, params)
        elif method == "server/discover":
            discover(id, params)
        elif method == "tools/list":
            listing(id, params)
        elif method == "tools/call":
            CALLS.get(params.get("name"), CALLS.get(MODE, CALLS["answers"]))(id, params)
        elif method == "notifications/cancelled":
            sys.stderr.write(f"cancelled {params['requestId']}\n")
            sys.stderr.flush()
            if MODE == "late":
                reply(params["requestId"], text("late"))
        elif method == "echo":
            reply(id, {"params": message.get("params")})
        elif id is not None:
            fail(id)
    if MODE == "deaf":
        hang()


main()
