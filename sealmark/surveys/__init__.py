"""Surveys: many servers and versions, graded into a store."""

from sealmark.surveys.running import Progress, survey

__all__ = ["Progress", "survey"]
