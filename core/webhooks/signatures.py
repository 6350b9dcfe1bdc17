"""Signatures by the Standard Webhooks scheme (standardwebhooks.com, symmetric, version v1)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(secret: str, message: str, timestamp: int, body: bytes) -> str:
    """`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`. The secret is base64 after its prefix."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join([message.encode(), str(timestamp).encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers(secrets_now: Iterable[str], message: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers; one signature for each secret that is valid now, separated by blanks."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message, timestamp, body) for secret in secrets_now),
    }
