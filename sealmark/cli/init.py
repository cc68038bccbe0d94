"""`sealmark init`: a configuration from what MCP clients know, from a command line, or from a URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sealmark.setup.entries import Entry

EXAMPLES = """\b
Examples:
  sealmark init
  sealmark init --from "npx -y @modelcontextprotocol/server-filesystem {sandbox}"
  sealmark init --from-url https://host.example/mcp
  sealmark init --probes --write
  sealmark init --from-mcp-probe .mcp-probe.json --write
  sealmark init --ci github --write
"""


@click.command("init", epilog=EXAMPLES)
@click.option("--from", "line", metavar="COMMAND", help="The command line that starts the server.")
@click.option("--from-url", "url", metavar="URL", help="The server's HTTP endpoint.")
@click.option("--server", "names", metavar="NAME", multiple=True, help="Take this server; repeat for several.")
@click.option("--config", "path", metavar="FILE", default="sealmark.yaml", show_default=True, help="What to write.")
@click.option("--probes", is_flag=True, help="Start the configured server and print a probes: block.")
@click.option("--from-mcp-probe", "sidecar", metavar="FILE", help="Print a sidecar of mcp-probe as a probes: block.")
@click.option("--ci", type=click.Choice(["github", "gitlab"]), help="Print a job for a pipeline.")
@click.option("--write", is_flag=True, help="With --probes, --from-mcp-probe or --ci: write it into its file.")
@click.option("--json", "as_json", is_flag=True, help="With --probes: as JSON (sealmark.probes/1).")
@click.option("--yes", is_flag=True, help="Take every default; ask nothing.")
@click.option("--force", is_flag=True, help="Write over a file that exists.")
def init(
    line: str | None,
    url: str | None,
    names: tuple[str, ...],
    path: str,
    probes: bool,
    sidecar: str | None,
    ci: str | None,
    write: bool,
    as_json: bool,
    yes: bool,
    force: bool,
) -> None:
    """Write sealmark.yaml: from the MCP clients on this machine, or from a command line or a URL.

    Looks in the files of Claude Desktop, Claude Code, Cursor, VS Code, GitHub Copilot CLI and Windsurf. Asks which
    servers to take when there is a terminal, and offers to point directories, files and databases at ones that the
    harness owns. Secrets go into sealmark.local.yaml alone, which git is told to leave out.
    """
    from sealmark.errors import UsageError

    block = probes or sidecar is not None
    if sum((line is not None, url is not None, probes, sidecar is not None)) > 1 or (block and ci):
        raise UsageError(
            "--from, --from-url, --probes and --from-mcp-probe exclude each other", hint="Give one of them."
        )
    if (write and not (block or ci)) or (as_json and not probes):
        raise UsageError("--write goes with --probes, --from-mcp-probe or --ci, and --json with --probes")
    if sidecar is not None:
        _sidecar(Path(sidecar), Path(path), write=write)
    elif ci:
        _job(ci, line, url, Path(path), write=write, force=force)
    elif probes:
        _probes(Path(path), names, write=write, as_json=as_json)
    else:
        _configuration(line, url, names, Path(path), ask=not yes, force=force)


# -- a configuration


def _configuration(
    line: str | None, url: str | None, names: Sequence[str], path: Path, *, ask: bool, force: bool
) -> None:
    import os

    from sealmark.configfile import local_file
    from sealmark.setup.draft import draft
    from sealmark.setup.files import refuse_existing
    from sealmark.setup.starting import check, entry_of_line, entry_of_url, left_alone, terminal
    from sealmark.setup.starting import write as write_files

    refuse_existing([path], force=force)
    ask = ask and terminal()
    if line is not None or url is not None:
        entries = [entry_of_line(line) if line is not None else entry_of_url(url or "")]
    else:
        entries = _imported(path.absolute().parent, names, ask=ask)
    entries = [_with_offers(entry, path.absolute().parent, ask=ask) for entry in entries]
    if not names:
        entries = _each_once(entries)
    home = Path(os.environ["HOME"]) if os.environ.get("HOME") else None
    made = draft(entries, path.absolute().parent, home)
    for warning in check(made, path, os.environ):
        _say(f"warning: {warning}")
    for written in write_files(made, path, force=force):
        _say(f"wrote {written}")
    note = left_alone(made, path)
    if note:
        _say(f"note: {note}")
    if made.local:
        _say(f"secrets are in {local_file(path)} alone; in a pipeline, set {', '.join(made.variables)}")
    _say("next: sealmark doctor")


def _imported(directory: Path, names: Sequence[str], *, ask: bool) -> list[Entry]:
    import os

    from sealmark.errors import UsageError
    from sealmark.settings.types import did_you_mean
    from sealmark.setup.clients import find
    from sealmark.setup.draft import unique
    from sealmark.setup.starting import TEMPLATE

    found = find(directory, os.environ)
    for warning in found.warnings:
        _say(f"warning: {warning}")
    entries = unique(found.entries)
    by_name = {entry.name: entry for entry in entries}
    for name in names:
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise UsageError(f"no client knows a server {name!r}{did_you_mean(name, by_name)}", hint=f"Known: {known}")
    if names:
        return [by_name[name] for name in names]
    if not entries:
        _say("no client's configuration holds a server; sealmark.yaml gets an example")
        return [TEMPLATE]
    chosen = [entry for entry in entries if not entry.off]
    if ask:
        return _asked(entries, chosen)
    for entry in entries:
        if entry.off:
            _say(f"left out: {entry.name} ({entry.client}): {entry.off}; take it with --server {entry.name}")
    if not chosen:
        raise UsageError("no server is taken by default", hint="Name one with --server NAME.")
    return chosen


def _asked(entries: Sequence[Entry], chosen: Sequence[Entry]) -> list[Entry]:
    """The servers that somebody picks by number."""
    for number, entry in enumerate(entries, 1):
        about = f" - {entry.off}" if entry.off else ""
        _say(f"  {number}. {entry.name}  ({entry.client}, {entry.file}){about}")
    default = ",".join(str(number) for number, entry in enumerate(entries, 1) if entry in chosen) or "1"
    while True:
        answer = click.prompt("Which servers (numbers, or all)", default=default, err=True)
        words = str(answer).replace(",", " ").split()
        if words == ["all"]:
            return list(entries)
        if words and all(word.isdigit() and 1 <= int(word) <= len(entries) for word in words):
            return [entries[int(word) - 1] for word in dict.fromkeys(words)]
        _say(f"numbers from 1 to {len(entries)}, separated by commas, or all")


def _each_once(entries: Sequence[Entry]) -> list[Entry]:
    """Servers that differed in a directory only are one server now."""
    kept: dict[object, Entry] = {}
    for entry in entries:
        first = kept.setdefault(entry.same, entry)
        if first is not entry:
            _say(f"left out: {entry.name} ({entry.client}): the same as {first.name} now")
    return list(kept.values())


def _with_offers(entry: Entry, directory: Path, *, ask: bool) -> Entry:
    """The entry with the replacements that were accepted."""
    from sealmark.setup.offers import apply, offers

    accepted = []
    for offer in offers(entry, directory):
        says = f"{entry.name}: {offer.where} is {offer.why}"
        if not ask or click.confirm(f"{says}: use {offer.becomes} instead of {_text(offer.was)}?", True, err=True):
            accepted.append(offer)
            if not ask:
                _say(f"{says}; {offer.becomes} stands there now")
    return apply(entry, accepted)


def _text(text: str) -> str:
    """A value as a question shows it: secrets inside a connection string are left out."""
    from sealmark.reading.shown import line
    from sealmark.settings.secrets import redact
    from sealmark.setup.split import password_of

    return line(redact(text, password_of(text)), 120)


def _say(text: str) -> None:
    from sealmark.reading.shown import line

    click.echo(line(text, 400), err=True)


# -- a probes: block


def _probes(path: Path, names: Sequence[str], *, write: bool, as_json: bool) -> None:
    import json

    from sealmark.cli.meeting import meet
    from sealmark.configfile import read
    from sealmark.errors import UsageError
    from sealmark.setup.files import write_together
    from sealmark.setup.probes import appended, block_of, refuse_to_append

    if len(names) > 1:
        raise UsageError("--probes takes one server", hint="Name one with --server NAME.")
    if not path.is_file():
        raise UsageError(f"there is no {path}", hint="`sealmark init` writes one.")
    if write:
        refuse_to_append(read(path))
    record = meet({"config": str(path), "server": names[0] if names else None}, "inventory")
    block = block_of(record)
    if write:
        write_together({path.resolve(): appended(read(path), block)})
        _say(f"wrote {len(block.probes)} probes to {path}")
        return
    click.echo(json.dumps(block.as_json(), indent=1) if as_json else block.as_yaml(), nl=as_json)


def _sidecar(file: Path, path: Path, *, write: bool) -> None:
    import json

    from sealmark.configfile import read
    from sealmark.errors import UsageError
    from sealmark.setup.files import write_together
    from sealmark.setup.probes import refuse_to_append
    from sealmark.setup.sidecar import as_yaml, translate

    try:
        data = json.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file}: not JSON: {error}") from None
    made = translate(data, str(file))
    if not write:
        click.echo(as_yaml(made), nl=False)
        return
    if not path.is_file():
        raise UsageError(f"there is no {path}", hint="`sealmark init` writes one.")
    document = read(path)
    refuse_to_append(document)
    before = document.text if not document.text or document.text.endswith("\n") else document.text + "\n"
    write_together({path.resolve(): f"{before}\n{as_yaml(made)}"})
    _say(f"wrote {len(made)} probes to {path}")


# -- a job


def _job(kind: str, line: str | None, url: str | None, path: Path, *, write: bool, force: bool) -> None:
    import shlex

    from sealmark import __version__
    from sealmark.setup.files import refuse_existing, write_together
    from sealmark.setup.jobs import JOBS, job, start_flag
    from sealmark.setup.starting import needed

    flags: list[str] = []
    variables: tuple[str, ...] = ()
    if line:
        flags.append(start_flag(shlex.split(line)))
    if url:
        flags.append(f"--url {url}")
    if not flags and path.is_file():
        variables = needed(path)
        flags += [f"--config {shlex.quote(str(path))}"] if path != Path("sealmark.yaml") else []
    elif not flags:
        flags.append('--start "my-server"')
    text = job(kind, __version__, flags, variables)
    if not write:
        click.echo(text, nl=False)
        return
    where = path.parent / JOBS[kind].path
    refuse_existing([where], force=force)
    write_together({where: text})
    _say(f"wrote {where}")
