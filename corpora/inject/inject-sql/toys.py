"""Tools that build statements from values, and tools that only look as if they did."""

import itertools
import json
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from toykit import Refused, Toys

OTHERS = ("path", "command", "url")
toys = Toys(active=True, **{f"checks.inject-{name}.enabled": False for name in OTHERS})
ROWS = [(1, "Ada", "Bern"), (2, "Ben", "Graz"), (3, "Cleo", "Lund")]


def people():
    """A small table of people, in memory."""
    database = sqlite3.connect(":memory:")
    database.execute("create table people (id integer, name text, city text)")
    database.executemany("insert into people values (?, ?, ?)", ROWS)
    return database


def finder(server, run, name="find_person"):
    """Registers a tool that finds people by name."""

    @server.tool(name, {"name": {"type": "string"}}, ["name"], "Find a person by name.")
    def find(arguments):
        return json.dumps(run(arguments["name"]))


def quietly(statement, *values):
    """Runs a statement; an error is no row."""
    try:
        return people().execute(statement, values).fetchall()
    except sqlite3.Error:
        return []


@toys.toy("fail", "condition-decides")
def pastes_between_quotes(server):
    """Pastes the value between single quotes, and hides every error."""
    finder(server, lambda name: quietly(f"select * from people where name = '{name}'"))


@toys.toy("fail", "condition-decides")
def pastes_behind_like(server):
    """Pastes the value between the signs of LIKE, and repeats it in its answer."""

    def run(name):
        return {"asked": name, "found": quietly(f"select name from people where name like '%{name}%'")}

    finder(server, run)


@toys.toy("fail", "condition-decides")
def pastes_a_number(server):
    """Pastes the value where a number stands."""

    @server.tool("show_person", {"id": {"type": "string"}}, ["id"], "Show a person by number.")
    def show(arguments):
        return json.dumps(quietly(f"select * from people where id = {arguments['id']}"))


@toys.toy("part", "sql-error")
def pastes_a_table(server):
    """Pastes the value where a table's name stands, and passes on the engine's error."""

    @server.tool("describe", {"table": {"type": "string"}}, ["table"], "Describe the columns of a thing.")
    def describe(arguments):
        try:
            return json.dumps(people().execute(f"pragma table_info({arguments['table']})").fetchall())
        except sqlite3.Error:
            raise Refused('Error: near ")": syntax error') from None


@toys.toy("pass", "no-difference", near=True)
def binds_the_value(server):
    """Passes the value as a parameter."""
    finder(server, lambda name: quietly("select * from people where name = ?", name))


@toys.toy("pass", "no-difference", near=True)
def searches_for_words(server):
    """Finds whoever's number or name is among the words of the value: conditions look like words."""

    def run(name):
        words = set(name.replace("'", " ").replace(">", " ").split())
        return [row for row in ROWS if words & {str(row[0]), row[1]}]

    finder(server, run)


@toys.toy("pass", "no-difference", near=True)
def repeats_the_value(server):
    """Repeats the value, so that every answer differs by what was sent."""
    finder(server, lambda name: f"nobody is called {name}")


@toys.toy("part", "some-unjudged")
def has_a_tool_that_counts(server):
    """Has a second tool whose every answer is another."""
    finder(server, lambda name: quietly("select * from people where name = ?", name))
    numbers = itertools.count()
    finder(server, lambda name: f"call {next(numbers)}", name="find_user")


@toys.toy("inconclusive", "no-control")
def turns_everything_down(server):
    """Turns every value down before it is used."""

    def run(name):
        raise Refused("Invalid parameters: no such person")

    finder(server, run)


if __name__ == "__main__":
    toys.main()
