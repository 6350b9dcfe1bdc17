"""The OpenAPI document, exact: parameters, conditional headers and every refusal that the routes share.

drf-spectacular reads the routes; what all of them do besides (fields, entity tags, idempotency keys, errors in one
shape) is added here, so that no view has to repeat it.
"""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.fields import empty

from core.errors import CODES
from core.http.conditional import GUARDED, ConditionalWrites
from core.http.idempotency import LONGEST_KEY
from core.openapi.references import either, either_in_body, taken_by
from core.rest.fields import SELECTING, FieldSelection
from core.rest.pagination import PagePagination
from core.rest.renderers import JSONRenderer

PARAMETERS = {
    "fields": OpenApiParameter(
        "fields", str, description="Answer with these fields only, also without required ones: `id,name`."
    ),
    "omit": OpenApiParameter("omit", str, description="Answer without these fields, also required ones."),
    "known": OpenApiParameter(
        "If-None-Match",
        str,
        OpenApiParameter.HEADER,
        description="Tags known already: 304 for an answer with one of them.",
    ),
    "match": OpenApiParameter(
        "If-Match",
        str,
        OpenApiParameter.HEADER,
        description="Tag of the record as it was seen: 412 if it changed since.",
    ),
    "key": OpenApiParameter(
        "Idempotency-Key",
        {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]+$"},
        OpenApiParameter.HEADER,
        description="Made by the client for this request; the same request with it is done once.",
    ),
}


class RowErrorSerializer(serializers.Serializer):
    """One reason why one field of a row is refused."""

    code = serializers.CharField()
    reason = serializers.CharField()


class RowProblemSerializer(serializers.Serializer):
    row = serializers.IntegerField(help_text="Number in the request, from 1.")
    key = serializers.CharField(allow_blank=True)
    fields = serializers.DictField(child=RowErrorSerializer(many=True))  # type: ignore[assignment]


class ErrorBodySerializer(serializers.Serializer):
    """What failed. Programs read `code`, people `message`; `request_id` finds it in the logs."""

    code = serializers.ChoiceField(choices=sorted(word for word, known in CODES.items() if known.status))
    message = serializers.CharField()
    fields = serializers.DictField(child=serializers.JSONField())  # type: ignore[assignment]
    request_id = serializers.CharField(allow_blank=True)
    rows = RowProblemSerializer(many=True, required=False)
    more_rows = serializers.IntegerField(required=False, help_text="Refused rows that are not listed here.")
    current = serializers.JSONField(required=False, help_text="The record as it is now.")


class ErrorSerializer(serializers.Serializer):
    error = ErrorBodySerializer()


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]
    """How a token is sent, for our own class of Knox's."""

    target_class = "core.accounts.authentication.TokenAuthentication"


def maybe_left_out(field: serializers.Field) -> bool:
    """Whether answers can lack a field: one of a plain serializer that says `required=False` and has no default.

    A record has all its attributes, so every field of a model serializer is there.
    """
    if field.required or field.read_only or field.default is not empty:
        return False
    return not isinstance(field.parent, serializers.ModelSerializer)


class TimeOfDay(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A time by the clock of a site, `22:00:00`; what JSON Schema calls a time has an offset."""

    target_class = "rest_framework.fields.TimeField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$"}


class Schema(AutoSchema):
    """Adds to every operation what all operations share."""

    def get_override_parameters(self) -> list[Any]:
        given = list(super().get_override_parameters())
        known = {parameter.name for parameter in given if isinstance(parameter, OpenApiParameter)}
        return [*given, *(parameter for parameter in self.shared_parameters() if parameter.name not in known)]

    def shared_parameters(self) -> list[OpenApiParameter]:
        action = getattr(self.view, "action", None)
        found = []
        if self.method == "GET":
            if isinstance(self.view, FieldSelection) and self.view.selects_fields and action in SELECTING:
                found += [PARAMETERS["fields"], PARAMETERS["omit"]]
            found.append(PARAMETERS["known"])
        if self.method == "POST":
            found.append(PARAMETERS["key"])
        if self.is_conditional():
            found.append(PARAMETERS["match"])
        return found

    def _get_parameters(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super()._get_parameters()  # type: ignore[no-untyped-call]
        own = getattr(self.view, "refuses_unknown_filters", False)  # resolves references itself
        return found if own else [either(each, self.view) for each in found]

    def _get_paginator(self) -> Any:
        """Every list has the shape of a page, one that comes whole too; but for formats of other programs."""
        paginator = super()._get_paginator()  # type: ignore[no-untyped-call]
        if paginator is None and self.method == "GET" and not getattr(self.view, "bare_list", False):
            return PagePagination()
        return paginator

    def _get_pagination_parameters(self) -> list[dict[str, Any]]:
        paged = getattr(self.view, "pagination_class", None) is not None
        found: list[dict[str, Any]] = super()._get_pagination_parameters() if paged else []  # type: ignore[no-untyped-call]
        return found

    def query_names(self) -> set[str]:
        """What may stand behind the `?` of this operation."""
        return {each["name"] for each in self._get_parameters() if each["in"] == "query"}

    def _map_basic_serializer(self, serializer: Any, direction: Literal["request", "response"]) -> dict[str, Any]:
        """In an answer every field is there, also one that a request may leave out, except `maybe_left_out`.

        In a request what names a record is its id or its name; answers have the id.
        """
        mapped: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if direction == "response" and "properties" in mapped:
            fields = force_instance(serializer).fields  # type: ignore[no-untyped-call]
            kept = [name for name in mapped["properties"] if not maybe_left_out(fields[name])]
            mapped.pop("required", None)
            if kept:
                mapped["required"] = sorted(kept)
        elif "properties" in mapped:
            for name, field in force_instance(serializer).fields.items():  # type: ignore[no-untyped-call]
                if name in mapped["properties"] and (word := taken_by(field, name, self.view)):
                    mapped["properties"][name] = either_in_body(mapped["properties"][name], word)
        return mapped

    def is_conditional(self) -> bool:
        view = self.view
        guarded = isinstance(view, ConditionalWrites) and getattr(view, "action", None) in GUARDED
        return guarded and hasattr(view, "retrieve")

    def refusals(self) -> dict[str, str]:
        """Status to what it means, for this operation."""
        found = {"400": "Something in the request is wrong.", "401": "Not signed in.", "403": "Not allowed."}
        found["404"] = "Not there, or not yours to see."
        if self.method == "GET":
            found["406"] = "No answer of that type."
        else:
            found["409"] = "Somebody changed or holds the record, or its state does not allow this."
            found["413"] = "Too large."
            found["415"] = "Not a content type that is read here."
        if self.is_conditional():
            found["412"] = "The record changed since."
        if self.method == "POST":
            found["422"] = "The idempotency key was used for another request."
        return found

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction=direction)
        for status, meaning in self.refusals().items():
            if status not in bodies:
                answer = OpenApiResponse(ErrorSerializer, description=meaning)
                bodies[status] = self._get_response_for_code(  # type: ignore[no-untyped-call]
                    answer, status, media_types=[JSONRenderer.media_type], direction=direction
                )
        if self.method == "GET":
            bodies.setdefault("304", {"description": "Unchanged since the tag in `If-None-Match`."})
        return bodies
