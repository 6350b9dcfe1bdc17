"""A sweep that looked at machines hands over what they measured, and fails for nothing that happens to it here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from facility.meters.models import Meter, MeterState
from health.monitoring.services.sweeps.observation_store import record
from health.tests.factories import look, make_machines

pytestmark = pytest.mark.django_db(transaction=True)
MEASURED = (
    ("machine", "", "power_w", 8_400.0),
    ("sensor", "inlet", "temperature_c", 23.0),
    ("gpu", "GPU0", "temperature_c", 900.0),
)


def test_what_a_sweep_saw_becomes_the_last_reading_of_the_machines_meter() -> None:
    machines = make_machines(2)
    record([replace(look(machine), measured=MEASURED) for machine in machines])
    assert set(Meter.objects.values_list("device_id", "kind")) == {(m.pk, "machine") for m in machines}
    told = MeterState.objects.select_related("layout").get(meter__device_id=machines[0].pk)
    assert [tuple(point) for point in told.layout.points] == [each[:3] for each in MEASURED]
    assert told.values == [8_400, 23, None] and "cannot be" in told.reasons["2"]
    Meter.objects.update(period_s=77)
    record([replace(look(machines[0], at=300), measured=MEASURED[:1])])
    assert 77 not in Meter.objects.filter(device_id=machines[0].pk).values_list("period_s", flat=True)
    assert MeterState.objects.get(meter__device_id=machines[0].pk).values == [8_400]


def test_a_machine_that_tells_what_cannot_be_kept_costs_no_others_reading() -> None:
    bad, good = make_machines(2)
    strange = (("no such part", "", "power_w", 1.0),)
    record([replace(look(bad), measured=strange), replace(look(good), measured=MEASURED)])
    assert list(MeterState.objects.values_list("meter__device_id", flat=True)) == [good.pk]


def test_a_sweep_is_stored_though_its_measurements_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    (machine,) = make_machines(1)
    record([replace(look(machine), measured=(("no such part", "", "power_w", 1.0),))])
    machine.health.refresh_from_db()
    assert machine.health.last_seen_at is not None and not MeterState.objects.exists()
