"""The house rules that a machine can check: import order, purity, sizes, complete corpora and pages."""

import ast
import re
from pathlib import Path

import pytest

import sealmark
from sealmark import corpora
from sealmark.dev import ROOT, generated
from sealmark.packs import PACKS
from sealmark.record.codec import load
from sealmark.settings.methodology import current
from sealmark.toys import toys

PACKAGE = ROOT / "sealmark"

ROOMS = """
    errors record corpora settings reading surface check packs judging compare report frames catalogue
    atomic processes plugins configfile wire bench engine arrange conductor api store surveys publish setup toys dev cli
    __main__
""".split()
"""Rooms in the order in which imports may run: a room imports only rooms before it (and itself)."""

PURE = ROOMS[: ROOMS.index("atomic")]
"""Rooms that touch nothing but files that the package ships."""

WORLD = {
    "subprocess",
    "socket",
    "time",
    "random",
    "secrets",
    "asyncio",
    "threading",
    "signal",
    "tempfile",
    "os",
    "shutil",
}
"""Modules that the pure rooms may not import."""

MAY_IMPORT = {"frames": {"os"}}
"""Exceptions, each with its reason: frames are read from paths that the caller names."""

PANDAS_ROOMS = {"frames", "publish"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[int, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            found.append((node.lineno, node.module or ""))
            if node.module == "sealmark":
                found += [(node.lineno, f"sealmark.{alias.name}") for alias in node.names]
    return found


def test_every_module_is_in_a_room():
    known = {*ROOMS, "__init__", "_data"}
    assert {room(path) for path in MODULES} <= known


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_upwards_only(path):
    if room(path) == "__init__":
        return
    rank = ROOMS.index(room(path))
    for line, module in imports(path):
        parts = module.split(".")
        if parts[0] != "sealmark" or len(parts) < 2 or parts[1] in ("__version__",) or parts[1] not in ROOMS:
            continue
        assert ROOMS.index(parts[1]) <= rank, f"{path}:{line}: {room(path)} imports {parts[1]}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pure_rooms_do_not_touch_the_world(path):
    if room(path) not in PURE:
        return
    for line, module in imports(path):
        top = module.split(".")[0]
        assert top not in WORLD - MAY_IMPORT.get(room(path), set()), f"{path}:{line}: imports {top}"


def test_reports_comparisons_and_frames_never_import_packs():
    for path in MODULES:
        if room(path) in ("report", "compare", "frames"):
            assert not [module for _, module in imports(path) if module.startswith("sealmark.packs")], path


def test_pandas_stays_in_its_rooms():
    for path in MODULES:
        if room(path) not in PANDAS_ROOMS:
            tops = {module.split(".")[0] for _, module in imports(path)}
            assert not tops & {"pandas", "plotly"}, path


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_stay_small(path):
    lines = path.read_text("utf-8").count("\n")
    assert lines <= 400, f"{path}: {lines} lines"
    if room(path) == "packs":
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "judge":
                assert (node.end_lineno or 0) - node.lineno < 40, f"{path}: judge is longer than 40 lines"


CHECKS = [(pack, check) for pack in PACKS for check in pack.checks]


@pytest.mark.parametrize(("pack", "check"), CHECKS, ids=lambda item: item.id)
def test_check_is_complete(pack, check):
    for part in ("Why:", "How:", "When it can be wrong:"):
        assert part in check.page, f"{check.id}: its page lacks {part!r}"
    mine = list(toys(f"{pack.id}/{check.id}"))
    assert any(toy.verdict == "fail" or toy.verdict == "part" for toy in mine), f"{check.id}: no toy that must fail"
    assert any(toy.near and toy.verdict == "pass" for toy in mine), f"{check.id}: no near miss"
    ids = [rule.id for rule in check.rules]
    assert len(ids) == len(set(ids))
    reached = {toy.rule for toy in mine}
    assert {rule.id for rule in check.rules} <= reached, f"{check.id}: rules without a toy"
    for rule in check.rules:
        assert rule.hint or rule.tag in ("pass", "na"), f"{check.id}: rule {rule.id} has no hint"


def test_registry_and_methodology_name_the_same_checks():
    methodology = current()
    for pack in PACKS:
        row = methodology.pack(pack.id)
        assert row is not None
        assert [check.id for check in row.checks] == [check.id for check in pack.checks]
        assert {check.id: check.revision for check in row.checks} == {c.id: c.revision for c in pack.checks}


def test_no_orphan_corpus_or_record():
    known = {f"{pack.id}/{check.id}" for pack, check in CHECKS}
    for path in corpora.root().glob("*/*/"):
        name = path.relative_to(corpora.root()).as_posix()
        if not name.startswith(("_shared", "servers")) and path.name != "__pycache__":
            assert name in known, f"corpora/{name} belongs to no check"
    kept = set(corpora.root().rglob("records/*.json"))
    assert kept == {toy.record_path for toy in toys()}


def test_every_case_has_an_id_and_a_reason():
    for pack, check in CHECKS:
        for case in corpora.cases(check.corpus or f"{pack.id}/{check.id}"):
            assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", case.id), case.id
            assert len(case.why) > 10, case.id


def test_records_hold_no_machine_path():
    for path in corpora.root().rglob("records/*.json"):
        text = path.read_text("utf-8")
        assert str(ROOT) not in text, path
        assert str(Path.home()) + "/" not in text, path
        load(path.read_bytes(), str(path))


@pytest.mark.parametrize("path", sorted(generated()))
def test_generated_files_are_fresh(path):
    assert (ROOT / path).read_text("utf-8") == generated()[path], "python -m sealmark.dev regen"


def test_no_module_hides_a_public_function():
    """Importing a submodule binds its name on the package, over a function of that name."""
    names = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir()}
    assert not names & set(sealmark.__all__)
