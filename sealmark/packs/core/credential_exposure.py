"""Looks for credentials in what the server publishes: its listings, resources, prompts and results.

Why: Keys get into descriptions, example resources and canned prompts, by a copied snippet or a dumped configuration.
Every client that connects can read them, and every model that reads them can repeat them.

How: Up to twenty listed resources are read, and up to twenty prompts without required arguments are fetched. Their
bodies, all texts of the listings, and the replies of all valid calls of the run are searched for text that is shaped
like a credential: private keys, tokens with a known prefix, JSON Web Tokens, passwords in connection strings, and
values of enough randomness behind names such as "api_key". Placeholders, examples and hashes are left out. Values
that the harness planted itself do not count; secret-echo judges those.

When it can be wrong: A shape is not a secret: an expired or invented key looks the same, so this check never shows
the value and never tries it. A credential without a known shape, behind a resource that was not read, or after the
first eight million characters of the listings is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from sealmark.check import Check, Outcome, Rule, Seen, Target
from sealmark.check.calls import valid_calls
from sealmark.reading.secrets import secrets
from sealmark.reading.visible import visible
from sealmark.record import marks
from sealmark.record.model import Evidence, Observation, Probe, Request, Verdict
from sealmark.surface.texts import readable

MAX_RESOURCES = 20
MAX_PROMPTS = 20
OURS = tuple(sorted(name for name in marks.NAMES if name.endswith(("secret", "canary", "key"))))
"""Values that the harness made; a reply that holds one is left to the check that planted it."""

RULES = (
    Rule(
        "in-metadata",
        "fail",
        "A text of the listings holds something shaped like a credential.",
        "Remove it, and revoke it: everyone who connected has it.",
        "CREDENTIAL_IN_METADATA",
    ),
    Rule(
        "in-resource",
        "fail",
        "The body of a resource holds something shaped like a credential.",
        "Remove or mask it in the resource, and revoke it.",
        "CREDENTIAL_IN_RESOURCE",
    ),
    Rule(
        "in-prompt",
        "fail",
        "The text of a prompt holds something shaped like a credential.",
        "Remove it from the prompt, and revoke it.",
        "CREDENTIAL_IN_PROMPT",
    ),
    Rule(
        "in-result",
        "fail",
        "The result of a valid tool call holds something shaped like a credential.",
        "Mask credentials in results, and revoke this one.",
        "CREDENTIAL_IN_RESULT",
    ),
    Rule("clean", "pass", "Nothing that was read is shaped like a credential."),
)


def plan(target: Target) -> Iterable[Probe]:
    """Read resources and fetch prompts, within bounds."""
    surface = target.gathered.surface
    uris = dict.fromkeys(item.uri for item in surface.resources if item.uri and not item.template)
    for number, uri in enumerate(tuple(uris)[:MAX_RESOURCES], 1):
        step = Request("resources/read", {"uri": uri})
        yield target.probe("coverage", f"resource-{number}", step, why=f"listed resource {number}")
    free = dict.fromkeys(p.name for p in surface.prompts if p.name and not any(a.required for a in p.arguments))
    for number, name in enumerate(tuple(free)[:MAX_PROMPTS], 1):
        step = Request("prompts/get", {"name": name})
        yield target.probe("coverage", f"prompt-{number}", step, why=f"prompt {number} without required arguments")


def judge(seen: Seen) -> Verdict:
    """Search listings, bodies and results."""
    read, _ = readable(seen.gathered.surface)
    known = {words: secrets(words) for words in {text.text for text in read}}
    listed = [(text, known[text.text]) for text in read if known[text.text]]
    if listed:
        return seen.decide("in-metadata", [_place(t.where, k, f"surface/fact:{t.listing}") for t, k in listed])
    shown = seen.own.where(lambda o: bool(_shown(o, o.replies)))
    for rule, case in (("in-resource", "resource-"), ("in-prompt", "prompt-")):
        found = [outcome for outcome in shown if outcome.probe.case.startswith(case)]
        if found:
            return seen.decide(rule, found, line=lambda o: f"{_asked(o)}: {', '.join(_shown(o, o.replies))}")
    results = [(o, kinds) for o in seen.every if (kinds := _shown(o, (reply for _, reply in valid_calls(o))))]
    if results:
        return seen.decide("in-result", [o.evidence(f'tool "{o.probe.tool}": {", ".join(k)}') for o, k in results])
    facts = seen.every.where(lambda o: o.probe.check == "surface" and o.answered)
    summary = f"Texts of the listings read: {len(read)}; bodies of resources and prompts: {len(seen.own.answered)}."
    return seen.decide("clean", (*seen.own.answered, *facts), summary, line="nothing shaped like a credential")


def _shown(outcome: Outcome, replies: Iterable[Observation]) -> tuple[str, ...]:
    """The kinds of credentials in these replies; none when the harness's own values stand in the answer."""
    if outcome.sightings(*OURS):
        return ()
    return tuple(dict.fromkeys(kind for reply in replies if reply.readings for kind in reply.readings.secrets))


def _asked(outcome: Outcome) -> str:
    step = outcome.probe.steps[0]
    params = step.params if isinstance(step, Request) else {}
    return visible(str(params.get("uri") or params.get("name")), newlines="escape", limit=120)


def _place(where: str, kinds: Iterable[str], probe: str) -> Evidence:
    return Evidence(f"{visible(where, newlines='escape', limit=120)}: {', '.join(kinds)}", probe)


CHECK = Check(
    id="credential-exposure",
    revision=1,
    title="No credentials in what is published",
    question="Do listings, resources, prompts or results hold credentials?",
    page=__doc__,
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-200", "CWE-798"),
    owasp="MCP01:2025 Token Mismanagement & Secret Exposure",
)
