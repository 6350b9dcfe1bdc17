"""What `/metrics` says of power and cooling: what is known now, and no series for what is not."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from facility import metrics
from facility.facts import Measured, Part, Quantity
from facility.meters import services
from facility.meters.models import Meter, MeterState
from facility.overview import sums
from facility.tests.conftest import WATTS, Hall
from inventory.models import Device, Rack

pytestmark = pytest.mark.django_db
LATER = timedelta(minutes=20)


def told(name: str) -> dict[tuple[str, ...], float]:
    """Every sample of a family by its labels, but for the site."""
    (family,) = (each for each in metrics.collect() if each.name == name)
    return {
        tuple(value for label, value in sample.labels.items() if label != "site"): sample.value
        for sample in family.samples
    }


def of_racks(name: str) -> dict[str, float]:
    return {rack: value for (_, rack), value in told(f"rackside_rack_{name}").items()}


def add_up(hall: Hall) -> None:
    sums.add_up_site(hall.site.pk, timezone.now())


def test_a_rack_tells_its_power_limit_inlet_hottest_gpu_and_slowed_gpus(hall: Hall) -> None:
    hall.tell_all()
    hall.tell_machine(hall.machines[0], inlet_c=25.5, gpu_c=83.0, slowed_hot=3.0)
    add_up(hall)
    rack = Rack.objects.get(name="A01")
    found = {name: of_racks(name)["A01"] for name in (
        "power_watts", "power_limit_watts", "inlet_celsius", "hottest_gpu_celsius", "slowed_gpus"
    )}  # fmt: skip
    assert found == {
        "power_watts": 4 * WATTS, "power_limit_watts": rack.power_limit_w, "inlet_celsius": 25.5,
        "hottest_gpu_celsius": 83, "slowed_gpus": 3,
    }  # fmt: skip
    assert (rack.room.name, "A01") in told("rackside_rack_power_watts")
    labels = {sample.labels["site"] for family in metrics.collect() for sample in family.samples}
    assert labels == {hall.site.slug}


def test_what_is_only_at_least_so_much_is_no_series(hall: Hall) -> None:
    hall.tell_all()
    add_up(hall)
    assert {"A01", "A02"} <= of_racks("power_watts").keys() & of_racks("slowed_gpus").keys()
    silent = Device.objects.filter(placement__rack__name="A01").values_list("pk", flat=True)
    gone = MeterState.objects.filter(meter__device__in=silent).exclude(meter__device=hall.machines[0].pk)
    gone.delete()
    add_up(hall)
    memory = MeterState.objects.get(meter__kind="rack", meter__rack__name="A01").memory
    assert (memory["power_w"], memory["at_least"]) == (WATTS, True)
    assert (memory["slowed"], memory["slowed_at_least"]) == (0, True)
    for name in ("power_watts", "slowed_gpus"):
        assert "A01" not in of_racks(name) and "A02" in of_racks(name), name
    assert of_racks("inlet_celsius")["A01"] == 22  # the warmest that is known


def test_sums_that_are_too_old_are_no_series(hall: Hall) -> None:
    hall.tell_all()
    add_up(hall)
    MeterState.objects.filter(meter__kind="rack").update(at=timezone.now() - LATER)
    assert of_racks("power_watts") == {} and of_racks("inlet_celsius") == {}


def test_the_pue_is_that_of_the_sites_own_meter_and_is_no_series_without_one(hall: Hall) -> None:
    hall.tell_all()
    add_up(hall)
    assert told("rackside_site_pue") == {}
    main = Meter.objects.create(site=hall.site, name="main", kind="modbus", address="10.0.0.9", period_s=60)
    points = [Measured(Part.TOTAL, name, Quantity.POWER_W, watts) for name, watts in (("site", 5e5), ("it", 4e5))]
    services.store([services.Told(main.pk, timezone.now(), points, 60)])
    add_up(hall)
    assert told("rackside_site_pue") == {(): 1.25}


def test_a_meter_tells_its_age_and_open_findings_are_counted_by_kind(hall: Hall) -> None:
    hall.tell_all()
    for machine in hall.machines[:2]:
        hall.tell_machine(machine, psus=[0.0, *[1_600.0] * 5])
    add_up(hall)
    MeterState.objects.filter(meter__name="pdu-a01-a").update(at=timezone.now() - LATER)
    ages = told("rackside_meter_age_seconds")
    assert ages["pdu-a01-a",] == pytest.approx(LATER.total_seconds(), abs=60) and ages["pdu-a01-b",] < 60
    assert told("rackside_power_findings")["psu.idle",] == 2
    for machine in hall.machines[:2]:
        hall.tell_machine(machine)
    add_up(hall)
    assert ("psu.idle",) not in told("rackside_power_findings")
