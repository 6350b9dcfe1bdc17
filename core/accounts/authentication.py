"""Who sends a request with a token."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest
from django.utils import timezone
from knox import auth
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.models import ApiToken, User

SCHEMES = (b"token", b"bearer")
"""`Authorization: Token SECRET`, or `Bearer`, the word that Prometheus and most clients send by themselves."""


class TokenAuthentication(auth.TokenAuthentication):
    """Tokens of Knox, in one query a request.

    Knox itself reads all tokens of the person each time, to remove the expired ones. Here they go when one of them
    is used after its time, which refuses it as before.
    """

    def authenticate(self, request: Request | HttpRequest) -> tuple[User, ApiToken] | None:
        """None where the header is for somebody else. Raises AuthenticationFailed."""
        scheme, _, secret = get_authorization_header(cast(Request, request)).strip().partition(b" ")
        if scheme.lower() not in SCHEMES:
            return None
        if not secret.strip() or len(secret.split()) != 1:
            raise AuthenticationFailed("After Token or Bearer comes the token, one word.")
        user, token = self.authenticate_credentials(secret.strip())
        return user, token

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        if auth_token.expiry is None or auth_token.expiry >= timezone.now():
            return False
        return bool(super()._cleanup_token(auth_token))
