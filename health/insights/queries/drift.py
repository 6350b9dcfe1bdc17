"""Drift of versions and settings in a fleet, from the facts that looks left; what changed on one machine."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, OuterRef

from health.insights.drift import Drift, drift_of
from health.insights.models import GoldenMachine
from health.machines.lifecycle import State
from health.monitoring.facts import FACTS
from health.monitoring.models.facts import FactChange, MachineFacts


def drift(site_ids: Iterable[int], model: str | None = None) -> list[Drift]:
    """One row per model and fact of the machines of these sites (or of one model, by slug). One query.

    Retired machines do not count.
    """
    rows = MachineFacts.objects.filter(machine__device__site_id__in=list(site_ids))
    rows = rows.exclude(machine__health__state=State.RETIRED.value)
    if model is not None:
        rows = rows.filter(machine__device__model__slug=model)
    in_set = GoldenMachine.objects.filter(machine=OuterRef("machine"), demoted_at=None)
    fields = ("machine_id", "machine__device__model__slug", "facts", "golden")
    told = list(rows.annotate(golden=Exists(in_set)).order_by("machine_id").values_list(*fields))
    return drift_of((row[:3] for row in told), {pk for pk, *_, golden in told if golden})


def fact_changes(machine_id: int, since: datetime, until: datetime) -> list[dict[str, Any]]:
    """What changed on one machine in this time, newest first: {at, fact, title, before, after}. One query."""
    rows = FactChange.objects.filter(machine_id=machine_id, at__gte=since, at__lt=until)
    found = rows.order_by(F("at").desc(), "fact").values("at", "fact", "before", "after")
    return [{**row, "title": FACTS.get(row["fact"], row["fact"])} for row in found]
