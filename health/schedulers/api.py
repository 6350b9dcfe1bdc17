"""Schedulers: configure, read now, what they say of machines, where they and we differ, what a machine itself asks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import limit_to_sites, request_roles
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.http.seen import SeenRecord
from core.models import Credential, Role
from core.outgoing import rights
from core.outgoing.addresses import split
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from core.outgoing.writes import LoginWrites
from core.rest.lists import listed
from drivers.kubernetes.api import trust
from drivers.scheduler import SchedulerError
from health.machines.models.machines import MachineHealth
from health.machines.parameters import SITE, flag, number
from health.schedulers import queries
from health.schedulers.disagreements import KINDS
from health.schedulers.models import SchedulerMachine, SchedulerSource
from health.schedulers.services import readings
from health.schedulers.services import sources as scheduler_sources

CALLS = {
    SchedulerSource.Kind.SLURM: (("url", "credential", Purpose.SLURM), ("ssh_address", "ssh_credential", Purpose.SSH)),
    SchedulerSource.Kind.KUBERNETES: (("url", "credential", Purpose.KUBERNETES),),
}
"""By kind: field of an address, of the credential that is sent there, and what that is for."""
RUN_AS_ROOT_OR_HERE = ("machine", "local", "sudo")
PINS = ("certificate", "ssh_identity", "ca")


LABEL = r"^(?:[a-z0-9][a-z0-9.-]{0,252}/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$"
"""A key of a label of Kubernetes, with its prefix."""
SELECTOR = re.compile(r"!?[A-Za-z0-9./_-]+(?:[!=]?=[A-Za-z0-9._-]*)?(?:,!?[A-Za-z0-9./_-]+(?:[!=]?=[A-Za-z0-9._-]*)?)*")


class SchedulerSerializer(serializers.ModelSerializer[SchedulerSource]):
    """A site's scheduler. Where a login is sent, and what runs here or as root, is for administrators of every site."""

    serializer_related_field = SeenRecord
    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )
    ssh_credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), allow_null=True, required=False
    )
    roles = serializers.ListField(child=serializers.CharField(max_length=30), required=False, max_length=50)
    names = serializers.DictField(child=serializers.CharField(max_length=64), required=False)
    certificate = serializers.RegexField(r"^[0-9a-f]{64}$", required=False, allow_blank=True)
    api_version = serializers.RegexField(r"^v0\.0\.[0-9]{2}$", required=False, allow_blank=True)
    period_s = serializers.IntegerField(min_value=5, max_value=3600, required=False)
    stale_after_s = serializers.IntegerField(min_value=30, max_value=86_400, required=False)
    settle_s = serializers.IntegerField(min_value=0, max_value=3600, required=False)
    ca = serializers.CharField(max_length=65_536, required=False, allow_blank=True)
    user_label = serializers.RegexField(LABEL, max_length=317, required=False, allow_blank=True)

    class Meta:
        model = SchedulerSource
        fields: ClassVar = [
            "id", "site", "kind", "enabled", "url", "api_version", "credential", "certificate", "ca", "machine",
            "ssh_address", "ssh_credential", "ssh_identity", "local", "sudo", "partition", "user_label", "roles",
            "names", "period_s", "stale_after_s", "settle_s", "state", "message", "tried_at", "last_read_at",
            "history_read_to", "history_message",
        ]  # fmt: skip
        read_only_fields: ClassVar = [
            "state", "message", "tried_at", "last_read_at", "history_read_to", "history_message",
        ]  # fmt: skip
        validators: ClassVar[list[Any]] = []

    def validate_ssh_address(self, value: str) -> str:
        if value:
            try:
                split(value, 22)
            except ValueError as error:
                raise serializers.ValidationError(str(error)) from error
        return value

    def validate_url(self, value: str) -> str:
        if value and not value.startswith(("http://", "https://")):
            raise serializers.ValidationError("An address such as https://slurm.example:6820.")
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What the parts need of each other."""

        def now(name: str, default: Any = None) -> Any:
            return attrs.get(name, getattr(self.instance, name, default))

        if self.instance is not None and "site" in attrs and attrs["site"] != self.instance.site:
            raise serializers.ValidationError({"site": ["A scheduler stays at its site."]})
        if (machine := now("machine")) is not None and machine.device.site_id != now("site").pk:
            raise serializers.ValidationError({"machine": ["This machine is of another site."]})
        if now("stale_after_s", 120) < now("period_s", 15):
            raise serializers.ValidationError({"stale_after_s": ["Not shorter than the time between two reads."]})
        kind = now("kind", SchedulerSource.Kind.SLURM)
        if kind == SchedulerSource.Kind.SLURM:
            self._check_slurm(now)
        elif kind == SchedulerSource.Kind.KUBERNETES:
            self._check_kubernetes(now)
        for address, credential, purpose in CALLS.get(kind, ()):
            if (address in attrs or credential in attrs or "kind" in attrs) and now(address):
                permit_field(address, now(credential), purpose, now(address), site=now("site").pk)
        return attrs

    def _check_slurm(self, now: Callable[..., Any]) -> None:
        machine = now("machine")
        if now("url") and now("credential") is None:
            raise serializers.ValidationError({"credential": ["slurmrestd needs a user with a token or the JWT key."]})
        if now("ssh_address") and now("ssh_credential") is None:
            raise serializers.ValidationError({"ssh_credential": ["Logging in needs an SSH key."]})
        if not (now("url") or machine or now("ssh_address") or now("local", False)):
            raise serializers.ValidationError({"url": ["Name slurmrestd's address, or where scontrol runs."]})

    def _check_kubernetes(self, now: Callable[..., Any]) -> None:
        if not now("url", "").startswith("https://"):
            raise serializers.ValidationError({"url": ["The API server's address, such as https://k8s.example:6443."]})
        if now("credential") is None:
            raise serializers.ValidationError({"credential": ["It needs the token of a service account."]})
        if now("partition", "") and not SELECTOR.fullmatch(now("partition")):
            raise serializers.ValidationError({"partition": ["Labels of nodes, such as gpu=h100,pool=train."]})
        try:
            trust(now("ca", ""))
        except SchedulerError as error:
            raise serializers.ValidationError({"ca": [f"{error}."]}) from error


class DesiredStateSerializer(serializers.Serializer):
    want = serializers.ChoiceField(["drain", "resume"])
    status = serializers.ChoiceField(["waiting", "done", "theirs"])
    reason = serializers.CharField()
    tries = serializers.IntegerField()
    error = serializers.CharField()
    requested_at = serializers.DateTimeField(source="wished_at")
    done_at = serializers.DateTimeField(allow_null=True)


class SchedulerMachineSerializer(serializers.ModelSerializer[SchedulerMachine]):
    """What the scheduler reports of one machine, beside our state of it and the desired state."""

    site = serializers.IntegerField(source="source.site_id", read_only=True)
    our_name = serializers.SerializerMethodField()
    our_state = serializers.SerializerMethodField()
    desired_state = serializers.SerializerMethodField()

    class Meta:
        model = SchedulerMachine
        fields: ClassVar = [
            "id", "site", "source", "name", "machine", "our_name", "our_state", "state", "words", "closed", "answers",
            "jobs", "reason", "reason_by", "reason_at", "cpus", "memory_mb", "gpus", "reservation", "reserved_from",
            "reserved_until", "since", "desired_state",
        ]  # fmt: skip

    def get_our_name(self, row: SchedulerMachine) -> str | None:
        return row.machine.device.name if row.machine is not None else None

    def get_our_state(self, row: SchedulerMachine) -> str | None:
        health = getattr(row.machine, "health", None)
        return health.state if health is not None else None

    @extend_schema_field(DesiredStateSerializer(allow_null=True))
    def get_desired_state(self, row: SchedulerMachine) -> dict[str, Any] | None:
        wish = getattr(row.machine, "scheduler_wish", None)
        return dict(DesiredStateSerializer(wish).data) if wish is not None else None


class DisagreementSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS)
    site = serializers.IntegerField()
    machine = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    text = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    details = serializers.DictField(help_text="What it was concluded from; each kind has its own.")


class SchedulerViewSet(LoginWrites, ReadOnlyViewSet):
    """The scheduler of each site: Slurm, Kubernetes, or none. Administrators of the site configure it, operators read
    it again."""

    queryset = SchedulerSource.objects.select_related("credential", "ssh_credential").order_by("site")
    serializer_class = SchedulerSerializer
    write_role = Role.ADMIN
    roles = {"read": Role.OPERATOR}  # noqa: RUF012  (read only)
    filterset_fields: ClassVar = ["site", "kind", "enabled", "state"]
    pins = PINS
    save_row, delete_row = staticmethod(scheduler_sources.save), staticmethod(scheduler_sources.delete)

    def check_reach(self, serializer: serializers.BaseSerializer[SchedulerSource], site: int) -> None:
        """Each way has an address and a login of its own."""
        rights.check_reach(self, serializer, RUN_AS_ROOT_OR_HERE, None, site)
        for address, name, _ in CALLS[SchedulerSource.Kind.SLURM]:  # whichever kind it is, these hold a login's way
            credential = serializer.validated_data.get(name, getattr(serializer.instance, name, None))
            rights.check_reach(self, serializer, (address, name), credential, site)

    @extend_schema(request=None, responses={200: SchedulerSerializer})
    @action(detail=True, methods=["post"])
    def read(self, request: Request, pk: str = "") -> Response:
        """Read the scheduler now; the answer has its state and message. 409 while it is read, or switched off."""
        source = readings.read(self.get_object().pk)
        if source is None:
            raise Conflict("It is being read at this moment, or it is switched off.", "busy")
        return Response(self.get_serializer(source).data)


class SchedulerMachineViewSet(ReadOnlyViewSet):
    """What schedulers report of their machines, as of their last answer."""

    queryset = queries.listed()
    serializer_class = SchedulerMachineSerializer
    named_records: ClassVar = {"source": "schedulers"}
    site_field = "source__site_id"
    filterset_fields: ClassVar = {
        "source": ["exact"], "source__site": ["exact"], "machine": ["exact"], "state": ["exact"], "closed": ["exact"],
    }  # fmt: skip
    search_fields: ClassVar = ["name", "reason"]

    def get_queryset(self) -> QuerySet:
        rows = super().get_queryset()
        site = number(self.request, "site") if self.request else None
        return rows if site is None else rows.filter(source__site_id=site)


@extend_schema(
    summary="Where schedulers and we differ",
    parameters=[SITE, OpenApiParameter("kind", str, enum=KINDS)],
    responses={200: DisagreementSerializer(many=True)},
)
@api_view(["GET"])
def disagreements(request: Request) -> Response:
    """Drained without a ticket, back in service and still drained, bad and still running jobs, other facts, unknown."""
    sources = limit_to_sites(SchedulerSource.objects.all(), request_roles(request), "site_id")
    site, kind = number(request, "site"), request.query_params.get("kind")
    if site is not None:
        sources = sources.filter(site_id=site)
    if kind is not None and kind not in KINDS:
        raise serializers.ValidationError({"kind": [f"One of {', '.join(KINDS)}."]})
    found = [
        {"kind": each.kind, "site": source.site_id, "machine": each.machine, "name": each.name, "text": each.text,
         "since": each.since, "details": each.details}
        for source, each in queries.differences(sources)
        if kind is None or each.kind == kind
    ]  # fmt: skip
    return listed(DisagreementSerializer(found, many=True).data)


@extend_schema(
    summary="May jobs run on this machine",
    parameters=[
        OpenApiParameter("site", str, description="Slug of the site, where two sites have the name."),
        OpenApiParameter("strict", bool, description="A confirmed fault is bad also while the machine is in service."),
    ],
    responses={(200, "text/plain"): OpenApiTypes.STR},
)
@api_view(["GET"])
def check(request: Request, name: str) -> HttpResponse:
    """One line for a program at the machine: `ok`, `bad: REASON` or `unknown: REASON`."""
    rows = limit_to_sites(MachineHealth.objects.all(), request_roles(request), "machine__device__site_id")
    rows = rows.filter(machine__device__name=name)
    if slug := request.query_params.get("site"):
        rows = rows.filter(machine__device__site__slug=slug)
    found = list(rows.order_by("pk")[:2])
    if len(found) > 1:
        word, reason = "unknown", "two sites have a machine of this name: say which"
    else:
        word, reason = queries.verdict(found[0] if found else None, strict=flag(request, "strict"))
    text = f"{word}: {' '.join(reason.split())}" if reason else word
    return HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8", status=status.HTTP_200_OK)


def register(router: BaseRouter) -> None:
    router.register("health/schedulers", SchedulerViewSet, basename="scheduler")
    router.register("health/scheduler/machines", SchedulerMachineViewSet, basename="scheduler-machine")
