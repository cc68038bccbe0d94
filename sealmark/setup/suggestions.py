"""What to add to a configuration so that more of a server is tested, or so that it starts: YAML to paste, and flags."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from sealmark.record.marks import names_in
from sealmark.record.model import Classified, RunRecord
from sealmark.settings import Settings
from sealmark.settings.commandline import base_name
from sealmark.settings.secrets import looks_secret
from sealmark.settings.show import flow, scalar
from sealmark.settings.table import by_key
from sealmark.setup.entries import Entry
from sealmark.setup.offers import Offer, apply, offers
from sealmark.setup.probes import block_of
from sealmark.setup.split import worth_hiding

MANY = 5
"""Tools that one suggestion names at most."""


class Suggestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing to add.

    Attributes:
        id: a stable name.
        why: what was seen, and what the addition brings.
        yaml: to paste into the server's configuration; empty when only a flag can say it.
        flags: what to type instead, after `sealmark run` (or before it, for a variable).
    """

    id: str
    why: str
    yaml: str = ""
    flags: str = ""


def for_entry(suggestion: Suggestion, server: str) -> Suggestion:
    """The suggestion for one of several servers: what it adds stands in the server's entry."""
    if not suggestion.yaml:
        return suggestion
    first, *rest = suggestion.yaml.splitlines()
    lines = rest if first == "server:" else [f"  {line}" for line in (first, *rest)]
    body = "".join(f"  {line}\n" for line in lines)
    return msgspec.structs.replace(suggestion, yaml=f"servers:\n  {scalar(server)}:\n{body}")


def suggestions(record: RunRecord, settings: Settings, beside: Path) -> tuple[Suggestion, ...]:
    """Suggestions for one server, the most useful first.

    Args:
        record: of meeting it.
        settings: of the server.
        beside: the directory of the configuration.
    """
    if record.failure is not None:
        return (*_to_start(record.failure.code, record.failure.hint, settings), *_literal_secrets(settings))
    return (
        *_roots(record, settings, beside),
        *_databases(record, settings, beside),
        *_active(record, settings),
        *_unsure(record, settings),
        *_uncallable(record),
        *_literal_secrets(settings),
    )


def for_error(code: str, hint: str, settings: Settings) -> tuple[Suggestion, ...]:
    """Suggestions for a server that could not even be tried."""
    return (*_to_start(code, hint, settings), *_literal_secrets(settings))


# -- to make it start


def _to_start(code: str, hint: str, settings: Settings) -> Iterator[Suggestion]:
    command, args = settings["server.command"] or "", settings["server.args"]
    if base_name(command) == "npx" and not {"-y", "--yes"} & set(args):
        yield _launch(
            "npx-yes",
            "npx asks before it installs a package, and nobody answers; -y lets it.",
            (command, "-y", *args),
        )
    if code == "ENV_MISSING":
        names = tuple(dict.fromkeys(re.findall(r"--env ([A-Za-z_]\w*)", hint)))
        if names:
            yield Suggestion(
                "forward",
                f"The server wants {', '.join(names)}; it gets none of your variables unless you name them.",
                f"server:\n  forward: {flow(names)}\n",
                " ".join(f"--env {name}" for name in names),
            )
    if code in ("HANDSHAKE_TIMEOUT", "STDOUT_NOISE"):
        yield Suggestion(
            "connect-timeout",
            "A first start may download a package; a minute is usually enough.",
            "timeouts:\n  connect_sec: 60\n",
            "--connect-timeout 60",
        )
    if code == "HANDSHAKE_AUTH" and settings["server.url"]:
        yield Suggestion(
            "bearer",
            "The server wants a caller's token; it is read from the environment and never written down.",
            'server:\n  headers:\n    Authorization: "Bearer ${MCP_TOKEN}"\n',
            "--bearer '${MCP_TOKEN}'",
        )
    if code == "HANDSHAKE_INVALID":
        yield Suggestion(
            "protocol",
            "If the server speaks one era of the protocol only, naming it spares it the other's question.",
            "server:\n  protocol: legacy\n",
            "--protocol legacy",
        )


# -- to make more packs run


def _roots(record: RunRecord, settings: Settings, beside: Path) -> Iterator[Suggestion]:
    files, repositories = _of_class(record, "path"), _of_class(record, "git")
    named = _named([*files, *(tool for tool in repositories if tool not in files)])
    if not named or _placeholders(settings) & {"sandbox", "dir"} or not settings["sandbox.enabled"]:
        return
    if real := _real(settings, beside, "{sandbox}"):
        why = f"Some tools take paths ({named}), and {real[0].was} is a real directory; {{sandbox}} is one of ours."
        yield _replaced("sandbox", why, settings, real)
    elif not files:
        yield _launch(
            "repository",
            f"Some tools take a repository ({named}): write {{sandbox}}, which is one, where the server is told its "
            "own; many call it --repository.",
            (settings["server.command"], *settings["server.args"], "--repository", "{sandbox}"),
        )
    elif not settings["server.rootless"]:
        yield Suggestion(
            "rootless",
            f"Some tools take paths ({named}), and no {{sandbox}} stands in the command: if the server takes its root "
            "as an argument or a variable, write {sandbox} there; if it takes none, its working directory is the root.",
            "server:\n  rootless: true\n",
            f"{by_key()['server.rootless'].variable}=true sealmark run …",
        )


def _databases(record: RunRecord, settings: Settings, beside: Path) -> Iterator[Suggestion]:
    tools = _of_class(record, "sql")
    if not tools or _placeholders(settings) & {"dsn", "host", "database", "sqlite_path", "duckdb_path", "upstream"}:
        return
    if real := _real(settings, beside, "{sqlite_path}", "{dsn}"):
        why = f"Some tools take SQL ({_named(tools)}); {real[0].becomes} is a database of ours instead of a real one."
        yield _replaced("database", why, settings, real)
        return
    yield Suggestion(
        "database",
        f"Some tools take SQL ({_named(tools)}), and no database of ours is given: write {{sqlite_path}} where the "
        "server takes a SQLite file, or {dsn} where it takes the connection string of a Postgres.",
        'server:\n  env:\n    DATABASE_URL: "{dsn}"\n',
        '--start "COMMAND {sqlite_path}"',
    )


def _real(settings: Settings, beside: Path, *words: str) -> tuple[Offer, ...]:
    """Real directories, files or databases in the configuration for which one of these placeholders could stand."""
    entry = _entry(settings)
    return tuple(offer for offer in offers(entry, beside) if any(word in offer.becomes for word in words))


def _entry(settings: Settings) -> Entry:
    return Entry("", command=settings["server.command"] or "", args=settings["server.args"], env=settings["server.env"])


def _replaced(name: str, why: str, settings: Settings, real: Sequence[Offer]) -> Suggestion:
    """The server with placeholders in the place of what is real: variables alone, or the whole command line."""
    env = [offer for offer in real if offer.key == "env"]
    if len(env) == len(real):
        lines = "".join(f"    {offer.at}: {scalar(offer.becomes)}\n" for offer in env)
        return Suggestion(name, why, f"server:\n  env:\n{lines}")
    changed = apply(_entry(settings), [offer for offer in real if offer.key == "args"])
    return _launch(name, why, (changed.command, *changed.args))


def _active(record: RunRecord, settings: Settings) -> Iterator[Suggestion]:
    waiting = [state.pack for state in record.gathered.packs if not state.applies and "--active" in state.reason]
    tools = _of_class(record, "command")
    if waiting and tools and not settings["active"]:
        yield Suggestion(
            "active",
            f"Some tools run commands ({_named(tools)}); {', '.join(waiting)} would test them, once you allow it. They "
            "run on this machine: use one that you can lose.",
            flags="--active",
        )


def _unsure(record: RunRecord, settings: Settings) -> Iterator[Suggestion]:
    overridden = settings["tools.overrides"]
    classes = ("path", "url", "sql", "git", "command")
    unsure = [
        entry
        for entry in record.gathered.classified
        if entry.confidence == "low" and entry.cls in classes and entry.tool not in overridden
    ]
    if unsure:
        lines = "".join(
            f"    {scalar(entry.tool)}: {{class: {entry.cls}, params: {{{entry.cls}: {scalar(_argument(entry))}}}}}\n"
            for entry in unsure[:MANY]
        )
        yield Suggestion(
            "overrides",
            f"What some tools take is a guess ({_named([entry.tool for entry in unsure])}), so core alone calls them. "
            "If the guess is right, say so; the run is then CUSTOM.",
            f"tools:\n  overrides:\n{lines}",
        )


def _argument(entry: Classified) -> str:
    return entry.uses[0].pointer.partition("/")[0] if entry.uses else "NAME"


def _uncallable(record: RunRecord) -> Iterator[Suggestion]:
    out = block_of(record).left_out
    if out:
        yield Suggestion(
            "probes",
            f"No valid arguments could be made for {_named([one.tool for one in out])} ({out[0].reason}). "
            "`sealmark init --probes` prints a probe for every other tool; add theirs by hand.",
            f"probes:\n  - tool: {scalar(out[0].tool)}\n    args: {{}}\n",
        )


# -- secrets


def _literal_secrets(settings: Settings) -> Iterator[Suggestion]:
    """Secrets that stand in a file which others may see."""
    names = [
        name
        for name, text in settings["server.env"].items()
        if looks_secret(name)
        and worth_hiding(text)
        and settings.origin(settings.entry("server.env", name)).kind in ("project", "user")
    ]
    if names:
        lines = "".join(f"    {name}: ${{{name}}}\n" for name in names)
        yield Suggestion(
            "secrets",
            f"A secret is written out in the configuration ({', '.join(names)}). Refer to the environment instead, or "
            "keep the value under `variables:` in sealmark.local.yaml.",
            f"server:\n  env:\n{lines}",
        )


# -- shared


def _of_class(record: RunRecord, *classes: str) -> list[str]:
    return [
        entry.tool
        for entry in record.gathered.classified
        if entry.confidence != "low" and {entry.cls, entry.secondary} & set(classes)
    ]


def _named(tools: Sequence[str]) -> str:
    more = f" and {len(tools) - MANY} more" if len(tools) > MANY else ""
    return ", ".join(scalar(tool) for tool in tools[:MANY]) + more


def _placeholders(settings: Settings) -> frozenset[str]:
    texts = [settings["server.command"] or "", *settings["server.args"], *settings["server.env"].values()]
    return names_in([*texts, settings["server.cwd"] or ""])


def _launch(name: str, why: str, words: Sequence[str]) -> Suggestion:
    args = "".join(f"    - {scalar(word)}\n" for word in words[1:])
    yaml = f"server:\n  command: {scalar(words[0])}\n  args:\n{args}"
    line = " ".join(word if re.fullmatch(r"[\w@%+=:,./{}-]+", word) else shlex.quote(word) for word in words)
    return Suggestion(name, why, yaml, f"--start {shlex.quote(line)}")
