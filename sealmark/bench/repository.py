"""A git repository of one constant commit, made by the real program once and kept as files."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sealmark.bench import fixtures

_IDENTITY = (("NAME", "Sandbox"), ("EMAIL", "sandbox@localhost"), ("DATE", "2026-01-01T00:00:00Z"))
_COMMANDS = (
    ("init", "--quiet", "--template=", "--initial-branch=main"),
    ("add", "README.md"),
    ("commit", "--quiet", "--no-gpg-sign", "--message=start"),
)


@cache
def files(git: str) -> Mapping[str, bytes]:
    """The files of `.git` after one commit of the README, made once by the program `git`; empty when that fails."""
    if not git:
        return {}
    with tempfile.TemporaryDirectory(prefix="sealmark-git-") as folder:
        (Path(folder) / "README.md").write_text(fixtures.README)
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _IDENTITY}
        env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": folder,
            "GIT_CONFIG_NOSYSTEM": "1",
            **identity,
        }
        for command in _COMMANDS:
            try:
                subprocess.run([git, *command], cwd=folder, env=env, capture_output=True, timeout=20, check=True)
            except (OSError, subprocess.SubprocessError):
                return {}
        top = Path(folder) / ".git"
        return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}
