"""What a configuration says about findings and where its servers stand: accepted findings, file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sealmark.arrange import server_facts
from sealmark.compare.accepted import Acceptance, acceptances, binding, check, excused, unused, words
from sealmark.record.model import RunRecord
from sealmark.report.options import Location

if TYPE_CHECKING:
    from sealmark.configfile import Loaded, Prepared
    from sealmark.settings import Settings


@dataclass(frozen=True)
class Review:
    """Accepted findings, checked, and the settings of the servers that run."""

    accepted: tuple[Acceptance, ...]
    servers: tuple[Settings, ...]

    def excused(self, records: Sequence[RunRecord]) -> Mapping[str, set[tuple[str, str]]]:
        """Accepted findings for the gate."""
        return excused(self.accepted, records)

    def words(self, records: Sequence[RunRecord]) -> Mapping[tuple[str, str], str]:
        """Accepted findings for the reports."""
        return words(self.accepted, records)

    def notes(self, records: Sequence[RunRecord]) -> tuple[str, ...]:
        """Acceptances whose finding is gone."""
        return unused(self.accepted, records)

    def locations(self, records: Sequence[RunRecord]) -> dict[str, Location]:
        """Server -> its block in the configuration; servers from the command line have none."""
        found = {}
        for record, settings in zip(records, self.servers, strict=False):
            origins = (settings.origin("server.command"), settings.origin("server.url"))
            place = next((one for one in origins if one.line and one.where), None)
            if place is not None:
                found[record.gathered.server.name] = Location(place.where, place.line)
        return found


def review_of(loaded: Loaded, servers: Sequence[Prepared]) -> Review:
    """What the configuration accepts, checked before anything is started.

    Raises:
        ConfigError: an acceptance that has expired, or that is bound to another server or command.
    """
    rows = [row for _, settings in loaded.servers for row in settings["output.accepted"]]
    elsewhere = set(loaded.names) - {name for name, _ in loaded.servers}
    given = tuple(one for one in dict.fromkeys(acceptances(rows)) if one.server not in elsewhere)
    bound = {
        settings["server.name"] or (name if loaded.several else ""): binding(server_facts(settings))
        for name, settings in loaded.servers
    }
    if "" in bound:  # a lone server without a name of its own: only its command can be checked before it speaks
        bound |= {one.server: bound[""] for one in given}
    check(given, bound, datetime.now(UTC).date().isoformat())
    return Review(given, tuple(server.settings for server in servers))
