"""Imports from NetBox over the API: started here, done by a worker, looked at until they are done.

A credential is sent to the address that is given, and an import may touch every site: so all of this is for
administrators of every site, as are the endpoints of machines.
"""

from __future__ import annotations

from typing import Any, get_args

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import exceptions, serializers, status
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from access.netbox_runs import start_import
from core.accounts.scope import is_administrator, request_roles
from core.errors import Conflict
from core.models import Credential
from core.outgoing.binding import Purpose
from core.outgoing.permits import permit_field
from core.rest.lists import listed
from inventory.models import NetBoxRun
from inventory.netbox.findings import Finding, Sort, as_csv
from inventory.netbox.options import Options, OptionsError
from inventory.netbox.run import Running

SHOWN = 500
"""Findings an answer shows; all of them are in the file."""


class NetBoxImportSerializer(serializers.Serializer[Any]):
    url = serializers.URLField(max_length=200, help_text="Such as https://netbox.example.org.")
    credential = serializers.SlugRelatedField(
        slug_field="name", queryset=Credential.objects.all(), help_text="Stored credential with the API token."
    )
    dry_run = serializers.BooleanField(default=True)
    resume = serializers.BooleanField(default=False, help_text="Continue the newest one, which broke off.")
    options = serializers.JSONField(
        default=dict, help_text="As in the options file: sites, roles, rows_from and so on."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        permit_field("url", attrs["credential"], Purpose.NETBOX, attrs["url"], site=None)
        return attrs

    def validate_options(self, value: Any) -> Options:
        if not isinstance(value, dict):
            raise serializers.ValidationError("an object of options, such as rows_from")
        try:
            return Options.read(value)
        except OptionsError as error:
            raise serializers.ValidationError(str(error)) from error


class NetBoxProgressSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField(allow_null=True, help_text="Null before the start.")
    done = serializers.IntegerField(min_value=0)
    total = serializers.IntegerField(min_value=0)


class NetBoxFindingSerializer(serializers.Serializer[Any]):
    """What stayed behind, changed, was refused or is in conflict."""

    sort = serializers.ChoiceField(get_args(Sort))
    kind = serializers.CharField(help_text="NetBox's list, such as dcim/devices.")
    netbox_id = serializers.IntegerField(help_text="0 for a whole list.")
    name = serializers.CharField(allow_blank=True)
    field = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)
    url = serializers.CharField(allow_blank=True)


class NetBoxRunSerializer(serializers.ModelSerializer[NetBoxRun]):
    progress = serializers.SerializerMethodField()
    counts = serializers.SerializerMethodField()
    findings = serializers.SerializerMethodField()
    findings_total = serializers.SerializerMethodField()

    class Meta:
        model = NetBoxRun
        fields = (
            "id", "url", "version", "dry_run", "status", "message", "by", "options", "started_at", "finished_at",
            "progress", "counts", "findings", "findings_total",
        )  # fmt: skip

    @extend_schema_field(NetBoxProgressSerializer)
    def get_progress(self, run: NetBoxRun) -> dict[str, Any]:
        """Stage, done and total; null before the start."""
        return dict(run.steps.get("progress") or {"stage": None, "done": 0, "total": 0})

    @extend_schema_field(serializers.DictField(child=serializers.DictField(child=serializers.IntegerField())))
    def get_counts(self, run: NetBoxRun) -> dict[str, dict[str, int]]:
        """Kind to created, changed, unchanged and refused."""
        return dict(run.steps.get("written") or {})

    @extend_schema_field(NetBoxFindingSerializer(many=True))
    def get_findings(self, run: NetBoxRun) -> list[dict[str, Any]]:
        """The first of them; all are in findings.csv."""
        return list(run.findings[:SHOWN])

    def get_findings_total(self, run: NetBoxRun) -> int:
        return len(run.findings)


def _only_for_administrators(request: Request) -> None:
    if not is_administrator(request_roles(request)):
        raise exceptions.PermissionDenied("Only an administrator of every site imports from NetBox.")


@extend_schema(
    methods=["GET"], summary="Imports from NetBox, newest first", responses={200: NetBoxRunSerializer(many=True)}
)
@extend_schema(
    methods=["POST"],
    summary="Import from a NetBox",
    request=NetBoxImportSerializer,
    responses={202: NetBoxRunSerializer},
)
@api_view(["GET", "POST"])
def imports(request: Request) -> Response:
    """The last twenty imports; or a new one, done by a worker. Progress and findings are at its own address."""
    _only_for_administrators(request)
    if request.method == "GET":
        runs = NetBoxRun.objects.defer("findings")[:20]
        return listed([NetBoxRunSerializer(run).data | {"findings": []} for run in runs])
    asked = NetBoxImportSerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    try:
        run = start_import(**asked.validated_data, by=request.user.get_username())
    except Running as error:
        raise Conflict(str(error)) from error
    return Response(NetBoxRunSerializer(run).data, status=status.HTTP_202_ACCEPTED)


@extend_schema(summary="One import from NetBox", responses={200: NetBoxRunSerializer})
@api_view(["GET"])
def import_(request: Request, pk: int) -> Response:
    """How far it is, what it made, and the first things that stay behind."""
    _only_for_administrators(request)
    return Response(NetBoxRunSerializer(get_object_or_404(NetBoxRun, pk=pk)).data)


@extend_schema(
    summary="What an import from NetBox could not do",
    responses={(200, "text/csv"): OpenApiTypes.STR},
)
@api_view(["GET"])
def findings(request: Request, pk: int) -> HttpResponse:
    """Every row and field that stayed behind, changed, was refused or is in conflict."""
    _only_for_administrators(request)
    run = get_object_or_404(NetBoxRun, pk=pk)
    text = as_csv(Finding(**each) for each in run.findings)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="netbox-import-{run.pk}.csv"'
    return response
