"""Names after places: what disagrees, and renaming in bulk."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import allows, request_roles, visible_sites
from core.errors import error_body
from core.http.seen import SeenRecord
from core.models import Role, Site
from core.openapi.schema import ErrorBodySerializer
from core.rest.numbers import number_of
from inventory.kinds import Report, Scope, write
from inventory.models.devices import DeviceKind
from inventory.naming import Place, told
from inventory.queries.naming import Proposal, SiteNames, site_names
from inventory.shapes import OUTCOMES, NamedSerializer, RowOutcomeSerializer, changes_field


class RenameSerializer(serializers.Serializer):
    """Which devices get the names of their places; by default all that are called otherwise."""

    site = SeenRecord(queryset=Site.objects.all())
    devices = serializers.ListField(child=serializers.IntegerField(min_value=1), required=False, max_length=100_000)
    dry_run = serializers.BooleanField(default=True)


class NamingRuleOfSiteSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(DeviceKind.choices)
    tier = serializers.CharField(allow_blank=True, help_text="Only for switches of this tier.")
    pattern = serializers.CharField()
    problem = serializers.CharField(allow_null=True, help_text="Why the pattern is no good.")


class MisnamedSerializer(serializers.Serializer):
    """A device that is called otherwise than its place says."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)
    proposed = serializers.CharField()
    place = serializers.CharField(allow_blank=True)
    name_says = serializers.CharField(allow_null=True, help_text="Where it stands if its name is right.")


class UnnamedSerializer(serializers.Serializer):
    """A device that gets no name from its place."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(DeviceKind.choices)
    reason = serializers.CharField()


class NameCollisionSerializer(serializers.Serializer):
    """Devices whose places give them one name."""

    name = serializers.CharField()
    devices = NamedSerializer(many=True)


class NamingReportSerializer(serializers.Serializer):
    rules = NamingRuleOfSiteSerializer(many=True)
    agree = serializers.IntegerField(min_value=0, help_text="Devices that are called as their places say.")
    disagree = MisnamedSerializer(many=True)
    unnamed = UnnamedSerializer(many=True)
    collisions = NameCollisionSerializer(many=True)
    without_rule = serializers.IntegerField(min_value=0)


class RenameAnswerSerializer(serializers.Serializer):
    dry_run = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.IntegerField(min_value=0), help_text="Devices by outcome.")
    rows = RowOutcomeSerializer(many=True)


class RenameProblemSerializer(RowOutcomeSerializer):
    """A device that cannot be renamed. Of names that collide there is no outcome: nothing was tried."""

    outcome = serializers.ChoiceField(OUTCOMES, required=False)
    changes = changes_field(required=False)


class RenameRefusedBodySerializer(ErrorBodySerializer):
    rows = RenameProblemSerializer(many=True, required=False)  # type: ignore[assignment]


class RenameRefusedSerializer(serializers.Serializer):
    error = RenameRefusedBodySerializer()


class NamingReport(APIView):
    """Devices whose name and place disagree, with the name their place gives them."""

    @extend_schema(
        operation_id="naming_report",
        parameters=[OpenApiParameter("site", int, required=True, description="Id of the site.")],
        responses={200: NamingReportSerializer},
    )
    def get(self, request: Request) -> Response:
        site = get_object_or_404(visible_sites(request_roles(request)), pk=number_of(request, "site"))
        return Response(_report(site_names(site.pk)))


class Rename(APIView):
    """Give devices the names of their places, all or none. With `dry_run`, which is usual, nothing is written."""

    write_role: ClassVar[Role] = Role.OPERATOR

    @extend_schema(
        operation_id="naming_apply", request=RenameSerializer,
        responses={200: RenameAnswerSerializer, 400: RenameRefusedSerializer, 409: RenameRefusedSerializer},
    )  # fmt: skip
    def post(self, request: Request) -> Response:
        asked = RenameSerializer(data=request.data, context={"request": request})
        asked.is_valid(raise_exception=True)
        site: Site = asked.validated_data["site"]
        roles = request_roles(request)
        if not allows(roles, site.pk, Role.OPERATOR):
            raise exceptions.PermissionDenied("Your role on that site does not allow this.")
        with transaction.atomic():
            Site.objects.select_for_update(no_key=True).get(pk=site.pk)  # one at a time works out names and takes them
            names = site_names(site.pk)
            wanted = _wanted(names, asked.validated_data.get("devices"))
            collisions = _collisions(names, wanted)
            if collisions:
                body = error_body("duplicate", "Several devices would have one name.", {}, rows=collisions)
                return Response(body, status=status.HTTP_409_CONFLICT)
            report = write(
                "devices",
                [{"id": each.device.id, "name": each.proposed} for each in wanted],
                "update",
                scope=Scope(roles, site.pk),
                actor=str(request.user.get_username()),
                dry_run=asked.validated_data["dry_run"],
            )
        return _answer(report)


def _answer(report: Report) -> Response:
    if report.ok:
        rows = [row.as_dict() for row in report.rows]
        return Response({"dry_run": report.dry_run, "counts": report.counts, "rows": rows})
    code = report.code or "invalid"
    rows = [row.as_dict() for row in report.errors()]
    body = error_body(code, report.message or "Nothing was renamed.", {}, rows=rows)
    return Response(body, status=status.HTTP_409_CONFLICT if code == "busy" else status.HTTP_400_BAD_REQUEST)


def _wanted(names: SiteNames, ids: list[int] | None) -> list[Proposal]:
    """The devices to rename. One that is asked for and gets no name from its place is refused."""
    if ids is None:
        return names.changes
    by_id = {each.device.id: each for each in names.proposals}
    lost = [pk for pk in ids if pk not in by_id]
    if lost:
        raise exceptions.ValidationError({"devices": [f"There is no device {lost[0]} at the site."]})
    nameless = [by_id[pk] for pk in ids if not by_id[pk].proposed]
    if nameless:
        why = nameless[0].why or "no rule names it"
        raise exceptions.ValidationError({"devices": [f"{nameless[0].device.name} gets no name: {why}."]})
    chosen = dict.fromkeys(ids)
    return [each for each in names.changes if each.device.id in chosen]


def _collisions(names: SiteNames, wanted: list[Proposal]) -> list[dict[str, Any]]:
    """One row for each device that would share its name with another."""
    rows: list[dict[str, Any]] = []
    for name, devices in names.collisions([each.device.id for each in wanted]).items():
        for device in devices:
            reason = f"{name} is also that of {_others(devices, device.id)}"
            error = {"field": "name", "reason": reason, "code": "duplicate"}
            rows.append({"row": len(rows) + 1, "key": device.name, "id": device.id, "errors": [error]})
    return rows


def _others(devices: list[Any], but: int) -> str:
    return ", ".join(device.name for device in devices if device.id != but)


def _report(names: SiteNames) -> dict[str, Any]:
    return {
        "rules": [
            {
                "id": rule.pk,
                "kind": rule.kind,
                "tier": rule.tier,
                "pattern": rule.pattern,
                "problem": names.broken.get(rule.pk),
            }
            for rule in names.rules
        ],
        "agree": sum(bool(each.proposed) and each.proposed == each.device.name for each in names.proposals),
        "disagree": [
            {
                "id": each.device.id,
                "name": each.device.name,
                "kind": each.device.kind,
                "proposed": each.proposed,
                "place": _place(each),
                "name_says": _name_says(names, each),
            }
            for each in names.changes
        ],
        "unnamed": [
            {"id": each.device.id, "name": each.device.name, "kind": each.device.kind, "reason": each.why}
            for each in names.proposals
            if each.why
        ],
        "collisions": [
            {"name": name, "devices": [{"id": device.id, "name": device.name} for device in devices]}
            for name, devices in names.collisions().items()
        ],
        "without_rule": sum(each.rule is None for each in names.proposals),
    }


def _place(proposal: Proposal) -> str:
    device = proposal.device
    u = (device.low + 1) // 2 if device.low is not None else None
    return told(Place(device.room or "", device.row, device.rack or "", u, None, device.side or ""))


def _name_says(names: SiteNames, proposal: Proposal) -> str | None:
    """Where the device stands if its name is to be believed; None when the name leads nowhere."""
    pattern = names.patterns[proposal.rule.pk] if proposal.rule else None
    place = names.places.place(pattern, proposal.device.name) if pattern else None
    return told(place) if place else None


urlpatterns = [path("naming/report/", NamingReport.as_view()), path("naming/apply/", Rename.as_view())]
