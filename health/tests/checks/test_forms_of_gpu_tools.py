"""Forms of tools that people hand in: `ibv_devinfo`, the table of `dcgmi diag`, columns of their own, newer words."""

from __future__ import annotations

import pytest

from health.checks.kernel_start import is_start_line
from health.checks.parsers import ParseError
from health.checks.parsers.gpu_forms import parse_csv
from health.checks.parsers.infiniband import parse_devinfo
from health.checks.parsers.validation import parse_diag
from health.checks.probes.script import KERNEL_LOG
from health.checks.saved.signs import command_of
from health.tests.checks.samples import judged, only

DEVINFO = """hca_id:\tmlx5_0
\tfw_ver:\t\t28.39.1002
\tnode_guid:\ta088:c203:0000:0022
\tvendor_part_id:\t4129
\t\tport:\t1
\t\t\tstate:\t\tPORT_ACTIVE (4)
\t\t\tport_lid:\t12
\t\t\tlink_layer:\tInfiniBand
\t\t\tactive_width:\t4X (2)
\t\t\tactive_speed:\t100.0 Gbps (128)
\t\t\tphys_state:\tLINK_UP (5)
"""
TABLE = """+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Deployment  --------+------------------------------------------------|
| Denylist                  | Pass                                           |
| GPU Memory                | Pass - GPU: 0                                  |
|                           | Fail - GPU: 1                                  |
| Warning                   | GPU 1 Detected 2 uncorrectable ECC errors      |
| Memtest                   | Skip - All                                     |
+---------------------------+------------------------------------------------+
"""


def test_devinfo_tells_a_link_where_it_is_asked_to() -> None:
    (device,) = parse_devinfo(DEVINFO).devices
    (port,) = device.ports
    assert (device.name, device.type, device.firmware) == ("mlx5_0", "MT4129", "28.39.1002")
    assert (port.state, port.physical_state, port.rate_gbps) == ("Active", "LinkUp", 400.0)
    assert not parse_devinfo(DEVINFO.partition("\t\t\tactive_width")[0]).has_links
    assert command_of("saved.txt", DEVINFO) == "ibv_devinfo"


def test_devinfo_that_is_cut_off_or_says_nothing_is_no_healthy_list() -> None:
    assert parse_devinfo(DEVINFO.partition("\t\t\tlink_layer")[0]).cut
    with pytest.raises(ParseError):
        parse_devinfo("No IB devices found\n")


def test_a_port_that_devinfo_calls_active_is_no_proof_of_its_rate() -> None:
    text = DEVINFO.partition("\t\t\tactive_width")[0]
    told = only(judged({"ibv_devinfo": text}), "ib.port", "HCA mlx5_0")
    assert [str(f.verdict) for f in told] == ["info"]


def test_the_table_of_a_diagnostic_is_read() -> None:
    diag = parse_diag(TABLE)
    assert [(each.test, each.status, each.gpus) for each in diag.results] == [
        ("Denylist", "PASS", ()),
        ("GPU Memory", "PASS", (0,)),
        ("GPU Memory", "FAIL", (1,)),
        ("Memtest", "SKIP", ()),
    ]
    assert "uncorrectable" in diag.results[2].message
    assert parse_diag(TABLE.partition("| Memtest")[0]).trouble
    assert command_of("saved.txt", TABLE) == "dcgmi diag -j"


def test_a_column_nobody_asked_for_is_told_and_no_gap() -> None:
    head = "index, pci.bus_id, pcie.link.width.current\n"
    report = parse_csv(head + "0, 00000000:21:00.0, 16\n1, 00000000:A1:00.0, 16\n")
    assert report.asked is not None and "pcie_width" in report.asked and "pcie_gen" not in report.asked
    command = "nvidia-smi --query-gpu=index,pci.bus_id,pcie.link.width.current --format=csv"
    for width, verdict in (("16", "info"), ("8", "fail"), ("[Unknown Error]", "unknown")):
        text = head + f"0, 00000000:21:00.0, {width}\n1, 00000000:A1:00.0, 16\n"
        assert [str(f.verdict) for f in only(judged({command: text}), "gpu.pcie", "GPU 0")] == [verdict]


def test_kinds_without_a_word_of_trouble_warn_only_when_there_are_very_many() -> None:
    def verdict(*lines: str) -> str:
        text = "".join(f"[{n:5d}.000001] {line}\n" for n, line in enumerate(lines))
        (told,) = only(judged({KERNEL_LOG: text}), "dmesg.unknown")
        return str(told.verdict)

    words = [a + b for a in "abcdefghkm" for b in "nopqrstuvw"]
    assert verdict(*(f"widget {word}: hello" for word in words[:99])) == "info"
    assert verdict(*(f"widget {word}: hello" for word in words)) == "warn"
    assert verdict(*(f"widget {word}: failed" for word in words[:9])) == "info"
    assert verdict(*(f"widget {word}: failed" for word in words[:10])) == "warn"


def test_an_empty_bay_is_told_from_a_disk_that_does_not_speak() -> None:
    assert not is_start_line("ata1: SATA link down (SStatus 1 SControl 300)")
