"""The routes of power and cooling, under /api/facility/: each module brings `register(router)` or `urlpatterns`."""

from __future__ import annotations

from django.urls import URLPattern
from rest_framework.routers import BaseRouter

from facility.energy import api as energy
from facility.findings import api as findings
from facility.meters import api as meters
from facility.overview import api as overview
from facility.proposals import api as proposals

MODULES = (energy, findings, meters, overview, proposals)
urlpatterns: list[URLPattern] = [route for module in MODULES for route in getattr(module, "urlpatterns", [])]


def register(router: BaseRouter) -> None:
    for module in MODULES:
        if hasattr(module, "register"):
            module.register(router)
