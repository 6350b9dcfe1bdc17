"""What several routes of this room read of their address: a site, a span of time; and lists that are computed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from core.accounts.scope import request_roles, visible_site_ids, visible_sites
from core.rest.pagination import PagePagination

LARGEST_ID = 2**63 - 1
SITE = OpenApiParameter("site", int, description="Site id; without it all that you may see.")
PAGE = (
    OpenApiParameter("page", int, description="Page, from 1."),
    OpenApiParameter("page_size", int, description="Rows a page, 50 by default, 1,000 at most."),
)
SPAN = (
    OpenApiParameter("from", OpenApiTypes.DATETIME, description="Begin, a time with its zone or a day in UTC."),
    OpenApiParameter("to", OpenApiTypes.DATETIME, description="End; now without it."),
)


def identity(**more: Any) -> serializers.IntegerField:
    """The id of a record in a body."""
    return serializers.IntegerField(min_value=1, max_value=LARGEST_ID, **more)


def scope_of(request: Request) -> tuple[list[int] | None, int | None]:
    """The sites that may be seen (None: all) and the one asked for. Raises Http404 for one that may not be seen."""
    roles = request_roles(request)
    site = number(request, "site")
    if site is None:
        return visible_site_ids(roles), None
    if not visible_sites(roles).filter(pk=site).exists():
        raise Http404("no such site")
    return visible_site_ids(roles), site


def asked_sites(request: Request) -> list[int]:
    """The site asked for, else all that may be seen. Raises Http404 for one that may not be seen."""
    visible, site = scope_of(request)
    if site is not None:
        return [site]
    return visible if visible is not None else list(visible_sites(request_roles(request)).values_list("pk", flat=True))


def number(request: Request, name: str) -> int | None:
    """A whole number of the address, or None without it. Raises ValidationError."""
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise ValidationError({name: ["Give a whole number."]})
    return int(text)


def flag(request: Request, name: str) -> bool:
    """A yes of the address; anything else, also nothing, is no."""
    return request.query_params.get(name, "").lower() in ("1", "true", "yes")


def moment(request: Request, name: str, default: datetime) -> datetime:
    """A time of the address. Raises ValidationError."""
    text = request.query_params.get(name, "")
    if not text:
        return default
    try:
        day = date.fromisoformat(text)
    except ValueError:
        pass
    else:
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError as error:
        raise ValidationError({name: ["Give a time such as 2026-03-02T12:00:00Z, or a day."]}) from error
    if found.tzinfo is None:
        raise ValidationError({name: ["A time needs its zone, such as Z."]})
    return found.astimezone(UTC)


def span(request: Request, *, usual: timedelta, most: timedelta) -> tuple[datetime, datetime]:
    """Begin and end asked for; never beyond now, begin before end, at most this long. Raises ValidationError."""
    now = timezone.now()
    end = min(moment(request, "to", now), now)
    try:
        begin = moment(request, "from", end - usual)
    except OverflowError as error:
        raise ValidationError({"to": ["Too early."]}) from error
    if begin >= end:
        raise ValidationError({"from": ["Begins before it ends, and before now."]})
    if end - begin > most:
        raise ValidationError({"from": [f"At most {most.days} days."]})
    return begin, end


def paged(request: Request, rows: Sequence[Any], view: Any = None) -> dict[str, Any]:
    """One page of rows that were computed, in the shape of every list."""
    pages = PagePagination()
    page = pages.paginate_queryset(rows, request, view=view)  # type: ignore[arg-type]  # any sequence does
    answer: dict[str, Any] = pages.get_paginated_response(page).data
    return answer


class MachineBriefSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


def page_of(row: type[serializers.Serializer], name: str) -> type[serializers.Serializer]:
    """The document of a page of these rows."""
    fields = {
        "count": serializers.IntegerField(),
        "next": serializers.CharField(allow_null=True),
        "previous": serializers.CharField(allow_null=True),
        "results": row(many=True),
    }
    return type(name, (serializers.Serializer,), fields)
