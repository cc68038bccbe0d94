"""How a server is met: what is listed first of all, and the probes that stand for it in a record."""

from __future__ import annotations

from sealmark.record.model import Probe, Step

LISTINGS = (
    ("tools", "tools/list", "tools", "tools"),
    ("resources", "resources/list", "resources", "resources"),
    ("templates", "resources/templates/list", "resourceTemplates", "resources"),
    ("prompts", "prompts/list", "prompts", "prompts"),
)
"""(case of the fact probe, method, key of the result, capability), in the order in which listings are kept."""


def meeting_probe(case: str, step: Step) -> Probe:
    """A probe of the meeting: it belongs to no check, and every check may read it."""
    return Probe(id=f"surface/fact:{case}", pack="core", check="surface", role="fact", case=case, steps=(step,))
