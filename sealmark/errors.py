"""The error tree. Each class owns an exit code; each error says what happened, where, and what to type next.

    SealmarkError
    ├── UsageError        2   a flag or an argument that cannot be used
    ├── ConfigError       2   a configuration file, with one line per mistake
    ├── RecordError       2   a stored run that cannot be read
    ├── MissingExtra      2   an optional dependency that is not installed
    ├── ServerError       4   the server under test did not start or did not answer; carries an issue code
    ├── HarnessError      4   the harness itself could not do its part
    └── Interrupted   128+n   a signal stopped the run

Exit codes 1 (below the gate) and 3 (nothing graded) are outcomes of a run, not errors.
"""

from __future__ import annotations

from collections.abc import Sequence


class SealmarkError(Exception):
    """Base of every error that the package raises on purpose.

    Attributes:
        exit_code: the process exit code that the command line uses for it.
        code: a stable upper-case issue code.
        hint: one sentence that says what to do or type next; empty when there is nothing to add.
    """

    exit_code = 4
    code = "HARNESS_FAILED"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class UsageError(SealmarkError):
    """A flag, an argument or a combination of them that cannot be used."""

    exit_code = 2
    code = "USAGE"


class ConfigError(SealmarkError):
    """One or more mistakes in a configuration, all of a file at once.

    Attributes:
        problems: one line per mistake, each beginning with ``file:line:column``.
    """

    exit_code = 2
    code = "CONFIG_INVALID"

    def __init__(self, problems: Sequence[str], *, hint: str = "") -> None:
        super().__init__("\n".join(problems), hint=hint)
        self.problems = tuple(problems)


class RecordError(SealmarkError):
    """A stored run that cannot be read: truncated, edited beyond its schema, or written by a newer version."""

    exit_code = 2
    code = "RECORD_UNREADABLE"


class MissingExtra(SealmarkError):
    """An optional dependency is not installed; the hint is the command that installs it."""

    exit_code = 2
    code = "EXTRA_MISSING"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}", hint=f"pip install 'sealmark[{extra}]'")


class ServerError(SealmarkError):
    """The server under test could not be started or never answered.

    Codes: TARGET_NOT_FOUND, TARGET_EXITED, HANDSHAKE_TIMEOUT, HANDSHAKE_AUTH, HANDSHAKE_INVALID, STDOUT_NOISE,
    ENV_MISSING.

    Attributes:
        stderr: what the server wrote to stderr until then, already redacted.
    """

    exit_code = 4
    code = "TARGET_NOT_FOUND"

    def __init__(self, message: str, *, hint: str = "", code: str | None = None, stderr: str = "") -> None:
        super().__init__(message, hint=hint, code=code)
        self.stderr = stderr


class HarnessError(SealmarkError):
    """The harness could not do its own part (no temporary directory, a port that cannot be bound, …)."""


class Interrupted(SealmarkError):
    """A signal stopped the run; the exit code is 128 plus its number."""

    code = "INTERRUPTED"

    def __init__(self, signum: int) -> None:
        super().__init__("interrupted" if signum == 2 else "stopped")
        self.signum = signum
        self.exit_code = 128 + signum
