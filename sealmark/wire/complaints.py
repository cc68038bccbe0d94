"""What servers and package managers write to stderr when they cannot start, and what it means. Pure tables.

Every pattern is linear: no repetition inside a repetition, every run bounded.
"""

from __future__ import annotations

import re

_NAME = r"['\"`]?\b([A-Z][A-Z0-9_]{2,63})\b['\"`]?"
_LONG_NAME = r"['\"`]?\b([A-Z][A-Z0-9]{0,31}_[A-Z0-9_]{1,63})\b['\"`]?"
_VARIABLE = r"(?i:env(?:ironment)? var(?:iable)?s?)"
_LACKS = (
    r"(?i:(?:is |are |was |must be )?(?:required|missing|not (?:set|defined|found|provided|present)|set|unset|empty))\b"
)
_GIVE = r"(?i:missing|required|requires|needs?|set|provide|define|export)(?i: the| a| your)?(?i: required)?"

# With the words "environment variable" beside it any upper-case name counts; without them it needs an underscore, and
# the sentence must say that the variable is lacking: "API is required" is about something else.
MISSING_VARIABLE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"KeyError: {_NAME}",
        rf"{_VARIABLE}[: ]{{1,3}}{_NAME},? {_LACKS}",
        rf"{_NAME} {_VARIABLE},? {_LACKS}",
        rf"{_GIVE} {_VARIABLE}(?i: called| named)?:?\s{{1,4}}{_NAME}",
        rf"{_GIVE} {_NAME} {_VARIABLE}",
        rf"{_LONG_NAME} (?i:(?:is|are|was) (?:required|missing|not (?:set|defined|provided)|unset))",
        rf"{_LONG_NAME} (?i:must be (?:set|provided|defined)|not set|environment variable)",
        rf"(?i:missing|please set|please provide|please export|requires)(?i: the| a| your)? {_LONG_NAME}",
        rf"\"path\":\s{{0,8}}\[\s{{0,20}}{_NAME}",
    )
)
MISSING_SETTING = re.compile(
    r"validation errors? for \w{0,60}(?:Settings|Config)\w{0,60}\n([A-Za-z_][A-Za-z0-9_]{0,60})\n\s{1,8}Field required"
)

NOT_FOUND = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"npm (?:ERR!|error) (?:code )?E?404|is not in (?:this|the npm) registry",
            "the npm registry has no such package",
        ),
        (r"npm (?:ERR!|error) code ETARGET|No matching version found for", "the package has no such version"),
        (r"could not determine executable to run", "the package has no command to run"),
        (r"No matching distribution found for", "the Python package index has no such package or version"),
        (r"not found in the package registry", "the Python package index has no such package"),
        (r"[Tt]here (?:is|are) no versions? of ", "the Python package index has no such version"),
        (r"[Aa]n executable named .{1,100} is not provided by package", "the package has no command of that name"),
        (r"executable .{1,100} was not found", "the package has no command of that name"),
        (r"(?m)^\S{0,200}python[\d.]{0,6}: No module named ", "Python has no such module"),
        (r"python[\d.]{0,6}: can't open file", "the file to run does not exist"),
        (r"Error: Cannot find module '(?:/|[A-Z]:)", "the file to run does not exist"),
        (r"(?m): (?:exec: )?[^\s:]{1,200}: (?:command )?not found$", "the shell does not find the command"),
    )
)

REFUSED = re.compile(
    r"(?i)\b401\b|\bunauthori[sz]ed\b|invalid (?:api[ _-]?key|token|credentials)|authentication (?:failed|required)"
)


def missing_variables(text: str) -> tuple[str, ...]:
    """Find the environment variables that a complaint names as missing, each once, in the order of the patterns."""
    found = [match[1] for pattern in MISSING_VARIABLE for match in pattern.finditer(text)]
    found += [match[1].upper() for match in MISSING_SETTING.finditer(text)]
    return tuple(dict.fromkeys(found))


def not_found(text: str) -> str:
    """Say in words what a package manager, a shell or an interpreter did not find, empty if they say nothing of it."""
    return next((words for pattern, words in NOT_FOUND if pattern.search(text)), "")


def refused(text: str) -> bool:
    """Tell whether a complaint is about refused credentials."""
    return REFUSED.search(text) is not None
