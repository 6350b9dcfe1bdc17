"""The routes of a site's Prometheus: its settings, and one query tried."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from access.fields import checked_authorities, checked_url
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Credential, Role, Site
from core.outgoing import rights
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from health.machines.parameters import LARGEST_ID
from runs.metrics import services, template, trial
from runs.metrics.kinds import KINDS, SHIPPED
from runs.models import MetricsSource, TrainingRun


class MetricsPlacesSerializer(serializers.Serializer):
    run = serializers.ListField(child=serializers.CharField())
    gpu = serializers.ListField(child=serializers.CharField())


WHERE_A_LOGIN_GOES = ("url", "credential", "sign_in", "authorities")
LABEL = r"^[a-zA-Z_][a-zA-Z0-9_]*$"


class MetricsSourceSerializer(serializers.ModelSerializer[MetricsSource]):
    """How a site's Prometheus is read. Where a login is sent is for administrators of every site, or of the
    credential's."""

    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )
    queries = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=template.LONGEST),
        required=False,
        help_text="By kind; those that are not named stay. Empty: not asked for.",
    )
    shipped = serializers.SerializerMethodField(help_text="The queries that a site begins with.")
    places = serializers.SerializerMethodField(help_text="What a query may name: of a run's steps, of GPUs.")
    machine_label = serializers.RegexField(LABEL, max_length=60, required=False)
    gpu_label = serializers.RegexField(LABEL, max_length=60, required=False)
    step_s = serializers.IntegerField(min_value=1, max_value=300, required=False)

    class Meta:
        model = MetricsSource
        fields: ClassVar = [
            "site", "enabled", "url", "credential", "sign_in", "authorities", "queries", "shipped", "places",
            "machine_label", "gpu_label", "step_s", "state", "message", "gpus_message", "tried_at", "last_good_at",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["site", "state", "message", "gpus_message", "tried_at", "last_good_at"]
        extra_kwargs: ClassVar = {"authorities": {"max_length": 100_000}}

    def to_representation(self, instance: MetricsSource) -> dict[str, Any]:
        return {**super().to_representation(instance), "queries": services.queries_of(instance)}

    def get_shipped(self, row: MetricsSource) -> dict[str, str]:
        return SHIPPED

    @extend_schema_field(MetricsPlacesSerializer)
    def get_places(self, row: MetricsSource) -> dict[str, Any]:
        return {"run": template.FIELDS, "gpu": [template.MACHINES]}

    def validate_url(self, text: str) -> str:
        return checked_url(text, such_as="https://prometheus.example:9090")

    def validate_authorities(self, text: str) -> str:
        return checked_authorities(text)

    def validate_queries(self, told: dict[str, str]) -> dict[str, str]:
        wrong = []
        for kind, text in told.items():
            try:
                told[kind] = checked(kind, text)
            except template.NoTemplate as error:
                wrong.append(f"{kind}: {error}")
        if wrong:
            raise ValidationError(wrong)
        return told

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the parts need of each other."""

        def now(name: str) -> Any:
            return attrs.get(name, getattr(self.instance, name, None))

        if now("enabled") and not now("url"):
            raise ValidationError({"url": ["Where it is."]})
        if now("sign_in") == MetricsSource.SignIn.BASIC and now("credential") is None and "sign_in" in attrs:
            raise ValidationError({"credential": ["Name and password are those of a credential."]})
        if now("url") and any(name in attrs for name in ("url", "credential")):
            purpose = Purpose.PROMETHEUS if now("credential") is not None else None
            permit_field("url", now("credential"), purpose, now("url"), site=now("site_id"))
        return attrs


def checked(kind: str, text: str) -> str:
    """Raises NoTemplate."""
    if kind not in KINDS:
        raise template.NoTemplate(f"one of {', '.join(KINDS)}")
    return template.checked(text, of_gpu=KINDS[kind].of_gpu)


# ---- trying ----
class TryQuerySerializer(serializers.Serializer):
    kind = serializers.ChoiceField(list(KINDS))
    query = serializers.CharField(
        max_length=template.LONGEST, required=False, help_text="Instead of the one that is kept."
    )
    run = serializers.IntegerField(
        min_value=1, max_value=LARGEST_ID, required=False, help_text="What it is filled with; else the newest run."
    )


class TriedSeriesSerializer(serializers.Serializer):
    labels = serializers.DictField(child=serializers.CharField())
    points = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True, help_text="Of its last point.")
    value = serializers.FloatField(allow_null=True, help_text="Null: NaN or infinite.")


class TriedQuerySerializer(serializers.Serializer):
    """What the query returned of ten minutes. `good`: it was answered, and whole."""

    good = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    query = serializers.CharField(help_text="As it was sent.")
    run = serializers.IntegerField(allow_null=True)
    took_s = serializers.FloatField()
    series_count = serializers.IntegerField()
    points = serializers.IntegerField(help_text="Of all series.")
    yields = serializers.IntegerField(help_text="Steps, or GPUs, that would be made of it.")
    series = TriedSeriesSerializer(many=True, help_text="The first ten.")


class MetricsSourceViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """The Prometheus of each site, by the id of the site."""

    queryset = Site.objects.select_related("metrics_source__credential").order_by("pk")
    serializer_class = MetricsSourceSerializer
    site_field = "pk"
    write_role = Role.ADMIN

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = [_settings(site) for site in self.paginate_queryset(self.get_queryset()) or []]
        return self.get_paginated_response(MetricsSourceSerializer(page, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(MetricsSourceSerializer(_settings(self.get_object())).data)

    @extend_schema(request=MetricsSourceSerializer(partial=True), responses={200: MetricsSourceSerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        row = _settings(self.get_object())
        given = MetricsSourceSerializer(row, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        credential = given.validated_data.get("credential", row.credential)
        rights.check_reach(self, given, WHERE_A_LOGIN_GOES, credential, row.pk)
        saved = services.set_settings(row.pk, **given.validated_data)
        return Response(MetricsSourceSerializer(saved).data)

    @extend_schema(summary="Try a query", request=TryQuerySerializer, responses={200: TriedQuerySerializer})
    @action(detail=True, methods=["post"], url_path="try", pagination_class=None)
    def try_query(self, request: Request, pk: str) -> Response:
        """What a query returns now, bounded; nothing is kept. It is sent to the address that is kept."""
        source = _settings(self.get_object())
        given = TryQuerySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        told = given.validated_data
        if not source.url:
            raise Conflict("Save an address first.", "refused")
        try:
            text = checked(told["kind"], told.get("query", services.queries_of(source)[told["kind"]]))
        except template.NoTemplate as error:
            raise ValidationError({"query": [str(error)]}) from error
        if not text:
            raise ValidationError({"query": ["There is none."]})
        run = TrainingRun.objects.filter(pk=told["run"], site_id=source.pk).first() if "run" in told else None
        if "run" in told and run is None:
            raise ValidationError({"run": ["There is no such run at this site."]})
        return Response(TriedQuerySerializer(trial.try_query(source, told["kind"], text, run)).data)


def _settings(site: Site) -> MetricsSource:
    found: MetricsSource | None = getattr(site, "metrics_source", None)
    return found or MetricsSource(site=site)


# ---- of a run ----
class MetricsActions:
    """Actions of the view set of runs."""

    @extend_schema(summary="Read a past run from Prometheus", request=None, responses={202: None}, filters=False)
    @action(detail=True, methods=["post"], url_path="read-metrics", pagination_class=None, filterset_class=None)
    def read_metrics(self, request: Request, pk: str) -> Response:
        """Fetch the steps of a run that its launcher did not report. 409 where it did, or where the site has none."""
        run: TrainingRun = self.get_object()  # type: ignore[attr-defined]  # of the view set
        services.start_past(run)
        return Response(status=status.HTTP_202_ACCEPTED)


def register(router: BaseRouter) -> None:
    router.register("run-metrics-settings", MetricsSourceViewSet, basename="run-metrics-settings")
