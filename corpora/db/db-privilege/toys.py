"""Servers that are started once for each role."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from shop import Shop, only, query
from toykit import Refused, Toys

toys = Toys(**only("db-privilege"))


@toys.toy("fail", "other-role", **{"server.env": {"DATABASE_URL": "{dsn:admin}"}})
def connects_as_admin(server):
    """Uses one connection for everybody."""
    query(server, Shop().prepared)


@toys.toy("pass", "as-given", near=True)
def connects_as_given(server):
    """Connects with the credentials that it was given."""
    query(server, Shop().prepared)


@toys.toy("inconclusive", "some-unknown", **{"server.env": {"DATABASE_URL": "{dsn}", "ROLE": "{role}"}})
def works_for_analysts(server):
    """Connects as given, and has no licence for anybody but analysts."""
    shop = Shop()

    def run(text):
        if os.environ["ROLE"] != "analyst":
            raise Refused("No licence")
        return shop.prepared(text)

    query(server, run)


if __name__ == "__main__":
    toys.main()
