"""Tokens for slurmrestd, signed here: a worker needs only the cluster's JWT key, none of Slurm's programs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re

LIFESPAN_S = 300
SKEW_S = 60
"""How much the clocks may differ: the token is issued so much earlier."""
LEAST_KEY_BYTES = 16
_TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+")


def signed_token(key: bytes, user: str, *, now: float, lifespan_s: int = LIFESPAN_S) -> str:
    """An HS256 JWT as `scontrol token` prints it; `now` in seconds since 1970, `user` the account it speaks for."""
    claims = {"iat": int(now) - SKEW_S, "exp": int(now) + lifespan_s, "sun": user}
    body = ".".join(_encoded(json.dumps(part, separators=(",", ":")).encode()) for part in (_HEADER, claims))
    return f"{body}.{_encoded(hmac.new(key, body.encode(), hashlib.sha256).digest())}"


_HEADER = {"alg": "HS256", "typ": "JWT"}


def token_for(secret: str, user: str, *, now: float) -> str:
    """What to send for a stored secret: a token as it is, or one signed with the key (the key file in base64).

    Raises ValueError when the secret is neither.
    """
    secret = secret.strip()
    if _TOKEN.fullmatch(secret):
        return secret
    try:
        key = base64.b64decode("".join(secret.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("the secret is neither a token nor a key in base64") from error
    if len(key) < LEAST_KEY_BYTES:
        raise ValueError(f"the key is shorter than {LEAST_KEY_BYTES} bytes")
    return signed_token(key, user, now=now)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
