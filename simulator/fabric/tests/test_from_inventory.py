"""The fabric of a loaded fleet, and the faults a demo begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.planned import planned
from fabric.tests.hall import CABLES, load_site
from simulator.fabric.faults import begin_with_faults
from simulator.fabric.from_inventory import fabric_from_inventory
from simulator.fabric.plan import FabricPlan
from simulator.fabric.tests.samples import sample_fabric
from simulator.fabric.wiring import Wiring
from simulator.from_inventory import plan_from_inventory

pytestmark = pytest.mark.django_db


def test_every_cable_of_the_site_lies_between_the_ports_that_the_service_plans(tmp_path: Path) -> None:
    site = load_site(tmp_path, "west")
    hall = plan_from_inventory("west", 5)
    fabric = fabric_from_inventory("west", hall)
    named = {node.guid: node.name for node in fabric.nodes}
    wired = {
        (cable.label, frozenset(((named[cable.a.guid], cable.a.port), (named[cable.b.guid], cable.b.port))))
        for cable in fabric.cables
    }
    plan = planned(site.pk, "infiniband").plan
    assert wired == {(cable.label, frozenset(((*cable.a,), (*cable.b,)))) for cable in plan.cables}
    assert len(wired) == CABLES
    printed = {hca.guid.removeprefix("0x") for machine in hall.machines for hca in machine.hcas}
    assert {n.guid for n in fabric.nodes if n.kind == "ca" and n.layer == "infiniband"} <= printed


def test_a_demo_begins_with_the_same_few_faults_and_only_once() -> None:
    def begun(plan: FabricPlan) -> tuple[Wiring, list[str]]:
        wiring = Wiring(plan)
        return wiring, begin_with_faults(wiring, 1, 0.0)

    plan = sample_fabric(24, rails=4)
    (first, done), (second, _) = begun(plan), begun(plan)
    assert len(done) == 5
    assert first.changes.to_json() == second.changes.to_json()
    assert begin_with_faults(first, 1, 0.0) == []
    assert len(first.changes.ends) == 2 + 3 + 1 and len(first.changes.trouble) == 2
    assert begun(sample_fabric(2, rails=1))[1] == []
