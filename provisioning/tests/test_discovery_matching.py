"""What a BMC tells, and what it means beside the plan. Pure."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.discovery.hardware import BmcHardware
from provisioning.discovery.hardware import Machine, Part, machine_of, of_root, uuid_of
from provisioning.discovery.matching import Bmc, Finding, Found, Plan, found
from provisioning.discovery.parts import Expected, Slot, compared, planned_counts
from provisioning.intake.matching import Planned

UUIDS = [str(UUID(int=number)) for number in range(0x4C4C4544, 0x4C4C4544 + 9)]
MACS = [f"b8:3f:d2:00:00:0{number}" for number in range(9)]


def planned(number: int, **more: Any) -> Planned:
    """Machine `number` as a plan has it that lacks nothing."""
    told: dict[str, Any] = {
        "serials": (f"T{number}",), "model": "dell-xe9680-h100", "model_name": "PowerEdge XE9680", "rack": "B02",
        "u": number * 6.0, "bmc_mac": MACS[number], "uuid": UUIDS[number], "bmc_ip": f"10.0.4.{number}",
    }  # fmt: skip
    return Planned(number, f"gpu-{number}", **told | more)


def machine(number: int, **more: Any) -> Machine:
    return Machine(f"T{number}", UUIDS[number], "Dell Inc.", "PowerEdge XE9680", MACS[number], **more)


def bmc(number: int, **more: Any) -> Bmc:
    """The BMC of machine `number`, at its address."""
    told: dict[str, Any] = {"mac": MACS[number], "machine": machine(number), "whole": True}
    return Bmc(number, f"10.0.4.{number}", **told | more)


def one(*bmcs: Bmc, plan: Plan | None = None, **more: Any) -> Found:
    return found(bmcs, plan or Plan((planned(1, **more), planned(2))))[0]


def test_a_machine_as_planned_has_nothing_to_be_written() -> None:
    result = one(bmc(1))
    assert (result.finding, result.changes, result.planned) == (Finding.SAME, {}, planned(1))
    assert result.evidence == (
        f"lease of 10.0.4.1 for {MACS[1]}", f"its BMC says: serial T1, UUID {UUIDS[1]}",
        "place not known: its BMC reports no switch port by LLDP",
    )  # fmt: skip


def test_what_the_plan_lacks_is_what_acceptance_writes() -> None:
    result = one(bmc(1), serials=(), uuid="", bmc_ip="")
    assert (result.finding, result.changes) == (
        Finding.FITS, {"serial": "T1", "system_uuid": UUIDS[1], "bmc_ip": "10.0.4.1"},
    )  # fmt: skip
    assert one(bmc(1), bmc_mac="").changes == {"bmc_mac": MACS[1]}
    assert one(bmc(1), bmc_ip="10.9.9.9").changes == {"bmc_ip": "10.0.4.1"}
    only = bmc(1, machine=replace(machine(1), macs=(MACS[7],)))
    assert one(only).changes == {"boot_mac": MACS[7]}
    several = bmc(1, machine=replace(machine(1), macs=(MACS[7], MACS[8])))
    assert one(several).finding is Finding.SAME, "which of them it starts from is not known"


@pytest.mark.parametrize(
    ("finding", "seen", "plan", "words"),
    [
        (Finding.UNKNOWN, bmc(5), {}, "neither its serial, its UUID nor its place"),
        (
            Finding.TAKEN,
            bmc(1, machine=replace(machine(5), uuid="")),
            {},
            "gpu-1 is planned there with T1, found is T5",
        ),
        (Finding.DIFFERS, bmc(1, machine=replace(machine(1), model="PowerEdge R660")), {}, "it is a PowerEdge R660"),
        (Finding.DIFFERS, bmc(1, mac=MACS[6]), {}, f"its BMC has {MACS[6]}, planned is {MACS[1]}"),
        (Finding.DIFFERS, bmc(1, machine=replace(machine(1), serial="T9")), {}, "its serial is T9, planned is T1"),
        (Finding.DIFFERS, bmc(1, machine=replace(machine(1), uuid=UUIDS[8])), {}, f"its UUID is {UUIDS[8]}"),
        (Finding.DIFFERS, replace(bmc(1), address="10.0.4.2"), {}, "planned for gpu-2, which was not found"),
        (Finding.MOVED, bmc(1, mac=MACS[2]), {}, "which is planned for gpu-2 at B02 U12; gpu-1 at B02 U6"),
        (Finding.UNREAD, bmc(1, machine=None, mac="", whole=False, reason="nothing answers"), {}, "nothing answers"),
        (Finding.UNREAD, bmc(1, machine=None, whole=False, reason="refused"), {}, "refused"),
        (Finding.UNREAD, bmc(1, machine=None, whole=False, reason="silent"), {"bmc_ip": ""}, "silent"),
        (Finding.FITS, bmc(1, machine=Machine(), whole=False, reason="refused"), {"bmc_ip": ""}, "refused"),
    ],
)
def test_what_a_bmc_means_beside_the_plan(finding: Finding, seen: Bmc, plan: dict[str, Any], words: str) -> None:
    result = one(seen, **plan)
    assert result.finding is finding and words in result.text
    assert not result.changes or finding is Finding.FITS


def test_a_uuid_in_the_other_byte_order_is_the_same_machine() -> None:
    told = replace(machine(1), serial="", uuid=str(UUID(bytes=UUID(UUIDS[1]).bytes_le)))
    result = one(bmc(1, machine=told))
    assert (result.finding, result.planned) == (Finding.SAME, planned(1))


def test_two_serials_that_were_exchanged_are_one_finding_of_two_bmcs() -> None:
    first, second = (
        bmc(1, machine=replace(machine(2), bmc_mac=MACS[1])),
        bmc(2, machine=replace(machine(1), bmc_mac="")),
    )
    results = found([first, second], Plan((planned(1), planned(2))))
    assert [(each.finding, each.planned, each.other) for each in results] == [
        (Finding.EXCHANGED, planned(1), 2), (Finding.EXCHANGED, planned(2), 1),
    ]  # fmt: skip
    assert results[0].changes == {"serial": "T2", "system_uuid": UUIDS[2]}, "the MACs stay: they say where it stands"
    assert results[1].changes == {"serial": "T1", "system_uuid": UUIDS[1]}
    assert f"gpu-2 and gpu-1 are exchanged: its BMC has {MACS[1]}" in results[0].text


def test_the_switch_port_says_where_a_machine_stands() -> None:
    ports = {1: ("mgmt-1", "swp1"), 2: ("mgmt-1", "swp2")}
    plan = Plan((planned(1), planned(2)), ports)

    def seen(number: int, port: str) -> Bmc:
        return bmc(number, machine=machine(number, switch="MGMT-1", switch_port=port))

    assert one(seen(1, "swp1"), plan=plan).finding is Finding.SAME
    assert "seen on MGMT-1 port swp1" in one(seen(1, "swp1"), plan=plan).evidence
    moved = one(seen(1, "swp2"), plan=plan)
    assert moved.finding is Finding.MOVED and "seen on mgmt-1 port swp2, which is planned for gpu-2" in moved.text
    nobodys = one(seen(1, "swp9"), plan=plan)
    assert nobodys.text == "seen on mgmt-1 port swp9, planned on mgmt-1 port swp1"
    both = found([seen(1, "swp2"), seen(2, "swp1")], plan)
    assert {each.finding for each in both} == {Finding.EXCHANGED}
    assert both[0].changes == {
        "serial": "T1", "system_uuid": UUIDS[1], "bmc_ip": "10.0.4.1", "bmc_mac": MACS[1],
    }, "the whole machine stands there, with its BMC"  # fmt: skip


def test_one_machine_at_two_addresses_is_found_once() -> None:
    twice = [bmc(1), replace(bmc(1), number=7, address="fd00::1")]
    results = found(twice, Plan((planned(1),)))
    assert [each.finding for each in results] == [Finding.SAME, Finding.TWICE]
    assert results[1].text == "10.0.4.1 is the same BMC"
    other = found([bmc(1), bmc(3, machine=machine(1))], Plan((planned(1),)))
    assert other[1].text == "10.0.4.1 has the same serial T1"


# ---- parts ----
GPUS = tuple(Slot(f"GPU {number}", "gpu", f"SXM {number + 1}") for number in range(8))
SLOTS = (
    *GPUS, Slot("PSU 1", "psu", "PSU 1"), Slot("PSU 2", "psu"), Slot("DIMM A1", "dimm", "A1"),
    Slot("HCA mlx5_1", "hca", "Slot 31 port 1", "0000:2a:00.0"), Slot("HCA mlx5_2", "hca", "", "0000:2a:00.1"),
    Slot("NVMe 0", "nvme", "Bay 0"), Slot("CPU 1", "cpu"),
)  # fmt: skip
PARTS = (
    *(Part("gpu", (f"SXM {number}",), f"G{number}", model="NVIDIA H100 80GB HBM3") for number in range(1, 9)),
    Part("psu", ("PSU.Slot.1", "PS1 Status"), "P1"), Part("psu", ("PSU.Slot.2",), "P2"),
    Part("dimm", ("DIMM.Socket.A1",), "D1"), Part("hca", ("NIC.Slot.31",), "H1"), Part("nvme", ("Bay 0",), "N1"),
)  # fmt: skip
EXPECTED = Expected(SLOTS, "NVIDIA H100 80GB HBM3")


def test_parts_as_the_model_has_them_are_written_to_their_slots_and_what_is_not_told_is_not_missing() -> None:
    result = compared(PARTS, EXPECTED)
    assert (result.problems, result.not_told) == ((), ("CPU",))
    assert {row["slot"]: row["serial"] for row in result.write} == {
        **{f"GPU {n - 1}": f"G{n}" for n in range(1, 9)}, "PSU 1": "P1", "PSU 2": "P2", "DIMM A1": "D1", "NVMe 0": "N1",
    }, "the card has two slots and one name, so it is in neither"  # fmt: skip
    assert planned_counts(SLOTS) == {"cpu": 1, "dimm": 1, "gpu": 8, "hca": 1, "nvme": 1, "psu": 2}


def test_what_is_missing_or_other_than_the_model_is_said() -> None:
    assert compared(PARTS[1:], EXPECTED).problems == ("7 GPUs of 8: none in GPU 0",)
    assert compared((*PARTS, Part("psu", ("PSU 3",))), EXPECTED).problems == ("3 PSUs of 2",)
    others = tuple(replace(part, model="NVIDIA H200") if part.kind == "gpu" else part for part in PARTS)
    assert compared(others, EXPECTED).problems == (
        "8 GPUs of another kind: NVIDIA H200, planned: NVIDIA H100 80GB HBM3",
    )


def test_of_many_other_serials_some_are_named_and_the_rest_is_counted() -> None:
    known = replace(EXPECTED, installed={f"GPU {number}": f"OLD{number}" for number in range(8)} | {"PSU 1": "OLD"})
    problems = compared(PARTS, known).problems
    assert len(problems) == 6 and problems[4] == "4 GPUs more have other serials"
    assert problems[5] == "PSU 1 has serial P1; the inventory has OLD there"


def test_a_serial_that_differs_from_the_installed_one_is_told_and_not_written_over() -> None:
    known = replace(EXPECTED, installed={"GPU 0": "G1", "GPU 1": "OLD", "GPU 2": "G2"})
    result = compared(PARTS, known)
    assert result.problems == (
        "GPU 1 has serial G2, which it has in GPU 2; the inventory has OLD there",
        "GPU 2 has serial G3; the inventory has G2 there",
    )
    assert not {"GPU 0", "GPU 1", "GPU 2"} & {row["slot"] for row in result.write}
    assert one(bmc(1, machine=replace(machine(1), parts=PARTS)),
               plan=Plan((planned(1),), {}, {1: known})).finding is Finding.PARTS  # fmt: skip


# ---- what a BMC tells ----
SYSTEM: dict[str, Any] = {"UUID": UUIDS[1].upper(), "Manufacturer": "Dell Inc.", "Model": "PowerEdge XE9680"}


def hardware(**more: Any) -> BmcHardware:
    told: dict[str, Any] = {"root": {}, "system": SYSTEM, "manager": {}, "serial": "t1"}
    return BmcHardware(**{**{each.name: [] for each in fields(BmcHardware)}, **told, **more})


def test_a_machine_is_read_out_of_the_resources_of_its_bmc() -> None:
    told = machine_of(hardware(
        processors=[{"Id": "GPU1", "ProcessorType": "GPU", "SerialNumber": "G1", "FirmwareVersion": "96.00"},
                    {"Id": "GPU2", "ProcessorType": "GPU", "Status": {"State": "Absent"}}],
        memory=[{"Id": "0", "DeviceLocator": "DIMM A1", "CapacityMiB": 65536, "SerialNumber": "N/A"},
                {"Id": "A2", "CapacityMiB": 0}],
        drives=[{"Id": "D0", "Protocol": "NVMe", "PhysicalLocation": {"PartLocation": {"ServiceLabel": "Bay 0"}}},
                {"Id": "D1", "Protocol": "SATA"}],
        adapters=[{"Id": "N1", "Manufacturer": "Mellanox", "Controllers": [{"FirmwarePackageVersion": "28.39"}]},
                  {"Id": "N2", "Manufacturer": "Broadcom"}],
        interfaces=[{"PermanentMACAddress": MACS[3].upper()}, {"MACAddress": "00:00:00:00:00:00"}, {}],
        manager_interfaces=[{"MACAddress": MACS[4]}],
        manager_ports=[{}, {"Ethernet": {"LLDPReceive": {"SystemName": "mgmt-1", "PortId": "swp4"}}}],
        firmware=[{"Id": "Previous-1", "Name": "BIOS", "Version": "1.0"}, {"Name": "NIC", "Version": "28.39"}],
        manager={"FirmwareVersion": "7.10"},
    ))  # fmt: skip
    assert (told.serial, told.uuid, told.vendor, told.bmc_mac, told.macs) == (
        "T1", UUIDS[1], "Dell Inc.", MACS[4], (MACS[3],),
    )  # fmt: skip
    assert [(part.kind, part.name, part.serial, part.firmware) for part in told.parts] == [
        ("gpu", "GPU1", "G1", "96.00"), ("dimm", "DIMM A1", "", ""), ("nvme", "Bay 0", "", ""),
        ("hca", "N1", "", "28.39"),
    ]  # fmt: skip
    assert (told.switch, told.switch_port, told.firmware) == ("mgmt-1", "swp4", (("BMC", "7.10"), ("NIC", "28.39")))
    assert Machine.of_document(told.document()) == told


def test_the_service_root_tells_whoever_asks() -> None:
    dell = {"ServiceTag": "4gmpn72", "ManagerMACAddress": "b8-3f-d2-00-00-04"}
    told = of_root({"UUID": UUIDS[1], "Vendor": "Dell", "Oem": {"Dell": dell}})
    assert (told.serial, told.uuid, told.bmc_mac) == ("4GMPN72", UUIDS[1], MACS[4])
    assert uuid_of("00000000-0000-0000-0000-000000000000") == "" == uuid_of("none")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["Id", "Name", "Status", "State", "SerialNumber", "ProcessorType", "Controllers", "Identifiers", "Ethernet",
         "LLDPReceive", "PhysicalLocation", "PartLocation", "Oem", "Dell", "UUID", "Model"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
names = st.sampled_from([
    "Id", "Name", "Status", "ProcessorType", "Controllers", "Protocol", "Ethernet", "PhysicalLocation", "MACAddress",
    "Manufacturer",
])  # fmt: skip
rows = st.lists(st.dictionaries(names, anything, max_size=5), max_size=3)


@given(anything, rows, rows, rows)
def test_whatever_a_bmc_answers_is_read_or_left_out(told: Any, one: Any, two: Any, three: Any) -> None:
    document = told if isinstance(told, dict) else {"x": told}
    result = machine_of(hardware(
        root=document, system=document, manager=document, processors=one, memory=two, drives=three, adapters=one,
        supplies=two, interfaces=three, manager_interfaces=one, manager_ports=two, firmware=three,
    ))  # fmt: skip
    assert Machine.of_document(result.document()) == result


numbers = st.integers(min_value=1, max_value=4)
seen = st.builds(
    lambda n, who, mac, whole, known: Bmc(n, f"10.0.5.{n}", MACS[mac], machine=machine(who) if known else None,
                                          whole=whole and known),
    st.integers(1, 200), numbers, numbers, st.booleans(), st.booleans(),
)  # fmt: skip


@given(st.lists(seen, max_size=8, unique_by=lambda each: each.number), st.sets(numbers))
def test_every_bmc_has_a_finding_and_an_exchange_always_has_its_other_half(bmcs: list[Bmc], plan: set[int]) -> None:
    results = {each.bmc.number: each for each in found(bmcs, Plan(tuple(planned(number) for number in plan)))}
    assert list(results) == [each.number for each in bmcs]
    for each in results.values():
        assert not each.changes or each.planned is not None
        if each.finding is Finding.EXCHANGED:
            assert each.other is not None
            half = results[each.other]
            assert half.finding is Finding.EXCHANGED and half.other == each.bmc.number
