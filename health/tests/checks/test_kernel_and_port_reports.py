"""lscpu, edac-util, plain ethtool, a bond's file and disks that are no NVMe drives: what is read, what is refused."""

from __future__ import annotations

import json

import pytest

from health.checks.model import Verdict
from health.checks.other_disks import other_disk
from health.parsers import ParseError
from health.parsers.disk_health import disk_health, disk_health_of
from health.parsers.kernel_reports import parse_edac_util, parse_lscpu
from health.parsers.port_states import parse_bonding, parse_settings
from health.recognise import command_of

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
