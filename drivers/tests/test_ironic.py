"""The client of Ironic against the stand-in of the quick tests and, slow, the same against a real Ironic 39."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from drivers.https import ApplianceError, Later, NoSuchRecord, NotJson, SignInRefused, Unreachable, trust_of
from drivers.ironic import shapes
from drivers.ironic.client import IronicClient, Target
from drivers.ironic.shapes import Node
from drivers.ironic.states import MEANING, Means, meaning
from drivers.tests import ironic_real
from drivers.tests.certificates import self_signed
from drivers.tests.ironic_server import PASSWORD, USER, IronicServer, serving

MAC = "02:00:00:00:00:0a"
BMC = {"redfish_address": "https://10.2.0.1", "redfish_username": "root", "redfish_password": "calvin77",
       "redfish_verify_ca": True}  # fmt: skip


@dataclass
class Site:
    """An Ironic that is asked. `fake` enrolls a node whose hardware Ironic itself plays."""

    url: str
    certificate: str
    server: IronicServer | None

    def client(self, password: str = PASSWORD, **options: Any) -> IronicClient:
        return IronicClient(self.url, USER, password, trust=trust_of(self.certificate), **options)

    async def fake(self, ironic: IronicClient, name: str) -> Node:
        if self.server is not None:
            return await ironic.node(self.server.add(name, driver="fake-hardware").uuid)
        answer = await ironic._https.send("POST", "/v1/nodes", body={"name": name, "driver": "fake-hardware"})
        return shapes.node_of(answer.value)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with ironic_real.running(tmp_path_factory.mktemp("ironic")) as made:
        yield made


@pytest_asyncio.fixture(params=["stand-in", pytest.param("real", marks=[pytest.mark.slow, pytest.mark.services])])
async def site(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Site]:
    if request.param == "real":
        yield Site(request.getfixturevalue("real").url, "", None)
        return
    server = IronicServer()
    async with serving(server, self_signed(tmp_path / "ironic.pem")):
        yield Site(server.url, server.certificate, server)


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[IronicServer]:
    made = IronicServer()
    async with serving(made, self_signed(tmp_path / "ironic.pem")):
        yield made


def client(server: IronicServer, password: str = PASSWORD, **options: Any) -> IronicClient:
    return IronicClient(server.url, USER, password, trust=trust_of(server.certificate), **options)


async def settled(ironic: IronicClient, ident: str, limit_s: float = 30) -> Node:
    """The node once Ironic is not at it any more."""
    async with asyncio.timeout(limit_s):
        while (node := await ironic.node(ident)).means is Means.WORKING:
            await asyncio.sleep(0.05)
    return node


async def unlocked(order: Callable[[], Awaitable[None]], limit_s: float = 30) -> None:
    """An order that is given again while Ironic has the node locked."""
    async with asyncio.timeout(limit_s):
        while True:
            try:
                return await order()
            except Later:
                await asyncio.sleep(0.1)


@pytest.mark.asyncio
async def test_a_node_goes_from_enrolled_to_active_and_back(site: Site) -> None:
    async with site.client() as ironic:
        assert await ironic.version() == "1.115" and "redfish" in await ironic.drivers()
        made = await site.fake(ironic, "cycle")
        assert (made.means, made.inspected_at, made.maintenance) == (Means.ENROLLED, "", False)
        for target, means in (
            (Target.MANAGE, Means.MANAGEABLE), (Target.INSPECT, Means.MANAGEABLE), (Target.PROVIDE, Means.FREE)
        ):  # fmt: skip
            await unlocked(lambda target=target: ironic.provision(made.uuid, target))  # type: ignore[misc]
            assert (await settled(ironic, made.uuid)).means is means
        inspected = await ironic.node("cycle")
        assert inspected.inspected_at and inspected.inspects
        await unlocked(lambda: ironic.change(made.uuid, {"instance_info": {"image_source": "http://images/a"}}))
        data, meta = "#cloud-config\nä: 1\n", {"hostname": "cycle"}
        await unlocked(lambda: ironic.deploy(made.uuid, user_data=data, meta_data=meta))
        assert (await settled(ironic, made.uuid)).means is Means.RUNS
        await unlocked(lambda: ironic.provision(made.uuid, Target.DELETED))
        assert (await settled(ironic, made.uuid)).means is Means.FREE
    if site.server is not None:
        assert site.server.of("cycle").meta_data == {"hostname": "cycle"}


@pytest.mark.asyncio
async def test_maintenance_goes_both_ways_and_a_node_can_be_renamed(site: Site) -> None:
    async with site.client() as ironic:
        made = await site.fake(ironic, "broken")
        await ironic.set_maintenance(made.uuid, "Rackside: REP-7")
        assert (await ironic.node("broken")).said == "enroll; maintenance: Rackside: REP-7"
        await ironic.unset_maintenance(made.uuid)
        await ironic.change(made.uuid, {"name": "mended"})
        assert (await ironic.node("mended")).maintenance is False
        with pytest.raises(NoSuchRecord, match="broken could not be found"):
            await ironic.node("broken")


@pytest.mark.asyncio
async def test_a_node_is_enrolled_with_its_bmc_and_found_by_its_port_and_no_password_comes_back(site: Site) -> None:
    async with site.client() as ironic:
        made = await ironic.enroll(name="enrolled", driver_info=BMC, more={})
        assert (made.bmc, made.means, made.inspects) == ("10.2.0.1", Means.ENROLLED, made.inspects)
        await ironic.add_port(made.uuid, MAC)
        assert await ironic.owners(MAC.upper()) == [made.uuid] and await ironic.owners("02:00:00:00:00:ff") == []
        with pytest.raises(Later, match="already exists"):
            await ironic.add_port(made.uuid, MAC)
        with pytest.raises(Later) as error:
            await ironic.enroll(name="enrolled", driver_info=BMC, more={})
        assert "calvin77" not in str(error.value) and "already exists" in str(error.value)
        assert made.uuid in {node.uuid for node in await ironic.nodes()}
        hardware = await ironic.hardware(made)
        assert not hardware.read and hardware.serial == ""


@pytest.mark.asyncio
async def test_a_wrong_state_is_an_error_with_ironics_words_and_a_busy_node_is_later(site: Site) -> None:
    async with site.client() as ironic:
        made = await site.fake(ironic, "busy")
        with pytest.raises(ApplianceError, match=r"answered 400: The requested action .active. can not be performed"):
            await ironic.provision(made.uuid, Target.ACTIVE)
        await unlocked(lambda: ironic.provision(made.uuid, Target.MANAGE))
        await settled(ironic, made.uuid)
        await unlocked(lambda: ironic.provision(made.uuid, Target.INSPECT))
        with pytest.raises(Later, match="409"):
            await ironic.change(made.uuid, {"name": "other"})
        await settled(ironic, made.uuid)


@pytest.mark.asyncio
async def test_a_wrong_password_is_refused_and_not_repeated(site: Site) -> None:
    async with site.client("other-secret") as ironic:
        with pytest.raises(SignInRefused) as refused:
            await ironic.drivers()
    assert "other-secret" not in str(refused.value)


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.asyncio
async def test_the_recorded_node_is_what_a_real_ironic_says_today(real: ironic_real.RealIronic) -> None:
    """The stand-in has no field of its own, and lacks none that is read."""
    async with IronicClient(real.url, USER, PASSWORD, trust=trust_of("")) as ironic:
        answer = await ironic._https.send("POST", "/v1/nodes", body={"name": "recorded", "driver": "fake-hardware"})
    shown = {name for name in answer.value if name not in ("links", "ports", "states", "portgroups", "volume")}
    stand_in = IronicServer()
    assert set(stand_in.add("a").row) == shown


@pytest.mark.asyncio
async def test_no_ironic_an_old_one_and_one_that_is_silent_are_errors(server: IronicServer) -> None:
    server.newest = "1.78"
    async with client(server) as ironic:
        with pytest.raises(NotJson, match=r"speaks 1\.78"):
            await ironic.version()
    server.silent = True
    async with client(server, timeout_s=0.3, total_s=0.3) as ironic:
        with pytest.raises(Unreachable, match="no answer in time"):
            await ironic.version()


@pytest.mark.asyncio
async def test_a_certificate_of_another_authority_gets_no_password(server: IronicServer) -> None:
    async with IronicClient(server.url, USER, PASSWORD, trust=trust_of("")) as ironic:
        with pytest.raises(Unreachable, match="certificate"):
            await ironic.drivers()
    assert server.requests == []


@pytest.mark.asyncio
async def test_nodes_come_by_pages_and_an_ident_that_would_lead_elsewhere_is_not_asked_for(
    server: IronicServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drivers.ironic.client.PAGE", 2)
    for number in range(5):
        server.add(f"gpu-{number}")
    async with client(server) as ironic:
        assert [node.name for node in await ironic.nodes()] == [f"gpu-{number}" for number in range(5)]
        asked = len(server.requests)
        assert asked == 3
        for text in ("../drivers", "a/b", "", "..", "x?fields=name", "ü"):
            with pytest.raises(NotJson):
                await ironic.node(text)
    assert len(server.requests) == asked


def test_each_state_means_something_and_a_later_one_nothing() -> None:
    assert set(MEANING.values()) == set(Means) - {Means.UNKNOWN}
    assert meaning("polishing") is Means.UNKNOWN and meaning("") is Means.UNKNOWN


def test_what_a_bmc_or_an_agent_read_is_read() -> None:
    told = {"inventory": {"cpu": {"count": 224}, "memory": {"physical_mb": "2097152"},
                          "system_vendor": {"serial_number": "SN1", "system_uuid": "u-1"},
                          "interfaces": [{"mac_address": "02:AA:00:00:00:01", "name": "eno1"}],
                          "disks": [{"name": "/dev/nvme0n1", "serial": "D1", "size": 3840755982336}]}}  # fmt: skip
    read = shapes.hardware_of(told)
    assert (read.serial, read.uuid, read.cpus, read.memory_mib) == ("SN1", "u-1", 224, 2 << 20)
    assert read.macs == {"02:aa:00:00:00:01"} and read.disks[0].serial == "D1" and read.read


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["uuid", "provision_state", "nodes", "ports", "inventory", "history", "version", "driver_info",
                         "redfish_address", "properties", "cpus", "cpu", "disks", "interfaces", "error_message"]),
        inner,
        max_size=6,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_whatever_is_answered_is_read_or_refused_by_its_field(value: Any) -> None:
    readers = (shapes.node_of, shapes.nodes_of, shapes.owners_of, shapes.hardware_of, shapes.history_of,
               shapes.newest_version, shapes.fault_in)  # fmt: skip
    for read in readers:
        try:
            read(value)
        except NotJson as error:
            assert "Ironic" in str(error)
