"""Two servers over HTTP that front an HTTP backend: `python backed_servers.py NAME DIRECTORY PORT BACKEND`.

Both serve two tables of one schema to whoever brings a token. `careful` does what the page docs/backends.md asks for,
`careless` makes the mistakes that it names.
"""

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpora" / "_shared"))

from backed import Backend, ask
from guards import PLAIN, within
from httpkit import refuse
from toykit import Refused, Toys

toys = Toys()
CAP = 1000
here = threading.local()
first: list[str] = []


def callers(server):
    """Wants any token, and keeps that of the request that is being answered."""

    def guard(request):
        given = request.headers.get("authorization", "")
        here.token = given.removeprefix("Bearer ")
        return None if here.token else refuse(401, "Unauthorized", www_authenticate="Bearer")

    server.http.auth = guard
    os.environ["TOY_BACKEND"] = sys.argv[4]


def tools(server, send, describe, query):
    table = {"table": {"type": "string", "description": "The table's full name"}}
    sql = {"sql": {"type": "string", "description": "A SQL query"}}

    @server.tool("describe_table", table, ["table"], annotations={"readOnlyHint": True})
    def describe_table(arguments):
        """The columns of a table."""
        return send("/describe", {"table": describe(arguments["table"])})

    @server.tool("query", sql, ["sql"], annotations={"readOnlyHint": True})
    def run_query(arguments):
        """Run a read-only SQL query."""
        return send("/sql", {"sql": query(arguments["sql"])})


@toys.toy("pass", "")
def careful(server):
    """Compares whole parts, sends one plain form with a bound, asks as the caller, and says errors in its own words."""
    callers(server)

    def send(path, body):
        try:
            return ask(path, body, credential=here.token, timeout=0.5)
        except Backend as error:
            raise Refused(f"The backend could not answer (status {error.status})") from None
        except OSError:
            raise Refused("The backend did not answer in time") from None

    def describe(table):
        parts = table.lower().split(".")
        if not within(table) or not all(part.replace("_", "a").isalnum() for part in parts):
            raise Refused("Only tables of sales.public are allowed")
        return table

    def query(sql):
        found = PLAIN.fullmatch(sql)
        if not found or not within(found[1]):
            raise Refused("WRITE_NOT_ALLOWED: only a plain SELECT on tables of sales.public is allowed")
        return f"SELECT * FROM ({sql.rstrip('; ')}) capped LIMIT {CAP}"

    tools(server, send, describe, query)


@toys.toy("fail", "")
def careless(server):
    """Compares beginnings, looks at the first word, asks with the first token for everybody, and relays errors."""
    callers(server)

    def send(path, body):
        first.append(here.token)
        try:
            return ask(path, body, credential=first[0])
        except Backend as error:
            raise Refused(f"{error.status}: {error.body}") from None

    def describe(table):
        if not table.lower().startswith("sales.public"):
            raise Refused("Only tables of sales.public are allowed")
        return table

    def query(sql):
        if not sql.lstrip().lower().startswith(("select", "with")):
            raise Refused("WRITE_NOT_ALLOWED: only SELECT is allowed")
        return sql

    tools(server, send, describe, query)


if __name__ == "__main__":
    toys.main()
