"""Routes of the inventory. Machines with their health, the elevation of a rack and the floor are `health`'s."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path

from inventory.api import records
from inventory.api.naming import urlpatterns as naming_urls
from inventory.api.rails import urlpatterns as rail_urls
from inventory.api.search import search
from inventory.attachments_api import urlpatterns as attachment_urls
from inventory.cabling.api import trace_many, trace_port
from inventory.elevation.api import free
from inventory.papers.api import urlpatterns as paper_urls
from inventory.parts.api import urlpatterns as parts_urls
from inventory.power.api import urlpatterns as power_urls
from inventory.transfer import api as transfer
from inventory.transfer import archive_api

urlpatterns: list[URLPattern] = [
    *paper_urls,  # before the exports of kinds: a cable list is none of them
    path("kinds/", records.kinds, name="kinds"),
    path("search/", search),
    path("trace/", trace_many, name="trace"),
    path("trace/<int:pk>/", trace_port, name="trace-port"),
    path("racks/<int:pk>/free/", free, name="rack-free"),
    *archive_api.urlpatterns,  # before the exports of kinds
    *transfer.urlpatterns,
    *attachment_urls,
    *parts_urls,
    *power_urls,
    *naming_urls,
    *rail_urls,
]


def register(router: Any) -> None:
    records.register(router)
    transfer.register(router)
