"""What this room holds, to look at: its rules are kept by services, so nothing is edited here."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin

from facility.models import Finding, Meter, Policy
from health.admin import LookOnly


@admin.register(Meter)
class MeterAdmin(LookOnly):
    list_display = ("name", "site", "kind", "address", "state", "message", "tried_at")
    list_filter = ("site", "kind", "state")
    list_select_related: ClassVar = ["site"]
    exclude = ("credential", "identity")


@admin.register(Finding)
class FindingAdmin(LookOnly):
    list_display = ("kind", "severity", "subject_name", "text", "since", "closed_at")
    list_filter = ("site", "kind", "severity")
    list_select_related: ClassVar = ["site"]


@admin.register(Policy)
class PolicyAdmin(LookOnly):
    list_display = ("site", "load_percent", "inlet_c", "tariff_per_kwh", "currency", "acting")
