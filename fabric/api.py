"""The routes of the fabric, under /api/fabric/: every module named here brings `register(router)` or `urlpatterns`."""

from __future__ import annotations

from django.urls import URLPattern
from rest_framework.routers import BaseRouter

from fabric.burn_in import api as burn_in
from fabric.discovery import api as discovery
from fabric.ports import api as ports
from fabric.quality.api import events, links
from fabric.wiring.api import findings, names, plans, wiring

MODULES = (burn_in, events, findings, links, names, plans, ports, discovery, wiring)
urlpatterns: list[URLPattern] = [route for module in MODULES for route in getattr(module, "urlpatterns", [])]


def register(router: BaseRouter) -> None:
    for module in MODULES:
        if hasattr(module, "register"):
            module.register(router)
