"""BMC set-up over the API: profiles of models, what each machine differs in, passwords, and runs."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action, api_view
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from access.queries import refused_logins
from core.accounts.permissions import allows, request_roles
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from core.rest.lists import listed
from drivers.bmc.settings import AREAS
from health.machines.parameters import SITE, MachineBriefSerializer, asked_sites
from inventory.models import DeviceModel, Machine
from provisioning.bmc import queries, readings, rotation, services
from provisioning.bmc.comparison import MOST_ROWS, BadProfile, FirmwareDifference, SettingDifference
from provisioning.bmc.models import BmcRun, BmcRunMachine
from provisioning.bmc.words import BmcAction, Comparison, PasswordState
from provisioning.waves.policy import MACHINE_STATES, MachineState, RunState
from provisioning.waves.rows import RunRefused

ACTIONS = [each.value for each in BmcAction]
COMPARISONS = [each.value for each in Comparison]
MODEL = OpenApiParameter("model", str, description="Slug of a device model; without it every model.")


class BmcSettingSerializer(serializers.Serializer):
    """A wanted value. `bios` waits for the next start of the machine, the others are in force at once."""

    area = serializers.ChoiceField(list(AREAS))
    name = serializers.CharField(max_length=200)
    value = serializers.JSONField(help_text="A text, number or truth value; BootOrder and NTPServers are lists.")


class BmcBaselineSerializer(serializers.Serializer):
    """Firmware that a component is to have."""

    component = serializers.CharField(max_length=200, help_text="Id or name in the firmware inventory, with * and ?.")
    version = serializers.CharField(max_length=100)
    image = serializers.CharField(
        max_length=500, allow_blank=True, default="",
        help_text="Address that the BMC fetches, or a file of the folder of firmware; empty: only compared.",
    )  # fmt: skip


class NewBmcProfileSerializer(serializers.Serializer):
    settings = serializers.ListField(child=BmcSettingSerializer(), max_length=MOST_ROWS, required=False)
    firmware = serializers.ListField(child=BmcBaselineSerializer(), max_length=MOST_ROWS, required=False)


class BmcProfileSerializer(serializers.Serializer):
    """A device model: what its BMCs are to be, and how many of its machines are."""

    slug = serializers.CharField()
    name = serializers.CharField()
    vendor = serializers.CharField()
    settings = BmcSettingSerializer(many=True)
    firmware = BmcBaselineSerializer(many=True)
    changed_at = serializers.DateTimeField(allow_null=True, help_text="Null: the model has no profile.")
    changed_by = serializers.CharField()
    machines = serializers.IntegerField()
    read = serializers.IntegerField(help_text="Machines whose BMC was read.")
    settings_differ = serializers.IntegerField(help_text="Machines with a setting that is not as wanted.")
    firmware_differ = serializers.IntegerField(help_text="Machines with firmware that is not as wanted.")
    own_password = serializers.IntegerField(help_text="Machines whose BMC has a password of its own.")
    password_trouble = serializers.IntegerField(help_text="Machines of which nobody knows which password is in force.")


class BmcVersionCountSerializer(serializers.Serializer):
    version = serializers.CharField()
    machines = serializers.IntegerField()


class BmcVersionsSerializer(serializers.Serializer):
    """A component by name, and how many machines have which versions of it."""

    component = serializers.CharField()
    versions = BmcVersionCountSerializer(many=True)


class BmcMachineSerializer(serializers.Serializer):
    """A machine: how many settings and components differ, and how its password stands."""

    machine = MachineBriefSerializer()
    model = serializers.CharField()
    read_at = serializers.DateTimeField(allow_null=True)
    problem = serializers.CharField(help_text="Why its BMC reported nothing at the last try; empty: it did.")
    settings_differ = serializers.IntegerField()
    firmware_differ = serializers.IntegerField()
    password = serializers.ChoiceField(
        [each.value for each in PasswordState], allow_null=True, help_text="Null: one that it shares with others."
    )


class BmcSettingDifferenceSerializer(serializers.Serializer):
    area = serializers.ChoiceField(list(AREAS))
    name = serializers.CharField()
    wanted = serializers.JSONField()
    found = serializers.JSONField(allow_null=True)
    comparison = serializers.ChoiceField(COMPARISONS)


class BmcComponentSerializer(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField()


class BmcFirmwareDifferenceSerializer(serializers.Serializer):
    component = serializers.CharField()
    wanted = serializers.CharField()
    found = BmcComponentSerializer(many=True)
    comparison = serializers.ChoiceField(COMPARISONS)


class BmcMachineDetailSerializer(BmcMachineSerializer):
    password_message = serializers.CharField()
    login_refused = serializers.CharField(
        help_text="Why nobody signs in there now: it refused the password on record. Reading it now sends it once more."
    )
    password_changed_at = serializers.DateTimeField(allow_null=True)
    has_profile = serializers.BooleanField()
    settings = BmcSettingDifferenceSerializer(many=True, help_text="What is not as the profile wants it.")
    firmware = BmcFirmwareDifferenceSerializer(many=True, help_text="What is not as the baseline wants it.")
    found = BmcSettingSerializer(many=True, help_text="Every setting that the BMC reported.")
    components = BmcComponentSerializer(many=True, help_text="The firmware inventory.")


class BmcPasswordSerializer(serializers.Serializer):
    password = serializers.CharField(max_length=128, trim_whitespace=False, write_only=True)


class BmcMachinesSerializer(serializers.Serializer):
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1), allow_empty=False, max_length=services.MOST_MACHINES
    )


class BmcTotalsSerializer(serializers.Serializer):
    """Machines of a BMC run, by status."""

    waiting = serializers.IntegerField()
    running = serializers.IntegerField()
    ok = serializers.IntegerField()
    failed = serializers.IntegerField()
    unreachable = serializers.IntegerField()
    refused = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class BmcRunSerializer(serializers.ModelSerializer[BmcRun]):
    action = serializers.ChoiceField(ACTIONS)
    status = serializers.ChoiceField([state.value for state in RunState])
    totals = serializers.SerializerMethodField()

    class Meta:
        model = BmcRun
        fields: tuple[str, ...] = (
            "id", "site", "action", "dry_run", "restart", "canary", "limit", "stop_share", "status", "message",
            "cancelled_by", "created_at", "created_by", "finished_at", "totals",
        )  # fmt: skip

    @extend_schema_field(BmcTotalsSerializer)
    def get_totals(self, run: Any) -> dict[str, int]:
        counts = Counter(row.status for row in run.statuses)
        return {state: counts[state] for state in MACHINE_STATES}


class BmcLogLineSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    text = serializers.CharField()


class BmcRunMachineSerializer(serializers.ModelSerializer[BmcRunMachine]):
    machine = serializers.SerializerMethodField()
    status = serializers.ChoiceField(MACHINE_STATES)
    percent = serializers.SerializerMethodField()
    log = BmcLogLineSerializer(many=True)

    class Meta:
        model = BmcRunMachine
        fields: ClassVar = ["id", "machine", "status", "wave", "message", "percent", "log", "started_at", "finished_at"]

    @extend_schema_field(MachineBriefSerializer)
    def get_machine(self, row: BmcRunMachine) -> dict[str, Any]:
        return {"id": row.machine_id, "name": row.machine.device.name}

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_percent(self, row: BmcRunMachine) -> int | None:
        """How much of the update under way is written."""
        return row.data.get("percent") if row.status == MachineState.RUNNING else None


class BmcRunDetailSerializer(BmcRunSerializer):
    machines = BmcRunMachineSerializer(many=True, source="statuses")

    class Meta(BmcRunSerializer.Meta):
        fields: tuple[str, ...] = (*BmcRunSerializer.Meta.fields, "machines")


class NewBmcRunSerializer(BmcMachinesSerializer):
    action = serializers.ChoiceField(ACTIONS)
    dry_run = serializers.BooleanField(default=True, help_text="Only say what would change.")
    restart = serializers.BooleanField(default=False, help_text="Restart machines where something waits for a start.")
    canary = serializers.IntegerField(min_value=0, max_value=50, default=1, help_text="So many go first; 0: none.")
    limit = serializers.IntegerField(min_value=1, max_value=500, default=8, help_text="Machines of a wave.")
    stop_share = serializers.FloatField(
        min_value=0.01, max_value=1, default=0.2, help_text="Share of failed machines that stops the run."
    )


# ---- profiles ----


def _profile(row: dict[str, Any]) -> dict[str, Any]:
    profile = row["profile"]
    return {
        **row,
        "settings": profile.settings if profile else [],
        "firmware": profile.firmware if profile else [],
        "changed_at": profile.changed_at if profile else None,
        "changed_by": profile.changed_by if profile else "",
    }


@extend_schema(
    summary="Device models, what their BMCs are to be, and how many machines are",
    parameters=[SITE],
    responses={200: BmcProfileSerializer(many=True)},
    filters=False,
    operation_id="provisioning_bmc_profiles_list",
)
@api_view(["GET"])
def profiles(request: Request) -> Response:
    rows = [_profile(row) for row in queries.models(asked_sites(request))]
    return listed(BmcProfileSerializer(rows, many=True).data)


class BmcProfileView(APIView):
    """The profile of one device model. Changing it needs the administrator's role: what it says is written to BMCs."""

    write_role = Role.ADMIN

    @extend_schema(
        request=NewBmcProfileSerializer, responses={200: BmcProfileSerializer}, parameters=[SITE],
        operation_id="provisioning_bmc_profiles_partial_update",
    )  # fmt: skip
    def patch(self, request: Request, slug: str) -> Response:
        """Replace its settings, its firmware or both; no machine is written to. What was read is compared anew."""
        if not allows(request_roles(request), None, Role.ADMIN):
            raise PermissionDenied
        model, sites = get_object_or_404(DeviceModel, slug=slug), asked_sites(request)
        asked = NewBmcProfileSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        try:
            profile = services.save_profile(
                model, given.get("settings"), given.get("firmware"), actor=request.user.get_username()
            )
        except BadProfile as error:
            told = [f"{place}: {reason}" for place, reason in error.problems]
            raise serializers.ValidationError({"profile": told}) from error
        counted = {row["slug"]: row for row in queries.models(sites)}
        unused = {**queries.NO_MACHINES, "slug": slug, "name": model.name, "vendor": model.vendor, "profile": profile}
        return Response(BmcProfileSerializer(_profile(counted.get(slug, unused))).data)


@extend_schema(
    summary="Firmware of the machines of a model: components and how many machines have which version",
    parameters=[SITE, MODEL],
    responses={200: BmcVersionsSerializer(many=True)},
    filters=False,
    operation_id="provisioning_bmc_versions_list",
)
@api_view(["GET"])
def versions(request: Request) -> Response:
    rows = _of_model(request, queries.machines(asked_sites(request)))
    return listed(BmcVersionsSerializer(queries.versions(rows.values_list("pk", flat=True)), many=True).data)


def _of_model(request: Request, rows: QuerySet[Machine]) -> QuerySet[Machine]:
    model = request.query_params.get("model", "")
    return rows.filter(device__model__slug=model) if model else rows


# ---- machines ----


def _machine(machine: Machine) -> dict[str, Any]:
    reading, password = getattr(machine, "bmc_reading", None), getattr(machine, "bmc_password", None)
    return {
        "machine": {"id": machine.pk, "name": machine.device.name},
        "model": machine.device.model.slug,
        "read_at": reading.read_at if reading else None,
        "problem": reading.problem if reading else "",
        "settings_differ": reading.settings_differ if reading else 0,
        "firmware_differ": reading.firmware_differ if reading else 0,
        "password": _password(password),
    }


def _password(row: Any) -> str | None:
    """One that kept what it had has its own, where an earlier change went well, else the shared one."""
    if row is None:
        return None
    return None if row.state == PasswordState.KEPT and row.changed_at is None and not row.message else str(row.state)


@extend_schema(
    summary="Machines, in what their BMCs differ, and how their passwords stand",
    parameters=[SITE, MODEL],
    responses={200: BmcMachineSerializer(many=True)},
    filters=False,
    operation_id="provisioning_bmc_machines_list",
)
@api_view(["GET"])
def machines(request: Request) -> Response:
    rows = _of_model(request, queries.machines(asked_sites(request)))
    rows = rows.defer("bmc_reading__found", "bmc_reading__pending", "bmc_reading__firmware")
    return listed(BmcMachineSerializer([_machine(row) for row in rows], many=True).data)


def _setting(each: SettingDifference) -> dict[str, Any]:
    return {
        "area": each.area, "name": each.name, "wanted": each.wanted, "found": each.found,
        "comparison": each.comparison.value,
    }  # fmt: skip


def _firmware(each: FirmwareDifference) -> dict[str, Any]:
    return {
        "component": each.wanted.component,
        "wanted": each.wanted.version,
        "found": [{"id": row.id, "name": row.name, "version": row.version} for row in each.found],
        "comparison": each.comparison.value,
    }


@extend_schema(
    summary="One machine's BMC beside the profile of its model",
    responses={200: BmcMachineDetailSerializer},
    filters=False,
    operation_id="provisioning_bmc_machines_retrieve",
)
@api_view(["GET"])
def machine(request: Request, pk: int) -> Response:
    row = queries.machines(asked_sites(request)).filter(pk=pk).first()
    if row is None:
        raise NotFound
    reading, password = getattr(row, "bmc_reading", None), getattr(row, "bmc_password", None)
    profile = readings.profiles_of([row.pk]).get(row.pk)
    settings, firmware = readings.beside(reading, profile) if reading else ([], [])
    found = reading.found if reading else {}
    told = {
        **_machine(row),
        "password_message": password.message if password else "",
        "password_changed_at": password.changed_at if password else None,
        "login_refused": refused_logins([row.pk]).get(row.pk, ""),
        "has_profile": profile is not None,
        "settings": [_setting(each) for each in settings],
        "firmware": [_firmware(each) for each in firmware],
        "found": [
            {"area": area, "name": name, "value": value}
            for area in AREAS
            for name, value in sorted(found.get(area, {}).items())
        ],
        "components": reading.firmware if reading else [],
    }
    return Response(BmcMachineDetailSerializer(told).data)


def _writable(request: Request, ids: list[int], role: Role = Role.OPERATOR) -> list[int]:
    """The machines, which must be at sites where the person has the role. Raises PermissionDenied and NotFound."""
    sites = dict(Machine.objects.filter(pk__in=ids).values_list("pk", "device__site_id"))
    roles = request_roles(request)
    if not all(allows(roles, site, role) for site in sites.values()):
        raise PermissionDenied
    if not sites or len(sites) < len(set(ids)):
        raise NotFound
    return list(sites)


class BmcReadView(APIView):
    """Reading the BMCs of machines now. Needs the operator's role at their sites."""

    write_role = Role.OPERATOR

    @extend_schema(request=BmcMachinesSerializer, responses={202: None}, operation_id="provisioning_bmc_machines_read")
    def post(self, request: Request) -> Response:
        """As soon as a worker has time; a password that a BMC refused is sent once more. Without it they are read once
        a day, where their model has a profile."""
        asked = BmcMachinesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        readings.ask(_writable(request, asked.validated_data["machines"]))
        return Response(status=202)


class BmcPasswordView(APIView):
    """What the password of a BMC is, where somebody changed it. Needs the administrator's role at its site."""

    write_role = Role.ADMIN

    @extend_schema(
        request=BmcPasswordSerializer, responses={202: None}, operation_id="provisioning_bmc_machines_password"
    )
    def post(self, request: Request, pk: int) -> Response:
        """It is tried once, and kept when it opens. 409 while the password is being changed."""
        asked = BmcPasswordSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        known = _writable(request, [pk], Role.ADMIN)
        if rotation.give(known[0], asked.validated_data["password"], actor=request.user.get_username()) is None:
            raise Conflict("The password of this BMC is being changed now.")
        return Response(status=202)


# ---- runs ----


class BmcRunViewSet(ReadOnlyViewSet):
    """Runs over BMCs. Starting and cancelling need the operator's role at the run's site."""

    queryset = BmcRun.objects.none()
    serializer_class = BmcRunDetailSerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = {"status": ["exact"], "action": ["exact"]}
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.runs() if self.action == "list" else queries.runs_with_machines()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return BmcRunSerializer if self.action == "list" else BmcRunDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        return Response(BmcRunDetailSerializer(queries.runs_with_machines().get(pk=pk)).data, status=status)

    @extend_schema(request=NewBmcRunSerializer, responses={201: BmcRunDetailSerializer})
    def create(self, request: Request) -> Response:
        """Start an action on machines: a dry run, unless `dry_run` is false. Every reason against it is named."""
        asked = NewBmcRunSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = dict(asked.validated_data)
        ids = given.pop("machines")
        sites = set(Machine.objects.filter(pk__in=ids).values_list("device__site_id", flat=True))
        if not all(self.may(Role.OPERATOR, site) for site in sites):
            raise PermissionDenied
        what = BmcAction(given.pop("action"))
        try:
            run = services.start(ids, what, actor=self.person.get_username(), **given)
        except RunRefused as error:
            raise serializers.ValidationError({"machines": [f"{k}: {v}" for k, v in error.reasons.items()]}) from error
        return self._answer(run.pk, 201)

    @extend_schema(request=None, responses=BmcRunDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Nothing is begun any more; an update that a BMC has begun goes on there. 409 when the run has ended."""
        run = self.get_object()
        if not services.cancel(run.pk, actor=self.person.get_username()):
            raise Conflict(f"This run is {run.status} already.")
        return self._answer(run.pk)
