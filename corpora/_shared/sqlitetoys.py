"""Ways in which toys run SQL on a SQLite file, and ways in which they show rows. The file is named by DATABASE."""

import contextlib
import json
import os
import re
import sqlite3

from toykit import Refused, Toys

STABLE = (
    "not authorized",
    "no such function: version",
    "no such function: load_extension",
    "attempt to write a readonly database",
    "interrupted",
)
"""Messages that every version of the engine words alike; of others a toy says only that there was an error."""


def sqlite_toys(**settings):
    """Toys whose servers are told the database's path."""
    return Toys(**{"server.env": {"DATABASE": "{sqlite_path}"}, **settings})


def only(*others):
    """Settings that leave the other checks of the pack out, so that a record holds what matters."""
    return {f"checks.sqlite-{name}.enabled": False for name in others}


# -- connections ------------------------------------------------------------------------------------------------------


def connect(**more):
    """A connection that commits by itself and is made anew for each call."""
    return sqlite3.connect(os.environ["DATABASE"], isolation_level=None, timeout=0, **more)


def read_only():
    """A connection that cannot write to the file."""
    return sqlite3.connect(f"file:{os.environ['DATABASE']}?mode=ro", uri=True, isolation_level=None, timeout=0)


READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def guarded():
    """A connection whose authorizer lets statements read, and nothing else."""
    database = connect()
    database.set_authorizer(lambda action, *rest: sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY)
    return database


def one(database, sql):
    """Runs one statement and returns (columns, rows)."""
    cursor = database.execute(sql)
    return [column[0] for column in cursor.description or ()], cursor.fetchall()


def several(database, sql):
    """Runs statement after statement and returns what the last one with rows returned."""
    columns, rows = [], []
    for statement in re.split(r";(?![^']*'(?:[^']*'[^']*')*[^']*$)", sql):
        if statement.strip():
            found = one(database, statement)
            columns, rows = found if found[0] else (columns, rows)
    return columns, rows


def script(database, sql):
    """Runs all of it and returns nothing."""
    database.executescript(sql)
    return [], []


# -- rows -------------------------------------------------------------------------------------------------------------


def as_json(columns, rows):
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows])


def as_tuples(columns, rows):
    return str(rows)


def as_csv(columns, rows):
    return "\n".join(",".join(str(value) for value in row) for row in [columns, *rows])


def as_markdown(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(value) for value in line) + " |" for line in lines)


def structured(columns, rows):
    found = {"columns": columns, "rows": [list(row) for row in rows]}
    return {"content": [{"type": "text", "text": f"{len(rows)} rows"}], "structuredContent": found}


# -- tools ------------------------------------------------------------------------------------------------------------

SQL = {"sql": {"type": "string", "description": "The SQL statement."}}


def tool(server, name, about, allow=lambda sql: None, open_=connect, run=one, show=as_json, kept=False):
    """Registers a tool that takes SQL.

    `allow(sql)` raises Refused; `open_()` makes the connection, once when it is `kept`; `run` and `show` as above.
    """
    held = []

    @server.tool(name, SQL, ["sql"], about)
    def query(arguments):
        allow(arguments["sql"])
        if kept and not held:
            held.append(open_())
        database = held[0] if kept else open_()
        try:
            return show(*run(database, arguments["sql"]))
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise Refused(worded(error)) from None
        finally:
            if not kept:
                with contextlib.suppress(sqlite3.Error):
                    database.close()


def worded(error):
    """The engine's message where every version words it alike."""
    return str(error) if str(error).startswith(STABLE) else "SQL error"


def reader(server, name="query", about="Run a SQL query on the SQLite database.", **more):
    tool(server, name, about, **more)


def writer(server, name="write_query", about="Run an INSERT, UPDATE or DELETE on the SQLite database.", **more):
    tool(server, name, about, **more)


def begins_with(*words):
    """Lets statements pass whose first word is one of these."""

    def allow(sql):
        if not sql.lstrip().upper().startswith(words):
            raise Refused(f"Only {', '.join(words)} statements are allowed")

    return allow


def broken(server):
    """A second tool that never answers with rows: it needs a ticket that nobody has."""
    schema = {**SQL, "ticket": {"type": "string"}}

    @server.tool("report_sql", schema, ["sql", "ticket"], "Run a SQL query for a report.")
    def report(arguments):
        raise Refused("No such ticket")


def always_refuses(server):
    """One tool that has the same refusal for every statement."""

    @server.tool("query", SQL, ["sql"], "Run a SQL query on the SQLite database.")
    def query(arguments):
        raise Refused("This statement is not allowed")


def like_duckdb(server):
    """One tool that answers as DuckDB does."""

    @server.tool("query", SQL, ["sql"], "Run a query on the DuckDB database.")
    def query(arguments):
        if "sqlite_version" in arguments["sql"]:
            return "Database error: Catalog Error: Scalar Function with name sqlite_version does not exist!"
        if "version()" in arguments["sql"]:
            return "[('v1.4.1',)]"
        return "Database error: Catalog Error: Table with name notes does not exist!"
