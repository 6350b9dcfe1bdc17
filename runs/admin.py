"""Training runs, to look at: they are reported, not edited."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin

from health.admin import LookOnly
from runs.models import TrainingRun


@admin.register(TrainingRun)
class TrainingRunAdmin(LookOnly):
    list_display = ("key", "attempt", "name", "site", "user", "world_size", "state", "started_at", "ended_at")
    list_filter = ("site", "state")
    list_select_related: ClassVar = ["site"]
    search_fields = ("key", "name", "job", "user")
