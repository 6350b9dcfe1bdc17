"""Discoveries over the API: start one by leases or by addresses, follow it, see what it found, accept it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_sites
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.http.parsers import JSONParser, MultiPartParser, refuse_large
from core.models import Role
from inventory.kinds import Scope
from provisioning.discovery import acceptance, queries, services
from provisioning.discovery.addresses import sources
from provisioning.discovery.addresses.ranges import MOST_ADDRESSES
from provisioning.discovery.matching import Finding, Found
from provisioning.discovery.models import DiscoveredBmc, Discovery, LeaseSource
from provisioning.discovery.states import BmcState
from provisioning.steps import Status


class LeaseSourceSerializer(serializers.ModelSerializer[LeaseSource]):
    """Where leases of a site are read: a path on the server that has the workers, or the URL of Kea's control API."""

    class Meta:
        model = LeaseSource
        fields: tuple[str, ...] = ("id", "site", "name", "kind", "place")


class BmcDiscoveryStartSerializer(serializers.Serializer):
    """By leases (a file, or a source of the site), or by addresses; with leases, `ranges` chooses among them."""

    site = serializers.IntegerField(min_value=1)
    ranges = serializers.CharField(
        max_length=500, required=False, allow_blank=True, default="",
        help_text="Addresses, networks and spans, such as 10.0.4.0/24 or 10.0.4.10-80.",
    )  # fmt: skip
    file = serializers.FileField(required=False, help_text="A lease file of dnsmasq or Kea.")
    lease_source = serializers.IntegerField(min_value=1, required=False, help_text="A lease source of the site.")
    port = serializers.IntegerField(min_value=1, max_value=65_535, required=False, default=443)
    rate_per_s = serializers.IntegerField(
        min_value=1, max_value=100, required=False, default=20, help_text="Addresses that are begun in a second."
    )


class LeaseProblemSerializer(serializers.Serializer):
    """A line of the leases that could not be read."""

    line = serializers.IntegerField()
    reason = serializers.CharField()


class BmcDiscoverySerializer(serializers.ModelSerializer[Discovery]):
    status = serializers.ChoiceField([each.value for each in Status])
    addresses = serializers.IntegerField(help_text="To be asked in all.")
    asked = serializers.IntegerField(help_text="Of these, how many are through.")
    found = serializers.IntegerField(help_text="Of these, behind how many a BMC stands.")
    accepted = serializers.IntegerField(help_text="Taken over into the inventory.")

    class Meta:
        model = Discovery
        fields: tuple[str, ...] = (
            "id", "site", "origin", "ranges", "port", "rate_per_s", "status", "message", "addresses", "asked",
            "found", "accepted", "created_at", "created_by", "finished_at",
        )  # fmt: skip


class DiscoveredPartSerializer(serializers.Serializer):
    kind = serializers.CharField()
    name = serializers.CharField()
    serial = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    firmware = serializers.CharField(allow_blank=True)


class DiscoveredMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    rack = serializers.CharField(allow_blank=True)
    place = serializers.CharField()


class DiscoveredBmcSerializer(serializers.Serializer):
    """A BMC, and what it means beside the plan; `changes` and `slots` would be written, and nothing else."""

    number = serializers.IntegerField()
    address = serializers.CharField()
    mac = serializers.CharField(allow_blank=True)
    hostname = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField([each.value for each in BmcState])
    finding = serializers.ChoiceField([each.value for each in Finding])
    text = serializers.CharField(allow_blank=True)
    evidence = serializers.ListField(child=serializers.CharField())
    changes = serializers.DictField(child=serializers.CharField(allow_blank=True))
    slots = serializers.ListField(child=serializers.CharField(), help_text="Whose parts' serials would be written.")
    planned = DiscoveredMachineSerializer(allow_null=True)
    other = serializers.IntegerField(allow_null=True, help_text="The other one of an exchange, by its number.")
    serial = serializers.CharField(allow_blank=True)
    vendor = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    parts = serializers.DictField(child=serializers.IntegerField(), help_text="How many of each kind it shows.")
    accepted_at = serializers.DateTimeField(allow_null=True)
    accepted_by = serializers.CharField(allow_blank=True)


class BmcDiscoveryDetailSerializer(BmcDiscoverySerializer):
    problems = LeaseProblemSerializer(many=True)
    bmcs = serializers.SerializerMethodField()

    class Meta(BmcDiscoverySerializer.Meta):
        fields: tuple[str, ...] = (
            *BmcDiscoverySerializer.Meta.fields, "unread_lines", "leases_over", "problems", "bmcs",
        )  # fmt: skip

    @extend_schema_field(DiscoveredBmcSerializer(many=True))
    def get_bmcs(self, discovery: Discovery) -> Any:
        """Problems first; addresses behind which nothing was found are only counted."""
        rows = queries.answered(discovery)
        order = list(Finding)
        found = zip(rows, queries.findings(discovery, rows), strict=True)
        told = sorted(found, key=lambda pair: (pair[0].accepted_at is not None, order.index(pair[1].finding)))
        return DiscoveredBmcSerializer([_row(row, each) for row, each in told], many=True).data


class BmcDiscoveryAcceptSerializer(serializers.Serializer):
    bmcs = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, allow_empty=False, max_length=MOST_ADDRESSES,
        help_text="Numbers of BMCs; without it all that match. Of an exchange either number takes both.",
    )  # fmt: skip


def _row(row: DiscoveredBmc, found: Found) -> dict[str, Any]:
    planned, told = found.planned, found.bmc.machine
    parts: dict[str, int] = {}
    for part in told.parts if told else ():
        parts[part.kind] = parts.get(part.kind, 0) + 1
    return {
        "number": row.number, "address": row.address, "mac": row.mac, "hostname": row.hostname, "state": row.state,
        "finding": found.finding.value, "text": found.text, "evidence": list(found.evidence),
        "changes": dict(found.changes), "slots": [part["slot"] for part in found.parts],
        "planned": {"id": planned.id, "name": planned.name, "rack": planned.rack, "place": planned.place_text}
        if planned else None,
        "other": found.other, "serial": told.serial if told else "", "vendor": told.vendor if told else "",
        "model": told.model if told else "", "parts": parts,
        "accepted_at": row.accepted_at, "accepted_by": row.accepted_by,
    }  # fmt: skip


class LeaseSourceViewSet(viewsets.ModelViewSet, SiteScopedViewSet):
    """Where leases are read. Everybody of the site sees them, the administrator sets them."""

    queryset = LeaseSource.objects.all()
    serializer_class = LeaseSourceSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    lookup_value_regex = r"\d{1,18}"

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer, LeaseSource())

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        self._save(serializer, serializer.instance)

    def _save(self, serializer: serializers.BaseSerializer, source: LeaseSource) -> None:
        site = serializer.validated_data.get("site", source.site if source.pk else None)
        if site is not None and not self.may(Role.ADMIN, site.pk):
            self.permission_denied(self.request)
        try:
            serializer.instance = services.save_source(source, serializer.validated_data)
        except services.DiscoveryRefused as error:
            raise serializers.ValidationError({error.field or "place": [str(error)]}) from error


class BmcDiscoveryViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.CreateModelMixin, mixins.DestroyModelMixin,
    SiteScopedViewSet,
):  # fmt: skip
    """Discoveries of BMCs. Starting, cancelling and accepting need the operator's role."""

    queryset = Discovery.objects.none()
    serializer_class = BmcDiscoverySerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    parser_classes = (MultiPartParser, JSONParser)
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.discoveries()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return BmcDiscoverySerializer if self.action == "list" else BmcDiscoveryDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        return Response(BmcDiscoveryDetailSerializer(queries.discoveries().get(pk=pk)).data, status=status)

    @extend_schema(
        request={"multipart/form-data": BmcDiscoveryStartSerializer, "application/json": BmcDiscoveryStartSerializer},
        responses={201: BmcDiscoveryDetailSerializer},
    )
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Start one: nothing of the inventory changes. 409 while another one of the site is under way."""
        refuse_large(request, sources.MOST_BYTES + 64 * 1024, f"At most {sources.MOST_BYTES // 1024**2} MB are read.")
        asked = BmcDiscoveryStartSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        site = get_object_or_404(visible_sites(request_roles(request)), pk=given["site"])
        if not self.may(Role.OPERATOR, site.pk):
            self.permission_denied(request)
        file, source = given.get("file"), None
        if "lease_source" in given:
            if file is not None:
                raise serializers.ValidationError({"lease_source": ["A file or a source, not both."]})
            source = get_object_or_404(LeaseSource, pk=given["lease_source"], site=site)
        try:
            row = services.start(
                site, actor=self.person.get_username(), ranges=given["ranges"], source=source,
                leases=None if file is None else file.read().decode(errors="replace"),
                filename=str(file.name) if file is not None else "", port=given["port"],
                rate_per_s=given["rate_per_s"],
            )  # fmt: skip
        except services.DiscoveryRefused as error:
            if not error.field:
                raise Conflict(str(error)) from error
            raise serializers.ValidationError({error.field: [str(error)]}) from error
        return self._answer(row.pk, 201)

    @extend_schema(request=None, responses={200: BmcDiscoveryDetailSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Ask no more; what was found stays. 409 when it has ended."""
        row = self.get_object()
        if not services.cancel(row.pk):
            raise Conflict(f"This discovery is {row.status} already.")
        return self._answer(row.pk)

    @extend_schema(request=BmcDiscoveryAcceptSerializer, responses={200: BmcDiscoveryDetailSerializer})
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Take over the chosen BMCs, or all that match. 409 when one may not; nothing is written then."""
        row = self.get_object()
        asked = BmcDiscoveryAcceptSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            acceptance.accept(
                row.pk, asked.validated_data.get("bmcs"), scope=Scope.of_request(request),
                actor=self.person.get_username(),
            )  # fmt: skip
        except acceptance.AcceptRefused as error:
            raise Conflict(f"Nothing was taken over: {error}.") from error
        return self._answer(row.pk)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Forget one of which nothing was accepted; 409 otherwise."""
        try:
            services.discard(self.get_object().pk)
        except services.DiscoveryRefused as error:
            raise Conflict(f"It is not forgotten: {error}") from error
        return Response(status=204)
