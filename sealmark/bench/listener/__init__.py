"""A small web site of the harness's own on loopback, which notes who comes and how much they take."""

from sealmark.bench.listener.listener import Listener
from sealmark.bench.listener.sockets import loopback_sockets

__all__ = ["Listener", "loopback_sockets"]
