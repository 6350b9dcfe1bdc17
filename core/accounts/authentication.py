"""Who sends a request with a token."""

from __future__ import annotations

from django.utils import timezone
from knox import auth

from core.models import ApiToken


class TokenAuthentication(auth.TokenAuthentication):
    """Tokens of Knox, in one query a request.

    Knox itself reads all tokens of the person each time, to remove the expired ones. Here they go when one of them
    is used after its time, which refuses it as before.
    """

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        if auth_token.expiry is None or auth_token.expiry >= timezone.now():
            return False
        return bool(super()._cleanup_token(auth_token))
