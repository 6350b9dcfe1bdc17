"""What was decided about the checks of machines, read for a whole shard at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from health.monitoring.models.policy import KernelLine, ObserveOnly, Silence, ThresholdOverride
from health.monitoring.policy import (
    NO_POLICY,
    Decided,
    JudgedLine,
    MachinePolicy,
    Place,
    Scope,
    kernel_lines_by_image,
    policy_of,
)
from inventory.models import Machine


def policies_for(machine_ids: Sequence[int]) -> dict[int, MachinePolicy]:
    """What holds now for these machines, by id. Five queries however many they are."""
    places = Machine.objects.filter(pk__in=machine_ids).values_list("pk", "device__site_id", "device__model_id")
    return policies_at([Place(*each) for each in places])


def policies_at(places: Iterable[Place], now: datetime | None = None) -> dict[int, MachinePolicy]:
    """The same for machines whose site and model are known. Four queries."""
    places, now = list(places), now or timezone.now()
    if not places:
        return {}
    overrides = _decided(ThresholdOverride.objects.values(*_SCOPED, "thresholds"), places)
    silences = _decided(Silence.objects.values(*_SCOPED, "part"), places)
    sites = {place.site_id for place in places}
    observed = live(ObserveOnly.objects.values("id", "check_id", "expires_at", "site_id"))
    observing = [_of(row) for row in observed.filter(Q(site=None) | Q(site__in=sites))]
    lines = kernel_lines_by_image(_judged(sites, {place.model_id for place in places}), now)
    return {
        place.machine_id: policy_of(
            place,
            now,
            overrides=overrides,
            silences=silences,
            observed=observing,
            kernel_lines=lines.get((place.site_id, place.model_id)),
        )
        for place in places
    }


_SCOPED = ("id", "check_id", "expires_at", "site_id", "model_id", "machine_id")


def live(decisions: QuerySet[Any]) -> QuerySet[Any]:
    """Those that neither ended nor expired."""
    return decisions.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), ended_at=None)


def _decided(rows: QuerySet[Any], places: Sequence[Place]) -> list[Decided]:
    for_all = Q(site=None) | Q(site__in={place.site_id for place in places})
    of_machine = Q(machine=None) | Q(machine__in={place.machine_id for place in places})
    of_model = Q(model=None) | Q(model__in={place.model_id for place in places})
    return [_of(row) for row in live(rows).filter(for_all, of_machine, of_model)]


def _of(row: dict[str, Any]) -> Decided:
    return Decided(
        id=row["id"],
        check=row["check_id"],
        scope=Scope(row["site_id"], row.get("model_id"), row.get("machine_id")),
        expires_at=row["expires_at"],
        part=row.get("part", ""),
        thresholds=row.get("thresholds", {}),
    )


def _judged(sites: Iterable[int], models: Iterable[int]) -> list[JudgedLine]:
    rows = KernelLine.objects.filter(image__site__in=sites, image__model__in=models).exclude(state="new")
    columns = ("image__site_id", "image__model_id", "image__image", "shape", "state", "verdict", "reason", "expires_at")
    return [
        JudgedLine(site, model, image, shape, verdict if state == "bad" else None, reason, expires_at)
        for site, model, image, shape, state, verdict, reason, expires_at in rows.values_list(*columns)
    ]


def observed_checks(site_id: int) -> set[str]:
    """Checks that open no fault at this site now."""
    rows = live(ObserveOnly.objects.filter(Q(site=None) | Q(site=site_id)))
    return set(rows.values_list("check_id", flat=True))


def observed_on(machine_id: int) -> set[str]:
    """Checks that open no fault on this machine now."""
    site = Machine.objects.filter(pk=machine_id).values("device__site_id")
    rows = live(ObserveOnly.objects.filter(Q(site=None) | Q(site__in=site)))
    return set(rows.values_list("check_id", flat=True))


def quiet_checks(machine_id: int, slot: str, checks: Iterable[str]) -> list[dict[str, Any]]:
    """Which of the checks that showed a fault are silenced there or only observed now: {check, kind, id, until}."""
    policy = policies_for([machine_id]).get(machine_id, NO_POLICY)
    found = []
    for check in checks:
        for kind, quiet in (
            ("silence", policy.silence_of(check, slot)),
            ("audit_mode", policy.observe_only.get(check)),
        ):
            if quiet is not None:
                found.append({"check": check, "kind": kind, "id": quiet.id, "until": quiet.until})
    return found


def kernel_lines() -> QuerySet[Any]:
    """Kinds of line with `stands`, their state now: an acceptance that expired is new again."""
    expired = When(state="accepted", expires_at__lte=Now(), then=Value("new"))
    return KernelLine.objects.annotate(stands=Case(expired, default=F("state"), output_field=CharField()))
