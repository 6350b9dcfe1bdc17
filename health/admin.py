"""What this room holds, to look at: its rules are kept by services, so nothing is edited here but pools."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest

from health.models import (
    Fault,
    Hold,
    KernelLine,
    MachineHealth,
    ObserveOnly,
    Pool,
    ResponseOverride,
    Silence,
    Sweep,
    ThresholdOverride,
)


class LookOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(MachineHealth)
class MachineHealthAdmin(LookOnly):
    list_display = ("machine", "state", "cell", "worst", "reachability", "last_seen_at", "open_faults")
    list_filter = ("state", "cell", "reachability")
    list_select_related: ClassVar = ["machine__device"]


@admin.register(Fault)
class FaultAdmin(LookOnly):
    list_display = ("machine", "slot", "fault_class", "status", "opened_at", "led_by")
    list_filter = ("status", "fault_class")
    list_select_related: ClassVar = ["machine__device", "led_by"]


@admin.register(Hold)
class HoldAdmin(LookOnly):
    list_display = ("machine", "owner", "reason", "placed_at", "lifted_at")
    list_select_related: ClassVar = ["machine__device"]


@admin.register(Sweep)
class SweepAdmin(LookOnly):
    list_display = ("site", "kind", "status", "started_at", "machines", "reachable")
    list_filter = ("kind", "status")


@admin.register(Pool)
class PoolAdmin(admin.ModelAdmin):
    list_display = ("site", "role", "model", "max_unavailable_share", "automation")
    readonly_fields = ("site", "role", "model")


@admin.register(ThresholdOverride)
class ThresholdOverrideAdmin(LookOnly):
    list_display = ("check_id", "scope", "site", "model", "machine", "thresholds", "owner", "expires_at", "ended_at")
    list_filter = ("scope", "site")
    search_fields = ("check_id", "reason", "owner")
    list_select_related: ClassVar = ["site", "model", "machine__device"]


@admin.register(Silence)
class SilenceAdmin(LookOnly):
    list_display = ("check_id", "part", "scope", "site", "model", "machine", "owner", "expires_at", "ended_at")
    list_filter = ("scope", "site")
    search_fields = ("check_id", "reason", "owner")
    list_select_related: ClassVar = ["site", "model", "machine__device"]


@admin.register(ObserveOnly)
class ObserveOnlyAdmin(LookOnly):
    list_display = ("check_id", "site", "reason", "owner", "expires_at", "ended_at")
    list_filter = ("site",)
    list_select_related: ClassVar = ["site"]


@admin.register(ResponseOverride)
class ResponseOverrideAdmin(LookOnly):
    list_display = ("fault_class", "response", "site", "reason", "owner", "expires_at", "ended_at")
    list_filter = ("site",)
    list_select_related: ClassVar = ["site"]


@admin.register(KernelLine)
class KernelLineAdmin(LookOnly):
    list_display = ("shape", "image", "state", "verdict", "owner", "expires_at", "last_seen")
    list_filter = ("state",)
    search_fields = ("shape",)
    list_select_related: ClassVar = ["image"]
