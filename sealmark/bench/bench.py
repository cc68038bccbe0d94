"""The bench of one run: canaries, and a sandbox for each pack."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from sealmark.bench import canary
from sealmark.bench.launch import Launch
from sealmark.bench.sandbox import Sandbox
from sealmark.errors import UsageError
from sealmark.record.marks import Marks, Redactor, fill, names_in
from sealmark.wire.connection import WireLimits
from sealmark.wire.session import Session
from sealmark.wire.stdio import StdioConnection
from sealmark.wire.transcript import Transcript

PLACEHOLDER_HINT = "Without a sandbox there is no {sandbox}; databases and listeners are not started by this build."

TranscriptMaker = Callable[[str, str], Transcript]


class Bench:
    """Everything that one run owns. Use it as a context manager: what it made is gone at the end.

    Args:
        launch: how the server is started.
        environ: the user's environment.
        packs: the packs that get a sandbox; made at once, so that every per-run value is known before the first reply.
        files: (path template, content template) to write into each sandbox.
        sandbox_dir: where sandboxes are made; None for the system's temporary directory.
        keep: leave the sandboxes behind.
        big_mib: size of the large file of each sandbox, in MiB.
        redact: replaces the user's secrets.
        limits: of each session.
        transcript: makes the transcript of a session, from pack and name.
    """

    def __init__(
        self,
        launch: Launch,
        environ: Mapping[str, str],
        packs: tuple[str, ...],
        *,
        files: tuple[tuple[str, str], ...] = (),
        sandbox_dir: Path | None = None,
        keep: bool = False,
        big_mib: int = 4,
        redact: Redactor | None = None,
        limits: WireLimits | None = None,
        transcript: TranscriptMaker = lambda pack, name: Transcript(),
    ) -> None:
        self.launch, self.environ, self.packs = launch, environ, packs
        self.canaries = canary.mint()
        self._files, self._parent, self._keep, self._big_mib = files, sandbox_dir, keep, big_mib
        self._redact, self._limits, self._transcript = redact, limits, transcript
        self._sandboxes: dict[str, Sandbox] = {}
        self._lock = threading.Lock()
        self.kept: tuple[str, ...] = ()
        self.not_removed: tuple[str, ...] = ()
        self.marks = Marks((), redact)

    def __enter__(self) -> Bench:
        """Make the sandboxes.

        Raises:
            HarnessError: a directory cannot be made.
            UsageError: the command uses a placeholder that this run has no value for.
        """
        if self.launch.confined:
            try:
                for pack in self.packs:
                    self._sandboxes[pack] = Sandbox.create(
                        self._parent, token_hex=secrets.token_hex(6), keep=self._keep, big_mib=self._big_mib
                    )
                    self._write_files(pack)
            except BaseException:
                self.__exit__(None, None, None)
                raise
        pairs = [pair for sandbox in self._sandboxes.values() for pair in sandbox.values.items() if pair[0] != "dir"]
        self.marks = Marks([*self.canaries.items(), *pairs], self._redact)
        missing = self.launch.placeholders - set(self.values(self.packs[0]))
        if missing:
            self.__exit__(None, None, None)
            raise _nothing_for(missing)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove everything; what cannot be removed is named in `not_removed`."""
        if self._keep:
            self.kept = self.paths
            return
        left = [path for sandbox in self._sandboxes.values() for path in sandbox.remove()]
        self.not_removed = tuple(str(path) for path in left)

    def _write_files(self, pack: str) -> None:
        sandbox = self._sandboxes[pack]
        missing = names_in([text for file in self._files for text in file]) - set(self.values(pack))
        if missing:
            raise _nothing_for(missing)
        for path, content in self._files:
            sandbox.write(fill(path, sandbox.values), fill(content, self.values(pack)))

    def owned(self, pack: str) -> dict[str, str]:
        """Values to look for in what the server of one pack answers, by mark name."""
        sandbox = self._sandboxes.get(pack)
        return {**self.canaries, **(sandbox.owned if sandbox else {})}

    @property
    def paths(self) -> tuple[str, ...]:
        """Directories that this bench made."""
        return tuple(str(sandbox.root) for sandbox in self._sandboxes.values())

    def facts(self) -> dict[str, Any]:
        """Plain facts for the record."""
        first = next(iter(self._sandboxes.values()), None)
        return {
            "sandboxed": self.launch.confined,
            "canaries": True,
            "placeholders": sorted(self.launch.placeholders),
            "fixtures": first.facts() if first else {},
        }

    # -- what the engine needs ---------------------------------------------------------------------------------

    def session(self, pack: str, name: str) -> Session:
        """A new, unopened session of the server, in the pack's sandbox."""
        sandbox = self._sandboxes.get(pack)
        values = self.values(pack)
        own = {variable: self.canaries[mark] for mark, variable in canary.VARIABLES.items()}
        if sandbox is not None:
            own |= sandbox.env
        env = self.launch.environment(values, self.environ, own)
        argv = self.launch.arguments(values)
        cwd = fill(self.launch.cwd, values) if self.launch.cwd else sandbox.cwd if sandbox else os.getcwd()
        transcript = self._transcript(pack, name)
        return Session(
            lambda kept: StdioConnection(argv, env=env, cwd=cwd, transcript=kept, limits=self._limits),
            transcript=transcript,
            limits=self._limits,
            redact=self._redacted,
        )

    def _redacted(self, data: bytes) -> bytes:
        """Bytes of the server's without the user's secrets."""
        if self._redact is None:
            return data
        return self._redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def values(self, pack: str) -> Mapping[str, str]:
        """What marks stand for in one pack."""
        sandbox = self._sandboxes.get(pack)
        return {**self.canaries, **(sandbox.values if sandbox else {})}

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed in a directory of the pack's sandbox."""
        with self._lock:
            return dict(self._sandboxes[pack].look(what))

    def restore(self, pack: str, what: str) -> None:
        """Put a directory of the pack's sandbox back as it was."""
        with self._lock:
            self._sandboxes[pack].restore(what)


def _nothing_for(missing: Iterable[str]) -> UsageError:
    names = ", ".join(f"{{{name}}}" for name in sorted(missing))
    return UsageError(f"nothing stands for {names} in this run", hint=PLACEHOLDER_HINT)
