"""Turns what the wire brought into observations: read whole, then marked, hashed and cut.

The order matters. Sightings are looked for in the whole body as it came, readers run on all of it, and only then is it
marked and cut; so a judge may trust a sighting at the end of a body of which 2 KiB are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sealmark.reading.blocks import Content, content_of
from sealmark.reading.internals import internals
from sealmark.reading.reply import read_reply
from sealmark.reading.secrets import secrets
from sealmark.reading.sightings import find
from sealmark.record.marks import Marks
from sealmark.record.model import Body, Call, Observation, Probe, SessionFacts, Sighting, Stray, Tool
from sealmark.wire.replies import Closed, Opened, Reply
from sealmark.wire.session import Session

HEAD, TAIL = 2048, 512
STRAY_LINES, STRAY_HEAD = 8, 300
STDERR_KEPT = 2048


class Observer:
    """Makes observations of one run and keeps each distinct body once.

    Args:
        marks: the per-run values.
        owned: the values to look for in what the server of a pack answers, by mark name.
    """

    def __init__(self, marks: Marks, owned: Callable[[str], Mapping[str, str]]) -> None:
        self.marks = marks
        self.owned = owned
        self.bodies: dict[str, Body] = {}
        self.tools: dict[str, Tool] = {}

    def reply(self, probe: Probe, step: int, reply: Reply, *, version: str, generation: int) -> Observation:
        """The observation of one request's answer, or of its absence."""
        message = reply.message
        if message is None:
            return self.without(
                probe,
                step,
                reply.outcome,
                flags=reply.flags,
                exit_code=reply.exit_code,
                generation=generation,
                elapsed_ms=reply.elapsed_ms,
            )
        asked = probe.steps[step]
        method = "tools/call" if isinstance(asked, Call) else getattr(asked, "method", "")
        error = message.get("error")
        result = message.get("result")
        raw = reply.raw.decode("utf-8", "replace")
        content = content_of(message, method)
        tool = self.tools.get(asked.tool) if isinstance(asked, Call) else None
        return Observation(
            probe=probe.id,
            step=step,
            outcome=reply.outcome,
            body=self.keep(raw),
            is_error=bool(result.get("isError")) if isinstance(asked, Call) and isinstance(result, dict) else None,
            error_code=_code(error),
            flags=reply.flags,
            readings=read_reply(
                message,
                method=method,
                tool=tool,
                protocol_version=version,
                mark=self.marks.mark,
                content=content,
            ),
            sightings=self.sightings(probe.pack, content, raw),
            exit_code=reply.exit_code,
            generation=generation,
            elapsed_ms=round(reply.elapsed_ms, 1),
        )

    def sightings(self, pack: str, content: Content, raw: str) -> tuple[Sighting, ...]:
        """Where values of the harness stand: in the parts of a reply, else anywhere in the line that carried it."""
        owned = self.owned(pack)
        found = find(content, owned)
        elsewhere = {name: value for name, value in owned.items() if name not in {seen.name for seen in found}}
        return found + find(raw, elsewhere)

    def without(self, probe: Probe, step: int, outcome: Any, *, reason: str = "", **more: Any) -> Observation:
        """An observation that has no body: not sent, no answer, a look, an opening."""
        if "elapsed_ms" in more:
            more["elapsed_ms"] = round(more["elapsed_ms"], 1)
        return Observation(probe=probe.id, step=step, outcome=outcome, reason=self.marks.mark(reason), **more)

    def keep(self, text: str) -> str:
        """Keeps a body (marked, cut) and returns its key."""
        marked = self.marks.mark(text)
        data = marked.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        key = digest[:16]
        if key not in self.bodies:
            cut = len(data) > HEAD + TAIL
            head = data[:HEAD].decode("utf-8", "ignore") if cut else marked
            tail = data[-TAIL:].decode("utf-8", "ignore") if cut else ""
            self.bodies[key] = Body(digest, len(data), head, tail, cut)
        return key

    def session(
        self, pack: str, name: str, generation: int, session: Session, opened: Opened | None, closed: Closed
    ) -> SessionFacts:
        """The life of a session that has ended."""
        kept = session.stderr_head + session.stderr_tail
        stderr = kept.decode("utf-8", "replace")
        marked = self.marks.mark(stderr)
        return SessionFacts(
            pack=pack,
            name=name,
            generation=generation,
            era=session.era,
            protocol_version=self.marks.mark(session.protocol_version),
            opened_ms=round(opened.elapsed_ms, 1) if opened else 0,
            exit_code=closed.exit_code,
            ended_by=closed.signal,
            strays=self._strays(session),
            notifications=session.notification_count,
            notified={self.marks.mark(name): count for name, count in sorted(session.notifications.items())},
            notified_sightings=self._notified(pack, session),
            stderr_bytes=session.stderr_bytes - len(kept) + len(marked.encode("utf-8", "surrogatepass")),
            stderr=marked[:STDERR_KEPT],
            stderr_internals=internals(stderr),
            stderr_secrets=secrets(stderr),
            stderr_sightings=find(stderr, self.owned(pack), place="stderr"),
            leftover=tuple(sorted({self.marks.mark(process.name) for process in closed.leftover})),
        )

    def _notified(self, pack: str, session: Session) -> tuple[Sighting, ...]:
        """Each value that notifications held, once: their order and number may differ from run to run."""
        seen = find(bytes(session.notified).decode("utf-8", "replace"), self.owned(pack))
        return tuple(
            Sighting(name, spelling, "notification", 0)
            for name, spelling in sorted({(s.name, s.spelling) for s in seen})
        )

    def stderr(self, session: Session) -> str:
        """What is kept of a session's stderr (its beginning and its end), marked."""
        kept = session.stderr_head + session.stderr_tail
        gap = session.stderr_bytes - len(kept)
        middle = f"\n[{gap} bytes left out]\n".encode() if gap > 0 else b""
        return self.marks.mark((session.stderr_head + middle + session.stderr_tail).decode("utf-8", "replace"))

    def _strays(self, session: Session) -> tuple[Stray, ...]:
        kinds: dict[tuple[str, str], list[str]] = {}
        for stray in session.strays:
            kinds.setdefault((stray.kind, stray.method), []).append(stray.head.decode("utf-8", "replace"))
        return tuple(
            Stray(kind, len(heads), self._shown(heads), self.marks.mark(method))
            for (kind, method), heads in kinds.items()
            if kind != "blank"
        )

    def _shown(self, heads: Sequence[str]) -> str:
        """The first strays, each marked before it is cut, so that no value is cut in two and missed."""
        return "\n".join(self.marks.mark(head)[:STRAY_HEAD] for head in heads[:STRAY_LINES])


def _code(error: Any) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**53 else None
