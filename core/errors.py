"""One shape for every error of the API: what failed, in which field, and the id to look for in the logs."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, NamedTuple

import structlog
from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError, OperationalError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_handler

from core.instance import space
from core.rest.renderers import JSONRenderer
from live.outlive import is_away


class Code(NamedTuple):
    """One word that programs may rely on. `status` is 0 for a code of a row or a field inside another answer."""

    status: int
    meaning: str


# Every code the API answers with, listed in docs/api.md; tests hold the three (here, docs, source) together.
CODES: dict[str, Code] = {
    "invalid": Code(400, "`fields` says what is wrong where"),
    "parse_error": Code(400, "the body is not JSON"),
    "not_authenticated": Code(401, "no token"),
    "authentication_failed": Code(401, "the token is not, or no longer, valid"),
    "permission_denied": Code(403, "your role, or the token's, does not allow it"),
    "password_change_required": Code(403, "a one-time password has to be changed first"),
    "second_factor_required": Code(403, "your role needs a second factor, and your account has none"),
    "not_found": Code(404, "no such record or page, or not yours to see"),
    "method_not_allowed": Code(405, "the route does not know this method"),
    "not_acceptable": Code(406, "the route has no answer of the type in `Accept`"),
    "conflict": Code(409, "somebody changed it meanwhile; `error.current`, where there is one, is the record now"),
    "refused": Code(
        409, "the record's state does not allow it; the message says why, and asking again changes nothing"
    ),
    "busy": Code(409, "somebody else holds what this needs; try again after `Retry-After` seconds"),
    "not_ready": Code(409, "a machine cannot return to service; the message names the holds and checks in the way"),
    "invalid_transition": Code(409, "the machine is not in a state that allows this"),
    "no_such_hold": Code(409, "nothing of that owner holds the machine"),
    "unsure": Code(409, "a name is below the agreement that is asked for: approve it by itself, with `unsure`"),
    "unusable_model": Code(409, "the stored device model cannot be used; the message names the field and the reason"),
    "nothing_to_accept": Code(409, "no other part was seen in that slot"),
    "request_timeout": Code(408, "the header or the body of the request did not arrive in time"),
    # of an answer, and of a field of a row as well
    "duplicate": Code(409, "there is one already, in the database or further up in the request"),
    "in_use": Code(409, "other records still need it"),
    "port_in_use": Code(409, "a port takes one cable"),
    "precondition_failed": Code(412, "`If-Match` names another state of the record; `error.current` is what it is now"),
    "too_large": Code(413, "the body is larger than the route takes"),
    "unsupported_media_type": Code(415, "the route does not read that content type, or the body is not UTF-8"),
    "idempotency_mismatch": Code(422, "the idempotency key was used for another request"),
    "throttled": Code(429, "too many requests; `Retry-After` says how long to wait"),
    "server_error": Code(500, "a fault of the server; its logs have the `request_id`"),
    "unavailable": Code(
        503, "the database or the event store is away, or too much waits for it; try again after `Retry-After` seconds"
    ),
    "disk_full": Code(507, "the server's disk is full; nothing was changed"),
    # of a field of a row, in `error.rows` and in the report of an import
    "ambiguous": Code(0, "the name means several records: say more, or give the id"),
    "cycle": Code(0, "a record would be inside itself"),
    "empty": Code(0, "the file has no rows"),
    "encoding": Code(0, "the file is not UTF-8 text"),
    "formula": Code(0, "a cell begins as a formula of a spreadsheet does"),
    "other_site": Code(0, "records of two sites in one row"),
    "overlap": Code(0, "the place is taken, or lies outside the rack"),
    "required": Code(0, "the field is needed"),
    "syntax": Code(0, "the file cannot be read as what it says it is"),
    "unknown_field": Code(0, "no field has that name"),
    "unknown_format": Code(0, "the file's name does not end as a known format does"),
    "unknown_reference": Code(0, "there is no such record, or you may not see it"),
    "wrong_connector": Code(0, "these two ports do not take one cable"),
}
log = structlog.get_logger(__name__)
TOO_MANY_DIGITS = "Exceeds the limit"
"""How Python refuses a number of thousands of digits, with a plain ValueError (sys.set_int_max_str_digits)."""
LOCKED_STATES = ("55P03", "40P01", "40001")  # PostgreSQL: lock not available, deadlock, serialization failure


class Busy(exceptions.APIException):
    """Somebody else holds a lock this needs; the same request may succeed a moment later."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "busy"
    default_detail = "Somebody else is changing what this needs. Try again."
    wait = 1  # seconds; DRF's handler makes it Retry-After


class Unavailable(exceptions.APIException):
    """The database or the event store cannot be reached now; it may be back in a moment."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "unavailable"
    default_detail = "The database or the event store does not answer. Try again."
    wait = 2  # seconds, as above


class DiskFull(exceptions.APIException):
    """A write failed because a disk of the server is full."""

    status_code = status.HTTP_507_INSUFFICIENT_STORAGE
    default_code = "disk_full"
    default_detail = space.SENTENCE


def of_the_server(error: BaseException | None) -> exceptions.APIException | None:
    """What to answer where the server itself is short of something; None for any other error."""
    if space.is_full(error):
        return DiskFull()
    return Unavailable() if error is not None and is_away(error) else None


class Conflict(exceptions.APIException):
    """Somebody changed the record meanwhile, or its state does not allow the request."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"
    default_detail = "The record changed meanwhile."

    def __init__(self, detail: str | None = None, code: str | None = None, current: Any = None) -> None:
        super().__init__(detail, code)
        self.current = current


def request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


def or_nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean page_size?` after a name that does not exist; empty where none is like it."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def error_body(code: str, message: str, fields: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "fields": fields or {}, "request_id": request_id(), **more}}


def is_plain_refusal(exc: Exception) -> bool:
    """DRF's own refusal, without a reason that a view gave."""
    return isinstance(exc, exceptions.PermissionDenied) and exc.detail == exceptions.PermissionDenied.default_detail


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn DRF's several shapes into `{"error": {code, message, fields, request_id}}`."""
    if isinstance(exc, DjangoValidationError):
        exc = exceptions.ValidationError(exc.message_dict if hasattr(exc, "error_dict") else exc.messages)
    if isinstance(exc, DataError | OverflowError):  # a number or a text that no column holds
        log.warning("value_out_of_range", error=str(exc).splitlines()[:1])
        exc = exceptions.ValidationError("A value is larger than can be kept, or holds what cannot be kept.")
    if type(exc) is ValueError and str(exc).startswith(TOO_MANY_DIGITS):
        exc = exceptions.ValidationError("A number has more digits than can be read.")
    if isinstance(exc, OperationalError) and getattr(exc.__cause__, "sqlstate", None) in LOCKED_STATES:
        exc = Busy()
    if not isinstance(exc, exceptions.APIException):
        exc = of_the_server(exc) or exc
    response = drf_handler(exc, context)
    if response is None:
        return None
    if request := context.get("request"):  # a refusal is JSON, whatever was asked for
        request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
    if isinstance(exc, exceptions.ValidationError):
        detail = exc.detail
        fields = detail if isinstance(detail, dict) else {"non_field_errors": detail}
        response.data = error_body("invalid", "The request was refused; see the fields.", fields)
    elif isinstance(exc, Http404):
        response.data = error_body("not_found", "There is no such record, or you may not see it.")
    elif isinstance(exc, PermissionDenied) or is_plain_refusal(exc):
        response.data = error_body("permission_denied", "Your role does not allow this.")
    elif isinstance(exc, exceptions.APIException):
        current = getattr(exc, "current", None)
        more = {} if current is None else {"current": current}
        code = exc.get_codes()
        response.data = error_body(code if isinstance(code, str) else "error", str(exc.detail), **more)
    return response
