"""What is true in the database now, and how it differs from what was true before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from psycopg import Connection, sql

SMALL = 60
"""Rows up to which a table is kept row by row; of a larger one only their number and a hash over all."""
MAX_ROWS_SHOWN = 5
MAX_TEXT = 200

State = Mapping[str, Any]
"""Name of a thing (`table products`, `role analyst`) -> what is true of it: (definition, rows or None)."""

_OURS = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"

_RELATIONS = f"""
SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' WHEN 'v' THEN 'view ' WHEN 'm' THEN 'view ' ELSE 'table ' END
    || CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
  concat_ws(' ', c.relkind, pg_get_userbyid(c.relowner), c.relacl, c.relrowsecurity, c.relforcerowsecurity,
    (SELECT string_agg(concat_ws(' ', attname, atttypid::regtype, attnotnull, attacl), ',' ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
    (SELECT string_agg(concat_ws(' ', polname, polcmd, polroles, pg_get_expr(polqual, polrelid)), ',' ORDER BY polname)
      FROM pg_policy WHERE polrelid = c.oid),
    (SELECT string_agg(concat_ws(' ', tgname, tgenabled), ',' ORDER BY tgname)
      FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal),
    (SELECT string_agg(indexrelid::regclass::text, ',' ORDER BY 1) FROM pg_index WHERE indrelid = c.oid),
    CASE c.relkind WHEN 'v' THEN md5(pg_get_viewdef(c.oid)) END, obj_description(c.oid, 'pg_class'))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND {_OURS}"""

_FUNCTIONS = f"""
SELECT 'function ' || p.oid::regprocedure::text, concat_ws(' ', pg_get_userbyid(p.proowner), p.proacl, md5(p.prosrc))
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE {_OURS}"""

_SCHEMAS = f"""
SELECT 'schema ' || n.nspname, concat_ws(' ', pg_get_userbyid(n.nspowner), n.nspacl)
FROM pg_namespace n WHERE {_OURS}"""

_TYPES = f"""
SELECT 'type ' || t.oid::regtype::text, concat_ws(' ', t.typtype, pg_get_userbyid(t.typowner))
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype IN ('e', 'd', 'r') AND {_OURS}"""

_SETTINGS = """
SELECT 'settings of ' || coalesce(pg_get_userbyid(nullif(setrole, 0)), 'the database'), array_to_string(setconfig, ' ')
FROM pg_db_role_setting
WHERE (setdatabase = 0 AND setrole = ANY (%(roles)s::regrole[]))
  OR setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())"""

_ROLES = """
SELECT 'role ' || r.rolname, concat_ws(' ', r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin,
  r.rolreplication, r.rolbypassrls, r.rolconnlimit, md5(r.rolpassword),
  (SELECT string_agg(pg_get_userbyid(m.roleid), ',' ORDER BY 1) FROM pg_auth_members m WHERE m.member = r.oid))
FROM pg_authid r WHERE r.rolname !~ '^pg_' AND (%(all)s OR r.oid = ANY (%(roles)s::regrole[]))"""

_DEFINITIONS = (
    _RELATIONS,
    _FUNCTIONS,
    _SCHEMAS,
    _TYPES,
    "SELECT 'extension ' || extname, extversion FROM pg_extension",
    "SELECT 'large object ' || oid, pg_get_userbyid(lomowner) FROM pg_largeobject_metadata",
    _SETTINGS,
    _ROLES,
)
"""Queries of (name, definition)."""


def read(connection: Connection[Any], roles: list[str], *, whole_server: bool) -> dict[str, Any]:
    """Everything that a statement could change and that lasts: objects, rows, sequences, settings, roles.

    Args:
        connection: a superuser's, to the database.
        roles: the run's roles, as the server names them.
        whole_server: whether roles that are not the run's are its business too.
    """
    given = {"roles": roles, "all": whole_server}
    found: dict[str, Any] = {}
    for query in _DEFINITIONS:
        for name, definition in connection.execute(query.encode(), given):
            found[name] = (definition, None)
    for name in [name for name in found if name.startswith(("table ", "sequence "))]:
        found[name] = (found[name][0], _rows(connection, name))
    return found


def _rows(connection: Connection[Any], name: str) -> Any:
    """Every row of a small table as text, or the number of rows and a hash; the place of a sequence."""
    kind, _, plain = name.partition(" ")
    thing = sql.Identifier(*plain.split(".", 1))
    if kind == "sequence":
        query = sql.SQL("SELECT last_value::text || ' ' || is_called FROM {}").format(thing)
        return [str(row[0]) for row in connection.execute(query)]
    query = sql.SQL("SELECT t::text FROM {} t LIMIT %s").format(thing)
    rows = sorted(row[0] for row in connection.execute(query, [SMALL + 1]))
    if len(rows) <= SMALL:
        return rows
    query = sql.SQL("SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM {} t").format(thing)
    return connection.execute(query).fetchone()


def differences(before: State, after: State) -> Iterator[dict[str, Any]]:
    """Every thing that is new, gone, defined otherwise, or holds other rows; in order of names."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield {"what": name, "change": "created", **_more((), after[name][1])}
        elif name not in after:
            yield {"what": name, "change": "dropped"}
        elif before[name] != after[name]:
            altered = before[name][0] != after[name][0]
            yield {"what": name, "change": "altered" if altered else "rows", **_more(before[name][1], after[name][1])}


def _more(before: Any, after: Any) -> dict[str, Any]:
    """Which rows came and went, the first few, where rows are kept one by one."""
    if before == after or after is None:
        return {}
    if not isinstance(before, list) or not isinstance(after, list):
        counts = [rows[0] if isinstance(rows, tuple) and rows else len(rows or ()) for rows in (before, after)]
        return {"count_before": counts[0], "count_after": counts[1]}
    came, went = _minus(after, before), _minus(before, after)
    return {"added": came[:MAX_ROWS_SHOWN], "removed": went[:MAX_ROWS_SHOWN], "in_all": len(came) + len(went)}


def _minus(some: list[str], others: list[str]) -> list[str]:
    """What is in `some` more often than in `others`, cut."""
    left = list(others)
    found: list[str] = []
    for row in some:
        if row in left:
            left.remove(row)
        else:
            found.append(row[:MAX_TEXT])
    return found
