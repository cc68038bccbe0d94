"""What toys that front a backend share: where it is, who asks, and how it is asked. Standard library only."""

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

ENV = {"TOY_BACKEND": "{upstream}", "TOY_TOKEN": "{bearer}"}
"""What the configuration of such a toy gives it."""

WITHOUT_CALLERS = {"TOY_BACKEND": "{upstream}"}

PROBES = ({"id": "report", "tool": "report", "args": {"month": "2026-01"}},)
"""One valid call."""

REPORT = {"month": {"type": "string"}}


def token():
    """The token of the caller that this process serves."""
    return os.environ.get("TOY_TOKEN", "")


class Backend(Exception):
    """What the backend answered when it was no success."""

    def __init__(self, status, body):
        super().__init__(f"status {status}")
        self.status, self.body = status, body


def ask(path, body=None, credential=None, timeout=60, header="Authorization"):
    """The backend's answer as text."""
    headers = {"Content-Type": "application/json"}
    if credential:
        headers[header] = f"Bearer {credential}"
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(os.environ["TOY_BACKEND"] + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        raise Backend(error.code, error.read().decode()) from None


def log(text):
    """One line of the server's log."""
    print(text, file=sys.stderr, flush=True)


def kept(server, value):
    """The first value that any process of this server kept in its directory."""
    place = Path(server.root, ".toy-kept")
    if not place.exists():
        place.write_text(value)
    return place.read_text()
