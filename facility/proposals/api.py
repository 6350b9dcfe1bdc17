"""Proposals: what is about to go wrong with everything it touches, the steps against it, and who decided."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.models import Role
from facility.proposals import services
from facility.proposals.models import Proposal


class ProposalStepSerializer(serializers.Serializer):
    order = serializers.IntegerField()
    action = serializers.ChoiceField(["close_valve", "stop_new_jobs", "limit_power", "shut_down", "feed_off"])
    target = serializers.CharField()
    text = serializers.CharField()
    machines = serializers.ListField(child=serializers.CharField())
    reversible = serializers.BooleanField()
    undo = serializers.CharField(help_text="How it is taken back.")
    state = serializers.ChoiceField(["proposed", "dry run", "doing", "done", "failed", "by hand", "undone"])
    message = serializers.CharField()


class ProposalSerializer(serializers.ModelSerializer[Proposal]):
    machines = serializers.ListField(child=serializers.CharField())
    steps = ProposalStepSerializer(many=True)

    class Meta:
        model = Proposal
        fields: ClassVar = [
            "id", "site", "incident", "text", "machines", "steps", "dry_run", "state", "decided_by", "decided_at",
            "created_at", "seen_at",
        ]  # fmt: skip


class ProposalViewSet(ReadOnlyViewSet):
    """One for each incident, newest first. Operators decide."""

    queryset = Proposal.objects.order_by("-created_at", "-id")
    serializer_class = ProposalSerializer
    write_role = Role.OPERATOR
    filterset_fields: ClassVar = ["site", "state"]

    @extend_schema(summary="Approve a proposal", request=None, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, pk: str = "") -> Response:
        """No new jobs for its machines; what hands do is listed. A dry run until the site switches acting on."""
        row = services.approve(self.get_object(), by=request.user.get_username())
        return Response(ProposalSerializer(row).data)

    @extend_schema(summary="Dismiss a proposal", request=None, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def dismiss(self, request: Request, pk: str = "") -> Response:
        """It is not proposed again while its cause lasts."""
        return Response(ProposalSerializer(services.dismiss(self.get_object(), by=request.user.get_username())).data)

    @extend_schema(summary="Take back what was done", request=None, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, pk: str = "") -> Response:
        """The machines may get new jobs again."""
        return Response(ProposalSerializer(services.undo(self.get_object(), by=request.user.get_username())).data)


def register(router: BaseRouter) -> None:
    router.register("facility/proposals", ProposalViewSet, basename="power-proposal")
