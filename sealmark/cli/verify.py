"""`sealmark verify`: find edits in stored runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("verify", epilog="Example: sealmark verify run.json")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
def verify(paths: tuple[Path, ...]) -> int:
    """Check fingerprints, recompute grades, and judge again where this build made the judgement. Starts nothing.

    Exit 1 when anything was edited. Fingerprints are checksums, not signatures: they show edits, not who made a run.
    """
    from sealmark.cli.ratchet import read_runs
    from sealmark.compare.fingerprint import verify as check
    from sealmark.judging.regrade import again
    from sealmark.reading.shown import line

    edited = 0
    for path in paths:
        for run in read_runs(path):
            name = f"{line(str(path), 200)}: {line(run.gathered.server.name, 80)}"
            fresh = again(run)
            found = check(run, fresh)
            edited += bool(found)
            for edit in found:
                click.echo(f"{name}: {edit.part}: {edit.line}")
            if not found:
                how = "fingerprints fit, grades recomputed" + (", judged again" if fresh else "")
                click.echo(f"{name}: unedited ({how}) · behaviour {run.fingerprints.get('behaviour', 'not judged')}")
    return 1 if edited else 0
