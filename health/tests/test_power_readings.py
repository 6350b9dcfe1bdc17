"""What BMCs measured is kept with the sweep, newest first, and never made up."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from health.checks import Expectation
from health.checks.parsers.bmc import BmcReport, parse_bmc
from health.monitoring.services.sweeps import observation_store
from health.monitoring.services.sweeps.observation import Subject, observation_of
from health.tests import factories as make
from health.tests.checks.samples import sample
from inventory.models import PowerReading
from inventory.specs.device_model import DeviceModelSpec

SYSTEM = {"PowerState": "On"}


@pytest.mark.parametrize(
    ("power", "watts"),
    [
        ({"PowerControl": [{"PowerConsumedWatts": 4210.4}, {"PowerConsumedWatts": 300}]}, 4210.4),
        ({"PowerControl": [{"PowerConsumedWatts": None}, {"PowerConsumedWatts": 300}]}, 300),
        ({"PowerControl": [{"PowerConsumedWatts": 0}]}, 0),
        ({"PowerControl": [{"PowerConsumedWatts": -1}]}, None),
        ({"PowerControl": [{"PowerConsumedWatts": "4210"}]}, None),
        ({"PowerControl": [{}, None, 7]}, None),
        ({"PowerControl": "x"}, None), ({}, None), (None, None), ([], None),
    ],
)  # fmt: skip
def test_the_draw_is_that_of_the_whole_machine_or_none(power: Any, watts: float | None) -> None:
    assert parse_bmc(SYSTEM, power=power).draw_w == watts


def test_a_bmc_that_tells_its_supplies_but_not_its_draw_leaves_that_unknown() -> None:
    resources = json.loads(sample("bmc.json"))
    report = parse_bmc(resources["system"], power={**resources["power"], "PowerControl": []})
    assert report.supplies and report.draw_w is None


@pytest.mark.parametrize(
    ("bmc", "watts"), [(BmcReport(draw_w=99.6), 100), (BmcReport.unreachable("x"), None), (None, None)]
)
def test_an_observation_carries_the_draw_in_whole_watts(bmc: BmcReport | None, watts: int | None) -> None:
    spec = DeviceModelSpec.load("dell-xe9680-h100")
    seen = observation_of(
        Subject(1, "m", spec, Expectation(model=spec, components={}, machine_name="m", bmc_expected=True)),
        None, bmc, unreachable="x", at=make.START,
    )  # fmt: skip
    assert seen.draw_w == watts


@pytest.mark.django_db
def test_a_sweep_keeps_the_newest_reading_and_a_silent_bmc_leaves_it_to_grow_old() -> None:
    first, second = make.make_machines(2)

    def look(machine: Any, at: int, watts: int | None) -> Any:
        return replace(make.look(machine, at=at), draw_w=watts)

    observation_store.record([look(first, 0, 5000), look(second, 0, None)])
    assert list(PowerReading.objects.values_list("device_id", "watts", "at")) == [(first.pk, 5000, make.START)]
    observation_store.record([look(first, 10, None), look(second, 10, 0)])
    kept = dict(PowerReading.objects.values_list("device_id", "watts"))
    assert kept == {first.pk: 5000, second.pk: 0}
    observation_store.record([look(first, 20, 5100)])
    observation_store.record([look(first, 15, 1)])  # a look that comes too late
    reading = PowerReading.objects.get(device_id=first.pk)
    assert (reading.watts, reading.at) == (5100, make.START + timedelta(seconds=20))


@pytest.mark.django_db
def test_the_readings_of_a_shard_are_one_statement() -> None:
    machines = make.make_machines(6)
    looks = [replace(make.look(machine), draw_w=5000) for machine in machines]
    with CaptureQueriesContext(connection) as seen:
        observation_store.record(looks)
    assert sum("INSERT INTO inventory_powerreading" in query["sql"] for query in seen) == 1
    assert PowerReading.objects.count() == 6
