"""What the predicates look at: the run's outcomes by case, replies as messages, what sessions wrote unasked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from sealmark.check import Outcome, Seen
from sealmark.packs.core.protocol.messages import GENTLE
from sealmark.reading.walk import mapping
from sealmark.record.model import Observation, Raw, SessionFacts, Stray, Surface

_ERROR_WORDS = re.compile(
    r"\W{0,4}(?:error|fail(?:ed|ure)|unknown|invalid|missing|unsupported|no such)\b", re.IGNORECASE
)


class View:
    """One run, as the clauses see it."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.surface: Surface = seen.gathered.surface
        self._cases = {outcome.probe.case: outcome for outcome in seen.own}

    # ---- eras and capabilities ----

    @property
    def version(self) -> str:
        """The revision of the main session."""
        return self.surface.protocol_version

    @cached_property
    def discovered(self) -> dict[str, Any] | None:
        """The result of `server/discover`, None when the server does not speak the modern era."""
        if self.surface.era == "modern":
            return self.opened(self.seen.outcome("surface/fact:open"))
        outcome = self.case("modern")
        return self.opened(outcome) if outcome is not None and outcome.worked else None

    @property
    def no_modern_era(self) -> str:
        """Why modern clauses do not apply."""
        seen = self.at(self.case("modern"))
        silent = seen is not None and mapping(seen.facts).get("code") == "HANDSHAKE_TIMEOUT"
        return "the server did not answer server/discover" if silent else "the server speaks the legacy era only"

    def capability(self, path: str, *, modern: bool = False) -> bool:
        """Whether a capability is declared: an object, or true."""
        value: Any = mapping(mapping(self.discovered).get("capabilities")) if modern else self.surface.capabilities
        for part in path.split("."):
            value = mapping(value).get(part)
        return isinstance(value, dict) or value is True

    # ---- outcomes ----

    def case(self, name: str) -> Outcome | None:
        """The outcome of this check's probe of that case."""
        return self._cases.get(name)

    def fact(self, name: str) -> Outcome | None:
        """The outcome of one of the probes by which the server was met (`open`, `tools`, …)."""
        return self.seen.outcome(f"surface/fact:{name}")

    @staticmethod
    def opened(outcome: Outcome | None) -> dict[str, Any]:
        """The result of an opening."""
        for seen in outcome.observations if outcome is not None else ():
            if seen.outcome == "opened":
                return mapping(mapping(seen.facts).get("result"))
        return {}

    @staticmethod
    def at(outcome: Outcome | None, step: int = 0) -> Observation | None:
        """What one step of a probe brought, None when it was not carried out."""
        if outcome is None:
            return None
        found = next((seen for seen in outcome.observations if seen.step == step), None)
        return None if found is None or found.outcome == "unsent" else found

    def steps(self, outcome: Outcome | None) -> Iterator[tuple[Any, Observation]]:
        """The steps of a probe that were answered, each with its reply."""
        if outcome is not None:
            for seen in outcome.replies:
                yield outcome.probe.steps[seen.step], seen

    # ---- replies ----

    def message(self, seen: Observation | None) -> dict[str, Any] | None:
        """The whole JSON-RPC message of a reply; None when there is none or it was cut."""
        body = self.seen.gathered.bodies.get(seen.body) if seen is not None else None
        if body is None or body.cut:
            return None
        try:
            value = json.loads(body.head)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def result(self, seen: Observation | None) -> dict[str, Any] | None:
        """The result of a reply; None when there is none or it was cut."""
        message = self.message(seen)
        result = message.get("result") if message is not None else None
        return result if isinstance(result, dict) else None

    def error(self, seen: Observation | None) -> dict[str, Any]:
        """The error object of a reply, empty when there is none."""
        return mapping(mapping(self.message(seen)).get("error"))

    def says_error(self, seen: Observation) -> bool:
        """Whether a result says that it is an error, by its flag or in words."""
        if seen.is_error or mapping(self.result(seen)).get("isError") is True:
            return True
        said = seen.readings
        return said is not None and bool(said.failure or said.refusal or _ERROR_WORDS.match(said.text))

    # ---- sessions ----

    @property
    def sessions(self) -> tuple[SessionFacts, ...]:
        """Every session of the run."""
        return self.seen.gathered.sessions

    @cached_property
    def _rough(self) -> frozenset[tuple[str, str]]:
        """Sessions that were sent lines that are no messages; what they answer without an id may answer those."""
        return frozenset(
            (probe.pack, probe.session)
            for probe in (outcome.probe for outcome in self.seen.every)
            if any(isinstance(step, Raw) for step in probe.steps)
            and not (probe.check == self.seen.check.id and probe.case in GENTLE)
        )

    def strays(self, *kinds: str, rough: bool = False, era: str = "") -> list[Stray]:
        """Lines of these kinds that answered nothing; with `rough` also in sessions that were sent raw lines."""
        return [
            stray
            for session in self.sessions
            if (rough or (session.pack, session.name) not in self._rough) and (not era or session.era == era)
            for stray in session.strays
            if stray.kind in kinds
        ]

    def notified(self, method: str, *, era: str = "") -> int:
        """How often the server sent a notification of this method, where it was sent nothing but messages."""
        return sum(
            session.notified.get(method, 0)
            for session in self.sessions
            if (session.pack, session.name) not in self._rough and (not era or session.era == era)
        )

    @cached_property
    def modern_probes(self) -> tuple[Outcome, ...]:
        """Every outcome of the run on a session of the modern era."""
        sessions = {(each.pack, each.name) for each in self.sessions if each.era == "modern"}
        return tuple(each for each in self.seen.every if (each.probe.pack, each.probe.session) in sessions)
