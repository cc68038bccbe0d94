"""From what was chosen to the files of a new configuration, checked before anything is written."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sealmark.configfile import load, local_file
from sealmark.errors import ConfigError
from sealmark.settings.commandline import base_name, parts
from sealmark.settings.flags import flags_layer
from sealmark.settings.references import RESOLVED_KEYS, references, texts
from sealmark.settings.schema import json_schema
from sealmark.settings.secrets import ORDINARY_VARIABLES
from sealmark.setup.draft import SCHEMA, Draft
from sealmark.setup.entries import Entry
from sealmark.setup.files import ignoring, refuse_existing, write_together

TEMPLATE = Entry(
    name="filesystem",
    command="npx",
    args=("-y", "@modelcontextprotocol/server-filesystem", "{sandbox}"),
    notes=("an example: no client's configuration was found here; write your server's command instead",),
)


def entry_of_line(line: str) -> Entry:
    """The server of a command line.

    Raises:
        ConfigError: it needs a shell, a quote is not closed, or it is empty.
    """
    given = flags_layer({"start": line})
    if given.problems:
        raise ConfigError([says.replace("--start", "--from") for _, says in given.problems])
    command = given.layer.values["server.command"].value
    args = given.layer.values["server.args"].value
    return Entry(name=_name((command, *args)), command=command, args=tuple(args))


def entry_of_url(url: str) -> Entry:
    """The server at a URL.

    Raises:
        ConfigError: it is no URL.
    """
    given = flags_layer({"url": url})
    if given.problems:
        raise ConfigError([says for _, says in given.problems])
    host = re.sub(r"^\w+://([^@/]*@)?", "", url).partition("/")[0].partition(":")[0]
    return Entry(name=host or "server", url=url)


def _name(words: Sequence[str]) -> str:
    """A short name: the package's or the script's, without what every server's name holds."""
    last = words[max(0, parts(words).own - 1)]
    plain = re.split(r"[/\\]", last.rstrip("/"))[-1]
    plain = re.sub(r"(?:==|@).*$|\.\w{1,4}$", "", base_name(plain))
    plain = re.sub(r"^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-server|-mcp)$", "", plain)
    return re.sub(r"[^\w.-]+", "-", plain).strip("-.") or "server"


def check(draft: Draft, project: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Load what would be written, in a directory of its own; returns the warnings that loading gives.

    Raises:
        ConfigError: it would not load, which is a mistake of ours.
    """
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / project.name
        there.write_text(draft.project, "utf-8")
        if draft.local:
            local_file(there).write_text(draft.local, "utf-8")
        plain = {name: value for name, value in environ.items() if not name.startswith("SEALMARK_") and name != "CI"}
        loaded = load(there, environ=plain)
        return tuple(line.replace(str(there), str(project)) for line in loaded.warnings)


def write(draft: Draft, project: Path, *, force: bool) -> tuple[Path, ...]:
    """Write the configuration, its local file when there are secrets, its schema, and what git should leave out.

    Raises:
        UsageError: a file exists and `force` is not given, or one cannot be written; then nothing is.
    """
    local, ignore, schema = local_file(project), project.parent / ".gitignore", project.parent / SCHEMA
    refuse_existing([project, *([local] if draft.local else [])], force=force)
    texts = {project: draft.project}
    if draft.local:
        texts[local] = draft.local
    texts[schema] = json.dumps(json_schema(), indent=1) + "\n"
    before = ignore.read_text("utf-8", "surrogateescape") if ignore.is_file() else ""
    after = ignoring(before, [local.name, SCHEMA.partition("/")[0] + "/"])
    if after != before:
        texts[ignore] = after
    write_together(texts, private=[local])
    return tuple(texts)


def left_alone(draft: Draft, project: Path) -> str:
    """What to say of a local file that is there and is not written."""
    local = local_file(project)
    return f"{local} is left as it is, and still lies over {project}" if not draft.local and local.exists() else ""


def terminal() -> bool:
    """Whether somebody can be asked: both ends of the conversation are terminals."""
    return os.isatty(0) and os.isatty(2)


def needed(path: Path) -> tuple[str, ...]:
    """The variables that a configuration wants from the environment, so that a pipeline can give them.

    Raises:
        ConfigError: the configuration has mistakes.
    """
    loaded = load(path, environ={"HOME": os.environ.get("HOME", "")})
    names: dict[str, None] = {}
    for _, settings in loaded.servers:
        for key in RESOLVED_KEYS:
            for _, text in texts(settings[key]):
                names.update((found.name, None) for found in references(text) if found.default is None)
        names.update(dict.fromkeys(settings["server.forward"]))
    return tuple(name for name in names if name not in ORDINARY_VARIABLES)
