"""A home and a project with configurations of every client, from tests/data/clients."""

import sys
from pathlib import Path

DATA = Path(__file__).with_name("data") / "clients"
SERVERS = Path(__file__).with_name("servers.py")

PLACES = {
    "claude_desktop_config.json": "home/.config/Claude/claude_desktop_config.json",
    "claude.json": "home/.claude.json",
    "dot_mcp.json": "project/.mcp.json",
    "cursor.json": "home/.cursor/mcp.json",
    "vscode_mcp.json": "project/.vscode/mcp.json",
    "vscode_settings.json": "home/.config/Code/User/settings.json",
    "vscode_settings_flat.json": "project/.vscode/settings.json",
    "copilot.json": "home/.copilot/mcp-config.json",
    "windsurf.json": "home/.codeium/windsurf/mcp_config.json",
}
"""Sample -> where the client keeps it."""

SECRETS = (
    "desk-Secret-of-args-0001",
    "ghs-Secret-of-github-0002",
    "query-Secret-0003",
    "bearer-Secret-0004",
    "pg-Secret-0005",
    "copilot-Secret-0006",
)


def lay_out(top: Path, samples: tuple[str, ...] = tuple(PLACES)) -> tuple[Path, Path]:
    """Put samples where their clients keep them; returns the home and the project."""
    home, project = top / "home", top / "project"
    for folder in (home / "Documents", home / "Desktop", home / "work", home / "other", project / "data"):
        folder.mkdir(parents=True, exist_ok=True)
    (project / "tools").mkdir(exist_ok=True)
    script = (
        f"import runpy, sys\nsys.argv[0] = {str(SERVERS)!r}\nrunpy.run_path({str(SERVERS)!r}, run_name='__main__')\n"
    )
    (project / "tools/server.py").write_text(script)
    for sample in samples:
        put(top, sample, PLACES[sample])
    return home, project


def put(top: Path, sample: str, place: str) -> None:
    """Put one sample somewhere."""
    text = (DATA / sample).read_text()
    for mark, value in {
        "HOME_HERE": top / "home",
        "PROJECT_HERE": top / "project",
        "PYTHON_HERE": sys.executable,
        "SERVERS_HERE": SERVERS,
    }.items():
        text = text.replace(mark, str(value))
    (top / place).parent.mkdir(parents=True, exist_ok=True)
    (top / place).write_text(text)
