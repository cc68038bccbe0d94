"""What the harness owns for one run, and how the server reaches it. Started before the server, gone after it."""

from sealmark.bench.bench import Bench
from sealmark.bench.launch import Launch, Reach

__all__ = ["Bench", "Launch", "Reach"]
