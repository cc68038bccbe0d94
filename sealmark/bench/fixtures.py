"""The files that a sandbox holds: the same small set in every area, each with its area's own secret.

A file kind exists because some server reads nothing else: a text file, CSV, JSON, a PNG (the secret after its
end), and a workbook (the secret in a cell). Their bytes depend on the secret alone; it begins at
a multiple of three, so that base64 of the file holds base64 of the secret.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

README = "# Sandbox\n\nFiles for a test run. Nothing here is of value.\n"
"""The only file that the sandbox's repository tracks: constant, so that its commit id is constant too."""


def text(secret: str) -> bytes:
    """A few lines of text, the secret on a line of its own."""
    return f"hello\n{secret}\nbye\n".encode()


def csv(secret: str) -> bytes:
    """A table with a header and two rows."""
    return f"id,name,note\n1,first,{secret}\n2,second,none\n".encode()


def as_json(secret: str) -> bytes:
    """An object with a list of numbers and the secret."""
    return json.dumps({"numbers": [1, 2, 3], "notes": secret}, indent=1).encode() + b"\n"


def png(secret: str) -> bytes:
    """A valid PNG of one grey pixel; the secret follows its end, where no checksum depends on it."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0\x80")), (b"IEND", b""))
    picture = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)
    return picture.ljust(_whole(len(picture)), b"\n") + secret.encode() + b"\n"


def _whole(length: int) -> int:
    """The next multiple of three, at which base64 begins anew."""
    return length + -length % 3


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OPEN = "application/vnd.openxmlformats"


def _relations(*found: tuple[str, str]) -> str:
    rows = (f'<Relationship Id="rId{n}" Type="{kind}" Target="{part}"/>' for n, (kind, part) in enumerate(found, 1))
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{"".join(rows)}</Relationships>'


def workbook(secret: str) -> bytes:
    """A small workbook: one sheet named Sheet1; the secret is its author, a header and two values (B1, A2, B2)."""
    rows = (("name", secret), (f"hello {secret}", secret), ("second", "none"))
    cells = "".join(
        f'<row r="{r}">'
        + "".join(f'<c r="{"AB"[c]}{r}" t="inlineStr"><is><t>{value}</t></is></c>' for c, value in enumerate(row))
        + "</row>"
        for r, row in enumerate(rows, 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_OPEN}-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_OPEN}-officedocument.spreadsheetml.sheet.main+xml"/>'
        f'<Override PartName="/docProps/core.xml" ContentType="{_OPEN}-package.core-properties+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{_OPEN}-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": _relations(
            (f"{_DOCUMENT}/officeDocument", "xl/workbook.xml"),
            (f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
        ),
        "docProps/core.xml": f'<p:coreProperties xmlns:p="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>{secret}</dc:creator></p:coreProperties>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}">'
        '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations((f"{_DOCUMENT}/worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{cells}</sheetData></worksheet>',
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, body in parts.items():
            declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            archive.writestr(zipfile.ZipInfo(name), declaration + body)
    return packed.getvalue()


LISTED: Mapping[str, Callable[[str], bytes]] = {".txt": text, ".csv": csv, ".png": png, ".xlsx": workbook}
"""Suffix -> content of the files whose names alone matter: some listings show one kind of file only."""

KINDS: Mapping[str, Callable[[str], bytes]] = {
    "hello.txt": text,
    "data.csv": csv,
    "data.json": as_json,
    "pixel.png": png,
    "book.xlsx": workbook,
}
"""File name -> its content for a secret. Every area has all of them under the same names."""


def large(first: str, last: str, size: int) -> bytes:
    """Text of exactly `size` bytes: `first` on the first line, `last` on the last, the same line between."""
    head, tail = f"{first}\n".encode(), f"{last}\n".encode()
    line = b"The quick brown fox jumps over the lazy dog; this line repeats until the end.\n"
    room = max(0, size - len(head) - len(tail))
    return head + (line * (room // len(line) + 1))[: room - 1] + b"\n" + tail
