"""Mass failures: many machines that fail alike at once are one incident with one cause, followed until they recover.

Nothing is muted: each machine keeps its fault and its state. Automation leaves the machines of an open one alone, and
suspects what fails like them until `suspect_until`. Rows are locked in the order machine, site, incident; where an
incident opens or changes, no machine is locked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from core.database import prepared
from core.work.alone import alone
from core.work.queue import after_commit
from health.machines.calls import AUTOMATION
from health.machines.lifecycle import NOT_SWEPT, OUTSIDE_POOL, State
from health.machines.limits import Limits
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import Change, changing
from health.machines.services.limits import automation_of, limits_of
from health.monitoring.faults import event_data
from health.monitoring.models.faults import Fault
from health.monitoring.models.sweeps import Sweep
from health.monitoring.services.sweeps.sweep_runs import request_sweep
from health.monitoring.services.verifications import request_verification
from health.remediation import cause_words, causes
from health.remediation.causes import SITE, Alike, Follow, Known, Shared
from health.remediation.models import Incident
from health.remediation.notices import OpenMass, notices
from health.remediation.services import views
from health.remediation.services.causes import alike
from health.remediation.services.causes.mass_members import add_members, is_suspected, open_incidents, rollouts_since
from health.remediation.services.causes.places import ALL_KINDS, causes_of, members_of, rollouts
from health.remediation.services.incidents import close, say_person_is_needed, stand_alone, tell
from health.remediation.types import Cause

VERIFY_S = 900
"""How long machines have to pass after a person said that the cause is mended: two sweeps, or a reboot."""


# ---- one round ----


def look(site_id: int) -> int:
    """Open, follow and end the mass failures of a site; returns how many are open. Safe to run twice.

    Tickets that wait for it open even when it goes wrong: nobody else would let them go.
    """
    now = timezone.now()
    waiting = list(_waiting(site_id))
    try:
        _follow_all(site_id, now)
    finally:
        _release(waiting)
        _release_supplies(site_id, now)
    going_on = settle(site_id, now)
    _let_stand_alone(site_id)
    return going_on


def _follow_all(site_id: int, now: datetime) -> None:
    limits = limits_of(automation_of(site_id))
    rows = alike.failing(site_id, now, limits)
    known = _known(site_id, now)
    for kind in sorted(rows.keys() | known.keys()):
        with alone("mass_not_followed", site=site_id, kind=str(kind)):
            _follow_kind(site_id, kind, frozenset(rows.get(kind, ())), known.get(kind, []), now, limits)


def _known(site_id: int, now: datetime) -> dict[Alike, list[Known]]:
    """The open mass incidents of a site by kind of trouble, with the machines that did not recover. Two queries."""
    found: dict[Alike, list[Known]] = {}
    for incident in open_incidents(site_id).prefetch_related("members").order_by("pk"):
        left = frozenset(member.machine_id for member in incident.members.all() if member.recovered_at is None)
        cause = Cause(incident.cause_kind, incident.cause)
        known = Known(incident.pk, cause, left, grows=is_suspected(incident, now))
        found.setdefault(alike.of_incident(incident), []).append(known)
    return found


def _follow_kind(
    site_id: int, kind: Alike, failing: frozenset[int], known: list[Known], now: datetime, limits: Limits
) -> None:
    """Find the causes of one kind of trouble where machines have it that are of no incident yet."""
    new = failing.difference(*(each.machines for each in known))
    if not new:
        return
    affected = new.union(*(each.machines for each in known if each.grows))
    if len(affected) < min(limits.cause_machines + 1, limits.suspicious_machines):
        return
    members = _members(site_id, affected, now, limits)
    found = causes.shared_causes(affected, members, limits, alike.mass_of(site_id, limits))
    for step in causes.follow(known, found):
        _carry_out(site_id, kind, step, now, limits)


def _members(site_id: int, affected: Iterable[int], now: datetime, limits: Limits) -> dict[Cause, frozenset[int]]:
    """All machines of every cause that may explain it, and of the site."""
    hung = {cause for some in causes_of(affected, ALL_KINDS).values() for cause in some}
    swept = MachineHealth.objects.filter(machine__device__site_id=site_id).exclude(state__in=_NOT_SWEPT)
    everything = {Cause(SITE, ""): frozenset(swept.values_list("machine_id", flat=True))}
    return members_of(site_id, hung) | rollouts(site_id, rollouts_since(now, limits)) | everything


_NOT_SWEPT = [state.value for state in NOT_SWEPT]


def _carry_out(site_id: int, kind: Alike, step: Follow, now: datetime, limits: Limits) -> None:
    """Open or go on with the incident of one explanation, then bring the faults of its machines into it."""
    until = now + timedelta(seconds=limits.suspicion_s)
    with transaction.atomic():
        automation_of(site_id, lock=True)
        incident = _opened(site_id, kind, step, until)
        if incident is None:
            return  # the next round finds out anew what is left
    for machine_id in sorted(step.shared.machines):
        with alone("machine_not_joined", machine=machine_id, incident=incident.pk):
            join(machine_id, incident, kind)
    with transaction.atomic():
        tell(Incident.objects.select_for_update().get(pk=incident.pk), "incident.changed", AUTOMATION)


def _opened(site_id: int, kind: Alike, step: Follow, until: datetime) -> Incident | None:
    """The incident of a step, locked, with its cause, text and machines as they are now; those that it swallows are
    closed. None: it was closed, or a person lifted the suspicion, and what fails from then on is no part of it.
    """
    shared = step.shared
    if step.incident is None:
        incident = _new(site_id, kind, shared, until)
        add_members(incident, shared.machines)
        tell(incident, "incident.opened", AUTOMATION)
        return incident
    found = Incident.objects.select_for_update().filter(pk=step.incident, closed_at=None).first()
    if found is None or found.lifted_by:
        return None
    add_members(found, shared.machines)
    found.cause_kind, found.cause = shared.cause.kind, shared.cause.key[:120]
    found.text = cause_words.explanation(kind, shared)
    found.suspect_until = until
    found.title = _title(found)
    # First: only one open incident may have this cause, and it may be one of these that has it.
    for ended in Incident.objects.select_for_update().filter(pk__in=step.ends, closed_at=None).order_by("pk"):
        close(ended, by=AUTOMATION, reason=f"part of incident {found.pk}: {found.title}")
    found.save()
    return found


def _new(site_id: int, kind: Alike, shared: Shared, until: datetime) -> Incident:
    incident, _ = Incident.objects.get_or_create(
        site_id=site_id,
        kind=Incident.Kind.SHARED,
        cause_kind=shared.cause.kind,
        cause=shared.cause.key[:120],
        fault_class=kind.fault_class,
        code=kind.code,
        closed_at=None,
        defaults={
            "title": cause_words.title(kind, shared.cause, len(shared.machines))[:200],
            "text": cause_words.explanation(kind, shared),
            "opened_at": timezone.now(),
            "suspect_until": until,
            "needs_person_at": timezone.now(),
            "needs_person_reason": f"{len(shared.machines)} machines {cause_words.what_words(kind)}"[:300],
        },
    )
    return incident


def _title(incident: Incident) -> str:
    cause = Cause(incident.cause_kind, incident.cause)
    return cause_words.title(alike.of_incident(incident), cause, incident.members.count())[:200]


def join(machine_id: int, incident: Incident, kind: Alike) -> None:
    """Make the faults that it is about part of the incident. What else the machine has stays an incident of its own."""
    with changing(machine_id, actor=AUTOMATION):
        faults = views.leading_faults(machine_id=machine_id)
        mine = [f for f in faults if causes.is_about(kind, alike.of_fault(f)) and f.incident_id != incident.pk]
        if not mine:
            return
        Fault.objects.filter(pk__in=[fault.pk for fault in mine]).update(incident=incident)
        own = Incident.objects.filter(machine_id=machine_id, kind=Incident.Kind.MACHINE, closed_at=None).first()
        if own is not None and not own.faults.exclude(status=Fault.Status.CLEARED).exists():
            close(own, by=AUTOMATION, reason=f"part of incident {incident.pk}: {incident.title}")


def make_part_of(incident: Incident, kind: Alike, machines: Collection[int]) -> None:
    """Close what was opened of these machines for something that follows from the cause of this one. One query where
    nothing was."""
    others = open_incidents(incident.site_id).filter(fault_class__in=causes.classes_of(kind)).exclude(pk=incident.pk)
    for pk in list(others.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            other = Incident.objects.select_for_update().get(pk=pk)
            left = other.members.filter(recovered_at=None).exclude(machine_id__in=machines)
            if other.closed_at is None and not left.exists():
                close(other, by=AUTOMATION, reason=f"part of incident {incident.pk}: {incident.title}")


# ---- a fault that opens while its like are known ----


def may_be_mass(change: Change, faults: Sequence[Fault]) -> bool:
    """Whether so many machines fail like this one that the next round may find a common cause."""
    limits, now = limits_of(automation_of(change.site_id)), timezone.now()
    least = min(limits.cause_machines + 1, limits.suspicious_machines)
    return any(alike.alike_within(fault, change.site_id, now, limits) >= least for fault in faults)


def _waiting(site_id: int) -> Any:
    """Incidents whose tickets wait for this round."""
    rows = Incident.objects.filter(site_id=site_id, kind=Incident.Kind.MACHINE, closed_at=None, cause_due=True)
    return rows.order_by("pk").values_list("pk", "machine_id")


def _release(waiting: Iterable[tuple[int, int | None]]) -> None:
    """Let the tickets open of machines that failed alike and still stand for themselves after a round."""
    for pk, machine_id in waiting:
        assert machine_id is not None
        with alone("ticket_not_released", machine=machine_id), changing(machine_id, actor=AUTOMATION) as change:
            _release_one(change, pk)


def _release_one(change: Change, incident_id: int) -> None:
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at is not None or not incident.cause_due:
        return
    incident.cause_due = False
    incident.save(update_fields=["cause_due"])
    faults = views.leading_faults(machine_id=change.machine_id, incident=incident)
    if incident.needs_person_at is not None:
        say_person_is_needed(change, incident, faults)
        return
    _see_again(change, faults)


def _see_again(change: Change, faults: Iterable[Fault]) -> None:
    for fault in faults:
        data = event_data(fault.pk, change.machine_id, fault.slot, fault.fault_class)
        change.later("fault.seen_again", f"fault:{fault.pk}", data)


def hold_supplies(change: Change) -> None:
    """Have dead supplies of a locked machine wait with their tickets while their feed may be dead."""
    faults = _supplies().filter(machine_id=change.machine_id, cause_due=False)
    since = {fault.pk: fault.confirmed_at for fault in faults if fault.confirmed_at is not None}
    if since and alike.wait_for_meters(change.site_id, {change.machine_id: max(since.values())}, timezone.now()):
        Fault.objects.filter(pk__in=since).update(cause_due=True)


def _supplies() -> QuerySet[Fault]:
    return Fault.objects.filter(status=Fault.Status.CONFIRMED, led_by=None, fault_class__in=causes.OF_SUPPLY)


def _release_supplies(site_id: int, now: datetime) -> None:
    """Let the tickets open of supplies whose feed is known to carry by now, or that waited long enough. One query where
    none waits."""
    faults: dict[int, list[Fault]] = {}
    for fault in _supplies().filter(machine__device__site_id=site_id, cause_due=True).order_by("machine_id", "pk"):
        faults.setdefault(fault.machine_id, []).append(fault)
    since = {pk: max(fault.confirmed_at or now for fault in mine) for pk, mine in faults.items()}
    for machine_id in sorted(faults.keys() - alike.wait_for_meters(site_id, since, now)):
        with alone("ticket_not_released", machine=machine_id), changing(machine_id, actor=AUTOMATION) as change:
            Fault.objects.filter(pk__in=[fault.pk for fault in faults[machine_id]]).update(cause_due=False)
            _see_again(change, faults[machine_id])


def _let_stand_alone(site_id: int) -> None:
    """Make what ended incidents left of faults their machines' own, as when a person ends one. One query without any.

    An incident that another swallowed, or whose machines are out of use, ends while faults of it still stand. Those of
    a machine that is in no pool wait until it is.
    """
    left = Fault.objects.filter(
        incident__site_id=site_id, incident__kind=Incident.Kind.SHARED, incident__closed_at__isnull=False
    ).exclude(Q(status=Fault.Status.CLEARED) | Q(machine__health__state__in=OUTSIDE_POOL))
    for machine_id, pk in sorted(set(left.values_list("machine_id", "incident_id"))):
        with alone("fault_without_incident", machine=machine_id), changing(machine_id, actor=AUTOMATION) as change:
            stand_alone(change, Incident.objects.get(pk=pk))


# ---- until they recover ----


def settle(site_id: int, now: datetime) -> int:
    """Write down which machines recovered; end incidents that are over. Returns how many go on."""
    count = 0
    for pk in list(open_incidents(site_id).order_by("pk").values_list("pk", flat=True)):
        with alone("mass_not_settled", incident=pk), transaction.atomic():
            incident = Incident.objects.select_for_update().filter(pk=pk, closed_at=None).first()
            if incident is not None:
                count += not _settle(incident, now)
    return count


def _settle(incident: Incident, now: datetime) -> bool:
    """Whether it is over now. The caller holds its lock."""
    left = set(incident.members.filter(recovered_at=None).values_list("machine_id", flat=True))
    well = left - still_failing(incident, left)
    incident.members.filter(machine_id__in=well).update(recovered_at=now)
    total = incident.members.count()
    measured = incident.fault_class in causes.FOLLOWS
    if well == left and not incident.cause_stands and (total or measured):
        passed = f"all {total} machines pass again" if total else "no machine fails"
        close(incident, by=AUTOMATION, reason=f"its meters say that it works, {passed}" if measured else passed)
        return True
    late = incident.verify_by is not None and incident.verify_by <= now
    expired = incident.suspect_until is not None and incident.suspect_until <= now
    title = incident.title if measured else _title(incident)
    if late or well or expired or title != incident.title:
        incident.title, incident.verify_by = title, None if late else incident.verify_by
        incident.suspect_until = None if expired else incident.suspect_until
        incident.save(update_fields=["title", "verify_by", "suspect_until"])
        tell(incident, "incident.still_failing" if late else "incident.changed", AUTOMATION)
    return False


def still_failing(incident: Incident, machines: Iterable[int]) -> set[int]:
    """Those of its machines that still fail alike or by its cause, or were not heard again. Machines out of use do not
    count."""
    ids, kind = set(machines), alike.of_incident(incident)
    faults = Fault.objects.filter(machine_id__in=ids, fault_class__in=causes.classes_of(kind))
    failing = {
        machine_id
        for machine_id, of, message in faults.exclude(status=Fault.Status.CLEARED).values_list(
            "machine_id", "fault_class", "message"
        )
        if causes.is_about(kind, causes.alike(of, message))
    }
    if causes.is_about(kind, alike.LOST_CONTACT):
        not_heard = MachineHealth.objects.filter(machine_id__in=ids).exclude(
            reachability=MachineHealth.Reachability.REACHABLE
        )
        failing |= set(not_heard.values_list("machine_id", flat=True))
    gone = MachineHealth.objects.filter(machine_id__in=ids, state__in=_NOT_SWEPT)
    return failing - set(gone.values_list("machine_id", flat=True))


def verify(incident_id: int, *, actor: str) -> int:
    """Look again at every machine of an incident that did not recover; returns at how many. Slow: for a worker.

    Without a person, machines in maintenance are left to whoever works on them.
    """
    incident = Incident.objects.get(pk=incident_id)
    members = incident.members.filter(recovered_at=None)
    if actor == AUTOMATION:
        members = members.exclude(machine__health__state=State.MAINTENANCE)
    left = set(members.values_list("machine_id", flat=True))
    faults: dict[int, list[int]] = {}
    rows = incident.faults.filter(machine_id__in=left).exclude(status=Fault.Status.CLEARED)
    for machine_id, pk in rows.order_by("machine_id", "pk").values_list("machine_id", "pk"):
        faults.setdefault(machine_id, []).append(pk)
    for machine_id, pks in faults.items():
        with alone("verification_not_asked", machine=machine_id):
            request_verification(machine_id, fault_ids=pks, owner=AUTOMATION, actor=actor)
    if left - faults.keys():
        request_sweep(sorted(left - faults.keys()), Sweep.Kind.MANUAL, actor=actor)
    return len(left)


@transaction.atomic
def ask_to_verify(incident_id: int, *, actor: str) -> bool:
    """A person says that the cause is mended: its machines have `VERIFY_S` to pass. False: it is over already.

    Ends with `incident.closed` when all of them pass, else with `incident.still_failing`.
    """
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at is not None:
        return False
    incident.verify_by = timezone.now() + timedelta(seconds=VERIFY_S)
    incident.save(update_fields=["verify_by"])
    after_commit("health.remediation.tasks.verify_incident", incident_id, actor)
    return True


@transaction.atomic
def lift(incident_id: int, *, by: str, reason: str) -> Incident:
    """A person trusts faults of this kind again: automation may act by those that open from now on.

    The machines of the incident stay as they are until it is closed, and no other comes to it.
    """
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at is None and incident.kind == Incident.Kind.SHARED and not incident.lifted_by:
        incident.suspect_until, incident.lifted_by, incident.lift_reason = None, by, reason[:300]
        incident.save(update_fields=["suspect_until", "lifted_by", "lift_reason"])
        tell(incident, "incident.changed", by)
    return incident


# ---- above the floor ----


HAS_OPEN = "SELECT EXISTS (SELECT FROM health_incident WHERE site_id = %s AND kind = 'shared' AND closed_at IS NULL)"


def open_masses(site_id: int, now: datetime) -> list[OpenMass]:
    """The open shared incidents of a site. One query, and one more where there are some: every floor asks."""
    ((has_open,),) = prepared.rows(HAS_OPEN, [site_id])
    if not has_open:
        return []
    rows = Incident.objects.filter(site_id=site_id, kind=Incident.Kind.SHARED, closed_at=None).annotate(
        machines=Count("members"), recovered=Count("members", filter=Q(members__recovered_at__isnull=False))
    )
    return [
        OpenMass(
            id=row.pk,
            title=row.title,
            opened_at=row.opened_at,
            machines=row.machines,
            recovered=row.recovered,
            suspected=str(alike.of_incident(row)) if is_suspected(row, now) else "",
            suspect_until=row.suspect_until,
        )
        for row in rows.order_by("pk")
    ]


def notices_of_masses(site_id: int) -> list[dict[str, Any]]:
    """What the floor says of mass failures and suspicion."""
    return notices(open_masses(site_id, timezone.now()))
