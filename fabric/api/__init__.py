"""The API of the fabric, under /api/fabric/: every module of this folder brings `register(router)` or `urlpatterns`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from django.urls import URLPattern
from rest_framework.routers import BaseRouter

MODULES = [import_module(f"{__name__}.{found.name}") for found in sorted(iter_modules(__path__))]
urlpatterns: list[URLPattern] = [route for module in MODULES for route in getattr(module, "urlpatterns", [])]


def register(router: BaseRouter) -> None:
    for module in MODULES:
        if hasattr(module, "register"):
            module.register(router)
