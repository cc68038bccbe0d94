"""Run files of a store: what they are called, and how they are written so that a reader never sees half of one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import msgspec

from sealmark.frames.keys import run_id
from sealmark.record.model import RunRecord, ServerFacts, Setting

NAME_LENGTH = 60
"""Characters that a server's name has at most in a file name."""


def config_hash(server: ServerFacts, settings: Iterable[Setting]) -> str:
    """A short hash of how a server was started and set up; what it is called does not count.

    It is known before the run starts, so that a stopped survey can tell which of its runs are done.
    """
    started = [server.transport, server.command, server.url, server.env]
    chosen = [[setting.key, setting.value] for setting in settings]
    return hashlib.sha256(msgspec.json.encode([started, sorted(chosen)], order="sorted")).hexdigest()[:8]


def file_name(run: RunRecord) -> str:
    """The name of a run's file: server, version, hash of its configuration, time of its start, run id.

    The id alone makes it unique; the rest is for people, and for finding a configuration's runs without opening files.
    """
    server = run.gathered.server
    named = _plain(server.name) or "server"
    version = f"@{_plain(server.version)}" if server.version else ""
    time = re.sub(r"[^0-9TZ.]", "", run.started_at)[:24] or "undated"
    return f"{named}{version}.{config_hash(server, run.gathered.settings)}.{time}.{run_id(run)}.json"


def _plain(text: str) -> str:
    """`text` as it may stand in a file name on any system."""
    return re.sub(r"[^A-Za-z0-9_+-]+", "-", text.replace(".", "_"))[:NAME_LENGTH].strip("-")
