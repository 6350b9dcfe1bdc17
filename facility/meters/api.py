"""Meters: where each is asked, what it told last, and its history."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.http.seen import SeenRecord
from core.models import Credential, Role
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from core.outgoing.writes import LoginWrites
from facility import readers
from facility.facts import UNITS, Part, Quantity
from facility.history import charts
from facility.meters import rounds, services
from facility.meters.models import Meter
from facility.readers import settings
from facility.readers.answers import BadSettings
from facility.shapes import METER_STATES, HistorySerializer, MeterPlaceSerializer, MeterValuesSerializer
from facility.spans import Longest, SpanQuery
from inventory.models import Device, Rack, Room

WHERE_A_LOGIN_GOES = ("address", "credential", "kind", "options")
WRITTEN = settings.Written.model_fields
ASKED = [(kind.value, kind.label) for kind in Meter.ASKED]
LONGEST = Longest(timedelta(days=1900), "five years")


class MeterSerializer(serializers.ModelSerializer[Meter]):
    """A meter. Its address, credential and options are for administrators of every site, or of the credential's."""

    serializer_related_field = SeenRecord
    name = serializers.CharField(max_length=120)
    device = SeenRecord(queryset=Device.objects.all(), allow_null=True, required=False)
    rack = SeenRecord(queryset=Rack.objects.all(), allow_null=True, required=False)
    room = SeenRecord(queryset=Room.objects.all(), allow_null=True, required=False)
    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )
    options = serializers.DictField(required=False)
    period_s = serializers.IntegerField(min_value=10, max_value=86_400, required=False)
    place = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField()
    read_at = serializers.SerializerMethodField(help_text="When it told the values that are shown.")
    values = serializers.SerializerMethodField(help_text="How many values it told.")
    unknown = serializers.SerializerMethodField(help_text="How many of them are not known.")

    class Meta:
        model = Meter
        fields: ClassVar = [
            "id", "site", "name", "kind", "device", "rack", "room", "place", "address", "credential", "identity",
            "options", "enabled", "period_s", "state", "message", "tried_at", "read_at", "values", "unknown",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["message", "tried_at"]
        # What a site, a rack or a room has once, `services.save` tells as a conflict.
        validators: ClassVar[list[Any]] = []

    @extend_schema_field(MeterPlaceSerializer)
    def get_place(self, row: Meter) -> dict[str, Any]:
        mounted = getattr(row.device, "placement", None)
        rack = row.rack or (mounted.rack if mounted else None)
        room = row.room or (rack.room if rack else None)
        named = {"device": row.device, "rack": rack, "room": room}
        return {name: {"id": each.pk, "name": each.name} if each else None for name, each in named.items()}

    @extend_schema_field(serializers.ChoiceField(METER_STATES))
    def get_state(self, row: Meter) -> str:
        return rounds.shown_state(row, timezone.now())

    def get_read_at(self, row: Meter) -> datetime | None:
        told = getattr(row, "told", None)
        return told.at if told is not None else None

    def get_values(self, row: Meter) -> int:
        told = getattr(row, "told", None)
        return len(told.values) if told is not None else 0

    def get_unknown(self, row: Meter) -> int:
        told = getattr(row, "told", None)
        return sum(value is None for value in told.values) if told is not None else 0

    def validate_identity(self, text: str) -> str:
        told = text.replace(":", "").strip().lower()
        if told and (len(told) != 64 or set(told) - set("0123456789abcdef")):
            raise ValidationError("The SHA-256 of a certificate has 64 digits from 0 to f.")
        return told

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What it is of is of its own site, its kind is one that is asked, and its options are those of the kind."""

        def now(name: str) -> Any:
            return attrs.get(name, getattr(self.instance, name, None))

        site = now("site")
        if self.instance is not None and "site" in attrs and attrs["site"] != self.instance.site:
            raise ValidationError({"site": ["A meter stays at its site."]})
        if now("kind") not in Meter.ASKED:
            raise ValidationError({"kind": ["Such a meter is made by Rackside itself."]})
        places = {"device": "site_id", "rack": "room.site_id", "room": "site_id"}
        for name, path in places.items():
            if (row := attrs.get(name)) is not None and _along(row, path) != site.pk:
                raise ValidationError({name: ["It is of another site."]})
        if now("device") is not None and now("device").kind == "machine":
            raise ValidationError({"device": ["Machines are measured by their sweeps."]})
        if not now("address"):
            raise ValidationError({"address": ["Where is it asked?"]})
        if any(name in attrs for name in WHERE_A_LOGIN_GOES):
            self._check_calls(now("kind"), now("address"), now("options") or {}, now("credential"), site.pk)
        return attrs

    def _check_calls(self, kind: str, address: str, options: Any, credential: Credential | None, site: int) -> None:
        purpose = Purpose.PROMETHEUS if kind == Meter.Kind.PROMETHEUS else Purpose.METER
        permit_field("address", credential, purpose, address, site=site)
        try:
            settings.checked(settings.Written, {name: told for name, told in options.items() if name in WRITTEN})
            readers.check(kind, {name: told for name, told in options.items() if name not in services.OWN_OPTIONS})
        except BadSettings as error:
            raise ValidationError({"options": [str(error)]}) from error


def _along(row: Any, path: str) -> Any:
    for name in path.split("."):
        row = getattr(row, name)
    return row


class HistoryQuery(SpanQuery):
    part = serializers.ChoiceField([each.value for each in Part])
    name = serializers.CharField(required=False, default="", allow_blank=True)
    quantity = serializers.ChoiceField([each.value for each in Quantity])


class MeterViewSet(LoginWrites, ReadOnlyViewSet):
    """What measures power and cooling. Operators configure; where a login is sent is for administrators."""

    queryset = Meter.objects.select_related(
        "told", "device__placement__rack__room", "rack__room", "room", "credential"
    ).order_by("site", "name")
    serializer_class = MeterSerializer
    write_role = Role.OPERATOR
    roles = {"destroy": Role.ADMIN}  # noqa: RUF012  (read only)
    where_a_login_goes = WHERE_A_LOGIN_GOES
    save_row, delete_row = staticmethod(services.save), staticmethod(services.delete)
    filterset_fields: ClassVar = ["site", "kind", "state", "enabled", "device", "rack", "room"]
    search_fields: ClassVar = ["name", "address"]

    def get_queryset(self) -> QuerySet:
        """Those that are asked; sums are read by their own routes."""
        return super().get_queryset().exclude(kind__in=Meter.SUMS)

    @extend_schema(request=None, responses={202: None})
    @action(detail=True, methods=["post"])
    def read(self, request: Request, pk: str = "") -> Response:
        """Read it as soon as a worker is free, some seconds at most."""
        services.read_now(self.get_object())
        return Response(status=status.HTTP_202_ACCEPTED)

    @extend_schema(summary="What a meter told last", responses={200: MeterValuesSerializer})
    @action(detail=True, methods=["get"])
    def values(self, request: Request, pk: str = "") -> Response:
        """Every value with its unit, or why it is not known."""
        return Response(values_of(self.get_object()))

    @extend_schema(summary="The history of a value", parameters=[HistoryQuery], responses={200: HistorySerializer})
    @action(detail=True, methods=["get"])
    def history(self, request: Request, pk: str = "") -> Response:
        """Mean, lowest and highest in at most 500 steps; null where nothing was known."""
        meter = self.get_object()
        asked = HistoryQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        return Response(history_of(meter, **asked.validated_data))


def values_of(meter: Meter) -> dict[str, Any]:
    told = getattr(meter, "told", None)
    rows = zip(told.layout.points, told.values, strict=True) if told is not None else ()
    reasons = told.reasons if told is not None else {}
    return {
        "meter": {"id": meter.pk, "name": meter.name},
        "description": told.description if told is not None else "",
        "read_at": told.at if told is not None else None,
        "values": [
            {
                "part": part, "name": name, "quantity": quantity, "unit": UNITS[quantity], "value": value,
                "reason": reasons.get(str(place), ""),
            }
            for place, ((part, name, quantity), value) in enumerate(rows)
        ],
    }  # fmt: skip


def history_of(
    meter: Meter, part: str, name: str, quantity: str, begin: datetime, end: datetime | None = None
) -> dict[str, Any]:
    """The answer of every route with a history."""
    now = timezone.now()
    end = LONGEST.end_of(begin, end, now)
    found = charts.series(charts.layouts_with(meter.pk, part, name, quantity), begin, end, now, meter.period_s)
    return {
        "quantity": quantity, "unit": UNITS[quantity], "begin": found.begin, "end": end,
        "step_s": round(found.step.total_seconds()), "mean": found.mean, "low": found.low, "high": found.high,
    }  # fmt: skip


def register(router: BaseRouter) -> None:
    router.register("facility/meters", MeterViewSet, basename="meter")
