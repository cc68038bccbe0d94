"""The transcript keeps what its limits allow, counts the rest and names each limit."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sealmark.wire.sidecar import MARGIN, SidecarFile
from sealmark.wire.transcript import Transcript, TranscriptLimits


def test_what_fits_is_kept_whole_and_names_no_limit() -> None:
    transcript = Transcript()
    assert transcript.add("c2s", b"\xff\x00") == 1
    assert transcript.add("s2c", b"", flags=("blank",)) == 2
    first, second = transcript.events
    assert (first.seq, first.direction, first.head, first.length, first.sha256) == (1, "c2s", b"\xff\x00", 2, "")
    assert second.flags == ("blank",)
    assert 0 <= first.t_ms <= second.t_ms
    assert transcript.limits == ()


def test_a_long_event_is_cut_with_its_hash() -> None:
    transcript = Transcript(TranscriptLimits(event_bytes=4))
    transcript.add("s2c", b"abcd")
    transcript.add("s2c", b"abcdef")
    transcript.add("s2c", b"abcd", length=1000, sha256="f" * 64)
    fits, cut, told = transcript.events
    assert (fits.head, fits.sha256) == (b"abcd", "")
    assert (cut.head, cut.length, cut.sha256) == (b"abcd", 6, hashlib.sha256(b"abcdef").hexdigest())
    assert (told.head, told.length, told.sha256) == (b"abcd", 1000, "f" * 64)
    assert transcript.limits == ("event-bytes",)


def test_bytes_and_events_in_all_are_bounded_and_numbers_go_on() -> None:
    transcript = Transcript(TranscriptLimits(kept_bytes=5, events=3))
    numbers = [transcript.add("s2c", b"abc") for _ in range(5)]
    assert numbers == [1, 2, 3, 4, 5]
    assert [event.head for event in transcript.events] == [b"abc", b"ab", b""]
    assert [event.length for event in transcript.events] == [3, 3, 3]
    assert transcript.dropped == 2
    assert transcript.limits == ("kept-bytes", "events")


def test_the_sidecar_holds_what_the_record_dropped(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    with SidecarFile(path) as file:
        redact = lambda text: text.replace("secret", "[x]")  # noqa: E731
        transcript = Transcript(TranscriptLimits(events=1), sidecar=file.session(redact=redact))
        transcript.add("c2s", b"a secret \x1b")
        transcript.add("s2c", b"\xff", flags=("invalid-utf8",))
        transcript.close()
    assert b"secret" not in path.read_bytes()
    first, second = lines(path)
    assert (first["seq"], first["dir"], first["text"], first["length"]) == (1, "c2s", "a [x] \x1b", 10)
    assert (base64.b64decode(second["base64"]), second["flags"]) == (b"\xff", ["invalid-utf8"])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_sessions_share_a_file_and_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    with SidecarFile(path) as file:
        for name in ("core/main", "fs/main", "core/main"):
            transcript = Transcript(sidecar=file.session(name))
            transcript.add("c2s", b"hello")
            transcript.close()
    assert [(line["session"], line["process"]) for line in lines(path)] == [
        ("core/main", 1),
        ("fs/main", 1),
        ("core/main", 2),
    ]
    assert path.stat().st_mode & 0o077 == 0


def test_a_secret_that_comes_in_two_chunks_of_stderr_is_found(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    with SidecarFile(path) as file:
        transcript = Transcript(sidecar=file.session(redact=lambda text: text.replace("hunter2", "[x]")))
        for chunk in (b"one\npass: hun", b"ter2 ", b"end", b" of it"):
            transcript.add("stderr", chunk)
        transcript.add("exit", b"0")
        transcript.close()
    assert [(line["dir"], line["text"]) for line in lines(path)] == [
        ("stderr", "one\n"),
        ("stderr", "pass: [x] end of it"),
        ("exit", "0"),
    ]


def test_a_secret_at_a_cut_is_left_out_with_what_surrounds_it(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    secret = "s3cr3t-0123456789"
    with SidecarFile(path, event_bytes=MARGIN) as file:
        transcript = Transcript(sidecar=file.session(redact=lambda text: text.replace(secret, "[x]")))
        for before in (MARGIN - 5, 2 * MARGIN - 5):
            transcript.add("s2c", b"a" * before + secret.encode() + b"a" * MARGIN)
        transcript.close()
    for line in lines(path):
        assert 0 < len(line["text"]) <= MARGIN
        assert set(line["text"]) <= set("a[x]")


def test_the_sidecar_is_bounded_too(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    with SidecarFile(path, max_bytes=200) as file:
        transcript = Transcript(sidecar=file.session())
        for _ in range(10):
            transcript.add("s2c", b"x" * 50)
        transcript.close()
    assert 0 < path.stat().st_size <= 200
    assert transcript.limits == ("sidecar-bytes",)
    assert file.limit == "sidecar-bytes"


def test_a_disk_that_fails_does_not_stop_the_session() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs a device that is always full")
    with SidecarFile("/dev/full") as file:
        transcript = Transcript(sidecar=file.session())
        for _ in range(100):
            transcript.add("s2c", b"x" * 1000)
        transcript.close()
    assert "sidecar-write" in transcript.limits
    assert len(transcript.events) == 100
