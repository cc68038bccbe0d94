"""A port of the harness, reachable inside: what is accepted there is connected to the real loopback."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

PIECE = 64 * 1024


class Relay:
    """Joins visitors of one inside socket with one port of the machine's loopback."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass bytes both ways until either side has ended."""
        writer.transport.set_write_buffer_limits(high=0)
        try:
            back, forth = await asyncio.open_connection(self._host, self._port)
        except OSError:
            _reset(writer)
            return
        forth.transport.set_write_buffer_limits(high=0)
        ways = [asyncio.create_task(_copy(reader, forth)), asyncio.create_task(_copy(back, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for way in ways:
                way.cancel()
            forth.close()
            writer.close()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass on what comes, and that no more comes.

    Raises:
        OSError: either side is gone, and then so is the other's reason to stay.
    """
    while piece := await source.read(PIECE):
        target.write(piece)
        await target.drain()
    with suppress(OSError, RuntimeError):
        target.write_eof()


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection as one that was refused, as near as an accepted one can."""
    taken = writer.get_extra_info("socket")
    with suppress(OSError):
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    writer.transport.abort()
