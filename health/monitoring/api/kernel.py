"""Routes of the triage of kernel lines: what nobody judged, accept, mark as bad, reopen."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.models import Role
from health.machines.models.machines import VERDICTS
from health.monitoring.models.policy import KernelImage, KernelLine, KernelSighting
from health.monitoring.queries.policy import kernel_lines
from health.monitoring.services import kernel_triage
from health.monitoring.services.decisions import NOBODY, is_person

SHOWN_MACHINES = 5


class KernelModelSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()


class KernelMachinesSerializer(serializers.Serializer):
    count = serializers.IntegerField()
    names = serializers.ListField(child=serializers.CharField(), help_text="The first few.")


class KernelLineSerializer(serializers.ModelSerializer):
    verdict = serializers.ChoiceField(VERDICTS, read_only=True, allow_blank=True, help_text="Of a bad one.")
    site = serializers.IntegerField(source="image.site_id")
    model = serializers.SerializerMethodField()
    image = serializers.CharField(source="image.image", allow_blank=True)
    state = serializers.ChoiceField(KernelLine.State.choices, source="stands")
    machines = serializers.SerializerMethodField()

    class Meta:
        model = KernelLine
        fields: ClassVar = [
            "id", "site", "model", "image", "shape", "example", "first_seen", "last_seen", "machines", "state",
            "verdict", "reason", "owner", "expires_at", "decided_by", "decided_at",
        ]  # fmt: skip

    @extend_schema_field(KernelModelSerializer)
    def get_model(self, line: Any) -> dict[str, Any]:
        model = line.image.model
        return {"id": model.pk, "slug": model.slug, "name": model.name}

    @extend_schema_field(KernelMachinesSerializer)
    def get_machines(self, line: Any) -> dict[str, Any]:
        return {"count": line.machine_count, "names": [each.machine.device.name for each in line.first_sightings]}


class AcceptSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)
    owner = serializers.CharField(max_length=150, required=False, help_text="User name; by default whoever asks.")
    expires_at = serializers.DateTimeField()

    def validate_expires_at(self, value: Any) -> Any:
        if value <= timezone.now():
            raise serializers.ValidationError("The end has to be in the future.")
        return value


class MarkBadSerializer(serializers.Serializer):
    verdict = serializers.ChoiceField(["fail", "warn", "info"])
    reason = serializers.CharField(max_length=300)


class KernelLineFilter(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=KernelLine.State.choices, field_name="stands")
    site = filters.NumberFilter(field_name="image__site_id")
    model = filters.NumberFilter(field_name="image__model_id")
    image = filters.CharFilter(field_name="image__image")
    machine = filters.NumberFilter(field_name="sightings__machine_id")

    class Meta:
        model = KernelLine
        fields: tuple[str, ...] = ()


class KernelLineViewSet(ReadOnlyViewSet):
    """Kinds of kernel line by site, model and image, the newest first. An acceptance that expired is new again."""

    queryset = KernelLine.objects.all()
    serializer_class = KernelLineSerializer
    site_field = "image__site_id"
    write_role = Role.OPERATOR
    filterset_class = KernelLineFilter
    search_fields = ("shape", "example")
    ordering_fields = ("last_seen", "first_seen", "machine_count")

    def get_queryset(self) -> QuerySet:
        sightings = KernelSighting.objects.select_related("machine__device").order_by("machine__device__name")
        counted = KernelSighting.objects.filter(line=OuterRef("pk")).order_by().values("line")
        self.queryset = (
            kernel_lines()
            .select_related("image__model", "image__site")
            .annotate(machine_count=Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0))
            .prefetch_related(Prefetch("sightings", sightings[:SHOWN_MACHINES], to_attr="first_sightings"))
        )
        return super().get_queryset()

    @extend_schema(request=AcceptSerializer, responses={200: KernelLineSerializer})
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Take this kind of line for harmless on its image until a day."""
        line = self.get_object()
        given = AcceptSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        actor = self.person.get_username()
        if not is_person(given.validated_data.get("owner", actor), line.image.site_id):
            raise serializers.ValidationError({"owner": [NOBODY]})
        kernel_triage.accept(line.pk, actor=actor, **{"owner": actor, **given.validated_data})
        return self.shown(line.pk)

    @extend_schema(request=MarkBadSerializer, responses={200: KernelLineSerializer})
    @action(detail=True, methods=["post"], url_path="mark-bad")
    def mark_bad(self, request: Request, pk: str) -> Response:
        """From the next check on, such a line is a finding with this verdict."""
        line = self.get_object()
        given = MarkBadSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        kernel_triage.mark_bad(line.pk, actor=self.person.get_username(), **given.validated_data)
        return self.shown(line.pk)

    @extend_schema(request=None, responses={200: KernelLineSerializer})
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, pk: str) -> Response:
        """Undo the decision: the line is new again and waits for triage."""
        line = self.get_object()
        kernel_triage.reopen(line.pk, actor=self.person.get_username())
        return self.shown(line.pk)

    def shown(self, pk: int) -> Response:
        return Response(KernelLineSerializer(self.get_queryset().get(pk=pk)).data)


class KernelImageSerializer(serializers.ModelSerializer):
    model = serializers.SerializerMethodField()
    image = serializers.CharField(allow_blank=True, help_text="Empty: not read.")
    new = serializers.IntegerField(help_text="Kinds of line not yet triaged.")
    dropped = serializers.IntegerField(help_text="Kinds that the newest sweep with too many did not list.")

    class Meta:
        model = KernelImage
        fields: ClassVar = ["id", "site", "model", "image", "new", "dropped", "dropped_at"]

    @extend_schema_field(KernelModelSerializer)
    def get_model(self, image: Any) -> dict[str, Any]:
        return {"id": image.model_id, "slug": image.model.slug, "name": image.model.name}


class KernelImageViewSet(ReadOnlyViewSet):
    """What runs on machines of each model, as their kernel lines are triaged together."""

    queryset = KernelImage.objects.all()
    serializer_class = KernelImageSerializer
    site_field = "site_id"
    filterset_fields = ("site", "model")

    def get_queryset(self) -> QuerySet:
        new = kernel_lines().filter(image=OuterRef("pk"), stands="new").order_by().values("image")
        self.queryset = (
            KernelImage.objects.select_related("model")
            .annotate(new=Coalesce(Subquery(new.annotate(n=Count("pk")).values("n")), 0))
            .order_by("site", "model", "image")
        )
        return super().get_queryset()


def register(router: BaseRouter) -> None:
    router.register("health/kernel-lines", KernelLineViewSet, basename="kernel-line")
    router.register("health/kernel-images", KernelImageViewSet, basename="kernel-image")
