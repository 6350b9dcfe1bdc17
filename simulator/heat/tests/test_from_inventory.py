"""Racks, cords and feeds of a loaded fleet, as the reference site has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Rack
from simulator.from_inventory import plan_from_inventory
from simulator.heat import answers
from simulator.heat.from_inventory import heat_from_inventory
from simulator.heat.plan import VENDORS, HeatPlan
from simulator.heat.room import Room
from simulator.plan import HallPlan, PlanError
from tests.kept_rows import load_fleet

pytestmark = pytest.mark.django_db


@pytest.fixture
def plans(tmp_path: Path) -> tuple[HallPlan, HeatPlan]:
    path = tmp_path / "reference.yaml"
    path.write_text(fleet_file(8))
    load_fleet(path)
    site = Rack.objects.values_list("room__site__slug", flat=True).first() or ""
    hall = plan_from_inventory(site, 9)
    return hall, heat_from_inventory(site, hall)


def test_machines_stand_and_hang_as_the_inventory_says(plans: tuple[HallPlan, HeatPlan]) -> None:
    hall, heat = plans
    first = next(device for device in heat.devices if device.name == "hgx-a01-01")
    assert (first.rack, first.low, first.high, first.gpus) == ("A01", 4, 10, 8)
    assert first.supplies == tuple(f"PSU {n}" for n in range(1, 7)) == hall.by_name[first.name].slots("psu")
    assert [(cord.supply, cord.pdu, cord.outlet) for cord in first.cords[:4]] == [
        ("PSU 1", "pdu-a01-a", "C19 1"), ("PSU 2", "pdu-a01-a", "C19 2"), ("PSU 3", "pdu-a01-a", "C19 3"),
        ("PSU 4", "pdu-a01-b", "C19 1"),
    ]  # fmt: skip
    assert (first.planned_w, first.supply_rated_w, first.gpu_limit_w) == (10_200, 2800, 700)
    assert {device.name for device in heat.devices} >= {machine.name for machine in hall.machines}


def test_every_pdu_has_a_feed_its_outlets_in_order_and_a_maker(plans: tuple[HallPlan, HeatPlan]) -> None:
    _, heat = plans
    feeds = {feed.name for feed in heat.feeds}
    assert len(heat.pdus) == 2 * len(heat.racks)
    for pdu in heat.pdus:
        assert pdu.feed in feeds and pdu.vendor in VENDORS
        assert len(pdu.outlets) == 48 and (pdu.outlets[0], pdu.outlets[36]) == ("C13 1", "C19 1")


def test_every_rack_is_cooled_by_one_unit(plans: tuple[HallPlan, HeatPlan]) -> None:
    _, heat = plans
    cooled = [rack for unit in heat.cooling for rack in unit.racks]
    assert sorted(cooled) == sorted(rack.name for rack in heat.racks)


def test_all_that_is_drawn_comes_over_the_pdus_and_nothing_trips(plans: tuple[HallPlan, HeatPlan]) -> None:
    _, heat = plans
    room = Room(heat)
    for name in room.bodies:
        room.inject("load", name, {}, 0)
    for now in range(0, 900, 30):
        room.at(now)
    assert not {"feed_tripped", "bank_tripped"} & {fault.name for fault in room.faults}
    carried = sum(sum(pdu.watts) for pdu in room.pdus.values())
    assert carried == pytest.approx(answers.site(room, 900).it_w, rel=0.001)


def test_a_site_without_racks_is_refused(plans: tuple[HallPlan, HeatPlan]) -> None:
    hall, _ = plans
    with pytest.raises(PlanError, match="no racks are loaded for site 'nowhere'"):
        heat_from_inventory("nowhere", hall)
