"""Settings: one table, seven layers, an origin for every value, and whether a run is STANDARD.

Pure: this room reads mappings, and no file but the methodologies that it ships. `sealmark.configfile` finds
and parses files, and hands what they say to this room.
"""

from __future__ import annotations

from sealmark.settings.layers import DEFAULT, Origin, Value
from sealmark.settings.values import Settings, load_defaults

__all__ = ["DEFAULT", "Origin", "Settings", "Value", "load_defaults"]
