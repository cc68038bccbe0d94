"""What a check is, what its plan sees (`Target`) and what its judge sees (`Seen`).

A check is data: an id, prose, a table of rules, and two pure functions. `plan(target)` yields the probes to send;
`judge(seen)` picks the rule that decided and says which probes decided it. A rule carries its verdict, so a judge never
names one; and a passing rule is refused by construction when nothing that it rests on was answered.
"""

from sealmark.check.rules import COMMON_RULES, Check, Pack, Rule
from sealmark.check.seen import Group, Outcome, Seen
from sealmark.check.target import Target, call, slug

__all__ = ["COMMON_RULES", "Check", "Group", "Outcome", "Pack", "Rule", "Seen", "Target", "call", "slug"]
