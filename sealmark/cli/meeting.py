"""Meets one server for the commands that list and plan."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any, Literal

import click

from sealmark.errors import ServerError
from sealmark.record.model import RunRecord


def meet(params: Mapping[str, Any], what: Literal["plan", "inventory"]) -> RunRecord:
    """The record of meeting the one configured server.

    Raises:
        ConfigError, UsageError: before anything is started.
        ServerError: the server could not be started.
    """
    from sealmark.cli.loading import load_servers
    from sealmark.conductor import Conductor
    from sealmark.errors import UsageError

    loaded, servers = load_servers(params)
    if len(servers) > 1:
        raise UsageError("several servers are configured", hint="Name one with --server NAME.")
    for warning in loaded.warnings:
        click.echo(f"warning: {warning}", err=True)
    (server,) = servers
    conductor = Conductor.of(server, os.environ)
    record = asyncio.run(conductor.plan() if what == "plan" else conductor.inventory())
    if record.failure is not None:
        raise ServerError(record.failure.message, hint=record.failure.hint, code=record.failure.code)
    return record
