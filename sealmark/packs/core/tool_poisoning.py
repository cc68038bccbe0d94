"""Looks for text that steers a model instead of describing a tool, and for characters that a person does not see.

Why: A model reads tool descriptions as part of its instructions. Whoever writes a description can tell it to read a
key file first, to send what it finds to an address, to ignore what the user said, or can hide the order in
characters that no reviewer sees on a screen.

How: Nothing is sent. Every text of the listings is read: names, titles, descriptions and annotations of tools, each
string inside their schemas that a model may read (descriptions, titles, enums, defaults, examples, names of
properties), resources, templates, prompts and their arguments, the server's instructions, and all of serverInfo.
Strong findings fail: hidden characters (ESC, NUL, C1, zero-width, bidirectional controls, tag characters), text
that steers the model aside from the task, paths of credentials to be read, sending something to an address,
overriding what was said before. Other control characters are weak and give part; tab, line feed and carriage return
are ordinary.

When it can be wrong: The phrases are a list, and a list misses what it does not know: a pass says that nothing on
it was found. Emoji joiners inside emoji, right-to-left languages, and texts that warn of such phrases or quote
them, as those of security tools do, are meant to pass. Patterns of schemas are not read, since a pattern may name
control characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealmark.check import Check, Rule, Seen, Target
from sealmark.reading.metadata import Finding, findings
from sealmark.reading.visible import visible
from sealmark.record.model import Evidence, Probe, Surface, Verdict
from sealmark.surface.texts import Text, readable

RULES = (
    Rule(
        "hidden-characters",
        "fail",
        "A text of the listings holds characters that are not seen, or that drive a terminal.",
        "Remove the characters; a description needs letters, punctuation and line breaks only.",
        "METADATA_HIDDEN_CHARACTERS",
    ),
    Rule(
        "steering",
        "fail",
        "A text of the listings gives the model orders that have nothing to do with the tool's task.",
        "Say what the tool does and takes; leave what else the model should do to the user.",
        "METADATA_STEERING",
    ),
    Rule(
        "credential-path",
        "fail",
        "A text of the listings points the model at a file of credentials.",
        "Remove the path, or say in words which configuration the tool reads by itself.",
        "METADATA_CREDENTIAL_PATH",
    ),
    Rule(
        "send-to-url",
        "fail",
        "A text of the listings tells the model to send something to an address.",
        "Remove the instruction; a tool that reports somewhere does so itself and says so.",
        "METADATA_SEND_TO_URL",
    ),
    Rule(
        "override",
        "fail",
        "A text of the listings tells the model to disregard what it was told before.",
        "Remove the phrase.",
        "METADATA_OVERRIDE",
    ),
    Rule(
        "weak-characters",
        "part",
        "A text of the listings holds control characters that have no business there.",
        "Keep to tab, line feed and carriage return.",
        "METADATA_CONTROL_CHARACTERS",
    ),
    Rule(
        "not-all-read",
        "inconclusive",
        "Nothing was found, but a listing or a text was too large to be read whole, or a listing was not answered.",
        "Make the listing smaller, or raise --connect-timeout, and run again.",
        "METADATA_NOT_READ",
    ),
    Rule("clean", "pass", "No text of the listings holds a poisoning indicator."),
)
STRONG = tuple(rule.id for rule in RULES if rule.tag == "fail")
"""Kinds of strong findings, in the order in which they decide; each is a rule."""


def plan(target: Target) -> Iterable[Probe]:
    """Nothing: what was listed when the server was met is all that this check reads."""
    return ()


def judge(seen: Seen) -> Verdict:
    """Read every text."""
    read, whole = readable(seen.gathered.surface)
    known = {words: findings(words) for words in {text.text for text in read}}
    found = [(text, finding) for text in read for finding in known[text.text]]
    found.sort(key=lambda pair: _rank(pair[1]))
    if found:
        worst = found[0][1]
        rule = worst.kind if worst.tier == "strong" else "weak-characters"
        places = len({text.where for text, _ in found})
        summary = f"Indicators: {len(found)}, in {places} of {len(read)} texts; the worst: {rule}."
        return seen.decide(rule, [_evidence(text, finding) for text, finding in found], summary)
    unread = (*_unread(seen), *(() if whole else [Evidence(f"only the first {len(read)} texts were read")]))
    if unread:
        return seen.decide("not-all-read", unread)
    facts = seen.every.where(lambda outcome: outcome.probe.check == "surface" and outcome.answered)
    return seen.decide("clean", facts, f"Texts read: {len(read)}, without an indicator.", line="read")


def _rank(finding: Finding) -> int:
    return STRONG.index(finding.kind) if finding.tier == "strong" else len(STRONG)


def _evidence(text: Text, finding: Finding) -> Evidence:
    where = visible(text.where, newlines="escape", limit=120)
    words = visible(finding.words, newlines="escape", limit=160)
    return Evidence(f"{where}: {finding.kind} at {finding.offset}: {words}", f"surface/fact:{text.listing}")


def _unread(seen: Seen) -> Iterator[Evidence]:
    """Listings without an answer or an end, and texts that were cut. One that ends with an error offers no more."""
    surface: Surface = seen.gathered.surface
    for outcome in seen.every.where(lambda outcome: outcome.probe.check == "surface"):
        if not outcome.answered:
            yield outcome.evidence("the listing was not answered")
    for listing in surface.listings:
        if listing.stopped_by not in ("", "error"):
            yield Evidence(f"{listing.method} ended early: {listing.stopped_by}")
    for name, cut in [("the surface", surface.cut), *((f'tool "{tool.name}"', tool.cut) for tool in surface.tools)]:
        if cut:
            yield Evidence(f"{visible(name, newlines='escape', limit=120)}: too large to keep: {', '.join(cut)}")


CHECK = Check(
    id="tool-poisoning",
    revision=1,
    title="Nothing in the listings steers the model",
    question="Does any text that a model reads give orders or hide characters?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-1427", "CWE-150"),
    owasp="MCP03:2025 Tool Poisoning",
)
