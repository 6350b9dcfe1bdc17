"""Small HTTP middlewares: the request id in the answer, and the content security policy."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from core.accounts import second_factor, tablets
from core.accounts.second_factor import Standing
from core.audit.actor import WITH_PIN
from core.errors import error_body
from core.models import User

FORMS = "form-action 'self'"
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; " + FORMS
)
# The interactive API pages (DRF's browsable API and Swagger UI) carry inline scripts of their own.
DOCUMENT_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")

OPEN_PATHS = ("/accounts/", "/static/", "/healthz", "/readyz")
"""What a person reaches who must do something about their account first."""
SAYS = {
    Standing.NO_FACTOR: (
        "Your role needs a second factor: add a passkey, a security key or the codes of an app to your account."
    ),
    Standing.WITHOUT_IT: "Your role needs a second factor: sign in again with yours.",
}


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
            # Nor a second factor: one that was added with the one-time password would outlive it.
            if not request.path.startswith(OPEN_PATHS) or request.path.startswith("/accounts/2fa/"):
                return redirect("account_change_password")
        return self.get_response(request)


TABLET_PATHS = ("/accounts/tablet/", "/accounts/login/", "/accounts/logout/")


def _is_about_signing_in(path: str) -> bool:
    return path.startswith("/accounts/") and not path.startswith(TABLET_PATHS)


class TabletMiddleware:
    """A session that a PIN opened does what a technician of its site does; it ends with the tablet and the PIN.

    No page about signing in: an address or a key that is added there would outlive it, with all that the person may do.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not isinstance(user, User):
            return self.get_response(request)
        if not tablets.limit(user, request.session):
            logout(request)
        elif WITH_PIN in request.session and _is_about_signing_in(request.path):
            return redirect("tablet")
        return self.get_response(request)


class SecondFactorMiddleware:
    """Whose role needs a second factor and who has none reaches only the pages where one is added."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        lacks = self.standing(request)
        if lacks is Standing.GOOD:
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return JsonResponse(error_body("second_factor_required", SAYS[lacks]), status=403)
        if lacks is Standing.WITHOUT_IT:
            logout(request)
            return redirect("account_login")
        messages.warning(request, SAYS[lacks])
        return redirect("mfa_index")

    def standing(self, request: HttpRequest) -> Standing:
        if not settings.SECOND_FACTOR_FROM or request.path.startswith(OPEN_PATHS):
            return Standing.GOOD
        user = request.user
        return second_factor.standing(user, request.session) if isinstance(user, User) else Standing.GOOD


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
