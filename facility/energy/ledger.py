"""Writes down what machines used, hour by hour, once the quarters of the hour are made. Each hour counts once.

How it is worked out is in `facility.judgement.energy`: the outlets that a machine hangs on, else its BMC, else what
others of its model drew; the rest of the time is unknown. Who used a machine, the scheduler's jobs say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Q

from core.models import Site
from facility.facts import Part, Quantity
from facility.findings.models import Policy
from facility.findings.services import policy_of
from facility.history.rollup import floored
from facility.judgement.energy import IDLE, Energy, Slot, Tariff, Use, shares
from facility.meters.models import Meter
from facility.overview.last import PDU_KINDS, Places, places_of
from facility.overview.outlets import cords_of
from health.schedulers.models import SchedulerJob
from inventory.models import Machine
from inventory.power.queries import site_graph

LOCK = 7_207
NAME = "energy"
HOUR = timedelta(hours=1)
QUARTER_S = 900
MOST_HOURS = 12
"""Of one run: a service that stood still for a week catches up in a quarter of an hour."""
QUARTERS = """
SELECT meter_id, at, layout_id, covered_s, mean FROM facility_quarter
WHERE meter_id = ANY(%s) AND at >= %s AND at < %s
"""
ADD = """
INSERT INTO facility_energyday (site_id, day, machine_id, job_id, outlet_kwh, bmc_kwh, model_kwh, cost, co2_kg,
    total_s, unknown_s)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (day, machine_id, job_id) DO UPDATE SET
    outlet_kwh = facility_energyday.outlet_kwh + excluded.outlet_kwh,
    bmc_kwh = facility_energyday.bmc_kwh + excluded.bmc_kwh,
    model_kwh = facility_energyday.model_kwh + excluded.model_kwh,
    cost = CASE WHEN excluded.cost IS NULL THEN facility_energyday.cost
        ELSE coalesce(facility_energyday.cost, 0) + excluded.cost END,
    co2_kg = CASE WHEN excluded.co2_kg IS NULL THEN facility_energyday.co2_kg
        ELSE coalesce(facility_energyday.co2_kg, 0) + excluded.co2_kg END,
    total_s = facility_energyday.total_s + excluded.total_s,
    unknown_s = facility_energyday.unknown_s + excluded.unknown_s
"""


class Told(NamedTuple):
    """Mean watts of a quarter, and how much of it they cover, from 0 to 1."""

    watts: float
    coverage: float


def write_down() -> int:
    """Every hour whose quarters are made and that is not written down yet; returns how many. One process at a time."""
    count = 0
    while count < MOST_HOURS and _next_hour():
        count += 1
    return count


@transaction.atomic
def _next_hour() -> bool:
    """One hour of every site with the mark that it is done, in one transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        if not cursor.fetchone()[0]:
            return False
        cursor.execute("SELECT name, until FROM facility_rolledup WHERE name IN ('quarter', %s)", [NAME])
        made = dict(cursor.fetchall())
        if "quarter" not in made:
            return False
        if NAME not in made:
            cursor.execute("SELECT min(at) FROM facility_quarter")
            (first,) = cursor.fetchone()
            if first is None:
                return False
            made[NAME] = floored(first, HOUR)
        begin = made[NAME]
        if begin + HOUR > made["quarter"]:
            return False
        for site_id in Site.objects.filter(meters__kind=Meter.Kind.MACHINE).distinct().values_list("pk", flat=True):
            write_hour(site_id, begin)
        cursor.execute(
            "INSERT INTO facility_rolledup VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            [NAME, begin + HOUR],
        )
    return True


def write_hour(site_id: int, begin: datetime) -> None:
    """Add one hour of a site. A fixed number of statements."""
    rows_of_machines = Machine.objects.filter(device__site_id=site_id).exclude(device__status="retired")
    machines = dict(rows_of_machines.values_list("pk", "device__model_id"))
    outlets, bmcs = _measured(site_id, begin, machines)
    uses = _uses(site_id, begin, machines)
    policy = policy_of(site_id)
    tariff = tariff_of(policy)
    rows = []
    for machine, model in machines.items():
        slots = [
            _slot(begin + n * timedelta(seconds=QUARTER_S), machine, model, machines, outlets, bmcs) for n in range(4)
        ]
        for key, (energy, cost) in shares(slots, uses.get(machine, ()), tariff).items():
            rows.append(_row(site_id, begin.astimezone(UTC).date(), machine, key, energy, cost, policy))
    with connection.cursor() as cursor:
        cursor.executemany(ADD, rows)


def tariff_of(policy: Policy) -> Tariff | None:
    """None where nobody has set what a kWh costs."""
    if policy.tariff_per_kwh is None:
        return None
    return Tariff(float(policy.tariff_per_kwh), policy.currency)


def _row(
    site_id: int, day: date, machine: int, key: str, energy: Energy, cost: float | None, policy: Policy
) -> tuple[Any, ...]:
    by = energy.by_method
    measured = energy.kwh
    factor = policy.co2_g_per_kwh
    co2_kg = measured * factor / 1000 if measured is not None and factor is not None else None
    job = None if key == IDLE else int(key)
    return (
        site_id, day, machine, job, by.get("outlet", 0.0), by.get("bmc", 0.0), by.get("model", 0.0), cost, co2_kg,
        energy.total_s, energy.unknown_s,
    )  # fmt: skip


# ---- what was measured ----

ByQuarter = dict[tuple[int, datetime], Told]


def _measured(site_id: int, begin: datetime, machines: Iterable[int]) -> tuple[ByQuarter, ByQuarter]:
    """By machine and quarter: the sum of its outlets where all of them are known, and its BMC."""
    meters = list(
        Meter.objects.filter(site_id=site_id, kind__in=[Meter.Kind.MACHINE, *PDU_KINDS]).values_list(
            "pk", "kind", "device_id"
        )
    )
    by_meter = {pk: (kind, device) for pk, kind, device in meters}
    planned = site_graph(site_id)
    owner = {inlet.id: device.id for device in planned.devices.values() for inlet in device.inlets}
    cords = {device.id: len(device.inlets) for device in planned.devices.values()}
    with connection.cursor() as cursor:
        cursor.execute(QUARTERS, [list(by_meter), begin, begin + HOUR])
        rows = cursor.fetchall()
    layouts = places_of({row[2] for row in rows})
    plugged = cords_of(planned, _outlets_of(rows, layouts, by_meter))
    bmcs: ByQuarter = {}
    parts: defaultdict[tuple[int, datetime], list[Told]] = defaultdict(list)
    wanted = set(machines)
    for meter, at, layout, covered_s, mean in rows:
        kind, device = by_meter[meter]
        coverage = min(1.0, covered_s / QUARTER_S)
        if kind == Meter.Kind.MACHINE:
            place = layouts[layout].get((Part.MACHINE, ""), {}).get(Quantity.POWER_W)
            if place is not None and mean[place] is not None and device is not None:
                bmcs[device, at] = Told(mean[place], coverage)
            continue
        for (part, name), places in layouts[layout].items():
            place = places.get(Quantity.POWER_W)
            if part != Part.OUTLET or place is None or mean[place] is None:
                continue
            machine = owner.get(plugged.inlets.get((device or 0, name), 0))
            if machine in wanted and machine is not None:
                parts[machine, at].append(Told(mean[place], coverage))
    outlets = {
        (machine, at): Told(sum(each.watts for each in told), min(each.coverage for each in told))
        for (machine, at), told in parts.items()
        if len(told) == cords.get(machine)
    }
    return outlets, bmcs


def _outlets_of(
    rows: Iterable[tuple[Any, ...]], layouts: Mapping[int, Places], by_meter: Mapping[int, tuple[str, int | None]]
) -> dict[int, list[str]]:
    """By PDU the outlets that it tells, in its own order."""
    return {
        device: [name for part, name in layouts[layout] if part == Part.OUTLET]
        for meter, _, layout, *_ in rows
        for kind, device in [by_meter[meter]]
        if kind != Meter.Kind.MACHINE and device is not None
    }


def _slot(
    at: datetime, machine: int, model: int, machines: Mapping[int, int], outlets: ByQuarter, bmcs: ByQuarter
) -> Slot:
    outlet, bmc = outlets.get((machine, at)), bmcs.get((machine, at))
    alike = None
    if outlet is None and bmc is None:
        others = [bmcs[other, at].watts for other, its in machines.items() if its == model and (other, at) in bmcs]
        alike = median(others) if len(others) >= 3 else None
    return Slot(
        at, QUARTER_S,
        outlet.watts if outlet else None, outlet.coverage if outlet else 0.0,
        bmc.watts if bmc else None, bmc.coverage if bmc else 0.0, alike,
    )  # fmt: skip


def _uses(site_id: int, begin: datetime, machines: Iterable[int]) -> dict[int, list[Use]]:
    """The jobs of each machine in this hour, a job by its GPUs there where that is told."""
    end = begin + HOUR
    over = Q(ended_at=None) | Q(ended_at__gt=begin)
    jobs = SchedulerJob.objects.filter(over, source__site_id=site_id, started_at__lt=end).values_list(
        "pk", "started_at", "ended_at", "machine_ids", "gpus", "machine_count"
    )
    wanted = set(machines)
    found: defaultdict[int, list[Use]] = defaultdict(list)
    for pk, started_at, ended_at, ids, gpus, count in jobs:
        for machine in wanted.intersection(ids):
            weight = gpus / count if gpus else 1.0
            found[machine].append(Use(str(pk), started_at, ended_at or end, weight))
    return found
