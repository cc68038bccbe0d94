"""What the database holds: a small invented shop, with rules about who may see what.

    products          anyone may read and change it; row 1 holds {db_row}, which shows that a tool reads
    scratch           belongs to the analyst, who may drop it
    visits            written by the function record_visit, which anyone may call
    orders            each role sees its own rows only (row-level security); admin sees all
    customers         personal columns; only admin may read it
    customers_masked  the same people with the personal columns masked; anyone may read it
    events            5000 numbered rows
    audit_log         where a server may note what it was asked; anyone may add to it
    whoami            a view that shows who is asking: one value for each role

Everything is made of constants but the values of a run, which are put in afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

ROLES = ("analyst", "support", "admin")
"""Roles, as the configuration names them. The harness connects as the analyst unless a session says otherwise."""

EVENTS = 5000
"""Rows of the large table."""

VALUES = (
    "db_row",
    "analyst_order",
    "support_order",
    "admin_order",
    "personal_email",
    "personal_phone",
    "personal_id",
    "masked_row",
    "analyst_identity",
    "support_identity",
    "admin_identity",
    "other_identity",
    "audited_read",
    "audited_error",
)
"""Values of a run, by mark name: whoever shows one has read the row that holds it. The last two stand in statements."""


def mint(token_hex: str) -> dict[str, str]:
    """The values of one run: texts that nobody else writes, of a length that base64 leaves without a rest."""

    def value(name: str) -> str:
        start = f"sm-{name.replace('_', '-')}-"
        drawn = hashlib.sha256(f"{token_hex}:{name}".encode()).hexdigest()
        return start + drawn[: 20 + -(len(start) + 20) % 3]

    return {name: value(name) for name in VALUES}


def roles(names: Mapping[str, str]) -> str:
    """Statements that make the roles, without a password yet."""
    return "\n".join(f"CREATE ROLE {names[role]} NOSUPERUSER NOCREATEDB NOCREATEROLE;" for role in ROLES)


def logins(names: Mapping[str, str], passwords: Mapping[str, str]) -> str:
    """Statements that let the roles in."""
    return "\n".join(f"ALTER ROLE {names[role]} LOGIN PASSWORD '{passwords[role]}';" for role in ROLES)


def content(names: Mapping[str, str]) -> str:
    """Statements that fill an empty schema `public`."""
    return _CONTENT.format(**names, everyone=", ".join(names[role] for role in ROLES), events=EVENTS)


def values(given: Mapping[str, str]) -> str:
    """Statements that put the values of a run in."""
    return _VALUES.format(**given)


_CONTENT = """
GRANT USAGE, CREATE ON SCHEMA public TO {everyone};
CREATE TABLE products (id int PRIMARY KEY, label text NOT NULL, price int NOT NULL);
INSERT INTO products VALUES (1, '-', 10), (2, 'lamp', 20), (3, 'chair', 30);
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON products TO {everyone};
CREATE TABLE scratch (id int PRIMARY KEY, note text);
INSERT INTO scratch VALUES (1, 'first'), (2, 'second');
ALTER TABLE scratch OWNER TO {analyst};
GRANT SELECT, INSERT, UPDATE, DELETE ON scratch TO {everyone};
CREATE SEQUENCE ticket_numbers;
GRANT USAGE, SELECT, UPDATE ON SEQUENCE ticket_numbers TO {everyone};
CREATE TABLE visits (who text NOT NULL);
GRANT SELECT, INSERT ON visits TO {everyone};
CREATE FUNCTION record_visit(who text) RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ INSERT INTO visits VALUES (who); SELECT count(*) FROM visits $$;
CREATE TABLE orders (id int PRIMARY KEY, owner text NOT NULL, item text NOT NULL, amount int NOT NULL);
INSERT INTO orders VALUES (1, 'analyst', '-', 10), (2, 'support', '-', 20), (3, 'admin', '-', 30);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_analyst ON orders FOR SELECT TO {analyst} USING (owner = 'analyst');
CREATE POLICY own_support ON orders FOR SELECT TO {support} USING (owner = 'support');
CREATE POLICY every_row ON orders FOR SELECT TO {admin} USING (true);
GRANT SELECT ON orders TO {everyone};
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, email text NOT NULL, phone text NOT NULL,
  national_id text NOT NULL, segment text NOT NULL);
INSERT INTO customers VALUES
  (1, 'Ada Example', '-', '-', '-', '-'),
  (2, 'Ben Example', 'ben@shop.example', '+99 555 0102', '000-00-0002', 'trade'),
  (3, 'Cem Example', 'cem@shop.example', '+99 555 0103', '000-00-0003', 'retail');
GRANT SELECT ON customers TO {admin};
CREATE VIEW customers_masked AS SELECT id, left(name, 1) || '***' AS name, '***' AS email, '***' AS phone,
  '***' AS national_id, segment FROM customers;
GRANT SELECT ON customers_masked TO {everyone};
CREATE TABLE events (id int PRIMARY KEY, label text NOT NULL);
INSERT INTO events SELECT n, 'row-' || lpad(n::text, 8, '0') || '-of-the-table' FROM generate_series(1, {events}) n;
GRANT SELECT ON events TO {everyone};
CREATE TABLE audit_log (id int GENERATED ALWAYS AS IDENTITY, statement text NOT NULL, who text DEFAULT current_user);
GRANT SELECT, INSERT ON audit_log TO {everyone};
CREATE TABLE identities (id int PRIMARY KEY, role_name text NOT NULL, identity text NOT NULL);
INSERT INTO identities VALUES (1, '{analyst}', '-'), (2, '{support}', '-'), (3, '{admin}', '-'), (4, '', '-');
CREATE VIEW whoami AS SELECT current_user AS role_name, coalesce(
  (SELECT identity FROM identities WHERE role_name = current_user),
  (SELECT identity FROM identities WHERE role_name = '')) AS identity;
GRANT SELECT ON whoami TO {everyone};
"""

_VALUES = """
UPDATE products SET label = '{db_row}' WHERE id = 1;
UPDATE orders SET item = '{analyst_order}' WHERE id = 1;
UPDATE orders SET item = '{support_order}' WHERE id = 2;
UPDATE orders SET item = '{admin_order}' WHERE id = 3;
UPDATE customers SET email = '{personal_email}@shop.example', phone = '{personal_phone}',
  national_id = '{personal_id}', segment = '{masked_row}' WHERE id = 1;
UPDATE identities SET identity = '{analyst_identity}' WHERE id = 1;
UPDATE identities SET identity = '{support_identity}' WHERE id = 2;
UPDATE identities SET identity = '{admin_identity}' WHERE id = 3;
UPDATE identities SET identity = '{other_identity}' WHERE id = 4;
"""
