"""What a site's DHCP server needs, over the API."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request

from health.machines.parameters import SITE, asked_sites
from inventory.models import Device, Machine
from provisioning.boot import dhcp


class DnsmasqQuery(serializers.Serializer):
    network = serializers.CharField(max_length=18, help_text="Of the boot network: 10.20.0.0/16.")
    mode = serializers.ChoiceField([mode.value for mode in dhcp.Mode], required=False, default=dhcp.Mode.DHCP.value)
    interface = serializers.CharField(max_length=15, required=False, allow_blank=True, default="")
    router = serializers.CharField(max_length=15, required=False, allow_blank=True, default="")
    resolver = serializers.CharField(max_length=15, required=False, allow_blank=True, default="")
    tftp_root = serializers.CharField(max_length=200, required=False, default="/srv/tftp")
    log_file = serializers.CharField(
        max_length=200, required=False, allow_blank=True, default="",
        help_text="Where dnsmasq writes its log, for RACKSIDE_DHCP_LOGS; empty: to the system's.",
    )  # fmt: skip


@extend_schema(
    summary="The configuration of dnsmasq for network boot",
    parameters=[SITE, DnsmasqQuery],
    responses={(200, "text/plain"): OpenApiTypes.STR},
    filters=False,
    operation_id="provisioning_dnsmasq_retrieve",
)
@api_view(["GET"])
def dnsmasq(request: Request) -> HttpResponse:
    """Addresses by MAC from the inventory, iPXE for BIOS, UEFI and UEFI HTTP boot, and where it asks what to start."""
    sites = asked_sites(request)
    asked = DnsmasqQuery(data=request.query_params)
    asked.is_valid(raise_exception=True)
    given = dict(asked.validated_data)
    wanted = dhcp.Wanted(boot_url=settings.PUBLIC_URL, mode=dhcp.Mode(given.pop("mode")), **given)
    rows = (
        Machine.objects.filter(device__site_id__in=sites)
        .exclude(boot_mac="")
        .exclude(device__status=Device.Status.RETIRED)
        .order_by("device__name")
    )
    hosts = [
        dhcp.Host(name, mac, address or "")
        for name, mac, address in rows.values_list("device__name", "boot_mac", "primary_ip")
    ]
    try:
        text = dhcp.dnsmasq(wanted, hosts)
    except dhcp.BadNetwork as error:
        name, _, why = str(error).partition(": ")
        raise serializers.ValidationError({name: why}) from error
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
