"""Proposals: what is about to go wrong with everything it touches, the steps against it, and who decided."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.api import ReadOnlyViewSet
from core.models import Role
from facility.proposals import services
from facility.proposals.models import Proposal


class ProposalProgressSerializer(serializers.Serializer):
    """What a step did to one machine so far."""

    machine = serializers.CharField()
    state = serializers.ChoiceField(["doing", "done", "failed", "undone"])
    message = serializers.CharField()


class ProposalStepSerializer(serializers.Serializer):
    order = serializers.IntegerField()
    action = serializers.ChoiceField(["close_valve", "stop_new_jobs", "limit_power", "shut_down", "feed_off"])
    target = serializers.CharField()
    text = serializers.CharField()
    machines = serializers.ListField(child=serializers.CharField())
    reversible = serializers.BooleanField()
    undo = serializers.CharField(help_text="How it is taken back.")
    state = serializers.ChoiceField(
        ["proposed", "dry run", "offered", "doing", "done", "failed", "by hand", "undoing", "undone"]
    )
    message = serializers.CharField()
    progress = serializers.SerializerMethodField(help_text="Machines that it began with, in its order.")

    @extend_schema_field(ProposalProgressSerializer(many=True))
    def get_progress(self, step: dict[str, Any]) -> list[dict[str, str]]:
        known = step.get("progress", {})
        named = zip(step["machine_ids"], step["machines"], strict=False)
        return [
            {"machine": name, "state": known[str(pk)]["state"], "message": known[str(pk)]["message"]}
            for pk, name in named
            if str(pk) in known
        ]


class ApprovalSerializer(serializers.Serializer):
    dry_run = serializers.BooleanField(required=False)


class BeginSerializer(serializers.Serializer):
    order = serializers.IntegerField(min_value=1, help_text="Of the step.")


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

    @extend_schema(summary="Approve a proposal", request=ApprovalSerializer, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, pk: str = "") -> Response:
        """No new jobs for its machines, and less power; a shut-down is begun by another call. A dry run until the site
        switches acting on; `dry_run` is what the person saw, and another one is answered with 409."""
        said = ApprovalSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        row = services.approve(self.get_object(), by=request.user.get_username(), **said.validated_data)
        return Response(ProposalSerializer(row).data)

    @extend_schema(
        summary="Begin a step that waits for a person", request=BeginSerializer, responses={200: ProposalSerializer}
    )
    @action(detail=True, methods=["post"])
    def begin(self, request: Request, pk: str = "") -> Response:
        """The shut-down of an approved proposal. What still runs on its machines ends with it."""
        said = BeginSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        row = services.begin_step(self.get_object(), said.validated_data["order"], by=request.user.get_username())
        return Response(ProposalSerializer(row).data)

    @extend_schema(summary="Dismiss a proposal", request=None, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def dismiss(self, request: Request, pk: str = "") -> Response:
        """It is not proposed again while its cause lasts."""
        return Response(ProposalSerializer(services.dismiss(self.get_object(), by=request.user.get_username())).data)

    @extend_schema(summary="Take back what was done", request=None, responses={200: ProposalSerializer})
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, pk: str = "") -> Response:
        """Machines are powered on and checked, GPUs get the limits that they had, holds are lifted; by a worker."""
        return Response(ProposalSerializer(services.undo(self.get_object(), by=request.user.get_username())).data)


def register(router: BaseRouter) -> None:
    router.register("facility/proposals", ProposalViewSet, basename="power-proposal")
