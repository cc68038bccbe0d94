"""Servers that ask their backend for several callers: as each of them, as the first, as one for all, as nobody."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import ENV, PROBES, REPORT, WITHOUT_CALLERS, Backend, ask, kept, token
from toykit import Refused, Toys

OTHERS = {f"checks.upstream-{name}.enabled": False for name in ("token-leak", "error-relay", "slow")}
toys = Toys(upstream__kind="http", server__env=ENV, probes=PROBES, **OTHERS)


def reporting(server, credential, header="Authorization"):
    """A tool that asks the backend with what `credential` gives."""

    @server.tool("report", REPORT, ["month"], annotations={"readOnlyHint": True})
    def report(arguments):
        """The report of a month."""
        try:
            return ask("/reports/" + arguments["month"], credential=credential(), header=header)
        except Backend as error:
            raise Refused(f"The reports are not available (status {error.status})") from None


@toys.toy("fail", "other-caller")
def keeps_the_first_token(server):
    """Keeps the first token that it sees in a file and asks with it for everybody."""
    reporting(server, lambda: kept(server, token()))


@toys.toy("fail", "one-credential")
def asks_as_itself(server):
    """Asks with a token of its own for everybody."""
    reporting(server, lambda: "service-account")


@toys.toy("fail", "no-credential")
def asks_as_nobody(server):
    """Sends no token at all."""
    reporting(server, lambda: "")


@toys.toy("inconclusive", "not-reached")
def answers_from_memory(server):
    """Never asks the backend."""

    @server.tool("report", REPORT, ["month"])
    def report(arguments):
        """The report of a month."""
        return "nothing new"


@toys.toy("na", "no-callers", server__env=WITHOUT_CALLERS)
def knows_no_callers(server):
    """Is given no token."""
    reporting(server, lambda: "")


@toys.toy("pass", "each-own", near=True)
def asks_as_the_caller(server):
    """Asks with the token of whoever asks, and refuses nobody's calls."""

    def own():
        if not token():
            raise Refused("Who are you? A token is required")
        return token()

    reporting(server, own)


@toys.toy("pass", "each-own", near=True)
def exchanges_the_token(server):
    """Asks with another token for each caller, which it exchanged the caller's for."""
    reporting(server, lambda: "exchanged-for-a" if "-a-" in token() else "exchanged-for-b" if token() else "")


@toys.toy("pass", "each-own", near=True, **{"upstream.credential_header": "X-Caller"})
def sends_it_in_another_header(server):
    """Asks with the caller's token in a header of the backend's own."""
    reporting(server, token, header="X-Caller")


if __name__ == "__main__":
    toys.main()
