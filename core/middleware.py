"""Small HTTP middlewares: the request id in the answer, and the content security policy."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from core.errors import error_body

FORMS = "form-action 'self'"
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; " + FORMS
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
    """Sign-in pages may also send a form on to the single sign-on's server."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.sign_in_policy = POLICY.replace(FORMS, " ".join([FORMS, *settings.SIGN_IN_ORIGINS]))

    def policy(self, path: str) -> str:
        if path.startswith("/accounts/"):
            return self.sign_in_policy
        return DOCUMENT_POLICY if path.startswith(("/api/", "/admin/")) else POLICY

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy(request.path))
        response.headers.setdefault("Permissions-Policy", "camera=(self), geolocation=(), microphone=()")
        return response
