"""Toys that talk to Postgres: one connection by DATABASE_URL, ways to run a statement, ways to show rows.

Needs psycopg, which comes with the `postgres` extra.
"""

import csv
import io
import json
import os

import psycopg
from toykit import Refused

SQL = {"sql": {"type": "string", "description": "A SQL statement."}}
ENV = {"server.env": {"DATABASE_URL": "{dsn}"}}
CHECKS = (
    *("db-read-only", "db-rls", "db-mutating-sql", "db-masking", "db-row-cap"),
    *("db-timeout", "db-write-gate", "db-audit-log", "db-privilege"),
)


def only(check, **more):
    """Settings of a toy for one check."""
    off = {f"checks.{other}.enabled": False for other in CHECKS if other != check}
    return {**ENV, **off, **more}


class Shop:
    """One connection, opened when it is first needed."""

    def __init__(self, url="DATABASE_URL", setup=""):
        self.url, self.setup, self.connection = os.environ[url], setup, None

    def connect(self):
        if self.connection is None or self.connection.closed:
            self.connection = psycopg.connect(self.url, autocommit=True)
            if self.setup:
                self.connection.execute(self.setup)
        return self.connection

    def ask(self, text):
        """Send text as it is, several statements in one go if it holds several; the rows of the last."""
        cursor = self.connect().cursor()
        try:
            cursor.execute(text)
            while cursor.nextset():
                pass
            if cursor.description is None:
                return [], []
            return [column.name for column in cursor.description], cursor.fetchall()
        except psycopg.Error as error:
            raise Refused(str(error).splitlines()[0]) from None

    def run(self, text):
        """The same, each call in a state of its own: what a failed transaction leaves is rolled back."""
        try:
            return self.ask(text)
        finally:
            status = self.connection.info.transaction_status.name
            if status == "ACTIVE":  # COPY waits for somebody to take its rows
                self.connection.close()
            elif status in ("INTRANS", "INERROR"):
                self.connection.rollback()

    def in_read_only(self, text):
        """Between BEGIN READ ONLY and ROLLBACK, several statements in one go."""
        self.ask("BEGIN TRANSACTION READ ONLY")
        return self.run(text)

    def prepared(self, text):
        """As one prepared statement between BEGIN READ ONLY and ROLLBACK."""
        connection = self.connect()
        try:
            connection.execute("BEGIN TRANSACTION READ ONLY")
            cursor = connection.execute(text.replace("%", "%%"), (), prepare=True)
            if cursor.description is None:
                return [], []
            return [column.name for column in cursor.description], cursor.fetchall()
        except psycopg.Error as error:
            raise Refused(str(error).splitlines()[0]) from None
        finally:
            if not connection.closed:
                connection.rollback()


def as_json(columns, rows):
    return json.dumps([dict(zip(columns, row, strict=True)) for row in rows], default=str)


def as_csv(columns, rows):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def as_markdown(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def as_structured(columns, rows):
    found = json.loads(as_json(columns, rows))
    return {"content": [{"type": "text", "text": f"{len(rows)} rows"}], "structuredContent": {"rows": found}}


def query(server, run, show=as_json, name="query", properties=SQL):
    """Registers a tool that runs a statement and shows its rows."""

    @server.tool(name, properties, ["sql"], "Run a SQL query against Postgres.")
    def ask(arguments):
        return show(*run(arguments["sql"]))

    return ask
