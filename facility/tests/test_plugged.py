"""A cord that is in another outlet than the inventory says shows in how loads change together."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.history import rollup
from facility.meters import services
from facility.meters.models import Meter
from facility.overview import plugged
from facility.overview.outlets import outlet_key
from facility.tests.conftest import Hall, machine_values
from inventory.models import Device
from inventory.power.queries import site_graph

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)


def outlets(hall: Hall, name: str, loads: dict[str, float]) -> tuple[Device, list[Measured]]:
    device = next(each for each in hall.pdus if each.name == name)
    ports = device.ports.filter(kind="power_outlet").order_by("id").values_list("name", flat=True)
    return device, [Measured(Part.OUTLET, port, Quantity.POWER_W, loads.get(port, 0.0)) for port in ports]


def test_two_cords_that_were_exchanged_are_named_and_close_when_they_are_put_right(hall: Hall) -> None:
    """Quarters of eleven hours: each supply has its own course, and two outlets of one PDU tell each other's."""
    graph = site_graph(hall.site.pk)
    one, other = (each for each in hall.machines if each.device.name in ("hgx-a01-01", "hgx-a01-02"))
    inlets = {each.pk: graph.devices[each.pk].inlets for each in (one, other)}
    chance = random.Random(7)

    def tell(begin: datetime, hours: int, *, exchanged: bool) -> None:
        for n in range(hours * 4):
            at = begin + n * timedelta(minutes=15)
            loads: dict[int, dict[str, float]] = {}
            for machine in (one, other):
                watts = [chance.uniform(300, 1_600) for _ in range(6)]
                meter = hall.meter(machine.device, "machine")
                services.store([services.Told(meter.pk, at, machine_values({"psus": watts}), 900)])
                for inlet, load in zip(inlets[machine.pk], watts, strict=True):
                    loads.setdefault(inlet.pdu_id or 0, {})[inlet.outlet] = load
            first, second = inlets[one.pk][0], inlets[other.pk][0]
            told = loads[first.pdu_id or 0]
            if exchanged:
                told[first.outlet], told[second.outlet] = told[second.outlet], told[first.outlet]
            for pdu in hall.pdus:
                if pdu.pk in loads:
                    device, values = outlets(hall, pdu.name, loads[pdu.pk])
                    services.store([services.Told(hall.meter(device).pk, at, values, 900)])

    def look(now: datetime) -> set[str]:
        Meter.objects.update(period_s=900)
        for _ in range(80):
            rollup.roll_up(now)
        plugged.look_at(hall.site.pk, now)
        return set(Finding.objects.filter(closed_at=None).values_list("subject_name", flat=True))

    tell(NOW - timedelta(hours=11), 11, exchanged=True)
    assert look(NOW + timedelta(minutes=2)) >= {one.device.name, other.device.name}
    assert set(Finding.objects.values_list("kind", flat=True)) == {"cord.wrong_feed"}
    tell(NOW, 13, exchanged=False)
    assert look(NOW + timedelta(hours=13, minutes=2)) == set()


def test_a_quarter_in_which_a_pdu_began_to_tell_more_has_the_mean_of_both(hall: Hall) -> None:
    device, values = outlets(hall, hall.pdus[0].name, {})
    begin, meter = NOW - timedelta(minutes=15), hall.meter(device)

    def tell(after: int, watts: float | None, *more: Measured, lasts: int) -> None:
        told = [values[0]._replace(value=watts), *more]
        services.store([services.Told(meter.pk, begin + timedelta(minutes=after), told, lasts)])

    tell(0, 100.0, lasts=600)
    tell(10, 400.0, values[1], lasts=240)
    tell(14, None, values[2], lasts=60)
    for _ in range(3):
        rollup.roll_up(NOW + timedelta(minutes=2))
    series = plugged._series(hall.site.pk, NOW)
    assert series[device.pk, "outlet", values[0].name][-1] == pytest.approx((100 * 600 + 400 * 240) / 840)
    assert series[device.pk, "outlet", values[1].name][-2:] == [None, 0.0]


@pytest.mark.parametrize(
    ("names", "key"), [(("Outlet 12", "outlet-12", "12", "012"), "12"), (("1.1", "1-1", "1:1"), "1.1"), (("11",), "11")]
)
def test_one_outlet_has_one_word_however_it_is_written_and_two_have_two(names: tuple[str, ...], key: str) -> None:
    assert {outlet_key(name) for name in names} == {key}
