"""The size of the record of a server with 60 tools, 12 of which take paths. Goal: below 1 MiB.

Run: python tests/bench/record_size.py
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "corpora" / "_shared"))

from toykit import Refused, Toys

toys = Toys()
GOAL = 1024 * 1024
PROSE = "Looks up entries of the catalogue and gives them with their links, newest first, at most a page at a time. "


@toys.toy("pass", "")
def sixty(server):
    """Forty-eight tools that take text, and twelve that read files below the root."""
    root = os.path.realpath(server.root)

    def reader(arguments):
        path = os.path.realpath(os.path.join(root, arguments["path"]))
        if os.path.commonpath([path, root]) != root:
            raise Refused("the path is outside the allowed directory")
        with open(path) as file:
            return file.read(20_000)

    for number in range(48):
        properties = {
            "query": {"type": "string", "description": "What to look for, in plain words."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many entries to give."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Only entries with these tags."},
        }
        server.tool(f"catalogue_{number}", properties, ["query"], PROSE * 3)(lambda arguments: "entry " * 300)
    for number in range(12):
        properties = {"path": {"type": "string", "description": "The file to read, below the root."}}
        server.tool(f"read_file_{number}", properties, ["path"], PROSE)(reader)


def main():
    from sealmark.conductor import Conductor
    from sealmark.record.codec import dump
    from sealmark.settings import Origin, Settings

    settings = Settings.standard().replace(
        {"server.command": sys.executable, "server.args": (__file__, "sixty", "{sandbox}")}, Origin("code", "bench")
    )
    record = asyncio.run(Conductor(settings, environ=os.environ).run())
    size = len(dump(record))
    gathered = record.gathered
    print(f"{len(gathered.surface.tools)} tools, {len(gathered.probes)} probes, {len(gathered.bodies)} bodies")
    print(f"record: {size / 1024:.0f} KiB, {100 * size / GOAL:.0f} % of 1 MiB")
    return 0 if size < GOAL else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        toys.main()
    else:
        sys.exit(main())
