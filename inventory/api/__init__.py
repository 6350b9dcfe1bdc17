"""Routes of the inventory. Machines with their health, the elevation of a rack and the floor are `health`'s."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path

from inventory.api.cables import CableViewSet, PortViewSet
from inventory.api.components import ComponentViewSet
from inventory.api.devices import DeviceModelViewSet, DeviceViewSet, PduViewSet, SwitchViewSet
from inventory.api.places import AisleViewSet, RackViewSet, RoomViewSet, RowViewSet, SiteViewSet
from inventory.api.search import search
from inventory.parts.api import urlpatterns as parts_urls

urlpatterns: list[URLPattern] = [
    path("search/", search),
    *parts_urls,
]


def register(router: Any) -> None:
    for prefix, view in (
        ("sites", SiteViewSet),
        ("rooms", RoomViewSet),
        ("rows", RowViewSet),
        ("aisles", AisleViewSet),
        ("racks", RackViewSet),
        ("device-models", DeviceModelViewSet),
        ("devices", DeviceViewSet),
        ("switches", SwitchViewSet),
        ("pdus", PduViewSet),
        ("ports", PortViewSet),
        ("cables", CableViewSet),
        ("components", ComponentViewSet),
    ):
        router.register(prefix, view, basename=prefix.removesuffix("s"))
