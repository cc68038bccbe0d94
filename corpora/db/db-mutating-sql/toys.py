"""Servers that mean to read only, by means that hold and by means that do not."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import SQL, Shop, as_csv, as_markdown, as_structured, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-mutating-sql"))


@toys.toy("fail", "changed")
def looks_at_the_first_word(server):
    """Takes what begins with SELECT or WITH, several statements in one go."""
    shop = Shop()

    def run(text):
        if not re.match(r"\s*(?:SELECT|WITH)\b", text, re.IGNORECASE):
            raise Refused("Only SELECT statements are allowed")
        return shop.run(text)

    query(server, run)


@toys.toy("fail", "changed")
def opens_a_read_only_transaction(server):
    """Runs everything after BEGIN READ ONLY, which a statement can end."""
    query(server, Shop().in_read_only)


@toys.toy("fail", "changed")
def looks_for_words(server):
    """Refuses statements that hold words that write; a function holds none."""
    shop = Shop()

    def run(text):
        if re.search(r"\b(?:INSERT|UPDATE|DELETE|DROP|CREATE|ALTER|TRUNCATE|COPY|DO)\b", text, re.IGNORECASE):
            raise Refused("The statement holds a word that is not allowed")
        return shop.run(text)

    query(server, run)


@toys.toy("fail", "changed")
def switches_the_session_to_read_only(server):
    """Sets the session to read-only once, which a SELECT can undo."""
    query(server, Shop(setup="SET default_transaction_read_only = on").run)


@toys.toy("fail", "changed", **{"server.env": {"DATABASE_URL": "{dsn:admin}"}})
def connects_as_admin(server):
    """Reads only, but as a role that can end the connections of others."""
    query(server, Shop().prepared)


@toys.toy("fail", "changed", sql_tools=[{"tool": "ask", "arg": "question"}])
def hides_its_tool(server):
    """Calls the tool and its argument by names that do not say SQL; the configuration adds it."""
    query(server, Shop().prepared)
    shop = Shop()

    @server.tool("ask", {"question": {"type": "string"}}, ["question"], "Ask for anything.")
    def ask(arguments):
        columns, rows = shop.run(arguments["question"])
        return "done" if "QUERY PLAN" in columns else as_csv(columns, rows)


@toys.toy("pass", "unchanged", near=True)
def prepares_each_statement(server):
    """Runs one prepared statement between BEGIN READ ONLY and ROLLBACK."""
    query(server, Shop().prepared)


@toys.toy("pass", "unchanged", near=True)
def parses_properly(server):
    """Takes one SELECT on a table that it knows, column by column; nothing else is a statement to it."""
    shop, grammar = Shop(), re.compile(r"SELECT \w+(?:, ?\w+)* FROM \w+(?: WHERE \w+ = (?:\d+|'[^']*'))?")

    def run(text):
        if not grammar.fullmatch(text):
            raise Refused("Not a statement that this tool takes: SELECT columns FROM table WHERE column = value")
        return shop.prepared(text)

    query(server, run, as_markdown)


@toys.toy("pass", "unchanged", near=True, sql_tools=[{"tool": "query", "arg": "sql", "args": {"database": "shop"}}])
def wants_to_know_the_database(server):
    """Requires the name of a database beside the statement."""
    shop = Shop()

    @server.tool("query", {**SQL, "database": {"type": "string"}}, ["sql", "database"], "Run a SQL query.")
    def ask(arguments):
        if arguments["database"] != "shop":
            raise Refused(f"No database {arguments['database']}")
        return as_structured(*shop.prepared(arguments["sql"]))


@toys.toy("part", "some-unjudged")
def has_a_tool_that_needs_a_licence(server):
    """Reads with one tool; another wants a licence that nobody has."""
    query(server, Shop().prepared)

    @server.tool("run_sql", SQL, ["sql"], "Run a SQL query.")
    def run_sql(arguments):
        raise Refused("No licence")


@toys.toy("inconclusive", "no-control")
def refuses_everything(server):
    """Answers every statement with the same refusal."""

    def run(text):
        raise Refused("This statement is not allowed")

    query(server, run)


@toys.toy("na", "no-target")
def only_writes(server):
    """Has one tool, which is there to write and says so."""
    query(server, Shop().run, name="write_query")


if __name__ == "__main__":
    toys.main()
