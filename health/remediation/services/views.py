"""Rows as the values that `health.remediation` decides on. A fixed number of queries, however many machines.

What cannot be read is None there, and None refuses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import connection
from django.db.models import CharField, Count, Max, Q, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from core.instance import state as instance
from core.models import Site
from health.checks.levels import Rung
from health.checks.responses import Response, hardest
from health.diagnostics.models import ActiveMachine
from health.machines.calls import AUTOMATION, TEST
from health.machines.lifecycle import OUTSIDE_POOL, State
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import Hold, MachineHealth, Pool
from health.machines.services.counts import count_pools
from health.machines.services.limits import limits_of
from health.monitoring.models.faults import Fault
from health.monitoring.queries.policy import observed_checks
from health.remediation import breaker, records
from health.remediation.models import AllowedWindow, Incident, RemediationAction, RemedySwitch
from health.remediation.planner import Rules
from health.remediation.remedies import REMEDIES
from health.remediation.services.causes import alike
from health.remediation.services.causes.places import causes_of, sharing_power
from health.remediation.services.clock import CLOCKS
from health.remediation.services.rungs import start_rung
from health.remediation.types import (
    OPEN,
    WEEK,
    Action,
    Cause,
    IncidentView,
    MachineView,
    PoolView,
    SiteView,
    Switches,
    Window,
)

POWER = [remedy.name for remedy in REMEDIES if remedy.power]
HOUR, TEN_MINUTES = timedelta(hours=1), timedelta(minutes=10)
NEWEST = 500  # verifications that are read to count machines in a row
_OUTSIDE = [state.value for state in OUTSIDE_POOL]


# ---- actions ----


def action_view(row: RemediationAction) -> Action:
    """Raises `records.UnreadableRecord`."""
    values: dict[str, Any] = {
        field.name: getattr(row, field.name) for field in fields(Action) if field.name not in ("machine", "incident")
    }
    return records.read(values | {"machine": row.machine_id, "incident": row.incident_id})


def is_by_person(row: RemediationAction) -> bool:
    """Whether a person started it by hand, and not automation by its plan."""
    return row.planned_by != AUTOMATION


def store_action(row: RemediationAction, action: Action) -> None:
    """Write back what a pure step made of a record; its identity never changes."""
    kept = ("machine", "incident", "rung", "attempt", "remedy", "planned_at")
    for field in fields(Action):
        if field.name not in kept:
            value = getattr(action, field.name)
            setattr(row, field.name, str(value) if field.name in ("state", "report") else value)
    row.save()


def _records(machine_ids: Sequence[int], now: datetime) -> dict[int, tuple[Action, ...] | None]:
    """Of each machine the actions of the last week and of its open incident; None when one cannot be read."""
    wanted = Q(planned_at__gte=now - WEEK) | Q(incident__closed_at=None) | Q(state__in=[state.value for state in OPEN])
    rows = RemediationAction.objects.filter(wanted, machine_id__in=machine_ids).order_by("pk")
    found: dict[int, list[Action] | None] = {machine_id: [] for machine_id in machine_ids}
    for row in rows:
        so_far = found[row.machine_id]
        if so_far is None:
            continue
        try:
            so_far.append(action_view(row))
        except records.UnreadableRecord:
            found[row.machine_id] = None
    return {machine_id: None if some is None else tuple(some) for machine_id, some in found.items()}


# ---- machines ----


def leading_faults(**where: Any) -> list[Fault]:
    """Confirmed, announced leaders: what incidents are made of."""
    found = Fault.objects.filter(status=Fault.Status.CONFIRMED, led_by=None, announced_at__isnull=False, **where)
    return list(found.select_related("incident").order_by("pk"))


def concerns_automation(fault: Fault) -> bool:
    """Whether automation could do anything about it: take the machine out, or restart a service in place."""
    if fault.takes_out:
        return True
    return fault.response == Response.TICKET and start_rung(fault) is Rung.SERVICE


def response_of(machine_id: int) -> Response:
    """The hardest response that a confirmed fault of a machine asks for."""
    asked = Fault.objects.filter(machine_id=machine_id, status=Fault.Status.CONFIRMED).values_list(
        "response", flat=True
    )
    return hardest(map(Response, asked))


def machine_views(machine_ids: Iterable[int], now: datetime) -> dict[int, MachineView]:
    """The machines as their rows say. A fixed number of queries."""
    ids = list(machine_ids)
    healths = MachineHealth.objects.filter(pk__in=ids).order_by("pk")
    faults: dict[int, list[Fault]] = defaultdict(list)
    for fault in leading_faults(machine_id__in=ids):
        if fault.incident is not None and fault.incident.closed_at is None:
            faults[fault.machine_id].append(fault)
    holds = _holders(ids)
    undrained = _undrained(ids, now)
    hang_on, sharing = causes_of(ids), sharing_power(ids)
    in_mass = alike.in_mass(ids)
    done = _records(ids, now)
    return {
        health.machine_id: MachineView(
            id=health.machine_id,
            pool=health.pool_id,
            state=State(health.state),
            state_since=health.state_since,
            incident=_incident_view(health.machine_id, faults[health.machine_id]),
            causes=_causes(hang_on.get(health.machine_id), faults[health.machine_id]),
            shares_power=sharing.get(health.machine_id),
            held_by=holds.get(health.machine_id, ()),
            records=done[health.machine_id],
            undrained=undrained.get(health.machine_id, {}),
            empty=is_empty(health),
            available=health.state == State.READY and health.reachability == MachineHealth.Reachability.REACHABLE,
            in_mass=health.machine_id in in_mass,
        )
        for health in healths
    }


def _causes(hang_on: tuple[Cause, ...] | None, faults: list[Fault]) -> tuple[Cause, ...] | None:
    """What the machine hangs on, for each kind of its trouble; without any, for whatever trouble others have."""
    kinds = sorted({str(alike.of_fault(fault)) for fault in faults}) or [""]
    return None if hang_on is None else tuple(Cause(c.kind, c.key, of) for c in hang_on for of in kinds)


def held_by_others(machine_id: int) -> tuple[str, ...]:
    """Owners of its live holds, other than its faults, and the run of active checks that has it."""
    return _holders([machine_id]).get(machine_id, ())


def _holders(machine_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Machine to who else has a say in it, in order. A run has machines that were out of service before it as well."""
    tested = ActiveMachine.objects.filter(machine_id__in=machine_ids, released_at=None)
    owner = Concat(Value(TEST), Cast("run_id", CharField()))
    held = Hold.objects.filter(machine_id__in=machine_ids, lifted_at=None).exclude(owner__startswith="fault:")
    rows = held.values_list("machine_id", "owner").union(tested.order_by().values_list("machine_id", owner))
    found: dict[int, set[str]] = defaultdict(set)
    for machine_id, name in rows:
        found[machine_id].add(name)
    return {machine_id: tuple(sorted(names)) for machine_id, names in found.items()}


def is_empty(health: MachineHealth) -> bool | None:
    """Whether nothing runs on it, as far as is known: what the scheduler says, and that a drain was complete."""
    if health.allocation == MachineHealth.Allocation.ALLOCATED:
        return False
    if health.allocation == MachineHealth.Allocation.IDLE:
        return True
    return True if health.state in (State.DRAINED, State.REMEDIATING) else None


def _incident_view(machine_id: int, faults: list[Fault]) -> IncidentView | None:
    """The machine's open incident with what its leading faults ask for together."""
    if not faults:
        return None
    incident = min((f.incident for f in faults if f.incident is not None), key=lambda i: (i.machine_id is None, i.pk))
    mine = [fault for fault in faults if fault.incident_id == incident.pk]
    checks = sorted({check for fault in mine for check in fault.checks})
    shared = any(f.incident is not None and f.incident.kind != Incident.Kind.MACHINE for f in faults)
    return IncidentView(
        id=incident.pk,
        machine=machine_id,
        checks=tuple(checks),
        start_rung=max((start_rung(fault) for fault in mine), default=Rung.TICKET),
        precedence=min(fault.precedence for fault in mine),
        opened_at=incident.opened_at,
        shared=shared,
        asked=incident.needs_person_at is not None,
        response=hardest((Response(fault.response) for fault in mine), Response.DRAIN),
        kinds=tuple(sorted({str(alike.of_fault(fault)) for fault in mine})),
    )


def _undrained(machine_ids: Sequence[int], now: datetime) -> dict[int, dict[str, datetime]]:
    """Machine to check to when a person last put it back against that check, as long as any rest is."""
    since = now - WEEK
    rows = Incident.objects.filter(machine_id__in=machine_ids, overridden_at__gte=since).order_by("overridden_at")
    found: dict[int, dict[str, datetime]] = defaultdict(dict)
    for machine_id, at, checks in rows.values_list("machine_id", "overridden_at", "faults__checks"):
        if machine_id is not None and at is not None:
            found[machine_id].update(dict.fromkeys(checks or (), at))
    return found


# ---- pools and sites ----


def pool_views(pool_ids: Iterable[int], now: datetime) -> dict[int, PoolView]:
    """Pools counted now. The caller holds their locks when it grants by them. Three queries for all."""
    pools = list(Pool.objects.filter(pk__in=list(pool_ids)))
    counts = count_pools([pool.pk for pool in pools])
    drained = {
        row["machine__health__pool_id"]: row
        for row in Incident.objects.filter(drained_at__gt=now - HOUR, machine__health__pool__in=pools)
        .order_by()
        .values("machine__health__pool_id")
        .annotate(hour=Count("pk"), ten=Count("pk", filter=Q(drained_at__gt=now - TEN_MINUTES)))
    }
    return {
        pool.pk: PoolView(
            id=pool.pk,
            size=counts[pool.pk].size,
            unavailable=counts[pool.pk].unavailable,
            drains_10min=drained[pool.pk]["ten"] if pool.pk in drained else 0,
            drains_1h=drained[pool.pk]["hour"] if pool.pk in drained else 0,
            stale=counts[pool.pk].stale,
            share=pool.max_unavailable_share,
            automation_on=pool.automation == Pool.Automation.ON,
        )
        for pool in pools
    }


def rules_of(row: SiteAutomation) -> Rules:
    """What people set at a site. Two queries."""
    modes: dict[tuple[str, str], bool] = {}
    switches = RemedySwitch.objects.filter(Q(site_id=row.site_id) | Q(site=None))
    for switch in sorted(switches, key=lambda switch: switch.site_id is not None):  # the site's own rows win
        modes[switch.check_id, switch.remedy] = switch.mode == RemedySwitch.Mode.ON
    windows = [
        Window(
            frozenset(day for day in range(7) if window.weekdays >> day & 1),
            window.from_time,
            window.to_time,
            frozenset(Rung(rung) for rung in window.rungs),
        )
        for window in AllowedWindow.objects.filter(site_id=row.site_id)
    ]
    return Rules(Switches(modes), limits_of(row), tuple(windows))


def local_time(site: Site, now: datetime) -> datetime:
    """Now by the site's clock; UTC where its time zone is not known."""
    try:
        return now.astimezone(ZoneInfo(site.timezone))
    except (ZoneInfoNotFoundError, ValueError):
        return now


def site_view(row: SiteAutomation, now: datetime) -> SiteView:
    """The site counted now; the caller holds the lock of its row when it grants by it."""
    site_id, limits = row.site_id, limits_of(row)
    since = row.breaker_closed_at or datetime.min.replace(tzinfo=now.tzinfo)
    actions = RemediationAction.objects.filter(machine__device__site_id=site_id)
    power = actions.filter(remedy__in=POWER).aggregate(
        open=Count("pk", filter=Q(state__in=["granted", "sent"])),
        hour=Count("pk", filter=Q(sent_at__gt=now - HOUR)),
        last=Max("sent_at"),
    )
    refused = Incident.objects.filter(
        site_id=site_id,
        refused_by__in=[guard.value for guard in breaker.COUNTED],
        refused_at__gt=max(now - HOUR, since),
    )
    ended = actions.filter(finished_at__gt=since, planned_by=AUTOMATION)  # what people try says nothing of automation
    heard = MachineHealth.objects.filter(machine__device__site_id=site_id).aggregate(at=Max("last_seen_at"))["at"]
    rows = alike.failing(site_id, now, limits)
    return SiteView(
        id=site_id,
        killed=row.killed or instance.is_paused(),
        breaker_open=row.breaker_open_at is not None,
        breaker_reason=row.breaker_reason,
        power_open=power["open"],
        power_1h=power["hour"],
        last_power_at=power["last"],
        cause_counts=alike.cause_counts(site_id, now, limits, rows),
        suspicious=alike.suspicious(site_id, now, limits, rows),
        observe_only=observe_only(site_id),
        refused_1h=refused.count(),
        ambiguous=ended.filter(state="ambiguous").count(),
        failed_verifications=_failed_in_a_row(ended),
        drained=_drained(site_id, max(now - timedelta(seconds=limits.breaker_drained_window_s), since)),
        size=MachineHealth.objects.filter(pool__site_id=site_id).exclude(state__in=_OUTSIDE).count(),
        clock_step_s=clock_step_s(heard),
        inventory_age_s=None if heard is None else max(0.0, (now - heard).total_seconds()),
    )


def _failed_in_a_row(ended: Any) -> int:
    """Machines whose newest verifications of actions failed, up to the first that passed."""
    newest = ended.exclude(verified=None).order_by("-finished_at").values_list("machine_id", "verified")
    return breaker.failed_in_a_row(newest[:NEWEST])


def _drained(site_id: int, since: datetime) -> int:
    """Machines of the site that automation took out since then, back in service or not."""
    drained = Incident.objects.filter(site_id=site_id, drained_at__gt=since)
    return drained.values("machine_id").distinct().count()


def clock_step_s(newest_look: datetime | None) -> float:
    """By how much a clock jumped, the largest of three: this machine's time of day against its steady clock, against
    the database's clock, and against the newest look, which cannot come from the future.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (theirs,) = cursor.fetchone()
    now = timezone.now()
    behind = (now - newest_look).total_seconds() if newest_look is not None else 0.0
    return max(CLOCKS.jumped(), (now - theirs).total_seconds(), min(0.0, behind), key=abs)


def observe_only(site_id: int) -> frozenset[str]:
    """Checks that people set to observe only, at this site or everywhere."""
    return frozenset(observed_checks(site_id))
