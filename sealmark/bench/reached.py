"""Facts about the URL of a server: whether it stays on this machine, whether it is encrypted, where it is bound."""

from __future__ import annotations

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from sealmark.bench.launch import Launch
from sealmark.bench.served import Served
from sealmark.settings.secrets import looks_secret


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is this machine by its name or its address."""
    host = (urlsplit(url).hostname or "").lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def credential_names(headers: Any) -> list[str]:
    """The configured headers that carry credentials, by name."""
    return sorted(name for name in headers if looks_secret(name))


def facts_of(launch: Launch, served: Served) -> dict[str, Any]:
    """Plain facts for the record; no value that differs from run to run."""
    url = served.endpoint.url
    return {
        "scheme": urlsplit(url).scheme,
        "loopback": is_loopback(url),
        "started": bool(launch.argv),
        "transport": served.transport,
        "credentials": credential_names(served.endpoint.headers),
        "bearer": served.endpoint.bearer != "",
    }
