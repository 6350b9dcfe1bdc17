"""Rails of a machine, and rails that are cabled to the wrong leaf."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import limit_to_sites, request_roles, visible_sites
from core.rest.lists import listed
from core.rest.numbers import number_of
from inventory.models import Device
from inventory.queries import rails
from inventory.shapes import NamedSerializer


class RailFarEndSerializer(serializers.Serializer):
    """The one port at the far end, through panels and breakouts."""

    device = serializers.CharField()
    device_id = serializers.IntegerField()
    port = serializers.CharField()
    port_id = serializers.IntegerField()
    tier = serializers.CharField(allow_null=True, help_text="Null for what is no switch.")


class MachineRailSerializer(serializers.Serializer):
    """A rail port, the GPU it serves, and where it leads."""

    rail = serializers.IntegerField()
    gpu_slot = serializers.CharField(allow_null=True)
    gpu_label = serializers.CharField(allow_null=True)
    hca_slot = serializers.CharField(allow_blank=True)
    port = serializers.CharField()
    port_id = serializers.IntegerField()
    far = RailFarEndSerializer(allow_null=True, help_text="Null where the way is lost or ends at several ports.")


class RailLeafSerializer(NamedSerializer):
    """A leaf and the rail of most of its cables."""

    rail = serializers.IntegerField()


class MixedLeafSerializer(NamedSerializer):
    """A leaf that no rail has the majority of."""

    rails = serializers.DictField(child=serializers.IntegerField(min_value=1), help_text="Rail to its cables.")


class WrongRailSerializer(serializers.Serializer):
    """A rail port that ends at the leaf of another rail."""

    machine = NamedSerializer()
    port = serializers.CharField()
    port_id = serializers.IntegerField()
    rail = serializers.IntegerField()
    far = RailFarEndSerializer()
    leaf_rail = serializers.IntegerField()


class RailReportSerializer(serializers.Serializer):
    checked = serializers.IntegerField(min_value=0, help_text="Rail ports of the site.")
    uncabled = serializers.IntegerField(min_value=0, help_text="Those that lead nowhere, or to several ports.")
    leaves = RailLeafSerializer(many=True)
    without_majority = MixedLeafSerializer(many=True)
    wrong = WrongRailSerializer(many=True)


@extend_schema(
    operation_id="machine_rails", summary="The rails of a machine", responses={200: MachineRailSerializer(many=True)}
)
@api_view(["GET"])
def machine_rails(request: Request, pk: int) -> Response:
    """Which adapter port serves which GPU, and the leaf at its far end through panels and breakouts."""
    machines = Device.objects.filter(kind="machine").select_related("model")
    machine = get_object_or_404(limit_to_sites(machines, request_roles(request), "site_id"), pk=pk)
    return listed(rails.machine_rails(machine))


@extend_schema(
    operation_id="rails_report",
    summary="Rails that are cabled to the wrong leaf",
    parameters=[OpenApiParameter("site", int, required=True, description="Id of the site.")],
    responses={200: RailReportSerializer},
)
@api_view(["GET"])
def rail_report(request: Request) -> Response:
    """Rail ports that end at a leaf most of whose cables are of another rail."""
    site = get_object_or_404(visible_sites(request_roles(request)), pk=number_of(request, "site"))
    return Response(rails.rail_report(site.pk))


urlpatterns = [path("machines/<int:pk>/rails/", machine_rails), path("rails/report/", rail_report)]
