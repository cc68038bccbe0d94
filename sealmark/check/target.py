"""What a plan sees, and the helpers that it builds probes with."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sealmark import corpora
from sealmark.check.rules import Check
from sealmark.corpora import Case
from sealmark.record.model import Call, Classified, Gathered, ParamUse, Probe, Role, Step, Tool
from sealmark.settings.table import by_key
from sealmark.surface.arguments import CannotFill
from sealmark.surface.arguments import fill as fill_arguments


@dataclass(frozen=True)
class Target:
    """What a plan sees: the surface, what the harness takes each tool for, facts of the bench, settings, the corpus.

    Everything comes from the record's gathered half, so a plan can be recomputed offline.
    """

    gathered: Gathered
    pack: str = ""
    check: Check | None = None

    def bound(self, pack: str, check: Check) -> Target:
        """The same target for one check of one pack."""
        return replace(self, pack=pack, check=check)

    @property
    def surface_tools(self) -> tuple[Tool, ...]:
        """All tools that are not excluded, in listing order."""
        excluded = set(self.facts.get("excluded_tools", ()))
        return tuple(tool for tool in self.gathered.surface.tools if tool.name and tool.name not in excluded)

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts of the bench (see docs/record.md)."""
        return self.gathered.facts

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return {setting.key: setting.value for setting in self.gathered.settings}

    def setting(self, key: str, default: Any = None) -> Any:
        """The effective value of a setting that affects gathering or judging; the built-in default if not recorded."""
        if key in self._settings:
            return self._settings[key]
        row = by_key().get(key)
        if row is None:
            return self._of_plugins.get(key.removeprefix("checks."), default)
        return default if row.default is None else row.default

    def chosen(self, key: str) -> Any:
        """The value of a setting that somebody chose (None when it is the default)."""
        if key not in by_key():
            return self._of_plugins.get(key.removeprefix("checks."))
        found = next((setting for setting in self.gathered.settings if setting.key == key), None)
        return None if found is None or found.origin == "default" else found.value

    @property
    def _of_plugins(self) -> Mapping[str, Any]:
        """What was chosen for checks of plugins, by `check.name`."""
        chosen: Mapping[str, Any] = self._settings.get("plugin_checks", {})
        return chosen

    @property
    def cases(self) -> tuple[Case, ...]:
        """The check's corpus, as configured: less `corpus.remove`, and with the cases of `corpus.add` at its end."""
        assert self.check is not None
        name, check = self.check.corpus or f"{self.pack}/{self.check.id}", self.check.id
        removed = frozenset(self.setting("corpus.remove"))
        kept = (case for case in corpora.cases(name) if f"{check}/{case.id}" not in removed)
        added = (entry for entry in self.setting("corpus.add") if entry["check"] == check)
        return (*kept, *(Case(entry["id"], entry["why"], entry.get("data", {})) for entry in added))

    @cached_property
    def _classified(self) -> dict[str, Classified]:
        return {entry.tool: entry for entry in self.gathered.classified}

    def classified(self, tool: str) -> Classified:
        """What the harness takes `tool` for."""
        return self._classified.get(tool) or Classified(tool, "opaque", "low", "not classified")

    def taking(self, cls: str, *uses: str, sure: bool = True) -> Iterator[tuple[Tool, ParamUse]]:
        """Tools with an argument of class `cls` (and one of `uses`, if given), one pair per argument.

        With `sure`, tools that were classified with low confidence are left out.
        """
        for tool in self.surface_tools:
            entry = self.classified(tool.name)
            if cls not in (entry.cls, entry.secondary) or (sure and entry.confidence == "low"):
                continue
            for use in entry.uses:
                if use.cls == cls and (not uses or use.use in uses):
                    yield tool, use

    def fill(self, tool: Tool, values: Mapping[str, Any]) -> dict[str, Any] | CannotFill:
        """Valid arguments for `tool` with these values (templates) at these pointers, and nothing optional."""
        filled = fill_arguments(tool.input_schema, values)
        return filled if isinstance(filled, CannotFill) else filled.arguments

    def probe(
        self,
        role: Role,
        case: str,
        *steps: Step,
        tool: str = "",
        why: str = "",
        session: str = "main",
        requires: str = "",
        resource: str = "",
        consent: bool = False,
    ) -> Probe:
        """A probe of the bound check. Its id is made of check, role, tool and case, and must be unique in the check."""
        assert self.check is not None
        parts = [self.check.id, *([slug(tool)] if tool else []), case if role == "attack" else f"{role}:{case}"]
        return Probe(
            id="/".join(parts),
            pack=self.pack,
            check=self.check.id,
            role=role,
            steps=steps,
            why=why,
            tool=tool,
            case=case,
            session=session,
            requires=requires,
            resource=resource,
            consent=consent,
        )


def slug(name: str) -> str:
    """A tool name as it may stand in an id: itself when plain, else a short hash of it."""
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name):
        return name
    return "tool-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def call(tool: Tool, arguments: Any, *, valid: bool = True, timeout_sec: float = 0) -> Call:
    """A `tools/call` step."""
    return Call(tool=tool.name, arguments=arguments, valid=valid, timeout_sec=timeout_sec)
