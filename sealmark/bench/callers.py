"""The callers of a server: a token for each, minted for the run or given by the user."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from sealmark.bench.part import Part


class Callers(Part):
    """What `{bearer_a}`, `{bearer_b}` and `{caller}` stand for: the last is the token of the session's own caller.

    A session `bearer:b` is the second caller's, every other the first's (what nobody's is not given, see `Launch`).

    Args:
        given: tokens of real callers by name, None for one that is minted.
    """

    def __init__(self, given: Mapping[str, str | None]) -> None:
        minted = {name: f"sm-bearer-{name}-{secrets.token_hex(12)}" for name in ("a", "b")}
        self._tokens = {f"bearer_{name}": given.get(name) or minted[name] for name in minted}

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """Both tokens, and the one of the session."""
        own = "bearer_b" if session.partition("/")[0] == "bearer:b" else "bearer_a"
        return {**self._tokens, "caller": self._tokens[own]}

    def owned(self, pack: str) -> Mapping[str, str]:
        """Both tokens: none of them belongs into a reply or a log."""
        return self._tokens

    def marks(self) -> Mapping[str, str]:
        """Both tokens, wherever they are written."""
        return self._tokens
