"""What a reply gives away of the program behind it: stack traces, source lines, the environment.

Kinds: `trace:python`, `trace:node`, `trace:java`, `trace:go`, `trace:rust`, `trace:dotnet`, `trace:ruby`,
`trace:php`, `source-path` (an absolute path of a source file with a line number), `environment` (a dump of it).
"""

# ruff: noqa: E501 - one pattern to a line

from __future__ import annotations

import re
from typing import NamedTuple

from sealmark.reading.words import alternatives

MAX_READ = 256 * 1024
"""Characters read at the beginning, and as many at the end, of a long text."""

_SOURCE = (
    r"(?<![\w.])(?:/|[A-Za-z]:[\\/])(?:[\w.@+~-]{1,80}[\\/]){1,24}[\w.@+~-]{1,80}"
    r"\.(?:py|pyx|js|mjs|cjs|ts|mts|tsx|jsx|go|rs|java|kt|scala|cs|fs|rb|php|c|cc|cpp|ex|swift)"
)
_VARIABLE = r"(?:PATH|HOME|USER|SHELL|LANG|PWD|LOGNAME|HOSTNAME|TERM|PYTHONPATH|NODE_PATH|SHLVL)"


class _Kind(NamedTuple):
    """A kind, a word that the text must hold for the pattern to be tried, the pattern, how many hits it takes."""

    name: str
    anchor: str
    pattern: re.Pattern[str]
    hits: int = 1


def _kind(name: str, anchor: str, pattern: str, hits: int = 1) -> _Kind:
    return _Kind(name, anchor, alternatives(pattern, re.MULTILINE), hits)


KINDS = (
    _kind("trace:python", "Traceback", r"Traceback \(most recent call last\)"),
    _kind("trace:python", "File ", r'^\s{0,8}File "[^"\n]{1,400}", line \d{1,7}(?:, in \S|\s*$)'),
    _kind("trace:node", "at ", r"^[ \t]{1,12}at (?:async )?(?:new )?(?:[\w.$<>\[\] ]{1,120} \()?(?:file://|node:|/|[A-Za-z]:\\)[^\s()]{1,400}:\d{1,7}:\d{1,7}"),
    _kind("trace:java", "at ", r"^[ \t]{1,12}at [\w.$/<>@]{3,200}\((?:[\w$]{1,80}\.(?:java|kt|scala|groovy)(?::\d{1,7})?|Native Method|Unknown Source)\)"),
    _kind("trace:go", "goroutine ", r"^goroutine \d{1,9} \[[\w ,.-]{1,60}\]:"),
    _kind("trace:go", ".go:", r"^\t\S{1,300}\.go:\d{1,7} \+0x[0-9a-f]{1,16}"),
    _kind("trace:rust", "panicked at", r"thread '[^'\n]{1,100}' (?:\(\d{1,9}\) )?panicked at "),
    _kind("trace:rust", "stack backtrace:", r"stack backtrace:\s{1,4}\d{1,4}: "),
    _kind("trace:dotnet", "at ", r"""
        ^[ \t]{1,6}at [\w.`<>\[\],]{3,200}\([^()\n]{0,200}\) in [^\n]{1,300}:line \d{1,7}
        ^ {3}at (?:System|Microsoft)\.[\w.`<>\[\],]{3,200}\([^()\n]{0,200}\)
    """),
    _kind("trace:ruby", ".rb:", r"/[^\s:]{1,300}\.rb:\d{1,7}:in [`'][^'\n]{1,120}'"),
    _kind("trace:php", ".php", r"""
        ^#\d{1,3} /[^\s(]{1,300}\.php\(\d{1,7}\)
        \b(?:Fatal error|Uncaught \w{1,60}|Warning|Notice)\b[^\n]{0,300} in /\S{1,300}\.php(?: on line |:)\d{1,7}
    """),
    _kind("source-path", ":", _SOURCE + r":\d{1,7}(?!\w)"),
    _kind("source-path", "line ", _SOURCE + r"[\"']?,? (?:on |at )?line \d{1,7}"),
    _kind("environment", "=", rf"^{_VARIABLE}=\S", 3),
    _kind("environment", '"', rf"""[\"']{_VARIABLE}[\"']\s{{0,4}}:\s{{0,4}}[\"']""", 3),
)  # fmt: skip


def internals(text: str) -> tuple[str, ...]:
    """Return the kinds of internals that a text gives away, in the order of KINDS, each once."""
    if len(text) > 2 * MAX_READ:
        text = text[:MAX_READ] + "\n" + text[-MAX_READ:]
    if "\\n" in text:  # a trace in a JSON text that is itself in a string
        text = f"{text}\n{_unescaped(text)}"
    found = (kind.name for kind in KINDS if kind.anchor in text and _enough(kind, text))
    return tuple(dict.fromkeys(found))


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')


def _enough(kind: _Kind, text: str) -> bool:
    """Say whether the pattern is found as often, in different words, as the kind asks for."""
    seen: set[str] = set()
    for match in kind.pattern.finditer(text):
        seen.add(match.group())
        if len(seen) >= kind.hits:
            return True
    return False
