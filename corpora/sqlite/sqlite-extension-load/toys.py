"""Servers that let statements load extensions, that deny it, and that say nothing of it."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from sqlitetoys import always_refuses, begins_with, broken, guarded, like_duckdb, only, reader, sqlite_toys, writer
from toykit import Refused

toys = sqlite_toys(**only("row-cap", "timeout", "read-only", "mutating-sql", "file-access"))

LOADING = re.compile(r"load_extension\('([^']*)'\)")


def loads(sql):
    """Answers as an engine does that has opened a file and found no library in it."""
    found = LOADING.search(sql)
    if found:
        raise Refused(f"{found[1]}: invalid ELF header")


@toys.toy("fail", "loader-reached")
def loads_extensions(server):
    """Has loading switched on."""
    reader(server, allow=loads)


@toys.toy("fail", "loader-reached")
def loads_extensions_in_its_writer(server):
    """Has loading switched on for its writer, which takes INSERT only."""

    def allow(sql):
        begins_with("INSERT")(sql)
        loads(sql)

    reader(server, name="read_query", open_=guarded)
    writer(server, allow=allow)


@toys.toy("pass", "denied", near=True)
def has_loading_off(server):
    """Leaves loading off, as drivers do, and passes on what the engine says: not authorized."""
    reader(server, name="read_query", allow=begins_with("SELECT"))
    writer(server, allow=begins_with("INSERT", "UPDATE"))
    writer(
        server, name="create_table", about="Create a table in the SQLite database.", allow=begins_with("CREATE TABLE")
    )


@toys.toy("pass", "denied", near=True)
def names_it_in_its_refusal(server):
    """Looks for the word and says why it refuses."""

    def allow(sql):
        if "load_extension" in sql.lower():
            raise Refused("Extension loading is not allowed")

    reader(server, allow=allow)


@toys.toy("inconclusive", "unsaid")
def refuses_without_a_word(server):
    """Refuses the function with a sentence that says nothing of it."""

    def allow(sql):
        if "load_extension" in sql.lower():
            raise Refused("This statement is not allowed")

    reader(server, allow=allow)


@toys.toy("inconclusive", "unsaid")
def repeats_the_statement(server):
    """Refuses by repeating the statement, so that the word in its refusal is ours."""

    def allow(sql):
        if "load_extension" in sql.lower():
            raise Refused(f"Not allowed: {sql}")

    reader(server, allow=allow)


@toys.toy("part", "some-unjudged")
def has_a_tool_that_never_works(server):
    """Has a second tool that needs what nobody has."""
    reader(server)
    broken(server)


@toys.toy("part", "some-unjudged")
def has_a_mute_writer(server):
    """Denies it in its reader; its writer refuses every function without a word."""

    def allow(sql):
        if "/hello.txt" in sql:
            raise Refused("This statement is not allowed")

    reader(server, name="read_query")
    writer(server, allow=allow)


@toys.toy("inconclusive", "no-control")
def refuses_everything(server):
    """Has one refusal for every statement, reading ones too."""
    always_refuses(server)


@toys.toy("inconclusive", "other-engine")
def answers_like_duckdb(server):
    """Is another engine."""
    like_duckdb(server)


if __name__ == "__main__":
    toys.main()
