"""Power and cooling of the reference fleet: a round of its PDUs, sums and findings, charts, what a year takes on disk.

The PDUs are those of the virtual hall, in a process of its own: a round of them is read as the workers do it. What they
told is what the history is filled with, for as long as each of its tables is kept; machines tell what a BMC and the
probe tell. With `--growth` every meter has its year, else one in ten, which is what a chart finds its own rows among.
"""

from __future__ import annotations

import logging
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks import facility_rows as made
from benchmarks.report import Context, Row
from benchmarks.server import Session, fresh_database, new_token, timed, web_process
from benchmarks.sweep import ensure_fleet, processor_s
from core.models import Credential, Site
from core.services import set_credential
from facility.energy import ledger
from facility.energy.models import EnergyDay
from facility.facts import Part, Quantity
from facility.history import charts, rollup, tables
from facility.meters import rounds
from facility.meters.models import Meter, MeterState
from facility.overview import sums
from inventory.models import Device, Rack
from simulator.from_inventory import plan_from_inventory
from simulator.heat.from_inventory import heat_from_inventory
from simulator.meters.doors import MeterDoors, meter_rows

SLICE = 241
ROUNDS = (30, 90, 270)
TIMES = 5
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SPANS = {"1 h": HOUR, "24 h": DAY, "14 days": 14 * DAY, "a year": 365 * DAY}
CHART_MS = 100
YEAR_GB = 5
ROUND_S = 30
JOBS_A_DAY = 4
"""Of a machine, with the time in which it had none: a row of energy each."""


def run(context: Context) -> list[Row]:
    logging.getLogger("health.monitoring.services.partitions").setLevel(logging.WARNING)  # a hundred are made here
    with fresh_database("facility") as url:
        site = ensure_fleet(context)
        tables.maintain(timezone.now() - 3 * HOUR)
        tables.maintain()
        with hall(site, context.folder / "facility", url) as process:
            rows = read_rounds(site, process)
        made.tell_machines(site.pk, timezone.now())
        rows += [add_up(site)]
        now = timezone.now()
        made.make_pool()
        rows += roll_up(now)
        rows += energy(site, rollup.floored(now, HOUR) - HOUR)
        rows += disk(now)
        rows += chart_rows(now, 1 if context.growth else 10)
        rows += pages(site, url)
    return rows


# ---- rounds ----


@contextmanager
def hall(site: Site, folder: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    """The virtual hall of the site answers meanwhile."""
    command = [sys.executable, "manage.py", "hall", "--site", site.slug, "--data", str(folder), "--heat"]
    command += ["--slice", str(SLICE), "--ssh-port", "0", "--redfish-port", "0"]
    variables = {**os.environ, "RACKSIDE_DATABASE_URL": url}
    process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if not any(line.startswith("hall ready") for line in process.stdout):
            raise RuntimeError("the hall did not start")
        yield process
    finally:
        process.terminate()
        process.wait(30)


def read_rounds(site: Site, process: subprocess.Popen[str]) -> list[Row]:
    login = set_credential(
        "snmp", kind=Credential.Kind.PASSWORD, purpose="meter", username="", secret="metering", hosts=["127.0.0.0/8"]
    )
    devices = dict(Device.objects.filter(site=site, kind="pdu").values_list("name", "id"))
    heat = heat_from_inventory(site.slug, plan_from_inventory(site.slug, SLICE, ssh_port=0, redfish_port=0))
    meters = Meter.objects.bulk_create(
        Meter(
            site=site, name=row.name, kind=row.kind, device_id=devices[row.device],
            address=f"{row.host}:{row.port}", credential=login, enabled=False,
        )
        for row in meter_rows(heat, MeterDoors.in_slice(SLICE))
        if row.kind == "snmp_pdu"
    )  # fmt: skip
    _round(meters[:5])  # the hall makes its agents when the first question comes
    found = []
    for count in dict.fromkeys(min(count, len(meters)) for count in ROUNDS):
        hall_s = processor_s(process)
        seconds, own_s = _round(meters[:count])
        hall_s = processor_s(process) - hall_s
        failed = Meter.objects.filter(enabled=True, state__in=("failed", "refused")).count()
        about = f"processor time: worker {own_s:.1f} s, {own_s / count * 1000:.0f} ms a PDU, hall {hall_s:.1f} s"
        found.append(
            Row(f"facility: a round of {count} PDUs", f"{seconds:.1f} s", f"{about}; {failed} failed",
                goal=f"{ROUND_S} s or less")
        )  # fmt: skip
    return found


def _round(meters: list[Meter]) -> tuple[float, float]:
    """One round, however long it takes: meters that are due again before it ends would make it endless."""
    Meter.objects.update(enabled=False)
    asked = Meter.objects.filter(pk__in=[meter.pk for meter in meters])
    asked.update(enabled=True, tried_at=None, period_s=3_600)
    wall, processor = time.perf_counter(), time.process_time()
    rounds.read_due()
    took = time.perf_counter() - wall, time.process_time() - processor
    asked.update(period_s=Meter._meta.get_field("period_s").default)
    return took


# ---- what is made of it ----


def add_up(site: Site) -> Row:
    def once() -> None:
        made.freshen()
        sums.add_up_site(site.pk, timezone.now())

    once()
    with CaptureQueriesContext(connection) as told:
        once()
    meters = MeterState.objects.count()
    about = f"{len(told) - 1} statements, {meters} meters, {Rack.objects.count()} racks; once a minute"
    return Row("facility: a site added up and judged, median", f"{median_s(once):.2f} s", about)


def roll_up(now: datetime) -> list[Row]:
    """An hour of everything, by the step of each table, and a day of quarters."""
    end = rollup.floored(now, HOUR)
    begin = end - HOUR
    readings = made.fill_readings(begin, end)
    for name in ("minute", "quarter", "day"):
        made.mark(name, begin)
    began = time.perf_counter()
    while rollup.roll_up(end + rollup.GRACE)["quarter"] < end:
        pass
    seconds = time.perf_counter() - began
    day = made.day_before(now)
    quarters = made.fill(rollup.STEPS[1], day, day + DAY)
    made.mark("day", day)
    made.mark("quarter", day + DAY)
    with connection.cursor() as cursor:
        began = time.perf_counter()
        cursor.execute(rollup.STEPS[2].statement, {"begin": day, "end": day + DAY})
        day_s = time.perf_counter() - began
    return [
        Row("facility: an hour rolled up to minutes and quarters", f"{seconds:.1f} s", f"{readings:,} readings"),
        Row("facility: a day rolled up", f"{day_s:.1f} s", f"{quarters:,} quarters; once a day"),
    ]


def energy(site: Site, begin: datetime) -> list[Row]:
    with CaptureQueriesContext(connection) as told:
        ledger.write_hour(site.pk, begin)
    seconds = median_s(lambda: ledger.write_hour(site.pk, begin))
    machines = EnergyDay.objects.values("machine_id").distinct().count()
    about = f"{len(told)} statements, {machines} machines; once an hour"
    return [Row("facility: energy of an hour written down, median", f"{seconds:.2f} s", about)]


# ---- charts ----


def chart_rows(now: datetime, each: int) -> list[Row]:
    """One point over time, among what the others told."""
    minute, quarter, day = rollup.STEPS
    today = rollup.floored(now, DAY)
    count = made.fill_readings(rollup.floored(now, HOUR) - HOUR, now)
    count += made.fill(minute, rollup.floored(now, HOUR) - DAY, now, each)
    count += made.fill(quarter, today - kept("quarters"), now, each)
    count += made.fill(day, today - 365 * DAY, today, each)
    made.made_until(now)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE facility_reading, facility_minute, facility_quarter, facility_day")
    found = []
    subjects = {
        "PDU": ("snmp_pdu", Part.INLET, Quantity.POWER_W), "machine": ("machine", Part.MACHINE, Quantity.POWER_W),
        "rack": ("rack", Part.TOTAL, Quantity.POWER_W),
    }  # fmt: skip
    for word, (kind, part, quantity) in subjects.items():
        meter = next(row for row in Meter.objects.filter(kind=kind).order_by("id") if row.pk % each == 0)
        name = _name_of(meter, part, quantity)
        for span, width in SPANS.items():
            found.append(_chart(f"facility: chart of a {word}, {span}", meter, (part, name, quantity), width, now))
    found[0] = Row(found[0].name, found[0].figure, f"{found[0].context}; among {count:,} rows", found[0].goal)
    return found


def _chart(title: str, meter: Meter, point: tuple[str, str, str], width: timedelta, now: datetime) -> Row:
    def draw(_: int = 0) -> charts.Series:
        where = charts.layouts_with(meter.pk, *point)
        return charts.series(where, now - width, now, now, meter.period_s)

    drawn, took = draw(), timed(draw, 9)
    known = sum(value is not None for value in drawn.mean)
    about = f"{known} of {len(drawn.mean)} steps of {drawn.step}, slowest {max(took.milliseconds):.0f} ms"
    return Row(title, f"{took.p50:.1f} ms", about, goal=f"{CHART_MS} ms or less")


def _name_of(meter: Meter, part: str, quantity: str) -> str:
    points: list[list[str]] = MeterState.objects.select_related("layout").get(meter=meter).layout.points
    return next(name for its, name, measures in points if (its, measures) == (part, quantity))


# ---- disk ----


def disk(now: datetime) -> list[Row]:
    """What a year takes: bytes of real rows, times the rows that a table has just before its oldest partition goes."""
    hour = rollup.floored(now, HOUR) - HOUR
    day = made.day_before(now)
    tiers = {
        "reading": (hour, HOUR, timedelta(hours=6)), "minute": (hour, HOUR, kept("minutes")),
        "quarter": (day, DAY, kept("quarters")), "day": (day, DAY, 365 * DAY),
    }  # fmt: skip
    sizes = {}
    for name, (begin, width, keeps) in tiers.items():
        rows, row_bytes, partition = made.size(f"facility_{name}", begin, begin + width)
        sizes[f"{name} of {row_bytes:,.0f} bytes"] = rows * ((keeps + partition) / width) * row_bytes
    with connection.cursor() as cursor:
        cursor.execute("VACUUM FULL facility_energyday")
        cursor.execute("SELECT pg_total_relation_size('facility_energyday') / count(*) FROM facility_energyday")
        machines = Device.objects.filter(machine__isnull=False).count()
        sizes["energy"] = cursor.fetchone()[0] * machines * 365 * JOBS_A_DAY
    parts = ", ".join(f"{name} {size / 1e9:.2f}" for name, size in sizes.items())
    about = f"{Meter.objects.count()} meters; {parts}"
    return [Row("facility: a year on disk", f"{sum(sizes.values()) / 1e9:.2f} GB", about, goal=f"{YEAR_GB} GB or less")]


def kept(what: str) -> timedelta:
    found: timedelta = settings.KEPT[f"meter_{what}"]
    return found


# ---- pages ----


def pages(site: Site, url: str) -> list[Row]:
    made.freshen()
    sums.add_up_site(site.pk, timezone.now())
    racks = list(Rack.objects.filter(room__site=site, placements__device__machine__isnull=False).order_by("id"))
    rack, room = racks[len(racks) // 2], racks[0].room_id
    token = new_token()
    found = []
    with web_process(url) as port:
        session = Session(port, token)
        asked: dict[str, tuple[str, Callable[[Any], bool]]] = {
            "floor of power": (f"/api/facility/floor/?room={room}", lambda told: told["total_w"] is not None),
            "measured rack": (f"/api/facility/racks/{rack.pk}/", lambda told: told["now_w"] is not None),
        }
        for name, (path, known) in asked.items():
            assert known(session.get(path)), f"{path} tells nothing"
            took = timed(lambda _, path=path: session.get(path), 20)  # type: ignore[misc]
            found.append(Row(f"facility: {name}, median", f"{took.p50:.0f} ms", f"95 % {took.p95:.0f} ms"))
    return found


def median_s(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
