"""Routes of links taken out of use: propose, approve, refuse, enable, and what a site allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet, SiteScopedViewSet
from core.errors import Conflict
from core.models import Role, Site
from core.rest.numbers import FloatField
from fabric.ports import queries
from fabric.ports.models import PortAction, PortPolicy
from fabric.ports.services import outages as services
from fabric.wiring.api.shapes import source_to_write

PERSON = "person"


class PortEndSerializer(serializers.Serializer):
    device = serializers.CharField()
    port = serializers.IntegerField()
    guid = serializers.CharField()
    port_id = serializers.IntegerField(allow_null=True, help_text="In the inventory.")


class PortSourceSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class PortActionSerializer(serializers.Serializer):
    """A link that is disabled on purpose, or proposed to be: both ends, cause, who decided, and its state.

    Made by `fabric.ports.queries.port_action`.
    """

    id = serializers.IntegerField()
    site = serializers.IntegerField()
    source = PortSourceSerializer()  # type: ignore[assignment]
    action = serializers.ChoiceField(PortAction.Action.values)
    link = serializers.CharField()
    a = PortEndSerializer()
    b = PortEndSerializer()
    owner = serializers.CharField(help_text="Who wants it, such as ticket:REP-2041 or person.")
    ticket = serializers.CharField(allow_null=True)
    cause = serializers.CharField()
    evidence = serializers.DictField(help_text="What it was proposed on: counts and rates of the link, or nothing.")
    state = serializers.ChoiceField(PortAction.State.values)
    wanted = serializers.ChoiceField(["held", "free"])
    message = serializers.CharField()
    proposed_at = serializers.DateTimeField()
    proposed_by = serializers.CharField()
    approved_at = serializers.DateTimeField(allow_null=True)
    approved_by = serializers.CharField()
    held_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    overdue = serializers.BooleanField(help_text="Disabled for longer than the site reminds after.")

    def to_representation(self, instance: PortAction) -> dict[str, Any]:
        return queries.port_action(instance, timezone.now())


class PortProposalSerializer(serializers.Serializer):
    source = serializers.IntegerField(min_value=1, max_value=2**63 - 1)  # type: ignore[assignment]
    link = serializers.CharField(max_length=170, help_text="Key of the link, as in /api/fabric/links/.")
    action = serializers.ChoiceField(PortAction.Action.values, default=PortAction.Action.ISOLATE)
    cause = serializers.CharField(max_length=300)


class PortReasonSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300)


class PortPolicySerializer(serializers.Serializer):
    """What a site allows. Until `automation` is on, nothing is touched: what would be done is only written down."""

    site = serializers.IntegerField(source="pk", read_only=True)
    automation = serializers.ChoiceField(PortPolicy.Automation.values)
    approval = serializers.ChoiceField(PortPolicy.Approval.values)
    budget = serializers.IntegerField(
        min_value=0, max_value=10_000, help_text="Disabled links up to which it approves by itself."
    )
    floor_share = FloatField(
        min_value=0, max_value=1, help_text="Share of a switch's links to a tier that has to remain."
    )
    remind_after_days = serializers.IntegerField(min_value=0, max_value=365)


class PortActionFilter(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=PortAction.State.choices)
    live = filters.BooleanFilter(method="only_live", label="Neither refused nor re-enabled.")
    site = filters.NumberFilter(field_name="site_id")
    source = filters.NumberFilter(field_name="source_id")

    class Meta:
        model = PortAction
        fields = ("owner", "link", "action")

    def only_live(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        ended = {"state__in": services.ENDED}
        return queryset.exclude(**ended) if value else queryset.filter(**ended)


@extend_schema_view(
    list=extend_schema(responses={200: PortActionSerializer}),
    retrieve=extend_schema(responses={200: PortActionSerializer}),
    create=extend_schema(request=PortProposalSerializer, responses={201: PortActionSerializer}),
)
class PortActionViewSet(ReadOnlyViewSet):
    """Links that were disabled on purpose, newest first."""

    queryset = PortAction.objects.select_related("source", "site__port_policy")
    serializer_class = PortActionSerializer
    filterset_class = PortActionFilter
    write_role = Role.OPERATOR
    site_field = "site_id"

    def create(self, request: Request) -> Response:
        """Propose to disable a link. 409 says why it cannot be disabled."""
        given = PortProposalSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = given.validated_data
        source = source_to_write(self, body["source"])
        found = self.refusing(
            lambda: services.propose(
                source.pk,
                body["link"],
                owner=PERSON,
                cause=body["cause"],
                action=body["action"],
                by=self.person.get_username(),
            )
        )
        return self.show(found, status=201)

    @extend_schema(request=None, responses={200: PortActionSerializer})
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, pk: str) -> Response:
        """Carry it out. 409 when too few paths would remain."""
        found = self.get_object()
        return self.show(self.refusing(lambda: services.approve(found.pk, by=self.person.get_username())))

    @extend_schema(request=PortReasonSerializer, responses={200: PortActionSerializer})
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Do not carry out a proposal."""
        return self.show(self.with_reason(services.refuse))

    @extend_schema(request=PortReasonSerializer, responses={200: PortActionSerializer})
    @action(detail=True, methods=["post"])
    def enable(self, request: Request, pk: str) -> Response:
        """Re-enable the link."""
        return self.show(self.with_reason(services.enable))

    def with_reason(self, work: Callable[..., PortAction]) -> PortAction:
        found = self.get_object()
        given = PortReasonSerializer(data=self.request.data)
        given.is_valid(raise_exception=True)
        return self.refusing(
            lambda: work(found.pk, by=self.person.get_username(), reason=given.validated_data["reason"])
        )

    def refusing(self, work: Callable[[], PortAction]) -> PortAction:
        try:
            return work()
        except services.PortRefused as error:
            raise Conflict(str(error)) from error

    def show(self, found: PortAction, status: int = 200) -> Response:
        return Response(PortActionSerializer(self.get_queryset().get(pk=found.pk)).data, status=status)


class PortPolicyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """What each site allows: one row per site, by the site's id."""

    queryset = Site.objects.select_related("port_policy").order_by("pk")
    serializer_class = PortPolicySerializer
    site_field = "pk"
    write_role = Role.ADMIN

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        policies = [queries.policy_of(site) for site in page or []]
        return self.get_paginated_response(PortPolicySerializer(policies, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(PortPolicySerializer(queries.policy_of(self.get_object())).data)

    @extend_schema(request=PortPolicySerializer(partial=True), responses={200: PortPolicySerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change it. Turned on, what was only written down is decided upon again."""
        site = self.get_object()
        given = PortPolicySerializer(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        policy = services.set_policy(site.pk, by=self.request.user.get_username(), **given.validated_data)
        return Response(PortPolicySerializer(policy).data)


def register(router: BaseRouter) -> None:
    router.register("fabric/port-actions", PortActionViewSet, basename="port-action")
    router.register("fabric/port-policies", PortPolicyViewSet, basename="port-policy")
