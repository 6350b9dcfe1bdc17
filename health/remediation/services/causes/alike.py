"""What fails alike now: the rows behind mass failures, suspicion and the budget of each cause.

Machines that lost contact may have no fault: the sweeps that would find one return nothing. Their silence counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q

from health.machines.lifecycle import NOT_SWEPT, OUTSIDE_POOL, State
from health.machines.limits import Limits
from health.machines.models.machines import MachineHealth
from health.monitoring.models.faults import Fault
from health.monitoring.models.sweeps import Sweep, SweepShard
from health.monitoring.services.sweeps import periods
from health.monitoring.services.unreachable import LATE_SWEEPS
from health.remediation import causes as rules
from health.remediation.causes import CONTACT, Alike
from health.remediation.hooks import supply_in_doubt
from health.remediation.models import Incident, IncidentMachine
from health.remediation.services.causes.places import causes_of, members_of
from health.remediation.types import Cause

LOST_CONTACT = Alike(CONTACT)
Failing = dict[Alike, dict[int, datetime]]


def of_fault(fault: Fault) -> Alike:
    return rules.alike(fault.fault_class, fault.message)


def of_incident(incident: Incident) -> Alike:
    return Alike(incident.fault_class, incident.code)


def failing(site_id: int, now: datetime, limits: Limits) -> Failing:
    """Kind of trouble to the machines that have it since a moment ago, and since when. Six queries at most.

    What follows from a feed or cooling unit that fails by its meters is explained, and left out. So are supplies whose
    feed may be dead, until its meters say so or `PATIENCE` is over.
    """
    since = now - timedelta(seconds=limits.cause_window_s)
    found: Failing = defaultdict(dict)
    rows = Fault.objects.filter(
        machine__device__site_id=site_id,
        status=Fault.Status.CONFIRMED,
        led_by=None,
        announced_at__isnull=False,
        confirmed_at__gte=since,
    )
    seen = explained(site_id, since)
    for machine_id, fault_class, message, at in rows.order_by("confirmed_at").values_list(
        "machine_id", "fault_class", "message", "confirmed_at"
    ):
        kind = rules.alike(fault_class, message)
        if at is not None and at > seen.get(kind, since):
            found[kind][machine_id] = at
    for machine_id, at in lost_contact(site_id, since).items():
        if at > seen.get(LOST_CONTACT, since):
            found[LOST_CONTACT].setdefault(machine_id, at)
    measured = measured_causes(site_id) if found else []
    for kind, machines in found.items():
        left_out = {pk for cause, behind in measured if rules.is_about(cause, kind) for pk in behind}
        if kind.fault_class in rules.OF_SUPPLY:
            left_out |= wait_for_meters(site_id, machines, now)
        found[kind] = {pk: at for pk, at in machines.items() if pk not in left_out}
    return {kind: machines for kind, machines in found.items() if machines}


def measured_causes(site_id: int) -> list[tuple[Alike, frozenset[int]]]:
    """Kind of each feed or cooling unit that failed by its meters and is not over, with the machines that hang on it.
    One query."""
    rows = Incident.objects.filter(site_id=site_id, fault_class__in=rules.FOLLOWS, closed_at=None)
    return [(Alike(name), frozenset(behind)) for name, behind in rows.values_list("fault_class", "behind")]


def explained(site_id: int, since: datetime) -> dict[Alike, datetime]:
    """Kind of trouble to when an incident of it was last closed: what failed before that was explained."""
    closed = Incident.objects.filter(site_id=site_id, kind=Incident.Kind.SHARED, closed_at__gt=since)
    found: dict[Alike, datetime] = {}
    for fault_class, code, at in closed.order_by("closed_at").values_list("fault_class", "code", "closed_at"):
        if at is not None:
            found[Alike(fault_class, code)] = at
    return found


def lost_contact(site_id: int, since: datetime) -> dict[int, datetime]:
    """Machines that were not heard for too long, with the moment from which that was too long.

    Only a machine that several sweeps asked for lost contact. While nobody asked, because the service was down or the
    sweep that was to ask still waits for a worker after a restart, it is not known whether it would have answered.
    """
    unasked = SweepShard.objects.filter(
        sweep=OuterRef("pk"),
        lane=SweepShard.Lane.FAST,
        status__in=(SweepShard.Status.WAITING, SweepShard.Status.RUNNING),
    )
    asked = Sweep.objects.filter(~Exists(unasked), site_id=site_id, kind=Sweep.Kind.SCHEDULED)
    begun = asked.exclude(status=Sweep.Status.LATE).order_by("-started_at")
    starts = list(begun.values_list("started_at", flat=True)[:LATE_SWEEPS])
    if len(starts) < LATE_SWEEPS:
        return {}
    grace = timedelta(seconds=LATE_SWEEPS * periods.in_force().counted_s + settings.CONFIRM_DELAY_S)
    rows = MachineHealth.objects.filter(
        machine__device__site_id=site_id,
        reachability__in=SILENT,
        last_seen_at__gt=since - grace,
        last_seen_at__lt=starts[-1],
    ).exclude(state__in=[state.value for state in NOT_SWEPT])
    return {pk: at + grace for pk, at in rows.values_list("machine_id", "last_seen_at") if at is not None}


SILENT = (MachineHealth.Reachability.LATE, MachineHealth.Reachability.UNREACHABLE)


def silent_among(machine_ids: Iterable[int]) -> set[int]:
    """Those in use that were not heard when they should have been."""
    rows = MachineHealth.objects.filter(machine_id__in=list(machine_ids), reachability__in=SILENT)
    return set(rows.exclude(state__in=[state.value for state in NOT_SWEPT]).values_list("machine_id", flat=True))


# ---- supplies that may be dead with their feed ----

PATIENCE = timedelta(seconds=240)
"""How long a dead supply waits for the meters of its feed: three readings are missed, then a minute is judged."""


def wait_for_meters(site_id: int, since: Mapping[int, datetime], now: datetime) -> set[int]:
    """Machines of which a supply fails since then and whose feed may be dead: its meters are about to say so."""
    waiting = {pk for pk, at in since.items() if now - at < PATIENCE}
    return {pk for in_doubt in supply_in_doubt for pk in in_doubt(site_id, waiting, now)} if waiting else set()


# ---- mass failures ----


def mass_of(site_id: int, limits: Limits) -> Callable[[Iterable[int]], bool]:
    """The question whether alike faults on these machines are a mass failure in any pool. One query; none to ask it."""
    rows = MachineHealth.objects.filter(pool__site_id=site_id).exclude(
        state__in=[state.value for state in OUTSIDE_POOL]
    )
    pool_of = dict(rows.values_list("machine_id", "pool_id"))
    sizes = Counter(pool_of.values())

    def is_mass(machines: Iterable[int]) -> bool:
        counts = Counter(pool_of[machine] for machine in machines if machine in pool_of)
        return any(rules.mass_failure(count, sizes[pool], limits) for pool, count in counts.items())

    return is_mass


def suspicious(site_id: int, now: datetime, limits: Limits, rows: Failing) -> frozenset[str]:
    """Kinds of trouble that automation may not act by: of open incidents, and what fails in a mass since a moment ago.

    Faults of them open and get their ticket all the same.
    """
    held = Incident.objects.filter(site_id=site_id, kind=Incident.Kind.SHARED, closed_at=None)
    suspected: dict[Alike, bool] = {}
    for fault_class, code, until in held.values_list("fault_class", "code", "suspect_until"):
        kind = Alike(fault_class, code)
        suspected[kind] = suspected.get(kind, False) or (until is not None and until > now)
    many = [kind for kind, machines in rows.items() if len(machines) >= limits.suspicious_machines]
    many = [kind for kind in many if kind not in suspected]  # a person may have lifted what is suspected
    if many:
        is_mass = mass_of(site_id, limits)
        suspected |= {kind: is_mass(rows[kind]) for kind in many}
    return frozenset(str(kind) for kind, on in suspected.items() if on and kind.fault_class)


def in_mass(machine_ids: Iterable[int]) -> frozenset[int]:
    """Those that belong to an open shared incident and did not recover."""
    rows = IncidentMachine.objects.filter(machine_id__in=list(machine_ids), recovered_at=None, incident__closed_at=None)
    return frozenset(rows.values_list("machine_id", flat=True))


# ---- the budget of each cause ----


def cause_counts(site_id: int, now: datetime, limits: Limits, rows: Failing) -> dict[Cause, frozenset[int]]:
    """Cause and kind of trouble to the machines that we took out for it within `cause_out_s`, or that have it now.

    One that has been out for longer waits for a part or a hand, and says nothing about what it shares with others.
    Only causes of which as large a share is affected as makes them one; of a switch with a hundred machines two say
    nothing. With an empty `of`: machines out for whatever trouble, which planned work counts.
    """
    since = now - timedelta(seconds=limits.cause_out_s)
    out = Incident.objects.filter(
        site_id=site_id, kind=Incident.Kind.MACHINE, closed_at=None, drained_at__gte=since, machine__isnull=False
    ).exclude(machine__health__state=State.READY.value)
    having: dict[int, set[str]] = defaultdict(set)
    seen = explained(site_id, since)
    for machine_id, at, fault_class, message in out.values_list(
        "machine_id", "drained_at", "faults__fault_class", "faults__message"
    ):
        kind = rules.alike(fault_class or "", message or "")
        if machine_id is not None and at is not None and at > seen.get(kind, since):
            having[machine_id] |= {"", str(kind)}
    for kind, machines in rows.items():
        for machine_id in machines:
            having[machine_id] |= {"", str(kind)}
    counts: dict[Cause, set[int]] = defaultdict(set)
    for machine_id, hung in causes_of(having).items():
        for cause in hung:
            for of in having[machine_id]:
                counts[Cause(cause.kind, cause.key, of)].add(machine_id)
    return _large(site_id, counts, limits)


def _large(site_id: int, counts: Mapping[Cause, set[int]], limits: Limits) -> dict[Cause, frozenset[int]]:
    """Those that with one machine more would be a common cause."""
    enough = {cause: machines for cause, machines in counts.items() if len(machines) >= limits.cause_machines}
    if not enough:
        return {}
    sizes = members_of(site_id, {Cause(cause.kind, cause.key) for cause in enough})
    return {
        cause: frozenset(machines)
        for cause, machines in enough.items()
        if len(machines) + 1 >= limits.cause_share * len(sizes.get(Cause(cause.kind, cause.key), ()))
    }


def alike_within(fault: Fault, site_id: int, now: datetime, limits: Limits) -> int:
    """Machines of the site with a fault like this one that was confirmed a moment ago, this one too. One query."""
    rows = Fault.objects.filter(
        Q(confirmed_at__gte=now - timedelta(seconds=limits.cause_window_s)),
        machine__device__site_id=site_id,
        fault_class=fault.fault_class,
        status=Fault.Status.CONFIRMED,
        led_by=None,
    )
    same = of_fault(fault)
    messages = rows.values("machine_id", "message").annotate(Count("pk")).values_list("machine_id", "message")
    return len({machine for machine, message in messages if rules.alike(fault.fault_class, message) == same})
