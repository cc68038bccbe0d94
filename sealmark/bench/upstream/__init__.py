"""A scripted HTTP stub that stands in for a server's backend: what reaches it decides."""

from sealmark.bench.upstream.stub import Upstream
from sealmark.bench.upstream.wanted import stub_of

__all__ = ["Upstream", "stub_of"]
