"""Every notebook runs from top to bottom, offline, on stored records; it is stored without output and holds no code
of its own."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

NO_NETWORK = """
import socket
_connect = socket.socket.connect
def _local_only(self, address):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"a notebook reached for the network: {address}")
    return _connect(self, address)
socket.socket.connect = _local_only
del _local_only
"""


def cells(path: Path, kind: str) -> list[nbformat.NotebookNode]:
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == kind]


def test_there_are_five_questions():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_output(path):
    nbformat.validate(nbformat.read(path, as_version=4))
    for cell in cells(path, "code"):
        assert cell.outputs == []
        assert cell.execution_count is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_asks_one_question_and_defines_nothing(path):
    first = cells(path, "markdown")[0].source.splitlines()[0]
    assert first.startswith("# ")
    assert first.endswith("?")
    for cell in cells(path, "code"):
        nodes = list(ast.walk(ast.parse(cell.source)))
        assert not [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)], cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(NO_NETWORK))
    environment = {**os.environ, "PYTHONWARNINGS": "error::FutureWarning", "IPYTHONDIR": str(tmp_path)}
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(FOLDER)}})
    client.execute(env=environment)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            shown = str(output.get("data", {}).get("text/html", ""))
            assert "<script" not in shown
            assert not re.search(r"(?:https?:)?//(?!json-schema\.org)[a-z]", shown)  # nothing is fetched or linked
