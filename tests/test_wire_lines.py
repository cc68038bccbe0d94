"""Splitting a stream into lines: the same lines however it was cut into chunks, and bounded."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from sealmark.wire.lines import Line, LineSplitter


def split(chunks: list[bytes], limit: int) -> list[Line]:
    splitter = LineSplitter(limit, tail=3)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    rest = splitter.finish()
    return [*lines, rest] if rest else lines


@given(st.lists(st.text("ab\n", max_size=12).map(str.encode)), st.integers(1, 8))
def test_lines_do_not_depend_on_chunks(chunks: list[bytes], limit: int) -> None:
    lines = split(chunks, limit)
    expected = b"".join(chunks).split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert [line.data for line in lines] == [line[:limit] for line in expected]
    assert [line.length for line in lines] == [len(line) for line in expected]
    for line, whole in zip(lines, expected, strict=True):
        assert line.cut == (len(whole) > limit)
        assert line.sha256 == (hashlib.sha256(whole).hexdigest() if line.cut else "")
        assert line.tail == (whole[-3:] if line.cut else b"")
    terminated = [line.terminated for line in lines]
    assert terminated == [True] * len(lines) if b"".join(chunks).endswith(b"\n") else terminated[:-1].count(False) == 0


def test_only_the_last_line_can_lack_its_newline() -> None:
    assert [line.terminated for line in split([b"a\nb"], 9)] == [True, False]
    assert [line.terminated for line in split([b"a\n", b"b\n"], 9)] == [True, True]


def test_a_long_line_holds_no_more_than_the_limit() -> None:
    splitter = LineSplitter(1000)
    for _ in range(1000):
        assert list(splitter.feed(b"x" * 10_000)) == []
    assert splitter.pending == 10_000_000
    assert len(splitter._buffer) == 1000
    (line,) = splitter.feed(b"end\nnext")
    assert (line.length, len(line.data), line.tail[-3:]) == (10_000_003, 1000, b"end")
    assert splitter.pending == 4
