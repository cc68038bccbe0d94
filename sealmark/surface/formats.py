"""Neutral values: what is sent where a schema wants something and the probe does not care what."""

from __future__ import annotations

from collections.abc import Mapping

TEXT = "sealmark"

FORMATS: Mapping[str, str] = {
    "date": "2026-01-02",
    "date-time": "2026-01-02T03:04:05Z",
    "datetime": "2026-01-02T03:04:05Z",
    "time": "03:04:05Z",
    "duration": "PT1S",
    "email": "sealmark@example.com",
    "idn-email": "sealmark@example.com",
    "hostname": "example.com",
    "idn-hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "iri": "https://example.com/",
    "uri-reference": "sealmark",
    "iri-reference": "sealmark",
    "uri-template": "sealmark",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "json-pointer": "/sealmark",
    "relative-json-pointer": "0",
    "regex": "sealmark",
    "byte": "c2VhbG1hcms=",
    "base64": "c2VhbG1hcms=",
    "binary": "sealmark",
    "color": "#336699",
}
"""A value for each format; addresses and names come from the ranges that are set aside for documentation."""

NAMES: Mapping[str, str] = {
    "timezone": "UTC",
    "time zone": "UTC",
    "tz": "UTC",
    "date": "2026-01-02",
    "time": "03:04",
    "datetime": "2026-01-02T03:04:05Z",
    "timestamp": "2026-01-02T03:04:05Z",
    "email": "sealmark@example.com",
    "url": "https://example.com/",
    "hostname": "example.com",
    "domain": "example.com",
    "language": "en",
    "lang": "en",
    "locale": "en-US",
    "country": "US",
    "currency": "EUR",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "color": "#336699",
    "encoding": "utf-8",
}
"""Values for what a name means everywhere, by its last words, where a schema says no more than that it is text."""

COMMON: tuple[str, ...] = (
    TEXT,
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "2026-01-02 03:04:05",
    "2026-01",
    "2026",
    "03:04:05",
    "03:04",
    "192.0.2.1",
    "2001:db8::1",
    "https://example.com/",
    "http://example.com/",
    "example.com",
    "sealmark@example.com",
    "00000000-0000-4000-8000-000000000000",
    "1.0.0",
    "v1.0.0",
    "#336699",
    "en",
    "en-US",
    "EUR",
    "main",
    "/sealmark",
    "sealmark.txt",
    "1",
    "a",
)
"""Values that are tried against a pattern before one is constructed: they mean something to more servers."""
