"""Isolation as a part of the bench: servers are started in boxes, and what they did there is looked at."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sealmark.bench.isolation.box import Boxed, Held, Wanted, start_boxed
from sealmark.bench.isolation.changes import Change, as_row
from sealmark.bench.isolation.level import Level, level
from sealmark.bench.isolation.world import WEB_PORT, World
from sealmark.bench.listener import Listener
from sealmark.bench.part import Part, Starter
from sealmark.bench.sandbox import Sandbox
from sealmark.errors import HarnessError
from sealmark.record.marks import Marks

OFFLINE = {"npm_config_offline": "true", "UV_OFFLINE": "1"}
"""Variables by which package managers use what they have fetched, and do not ask a registry that is not there."""

ROWS = 200
"""Changes that one look reports."""


class Isolation(Part):
    """Boxes for the servers of a run.

    Args:
        level: what can be had.
        wanted: what was asked for, as the setting has it.
        parts: the run's other parts: their ports are reachable inside, and the sites of a listener stand at port 80 of
            every address.
    """

    watches = frozenset({"changes", "contacts"})

    def __init__(self, level: Level, wanted: str, parts: Sequence[Part]) -> None:
        self._level, self._wanted, self._parts = level, wanted, tuple(parts)
        self._world: World | None = None
        self._boxes: dict[str, list[Held]] = {}
        self._told: dict[str, list[Change]] = {}
        self._known: dict[int, set[Change]] = {}
        self._lock = threading.Lock()
        self._marks = Marks(())

    def start(self, sandboxes: Mapping[str, Sandbox]) -> None:
        """Begin to serve; the other parts have started.

        Raises:
            HarnessError: the thread that serves does not begin.
        """
        if self._level.name != "none":
            listeners = [part for part in self._parts if isinstance(part, Listener)]
            sites = {pack: site for one in listeners for pack, site in one.everywhere(WEB_PORT).items()}
            self._world = World(sites, tuple(port for part in self._parts for port in part.ports()))
            self._world.start()

    def starter(self, pack: str, sandbox: Sandbox | None) -> Starter | None:
        """What starts servers of a pack in a box that shares the sandbox."""
        world = self._world
        if world is None:
            return None

        async def start_inside(argv: Sequence[str], *, env: Mapping[str, str], cwd: str) -> Boxed:
            share = (str(sandbox.root),) if sandbox is not None else ()
            wanted = Wanted(share=share, listen=world.places, overlay=self._level.name == "full")
            env = {**OFFLINE, **env}
            began, ended = partial(self._began, pack), partial(self._ended, pack)
            return await start_boxed(argv, env=env, cwd=cwd, wanted=wanted, serve=began, end=ended)

        return start_inside

    def _began(self, pack: str, held: Held) -> None:
        if self._world is not None:
            self._world.attach(pack, held)
        with self._lock:
            self._boxes.setdefault(pack, []).append(held)

    def _ended(self, pack: str, held: Held) -> None:
        """Keep what a box has to tell, and let go of it."""
        if self._world is not None:
            self._world.detach(held)
        with self._lock:
            if held in self._boxes.get(pack, ()):
                self._boxes[pack].remove(held)
                self._told.setdefault(pack, []).extend(self._new(held))
                self._known.pop(id(held), None)
            held.release()

    def take(self, marks: Marks) -> None:
        """Use the run's marks for what is reported."""
        self._marks = marks

    def facts(self) -> Mapping[str, Any]:
        """What was asked for, what can be had, and why no more."""
        found = {"wanted": self._wanted, "level": self._level.name, "reason": self._level.reason}
        return {"isolation": found}

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What servers of a pack changed (`changes`), or looked up and tried (`contacts`), since the last look.

        Changes lie outside the sandbox, whose own looks show what changed there.
        """
        if self._world is None:
            return {}
        if what == "contacts":
            found: dict[str, Any] = self._marks.mark_json(self._world.look(pack))
            return found
        with self._lock:
            changes = self._told.pop(pack, [])
            changes += [change for held in self._boxes.get(pack, ()) for change in self._new(held)]
        rows = self._marks.mark_json([as_row(change) for change in changes[:ROWS]])
        return {"available": self._level.name == "full", "changes": rows} | (
            {"more": len(changes) - ROWS} if len(changes) > ROWS else {}
        )

    def _new(self, held: Held) -> list[Change]:
        known = self._known.setdefault(id(held), set())
        found = [change for change in held.looked() if change not in known]
        known.update(found)
        return found

    def restore(self, pack: str, what: str) -> None:
        """Take what was changed and tried so far as given."""
        self.look(pack, what)

    def stop(self) -> None:
        """Let go of every box and stop serving."""
        with self._lock:
            boxes, self._boxes = [held for ones in self._boxes.values() for held in ones], {}
        for held in boxes:
            if self._world is not None:
                self._world.detach(held)
            held.release()
        if self._world is not None:
            self._world.stop()
            self._world = None


def chosen(wanted: str, parts: Sequence[Part], *, behind_url: bool) -> tuple[Isolation, ...]:
    """The isolation of a run, if any is asked for; the last of its parts, since it makes the others' ports reachable.

    Raises:
        HarnessError: this machine cannot do what was asked for by its name.
    """
    if wanted == "none":
        return ()
    can = Level("none", "a server behind a URL is not isolated") if behind_url else level()
    if wanted != "auto" and not can.allows(wanted):
        raise HarnessError(
            f"isolation: {wanted} cannot be had here: {can.reason}",
            hint="Type --isolate auto to go on with what there is, or --isolate none.",
        )
    return (Isolation(can._replace(name="network") if wanted == "network" else can, wanted, parts),)
