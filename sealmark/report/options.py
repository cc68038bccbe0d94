"""What a renderer may be told: never more than presentation, and nothing that it would have to look up itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Verbosity = Literal["quiet", "normal", "verbose"]


class Location(msgspec.Struct, frozen=True):
    """Where a server stands in a configuration file: the path as given, and the line (1 when it is not known)."""

    file: str = "sealmark.yaml"
    line: int = 1


class Options(msgspec.Struct, frozen=True):
    """Presentation of a report.

    `width` is in terminal cells. `locations` maps a server's name to its block in the configuration. `accepted` maps
    (server, check) to the words of an acceptance; the finding stays where it is and carries them. `template` is the
    text of a jinja2 template for the text and markdown formats. `outcome` holds the exit code and the lines of the
    gate, for the formats that say what the exit code means.
    """

    width: int = 100
    colour: bool = False
    verbosity: Verbosity = "normal"
    locations: Mapping[str, Location] = {}
    accepted: Mapping[tuple[str, str], str] = {}
    template: str = ""
    template_name: str = "template"
    outcome: tuple[int, tuple[str, ...]] | None = None
    fail_under: str = "A"

    def location(self, server: str) -> Location:
        """Where that server's block stands."""
        return self.locations.get(server, Location())
