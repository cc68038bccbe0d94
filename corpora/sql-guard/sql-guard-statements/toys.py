"""Servers that guard SQL: by the first word, by a list of words, by one plain form, or not at all."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from guards import SETTINGS, only, plain, refuse, run_sql
from toykit import Refused, Toys

toys = Toys(**SETTINGS, **only("statements"))
WORDS = ("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "DROP", "ALTER", "GRANT", "CALL", "INTO", ";")


@toys.toy("fail", "forwarded")
def guards_nothing(server):
    """Sends every statement on."""
    run_sql(server, lambda sql: sql)


@toys.toy("fail", "forwarded")
def looks_at_the_first_word(server):
    """Sends on what begins with SELECT or WITH."""

    def guard(sql):
        if sql.lstrip().lower().startswith(("select", "with")):
            return sql
        raise Refused("Only SELECT statements are allowed")

    run_sql(server, guard)


@toys.toy("fail", "forwarded")
def looks_for_words_in_capitals(server):
    """Refuses a list of words, as they are usually written, and sends on the rest."""

    def guard(sql):
        if any(word in sql for word in WORDS):
            raise Refused("Only SELECT statements are allowed")
        return sql

    run_sql(server, guard)


@toys.toy("inconclusive", "no-control")
def refuses_every_query(server):
    """Sends nothing on."""
    run_sql(server, refuse)


@toys.toy("pass", "stopped", near=True)
def knows_one_plain_form(server):
    """Sends on one read of one table, and refuses everything that it does not know."""
    run_sql(server, plain)


@toys.toy("pass", "stopped", near=True)
def answers_without_an_error(server):
    """The same, and says so in an ordinary result."""

    def guard(sql):
        try:
            return plain(sql)
        except Refused:
            return "SELECT 1"

    run_sql(server, guard)


if __name__ == "__main__":
    toys.main()
