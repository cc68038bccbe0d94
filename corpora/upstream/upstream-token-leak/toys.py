"""Servers that ask their backend with a caller's token, and say it aloud, log it, or keep it to themselves."""

import base64
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import ENV, PROBES, REPORT, WITHOUT_CALLERS, Backend, ask, log, token
from toykit import Refused, Toys

OTHERS = {f"checks.upstream-{name}.enabled": False for name in ("identity", "error-relay", "slow")}
toys = Toys(upstream__kind="http", server__env=ENV, probes=PROBES, **OTHERS)


def reporting(server, before=lambda: "", failed=lambda error: "The reports are not available"):
    """A tool that asks the backend; `before` gives what it adds to the reply, `failed` what it says of an error."""

    @server.tool("report", REPORT, ["month"], annotations={"readOnlyHint": True})
    def report(arguments):
        """The report of a month."""
        said = before()
        try:
            return ask("/reports/" + arguments["month"], credential=token()) + said
        except Backend as error:
            raise Refused(failed(error)) from None


@toys.toy("fail", "in-reply")
def explains_itself(server):
    """Says with which token it asked, for the convenience of whoever debugs it."""
    reporting(server, lambda: f"\n(asked with {token()})")


@toys.toy("fail", "in-reply")
def explains_itself_in_base64(server):
    """Says the same, packed."""
    reporting(server, lambda: "\n" + base64.b64encode(token().encode()).decode())


@toys.toy("fail", "in-reply")
def says_it_in_errors_alone(server):
    """Quotes the backend's error, which quotes the token."""
    reporting(server, failed=lambda error: f"The backend said: {error.body}")


@toys.toy("fail", "in-log")
def logs_the_token(server):
    """Logs every request with its headers."""
    reporting(server, lambda: log(f"GET /reports Authorization: Bearer {token()}") or "")


@toys.toy("inconclusive", "not-reached")
def asks_nobody(server):
    """Never asks the backend."""

    @server.tool("report", REPORT, ["month"])
    def report(arguments):
        """The report of a month."""
        return "nothing new"


@toys.toy("na", "no-callers", server__env=WITHOUT_CALLERS)
def knows_no_callers(server):
    """Is given no token."""
    reporting(server)


@toys.toy("pass", "clean", near=True)
def logs_that_there_was_one(server):
    """Logs every request, the token as its length alone."""
    reporting(server, lambda: log(f"GET /reports Authorization: Bearer <{len(token())} characters>") or "")


if __name__ == "__main__":
    toys.main()
