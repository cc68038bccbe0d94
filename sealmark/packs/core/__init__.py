"""Pack core: what can be asked of every server."""

from __future__ import annotations

from sealmark.check import Pack, Target
from sealmark.packs.core.credential_exposure import CHECK as CREDENTIAL_EXPOSURE
from sealmark.packs.core.instructions_hygiene import CHECK as INSTRUCTIONS_HYGIENE
from sealmark.packs.core.output_schema import CHECK as OUTPUT_SCHEMA
from sealmark.packs.core.protocol import CHECK as PROTOCOL
from sealmark.packs.core.refusal_quality import CHECK as REFUSAL_QUALITY
from sealmark.packs.core.robust_input import CHECK as ROBUST_INPUT
from sealmark.packs.core.secret_echo import CHECK as SECRET_ECHO
from sealmark.packs.core.stderr_noise import CHECK as STDERR_NOISE
from sealmark.packs.core.surface_stability import CHECK as SURFACE_STABILITY
from sealmark.packs.core.tool_poisoning import CHECK as TOOL_POISONING


def applies(target: Target) -> tuple[bool, str]:
    """To every server."""
    return True, "asked of every server"


PACK = Pack(
    id="core",
    title="Core hygiene",
    question="Does the server keep to the protocol, refuse bad input cleanly, and keep its secrets?",
    applies=applies,
    checks=(
        PROTOCOL,
        TOOL_POISONING,
        ROBUST_INPUT,
        SECRET_ECHO,
        REFUSAL_QUALITY,
        INSTRUCTIONS_HYGIENE,
        SURFACE_STABILITY,
        OUTPUT_SCHEMA,
        CREDENTIAL_EXPOSURE,
        STDERR_NOISE,
    ),
)
