"""The real infiniband-diags on simulated fabrics with faults: what they print is read, and diagnosed as it was made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fabric.facts import Completeness, Seen, SeenPort
from fabric.formats import iblinkinfo, ibnetdiscover, ibqueryerrors, merge, perfquery
from fabric.reconcile.diagnose import Diagnosis, Settings, diagnose
from fabric.tests import made_texts
from fabric.tests.ibsim import IbSim
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject_all

pytestmark = [pytest.mark.services, pytest.mark.timeout(240)]

WIRING = ("swap", "cycle", "wrong_port", "chain", "missing", "extra")
DEVICES = ("dead_machine", "exchanged_machines", "exchanged_switches", "misnamed", "duplicate_name")
LINKS = ("slow_link", "narrow_link", "errors")


def simulated(fabric: Made, folder: Path) -> IbSim:
    return IbSim(folder, made_texts.ibsim(fabric))


def count_errors(sim: IbSim, fabric: Made) -> None:
    """ibsim takes counters at its console only."""
    for port, counters in fabric.seen().counters.items():
        letter = "S" if f"S-{port.guid}" in sim.net else "H"
        for name, value in counters.items():
            sim.console(f'PerformanceSet "{letter}-{port.guid}"[{port.port}] PortCounters.{name}={value}')


def look(sim: IbSim) -> Seen:
    parts = [ibnetdiscover.read(sim.output("ibnetdiscover")), iblinkinfo.read(sim.output("iblinkinfo", "-l"))]
    seen = merge(parts)
    seen.counters.update(ibqueryerrors.read(sim.output("ibqueryerrors", "--data")).counters)
    return seen


def diagnosed(fabric: Made, seen: Seen) -> Diagnosis:
    return diagnose(fabric.plan, seen, settings=Settings(guard_share=1.0))


def counts(fabric: Made) -> dict[str, int]:
    truth = fabric.truth()
    return {name: getattr(truth, name) for name in truth.__slots__}


def test_a_healthy_fabric_of_32_machines_has_no_finding(tmp_path: Path) -> None:
    fabric = made(Shape(machines=32, speed="HDR"))
    with simulated(fabric, tmp_path) as sim:
        seen = look(sim)
    assert seen.completeness is Completeness.COMPLETE and not seen.problems
    assert len(seen.links) == len(fabric.plan.cables) == 512
    found = diagnosed(fabric, seen)
    assert found.findings == () and found.held_back is None


@pytest.mark.parametrize(("machines", "no_room"), [(32, {"wrong_port", "extra"}), (36, set())])
def test_every_kind_of_fault_is_diagnosed_as_it_was_made(tmp_path: Path, machines: int, no_room: set[str]) -> None:
    fabric = made(Shape(machines=machines, speed="HDR", seed=5))
    done = inject_all(fabric, (*WIRING, *DEVICES, *LINKS))
    assert {fault.kind for fault in done} == {*WIRING, *DEVICES, *LINKS} - no_room
    with simulated(fabric, tmp_path) as sim:
        count_errors(sim, fabric)
        seen = look(sim)
        lid = next(node.lid for node in seen.nodes.values() if any(end.guid == node.guid for end in seen.counters))
        one = perfquery.read(sim.output("perfquery", str(lid), "1"))
    found = diagnosed(fabric, seen)
    assert found.counts == counts(fabric)
    assert {guid: name for guid, name in found.names.items() if guid in fabric.names()} == fabric.names()
    kinds = Counter(finding.kind for finding in found.findings)
    assert kinds["slow_link"] == kinds["narrow_link"] == 1
    assert one is not None
    told = {port: values for port, values in seen.counters.items() if port in fabric.seen().counters}
    for port, values in fabric.seen().counters.items():
        assert {name: told[port][name] for name in values} == values


@pytest.mark.slow
def test_511_machines_without_switch_names_are_named_and_diagnosed(tmp_path: Path) -> None:
    fabric = made(Shape(machines=511, speed="HDR", seed=7))
    inject_all(fabric, ("factory_names", *WIRING * 3, "exchanged_machines", "exchanged_switches", "dead_machine"))
    with simulated(fabric, tmp_path) as sim:
        seen = ibnetdiscover.read(sim.output("ibnetdiscover"))
    assert seen.completeness is Completeness.COMPLETE
    found = diagnose(fabric.plan, seen)
    assert found.held_back is None and found.counts == counts(fabric)
    named = {guid: name for guid, name in found.names.items() if guid in fabric.names()}
    assert named == fabric.names() and len(named) == 320


def test_cables_moved_at_the_console_are_seen_by_the_next_look(tmp_path: Path) -> None:
    fabric = made(Shape(machines=8, speed="HDR"))
    with simulated(fabric, tmp_path) as sim:
        leaf = next(guid for guid, name in fabric.names().items() if "leaf" in name)
        first, second = (f"S-{leaf}", 1), (f"S-{leaf}", 2)
        sim.swap(first, second)
        seen = ibnetdiscover.read(sim.output("ibnetdiscover"))
        found = diagnosed(fabric, seen)
        assert [finding.kind for finding in found.findings] == ["swapped_pair"] and found.counts["moves"] == 2
        sim.swap(first, second)
        sim.unlink(first)
        seen = merge([ibnetdiscover.read(sim.output("ibnetdiscover")), iblinkinfo.read(sim.output("iblinkinfo", "-l"))])
        assert seen.states[SeenPort(leaf, 1)].physical == "Polling"
        assert diagnosed(fabric, seen).counts["unlit_links"] == 1


def test_without_a_subnet_manager_the_report_of_errors_is_no_data(tmp_path: Path) -> None:
    fabric = made(Shape(machines=8, speed="HDR"))
    with simulated(fabric, tmp_path) as sim:
        sim.stop_subnet_manager()
        done = sim.run("ibqueryerrors", "--data", timeout_s=10)
    assert ibqueryerrors.read(done.stdout).completeness is Completeness.EMPTY
