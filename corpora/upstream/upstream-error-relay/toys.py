"""Servers whose backend fails: they pass its error on, pass a part of it on, or say it in their own words."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import ENV, PROBES, REPORT, WITHOUT_CALLERS, Backend, ask, token
from toykit import Refused, Toys

OTHERS = {f"checks.upstream-{name}.enabled": False for name in ("identity", "token-leak", "slow")}
toys = Toys(upstream__kind="http", server__env=ENV, probes=PROBES, **OTHERS)


def reporting(server, failed):
    """A tool that asks the backend; `failed` gives what it says of an error."""

    @server.tool("report", REPORT, ["month"], annotations={"readOnlyHint": True})
    def report(arguments):
        """The report of a month."""
        try:
            return ask("/reports/" + arguments["month"], credential=token())
        except Backend as error:
            raise Refused(failed(error)) from None


@toys.toy("fail", "relays-credential")
def passes_the_error_on(server):
    """Returns the body of an error as it is."""
    reporting(server, lambda error: f"{error.status}: {error.body}")


@toys.toy("part", "relays-body")
def hides_the_token_alone(server):
    """Returns the body of an error with the token taken out."""
    reporting(server, lambda error: error.body.replace(token(), "***"))


@toys.toy("part", "relays-body", server__env=WITHOUT_CALLERS)
def passes_the_error_on_without_callers(server):
    """Returns the body of an error as it is, and has no token."""
    reporting(server, lambda error: error.body)


@toys.toy("inconclusive", "not-reached")
def asks_nobody(server):
    """Never asks the backend."""

    @server.tool("report", REPORT, ["month"])
    def report(arguments):
        """The report of a month."""
        return "nothing new"


@toys.toy("pass", "kept", near=True)
def says_it_in_its_own_words(server):
    """Says that the backend failed, with the status."""
    reporting(server, lambda error: f"The backend could not answer (status {error.status}); try again later")


@toys.toy("pass", "kept", near=True)
def passes_one_word_on(server):
    """Passes on the name of the error, when it is one that it knows."""

    def failed(error):
        try:
            name = json.loads(error.body)["error"]
        except (ValueError, KeyError):
            name = "unknown"
        return f"The backend says: {name if name in ('internal', 'busy') else 'unknown'}"

    reporting(server, failed)


if __name__ == "__main__":
    toys.main()
