"""One shape for every error of the API: what failed, in which field, and the id to look for in the logs."""

from __future__ import annotations

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_handler


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


def error_body(code: str, message: str, fields: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "fields": fields or {}, "request_id": request_id(), **more}}


def is_plain_refusal(exc: Exception) -> bool:
    """DRF's own refusal, without a reason that a view gave."""
    return isinstance(exc, exceptions.PermissionDenied) and exc.detail == exceptions.PermissionDenied.default_detail


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn DRF's several shapes into `{"error": {code, message, fields, request_id}}`."""
    if isinstance(exc, DjangoValidationError):
        exc = exceptions.ValidationError(exc.message_dict if hasattr(exc, "error_dict") else exc.messages)
    response = drf_handler(exc, context)
    if response is None:
        return None
    if isinstance(exc, exceptions.ValidationError):
        detail = exc.detail
        fields = detail if isinstance(detail, dict) else {"non_field_errors": detail}
        response.data = error_body("invalid", "The request was refused; see the fields.", fields)
    elif isinstance(exc, Http404):
        response.data = error_body("not_found", "There is no such record, or you may not see it.")
    elif isinstance(exc, PermissionDenied) or is_plain_refusal(exc):
        response.data = error_body("permission_denied", "Your role does not allow this.")
    elif isinstance(exc, exceptions.APIException):
        more = {"current": exc.current} if isinstance(exc, Conflict) and exc.current is not None else {}
        code = exc.get_codes()
        response.data = error_body(code if isinstance(code, str) else "error", str(exc.detail), **more)
    return response
