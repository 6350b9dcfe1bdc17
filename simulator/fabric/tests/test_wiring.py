"""The state of the wiring: what is plugged where, and what ports say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.fabric.plan import End, FabricPlan
from simulator.fabric.tests.conftest import NOW
from simulator.fabric.wiring import Changes, Wiring, WiringError


def end(wiring: Wiring, name: str, port: int) -> End:
    return End(wiring.by_name[name].guid, port)


def test_a_plan_survives_its_file(plan: FabricPlan, tmp_path: Path) -> None:
    plan.dump(tmp_path / "plan.json")
    assert FabricPlan.load(tmp_path / "plan.json") == plan


def test_a_swap_exchanges_the_far_ends_and_undoes_itself(wiring: Wiring) -> None:
    one, other = end(wiring, "leaf-01-r1", 1), end(wiring, "leaf-01-r1", 2)
    before = wiring.port(one).far, wiring.port(other).far
    wiring.swap(one, other, NOW)
    assert (wiring.port(other).far, wiring.port(one).far) == before
    wiring.swap(one, other, NOW)
    assert wiring.changes.ends == {}


def test_a_cable_that_hangs_leaves_both_ports_dark_until_it_is_plugged_elsewhere(wiring: Wiring) -> None:
    leaf = end(wiring, "leaf-01-r1", 1)
    far = wiring.port(leaf).far
    assert far is not None
    label = wiring.unplug(leaf, NOW)
    assert (wiring.port(leaf).physical, wiring.port(far).physical) == ("Polling", "Polling")
    with pytest.raises(WiringError, match="taken"):
        wiring.plug(label, end(wiring, "leaf-01-r1", 2), NOW)
    wiring.plug(label, leaf, NOW)
    assert wiring.port(far).up
    wiring.unplug(end(wiring, "leaf-01-r1", 2), NOW)
    with pytest.raises(WiringError, match="no connector"):
        wiring.plug(label, end(wiring, "leaf-01-r1", 2), NOW)


def test_all_changes_survive_the_disk(wiring: Wiring) -> None:
    leaf = end(wiring, "leaf-01-r1", 1)
    wiring.swap(leaf, end(wiring, "leaf-01-r2", 1), NOW)
    wiring.trouble(leaf, NOW, speed="HDR", errors_per_hour={"SymbolErrorCounter": 3600.0})
    wiring.set_port(end(wiring, "leaf-01-r1", 3), "isolated", True, NOW)
    wiring.rename(wiring.by_name["spine-01"].guid, "MF0;switch-1:MQM9700/U1")
    again = Wiring(wiring.plan, Changes.from_json(json.loads(json.dumps(wiring.changes.to_json()))))
    for node in wiring.plan.nodes:
        assert list(again.ports(node)) == list(wiring.ports(node))
        assert again.description(node.guid) == wiring.description(node.guid)
    assert again.counters(leaf, NOW + 60) == wiring.counters(leaf, NOW + 60)


def test_a_trouble_goes_with_the_cable_and_what_it_counted_stays_with_the_port(wiring: Wiring) -> None:
    leaf, other = end(wiring, "leaf-01-r1", 1), end(wiring, "leaf-01-r1", 2)
    wiring.trouble(leaf, NOW, width="1x", errors_per_hour={"SymbolErrorCounter": 3600.0})
    wiring.swap(leaf, other, NOW + 10)
    assert (wiring.port(leaf).width, wiring.port(other).width) == ("4x", "1x")
    assert wiring.counters(leaf, NOW + 20)["SymbolErrorCounter"] == 10
    assert wiring.counters(other, NOW + 20)["SymbolErrorCounter"] == 10


def test_counters_stop_at_the_limit_of_their_class(wiring: Wiring) -> None:
    leaf = end(wiring, "leaf-01-r1", 1)
    wiring.trouble(leaf, NOW, errors_per_hour={"LinkDownedCounter": 3600.0})
    assert wiring.counters(leaf, NOW + 100)["LinkDownedCounter"] == 100
    assert wiring.counters(leaf, NOW + 9000)["LinkDownedCounter"] == 255


def test_a_switch_that_is_off_darkens_every_port_at_its_cables(wiring: Wiring) -> None:
    spine = wiring.by_name["spine-01"]
    far = [port.far for port in wiring.ports(spine) if port.far]
    wiring.power(spine.guid, False, NOW)
    assert far and not any(wiring.port(each).up for each in far)
    assert spine not in wiring.seen_nodes("infiniband")
    assert "Switch is Down" in [event["name"] for event in wiring.changes.events]
    wiring.power(spine.guid, True, NOW)
    assert all(wiring.port(each).up for each in far)


def test_a_machine_without_power_takes_its_adapters_off(plan: FabricPlan) -> None:
    wiring = Wiring(plan, machine_health=lambda machine, slot: "off" if machine == "gpu0001" else "up")
    assert not wiring.port(end(wiring, "leaf-01-r1", 1)).up
    assert wiring.port(end(wiring, "leaf-01-r1", 2)).up


def test_a_stale_source_goes_on_telling_how_it_was(wiring: Wiring) -> None:
    leaf = end(wiring, "leaf-01-r1", 1)
    wiring.set_source("ufm", "stale")
    wiring.unplug(leaf, NOW)
    assert wiring.as_told_by("ufm").port(leaf).up
    assert not wiring.as_told_by("ibdiags").port(leaf).up
    wiring.set_source("ufm", "ok")
    assert not wiring.as_told_by("ufm").port(leaf).up


def test_a_way_between_two_machines_avoids_isolated_ports(wiring: Wiring) -> None:
    start, goal = end(wiring, "gpu0001 mlx5_0", 1), end(wiring, "gpu0008 mlx5_0", 1)
    way = wiring.path(start, goal)
    assert way is not None and len(way) == 4
    assert way[0].end == start and way[-1].far == goal
    for port in wiring.ports(wiring.by_name["leaf-01-r1"]):
        if port.far and port.far.guid in {wiring.by_name["spine-01"].guid, wiring.by_name["spine-02"].guid}:
            wiring.set_port(port.end, "isolated", True, NOW)
    assert wiring.path(start, goal) is None
