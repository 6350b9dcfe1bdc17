"""Container images over the API: what placing one takes, placements with their progress, cancel and retry."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action, api_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from health.checks.parsers.images import ENGINES
from health.machines.parameters import SITE, MachineBriefSerializer, asked_sites, number
from inventory.models import Machine
from provisioning.images import arithmetic, queries, services
from provisioning.images.commands import Unplaceable, image_of
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.images.queries import pace_of
from provisioning.software.api import SoftwareTotalsSerializer
from provisioning.waves.policy import MACHINE_STATES, RunState
from provisioning.waves.rows import RunRefused

ACTIONS = ImagePlacement.Action.values


class PlacementSerializer(serializers.ModelSerializer[ImagePlacement]):
    status = serializers.ChoiceField([state.value for state in RunState])
    engine = serializers.ChoiceField(ENGINES)
    totals = serializers.SerializerMethodField()

    class Meta:
        model = ImagePlacement
        fields: tuple[str, ...] = (
            "id", "site", "action", "engine", "reference", "digest", "size_bytes", "dry_run", "canary", "limit",
            "rack_limit", "registry_limit", "stop_share", "status", "message", "cancelled_by", "created_at",
            "created_by", "finished_at", "totals",
        )  # fmt: skip

    @extend_schema_field(SoftwareTotalsSerializer)
    def get_totals(self, placement: Any) -> dict[str, int]:
        counts = Counter(row.status for row in placement.statuses)
        return {state: counts[state] for state in MACHINE_STATES}


class PlacedImageSerializer(serializers.ModelSerializer[PlacedImage]):
    """A machine of a placement. `late`: it takes three times as long as the others did."""

    machine = serializers.SerializerMethodField()
    status = serializers.ChoiceField(MACHINE_STATES)
    late = serializers.SerializerMethodField()
    rate_bytes_s = serializers.SerializerMethodField(help_text="Since its pull began; null: not known.")
    left_s = serializers.SerializerMethodField(help_text="At that rate, when it told; null: not known.")

    class Meta:
        model = PlacedImage
        fields: ClassVar = [
            "id", "machine", "rack", "status", "wave", "attempt", "identity", "message", "started_at", "begun_at",
            "finished_at", "late", "pulled_bytes", "pulled_of_bytes", "rate_bytes_s", "left_s",
        ]  # fmt: skip

    @extend_schema_field(MachineBriefSerializer)
    def get_machine(self, row: PlacedImage) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}

    def get_late(self, row: PlacedImage) -> bool:
        return row.pk in self.context["late"]

    def get_rate_bytes_s(self, row: PlacedImage) -> float | None:
        return pace_of(row).rate_bytes_s

    def get_left_s(self, row: PlacedImage) -> float | None:
        return pace_of(row).left_s


class PlacementDetailSerializer(PlacementSerializer):
    machines = serializers.SerializerMethodField()

    class Meta(PlacementSerializer.Meta):
        fields: tuple[str, ...] = (*PlacementSerializer.Meta.fields, "machines")

    @extend_schema_field(PlacedImageSerializer(many=True))
    def get_machines(self, placement: Any) -> Any:
        late = queries.late(placement.statuses, timezone.now())
        return PlacedImageSerializer(placement.statuses, many=True, context={"late": late}).data


class NewPlacementSerializer(serializers.Serializer):
    """Machines are listed, or all of a pool that are neither new nor gone are meant."""

    action = serializers.ChoiceField(ACTIONS, default="place")
    engine = serializers.ChoiceField(ENGINES, default="docker")
    image = serializers.CharField(max_length=330, help_text="As people write it, with a tag, a digest or both.")
    digest = serializers.CharField(
        max_length=71, required=False, default="", allow_blank=True,
        help_text="Empty: the registry is asked what the tag means, once for all machines.",
    )  # fmt: skip
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=services.MOST_MACHINES,
        help_text="In the order in which they go.",
    )  # fmt: skip
    pool = serializers.IntegerField(min_value=1, required=False)
    dry_run = serializers.BooleanField(default=True, help_text="Only say what would be done on each machine.")
    canary = serializers.IntegerField(min_value=0, max_value=50, default=1, help_text="So many go first; 0: none.")
    limit = serializers.IntegerField(min_value=1, max_value=1000, default=64, help_text="Machines at once.")
    rack_limit = serializers.IntegerField(min_value=1, max_value=100, default=4, help_text="At once in a rack.")
    registry_limit = serializers.IntegerField(
        min_value=1, max_value=1000, default=64, help_text="At once from a registry, of all placements."
    )
    stop_share = serializers.FloatField(
        min_value=0.01, max_value=1, default=0.2, help_text="Share of failed machines that stops it."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("pool" in attrs) == bool(attrs.get("machines")):
            raise ValidationError({"machines": ["Name machines, or a pool."]})
        return attrs


class RetriedSerializer(serializers.Serializer):
    machines = serializers.IntegerField(help_text="So many go again.")


class KnownDigestSerializer(serializers.Serializer):
    """A digest that lies under the name already."""

    digest = serializers.CharField()
    machines = serializers.IntegerField()
    size_bytes = serializers.IntegerField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True)


class EstimateSerializer(serializers.Serializer):
    """How long the links alone take; unpacking comes on top."""

    way = serializers.ChoiceField(["registry", "caches", "peers"])
    seconds = serializers.FloatField()
    over_uplinks_bytes = serializers.IntegerField()
    bound = serializers.ChoiceField(["uplinks", "cache", "machine"], help_text="What is busy all the time.")


class PlacementPlanSerializer(serializers.Serializer):
    reference = serializers.CharField()
    known = KnownDigestSerializer(many=True)
    size_bytes = serializers.IntegerField(allow_null=True, help_text="That was asked about, else the largest known.")
    estimates = EstimateSerializer(many=True, help_text="Empty where no size is known.")


def _whole(name: str, text: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.INT, description=text)


@extend_schema(
    summary="What placing a container image takes",
    parameters=[
        SITE,
        OpenApiParameter("image", str, required=True, description="As people write it."),
        _whole("machines", "How many it is placed on; 1 without it."),
        _whole("size_bytes", "Of the image; without it what lies on machines under the name."),
        _whole("uplinks", "Links from the registry to the machines; 4 without it."),
        _whole("uplink_gbit", "Rate of each; 100 without it."),
        _whole("nic_gbit", "Rate of the link of a machine or cache; 100 without it."),
        _whole("caches", "Pull-through caches, one a row; none without it."),
    ],
    responses=PlacementPlanSerializer,
    filters=False,
)
@api_view(["GET"])
def plan(request: Request) -> Response:
    """Digests that lie under the name, and the time that the links take alone, with caches and with peers."""
    try:
        image = image_of(request.query_params.get("image", ""))
    except Unplaceable as error:
        raise ValidationError({"image": [str(error)]}) from error
    known = queries.known_digests(asked_sites(request), image.reference)
    size = number(request, "size_bytes") or max((each.size_bytes or 0 for each in known), default=0) or None
    asked = {name: number(request, name) for name in ("uplinks", "uplink_gbit", "nic_gbit")}
    links = arithmetic.Links(**{name: value for name, value in asked.items() if value is not None})
    machines = number(request, "machines")
    try:
        found = arithmetic.estimates(
            size or 0, 1 if machines is None else machines, links, caches=number(request, "caches") or 0
        )
    except ValueError as error:
        raise ValidationError({"machines": [str(error)]}) from error
    answer = {
        "reference": image.reference, "known": [each._asdict() for each in known], "size_bytes": size,
        "estimates": found if size else [],
    }  # fmt: skip
    return Response(PlacementPlanSerializer(answer).data)


class PlacementViewSet(ReadOnlyViewSet):
    """Placements of container images, and removals. Writing needs the operator's role at their site."""

    queryset = ImagePlacement.objects.none()
    serializer_class = PlacementDetailSerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {"status": ["exact"], "reference": ["exact"]}
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.placements() if self.action == "list" else queries.placements_with_machines()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return PlacementSerializer if self.action == "list" else PlacementDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        found = queries.placements_with_machines().get(pk=pk)
        return Response(PlacementDetailSerializer(found).data, status=status)

    @extend_schema(request=NewPlacementSerializer, responses={201: PlacementDetailSerializer})
    def create(self, request: Request) -> Response:
        """Place an image on machines, or remove it: a dry run, unless `dry_run` is false. Every reason is named."""
        asked = NewPlacementSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = dict(asked.validated_data)
        machines, pool = given.pop("machines", []), given.pop("pool", None)
        if pool is not None:
            machines = queries.machines_of_pool(pool)
        sites = set(Machine.objects.filter(pk__in=machines).values_list("device__site_id", flat=True))
        if not all(self.may(Role.OPERATOR, site) for site in sites):
            raise PermissionDenied
        try:
            placement = services.start(machines, services.Wanted(**given), actor=self.person.get_username())
        except RunRefused as error:
            raise ValidationError(_fields(error.reasons)) from error
        return self._answer(placement.pk, 201)

    @extend_schema(request=None, responses=PlacementDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Nothing begins any more, and what is being pulled is ended. 409 when it has ended."""
        placement = self.get_object()
        if not services.cancel(placement.pk, actor=self.person.get_username()):
            raise Conflict(f"This placement is {placement.status} already.")
        return self._answer(placement.pk)

    @extend_schema(request=None, responses=RetriedSerializer)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """Machines that failed, were refused or were not begun go again. 409 while it goes on."""
        placement = self.get_object()
        try:
            count = services.retry(placement.pk, actor=self.person.get_username())
        except RunRefused as error:
            raise Conflict(str(error)) from error
        return Response({"machines": count})


def _fields(reasons: dict[str, str]) -> dict[str, list[str]]:
    """A reason against the image stands at its field, all others at the machines."""
    fields = {"image": [reasons["image"]]} if "image" in reasons else {}
    others = [f"{name}: {why}" for name, why in reasons.items() if name != "image"]
    return {**fields, **({"machines": others} if others else {})}
