"""Every route. Each room brings its own: `api.register(router)` for view sets, `api.urlpatterns` for plain views."""

from __future__ import annotations

from importlib import import_module

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularSwaggerView

from config import pages
from core.accounts import api as account_api
from core.accounts import tablet_pages
from core.audit import api as audit_api
from core.feed import api as feed_api
from core.instance import api as instance_api
from core.openapi.view import SchemaView
from core.rest.router import BulkRouter
from core.webhooks import api as webhooks_api

ROOMS = ("inventory", "access", "health", "fabric", "facility", "tickets", "provisioning", "runs")

router = BulkRouter()
account_api.register(router)
audit_api.register(router)
webhooks_api.register(router)
plain: list[URLPattern | URLResolver] = [
    path("me/", account_api.me), *instance_api.urlpatterns, *audit_api.urlpatterns, *feed_api.urlpatterns,
]  # fmt: skip
for room in ROOMS:
    api = import_module(f"{room}.api")
    if hasattr(api, "register"):
        api.register(router)
    plain += getattr(api, "urlpatterns", [])

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # one throttled sign-in page
handler400, handler403, handler404 = pages.bad_request, pages.forbidden, pages.not_found
handler500 = pages.failed
urlpatterns: list[URLPattern | URLResolver] = [
    path("api/schema/", SchemaView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("api/", include([*plain, *router.urls])),
    path("metrics", pages.metrics),
    path("healthz", pages.alive),
    path("readyz", pages.ready),
    path("accounts/", include(tablet_pages.urlpatterns)),  # first: at a tablet the lock screen stands for the sign-in
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("", include("provisioning.boot.urls")),
    re_path(r"^api(?:/.*)?$", pages.unknown_api_route),
    re_path(r"^(?!static/).*$", pages.dashboard),
]
