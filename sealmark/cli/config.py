"""`sealmark config`: the merged configuration, profiles, the file's schema, and migration to the current format."""

from __future__ import annotations

from typing import Any

import click

from sealmark.cli.options import with_options


@click.group("config", epilog="Example: sealmark config show --origins")
def config() -> None:
    """Show, check or migrate the configuration."""


@config.command("show", epilog="Example: sealmark config show --profile strict --origins")
@click.option("--origins", is_flag=True, help="Say where every value came from.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the integrity and every origin.")
@with_options("config show")
def show(origins: bool, as_json: bool, **params: Any) -> None:
    """Print the merged configuration; its first line says whether a run with it would be STANDARD or CUSTOM.

    The output is a configuration file again. Secrets are left out, placeholders and variables stay as written.
    """
    import json

    from sealmark.cli.loading import load_configuration
    from sealmark.settings.integrity import assess, difference_line
    from sealmark.settings.show import as_json as settings_as_json
    from sealmark.settings.show import as_yaml, first_line

    loaded, _ = load_configuration(params)
    for line in (*(f"note: {note}" for note in loaded.notes), *(f"warning: {text}" for text in loaded.warnings)):
        click.echo(line, err=True)
    if as_json:
        servers = [
            {"name": name, "integrity": _integrity(settings, loaded.plugins_of(name)), **settings_as_json(settings)}
            for name, settings in loaded.servers
        ]
        click.echo(json.dumps(servers[0] if len(servers) == 1 else {"servers": servers}, indent=1, ensure_ascii=True))
        return
    for name, settings in loaded.servers:
        integrity = assess(settings, loaded.plugins_of(name).build)
        line = first_line(integrity)
        click.echo(line if len(loaded.servers) == 1 else f"{line}  (server {name!r})")
        for difference in integrity.differences:
            click.echo(f"#   {difference_line(difference)}")
    several = dict(loaded.servers) if loaded.several else {}
    click.echo(as_yaml(loaded.base, several, loaded.profiles, origins=origins), nl=False)


@config.command("profiles", epilog="Example: sealmark config profiles --json")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--config", "path", metavar="FILE", help="The project's configuration. Default: sealmark.yaml.")
def profiles(as_json: bool, path: str | None) -> None:
    """List the shipped profiles and your own, with what each changes from the standard."""
    import json

    from sealmark.configfile import load
    from sealmark.settings.profiles import differences
    from sealmark.settings.show import flow

    loaded = load(path)
    rows = differences(loaded.defined)
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        below = f" (extends {row['extends']})" if row["extends"] else ""
        click.echo(f"{row['name']}{below}: {row['doc']}".rstrip(": "))
        for key, value in row["settings"].items():
            custom = "" if key not in row["custom"] else "  (CUSTOM)"
            click.echo(f"  {key}: {flow(value)}{custom}")


@config.command("schema", epilog="Example: sealmark config schema > sealmark.schema.json")
def schema() -> None:
    """Print the JSON Schema of the configuration file, for editors."""
    import json

    from sealmark.settings.schema import json_schema

    click.echo(json.dumps(json_schema(), indent=1))


@config.command("migrate", epilog="Example: sealmark config migrate --config sealmark.yaml")
@click.option(
    "--config", "path", metavar="FILE", default="sealmark.yaml", show_default=True, help="The file to rewrite."
)
def migrate(path: str) -> None:
    """Rewrite a configuration file in the current format; the original is kept as FILE.bak."""
    from pathlib import Path

    from sealmark.configfile import migrate_file

    changes = migrate_file(Path(path))
    for change in changes:
        click.echo(change)
    click.echo(f"{path}: the original is {path}.bak" if changes else f"{path}: nothing to do")


def _integrity(settings: Any, plugins: Any) -> dict[str, Any]:
    import msgspec

    from sealmark.settings.integrity import assess

    found = assess(settings, plugins.build)
    return {"standard": found.standard, "hash": found.hash, "diff": msgspec.to_builtins(found.differences)}
