"""What must not be loaded: importing the package and asking for help stay light."""

import subprocess
import sys

HEAVY = ("pandas", "mcp", "mcp_types", "plotly", "numpy", "jsonschema", "yaml", "rich", "asyncio")


def loaded_by(code):
    script = f"import sys; {code}; print('\\n'.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()}


def test_import_sealmark_loads_nothing_heavy():
    assert not loaded_by("import sealmark") & set(HEAVY)


def test_help_loads_no_command():
    code = "from click.testing import CliRunner; import sealmark.cli as c; CliRunner().invoke(c.root, ['--help'])"
    assert not loaded_by(code) & {"pandas", "mcp", "mcp_types", "plotly", "numpy", "jsonschema", "yaml"}


def test_the_control_sees_a_heavy_import():
    assert "yaml" in loaded_by("import yaml")
