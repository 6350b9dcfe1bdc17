"""What machines used, for whom, how it was worked out and what of it is not known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from core.models import Site
from facility.energy import ledger
from facility.energy.models import EnergyDay
from facility.energy.slowed import slowed_hours
from facility.facts import Measured, Part, Quantity
from facility.findings.services import set_policy
from facility.history import rollup, tables
from facility.meters import services
from facility.meters.models import Meter
from facility.overview import sums
from facility.tests.conftest import WATTS, Hall, machine_values
from health.models import MachineHealth, Pool, SchedulerJob, SchedulerSource
from inventory.models import Device, Machine, Placement
from inventory.power.queries import site_graph

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
FIRST_OF_MAY = datetime(2026, 5, 1, tzinfo=UTC)
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=2)


def an_hour(hall: Hall, begin: datetime, machines: list[Machine], minutes: int = 60, **told: Any) -> None:
    """Readings every 30 s, rolled up."""
    for machine in machines:
        for n in range(minutes * 2):
            hall.tell_machine(machine, begin + timedelta(seconds=30 * n), **told)


def roll_up() -> None:
    for _ in range(120):
        rollup.roll_up(NOON + timedelta(hours=3))


def a_quarter_of_sums(hall: Hall, machines: list[Machine], begin: datetime = NOON, **told: Any) -> None:
    """What these machines told for a quarter of an hour, added up once a minute."""
    for n in range(15):
        at = begin + timedelta(minutes=n)
        for machine in machines:
            hall.tell_machine(machine, at, **told)
        sums.add_up_site(hall.site.pk, at)


def job(hall: Hall, machines: list[Machine], begin: datetime, end: datetime | None, **fields: Any) -> SchedulerJob:
    source, _ = SchedulerSource.objects.get_or_create(site=hall.site, defaults={"url": "http://10.0.0.3:6820"})
    return SchedulerJob.objects.create(
        source=source, job_id=str(SchedulerJob.objects.count() + 1), started_at=begin, ended_at=end, state="RUNNING",
        machine_count=len(machines), machine_ids=[each.pk for each in machines], **fields,
    )  # fmt: skip


def elsewhere(hall: Hall, than: Machine) -> Machine:
    """A machine of another rack."""
    rack = than.device.placement.rack_id
    return next(each for each in hall.machines if each.device.placement.rack_id != rack)


def only(hall: Hall, machine: Machine) -> None:
    """No other machine of the site is in use."""
    Device.objects.filter(site=hall.site, kind="machine").exclude(pk=machine.pk).update(status="retired")


def put_in_pool(hall: Hall, machine: Machine, role: str) -> Pool:
    pool, _ = Pool.objects.get_or_create(site=hall.site, role=role, model=machine.device.model)
    MachineHealth.objects.update_or_create(machine=machine, defaults={"pool": pool})
    return pool


def booked(hall: Hall, machine: Machine, day: date, **told: Any) -> None:
    usual = {"site_id": hall.site.pk, "machine_id": machine.pk, "day": day, "currency": "EUR", "total_s": 86_400}
    EnergyDay.objects.create(**(usual | told))


def by_key(client: APIClient, hall: Hall, by: str, begin: date, end: date) -> dict[str, tuple[str, float, float]]:
    """Name, kWh and cost of each row; all of them are the total."""
    found = get(client, "energy/", site=hall.site.pk, by=by, begin=begin, end=end)
    assert found["total"]["kwh"] == pytest.approx(sum(row["kwh"] for row in found["rows"]))
    return {row["key"]: (row["name"], row["kwh"], row["cost"]) for row in found["rows"]}


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


def test_energy_is_added_up_by_pool_rack_and_month_and_idle_time_alone_by_pool(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    """Two machines in two racks and two pools, one of them in two months as well."""
    one, viewer = hall.machines[0], as_role("viewer")
    other = elsewhere(hall, one)
    pools = put_in_pool(hall, one, "training"), put_in_pool(hall, other, "inference")
    may, june = date(2026, 5, 31), date(2026, 6, 1)
    booked(hall, one, may, job_id=7, outlet_kwh=100, cost=20)
    booked(hall, one, june, outlet_kwh=30, cost=6)
    booked(hall, other, june, job_id=8, outlet_kwh=50, cost=10)
    booked(hall, other, june, outlet_kwh=5, cost=1)
    told = {by: by_key(viewer, hall, by, may, june + DAY) for by in ("rack", "pool", "idle", "month")}
    racks = [each.device.placement.rack for each in (one, other)]
    names = [f"{each.role} · {each.model.slug}" for each in pools]
    assert told["rack"] == {str(racks[0].pk): (racks[0].name, 130, 26), str(racks[1].pk): (racks[1].name, 55, 11)}
    assert told["pool"] == {str(pools[0].pk): (names[0], 130, 26), str(pools[1].pk): (names[1], 55, 11)}
    assert told["idle"] == {str(pools[0].pk): (names[0], 30, 6), str(pools[1].pk): (names[1], 5, 1)}
    assert told["month"] == {"2026-05": ("2026-05", 100, 20), "2026-06": ("2026-06", 85, 17)}


def test_a_machine_that_moves_leaves_its_energy_of_before_in_its_old_rack_and_pool(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    machine, viewer = hall.machines[0], as_role("viewer")
    first, second = FIRST_OF_MAY.date(), FIRST_OF_MAY.date() + DAY
    old_rack, new_rack = machine.device.placement.rack, elsewhere(hall, machine).device.placement.rack
    old_pool = put_in_pool(hall, machine, "training")
    set_policy(hall.site.pk, tariff_per_kwh="0.20")
    only(hall, machine)
    tables.maintain(FIRST_OF_MAY)
    tables.maintain(FIRST_OF_MAY + DAY)
    for begin in (FIRST_OF_MAY, FIRST_OF_MAY + DAY, FIRST_OF_MAY + DAY + timedelta(hours=1)):
        an_hour(hall, begin, [machine])
    for _ in range(60):
        rollup.roll_up(FIRST_OF_MAY + timedelta(days=1, hours=4))
    ledger.write_hour(hall.site.pk, FIRST_OF_MAY)
    Placement.objects.filter(rack=new_rack).delete()
    Placement.objects.filter(device=machine.device).update(rack=new_rack)
    new_pool = put_in_pool(hall, machine, "inference")
    ledger.write_hour(hall.site.pk, FIRST_OF_MAY + DAY)
    Placement.objects.filter(device=machine.device).update(rack=old_rack)
    ledger.write_hour(hall.site.pk, FIRST_OF_MAY + DAY + timedelta(hours=1))  # a day is of where it began
    kwh, cost = WATTS / 1000, pytest.approx(WATTS / 1000 * 0.2)
    racks = by_key(viewer, hall, "rack", first, second + DAY)
    assert racks == {
        str(old_rack.pk): (old_rack.name, pytest.approx(kwh), cost),
        str(new_rack.pk): (new_rack.name, pytest.approx(2 * kwh), pytest.approx(2 * kwh * 0.2)),
    }
    assert set(by_key(viewer, hall, "rack", first, second)) == {str(old_rack.pk)}
    pools = {key: told[1] for key, told in by_key(viewer, hall, "pool", first, second + DAY).items()}
    assert pools == {str(old_pool.pk): pytest.approx(kwh), str(new_pool.pk): pytest.approx(2 * kwh)}
    assert by_key(viewer, hall, "idle", first, second).keys() == {str(old_pool.pk)}


def test_energy_of_a_rack_and_a_pool_that_are_gone_stays_with_them(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    machine, viewer, day = hall.machines[0], as_role("viewer"), NOON.date()
    put_in_pool(hall, machine, "training")
    booked(hall, machine, day, rack_id=9_999, pool_id=8_888, bmc_kwh=1, cost=0.5)
    gone = {"rack": ("9999", "rack 9999"), "pool": ("8888", "pool 8888"), "idle": ("8888", "pool 8888")}
    for by, (key, name) in gone.items():
        assert by_key(viewer, hall, by, day, day + DAY) == {key: (f"{name}, not kept any more", 1, 0.5)}


def test_a_price_by_the_hour_holds_by_the_clock_of_the_site(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    Site.objects.filter(pk=hall.site.pk).update(timezone="Asia/Tokyo")  # noon in UTC is nine in the evening there
    machine = hall.machines[0]
    evening = {"start": "21:00", "end": "22:00", "per_kwh": 0.5, "weekdays": list(range(7))}
    path = f"/api/facility/policies/{hall.site.pk}/"
    asked = {"tariff_per_kwh": 0.1, "rates": [evening]}
    assert as_role("operator").patch(path, asked, format="json").status_code == 403
    assert as_role("admin").patch(path, asked, format="json").json()["rates"] == [evening]
    refused = as_role("admin").patch(path, {"rates": [evening | {"end": "25:00"}]}, format="json")
    assert refused.status_code == 400
    an_hour(hall, NOON, [machine])
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    assert EnergyDay.objects.get(machine_id=machine.pk).cost == pytest.approx(WATTS / 1000 * 0.5)


def test_time_that_nobody_measured_is_unknown_and_the_energy_says_at_least(hall: Hall) -> None:
    machine = hall.machines[0]
    an_hour(hall, NOON, [machine], minutes=30)
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    row = EnergyDay.objects.get(machine_id=machine.pk)
    assert row.bmc_kwh == pytest.approx(WATTS / 2000) and row.unknown_s == pytest.approx(1800, abs=60)


def test_time_in_which_its_power_was_not_told_is_unknown_though_the_machine_told_other_values(hall: Hall) -> None:
    machine, supplies = hall.machines[0], [1_400.0] * 6
    for n in range(120):
        hall.tell_machine(
            machine, NOON + timedelta(seconds=30 * n), watts=WATTS if n % 2 else None, psus=supplies
        )  # fmt: skip
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    row = EnergyDay.objects.get(machine_id=machine.pk)
    assert row.bmc_kwh == pytest.approx(WATTS / 2000) and row.unknown_s == pytest.approx(1800)


def test_a_machine_that_told_more_values_in_the_middle_of_a_quarter_counts_with_both(hall: Hall) -> None:
    machine = hall.machines[0]
    for n in range(30):
        told = {"watts": 6_000.0, "psus": []} if n < 20 else {"watts": 12_000.0}
        hall.tell_machine(machine, NOON + timedelta(seconds=30 * n), **told)
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    row = EnergyDay.objects.get(machine_id=machine.pk)
    assert row.bmc_kwh == pytest.approx(8_000 / 4000) and row.unknown_s == pytest.approx(2700)


def of_outlets(hall: Hall, machine: Machine, pdus: int, at: datetime, *more: Measured) -> None:
    """What so many of its PDUs tell of its outlets."""
    inlets = site_graph(hall.site.pk).devices[machine.pk].inlets
    for pdu in sorted({inlet.pdu_id or 0 for inlet in inlets})[:pdus]:
        watts = [
            Measured(Part.OUTLET, inlet.outlet, Quantity.POWER_W, 1_000.0) for inlet in inlets if inlet.pdu_id == pdu
        ]
        hall.tell(next(each for each in hall.pdus if each.pk == pdu), [*watts, *more], at)


def test_outlets_count_where_every_cord_is_told_however_many_layouts_its_pdu_had(hall: Hall) -> None:
    """One PDU of two is dead, and the other one told in two layouts: its half is not the whole."""
    one, whole = hall.machines[0], elsewhere(hall, hall.machines[0])
    total = Measured(Part.INLET, "I1", Quantity.POWER_W, 20_000.0)
    for n in range(120):
        at, more = NOON + timedelta(seconds=30 * n), [total] if n % 30 >= 15 else []
        hall.tell_machine(one, at)
        of_outlets(hall, one, 1, at, *more)
        of_outlets(hall, whole, 2, at, *more)
    roll_up()
    ledger.write_hour(hall.site.pk, NOON)
    rows = {row.machine_id: row for row in EnergyDay.objects.all()}
    assert (rows[one.pk].outlet_kwh, rows[one.pk].bmc_kwh) == (0, pytest.approx(WATTS / 1000))
    cords = len(site_graph(hall.site.pk).devices[whole.pk].inlets)
    assert rows[whole.pk].outlet_kwh == pytest.approx(cords) and rows[whole.pk].unknown_s == pytest.approx(0)


def test_a_month_that_was_priced_in_part_costs_at_least_that(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    machine, viewer = hall.machines[0], as_role("viewer")
    an_hour(hall, NOON, [machine], minutes=120)
    roll_up()
    only(hall, machine)

    def month() -> dict[str, Any]:
        (row,) = get(viewer, "energy/", site=hall.site.pk, by="month", begin=NOON.date())["rows"]
        found: dict[str, Any] = row
        return found

    set_policy(hall.site.pk, tariff_per_kwh="0.20", co2_g_per_kwh=100)
    ledger.write_hour(hall.site.pk, NOON)
    assert (month()["cost_at_least"], month()["co2_at_least"]) == (False, False)
    set_policy(hall.site.pk, tariff_per_kwh=None, co2_g_per_kwh=None)
    ledger.write_hour(hall.site.pk, NOON + timedelta(hours=1))
    told, kwh = month(), WATTS / 1000
    assert told["kwh"] == pytest.approx(2 * kwh) and told["at_least"] is False
    assert (told["cost"], told["cost_at_least"]) == (pytest.approx(kwh * 0.2), True)
    assert (told["co2_kg"], told["co2_at_least"]) == (pytest.approx(kwh * 0.1), True)


def test_amounts_of_two_currencies_are_never_added_up(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    machine, viewer = hall.machines[0], as_role("viewer")
    an_hour(hall, NOON, [machine], minutes=120)
    roll_up()
    set_policy(hall.site.pk, tariff_per_kwh="0.20", currency="EUR")
    ledger.write_hour(hall.site.pk, NOON)
    set_policy(hall.site.pk, tariff_per_kwh="2.00", currency="SEK")
    by_month = get(viewer, "energy/", site=hall.site.pk, by="month", begin=NOON.date())
    assert (by_month["total"]["cost"], by_month["total"]["cost_at_least"]) == (None, True)
    ledger.write_hour(hall.site.pk, NOON + timedelta(hours=1))
    by_month = get(viewer, "energy/", site=hall.site.pk, by="month", begin=NOON.date())
    assert by_month["currency"] == "SEK" and by_month["total"]["cost_at_least"] is True
    assert by_month["total"]["cost"] == pytest.approx(WATTS / 1000 * 2)
    assert by_month["total"]["kwh"] == pytest.approx(WATTS / 1000 * 2)


def test_what_goes_wrong_with_one_site_keeps_its_own_hour_alone(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Site.objects.create(slug="other", name="Other")
    meter = Meter.objects.create(site=other, name="m", kind="machine")
    an_hour(hall, NOON, [hall.machines[0]])
    services.store([services.Told(meter.pk, NOON, machine_values({}), 30)])
    roll_up()
    write_hour = ledger.write_hour

    def but_other(site_id: int, begin: datetime) -> None:
        if site_id == other.pk:
            raise ValueError("a cord that nobody expected")
        write_hour(site_id, begin)

    monkeypatch.setattr(ledger, "write_hour", but_other)
    assert ledger.write_down() >= 1 and EnergyDay.objects.filter(site_id=hall.site.pk).exists()
    monkeypatch.undo()
    assert ledger.write_down() >= 1  # the other one, from its first hour on
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, until FROM facility_rolledup WHERE name LIKE 'energy:%'")
        marks = dict(cursor.fetchall())
    assert set(marks) == {f"energy:{hall.site.pk}", f"energy:{other.pk}"} and len(set(marks.values())) == 1


def test_energy_of_a_job_that_is_not_kept_any_more_is_not_idle(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    EnergyDay.objects.create(
        site_id=hall.site.pk, day=NOON.date(), machine_id=hall.machines[0].pk, job_id=77, bmc_kwh=1
    )
    for by, name in (("run", "job 77, not kept any more"), ("group", "jobs that are not kept any more")):
        (row,) = get(as_role("viewer"), "energy/", site=hall.site.pk, by=by, begin=NOON.date())["rows"]
        assert row["name"] == name and row["key"] != "idle"
    assert get(as_role("viewer"), "energy/", site=hall.site.pk, by="idle", begin=NOON.date())["rows"] == []


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
    only(hall, machine)
    a_quarter_of_sums(hall, [machine], slowed_hot=4.0, slowed_braked=0.0)
    roll_up()
    told = get(as_role("viewer"), "slowed/", site=hall.site.pk, begin=NOON.isoformat())
    assert (told["hot"], told["hot_at_least"]) == (pytest.approx(4 * 0.25), False)
    assert (told["braked"], told["braked_at_least"]) == (0, False)
    assert (told["capped"], told["capped_at_least"]) == (None, True)  # no machine tells it


def test_gpu_hours_slowed_are_at_least_so_many_where_a_machine_did_not_tell(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    """Two of its machines are used: one told of both causes, the other one of neither."""
    told, silent = hall.machines[:2]
    Device.objects.filter(pk__in=[each.pk for each in hall.machines[2:]]).update(status="retired")
    middle, viewer = NOON + timedelta(minutes=15), as_role("viewer")
    a_quarter_of_sums(hall, [told], slowed_hot=4.0, slowed_braked=0.0)
    Device.objects.filter(pk=silent.pk).update(status="retired")
    a_quarter_of_sums(hall, [told], middle, slowed_hot=2.0, slowed_braked=0.0)
    roll_up()
    before = get(viewer, "slowed/", site=hall.site.pk, begin=NOON.isoformat(), end=middle.isoformat())
    assert (before["hot"], before["hot_at_least"]) == (pytest.approx(4 * 0.25), True)
    assert (before["braked"], before["braked_at_least"]) == (0, True)
    after = get(viewer, "slowed/", site=hall.site.pk, begin=middle.isoformat())
    assert (after["hot"], after["hot_at_least"]) == (pytest.approx(2 * 0.25), False)


def test_gpu_hours_slowed_are_at_least_so_many_where_nothing_was_added_up_for_a_while(hall: Hall) -> None:
    only(hall, hall.machines[0])
    for begin in (NOON, NOON + timedelta(hours=2)):
        a_quarter_of_sums(hall, [hall.machines[0]], begin, slowed_hot=4.0)
    roll_up()
    end = NOON + timedelta(hours=3)
    assert slowed_hours(hall.site.pk, NOON, end, end)[:4] == (pytest.approx(4 * 0.5), 0, None, True)
    assert slowed_hours(hall.site.pk, NOON + timedelta(hours=1), end, end).hot_at_least is False


def test_hours_slowed_count_the_time_in_which_it_was_told_and_go_on_after_the_last_day_that_is_made(hall: Hall) -> None:
    """Asked from before the quarters that are kept: whole hours of the days, then the quarters of today."""
    rack = hall.machines[0].device.placement.rack
    meter = Meter.objects.create(site=hall.site, name="r", kind="rack", rack=rack, period_s=60)
    for begin in (NOON, NOON + timedelta(days=1)):
        for n in range(60):
            told = [
                Measured(Part.MACHINE, "", Quantity.SLOWED_HOT, 4.0 if n % 2 else None, "" if n % 2 else "no machine"),
                Measured(Part.TOTAL, "", Quantity.POWER_W, 100.0),
            ]
            services.store([services.Told(meter.pk, begin + timedelta(minutes=n), told, 60)])
    end = NOON + timedelta(days=1, hours=2)
    for _ in range(120):
        rollup.roll_up(end)
    first = NOON - timedelta(days=30)
    assert slowed_hours(hall.site.pk, first, end, end).hot == pytest.approx(4 * 0.5 * 2)
    assert slowed_hours(hall.site.pk, NOON, end, end + timedelta(days=30)).hot == pytest.approx(4 * 0.5 * 2)
    assert slowed_hours(hall.site.pk, NOON, end, end).hot == pytest.approx(4 * 0.5 * 2)
    after = NOON + timedelta(hours=1)
    assert slowed_hours(hall.site.pk, after, end, end + timedelta(days=30)).hot == pytest.approx(4 * 0.5)


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
        if n < 60 or n == 65:
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
    assert hours[1]["site_w"] == 500_000 and hours[1]["pue"] is None  # a minute of an hour is not the hour
    for quantity in ("inlet_c", "delta_t_c", "hottest_gpu_c"):
        answer = viewer.get("/api/facility/year/", {"site": hall.site.pk, "quantity": quantity, "year": NOON.year})
        assert answer.status_code == 400 and "quantity" in str(answer.content), quantity
    assert get(viewer, "year/", site=hall.site.pk, quantity="power_w", year=NOON.year)["high"] == 400_000
