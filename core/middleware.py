"""Small HTTP middlewares: the request id in the answer, and the content security policy."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from core.errors import error_body

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


class PasswordChangeMiddleware:
    """A one-time password opens only the page that replaces it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated and getattr(request.user, "must_change_password", False):
            if request.path.startswith("/api/"):
                body = error_body("password_change_required", "Change the one-time password first.")
                return JsonResponse(body, status=403)
            if not request.path.startswith(("/accounts/", "/static/", "/healthz", "/readyz")):
                return redirect("account_change_password")
        return self.get_response(request)


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        interactive = request.path.startswith(("/api/", "/admin/"))
        response.headers.setdefault("Content-Security-Policy", DOCUMENT_POLICY if interactive else POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(self), geolocation=(), microphone=()")
        return response
