"""The world of a box: names, addresses, the log of who was tried, and ports of the machine that are relayed."""

import asyncio
import os
import socket
import struct
import sys

import pytest

from sealmark.bench.isolation import Isolation
from sealmark.bench.isolation.names import PUBLIC, Names
from sealmark.bench.isolation.packets import tried
from sealmark.bench.listener import Listener, loopback_sockets
from sealmark.bench.part import Part
from tests.isolated import LEVEL, some


@pytest.mark.parametrize(
    ("name", "kind", "answer"),
    [
        ("a.at-10-0-0-5.sealmark.example", 1, (True, "10.0.0.5")),
        ("a.at-10-0-0-5.sealmark.example", 28, (True, "")),
        ("A.AT-10-0-0-5.Sealmark.Example.", 1, (True, "10.0.0.5")),
        ("a.six-fd00--5.sealmark.example", 28, (True, "fd00::5")),
        ("a.six-fd00--5.sealmark.example", 1, (True, "")),
        ("a.public.sealmark.example", 1, (True, PUBLIC)),
        ("a.at-10-0-0-999.sealmark.example", 1, (False, "")),
        ("a.six-xyz.sealmark.example", 28, (False, "")),
        ("a.nothing.sealmark.example", 1, (False, "")),
        ("sealmark.example", 1, (False, "")),
        ("registry.invalid", 1, (False, "")),
    ],
)
def test_a_name_says_what_it_stands_for(name, kind, answer):
    assert Names().answer(name, kind) == answer


def test_a_changing_name_changes_after_as_many_answers_as_it_says():
    names = Names()
    name = "x.then2-127-0-0-1.sealmark.example"
    assert [names.answer(name, kind)[1] for kind in (1, 28, 1, 1, 1)] == [PUBLIC, "", PUBLIC, "127.0.0.1", "127.0.0.1"]
    assert names.answer("y" + name, 1)[1] == PUBLIC


def query(name, kind=1):
    labels = b"".join(bytes([len(one)]) + one.encode() for one in name.split("."))
    return struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", kind, 1)


def test_a_reply_repeats_the_question_and_may_be_kept_for_no_time():
    reply, lookup = Names().reply(query("a.at-10-0-0-5.sealmark.example"))
    assert reply.startswith(b"\0\x07")
    assert struct.unpack("!H", reply[6:8]) == (1,)
    assert reply.endswith(struct.pack("!HHHIH", 0xC00C, 1, 1, 0, 4) + bytes([10, 0, 0, 5]))
    assert lookup == ("a.at-10-0-0-5.sealmark.example", "A", "10.0.0.5")
    missing, _ = Names().reply(query("registry.invalid"))
    assert missing[3] & 15 == 3


@pytest.mark.parametrize("junk", [b"", b"\0" * 12, query("a.b")[:-5], b"\0" * 12 + b"\xc0\x0c" * 9, b"x" * 500])
def test_what_is_no_query_gets_no_reply(junk):
    assert Names().reply(junk) is None or junk == b"\0" * 12 + b"\xc0\x0c" * 9


def test_packets_that_are_attempts():
    head = bytes([0x45]) + b"\0" * 8 + bytes([6, 0, 0, 127, 0, 0, 1, 10, 0, 0, 5])
    syn = struct.pack("!HH8xBB", 40000, 6379, 0x50, 0x02)
    assert tried(head + syn) == ("tcp", "10.0.0.5", 6379)
    assert tried(head + struct.pack("!HH8xBB", 40000, 6379, 0x50, 0x12)) is None
    udp = head[:9] + bytes([17]) + head[10:]
    assert tried(udp + struct.pack("!HHHH", 4000, 123, 8, 0)) == ("udp", "10.0.0.5", 123)
    assert tried(udp + struct.pack("!HHHH", 4000, 53, 8, 0)) is None
    assert tried(b"\x60" + b"\0" * 30) is None


class Port(Part):
    """A part that is reached at one port."""

    def __init__(self, port):
        self.port = port

    def ports(self):
        return (self.port,)


VISITOR = """
import socket, sys, urllib.request
url = f"http://metadata.at-169-254-169-254.sealmark.example/{sys.argv[2]}/page/x"
print(urllib.request.urlopen(url, timeout=5).read().decode())
for port in (6379,):
    try: socket.create_connection(("10.0.0.7", port), 5)
    except OSError as error: print(error.errno)
for name in ("phone-home.invalid",):
    try: socket.getaddrinfo(name, 443)
    except OSError as error: print(error.errno)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.9.9.9", 123))
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as s:
    s.sendall(b"ping"); s.shutdown(1); print(s.recv(9).decode())
"""


@some
def test_who_is_asked_for_and_tried_is_told_and_ports_of_parts_are_reached(tmp_path):
    async def visited():
        async def answer(reader, writer):
            writer.write(b"got " + await reader.read())
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        listener = Listener(loopback_sockets, ["net"], body_mib=1, slow_sec=1)
        port = server.sockets[0].getsockname()[1]
        isolation = Isolation(LEVEL, "auto", (listener, Port(port)))
        listener.start({})
        isolation.start({})
        token, secret = listener.values("net", "main")["listener_token"], listener.owned("net")["listener_secret"]
        try:
            starter = isolation.starter("net", None)
            argv = [sys.executable, "-I", "-c", VISITOR, str(port), token]
            process = await starter(argv, env={"PATH": os.environ["PATH"]}, cwd=str(tmp_path))
            code = await process.wait()
            out, err = process.stdout.read().decode(), process.stderr.read().decode()
            await process.stop()
            seen = isolation.look("net", "contacts"), isolation.look("net", "contacts")
            return code, out, err, token, secret, *seen
        finally:
            isolation.stop()
            listener.stop()
            server.close()

    code, out, err, token, secret, seen, after = asyncio.run(visited())
    assert (code, err) == (0, "")
    assert secret in out
    assert out.split("</html>")[1].split() == ["111", "-2", "got", "ping"]
    name = "metadata.at-169-254-169-254.sealmark.example"
    assert {(row["name"], row["type"], row["answer"]) for row in seen["lookups"]} == {
        (name, "A", "169.254.169.254"),
        (name, "AAAA", ""),
        ("phone-home.invalid", "A", ""),
        ("phone-home.invalid", "AAAA", ""),
    }
    aims = {(row["protocol"], row["address"], row["port"]) for row in seen["tried"]}
    assert {("tcp", "169.254.169.254", 80), ("tcp", "10.0.0.7", 6379), ("udp", "10.9.9.9", 123)} <= aims
    (visit,) = seen["visits"]
    assert (visit["to"], visit["host"], visit["path"]) == ("169.254.169.254", name, f"/{token}/page/x")
    assert after == {"lookups": [], "tried": [], "visits": []}


def test_a_machine_that_cannot_isolate_starts_servers_plainly():
    isolation = Isolation(LEVEL._replace(name="none", reason="why"), "auto", ())
    isolation.start({})
    assert isolation.starter("net", None) is None
    assert isolation.facts() == {"isolation": {"wanted": "auto", "level": "none", "reason": "why"}}
    assert isolation.look("net", "changes") == {}
    isolation.stop()


@some
def test_a_dead_port_of_a_part_resets(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    code = (
        f"import socket\ntry: print(socket.create_connection(('127.0.0.1', {port}), 5).recv(1))\n"
        "except OSError as e: print(e.errno)"
    )

    async def tried_it():
        isolation = Isolation(LEVEL, "auto", (Port(port),))
        isolation.start({})
        try:
            process = await isolation.starter("net", None)(
                [sys.executable, "-I", "-S", "-c", code], env={}, cwd=str(tmp_path)
            )
            await process.wait()
            out = process.stdout.read()
            await process.stop()
            return out
        finally:
            isolation.stop()

    assert asyncio.run(tried_it()).strip() == b"104"
