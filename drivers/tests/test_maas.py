"""The client of MAAS against a region with state: signed requests, operations, what it answers instead."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from drivers.https import ApplianceError, NotJson, SignInRefused, Unreachable, trust_of
from drivers.maas import shapes
from drivers.maas.client import Later, MaasClient, NoSuchRecord, key_parts
from drivers.maas.states import MEANING, Means, Status, meaning
from drivers.tests.certificates import self_signed
from drivers.tests.maas_region import KEY, MaasRegion, serving

MAC = "02:00:00:00:00:01"
POWER = {"power_address": "10.2.0.1", "power_user": "root", "power_pass": "calvin77"}


@pytest_asyncio.fixture
async def region(tmp_path: Path) -> AsyncIterator[MaasRegion]:
    made = MaasRegion()
    async with serving(made, self_signed(tmp_path / "maas.pem")):
        yield made


def client(region: MaasRegion, key: str = KEY, **options: Any) -> MaasClient:
    return MaasClient(region.url, key, trust=trust_of(region.certificate), **options)


@pytest.mark.asyncio
async def test_a_machine_goes_from_enlisted_to_deployed_and_back(region: MaasRegion) -> None:
    region.hardware = {"uuid": "u-1", "serial": "SN1", "cpus": 224, "memory_mib": 2 << 20, "disks": ["D1", "D2"]}
    async with client(region) as maas:
        assert (await maas.version()).version == "3.5.2" and await maas.who() == "rackside"
        made = await maas.enlist(hostname="gpu-1", mac=MAC, power=POWER)
        assert (made.means, made.macs, made.commissioned) == (Means.BARE, frozenset({MAC}), 0)
        await maas.commission(made.system_id)
        said = [(await maas.machine(made.system_id)).means for _ in range(2)]
        assert said == [Means.WORKING, Means.FREE]
        [ready] = await maas.machines(mac_address=MAC)
        assert (ready.cpus, ready.memory_mib, ready.serial, len(ready.disks)) == (224, 2 << 20, "SN1", 2)
        await maas.allocate(made.system_id, "run 7")
        await maas.deploy(made.system_id, series="jammy", user_data="#cloud-config\nä: 1\n", comment="run 7")
        await maas.machine(made.system_id)
        assert (await maas.machine(made.system_id)).means is Means.RUNS
        await maas.release(made.system_id, erase=["erase", "quick_erase"], comment="over")
    record = region.of("gpu-1")
    assert record.user_data == "#cloud-config\nä: 1\n" and record.erased == ["erase", "quick_erase"]
    assert record.power["power_parameters_power_address"] == "10.2.0.1"


@pytest.mark.asyncio
async def test_events_are_read_behind_the_last_one_in_the_order_of_their_ids(region: MaasRegion) -> None:
    record = region.add("gpu-1", MAC)
    for word in ("one", "two", "three"):
        region.say(record, "Node powered on", word)
    async with client(region) as maas:
        [newest] = await maas.events(after=None)
        later = await maas.events(after=newest.id - 2)
    assert newest.description == "three" and [each.description for each in later] == ["two", "three"]


@pytest.mark.asyncio
async def test_another_state_no_rack_controller_and_a_deleted_record_are_told_apart(region: MaasRegion) -> None:
    record = region.add("gpu-1", MAC, status=Status.DEPLOYED)
    async with client(region) as maas:
        with pytest.raises(Later, match=r"409.*state Deployed"):
            await maas.commission(record.system_id)
        region.answers_first = [503]
        with pytest.raises(Later, match="503"):
            await maas.machine(record.system_id)
        del region.records[record.system_id]
        with pytest.raises(NoSuchRecord):
            await maas.machine(record.system_id)


@pytest.mark.asyncio
async def test_a_wrong_key_is_refused_and_no_error_repeats_a_secret(region: MaasRegion) -> None:
    async with client(region, "consumerkey:tokenkey:othersecret") as maas:
        with pytest.raises(SignInRefused) as refused:
            await maas.who()
    assert "othersecret" not in str(refused.value)
    with pytest.raises(SignInRefused) as refused:
        client(region, "only:twosecret")
    assert "twosecret" not in str(refused.value)
    region.add("gpu-1", MAC)
    async with client(region) as maas:
        with pytest.raises(ApplianceError) as error:
            await maas.enlist(hostname="gpu-1", mac=MAC, power=POWER)
    assert "already in use" in str(error.value) and "calvin77" not in str(error.value)


@pytest.mark.asyncio
async def test_a_certificate_of_another_authority_gets_no_key(region: MaasRegion) -> None:
    async with MaasClient(region.url, KEY, trust=trust_of("")) as maas:
        with pytest.raises(Unreachable, match="certificate"):
            await maas.who()
    assert region.requests == []


@pytest.mark.asyncio
async def test_a_region_that_never_answers_and_one_that_is_no_maas_3_are_errors(region: MaasRegion) -> None:
    region.version = "2.9.2"
    async with client(region) as maas:
        with pytest.raises(NotJson, match=r"MAAS 2\.9\.2"):
            await maas.version()
    region.silent = True
    async with client(region, timeout_s=0.3, total_s=0.3) as maas:
        with pytest.raises(Unreachable, match="no answer in time"):
            await maas.version()


@pytest.mark.asyncio
async def test_an_id_that_would_lead_elsewhere_is_not_asked_for(region: MaasRegion) -> None:
    async with client(region) as maas:
        for text in ("../users", "a/b", "", "x?op=release"):
            with pytest.raises(NotJson):
                await maas.machine(text)
    assert region.requests == []


def test_each_state_of_maas_means_something_and_a_later_one_nothing() -> None:
    assert set(MEANING) == set(Status)
    assert meaning(99) is Means.UNKNOWN and meaning(-1) is Means.UNKNOWN


def test_a_failed_script_is_named_with_its_exit_and_those_of_other_commissionings_are_not() -> None:
    def result(name: str, status: int, code: int | None = None) -> dict[str, Any]:
        return {"name": name, "status": status, "exit_status": code}

    told = [
        {"id": 7, "results": [result("gpu-count", 3, 2), result("smartctl", 4), result("lldpd", 2, 0)]},
        {"id": 6, "results": [result("old", 3, 1)]},
    ]
    assert shapes.failed_scripts(told, 7) == ["gpu-count: failed (exit 2)", "smartctl: timed out"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["system_id", "hostname", "status", "interface_set", "mac_address", "physicalblockdevice_set",
                         "hardware_info", "events", "id", "results", "version", "memory", "cpu_count"]),
        inner,
        max_size=6,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_whatever_is_answered_is_read_or_refused_by_its_field(value: Any) -> None:
    readers = (shapes.machine_of, shapes.machines_of, shapes.events_of, shapes.version_of,
               lambda told: shapes.failed_scripts(told, 1))  # fmt: skip
    for read in readers:
        try:
            read(value)
        except NotJson as error:
            assert "MAAS" in str(error)


@given(st.text(max_size=40))
def test_a_key_has_three_parts_or_is_refused_without_being_repeated(text: str) -> None:
    try:
        assert len(key_parts(text)) == 3
    except ValueError as error:
        assert len(text) < 12 or text not in str(error)
