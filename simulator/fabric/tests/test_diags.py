"""The tools of the fabric on a machine of the hall, over real SSH; their text read by the service's own readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import pytest_asyncio

from fabric.facts import Completeness, NodeKind, SeenPort
from fabric.formats import iblinkinfo, ibnetdiscover, ibqueryerrors, perfquery
from health.checks.parsers import perftest
from simulator.fabric.plan import End
from simulator.fabric.tests.samples import sample_fabric
from simulator.fabric.wiring import Wiring
from simulator.hall import Hall
from simulator.plan import sample_plan
from simulator.tests.conftest import FAST, free_slice

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def hall(user_key: asyncssh.SSHKey, tmp_path: Path) -> AsyncIterator[Hall]:
    public = user_key.export_public_key().decode().strip()
    plan = sample_plan(8, slice_number=free_slice(), ssh_port=0, redfish_port=0, authorized_keys=(public,))
    running = Hall(plan, tmp_path / "hall", timing=FAST, fabric=sample_fabric(8))
    await running.start()
    yield running
    await running.stop()


@pytest.fixture(scope="session")
def user_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


Run = Callable[..., Any]


@pytest.fixture
def run(hall: Hall, user_key: asyncssh.SSHKey) -> Run:
    async def on(command: str, name: str = "gpu0001") -> tuple[int | None, str]:
        machine = hall.machines[name]
        async with asyncssh.connect(
            machine.plan.address, machine.state.ssh_port, username="rackside", client_keys=[user_key],
            known_hosts=None, config=None, agent_path=None,
        ) as connection:  # fmt: skip
            done = await connection.run(command, timeout=20)
            return done.exit_status, str(done.stdout)

    return on


def wiring_of(hall: Hall) -> Wiring:
    assert hall.fabric is not None
    return hall.fabric.wiring


async def test_ibnetdiscover_shows_every_node_and_link_that_is_up(hall: Hall, run: Run) -> None:
    wiring = wiring_of(hall)
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.unplug(End(leaf, 1), 0.0)
    status, text = await run("timeout -k 5 120 ibnetdiscover")
    seen = ibnetdiscover.read(text)
    assert status == 0 and seen.completeness is Completeness.COMPLETE and not seen.doubtful
    assert len(seen.links) == len(wiring.cables) - 1
    assert SeenPort(leaf, 1) not in {end for link in seen.links for end in (link.a, link.b)}
    assert {(node.description, node.kind) for node in seen.nodes.values()} == {
        (node.name, NodeKind.SWITCH if node.kind == "switch" else NodeKind.ADAPTER)
        for node in wiring.seen_nodes("infiniband")
    }
    flat = ibnetdiscover.read((await run("ibnetdiscover -p"))[1])
    assert sorted(flat.links) == sorted(seen.links)


async def test_iblinkinfo_tells_dark_disabled_and_slow_ports_in_both_forms(hall: Hall, run: Run) -> None:
    wiring = wiring_of(hall)
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.unplug(End(leaf, 1), 0.0)
    wiring.set_port(End(leaf, 2), "disabled", True, 0.0)
    wiring.trouble(End(leaf, 3), 0.0, speed="HDR")
    line = iblinkinfo.read((await run("iblinkinfo -l"))[1])
    block = iblinkinfo.read((await run("iblinkinfo"))[1])
    assert line.states[SeenPort(leaf, 1)].physical == "Polling"
    assert line.states[SeenPort(leaf, 2)].physical == "Disabled"
    slow = line.states[SeenPort(leaf, 3)]
    assert (slow.speed, slow.best_speed) == ("HDR", "NDR")
    assert line.states == block.states
    assert len(line.links) == len(wiring.cables) - 2
    alone = iblinkinfo.read((await run(f"iblinkinfo -l -S 0x{leaf}"))[1])
    assert {port.guid for port in alone.states if alone.states[port].physical == "Polling"} == {leaf}


async def test_counters_are_told_alike_by_ibqueryerrors_and_perfquery(hall: Hall, run: Run) -> None:
    wiring = wiring_of(hall)
    leaf = wiring.by_name["leaf-01-r1"]
    assert (await run("ibqueryerrors"))[0] == 0
    wiring.set_counter(End(leaf.guid, 4), "SymbolErrorCounter", 77, 0.0)
    status, text = await run("ibqueryerrors --data")
    port = SeenPort(leaf.guid, 4)
    counted = ibqueryerrors.read(text).counters
    assert status == 1 and counted[port]["SymbolErrorCounter"] == 77 and counted[port]["PortXmitData"] > 0
    lid = wiring.plan.lids[leaf.guid]
    _, text = await run(f"perfquery {lid} 4")
    assert "SymbolErrorCounter:..............77\n" in text
    assert perfquery.read(text).counters or "Lid" in text


@pytest.mark.parametrize(("state", "worth"), [("empty", Completeness.EMPTY), ("truncated", Completeness.TRUNCATED)])
async def test_a_bad_answer_is_known_as_such(hall: Hall, run: Run, state: Any, worth: Completeness) -> None:
    wiring_of(hall).set_source("ibdiags", state)
    assert ibnetdiscover.read((await run("ibnetdiscover"))[1]).completeness is worth


async def test_a_machine_whose_adapters_are_dark_cannot_look(hall: Hall, run: Run) -> None:
    for device in ("mlx5_0", "mlx5_1"):
        wiring_of(hall).power(wiring_of(hall).by_name[f"gpu0001 {device}"].guid, False, 0.0)
    status, _ = await run("ibnetdiscover")
    assert status == 255


async def test_a_bandwidth_test_goes_as_fast_as_the_slowest_link_of_its_way(hall: Hall, run: Run) -> None:
    wiring = wiring_of(hall)
    whole = hall.machines["gpu0008"].plan.address

    async def measure() -> float:
        server = asyncio.create_task(run("ib_write_bw -d mlx5_0 -D 0.2 --report_gbits", "gpu0008"))
        while not wiring.waiting:
            await asyncio.sleep(0.01)
        status, text = await run(f"ib_write_bw -d mlx5_0 -D 0.2 --report_gbits {whole}")
        there, said = await server
        assert (status, there) == (0, 0)
        assert perftest.read_bandwidth(said) == perftest.read_bandwidth(text)
        return perftest.read_bandwidth(text).average_gbps

    assert 380 < await measure() < 400
    wiring.trouble(End(wiring.by_name["leaf-01-r1"].guid, 1), 0.0, speed="HDR")
    assert 190 < await measure() < 200


async def test_a_latency_test_tells_microseconds(hall: Hall, run: Run) -> None:
    server = asyncio.create_task(run("ib_write_lat -d mlx5_1", "gpu0002"))
    while not wiring_of(hall).waiting:
        await asyncio.sleep(0.01)
    status, text = await run("ib_write_lat -d mlx5_1 gpu0002")
    await server
    result = perftest.read_latency(text)
    assert status == 0 and result.iterations == 1000
    assert result.p99_us is not None and 1 < result.p99_us < 4


async def test_a_bandwidth_test_without_its_other_side_or_with_a_dark_port_fails(hall: Hall, run: Run) -> None:
    status, text = await run("ib_write_bw -d mlx5_0 gpu0002")
    assert status == 1 and "Couldn't connect" in text
    wiring_of(hall).unplug(End(wiring_of(hall).by_name["gpu0001 mlx5_0"].guid, 1), 0.0)
    status, text = await run("ib_write_bw -d mlx5_0 gpu0002")
    assert status == 1 and "Down" in text
    with pytest.raises(perftest.PerftestError):
        perftest.read_bandwidth(text)
