"""Looks for clauses of the protocol that the server breaks.

What: Every clause of the specification that can be seen from outside without fixtures of its own, one corpus entry
each, with its section, the revisions that it holds for, MUST or SHOULD, and the capability that it needs. Both eras are
asked: the handshake with an old, an unknown and a future version, or discovery with its envelope, result types and
caching hints; JSON-RPC; capabilities against what is served, both ways; listings, tools, resources, prompts,
completion, logging.

Why: A client is written against the specification. What a server does differently works with the client that its
author tried, and breaks with the next one: a list that never ends, a banner between two messages, a tool that does not
exist and answers all the same.

How: About thirty requests on up to five processes, sent at the same time. Tools are called with invalid input only.
Lines that are no messages go to a process of their own, each followed by a request that must be answered. Clauses about
listings read what the meeting with the server has brought, and clauses about results read the whole run. A broken MUST
fails the check, a broken SHOULD alone makes it part, and a capability that is not declared makes its clauses not
applicable. Notes are what other tools ask for and the specification does not, or what the official SDKs themselves do
not keep to; they are shown and never count.

When it can be wrong: The official SDKs answer a tool that does not exist with a result that is an error, where the
specification since 2025-11-25 wants a protocol error: either refusal is accepted, and so is a result that says only
in words that it is an error. A line that is not JSON may be answered or ignored; a server that dies of it makes part
and does not fail, since no client may send such a line. So does a tool that does without an argument that its schema
requires: the clause is a MUST, and nothing was shown to break. A listing that gives another error than an unknown
method may fail for want of a database, and decides nothing. That a name must be unique follows from its definition as
the identifier; the list of rules for names says SHOULD. A server that is slower than the time for a probe counts as
one that does not answer. Requests over HTTP have clauses of their own in the pack http.
"""

from __future__ import annotations

from sealmark.check import Check, Rule
from sealmark.packs.core.protocol.judge import judge
from sealmark.packs.core.protocol.plan import plan

RULES = (
    Rule(
        "server-crashed",
        "fail",
        "The server ended on a proper message.",
        "Catch what goes wrong with one message; answer a request with an error and ignore a notification.",
        "SERVER_CRASHED",
    ),
    Rule(
        "server-hung",
        "fail",
        "The server answered nothing more after a proper message.",
        "Catch what goes wrong with one message; answer a request with an error and ignore a notification.",
        "SERVER_HUNG",
    ),
    Rule(
        "must-broken",
        "fail",
        "A clause that the specification marks MUST is broken.",
        "Read the section that is named beside the clause; most SDKs keep to it when they are up to date.",
    ),
    Rule(
        "listing-bound",
        "fail",
        "A listing is larger than the harness reads.",
        "List fewer items: no client can show thousands of tools to a model.",
    ),
    Rule(
        "tool-schema-invalid",
        "fail",
        "The schema of a tool is missing or not valid in its dialect.",
        'Give every tool an inputSchema of type "object" and validate it against its dialect.',
        "TOOL_SCHEMA_INVALID",
    ),
    Rule(
        "stdout-noise",
        "part",
        "The server writes lines to stdout that are no messages.",
        "Write logs and banners to stderr.",
        "STDOUT_NOISE",
    ),
    Rule(
        "no-tools",
        "part",
        "The server declares tools and lists none.",
        "Check what the server needs to offer its tools (credentials, a configuration file), or drop the capability.",
        "NO_TOOLS",
    ),
    Rule(
        "malformed-fatal",
        "part",
        "The server ended, or answered nothing more, after a line that is no message.",
        "Catch errors in the loop that reads lines; answer with an error or ignore the line.",
    ),
    Rule(
        "arguments-unchecked",
        "part",
        "A tool was carried out without an argument that its schema requires.",
        "Check arguments against the schema, or correct the schema.",
    ),
    Rule(
        "should-broken",
        "part",
        "Only clauses that the specification marks SHOULD are broken.",
        "Read the section that is named beside the clause.",
    ),
    Rule("clauses-hold", "pass", "Every clause that was answered holds."),
)

CHECK = Check(
    id="protocol",
    revision=1,
    title="Keeps to the protocol",
    question="Does the server keep to the clauses of the protocol revision that it speaks?",
    page=__doc__ or "",
    rules=RULES,
    plan=plan,
    judge=judge,
    reads="run",
    cwe=("CWE-573",),
)
