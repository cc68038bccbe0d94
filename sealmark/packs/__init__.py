"""The packs of this build, in the order in which they are run and shown."""

from __future__ import annotations

from sealmark.check import Pack
from sealmark.packs.core import PACK as CORE
from sealmark.packs.db import PACK as DB
from sealmark.packs.effects import PACK as EFFECTS
from sealmark.packs.exec import PACK as EXEC
from sealmark.packs.fs import PACK as FS
from sealmark.packs.git import PACK as GIT
from sealmark.packs.http import PACK as HTTP
from sealmark.packs.inject import PACK as INJECT
from sealmark.packs.net import PACK as NET
from sealmark.packs.scope import PACK as SCOPE
from sealmark.packs.sql_guard import PACK as SQL_GUARD
from sealmark.packs.sqlite import PACK as SQLITE
from sealmark.packs.upstream import PACK as UPSTREAM

PACKS: tuple[Pack, ...] = (CORE, DB, SQLITE, FS, GIT, NET, HTTP, EFFECTS, EXEC, INJECT, SCOPE, SQL_GUARD, UPSTREAM)
