"""The shape of an inventory for Ansible, as its scripts print it for --list."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers

from inventory.models import Device, Switch
from inventory.models.devices import DeviceKind


class HostFactsSerializer(serializers.Serializer):
    """What is known of a host; empty where it does not apply."""

    id = serializers.IntegerField()
    url = serializers.CharField(help_text="Its page in the dashboard.")
    kind = serializers.ChoiceField(DeviceKind.choices)
    status = serializers.ChoiceField(Device.Status.choices)
    site = serializers.CharField()
    room = serializers.CharField(allow_blank=True)
    row = serializers.CharField(allow_blank=True)
    rack = serializers.CharField(allow_blank=True)
    u = serializers.FloatField(allow_null=True)
    face = serializers.ChoiceField(["front", "rear", "both"], allow_blank=True)
    model = serializers.CharField()
    vendor = serializers.CharField()
    role = serializers.CharField(allow_blank=True)
    fabric = serializers.ChoiceField(Switch.Fabric.choices, allow_blank=True)
    tier = serializers.CharField(allow_blank=True)
    serial = serializers.CharField(allow_blank=True)
    asset_tag = serializers.CharField(allow_blank=True)
    bmc_ip = serializers.CharField(allow_blank=True)
    boot_mac = serializers.CharField(allow_blank=True)
    gpu_count = serializers.IntegerField(min_value=0)
    rails = serializers.ListField(child=serializers.IntegerField())
    tags = serializers.ListField(child=serializers.CharField())
    custom = serializers.DictField(help_text="Values of the custom fields of devices.")


class HostVariablesSerializer(serializers.Serializer):
    ansible_host = serializers.CharField(required=False, help_text="The primary address, where there is one.")
    rackside = HostFactsSerializer()


class HostMetaSerializer(serializers.Serializer):
    hostvars = serializers.DictField(child=HostVariablesSerializer(), help_text="By the name of the host.")


class HostGroupSerializer(serializers.Serializer):
    """A group; what is empty is left out."""

    hosts = serializers.ListField(child=serializers.CharField(), required=False)
    children = serializers.ListField(child=serializers.CharField(), required=False, help_text="Groups.")


class AnsibleInventorySerializer(serializers.Serializer):
    """`_meta`, and every group under its name."""

    def get_fields(self) -> dict[str, Any]:
        return {"_meta": HostMetaSerializer(label="Meta")}


class GroupsBesideMeta(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # it has no type hints
    """A serializer cannot say that every other field is a group."""

    target_class = AnsibleInventorySerializer

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        own: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return own | {"additionalProperties": auto_schema.resolve_serializer(HostGroupSerializer, direction).ref}
