"""From what was gathered to a judgement: verdicts, grades, coverage. Pure; the same code serves run and regrade."""

from sealmark.judging.judge import judge

__all__ = ["judge"]
