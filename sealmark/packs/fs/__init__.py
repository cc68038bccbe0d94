"""Files: whether a server stays inside the directory that it was given, reading, writing and through links."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.fs import link_escape, read_escape, size_cap, write_escape


def applies(target: Target) -> tuple[bool, str]:
    """Whether a tool takes a file path and the harness owns the directory that it may use."""
    sure = dict.fromkeys(tool.name for tool, _ in target.taking("path"))
    if not sure:
        unsure = dict.fromkeys(tool.name for tool, _ in target.taking("path", sure=False))
        more = f"; not sure enough of: {', '.join(unsure)} (say so under tools.overrides)" if unsure else ""
        return False, f"no tool takes a file path{more}"
    if not target.facts.get("sandboxed"):
        return False, "the run has no sandbox, so the harness owns no directory to test with"
    if {"sandbox", "dir"} & set(target.facts.get("placeholders", ())):
        return True, f"tools that take a file path: {', '.join(sure)}"
    if target.setting("server.rootless", False):
        return True, f"the working directory counts as the root for: {', '.join(sure)}"
    return False, (
        f"{', '.join(sure)} take a file path, but the server's allowed directory is not {{sandbox}}: name it in the "
        "command line or the environment, or set server.rootless if the server takes none"
    )


PACK = Pack(
    id="fs",
    title="Files",
    question="Does the server stay inside the directory that it was given?",
    applies=applies,
    checks=(read_escape.CHECK, write_escape.CHECK, link_escape.CHECK, size_cap.CHECK),
)
