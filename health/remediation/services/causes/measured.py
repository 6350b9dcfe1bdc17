"""Feeds and cooling units that fail by their meters: one incident each, from the minute in which the meters say so.

What fails on its machines because of it belongs to that incident and gets no ticket of its own. It is over when the
meters say that it works again and its machines pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from core.work.alone import alone
from core.work.queue import after_commit
from health.machines.calls import AUTOMATION
from health.monitoring.models.faults import Fault
from health.remediation.causes import FOLLOWS, Alike, classes_of, is_about
from health.remediation.models import Incident
from health.remediation.services.causes import alike
from health.remediation.services.causes.mass import join, make_part_of
from health.remediation.services.causes.mass_members import add_members
from health.remediation.services.incidents import tell
from health.remediation.types import Cause

KINDS = {"feed": Alike("feed.lost"), "cooling": Alike("cooling.lost")}
"""By the kind of the cause."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A feed or a cooling unit that fails; `machines` are all that hang on it, whether they fail or not."""

    cause: Cause
    title: str
    text: str
    machines: frozenset[int]


def follow(site_id: int, found: Iterable[Measured]) -> None:
    """Open, renew and let go the incidents of what fails by its meters now. One query where nothing does.

    One that a person ended is not opened again before its meters said in between that it works.
    """
    rows = Incident.objects.filter(site_id=site_id, fault_class__in=FOLLOWS, cause_stands=True)
    known = {Cause(row.cause_kind, row.cause): row for row in rows.order_by("pk")}
    told = {each.cause: each for each in found}
    for cause, row in known.items():
        if cause not in told:
            with alone("measured_cause_not_let_go", incident=row.pk):
                _let_go(row.pk)
    for cause, each in told.items():
        ended = cause in known and known[cause].closed_at is not None
        if not ended:
            with alone("measured_cause_not_followed", site=site_id, cause=str(cause)):
                _follow_one(site_id, each)


@transaction.atomic
def _let_go(incident_id: int) -> None:
    """It works again: whether its machines do, is looked at now. A fault of one that is drained is cleared by that
    alone."""
    row = Incident.objects.select_for_update().get(pk=incident_id)
    row.cause_stands = False
    row.save(update_fields=["cause_stands"])
    if row.closed_at is None:
        tell(row, "incident.changed", AUTOMATION)
        after_commit("health.remediation.tasks.verify_incident", row.pk, AUTOMATION)


def _follow_one(site_id: int, each: Measured) -> None:
    kind = KINDS[each.cause.kind]
    incident = _written(site_id, kind, each)
    unjoined = Fault.objects.filter(
        machine_id__in=each.machines, fault_class__in=classes_of(kind), led_by=None, status=Fault.Status.CONFIRMED
    ).exclude(incident=incident)
    machines = sorted(set(unjoined.values_list("machine_id", flat=True)))
    silent = alike.silent_among(each.machines) if is_about(kind, alike.LOST_CONTACT) else set()
    joined = set(incident.members.filter(recovered_at=None).values_list("machine_id", flat=True))
    new = silent.union(machines) - joined
    if new:
        add_members(incident, new)
    for machine_id in machines:
        with alone("machine_not_joined", machine=machine_id, incident=incident.pk):
            join(machine_id, incident, kind)
    make_part_of(incident, kind, each.machines)
    if new or machines:
        with transaction.atomic():
            tell(Incident.objects.select_for_update().get(pk=incident.pk), "incident.changed", AUTOMATION)


@transaction.atomic
def _written(site_id: int, kind: Alike, each: Measured) -> Incident:
    """The open incident, with what is known now."""
    said = {"title": each.title[:200], "text": each.text, "behind": sorted(each.machines), "cause_stands": True}
    incident, created = Incident.objects.select_for_update().get_or_create(
        site_id=site_id, kind=Incident.Kind.SHARED, cause_kind=each.cause.kind, cause=each.cause.key[:120],
        fault_class=kind.fault_class, code=kind.code, closed_at=None,
        defaults=said | {
            "opened_at": timezone.now(), "needs_person_at": timezone.now(), "needs_person_reason": each.title[:300],
        },
    )  # fmt: skip
    if created:
        tell(incident, "incident.opened", AUTOMATION)
    elif any(getattr(incident, name) != value for name, value in said.items()):
        for name, value in said.items():
            setattr(incident, name, value)
        incident.save(update_fields=list(said))
        tell(incident, "incident.changed", AUTOMATION)
    return incident
