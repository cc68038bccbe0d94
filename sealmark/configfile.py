"""Finds and reads configuration files, reads the environment, and hands both to `sealmark.settings`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sealmark.atomic import write_atomic
from sealmark.errors import ConfigError, UsageError
from sealmark.plugins import Plugins, load_plugins, names_plugins
from sealmark.settings import Origin, Settings, combine
from sealmark.settings.document import Document, parse
from sealmark.settings.environment import environment_layer
from sealmark.settings.flags import flags_layer
from sealmark.settings.flatten import Flattened, Source, flatten
from sealmark.settings.layers import Layer, Line, OriginKind, Value, merge, merge_all
from sealmark.settings.migrate import migrate
from sealmark.settings.profiles import profile_layer
from sealmark.settings.secrets import redact, secret_values
from sealmark.settings.types import Path as KeyPath
from sealmark.settings.types import did_you_mean

FILE = "sealmark.yaml"

SCHEMA_VERSION = 1
"""The newest version of the file format that this build reads."""

MAX_BYTES = 1024 * 1024


class Loaded(msgspec.Struct, frozen=True):
    """A configuration, ready to run.

    Attributes:
        servers: (name, settings) of each server to test, in the file's order.
        base: the settings without any entry of `servers:`.
        several: whether the configuration has `servers:`.
        names: of all its servers, also those that are not to be tested now.
        profiles: the user's own profiles as written: name -> body.
        defined: the same as layers: name -> (the profile it extends, its layer, its sentence).
        warnings: one line each, with a position.
        notes: what else the user should see once: a value read as another, a profile that the surroundings chose.
        secrets: literal values that no output may hold.
        path: the project file, or None when there is none.
        plugins: name of a server -> the packs that it is tested with.
    """

    servers: tuple[tuple[str, Settings], ...]
    base: Settings
    several: bool = False
    names: tuple[str, ...] = ()
    profiles: Mapping[str, Any] = {}
    defined: Mapping[str, tuple[str, Layer, str]] = {}
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    secrets: frozenset[str] = frozenset()
    path: str | None = None
    plugins: Mapping[str, Plugins] = {}

    def one(self, name: str | None = None) -> Prepared:
        """The one server to run.

        Raises:
            UsageError: there are several and none was named, or it does not exist, or it names no server.
        """
        chosen = _selected(self.servers, name)
        if len(chosen) > 1:
            names = ", ".join(entry for entry, _ in chosen)
            raise UsageError("the configuration has several servers", hint=f"Name one of: {names}.")
        return self._prepared(*chosen[0])

    def prepared(self, name: str | None = None) -> tuple[Prepared, ...]:
        """Every server to run, or the one of that name (`all` for every one).

        Raises:
            UsageError: there is none of that name, or one of them has neither a command nor a URL.
        """
        return tuple(self._prepared(*entry) for entry in _selected(self.servers, name))

    def _prepared(self, name: str, settings: Settings) -> Prepared:
        _need_server(name, settings, several=self.several, found=self.path is not None)
        if self.several:
            settings = _called(name, settings)
        shown = frozenset[str]() if not settings["output.redact"] else self.secrets
        return Prepared(name, settings, lambda text: redact(text, shown), self.warnings, self.plugins_of(name))

    def plugins_of(self, name: str) -> Plugins:
        """What one server is tested with: this build's packs, and those of the plugins that it names."""
        return self.plugins.get(name) or Plugins()


class Prepared(msgspec.Struct, frozen=True):
    """One server to run: its settings, a function that takes secrets out of texts, warnings to show, its packs."""

    name: str
    settings: Settings
    redact: Callable[[str], str]
    warnings: tuple[str, ...] = ()
    plugins: Plugins = Plugins()


class _File(msgspec.Struct, frozen=True):
    """One configuration file and what it says."""

    kind: OriginKind
    document: Document
    says: Flattened

    def origin(self, path: KeyPath, at_key: bool = False) -> Origin:
        return Origin(self.kind, self.document.name, *self.document.position(path, at_key))


def load(
    config: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    *,
    chosen: Layer | None = None,
    look: bool = True,
    directory: str | os.PathLike[str] = ".",
    project: Document | None = None,
) -> Loaded:
    """Read every layer and merge them.

    Args:
        config: the project file; `sealmark.yaml` in `directory`, if it exists, when this is None.
        profile: the profile, as `--profile` gives it.
        environ: the environment; the process's own when None.
        flags: parameter name -> value, as given on the command line (see `settings.flags`).
        chosen: one more layer above all (see `settings.arguments`).
        look: whether to look for `sealmark.yaml` when `config` is None.
        directory: where to look.
        project: the content of the project file, when the caller has read it already.

    Raises:
        ConfigError: one line for each mistake of every file, variable and flag.
        UsageError: the file or the server that was asked for does not exist.
    """
    environ = os.environ if environ is None else environ
    given = {**(flags or {}), **({"profile": profile} if profile is not None else {})}
    documents = _find(config, environ, Path(directory) if look else None, project)
    own = any(names_plugins(document.data) for _, document in documents) or "SEALMARK_PLUGINS" in environ
    own = own or "plugins" in (chosen or Layer()).appends
    files = [_parsed(kind, document, plugins=own) for kind, document in documents]
    variables, from_flags = environment_layer(environ), flags_layer(given)
    problems = [*_file_problems(files), *variables.problems, *from_flags.problems]
    notes = [(file.origin(note.path, note.at_key), note.says) for file in files for note in file.says.notes]
    notes += [*variables.notes, *from_flags.notes]

    above = (variables.layer, from_flags.layer, chosen or Layer())
    asked = _profile((*(file.says.layer for file in files), *above), environ if chosen is None else {}, given)
    if asked.origin == _CI:
        notes.append((_CI, "the profile ci is used; --profile standard uses the other"))
    defined = {name: entry for file in files for name, entry in file.says.profiles.items()}
    profiles = {name: (below, layer) for name, (below, layer, _) in defined.items()}
    problems += _profile_problems(files, profiles, asked)
    below = () if problems else (profile_layer(str(asked.value), profiles), Layer({"profile": asked}))

    base = Settings.of(*below, *(file.says.layer for file in files), *above)
    names = tuple(dict.fromkeys(name for file in files for name in file.says.servers))
    servers = [(name, Settings.of(*below, *(_for(file, name) for file in files), *above)) for name in names]
    if names:
        problems += _server_and_servers(files, above)
    else:
        servers = [(base["server.name"] or "server", base)]
    problems += [line for _, one in servers for line in combine.problems(one, several=len(servers) > 1)]
    secrets = secret_values(base, environ).union(*(secret_values(one, environ) for _, one in servers))
    if problems:
        raise ConfigError(_lines(problems, files, secrets))
    selected = _selected(servers, given.get("server"))
    warnings = [line for _, one in selected for line in combine.warnings(one)]
    return Loaded(
        servers=tuple(selected),
        base=base,
        several=bool(names),
        names=names,
        profiles={name: file.document.data["profiles"][name] for file in files for name in file.says.profiles},
        defined=defined,
        warnings=tuple(_lines(warnings, files, secrets)),
        notes=tuple(_lines(notes, files, secrets)),
        secrets=secrets,
        path=next((file.document.name for file in files if file.kind == "project"), None),
        plugins={name: load_plugins(one) for name, one in selected if one["plugins"] or one["plugin_checks"]},
    )


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Where the user's own configuration would be; None when there is no home directory."""
    folder = environ.get("XDG_CONFIG_HOME") or (environ["HOME"] + "/.config" if environ.get("HOME") else "")
    return Path(folder) / "sealmark" / "config.yaml" if folder else None


def local_file(project: Path) -> Path:
    """The file beside a project file for what must stay on this machine: `sealmark.local.yaml`."""
    return project.with_name(f"{project.stem}.local{project.suffix}")


def read(path: Path) -> Document:
    """Read and parse a file.

    Raises:
        ConfigError: it cannot be read, is not UTF-8, or is too large.
    """
    name = _display(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError([f"{name}:1:1: cannot be read: {error.strerror}"]) from None
    if len(data) > MAX_BYTES:
        raise ConfigError([f"{name}:1:1: larger than {MAX_BYTES // 1024} KiB, which no configuration needs"])
    try:
        return parse(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{name}:{line}:1: not UTF-8; save the file as UTF-8"]) from None


def migrate_file(path: Path) -> tuple[str, ...]:
    """Rewrite a file in the current format; the original stays beside it with `.bak` added to its name.

    Returns:
        One sentence for each change; none when the file was current, and then nothing is written.

    Raises:
        UsageError: there is no such file, or an earlier original is still there.
        ConfigError: the file is not YAML, or something in it cannot be moved.
    """
    if not path.is_file():
        raise UsageError(f"no configuration file {str(path)!r}", hint="`sealmark init` writes one.")
    document = read(path)
    migration = migrate(document, SCHEMA_VERSION)
    if not migration.changes:
        return ()
    path = path.resolve()
    backup = path.with_name(path.name + ".bak")
    try:
        with backup.open("xb") as kept:
            kept.write(path.read_bytes())
    except FileExistsError:
        raise UsageError(
            f"{backup} exists; an original is never overwritten", hint=f"Move it away: mv {backup} …"
        ) from None
    mode = path.stat().st_mode & 0o777
    backup.chmod(mode)
    write_atomic(path, migration.text.encode(), mode)
    return migration.changes


def _display(path: Path) -> str:
    """A path as messages show it: relative to the working directory when it is inside."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return str(path)
    return str(path) if relative.startswith("..") else relative


def _find(
    config: str | os.PathLike[str] | None,
    environ: Mapping[str, str],
    directory: Path | None,
    document: Document | None = None,
) -> list[tuple[OriginKind, Document]]:
    """The files that there are, lowest layer first. Without a directory, only the user's own and the one named.

    A `document` stands in the place of the project file.
    """
    project = Path(config) if config is not None else directory / FILE if directory is not None else None
    if config is not None and project is not None and not project.is_file():
        raise UsageError(f"no configuration file {str(config)!r}", hint="`sealmark init` writes one.")
    candidates: list[tuple[OriginKind, Path | None]] = [
        ("user", user_file(environ)),
        ("project", project),
        ("local", local_file(project) if project is not None else None),
    ]
    found = {kind: read(path) for kind, path in candidates if path is not None and path.is_file()}
    if document is not None:
        found["project"] = document
    return [(kind, found[kind]) for kind, _ in candidates if kind in found]


def _parsed(kind: OriginKind, document: Document, *, plugins: bool) -> _File:
    def where(path: KeyPath, at_key: bool) -> Origin:
        return Origin(kind, document.name, *document.position(path, at_key))

    return _File(kind, document, flatten(Source(document.data, where, document.written.get, plugins)))


def _file_problems(files: Sequence[_File]) -> Iterator[Line]:
    for file in files:
        for line, column, says in file.document.problems:
            yield Origin(file.kind, file.document.name, line, column), says
        for problem in file.says.problems:
            yield file.origin(problem.path, problem.at_key), problem.says
        version = file.document.data.get("schema_version")
        if isinstance(version, int) and version > SCHEMA_VERSION:
            says = (
                f"schema_version {version} is newer than this build reads ({SCHEMA_VERSION}); pip install -U sealmark"
            )
            yield file.origin(("schema_version",)), says


_CI = Origin("variable", "CI")


def _profile(layers: Iterable[Layer], environ: Mapping[str, str], given: Mapping[str, Any]) -> Value:
    """The profile that was asked for; in a pipeline ci, unless something else about the output was asked for."""
    values = merge_all(layers).values
    asked = values.get("profile")
    if asked is not None:
        return asked
    elsewhere = any(given.get(name) for name in ("out", "out_dir", "format")) or "output.out" in values
    if environ.get("CI", "").lower() in ("1", "true") and not elsewhere:
        return Value("ci", _CI)
    return Value("standard", Origin("default"))


def _profile_problems(
    files: Sequence[_File], profiles: Mapping[str, tuple[str, Layer]], chosen: Value
) -> Iterator[Line]:
    asked = [(name, file.origin(("profiles", name, "extends"))) for file in files for name in file.says.profiles]
    for name, origin in (*asked, (str(chosen.value), chosen.origin)):
        try:
            profile_layer(name, profiles)
        except UsageError as error:
            yield origin, f"{error.message}{'' if error.message.endswith('?') else '.'} {error.hint}"


def _for(file: _File, name: str) -> Layer:
    """What a file says for one server: its top, and over it the server's own entry."""
    return merge(file.says.layer, file.says.servers[name]) if name in file.says.servers else file.says.layer


def _server_and_servers(files: Sequence[_File], above: Iterable[Layer]) -> Iterator[Line]:
    """`server` and `servers` exclude each other."""
    servers = next(file.origin(("servers",), at_key=True) for file in files if file.says.servers)
    for file in files:
        if file.document.data.get("server") is not None:
            origin = file.origin(("server",), at_key=True)
            yield origin, f"server and servers (at {servers.position}) exclude each other; keep one"
    for layer in above:
        for key in ("server.command", "server.url"):
            if key in layer.values:
                says = f"gives a server beside servers (at {servers.position}); use --server NAME, or another --config"
                yield layer.values[key].origin, says


def _selected(servers: Sequence[tuple[str, Settings]], name: Any) -> Sequence[tuple[str, Settings]]:
    if name in (None, "", "all"):
        return servers
    chosen = [entry for entry in servers if entry[0] == name]
    if not chosen:
        names = [entry[0] for entry in servers]
        raise UsageError(f"no server {name!r}{did_you_mean(str(name), names)}", hint="Known: " + ", ".join(names))
    return chosen


def _called(name: str, settings: Settings) -> Settings:
    """The settings of an entry of `servers:`, which is called by its key unless it has a name of its own."""
    if settings["server.name"]:
        return settings
    return settings.replace({"server.name": name}, settings.origin("server.command"))


def _need_server(name: str, settings: Settings, *, several: bool, found: bool) -> None:
    if not settings["server.command"] and not settings["server.url"]:
        what = f"the server {name!r} has neither a command nor a URL" if several else "no server to test"
        where = "" if found else f" (there is no {FILE} here)"
        hint = 'Type `sealmark run --start "COMMAND"`, `sealmark run --url URL`, or `sealmark init`.'
        raise UsageError(what + where, hint=hint)


def _lines(lines: Iterable[Line], files: Sequence[_File], secrets: frozenset[str]) -> list[str]:
    """Lines as texts without secrets, each once, in the order of the files; variables and flags come last."""
    names = [file.document.name for file in files]

    def place(line: Line) -> tuple[int, int, int]:
        origin, _ = line
        return (names.index(origin.where) if origin.line else len(names), origin.line, origin.column)

    ordered = sorted(dict.fromkeys(lines), key=place)
    return [redact(f"{origin.position}: {says}", secrets) for origin, says in ordered]
