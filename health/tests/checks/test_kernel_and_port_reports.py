"""Outputs that people save by hand (lscpu, edac-util, ethtool, ip, free, mlxlink, disks): what is read and refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks.model import Verdict
from health.checks.other_disks import other_disk
from health.checks.parsers import ParseError
from health.checks.parsers.disk_health import disk_health, disk_health_of
from health.checks.parsers.gpu_table import parse_list, parse_table
from health.checks.parsers.kernel_reports import parse_edac_util, parse_lscpu
from health.checks.parsers.link_tools import parse_mlxlink
from health.checks.parsers.port_states import parse_bonding, parse_ip_link, parse_settings
from health.checks.parsers.state_files import parse_mdadm
from health.checks.parsers.system import parse_meminfo
from health.checks.saved.signs import command_of

LSCPU = "Architecture: x86_64\nCPU(s):                  208\n  On-line CPU(s) list:   0-103,108\nSocket(s): 2\n"
BOND = """Ethernet Channel Bonding Driver: v6.5.0

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
MII Status: up

Slave Interface: eth0
MII Status: up
Speed: 100000 Mbps
Duplex: full

Slave Interface: eth1
MII Status: going down
Speed: Unknown
Duplex: Unknown
"""
SETTINGS = "Settings for eth0:\n\tSpeed: 25000Mb/s\n\tDuplex: Full\n\tLink detected: yes\n"
SETTINGS += "Settings for eth1:\n\tSpeed: Unknown!\n"


def test_lscpu_tells_the_processors_that_are_there_and_online_as_text_and_as_json() -> None:
    rows = [
        {"field": "Architecture:", "data": "x86_64", "children": [{"field": "Byte Order:", "data": "Little Endian"}]},
        {"field": "CPU(s):", "data": "208", "children": [{"field": "On-line CPU(s) list:", "data": "0-103,108"}]},
    ]
    for text in (LSCPU, json.dumps({"lscpu": rows})):
        files = parse_lscpu(text)
        assert (files.online, files.present, files.whole) == (105, 208, False)


@pytest.mark.parametrize(
    "text", ["", "CPU(s): 208\n", "CPU(s): many\nOn-line CPU(s) list: 0-3\n", '{"lscpu": [1]}', "{"]
)
def test_lscpu_without_both_counts_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_lscpu(text)


def test_edac_util_tells_rows_and_dimms_apart() -> None:
    text = "mc0: csrow2: 1 Uncorrected Errors\nmc0: csrow2: CPU#0Ch#1_DIMM#0: 4 Corrected Errors\n"
    text += "mc1: 0 Corrected Errors\n"
    places = {(place.name, place.label): (place.corrected, place.uncorrected) for place in parse_edac_util(text).memory}
    assert places == {("mc0 csrow2", ""): (0, 1), ("mc0 csrow2", "CPU#0Ch#1_DIMM#0"): (4, 0), ("mc1", ""): (0, 0)}


def test_edac_util_without_a_controller_is_unknown_with_its_own_words() -> None:
    with pytest.raises(ParseError, match="No memory controller data found"):
        parse_edac_util("edac-util: Error: No memory controller data found.\n")
    assert [place.uncorrected for place in parse_edac_util("edac-util: No errors to report.\n").memory] == [0]


def test_a_bond_tells_its_members_and_one_going_down_is_not_up() -> None:
    found = parse_bonding(BOND, "cat /proc/net/bonding/bond0").interfaces or {}
    assert {name: (each.state, each.master, each.speed_mbps) for name, each in found.items()} == {
        "bond0": ("up", "", 100_000),
        "eth0": ("up", "bond0", 100_000),
        "eth1": ("going down", "bond0", None),
    }


def test_an_interface_that_does_not_tell_its_link_is_refused() -> None:
    with pytest.raises(ParseError, match="eth1"):
        parse_settings(SETTINGS)
    told = parse_settings(SETTINGS.partition("Settings for eth1")[0]).interfaces or {}
    assert (told["eth0"].state, told["eth0"].speed_mbps, told["eth0"].duplex) == ("up", 25_000, "full")
    with pytest.raises(ParseError, match="No such device"):
        parse_settings("netlink error: No such device\n")


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("bond1.txt", BOND, "cat /proc/net/bonding/bond1"),
        ("a.txt", BOND, "cat /proc/net/bonding/?"),
        ("ethtool-eth0.txt", SETTINGS, "ethtool eth0"),
        ("a.txt", LSCPU, "lscpu"),
        ("a.txt", "mc0: 0 Corrected Errors with no DIMM info\n", "edac-util -v"),
        ("a.txt", "/dev/md0:\n           Version : 1.2\n        Raid Level : raid1\n", "mdadm --detail"),
    ],
)
def test_a_saved_output_is_known_by_what_it_holds(name: str, text: str, command: str) -> None:
    assert command_of(name, text) == command


HEAD = "=== START OF READ SMART DATA SECTION ===\n"
ROW = "197 Current_Pending_Sector  0x0032   100   100   000    Old_age   Always       -       8\n"


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("SMART overall-health self-assessment test result: PASSED\n", ["ok"]),
        ("SMART overall-health self-assessment test result: FAILED!\n", ["fail", "ok"]),
        ("SMART overall-health self-assessment test result: PASSED\n" + ROW, ["warn", "ok"]),
        ("SMART Health Status: OK\nElements in grown defect list: 3\n", ["info", "ok"]),
        ("SMART Health Status: FAILURE PREDICTION THRESHOLD EXCEEDED [asc=5d, ascq=0]\n", ["fail", "ok"]),
    ],
)
def test_a_disk_is_judged_by_its_own_verdict_and_by_what_it_cannot_read(text: str, verdicts: list[str]) -> None:
    disk = disk_health(HEAD + text)
    assert disk is not None and [str(outcome.verdict) for outcome in other_disk(disk)] == verdicts


def test_a_disk_that_does_not_tell_its_verdict_is_unknown() -> None:
    disk = disk_health_of({"device": {"protocol": "ATA"}, "smart_status": {}})
    assert disk is not None and next(other_disk(disk)).verdict is Verdict.UNKNOWN
    assert disk_health("SMART overall-health self-assessment test result: PASSED\n") is None


LINKS = """1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default
2: eth0: <NO-CARRIER,BROADCAST,SLAVE,UP> mtu 9000 qdisc mq master bond0 state DOWN mode DEFAULT group default
3: veth1@if2: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master docker0 state UP mode DEFAULT group default
"""


def test_ip_link_tells_bond_members_apart_from_ports_of_bridges() -> None:
    found = parse_ip_link(LINKS)
    told = {name: (each.state, each.carrier, each.mtu, each.master) for name, each in (found.interfaces or {}).items()}
    assert told == {
        "lo": ("unknown", True, 65536, ""),
        "eth0": ("down", False, 9000, "bond0"),
        "veth1": ("up", True, 1500, ""),
    }
    assert not found.of_one_part and "speed" in found.untold


def test_ip_link_of_one_interface_says_nothing_of_others_and_brief_nothing_of_bonds() -> None:
    found = parse_ip_link("eth0@if3  DOWN  a0:88:c2:00:00:01 <NO-CARRIER,BROADCAST,UP> \n")
    assert found.of_one_part and found.untold == {"speed", "members", "mtu"}


@pytest.mark.parametrize("text", ["", "Device does not exist.\n", "[{}]", '[{"ifname": "eth0"}]', "[1]", "[" * 100_000])
def test_ip_link_without_an_interface_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_ip_link(text)


def test_free_without_a_unit_is_refused_unless_its_numbers_can_only_be_kibibytes() -> None:
    head = "               total        used        free\n"
    with pytest.raises(ParseError, match="unit"):
        parse_meminfo(head + "Mem:            2015          57        1633\n", "free")
    assert parse_meminfo(head + "Mem:            2015          57        1633\n", "free -g").total_kib == 2015 * 1024**2
    assert parse_meminfo(head + "Mem:      2113396736    57000000  1633000000\n", "free").total_kib == 2_113_396_736


MLXLINK = """
Operational Info
----------------
State                              : \x1b[32mActive\x1b[0m
Physical state                     : LinkUp
Speed                              : IB-NDR
Width                              : 4x

Troubleshooting Info
--------------------
Status Opcode                      : 0
"""


@pytest.mark.parametrize(
    ("speed", "width", "gbps"),
    [("IB-NDR", "4x", 400), ("IB-NDR", "2x", 200), ("IB-HDR", "4x", 200), ("200G", "4x", 200), ("N/A", "4x", None)],
)
def test_mlxlink_as_text_tells_state_and_rate(speed: str, width: str, gbps: float | None) -> None:
    text = MLXLINK.replace("IB-NDR", speed).replace("4x", width)
    link = parse_mlxlink(text, "mlxlink -d mlx5_3")
    assert (link.device, link.state, link.physical_state, link.opcode, link.gbps) == (
        "mlx5_3", "Active", "LinkUp", "0", gbps,
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "-E- No such device\n", "Operational Info\n", "Tool Information\n-----\nA : b\n"])
def test_mlxlink_without_the_links_state_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_mlxlink(text, "mlxlink -d mlx5_3")


@given(st.text(alphabet="|+-= :<>[]{}()\n\"'0123456789ERR!GPUMemTotalSlaveInterface,", max_size=400))
def test_no_text_makes_these_readers_fail_otherwise_than_by_refusing(text: str) -> None:
    readers: list[Callable[[str], object]] = [
        parse_lscpu, parse_edac_util, parse_settings, parse_ip_link, parse_table, parse_list, parse_mdadm,
        lambda text: parse_bonding(text, "cat /proc/net/bonding/bond0"), lambda text: parse_mlxlink(text, "mlxlink"),
        lambda text: parse_meminfo(text, "free"),
    ]  # fmt: skip
    for reader in readers:
        with suppress(ParseError):
            reader(text)
