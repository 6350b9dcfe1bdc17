"""Who sends a request with a token."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hmac import compare_digest
from typing import Any, cast

from django.db import DEFAULT_DB_ALIAS
from django.http import HttpRequest
from django.utils import timezone
from knox import auth
from knox.crypto import hash_token
from knox.settings import CONSTANTS
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from core.accounts.scope import know_grants
from core.database import prepared
from core.models import ApiToken, RoleGrant, User

SCHEMES = (b"token", b"bearer")
"""`Authorization: Token SECRET`, or `Bearer`, the word that Prometheus and most clients send by themselves."""


class TokenAuthentication(auth.TokenAuthentication):
    """Tokens of Knox with their person and what that person may do, in one query a request.

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

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        secret = token.decode()
        digest = hash_token(secret)
        for found in tokens(secret[: CONSTANTS.TOKEN_KEY_LENGTH]):
            if not self._cleanup_token(found) and compare_digest(digest, found.digest):
                return cast(tuple[User, ApiToken], self.validate_user(found))
        raise AuthenticationFailed("Invalid token.")

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        if auth_token.expiry is None or auth_token.expiry >= timezone.now():
            return False
        return bool(super()._cleanup_token(auth_token))


def tokens(key: str) -> Iterator[ApiToken]:
    """The tokens that begin so, most often one, each with its user; the user's roles are known by then."""
    of_token, of_user = columns(ApiToken), columns(User)
    for row in prepared.rows(statement(), [key]):
        token = ApiToken.from_db(DEFAULT_DB_ALIAS, of_token, row[: len(of_token)])
        token.user = User.from_db(DEFAULT_DB_ALIAS, of_user, row[len(of_token) : -2])
        know_grants(token.user, zip(*row[-2:], strict=True))
        yield token


@cache
def columns(model: Any) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


@cache
def statement() -> str:
    token, user = (
        ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)
        for alias, model in (("t", ApiToken), ("u", User))
    )
    grants = RoleGrant._meta.db_table
    return (
        f"SELECT {token}, {user}, "
        f"ARRAY(SELECT g.site_id FROM {grants} g WHERE g.user_id = u.id ORDER BY g.id), "
        f"ARRAY(SELECT g.role FROM {grants} g WHERE g.user_id = u.id ORDER BY g.id) "
        f"FROM {ApiToken._meta.db_table} t JOIN {User._meta.db_table} u ON u.id = t.user_id WHERE t.token_key = %s"
    )
