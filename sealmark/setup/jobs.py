"""Jobs for pipelines: install this version, start the server, keep the report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

PYTHON = "3.12"


class Job(msgspec.Struct, frozen=True):
    """A pipeline's kind: its file, its template, and the flags that it always gets."""

    path: Path
    template: str
    flags: tuple[str, ...] = ()


_GITHUB = """\
name: sealmark
on: [push, pull_request]
permissions:
  contents: read
jobs:
  sealmark:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-python@v6
        with:
          python-version: "{python}"
      # Install your server first, with a step of its own.
      - run: pip install sealmark=={version}
      - run: >
          sealmark run
{flags}
{env}"""

_GITLAB = """\
sealmark:
  stage: test
  image: python:{python}
{env}  script:
    # Install your server first, with a line of its own.
    - pip install sealmark=={version}
    - >
      sealmark run
{flags}
  artifacts:
    when: always
    reports:
      junit: sealmark-report/sealmark-report.junit.xml
"""

JOBS: Mapping[str, Job] = {
    "github": Job(Path(".github/workflows/sealmark.yml"), _GITHUB, ("--github",)),
    "gitlab": Job(Path(".gitlab-ci.yml"), _GITLAB),
}


def job(kind: str, version: str, flags: Sequence[str], variables: Sequence[str] = ()) -> str:
    """The text of a job.

    Args:
        kind: a key of `JOBS`.
        version: of sealmark, which is pinned.
        flags: of `sealmark run`, one for each line.
        variables: that the configuration needs; they are taken from the pipeline's secrets.
    """
    made = JOBS[kind]
    indent = " " * (10 if kind == "github" else 6)
    lines = "".join(f"{indent}{flag}\n" for flag in (*flags, *made.flags)).rstrip("\n")
    text = made.template.format(python=PYTHON, version=version, flags=lines, env=_ENV[kind](variables))
    return "\n".join(line for line in text.split("\n") if line.strip()) + "\n"


def _github_env(variables: Sequence[str]) -> str:
    names = "".join(f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in variables)
    return f"        env:\n{names}" if names else ""


def _gitlab_env(variables: Sequence[str]) -> str:
    names = ", ".join(variables)
    return f"  # Masked variables of the project that the server needs: {names}\n" if names else ""


_ENV = {"github": _github_env, "gitlab": _gitlab_env}


def start_flag(words: Sequence[str]) -> str:
    """`--start` with a command line, as a shell takes it: in double quotes where that is enough."""
    line = shlex.join(words)
    line = " ".join(word if _plain(word) else shlex.quote(word) for word in words)
    return f'--start "{line}"' if not set(line) & set('"\\$`') else f"--start {shlex.quote(line)}"


def _plain(word: str) -> bool:
    return bool(word) and not set(word) - set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-{}"
    )
