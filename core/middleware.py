"""Small HTTP middlewares: the request id in the answer, and the content security policy."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
# The interactive API pages (DRF's browsable API and Swagger UI) carry inline scripts of their own.
DOCUMENT_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")


class RequestIdHeaderMiddleware:
    """Echo the request id that stands in the logs, so that a user can quote it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        if request_id:
            response.headers["X-Request-ID"] = str(request_id)
        return response


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        interactive = request.path.startswith(("/api/", "/admin/"))
        response.headers.setdefault("Content-Security-Policy", DOCUMENT_POLICY if interactive else POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(self), geolocation=(), microphone=()")
        return response
