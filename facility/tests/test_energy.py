"""What machines used, for whom, how it was worked out and what of it is not known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from facility.energy import ledger
from facility.energy.models import EnergyDay
from facility.energy.slowed import slowed_hours
from facility.facts import Measured, Part, Quantity
from facility.findings.services import set_policy
from facility.history import rollup
from facility.meters import services
from facility.meters.models import Meter
from facility.overview import sums
from facility.tests.conftest import WATTS, Hall
from health.schedulers.models import SchedulerJob, SchedulerSource
from inventory.models import Machine

pytestmark = pytest.mark.django_db
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=2)


def an_hour(hall: Hall, begin: datetime, machines: list[Machine], minutes: int = 60, **told: Any) -> None:
    """Readings every 30 s, rolled up."""
    for machine in machines:
        for n in range(minutes * 2):
            hall.tell_machine(machine, begin + timedelta(seconds=30 * n), **told)


def roll_up() -> None:
    for _ in range(120):
        rollup.roll_up(NOON + timedelta(hours=3))


def job(hall: Hall, machines: list[Machine], begin: datetime, end: datetime | None, **fields: Any) -> SchedulerJob:
    source, _ = SchedulerSource.objects.get_or_create(site=hall.site, defaults={"url": "http://10.0.0.3:6820"})
    return SchedulerJob.objects.create(
        source=source, job_id=str(SchedulerJob.objects.count() + 1), started_at=begin, ended_at=end, state="RUNNING",
        machine_count=len(machines), machine_ids=[each.pk for each in machines], **fields,
    )  # fmt: skip


def get(client: APIClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/facility/{path}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_hour_is_shared_by_its_jobs_by_time_and_the_rest_is_idle(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    machine = hall.machines[0]
    set_policy(hall.site.pk, tariff_per_kwh="0.20", co2_g_per_kwh=100)
    an_hour(hall, NOON, [machine])
    first = job(hall, [machine], NOON - timedelta(hours=1), NOON + timedelta(minutes=30), account="vision", name="pre")
    roll_up()
    assert ledger.write_down() >= 1
    rows = {row.job_id: row for row in EnergyDay.objects.filter(machine_id=machine.pk)}
    kwh = WATTS / 1000
    assert rows[first.pk].bmc_kwh == pytest.approx(kwh / 2) and rows[None].bmc_kwh == pytest.approx(kwh / 2)
    assert rows[first.pk].cost == pytest.approx(kwh / 2 * 0.2) and rows[first.pk].co2_kg == pytest.approx(kwh / 2 * 0.1)
    viewer = as_role("viewer")
    by_run = get(viewer, "energy/", site=hall.site.pk, by="run", begin=NOON.date(), end=NOON.date() + timedelta(days=1))
    names = {each["name"]: each for each in by_run["rows"]}
    assert names["1 pre"]["kwh"] == pytest.approx(kwh / 2) and names["1 pre"]["error_percent"] == 5
    assert by_run["total"]["kwh"] == pytest.approx(kwh) and by_run["tariff_per_kwh"] == 0.2
    by_group = get(viewer, "energy/", site=hall.site.pk, by="group", begin=NOON.date())
    assert {each["key"] for each in by_group["rows"]} >= {"vision", "idle"}
    for by in ("pool", "rack", "month", "idle"):
        assert get(viewer, "energy/", site=hall.site.pk, by=by, begin=NOON.date())["rows"], by


def test_time_that_nobody_measured_is_unknown_and_the_energy_says_at_least(hall: Hall) -> None:
    machine = hall.machines[0]
    an_hour(hall, NOON, [machine], minutes=30)
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    row = EnergyDay.objects.get(machine_id=machine.pk)
    assert row.bmc_kwh == pytest.approx(WATTS / 2000) and row.unknown_s == pytest.approx(1800, abs=60)


def test_a_machine_that_tells_nothing_is_taken_as_its_models_others_and_says_so(hall: Hall) -> None:
    told = hall.machines[:3]
    an_hour(hall, NOON, told)
    Meter.objects.get_or_create(
        device=hall.machines[3].device, defaults={"site": hall.site, "name": "m", "kind": "machine"}
    )
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    row = EnergyDay.objects.get(machine_id=hall.machines[3].pk)
    assert (row.bmc_kwh, row.model_kwh) == (0, pytest.approx(WATTS / 1000))


def test_an_hour_counts_once_however_often_it_is_written_down(hall: Hall) -> None:
    machine = hall.machines[0]
    an_hour(hall, NOON, [machine])
    roll_up()
    ledger.write_down()
    before = sum(EnergyDay.objects.filter(machine_id=machine.pk).values_list("bmc_kwh", flat=True))
    assert ledger.write_down() == 0
    assert sum(EnergyDay.objects.filter(machine_id=machine.pk).values_list("bmc_kwh", flat=True)) == before


def test_running_jobs_are_listed_since_their_start(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    machine = hall.machines[0]
    an_hour(hall, NOON, [machine])
    runs = job(hall, [machine], NOON, None, label="88431", name="pretrain")
    roll_up()
    ledger.write_down()
    found = get(as_role("viewer"), "energy/", site=hall.site.pk, by="run")
    assert [(each["key"], each["name"]) for each in found["rows"]] == [(str(runs.pk), "88431 pretrain")]


def test_gpu_hours_slowed_by_heat_are_counted_from_the_racks(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    machine = hall.machines[0]
    for n in range(20):
        at = NOON + timedelta(minutes=n)
        hall.tell_machine(machine, at, slowed_hot=4.0, slowed_braked=0.0)
        sums.add_up_site(hall.site.pk, at)
    roll_up()
    found = slowed_hours(hall.site.pk, NOON, NOON + timedelta(minutes=15), NOON + timedelta(hours=1))
    assert found.hot == pytest.approx(4 * 0.25, rel=0.1) and found.braked == 0 and found.capped is None
    told = get(as_role("viewer"), "slowed/", site=hall.site.pk, begin=NOON.isoformat())
    assert told["hot"] == pytest.approx(4 / 3, rel=0.2)


def test_history_year_and_pue_are_read_by_their_routes(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    viewer = as_role("viewer")
    main = Meter.objects.create(site=hall.site, name="main", kind="modbus", address="10.0.0.9", period_s=60)
    points = [
        Measured(Part.TOTAL, name, Quantity.POWER_W, watts) for name, watts in (("site", 500_000.0), ("it", 400_000.0))
    ]
    for n in range(70):
        at = NOON + timedelta(minutes=n)
        hall.tell_all(at)
        services.store([services.Told(main.pk, at, points, 60)])
        if n % 10 == 0 or n < 3:
            sums.add_up_site(hall.site.pk, at)
    for _ in range(60):
        rollup.roll_up(NOON + timedelta(days=1, hours=2))
    rack = hall.machines[0].device.placement.rack
    told = get(
        viewer, f"racks/{rack.pk}/history/", quantity="power_w", begin=NOON.isoformat(),
        end=(NOON + timedelta(hours=1)).isoformat(),
    )  # fmt: skip
    assert max(value for value in told["mean"] if value is not None) == 4 * WATTS and told["step_s"] == 900
    days = get(viewer, "year/", rack=rack.pk, quantity="power_w", year=NOON.year)
    assert days["days"][NOON.timetuple().tm_yday - 1][12] == pytest.approx(4 * WATTS)
    assert days["low"] == days["high"] == pytest.approx(4 * WATTS)
    hours = get(viewer, "pue/", site=hall.site.pk, begin=NOON.isoformat())["hours"]
    assert hours[0]["pue"] == pytest.approx(1.25) and hours[5]["pue"] is None
