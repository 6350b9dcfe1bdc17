"""`Idempotency-Key` on POST: a client that lost the answer sends the same request again and gets the same answer.

The answer is recorded in the transaction of the write itself. A crash before the commit leaves neither, so the retry
does the work; a crash after it leaves both, so the retry is told what happened. Refusals and failures are not kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.views import APIView

from core.accounts.scope import request_roles
from core.errors import error_body
from core.http.fingerprint import BodyTooLarge, fingerprint
from core.http.models import IdempotencyKey
from core.models import User, cipher

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEPT_HEADERS = ("Content-Type", "Location", "ETag")
LONGEST_KEY = 255
RETRY_AFTER_S = 1


class _Undo(Exception):
    """Leaves the transaction without what the view wrote; carries the answer out."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response


def refusal(status: int, code: str, message: str, **fields: list[str]) -> HttpResponse:
    return JsonResponse(error_body(code, message, fields), status=status)


class IdempotencyMiddleware:
    """Wraps every POST of the API that carries a key; all others pass untouched.

    A view class with `answer_is_secret = True` shows something once (a token): its answer is kept encrypted.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is None or request.method != "POST" or not request.path.startswith("/api/"):
            return self.get_response(request)
        if not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
            text = f"1 to {LONGEST_KEY} printable ASCII characters."
            return refusal(400, "invalid", "The request was refused; see the fields.", **{HEADER: [text]})
        caller = APIView().initialize_request(request)
        try:
            user = caller.user
        except APIException:
            user = None
        if not isinstance(user, User):
            return self.get_response(request)  # the view says who may not, and why
        try:
            print_of_request = fingerprint(request, request_roles(caller))
        except BodyTooLarge:
            return refusal(413, "too_large", "A request with an idempotency key may have 64 MiB.")
        try:
            with transaction.atomic():
                return self.once(request, user, key, print_of_request)
        except _Undo as undone:
            return undone.response
        except IntegrityError as error:  # a constraint that is checked at the commit
            return refusal(409, "conflict", f"The database refuses it ({constraint(error)}).")

    def once(self, request: HttpRequest, user: User, key: str, print_of_request: bytes) -> HttpResponse:
        if not take(user.pk, key):
            busy = refusal(409, "busy", "A request with this key is still running.")
            busy.headers["Retry-After"] = str(RETRY_AFTER_S)
            return busy
        kept = IdempotencyKey.objects.filter(user=user, key=key).first()
        if kept and kept.created_at > timezone.now() - settings.KEPT["idempotency_keys"]:
            return replay(kept, print_of_request)
        if kept:
            kept.delete()
        response = self.get_response(request)
        if response.status_code >= 500:
            raise _Undo(response)
        if 200 <= response.status_code < 300 and not response.streaming:
            view = getattr(getattr(request, "resolver_match", None), "func", None)
            keep(user, key, print_of_request, response, secret=getattr(view_class(view), "answer_is_secret", False))
        return response


def view_class(view: Any) -> Any:
    return getattr(view, "cls", None)


def take(user_id: int, key: str) -> bool:
    """Hold the key until this transaction ends, however it ends; False while another request holds it."""
    digest = hashlib.blake2b(f"idempotency:{user_id}:{key}".encode(), digest_size=8).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [int.from_bytes(digest, signed=True)])
        return bool(cursor.fetchone()[0])


def keep(user: User, key: str, print_of_request: bytes, response: HttpResponse, *, secret: bool) -> None:
    body = bytes(response.content)
    IdempotencyKey.objects.create(
        user=user,
        key=key,
        fingerprint=print_of_request,
        status=response.status_code,
        headers={name: response.headers[name] for name in KEPT_HEADERS if name in response.headers},
        body=cipher().encrypt(body) if secret else body,
        sealed=secret,
    )


def replay(kept: IdempotencyKey, print_of_request: bytes) -> HttpResponse:
    if bytes(kept.fingerprint) != print_of_request:
        return refusal(422, "idempotency_mismatch", "This key was used for another request, or with other rights.")
    body = bytes(kept.body)
    if kept.sealed:
        try:
            body = cipher().decrypt(body)
        except InvalidToken:
            return refusal(409, "conflict", "It was done; the answer was encrypted with a key that is gone.")
    response = HttpResponse(body, status=kept.status)
    del response.headers["Content-Type"]
    for name, value in kept.headers.items():
        response.headers[name] = value
    response.headers[REPLAYED] = "true"
    return response


def constraint(error: IntegrityError) -> str:
    diagnosis = getattr(error.__cause__, "diag", None)
    return str(getattr(diagnosis, "constraint_name", None) or "a constraint")


def prune() -> int:
    """Delete answers older than their lifetime; returns how many."""
    return IdempotencyKey.objects.filter(created_at__lt=timezone.now() - settings.KEPT["idempotency_keys"]).delete()[0]
