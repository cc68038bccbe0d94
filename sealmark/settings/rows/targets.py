"""What the harness owns and points servers at: databases and network addresses."""

from __future__ import annotations

from sealmark.settings.rows.server import NAME
from sealmark.settings.table import Flag, Setting
from sealmark.settings.types import BOOL, list_of

ROWS = (
    Setting(
        key="db.embedded",
        type=BOOL,
        default=True,
        doc="Use the embedded Postgres, or an installed one when the extra is missing.",
        affects="gather",
        per_server=False,
        flag=Flag("--embedded", off="--no-embedded"),
    ),
    Setting(
        key="db.pg",
        type=NAME,
        doc="A Postgres of yours instead (a superuser's connection string). Needs --yes.",
        affects="gather",
        secret=True,
        per_server=False,
        flag=Flag("--pg", metavar="DSN"),
    ),
    Setting(
        key="db.bin_dir",
        type=NAME,
        doc="The directory that holds `initdb` and `postgres`. Default: the embedded ones, then PATH.",
        affects="gather",
        per_server=False,
    ),
    Setting(
        key="net.control_url",
        type=NAME,
        doc="A URL that the URL tools do fetch, to tell a refusal from a tool that fetches nothing.",
        affects="gather",
    ),
    Setting(
        key="net.dns_names",
        type=BOOL,
        default=False,
        doc="Also try public names that resolve to loopback. This asks a name server.",
        affects="gather",
    ),
    Setting(
        key="exec.allowed",
        type=list_of(NAME, single=True),
        default=(),
        doc="Commands that the command tools allow. Default: a few common ones are tried.",
        affects="gather",
    ),
)
