"""`?fields=a,b` and `?omit=a,b`: only some fields of a record, for every view that answers with a serializer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.viewsets import GenericViewSet

SELECTING = ("list", "retrieve")


def names(request: Request, parameter: str) -> list[str]:
    """The names in a parameter, which may be given several times."""
    texts = request.query_params.getlist(parameter)
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def chosen(request: Request, known: Iterable[str]) -> set[str] | None:
    """The fields to answer with; None for all. Raises ValidationError for a name that no field has."""
    known = list(known)
    wanted, unwanted = names(request, "fields"), names(request, "omit")
    problems = {
        parameter: [f"There is no field {name}." for name in given if name not in known]
        for parameter, given in (("fields", wanted), ("omit", unwanted))
    }
    if any(problems.values()):
        raise serializers.ValidationError({name: texts for name, texts in problems.items() if texts})
    if not wanted and not unwanted:
        return None
    return set(wanted or known) - set(unwanted)


class FieldSelection(GenericViewSet):
    """Prunes the serializer of list and retrieve. A view set with a way of its own sets `selects_fields = False`."""

    selects_fields = True

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer = super().get_serializer(*args, **kwargs)
        if self.selects_fields and self.action in SELECTING:
            row: Any = getattr(serializer, "child", serializer)
            keep = chosen(self.request, row.fields)
            for name in [] if keep is None else [name for name in row.fields if name not in keep]:
                del row.fields[name]
        return serializer
