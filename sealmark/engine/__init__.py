"""Executes probes on named sessions and writes down what happened. It judges nothing.

Probes of one session run one after another in plan order; different sessions run at the same time; probes that share a
resource wait for each other. A session is opened on first use and, after a crash or an unanswered call, opened anew as
the next generation. Observations are returned in plan order, whatever the clock did.
"""

from sealmark.engine.engine import Bounds, Engine, World

__all__ = ["Bounds", "Engine", "World"]
