"""What this room holds, to look at: its rules are kept by services, so nothing is edited here."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin

from fabric.models import (
    AsBuiltPlan,
    Discovery,
    FabricSource,
    Finding,
    LengthRule,
    NameProposal,
    PortAction,
    PortPolicy,
    ReservedPort,
)
from health.admin import LookOnly


@admin.register(FabricSource)
class FabricSourceAdmin(LookOnly):
    list_display = ("name", "site", "kind", "fabric", "state", "message", "last_good_at")
    list_filter = ("site", "kind", "state")
    list_select_related: ClassVar = ["site"]
    exclude = ("credential", "identity")


@admin.register(Discovery)
class DiscoveryAdmin(LookOnly):
    list_display = ("id", "source", "status", "created_at", "finished_at", "held_back", "message")
    list_filter = ("status",)
    list_select_related: ClassVar = ["source"]


@admin.register(Finding)
class FindingAdmin(LookOnly):
    list_display = ("title", "site", "kind", "state", "severity", "first_seen_at", "last_seen_at")
    list_filter = ("site", "state", "kind")
    list_select_related: ClassVar = ["site"]
    search_fields = ("title", "key")


@admin.register(NameProposal)
class NameProposalAdmin(LookOnly):
    list_display = ("guid", "reported", "proposed", "agreeing", "asked", "margin", "state", "decided_by")
    list_filter = ("state",)
    search_fields = ("guid", "reported", "proposed")


@admin.register(AsBuiltPlan)
class AsBuiltPlanAdmin(LookOnly):
    list_display = ("name", "site", "filename", "cables", "devices", "created_at", "created_by")
    list_select_related: ClassVar = ["site"]
    exclude = ("content",)


@admin.register(ReservedPort)
class ReservedPortAdmin(LookOnly):
    list_display = ("port", "owner", "reason", "until")
    list_select_related: ClassVar = ["port__device"]


@admin.register(PortAction)
class PortActionAdmin(LookOnly):
    list_display = ("action", "link", "source", "owner", "state", "wanted", "approved_by", "held_at", "message")
    list_filter = ("site", "state")
    list_select_related: ClassVar = ["source"]
    search_fields = ("link", "owner", "a_name", "b_name")


@admin.register(PortPolicy)
class PortPolicyAdmin(LookOnly):
    list_display = ("site", "automation", "approval", "budget", "floor_share", "remind_after_days")
    list_select_related: ClassVar = ["site"]


@admin.register(LengthRule)
class LengthRuleAdmin(LookOnly):
    list_display = ("site", "a_rack", "b_rack", "a_row", "b_row", "length_m")
    list_select_related: ClassVar = ["site", "a_rack", "b_rack", "a_row", "b_row"]
