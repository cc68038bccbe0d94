"""Prints how many milliseconds each reader takes for a MiB of text: ordinary words, and words meant to slow it down.

python tests/bench/readers.py [MIB]
"""

import sys
import time
from collections.abc import Callable

from sealmark.reading.blocks import content_of
from sealmark.reading.failure import failure
from sealmark.reading.internals import internals
from sealmark.reading.metadata import findings
from sealmark.reading.refusal import refusal
from sealmark.reading.reply import read_reply
from sealmark.reading.rows import rows
from sealmark.reading.secrets import secrets
from sealmark.reading.sightings import find
from sealmark.reading.visible import visible

OWNED = {f"value{n}": f"/srv/sandbox-{n:04d}/sm-{n:012x}" for n in range(20)}
ORDINARY = "The quick brown fox jumps over the lazy dog, and the report says 42 things about it.\n"
SPITEFUL = {
    "words of every reader": "at a.b(c) in /x/y=z: password token File 'a', line 1 eyJ key= ghp_ ://a:b send to \n",
    "one long line": "a" * 64 + "-",
    "slashes": "/a" * 40 + " ",
    "brackets": "[{(" * 20 + "\n",
    "pipes": "|" * 60 + "-\n",
    "quotes": "'\"`" * 30 + " ",
    "order": "you must always please read send include pass the data files content of the user to ",
    "hidden": "a\u200b\u202eb\x1b \U0001f468\u200d ",
}  # fmt: skip


def message(text: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}


READERS: dict[str, Callable[[str], object]] = {
    "visible": visible,
    "blocks": lambda text: content_of(message(text), "tools/call"),
    "sightings (20 values)": lambda text: find(text, OWNED),
    "refusal": refusal,
    "failure": failure,
    "internals": internals,
    "secrets": secrets,
    "rows": lambda text: rows(None, text),
    "metadata": findings,
    "read_reply": lambda text: read_reply(message(text), method="tools/call", protocol_version="2025-11-25"),
}


def main() -> None:
    size = int(float(sys.argv[1]) * 1024 * 1024) if len(sys.argv) > 1 else 1024 * 1024
    texts = {"ordinary": ORDINARY, **SPITEFUL}
    print(f"{'ms per MiB':24}" + "".join(f"{name[:12]:>14}" for name in texts))
    for name, reader in READERS.items():
        line = f"{name:24}"
        for piece in texts.values():
            text = (piece * (size // len(piece) + 1))[:size]
            began = time.process_time()
            reader(text)
            line += f"{(time.process_time() - began) * 1000 / (size / 1024 / 1024):14.1f}"
        print(line, flush=True)


if __name__ == "__main__":
    main()
