"""The few plain pages: the dashboard's shell, liveness, readiness, and metrics for Prometheus."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

import structlog
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt, ensure_csrf_cookie
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from rest_framework.exceptions import APIException, AuthenticationFailed

from core.accounts.authentication import TokenAuthentication
from core.accounts.scope import granted_roles
from core.errors import error_body, of_the_server, request_id
from core.http.hints import with_hints
from core.instance import space
from core.models import Role
from live import relay, stream

log = structlog.get_logger(__name__)
METRIC_ROOMS = ("health", "fabric", "facility", "tickets", "provisioning")


@login_required
@ensure_csrf_cookie
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """Every page of the dashboard is the same built file, with hints for some; its own router reads the address."""
    index = settings.DASHBOARD_DIST / "index.html"
    if not index.exists():
        return HttpResponse("The dashboard is not built: run `npm ci && npm run build` in frontend/.", status=503)
    response = HttpResponse(with_hints(index.read_bytes(), request.path), content_type="text/html; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache"
    return response


def refused(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    """A refusal from outside the API's own views, in the form that the caller reads."""
    if request.path.startswith("/api"):
        return JsonResponse(error_body(code, message), status=status)
    return HttpResponse(f"{message}\n", content_type="text/plain; charset=utf-8", status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refused(request, 400, "invalid", "The request cannot be read: its host, form or headers are not allowed.")


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refused(request, 403, "permission_denied", "This is not allowed.")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return refused(request, 404, "not_found", f"There is nothing at {request.path[:200]}.")


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    return refused(request, 403, "permission_denied", "The form's token is missing or old: load the page again.")


@csrf_exempt  # a client that writes to a wrong address is told so, not that the token of a form is missing
def unknown_api_route(request: HttpRequest) -> HttpResponse:
    return JsonResponse(error_body("not_found", f"There is no route {request.path}."), status=404)


def failed(request: HttpRequest) -> HttpResponse:
    """What an unexpected error looks like: no detail, but the id under which the logs tell it.

    Django calls this while it handles the error, so one of a full disk or of a service that is away says so.
    """
    if (known := of_the_server(sys.exc_info()[1])) is not None:
        return said(request, known)
    if request.path.startswith("/api/"):
        return JsonResponse(error_body("server_error", "Something went wrong here; the logs say what."), status=500)
    text = f"Something went wrong here. The logs say what, under the request id {request_id() or 'none'}.\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8", status=500)


def said(request: HttpRequest, error: APIException) -> HttpResponse:
    headers = {"Retry-After": str(error.wait)} if hasattr(error, "wait") else {}
    if request.path.startswith("/api/"):
        body = error_body(error.default_code, str(error.detail))
        return JsonResponse(body, status=error.status_code, headers=headers)
    text = f"{error.detail}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8", status=error.status_code, headers=headers)


def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> HttpResponse:
    """200 when the database and the event stream answer and no disk is nearly full; otherwise 503 with what is not so.

    Anybody may ask, so addresses and user names of the services go to the log only.
    """
    problems = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception as error:
        log.warning("not_ready", part="database", error=str(error))
        problems["database"] = in_a_word(error)
    try:
        stream.shared().ping()
    except Exception as error:
        log.warning("not_ready", part="event_stream", error=str(error))
        problems["event_stream"] = in_a_word(error)
    if shortage := space.shortage():
        log.warning("not_ready", part="disk", error=shortage)
        problems["disk"] = f"less than {settings.FREE_MIN_MIB} MiB free"
    return JsonResponse({"ready": not problems, "problems": problems}, status=503 if problems else 200)


def in_a_word(error: Exception) -> str:
    return "disk full" if space.is_full(error) else type(error).__name__


class Rooms:
    """Asks each room's `metrics.collect()` at scrape time."""

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "rackside_feed_lag_seconds", "Age of the oldest event not yet published.", value=relay.lag_seconds()
        )
        for room in METRIC_ROOMS:
            yield from import_module(f"{room}.metrics").collect()


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text. Needs a token (or session) with a role on every site: the numbers span all sites."""
    user, token = request.user, None
    if "Authorization" in request.headers:
        try:
            user, token = TokenAuthentication().authenticate(request) or (user, None)
        except AuthenticationFailed as error:
            return JsonResponse(error_body("authentication_failed", str(error.detail)), status=401)
    roles = granted_roles(user, token)
    if not roles:
        return JsonResponse(error_body("not_authenticated", "Send an API token."), status=401)
    if None not in roles or roles[None].rank < Role.VIEWER.rank:
        return JsonResponse(error_body("permission_denied", "Needs a role on every site."), status=403)
    registry = CollectorRegistry()
    registry.register(Rooms())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
