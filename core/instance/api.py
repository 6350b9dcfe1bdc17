"""Routes of the instance: whether it is paused, and taking it over."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import is_administrator, request_roles
from core.errors import Conflict
from core.instance import state as instance


class InstanceSerializer(serializers.Serializer):
    paused = serializers.BooleanField(help_text="Nothing is sent to machines, BMCs, schedulers, switches or webhooks.")
    reason = serializers.CharField(allow_blank=True)
    since = serializers.DateTimeField(allow_null=True)
    may_take_over = serializers.BooleanField(help_text="You may take it over.")


class TakeOverSerializer(serializers.Serializer):
    reason = serializers.CharField(max_length=300, help_text="Such as: the old server is gone.")


def shown(request: Request) -> dict[str, Any]:
    standing = instance.standing_now()
    return {
        "paused": standing.paused,
        "reason": standing.reason,
        "since": standing.since,
        "may_take_over": standing.paused and is_administrator(request_roles(request)),
    }


@extend_schema(summary="State of this instance", responses=InstanceSerializer)
@api_view(["GET"])
def state(request: Request) -> Response:
    return Response(shown(request))


@extend_schema(summary="Let a paused instance act", request=TakeOverSerializer, responses=InstanceSerializer)
@api_view(["POST"])
def take_over(request: Request) -> Response:
    """For an administrator of every site, who knows that the original does not run any more."""
    if not is_administrator(request_roles(request)):
        raise PermissionDenied("Only an administrator of every site takes an instance over.")
    asked = TakeOverSerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    try:
        instance.take_over(asked.validated_data["reason"], actor=request.user.get_username())
    except instance.NotPaused:
        raise Conflict("This instance is not paused.") from None
    return Response(shown(request))


urlpatterns = [
    path("instance/", state, name="instance"),
    path("instance/take-over/", take_over, name="take-over"),
]
