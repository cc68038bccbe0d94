"""Canaries: variables with worthless values in the server's environment.

If one comes back in a reply, the server echoes its environment, and with it whatever real secrets it was given.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

VARIABLES: Mapping[str, str] = {"canary": "SEALMARK_CANARY", "fake_api_key": "SEALMARK_FAKE_API_KEY"}
"""Mark name -> the variable that holds the value."""


def mint() -> dict[str, str]:
    """Fresh values, by mark name."""
    return {"canary": f"sm-canary-{secrets.token_hex(8)}", "fake_api_key": f"sk-sealmark-{secrets.token_hex(12)}"}
