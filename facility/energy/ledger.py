"""Writes down what machines used, hour by hour, once the quarters of the hour are made. Each hour counts once.

How it is worked out is in `facility.judgement.energy`: the outlets that a machine hangs on, else its BMC, else what
others of its model drew; the rest of the time is unknown. Who used a machine, the scheduler's jobs say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import UTC, date, datetime, time, timedelta
from statistics import median
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Q

from core.models import Site
from core.work.alone import alone
from facility.facts import Part, Quantity
from facility.findings.models import Policy
from facility.findings.services import policy_of
from facility.history.rollup import floored
from facility.judgement.energy import IDLE, Energy, Rate, Slot, Tariff, Use, co2_kg, shares
from facility.meters.models import Meter
from facility.overview.last import PDU_KINDS, Places, places_of
from facility.overview.outlets import cords_of
from health.schedulers.models import SchedulerJob
from inventory.models import Machine
from inventory.power.graph import PowerGraph
from inventory.power.queries import site_graph

LOCK = 7_207
HOUR = timedelta(hours=1)
QUARTER_S = 900
MOST_HOURS = 12
"""Of one site in one run: a service that stood still for a week catches up in a quarter of an hour."""
QUARTERS = """
SELECT meter_id, at, layout_id, covered, mean FROM facility_quarter
WHERE meter_id = ANY(%s) AND at >= %s AND at < %s
"""
FIRST = """
SELECT min(told.at) FROM facility_quarter told JOIN facility_meter meter ON meter.id = told.meter_id
WHERE meter.site_id = %s
"""
ADD = """
INSERT INTO facility_energyday (site_id, day, machine_id, job_id, rack_id, pool_id, outlet_kwh, bmc_kwh, model_kwh,
    currency, cost, co2_kg, co2_kwh, total_s, unknown_s)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (day, machine_id, job_id, currency) DO UPDATE SET
    rack_id = coalesce(facility_energyday.rack_id, excluded.rack_id),
    pool_id = coalesce(facility_energyday.pool_id, excluded.pool_id),
    outlet_kwh = facility_energyday.outlet_kwh + excluded.outlet_kwh,
    bmc_kwh = facility_energyday.bmc_kwh + excluded.bmc_kwh,
    model_kwh = facility_energyday.model_kwh + excluded.model_kwh,
    cost = CASE WHEN excluded.cost IS NULL THEN facility_energyday.cost
        ELSE coalesce(facility_energyday.cost, 0) + excluded.cost END,
    co2_kg = CASE WHEN excluded.co2_kg IS NULL THEN facility_energyday.co2_kg
        ELSE coalesce(facility_energyday.co2_kg, 0) + excluded.co2_kg END,
    co2_kwh = facility_energyday.co2_kwh + excluded.co2_kwh,
    total_s = facility_energyday.total_s + excluded.total_s,
    unknown_s = facility_energyday.unknown_s + excluded.unknown_s
"""


class Place(NamedTuple):
    """Where a machine stands now, and the pool that it is in."""

    machine: int
    rack: int | None
    pool: int | None


def write_down() -> int:
    """Every hour whose quarters are made and that is not written down yet; returns how many. What goes wrong with one
    site does not keep the others, and is tried again.
    """
    count = 0
    for site_id in Site.objects.filter(meters__kind=Meter.Kind.MACHINE).distinct().values_list("pk", flat=True):
        with alone("energy_not_written_down", site=site_id):
            done = 0
            while done < MOST_HOURS and _next_hour(site_id):
                done += 1
                count += 1
    return count


@transaction.atomic
def _next_hour(site_id: int) -> bool:
    """One hour of a site with the mark that it is done, in one transaction. One process at a time."""
    name = f"energy:{site_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCK, site_id % 2**31])
        if not cursor.fetchone()[0]:
            return False
        cursor.execute("SELECT name, until FROM facility_rolledup WHERE name IN ('quarter', %s)", [name])
        made = dict(cursor.fetchall())
        if "quarter" not in made:
            return False
        begin = made[name] if name in made else _first_hour(cursor, site_id)
        if begin is None or begin + HOUR > made["quarter"]:
            return False
        write_hour(site_id, begin)
        cursor.execute(
            "INSERT INTO facility_rolledup VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET until = excluded.until",
            [name, begin + HOUR],
        )
    return True


def _first_hour(cursor: CursorWrapper, site_id: int) -> datetime | None:
    cursor.execute(FIRST, [site_id])
    (first,) = cursor.fetchone()
    return floored(first, HOUR) if first is not None else None


def write_hour(site_id: int, begin: datetime) -> None:
    """Add one hour of a site. A fixed number of statements."""
    rows_of_machines = Machine.objects.filter(device__site_id=site_id).exclude(device__status="retired")
    listed = rows_of_machines.values_list("pk", "device__model_id", "device__placement__rack_id", "health__pool_id")
    places = {pk: Place(pk, rack, pool) for pk, _, rack, pool in listed}
    machines = {pk: model for pk, model, *_ in listed}
    bmcs, outlets = _measured(site_id, begin, machines)
    uses = _uses(site_id, begin, machines)
    policy = policy_of(site_id)
    tariff = tariff_of(policy)
    rows = []
    for machine, model in machines.items():
        slots = [
            _slot(begin + n * timedelta(seconds=QUARTER_S), machine, model, machines, outlets, bmcs) for n in range(4)
        ]
        for key, (energy, cost) in shares(slots, uses.get(machine, ()), tariff).items():
            rows.append(_row(site_id, begin.astimezone(UTC).date(), places[machine], key, energy, cost, policy))
    with connection.cursor() as cursor:
        cursor.executemany(ADD, rows)


def tariff_of(policy: Policy) -> Tariff | None:
    """None where nobody has set what a kWh costs."""
    if policy.tariff_per_kwh is None:
        return None
    rates = tuple(
        Rate(time.fromisoformat(each["start"]), time.fromisoformat(each["end"]), each["per_kwh"],
             frozenset(each["weekdays"]))
        for each in policy.rates
    )  # fmt: skip
    return Tariff(float(policy.tariff_per_kwh), policy.currency, rates, ZoneInfo(policy.site.timezone))


def _row(
    site_id: int, day: date, place: Place, key: str, energy: Energy, cost: float | None, policy: Policy
) -> tuple[Any, ...]:
    by = energy.by_method
    factor = policy.co2_g_per_kwh
    co2_kwh = energy.kwh if factor is not None else None
    emitted = co2_kg(co2_kwh, factor / 1000 if factor is not None else None)
    job = None if key == IDLE else int(key)
    currency = policy.currency if policy.tariff_per_kwh is not None else ""
    return (
        site_id, day, place.machine, job, place.rack, place.pool,
        by.get("outlet", 0.0), by.get("bmc", 0.0), by.get("model", 0.0), currency, cost,
        emitted, co2_kwh or 0.0, energy.total_s, energy.unknown_s,
    )  # fmt: skip


# ---- what was measured ----


class Told(NamedTuple):
    """Mean watts of a quarter, and how much of it they cover, from 0 to 1."""

    watts: float
    coverage: float


class Quarter(NamedTuple):
    """A row of the history: one meter, one quarter, one layout. `device_id` is what the meter is."""

    device_id: int
    kind: str
    at: datetime
    layout: Places
    covered: Sequence[int]
    mean: Sequence[float | None]

    def powers(self, part: str) -> Iterator[tuple[str, float, int]]:
        """Name, mean watts and seconds of each point of a part that was known."""
        for (its, name), places in self.layout.items():
            place = places.get(Quantity.POWER_W)
            if its == part and place is not None and (watts := self.mean[place]) is not None:
                yield name, watts, self.covered[place]


ByQuarter = dict[tuple[int, datetime], Told]


def _measured(site_id: int, begin: datetime, machines: Iterable[int]) -> tuple[ByQuarter, ByQuarter]:
    """By machine and quarter: its BMC, and the sum of its outlets where all of them are known."""
    quarters = _quarters(site_id, begin)
    return _bmcs(quarters), _outlets(site_graph(site_id), quarters, set(machines))


def _quarters(site_id: int, begin: datetime) -> list[Quarter]:
    """An hour of the machines and PDUs of a site."""
    kinds = [Meter.Kind.MACHINE, *PDU_KINDS]
    listed = Meter.objects.filter(site_id=site_id, kind__in=kinds, device__isnull=False)
    meters = {pk: (device, kind) for pk, device, kind in listed.values_list("pk", "device_id", "kind")}
    with connection.cursor() as cursor:
        cursor.execute(QUARTERS, [list(meters), begin, begin + HOUR])
        rows = cursor.fetchall()
    layouts = places_of({row[2] for row in rows})
    return [Quarter(*meters[meter], at, layouts[layout], *told) for meter, at, layout, *told in rows]


def _bmcs(quarters: Iterable[Quarter]) -> ByQuarter:
    return _merged(
        (quarter.device_id, quarter.at, watts, seconds)
        for quarter in quarters
        if quarter.kind == Meter.Kind.MACHINE
        for name, watts, seconds in quarter.powers(Part.MACHINE)
        if not name
    )


def _outlets(planned: PowerGraph, quarters: Sequence[Quarter], machines: Set[int]) -> ByQuarter:
    pdus = [quarter for quarter in quarters if quarter.kind != Meter.Kind.MACHINE]
    inlets = cords_of(planned, _names(pdus)).inlets
    by_inlet = _merged(
        (inlet, quarter.at, watts, seconds)
        for quarter in pdus
        for name, watts, seconds in quarter.powers(Part.OUTLET)
        if (inlet := inlets.get((quarter.device_id, name))) is not None
    )
    return {
        (device.id, at): Told(sum(each.watts for each in told), min(each.coverage for each in told))
        for device in planned.devices.values()
        if device.id in machines and device.inlets
        for at in {quarter.at for quarter in pdus}
        if len(told := [by_inlet[inlet.id, at] for inlet in device.inlets if (inlet.id, at) in by_inlet])
        == len(device.inlets)
    }


def _names(pdus: Iterable[Quarter]) -> dict[int, list[str]]:
    """By PDU the outlets that it tells, in its own order, each once however many layouts it had."""
    names: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for quarter in pdus:
        names[quarter.device_id].update((name, None) for part, name in quarter.layout if part == Part.OUTLET)
    return {device: list(its) for device, its in names.items()}


def _merged(powers: Iterable[tuple[int, datetime, float, int]]) -> ByQuarter:
    """One value of each subject and quarter: a meter whose layout changed has several rows of one quarter."""
    sums: defaultdict[tuple[int, datetime], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for subject, at, watts, seconds in powers:
        weighted, covered = sums[subject, at]
        sums[subject, at] = weighted + watts * seconds, covered + seconds
    return {
        key: Told(weighted / covered, min(1.0, covered / QUARTER_S))
        for key, (weighted, covered) in sums.items()
        if covered
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
