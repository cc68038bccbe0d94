"""Rows of a query's reply, in the spellings of real servers; None is not 0."""

import json

import pytest

from sealmark.reading.rows import rows

ROWS = [{"id": n, "name": f"n{n}"} for n in range(3)]
MARKDOWN = "| id | name |\n|----|------|\n| 0 | n0 |\n| 1 | n1 |\n| 2 | n2 |"
PSQL = " id | name \n----+------\n  0 | n0\n  1 | n1\n  2 | n2\n(3 rows)"
ASCII = "+----+------+\n| id | name |\n+----+------+\n| 0  | n0   |\n| 1  | n1   |\n| 2  | n2   |\n+----+------+"
BOX = "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 0  │ n0   │\n│ 1  │ n1   │\n│ 2  │ n2   │\n└────┴──────┘"

THREE = [
    json.dumps(ROWS),
    json.dumps(ROWS, indent=2),
    json.dumps([[0, "n0"], [1, "n1"], [2, "n2"]]),
    json.dumps({"rows": ROWS}),
    json.dumps({"success": True, "data": {"rows": ROWS, "count": 3}}),
    json.dumps({"rowCount": 3, "fields": []}),
    json.dumps({"success": True, "data": {"statements": [{"sql": "x", "rows": ROWS, "count": 3}]}}),
    "Results:\n" + json.dumps(ROWS, indent=1),
    "\n".join(json.dumps(row) for row in ROWS),
    repr(ROWS),
    repr([(0, "n0"), (1, "n1"), (2, "n2")]),
    "[(0, Decimal('1.5'), 'a, (b'), (1, None, 'x'), (2, datetime.date(2026, 1, 1), 'it\\'s')]",
    MARKDOWN,
    f"Here it is:\n\n{MARKDOWN}\n\nThat is all.",
    PSQL,
    ASCII,
    BOX,
    "id,name\n0,n0\n1,n1\n2,n2\n",
    "id\tname\n0\tn0\n1\tn1\n2\tn2",
    "Query returned 3 rows",
    "(3 rows)",
    "Result: 3 rows returned",
    "row_count: 3",
]
NONE_AT_ALL = [
    "[]",
    json.dumps({"rows": []}),
    json.dumps({"rows": [], "rowCount": 0}),
    "No rows returned",
    "0 rows",
    "(0 rows)",
    "Empty set",
    "Query executed successfully. No results.",
    "| id | name |\n|----|------|",
    "+----+\n| id |\n+----+\n+----+",
]
UNKNOWN = [
    "",
    "hello",
    "Access denied",
    "{broken",
    '{"status": "ok"}',
    "The answer is 42.",
    json.dumps(["a", "b"]),
    "[1, 2",
    "one line, with a comma",
]


@pytest.mark.parametrize("text", THREE, ids=lambda text: text[:30])
def test_three(text):
    assert rows(None, text) == 3


@pytest.mark.parametrize("text", NONE_AT_ALL, ids=lambda text: text[:30])
def test_zero(text):
    assert rows(None, text) == 0


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown(text):
    assert rows(None, text) is None


def test_the_structured_value_comes_first():
    assert rows({"rows": ROWS[:2]}, PSQL) == 2
    assert rows({"result": json.dumps(ROWS)}, "") == 3
    assert rows({"status": "ok"}, PSQL) == 3


def test_a_row_that_looks_like_a_count_does_not_count():
    assert rows(None, json.dumps([{"count": 7}])) == 1
