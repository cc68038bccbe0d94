"""Servers whose backend is slow: they wait as long as it takes, give up in time, or never ask."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "_shared"))

from backed import PROBES, REPORT, WITHOUT_CALLERS, ask
from toykit import Refused, Toys

OTHERS = {f"checks.upstream-{name}.enabled": False for name in ("identity", "token-leak", "error-relay")}
SHORT = {"checks.upstream-slow.expected_sec": 1}
toys = Toys(upstream__kind="http", server__env=WITHOUT_CALLERS, probes=PROBES, **OTHERS, **SHORT)


def reporting(server, seconds):
    """A tool that waits so long for the backend."""

    @server.tool("report", REPORT, ["month"], annotations={"readOnlyHint": True})
    def report(arguments):
        """The report of a month."""
        try:
            return ask("/reports/" + arguments["month"], timeout=seconds)
        except OSError:
            raise Refused("The backend did not answer in time") from None


@toys.toy("fail", "hangs")
def waits_as_long_as_it_takes(server):
    """Waits a minute."""
    reporting(server, 60)


@toys.toy("inconclusive", "not-reached")
def asks_nobody(server):
    """Never asks the backend."""

    @server.tool("report", REPORT, ["month"])
    def report(arguments):
        """The report of a month."""
        return "nothing new"


@toys.toy("pass", "in-time", near=True)
def gives_up_in_time(server):
    """Waits a third of a second and says so."""
    reporting(server, 0.3)


if __name__ == "__main__":
    toys.main()
