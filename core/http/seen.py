"""Records that are named in a request: one of a site that the caller may not see is as good as none.

Otherwise a refusal would tell which ids there are elsewhere.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import ModelChoiceFilter
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import serializers
from rest_framework.request import Request

from core.accounts.scope import limit_to_sites, request_roles
from core.audit.tables import table_of


def seen(rows: QuerySet, request: Request) -> QuerySet:
    """Those of sites that the caller may see; all of a model whose rows belong to no site."""
    model: Any = rows.model
    path = table_of(model).site
    return rows if path is None else limit_to_sites(rows, request_roles(request), "__".join(path) or "pk")


class SeenRecord(serializers.PrimaryKeyRelatedField):
    """The id of a record that the caller may see. As `serializer_related_field` it serves a whole serializer."""

    def get_queryset(self) -> Any:
        rows = super().get_queryset()
        request = self.context.get("request")
        return rows if rows is None or request is None else seen(rows, request)


class SeenFilterBackend(DjangoFilterBackend):
    """Filters by the id of a record refuse one that is not seen as they refuse one that does not exist."""

    def get_filterset(self, request: Request, queryset: QuerySet, view: Any) -> Any:
        filterset = super().get_filterset(request, queryset, view)
        for each in filterset.filters.values() if filterset is not None else ():
            if isinstance(each, ModelChoiceFilter) and isinstance(each.queryset, QuerySet):
                each.queryset = seen(each.queryset, request)
        return filterset
