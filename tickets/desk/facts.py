"""What tickets cost now, for many at once: a fixed number of statements whatever their number."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, FilteredRelation, Q, Sum

from health.checks.faults import FAULT_CLASSES
from health.checks.responses import UNKNOWN_CLASS, Response
from health.machines.lifecycle import State
from health.machines.specs import usable
from health.models import Fault, Incident, MachineHealth, SchedulerMachine, SchedulerSource
from health.schedulers import board
from inventory.models import Component, Stock
from inventory.specs.device_model import DeviceModelSpec
from runs.models import RunRank, TrainingRun
from tickets import texts
from tickets.desk.rules.priority import Facts, Redundancy
from tickets.models import Clearance, Ticket, TicketFault

SERVING = (State.READY, State.DRAINING)
"""What runs there goes on."""
GONE_FROM_US = (State.RETIRED, State.NEW)
BY_NATURE_OUT = ("incident", "provisioning", "fabric")
"""Sources of tickets whose machines are out because of them."""


@dataclass(frozen=True)
class Machine:
    """What counts of one machine."""

    pk: int
    out: bool
    gpus: int
    pool: int | None
    room: int | None
    room_name: str
    spec: DeviceModelSpec | None


@dataclass
class World:
    """Everything that was read for a batch of tickets."""

    machines: dict[int, Machine]
    affected: dict[int, set[int]]
    """Ticket to the machines it may keep from work."""
    faults: dict[int, list[tuple[str, str]]]
    """Ticket to (class, response) of what is not cleared."""
    jobs: list[tuple[str, frozenset[int]]]
    known: set[int]
    """Machines whose scheduler answers."""
    stopped: Mapping[int, set[int]]
    """Ticket to the training runs that its faults stopped."""
    spares: Mapping[tuple[int, int], int]
    """(pool, room) to idle machines."""
    no_idle_known: set[int]
    """Pools whose scheduler says of no machine whether it is idle."""
    parts: Mapping[tuple[int, str], int]
    """(site, kind of part) to good spares."""
    bad_psus: Mapping[int, int]
    standing: set[int]
    """Tickets of feeds and cooling units that fail by their meters."""


def facts_of(tickets: Sequence[Ticket]) -> dict[int, Facts]:
    """By the id of the ticket."""
    world = read(tickets)
    return {ticket.pk: _facts(ticket, world) for ticket in tickets}


def read(tickets: Sequence[Ticket]) -> World:
    """At most fourteen statements."""
    (affected, standing), faults = _affected(tickets), _faults(tickets)
    every = set().union(*affected.values())
    machines = _machines(every)
    pools = {machine.pool for machine in machines.values() if machine.pool is not None}
    spares, no_idle_known = _spares(pools)
    return World(
        machines, affected, faults, _jobs(every), _answering(every), _stopped(tickets), spares, no_idle_known,
        _parts({ticket.site_id for ticket in tickets}), _bad_psus(every), standing,
    )  # fmt: skip


def _affected(tickets: Sequence[Ticket]) -> tuple[dict[int, set[int]], set[int]]:
    """The ticket's own machine, those of its incident that did not recover, those it keeps drained for cabling; and the
    tickets of feeds and cooling units that fail by their meters."""
    found: dict[int, set[int]] = {ticket.pk: set() for ticket in tickets}
    by_incident: dict[int, list[int]] = defaultdict(list)
    for ticket in tickets:
        if ticket.machine_id is not None:
            found[ticket.pk].add(ticket.machine_id)
        if ticket.incident_id is not None:
            by_incident[ticket.incident_id].append(ticket.pk)
    unwell = FilteredRelation("members", condition=Q(members__recovered_at=None))
    rows = Incident.objects.filter(pk__in=by_incident).annotate(unwell=unwell)
    standing: set[int] = set()
    for incident, stands, machine in rows.values_list("pk", "cause_stands", "unwell__machine_id"):
        for pk in by_incident[incident]:
            if stands:
                standing.add(pk)
            if machine is not None:
                found[pk].add(machine)
    cabling = Clearance.objects.filter(ticket__in=found, machine__isnull=False).exclude(state=Clearance.State.LIFTED)
    for pk, drained in cabling.values_list("ticket_id", "machine_id"):
        if drained is not None:
            found[pk].add(drained)
    return found, standing


def _faults(tickets: Sequence[Ticket]) -> dict[int, list[tuple[str, str]]]:
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    rows = TicketFault.objects.filter(ticket__in=[ticket.pk for ticket in tickets])
    rows = rows.exclude(fault__status=Fault.Status.CLEARED)
    for pk, name, response in rows.values_list("ticket_id", "fault__fault_class", "fault__response"):
        found[pk].append((name, response))
    return found


def _machines(ids: Collection[int]) -> dict[int, Machine]:
    rack = "machine__device__placement__rack__room"
    rows = MachineHealth.objects.filter(pk__in=ids).values_list(
        "pk", "state", "reachability", "pool_id", f"{rack}_id", f"{rack}__name", "machine__device__model__spec"
    )
    found = {}
    for pk, state, reachability, pool, room, name, stored in rows:
        spec = usable(stored)
        out = state not in (*SERVING, *GONE_FROM_US) or reachability == MachineHealth.Reachability.UNREACHABLE
        found[pk] = Machine(pk, out, _gpus(spec), pool, room, name or "", spec)
    return found


def _gpus(spec: DeviceModelSpec | None) -> int:
    if spec is None:
        return 0
    return spec.gpu.count if spec.gpu else len(spec.slots_of("gpu"))


def _jobs(ids: Collection[int]) -> list[tuple[str, frozenset[int]]]:
    """Jobs and training runs with their machines; a run of a job that is listed too is one of both."""
    jobs = board.running_on(ids)
    found = [(f"job {job.pk}", frozenset(job.machine_ids)) for job in jobs]
    names = {(job.source.site_id, name) for job in jobs for name in (job.label, job.job_id)}
    ranks = RunRank.objects.filter(machine_id__in=ids, run__ended_at=None).distinct()
    runs: dict[int, set[int]] = defaultdict(set)
    for run, site, job, machine in ranks.values_list("run_id", "run__site_id", "run__job", "machine_id"):
        if (site, job) not in names:
            runs[run].add(machine or 0)
    return [*found, *((f"run {run}", frozenset(on)) for run, on in runs.items())]


def _answering(ids: Collection[int]) -> set[int]:
    """Machines of which a scheduler that answers says what runs there."""
    named = SchedulerMachine.objects.filter(
        machine_id__in=ids, source__enabled=True, source__state=SchedulerSource.State.GOOD
    )
    return {pk for pk in named.values_list("machine_id", flat=True) if pk is not None}


def _stopped(tickets: Sequence[Ticket]) -> Mapping[int, set[int]]:
    """Training runs that a fault of the ticket ended and that were not started again on other machines."""
    links = TicketFault.objects.filter(ticket__in=[ticket.pk for ticket in tickets])
    by_fault: dict[int, list[int]] = defaultdict(list)
    for pk, fault in links.values_list("ticket_id", "fault_id"):
        by_fault[fault].append(pk)
    runs = list(
        TrainingRun.objects.filter(fault_id__in=by_fault).values_list("pk", "fault_id", "site_id", "name", "started_at")
    )
    found: dict[int, set[int]] = defaultdict(set)
    live = _live_names(runs)
    for run, fault, site, name, started in runs:
        again = live.get((site, name))
        if again is None or again <= started:
            for pk in by_fault[fault or 0]:
                found[pk].add(run)
    return found


def _live_names(runs: Iterable[Sequence[Any]]) -> dict[tuple[int, str], Any]:
    """(site, name) of those of these runs that run now, to when the newest of them started."""
    names = {run[3] for run in runs}
    rows = TrainingRun.objects.filter(name__in=names, ended_at=None)
    return {
        (site, name): at for site, name, at in rows.order_by("started_at").values_list("site_id", "name", "started_at")
    }


def _spares(pools: Collection[int]) -> tuple[Mapping[tuple[int, int], int], set[int]]:
    rows = MachineHealth.objects.filter(pool__in=pools, state=State.READY).values(
        "pool_id", "machine__device__placement__rack__room_id", "allocation"
    )
    found: Counter[tuple[int, int]] = Counter()
    told: set[int] = set()
    for row in rows.annotate(count=Count("pk")).order_by():
        if row["allocation"] != MachineHealth.Allocation.UNKNOWN:
            told.add(row["pool_id"])
        if row["allocation"] == MachineHealth.Allocation.IDLE:
            found[row["pool_id"], row["machine__device__placement__rack__room_id"]] += row["count"]
    return found, set(pools) - told


def _parts(sites: Collection[int]) -> Mapping[tuple[int, str], int]:
    """Good parts on a shelf: those with a serial, and those that are only counted."""
    found: Counter[tuple[int, str]] = Counter()
    lying = Component.objects.filter(site__in=sites, condition=Component.Condition.GOOD, storage__isnull=False)
    for site, kind, count in (
        lying.values("site_id", "kind").annotate(n=Count("pk")).values_list("site_id", "kind", "n")
    ):
        found[site, kind] += count
    counted = Stock.objects.filter(storage__site__in=sites, quantity__gt=0).values("storage__site_id", "kind")
    for site, kind, count in (
        counted.annotate(n=Sum("quantity")).order_by().values_list("storage__site_id", "kind", "n")
    ):
        found[site, kind] += count
    return found


def _bad_psus(ids: Collection[int]) -> Mapping[int, int]:
    """Machine to how many of its power supplies have a confirmed fault."""
    rows = Fault.objects.filter(machine__in=ids, status=Fault.Status.CONFIRMED, fault_class__startswith="psu.")
    return Counter(pk for pk, _ in rows.values_list("machine_id", "slot").distinct())


def _facts(ticket: Ticket, world: World) -> Facts:
    faults = world.faults.get(ticket.pk, [])
    responses = _responses(ticket, faults)
    takes_out = ticket.source in BY_NATURE_OUT or any(response.takes_out for response in responses)
    affected = [world.machines[pk] for pk in sorted(world.affected[ticket.pk]) if pk in world.machines]
    out = [machine for machine in affected if machine.out] if takes_out else []
    spares, room = _spare_machines(out, world)
    return Facts(
        severity=min([*(texts.priority(name, Response(response)) for name, response in faults), _opened_as(ticket)]),
        danger=Response.DRAIN_NOW in responses or ticket.pk in world.standing,
        machines_out=len(out),
        gpus_out=sum(machine.gpus for machine in out),
        jobs_hurt=_hurt(ticket, affected, world, takes_out=takes_out),
        spare_machines=spares,
        room=room,
        redundancy=_redundancy(ticket, world),
        spare_parts=_spare_parts(ticket, world),
    )


def _responses(ticket: Ticket, faults: Sequence[tuple[str, str]]) -> list[Response]:
    """What its faults ask for; as it opens none is linked yet, and what its class asks for counts."""
    if faults or ticket.source != "fault":
        return [Response(response) for _, response in faults]
    known = FAULT_CLASSES.get(ticket.fault_class)
    return [known.response if known is not None else UNKNOWN_CLASS]


def _opened_as(ticket: Ticket) -> str:
    return ticket.severity or ticket.priority


def _hurt(ticket: Ticket, affected: Sequence[Machine], world: World, *, takes_out: bool) -> int | None:
    """Jobs on the machines that it takes out, and runs that it stopped; None where a scheduler does not say and none
    is known. Jobs on a machine that stays in service are not hurt. Of a link nobody knows which jobs cross it; those
    on the machines that its repair drains are hurt by the repair."""
    ids = {machine.pk for machine in affected}
    hurt = {f"run {pk}" for pk in world.stopped.get(ticket.pk, ())}
    if ticket.source == "fabric":
        return len(hurt) or None
    if takes_out:
        hurt |= {name for name, on in world.jobs if on & ids}
    return len(hurt) if hurt or ids <= world.known else None


def _spare_machines(out: Sequence[Machine], world: World) -> tuple[int | None, str]:
    """Idle machines that could stand in for those that are out, in the room of the first; None where nobody says."""
    first = next((machine for machine in out if machine.pool is not None), None)
    if first is None or first.pool is None or first.pool in world.no_idle_known:
        return None, first.room_name if first else ""
    return world.spares.get((first.pool, first.room or 0), 0), first.room_name


def _redundancy(ticket: Ticket, world: World) -> Redundancy | None:
    """Of the power supplies, where the ticket is about one and the device model says how many may fail."""
    machine = world.machines.get(ticket.machine_id or 0)
    if machine is None or machine.spec is None or not ticket.fault_class.startswith("psu."):
        return None
    spec = machine.spec
    if not spec.psu_count or spec.psus is None or spec.psus.may_fail is None:
        return None
    working = max(spec.psu_count - max(world.bad_psus.get(machine.pk, 0), 1), 0)
    return Redundancy("PSU", working, spec.psu_count - spec.psus.may_fail, spec.psu_count)


def _spare_parts(ticket: Ticket, world: World) -> int | None:
    machine = world.machines.get(ticket.machine_id or 0)
    if machine is None or machine.spec is None:
        return None
    slot = next((slot for slot in machine.spec.slots if slot.name == ticket.part), None)
    return world.parts.get((ticket.site_id, slot.kind), 0) if slot is not None else None
