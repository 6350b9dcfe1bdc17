"""`?fields=a,b` and `?omit=a,b`: only some fields of a record, for every view that answers with a serializer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
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
    """Prunes the serializer of list and retrieve, so that what nobody asked for is not made, then answers of queries.

    A view set with a way of its own sets `selects_fields = False`.
    """

    selects_fields = True

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer = super().get_serializer(*args, **kwargs)
        if self.selects_fields and self.action in SELECTING:
            row: Any = getattr(serializer, "child", serializer)
            keep = chosen(self.request, row.fields)
            for name in [] if keep is None else [name for name in row.fields if name not in keep]:
                del row.fields[name]
        return serializer

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(response, Response) and response.status_code == 200 and self._is_selected(request):
            try:
                response.data = self._selected(request, response.data)
            except serializers.ValidationError as error:
                response = self.handle_exception(error)
        return super().finalize_response(request, response, *args, **kwargs)

    def _is_selected(self, request: Request) -> bool:
        given = request.query_params
        return self.selects_fields and self.action in SELECTING and ("fields" in given or "omit" in given)

    def _selected(self, request: Request, data: Any) -> Any:
        """An answer with the fields that were asked for. Raises ValidationError for a name that no field has."""
        paged = self.action == "list" and isinstance(data, dict) and "results" in data
        rows = data["results"] if paged else data if isinstance(data, list) else [data]
        declared: Any = super().get_serializer()
        known = dict.fromkeys((*declared.fields, *(name for row in rows[:1] for name in row)))
        keep = chosen(request, known)
        if keep is None:
            return data
        rows = [{name: row[name] for name in row if name in keep} for row in rows]
        return {**data, "results": rows} if paged else rows if isinstance(data, list) else rows[0]
