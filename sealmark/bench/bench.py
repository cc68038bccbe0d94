"""The bench of one run: canaries, a sandbox for each pack, and the parts that the run needs."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from sealmark.bench import canary
from sealmark.bench.launch import Launch
from sealmark.bench.oracle import meet
from sealmark.bench.part import Part
from sealmark.bench.postgres import places
from sealmark.bench.reached import facts_of
from sealmark.bench.sandbox import Sandbox
from sealmark.bench.served import Served
from sealmark.errors import ServerError, UsageError
from sealmark.processes import Grace, start
from sealmark.record.marks import Marks, Redactor, fill, names_in
from sealmark.wire.connection import Connection, WireLimits
from sealmark.wire.http import Answer, Client
from sealmark.wire.http.client import Endpoint, join
from sealmark.wire.session import Session
from sealmark.wire.stdio import StdioConnection
from sealmark.wire.transcript import Transcript

PLACEHOLDER_HINT = (
    "Without a sandbox there is no {sandbox} and no {sqlite_path}; `sealmark describe` lists every placeholder."
)

FETCHING = frozenset(("npx", "npm", "pnpm", "yarn", "bunx", "uvx", "uv", "pipx"))
"""Programs that fetch the package that they run."""

TranscriptMaker = Callable[[str, str], Transcript]


class Bench:
    """Everything that one run owns. Use it as a context manager: what it made is gone at the end.

    Args:
        launch: how the server is started.
        environ: the user's environment.
        packs: the packs that get a sandbox; made at once, so that every per-run value is known before the first reply.
        parts: what the run owns besides.
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
        parts: Sequence[Part] = (),
        files: tuple[tuple[str, str], ...] = (),
        sandbox_dir: Path | None = None,
        keep: bool = False,
        big_mib: int = 4,
        redact: Redactor | None = None,
        limits: WireLimits | None = None,
        transcript: TranscriptMaker = lambda pack, name: Transcript(),
    ) -> None:
        self.launch, self.environ, self.packs, self.parts = launch, environ, packs, tuple(parts)
        self._watchers = {what: part for part in self.parts for what in part.watches}
        self._started = ExitStack()
        home = environ.get("HOME", "")
        self._home = {"user_home": home.rstrip("/")} if home.startswith("/") and home.rstrip("/") else {}
        self.canaries = canary.mint()
        self._word = {"token": f"sm-{secrets.token_hex(8)}"}
        self._files, self._parent, self._keep, self._big_mib = files, sandbox_dir, keep, big_mib
        self._redact, self._limits, self._transcript = redact, limits, transcript
        self._sandboxes: dict[str, Sandbox] = {}
        self._lock = threading.Lock()
        self.kept: tuple[str, ...] = ()
        self.not_removed: tuple[str, ...] = ()
        self.marks = Marks((), redact)
        self.served: Served | None = None

    def __enter__(self) -> Bench:
        """Make the sandboxes and start the parts.

        Raises:
            HarnessError: a directory cannot be made, or a part cannot be started.
            UsageError: the command uses a placeholder that this run has no value for.
        """
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self) -> None:
        places.sweep()
        one = self.launch.reach is not None
        for pack in self.packs if self.launch.confined and self.launch.argv else ():
            first = next(iter(self._sandboxes.values()), None)
            self._sandboxes[pack] = first if one and first else self._sandbox()
        for part in self.parts:
            self._started.callback(part.stop)
            part.start(self._sandboxes)
        for pack in [*self._sandboxes][: 1 if one else None]:
            self._write_files(pack)
        pairs = [pair for sandbox in self._every for pair in sandbox.values.items() if pair[0] != "dir"]
        pairs += [pair for part in self.parts for pair in part.marks().items()]
        pairs += [*self._home.items(), *self._word.items()]
        pairs += [pair for part in self.parts for pack in self.packs for pair in part.marks_of(pack).items()]
        self.marks = Marks([*self.canaries.items(), *pairs], self._redact)
        for part in self.parts:
            part.take(self.marks)
        missing = self.launch.placeholders - set(self.values(self.packs[0], "main"))
        if missing:
            raise _nothing_for(missing)

    def _sandbox(self) -> Sandbox:
        token = secrets.token_hex(6)
        return Sandbox.create(self._parent, token_hex=token, keep=self._keep, big_mib=self._big_mib)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove everything; what cannot be removed is named in `not_removed`."""
        try:
            self._started.close()
        finally:
            if self._keep:
                self.kept = self.paths
            else:
                left = [path for sandbox in self._every for path in sandbox.remove()]
                self.not_removed = tuple(str(path) for path in left)

    def _write_files(self, pack: str) -> None:
        sandbox = self._sandboxes[pack]
        values = self.values(pack, "main")
        missing = names_in([text for file in self._files for text in file]) - set(values)
        if missing:
            raise _nothing_for(missing)
        for path, content in self._files:
            sandbox.write(fill(path, sandbox.values), fill(content, values))

    def owned(self, pack: str) -> dict[str, str]:
        """Values to look for in what the server of one pack answers, by mark name."""
        sandbox = self._sandboxes.get(pack)
        parts = {name: value for part in self.parts for name, value in part.owned(pack).items()}
        return {**self.canaries, **(sandbox.owned if sandbox else {}), **parts}

    @property
    def paths(self) -> tuple[str, ...]:
        """Directories that this bench made."""
        return tuple(str(sandbox.root) for sandbox in self._every)

    @property
    def _every(self) -> tuple[Sandbox, ...]:
        """Each sandbox once; a server behind a URL has one for all packs."""
        return tuple({sandbox.root: sandbox for sandbox in self._sandboxes.values()}.values())

    @property
    def _planted(self) -> dict[str, str]:
        """Variables of the server's environment whose values must not come back."""
        return {variable: self.canaries[mark] for mark, variable in canary.VARIABLES.items()}

    def facts(self) -> dict[str, Any]:
        """Plain facts for the record."""
        first = next(iter(self._sandboxes.values()), None)
        return {
            "sandboxed": bool(self._sandboxes),
            "canaries": bool(self.launch.argv),
            "placeholders": sorted(self.launch.placeholders),
            "fixtures": first.facts() if first else {},
            **({"http": facts_of(self.launch, self.served)} if self.served else {}),
            **{name: value for part in self.parts for name, value in part.facts().items()},
        }

    # -- a server behind a URL ---------------------------------------------------------------------------------

    async def serve(self, given_up: Callable[[], str] = str) -> None:
        """Start the server behind a URL and wait for it, or see that it answers; nothing to do for any other.

        Raises:
            ServerError: it does not come up, or something else answers there.
        """
        reach = self.launch.reach
        if reach is None:
            return
        values = self.values(self.packs[0], "main")
        self.served = Served(
            reach.endpoint(values),
            reach.transport,
            argv=self.launch.arguments(values),
            env=self.launch.environment(values, self.environ, self._planted),
            cwd=fill(self.launch.cwd, values) or None,
            start_sec=reach.start_sec,
            end_sec=self.launch.shutdown_sec,
            redact=self.marks.mark,
            given_up=given_up,
        )
        await self.served.begin()

    async def unserve(self) -> None:
        """End the server that `serve` started."""
        if self.served is not None:
            await self.served.end()

    async def exchange(
        self, path: str, method: str, headers: Mapping[str, str], body: bytes, *, credentials: bool, seconds: float
    ) -> Answer:
        """One HTTP request to the server, beside every session.

        Raises:
            OSError: there is no URL, or the server does not come up again.
        """
        if self.served is None:
            raise OSError("the server has no URL")
        await self.served.ensure()
        endpoint = self.served.endpoint
        client = Client(endpoint, transcript=self._transcript(self.packs[-1], "http"))
        own = {name.lower(): value for name, value in endpoint.headers.items()} if credentials else {}
        given = own | {name.lower(): value for name, value in headers.items()}
        try:
            return await client.exchange(method, join(endpoint.url, path), given, body, seconds=seconds)
        finally:
            await client.close()

    # -- what the engine needs ---------------------------------------------------------------------------------

    def session(self, pack: str, name: str, *, inside: bool = True) -> Session:
        """A new, unopened session of the server, in the pack's sandbox; `inside`: isolated, where the run is."""
        transcript = self._transcript(pack, name)
        launch = self.launch.for_session(name)
        if self.served is not None:
            endpoint = launch.reach.endpoint(self.values(pack, name)) if launch.reach else None
            tells = (pack, name) == (self.packs[0], "main")
            return Session(
                partial(self._connection, self.served, tells=tells, endpoint=endpoint),
                transcript=transcript,
                limits=self._limits,
                redact=self._redacted,
            )
        sandbox = self._sandboxes.get(pack)
        values = self.values(pack, name)
        own = {**self._planted, **(sandbox.env if sandbox is not None else {})}
        env = launch.environment(values, self.environ, own)
        argv = launch.arguments(values)
        cwd = fill(self.launch.cwd, values) if self.launch.cwd else sandbox.cwd if sandbox else os.getcwd()
        starters = (part.starter(pack, sandbox) for part in self.parts if inside)
        starter = next((one for one in starters if one is not None), start)
        grace = Grace(eof=self.launch.shutdown_sec, term=self.launch.shutdown_sec)
        return Session(
            lambda kept: StdioConnection(
                argv, env=env, cwd=cwd, transcript=kept, limits=self._limits, grace=grace, starter=starter
            ),
            transcript=transcript,
            limits=self._limits,
            redact=self._redacted,
        )

    def _connection(
        self, served: Served, transcript: Transcript, *, tells: bool, endpoint: Endpoint | None
    ) -> Connection:
        return served.connection(transcript, self._limits, tells=tells, endpoint=endpoint)

    async def fetch(self, seconds: float) -> None:
        """Start a server that a package manager runs once outside, so that its package is in the cache when isolated.

        One that does not start here will say why where it counts.
        """
        fetched = bool(self.launch.argv) and Path(self.launch.argv[0]).name in FETCHING
        if fetched and any(part.starter(pack, None) for part in self.parts for pack in self.packs[:1]):
            session = self.session(self.packs[0], "main", inside=False)
            with suppress(ServerError):
                await session.open(timeout=seconds)
            await session.close()

    def _redacted(self, data: bytes) -> bytes:
        """Bytes of the server's without the user's secrets."""
        if self._redact is None:
            return data
        return self._redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def values(self, pack: str, session: str) -> Mapping[str, str]:
        """What marks stand for in one session of one pack."""
        sandbox = self._sandboxes.get(pack)
        parts = {name: value for part in self.parts for name, value in part.values(pack, session).items()}
        bearer = self.served.endpoint.bearer if self.served is not None else ""
        caller = {"bearer": bearer} if bearer else {}
        own = {**self.canaries, **self._home, **self._word}
        return {**own, **(sandbox.values if sandbox else {}), **caller, **parts}

    def room(self, pack: str) -> str:
        """The pack whose sandbox this pack uses: its own, or the first one's where there is one for all."""
        return self.packs[0] if self.launch.reach is not None else pack

    def look(self, pack: str, what: str) -> dict[str, Any]:
        """What changed in a directory of the pack's sandbox, or in what a part watches."""
        if what in self._watchers:
            return self._watchers[what].look(pack, what)
        if what == "sdk" and self.served is not None:
            found: dict[str, Any] = self.marks.mark_json(meet(self.served.endpoint, self.served.transport))
            return found
        with self._lock:
            return dict(self._sandboxes[pack].look(what))

    def restore(self, pack: str, what: str) -> None:
        """Put a directory of the pack's sandbox, or what a part watches, back as it was."""
        if what in self._watchers:
            self._watchers[what].restore(pack, what)
            return
        with self._lock:
            self._sandboxes[pack].restore(what)

    def tell(self, pack: str, what: str, how: Any) -> None:
        """Tell what a part watches how to behave from now on."""
        self._watchers[what].tell(pack, what, how)


def _nothing_for(missing: Iterable[str]) -> UsageError:
    names = ", ".join(f"{{{name}}}" for name in sorted(missing))
    return UsageError(f"nothing stands for {names} in this run", hint=PLACEHOLDER_HINT)
