"""Routes of the inventory. Machines with their health, the elevation of a rack and the floor are `health`'s."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path

from inventory.api.cables import CableViewSet, PortViewSet
from inventory.api.components import ComponentViewSet
from inventory.api.devices import DeviceModelViewSet, DeviceViewSet, PduViewSet, SwitchViewSet
from inventory.api.naming import urlpatterns as naming_urls
from inventory.api.places import AisleViewSet, RackViewSet, RoomViewSet, RowViewSet, SiteViewSet
from inventory.api.rails import urlpatterns as rail_urls
from inventory.api.search import search
from inventory.attachments_api import urlpatterns as attachment_urls
from inventory.cabling.api import trace_many, trace_port
from inventory.parts.api import urlpatterns as parts_urls
from inventory.power.api import urlpatterns as power_urls

urlpatterns: list[URLPattern] = [
    *attachment_urls,
    path("search/", search),
    path("trace/", trace_many, name="trace"),
    path("trace/<int:pk>/", trace_port, name="trace-port"),
    *parts_urls,
    *power_urls,
    *naming_urls,
    *rail_urls,
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
