"""LLDP as machines and switches tell it: the virtual hall's devices read over HTTPS, and every shape of lldpctl."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from drivers.eapi import CommandFailed, EapiClient
from drivers.https import SignInRefused, Unreachable
from drivers.nvue import NvueClient
from fabric.facts import Completeness, NodeKind, SeenPort
from fabric.formats import eapi, lldp, nvue
from fabric.formats.common import Unreadable
from fabric.formats.ethernet import mac_of, numbers
from simulator.fabric.hall import Fabric, FabricDoors
from simulator.fabric.lldp import lldpctl
from simulator.fabric.plan import CablePlan, End, FabricPlan, NodePlan
from simulator.fabric.ufm import UfmAccess
from simulator.fabric.wiring import Wiring

LEAF, SPINE = "00001c7300000001", "00001c7300000002"
ADAPTERS = ("0000b83fd2000011", "0000b83fd2000012", "0000b83fd2000021")


def ethernet_plan(model: str = "nvidia-sn4600c", lanes: int = 1) -> FabricPlan:
    """A leaf whose cages may be split, a spine, two machines; one of them with two adapters."""
    nodes = [
        NodePlan(
            LEAF, "switch", "eth-leaf", 8, "eth-leaf", "ethernet", model=model, lanes_a_cage=lanes, speed_gbps=100
        ),
        NodePlan(SPINE, "switch", "eth-spine", 4, "eth-spine", "ethernet", model=model, speed_gbps=100),
        *(
            NodePlan(guid, "ca", f"{name} {device}", 1, name, "ethernet", device=device, speed_gbps=100)
            for guid, name, device in zip(
                ADAPTERS, ("gpu0001", "gpu0001", "gpu0002"), ("mlx5_1", "mlx5_2", "mlx5_1"), strict=True
            )
        ),
    ]
    ends = [(ADAPTERS[0], 1, LEAF, 1), (ADAPTERS[1], 1, LEAF, 2), (ADAPTERS[2], 1, LEAF, 3), (LEAF, 7, SPINE, 1)]
    cables = [CablePlan(f"E{n}", End(a, p), End(b, q)) for n, (a, p, b, q) in enumerate(ends)]
    return FabricPlan(tuple(nodes), tuple(cables))


def wanted(plan: FabricPlan) -> set[tuple[SeenPort, SeenPort]]:
    return {tuple(sorted((SeenPort(*c.a), SeenPort(*c.b)))) for c in plan.cables}  # type: ignore[misc]


@pytest_asyncio.fixture(params=[("nvidia-sn4600c", 1), ("nvidia-sn4600c", 2), ("arista-7060x", 2)])
async def fabric(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Fabric]:
    doors = FabricDoors(switch_addresses=("127.0.0.1", "127.0.0.1"))
    running = Fabric(
        ethernet_plan(*request.param), tmp_path, seed="seed", clock=lambda: 1e9, access=UfmAccess("admin", "pw"),
        doors=doors,
    )  # fmt: skip
    await running.start()
    yield running
    await running.stop()


async def captured(fabric: Fabric, client: type[EapiClient] | type[NvueClient]) -> str:
    documents = []
    for url in fabric.switch_urls.values():
        async with client(url, "admin", "pw") as switch:
            assert switch.fingerprint
            documents.append(await switch.capture())
    return json.dumps(documents)


@pytest.mark.asyncio
@pytest.mark.parametrize(("client", "reader"), [(EapiClient, eapi), (NvueClient, nvue)])
async def test_switches_show_machines_and_each_other_with_split_cages_too(
    fabric: Fabric, client: Any, reader: Any
) -> None:
    seen = reader.read(await captured(fabric, client))
    assert seen.completeness is Completeness.COMPLETE and not seen.problems
    assert {(link.a, link.b) for link in seen.links} == wanted(fabric.wiring.plan)
    assert seen.nodes[ADAPTERS[0]].description == "gpu0001 mlx5_1"
    assert seen.nodes[LEAF].description == "eth-leaf" and seen.nodes[LEAF].kind is NodeKind.SWITCH
    assert seen.states[SeenPort(LEAF, 1)].logical == "Active"
    assert seen.states[SeenPort(LEAF, 8)].logical == "Down"


@pytest.mark.asyncio
@pytest.mark.parametrize("client", [EapiClient, NvueClient])
async def test_a_switch_refuses_a_wrong_password_and_one_that_is_off_is_unreachable(
    fabric: Fabric, client: Any
) -> None:
    url = fabric.switch_urls["eth-leaf"]
    async with client(url, "admin", "wrong") as switch:
        with pytest.raises(SignInRefused):
            await switch.capture()
    async with client(url, "admin", "pw") as switch:
        fabric.wiring.power(LEAF, False, 1e9)
        with pytest.raises(Unreachable):
            await switch.capture()


@pytest.mark.asyncio
async def test_a_command_the_switch_does_not_know_is_told_in_its_words(fabric: Fabric) -> None:
    async with EapiClient(fabric.switch_urls["eth-leaf"], "admin", "pw") as switch:
        with pytest.raises(CommandFailed, match="invalid command"):
            await switch.run(["show version", "show me"])


@pytest.mark.asyncio
@pytest.mark.parametrize(("client", "reader"), [(EapiClient, eapi), (NvueClient, nvue)])
async def test_switches_that_hear_nobody_are_no_data(fabric: Fabric, client: Any, reader: Any) -> None:
    fabric.wiring.set_source("switches", "empty")
    assert reader.read(await captured(fabric, client)).completeness is Completeness.EMPTY


@pytest.mark.parametrize("form", ["json", "json0"])
def test_lldpctl_is_read_in_both_shapes_with_one_interface_and_with_several(form: str) -> None:
    plan = ethernet_plan()
    wiring = Wiring(plan)
    document = [
        {"machine": name, "lldpctl": lldpctl(wiring, name, 0.0, always_lists=form == "json0", empty=False)}
        for name in ("gpu0001", "gpu0002")
    ]
    seen = lldp.read(json.dumps(document))
    shown = {(seen.nodes[link.a.guid].description, seen.nodes[link.b.guid].description, link.a.port, link.b.port)
             for link in seen.links}  # fmt: skip
    assert shown == {
        ("eth-leaf", "gpu0001 mlx5_1", 1, 1), ("eth-leaf", "gpu0001 mlx5_2", 2, 1), ("eth-leaf", "gpu0002 mlx5_1", 3, 1)
    }  # fmt: skip
    assert LEAF in seen.nodes


def lldpctl_of(interface: Any) -> str:
    return json.dumps({"machine": "gpu1", "lldpctl": {"lldp": {"interface": interface}}})


def test_a_neighbour_without_a_name_and_lists_where_others_have_strings_are_read() -> None:
    chassis = {"id": {"type": "mac", "value": "00:1c:73:00:00:01"}, "mgmt-ip": ["10.0.0.1", "fe80::1"]}
    port = {"id": {"type": "mac", "value": "00:1c:73:00:00:05"}, "descr": ["swp5"]}
    seen = lldp.read(lldpctl_of({"eth0": {"chassis": chassis, "port": port}}))
    assert [(link.a, link.b.port) for link in seen.links] == [(SeenPort("0000001c73000005", 1), 1)]


@pytest.mark.parametrize("text", ["", '{"machine": "a", "lldpctl": {"lldp": {}}}', '{"lldpctl": {"lldp": [{}]}}'])
def test_no_neighbour_is_no_data(text: str) -> None:
    assert lldp.read(text).completeness is Completeness.EMPTY


@pytest.mark.parametrize("reader", [lldp, eapi, nvue])
def test_text_that_breaks_off_and_json_of_another_kind_are_told_apart(reader: Any) -> None:
    assert reader.read('{"machine": "a", "lldpctl": {').completeness is Completeness.TRUNCATED
    with pytest.raises(Unreadable):
        reader.read('{"something": 1}')


def test_ends_that_disagree_are_doubtful_and_no_links() -> None:
    def heard(port: str, name: str, mac: str, far: str) -> dict[str, Any]:
        return {port: {"lldpNeighborInfo": [{"chassisId": mac, "systemName": name, "neighborInterfaceInfo": {
            "interfaceId": f'"{far}"', "interfaceIdType": "interfaceName"}}]}}  # fmt: skip

    one = {"switch": "a", "mac": "001c.7300.0001",
           "neighbors": heard("Ethernet1", "b", "001c.7300.0002", "Ethernet5")}  # fmt: skip
    two = {"switch": "b", "mac": "001c.7300.0002",
           "neighbors": heard("Ethernet5", "a", "001c.7300.0001", "Ethernet2")}  # fmt: skip
    seen = eapi.read(json.dumps([one, two]))
    assert seen.links == [] and len(seen.doubtful) == 2


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["swp1", "swp21"], {"swp1": 1, "swp21": 21}),
        (["swp1s0", "swp1s1", "swp2s0"], {"swp1s0": 1, "swp1s1": 2, "swp2s0": 3}),
        (["Ethernet1/1", "Ethernet21/4"], {"Ethernet1/1": 1, "Ethernet21/4": 84}),
        (["Ethernet1/1", "Ethernet2/1"], {"Ethernet1/1": 1, "Ethernet2/1": 2}),
        (["eth0", "Management1", "bond0"], {}),
    ],
)
def test_port_names_are_numbered_as_the_plan_numbers_them(names: list[str], found: dict[str, int]) -> None:
    assert numbers(names) == found


@pytest.mark.parametrize(
    ("text", "mac"),
    [("00:1c:73:00:11:22", "001c73001122"), ("001c.7300.1122", "001c73001122"), ("swp21", ""), ("Ethernet1", "")],
)
def test_a_mac_is_known_however_it_is_written(text: str, mac: str) -> None:
    assert mac_of(text) == mac
