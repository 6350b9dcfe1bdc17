"""What the routes of the fabric share: reading of query parameters, and sources one may write to."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework import exceptions
from rest_framework.request import Request

from core.accounts.scope import limit_to_sites, request_roles, visible_sites
from core.api import SiteScopedViewSet
from core.models import Role, Site
from core.rest.numbers import number_of
from fabric.discovery.models.sources import FabricSource

SITE = OpenApiParameter("site", int, description="Id of the site.")
SOURCE = OpenApiParameter("source", int, description="Id of the source.")


def number(request: Request, name: str) -> int | None:
    """A whole number of the query; None when it is not given. Raises ValidationError."""
    return number_of(request, name) if request.query_params.get(name) else None


def instant(request: Request, name: str) -> datetime | None:
    """A time of the query, in UTC where it names no zone; None when it is not given. Raises ValidationError."""
    text = request.query_params.get(name, "")
    if not text:
        return None
    try:
        # An address turns the plus of a zone into a blank.
        found = parse_datetime(text.replace(" ", "+") if text.count(" ") == 1 and "T" in text else text)
    except ValueError:
        found = None
    if found is None or not 1900 < found.year < 3000:
        raise exceptions.ValidationError({name: ["A time such as 2026-03-01T08:00:00Z is needed."]})
    return found if timezone.is_aware(found) else found.replace(tzinfo=timezone.get_default_timezone())


def asked_sites(request: Request) -> list[int]:
    """Ids of the visible sites, or of the one that is asked for. Raises ValidationError for one that is not seen."""
    wanted = number(request, "site")
    found = list(visible_sites(request_roles(request)).values_list("pk", flat=True))
    if wanted is None:
        return found
    if wanted not in found:
        raise exceptions.ValidationError({"site": ["There is no such site, or you may not see it."]})
    return [wanted]


def asked_site(request: Request) -> Site:
    """The site that is asked for, which has to be. Raises ValidationError."""
    wanted = number(request, "site")
    found = visible_sites(request_roles(request)).filter(pk=wanted).first() if wanted is not None else None
    if found is None:
        raise exceptions.ValidationError({"site": ["The id of a site is needed."]})
    return found


def sources_of(request: Request) -> QuerySet[FabricSource]:
    """Visible sources, or the one that is asked for. Raises ValidationError for one that is not seen."""
    rows = limit_to_sites(FabricSource.objects.all(), request_roles(request), "site_id")
    wanted = number(request, "source")
    if wanted is not None:
        rows = rows.filter(pk=wanted)
        if not rows.exists():
            raise exceptions.ValidationError({"source": ["There is no such source, or you may not see it."]})
    if request.query_params.get("site"):
        rows = rows.filter(site_id__in=asked_sites(request))
    return rows


def plain_object(**fields: dict[str, Any]) -> dict[str, Any]:
    """An OpenAPI schema of an object with all of these fields."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def source_to_write(view: SiteScopedViewSet, pk: int) -> FabricSource:
    """A source named in a request. Raises ValidationError where one may not see it, PermissionDenied for onlookers."""
    source = FabricSource.objects.filter(pk=pk).first()
    if source is None or not view.may(Role.VIEWER, source.site_id):
        raise exceptions.ValidationError({"source": ["There is no such source."]})
    if not view.may(Role.OPERATOR, source.site_id):
        raise exceptions.PermissionDenied
    return source
