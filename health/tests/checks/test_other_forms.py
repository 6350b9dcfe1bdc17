"""The forms that other makers, versions and locales print, and what in them takes back what."""

from __future__ import annotations

import json

import pytest

from health.checks.bmc_log import log_rules, rule_of, still_open
from health.checks.parsers import ParseError
from health.checks.parsers.bmc_log import LogEntry, parse_bmc_log
from health.checks.parsers.file_systems import parse_mount_table
from health.checks.parsers.host_reports import parse_ras, parse_smart
from health.checks.parsers.nvme_list import parse_nvme_list
from health.checks.parsers.services import parse_chrony, parse_ntpq, parse_timedatectl
from health.checks.parsers.system import parse_meminfo
from health.tests.checks.samples import MODEL


def sel(*rows: str) -> tuple[LogEntry, ...]:
    return parse_bmc_log("".join(f"   {n:x} | {row}\n" for n, row in enumerate(rows, 1)))


@pytest.mark.parametrize(
    ("printed", "sorted_as"),
    [
        ("07/02/2025 | 06:50:53 PM PDT", "2025-07-02 18:50:53 PDT"),
        ("07/02/2025 | 12:05:00 AM PST", "2025-07-02 00:05:00 PST"),
        ("11/15/19 | 12:00:01 PM CET", "2019-11-15 12:00:01 CET"),
        ("11/15/2019 | 18:50:40", "2019-11-15 18:50:40"),
        ("Pre-Init  |0000000021", ""),
    ],
)
def test_the_date_of_an_entry_can_be_sorted_in_every_locale(printed: str, sorted_as: str) -> None:
    [entry] = sel(f"{printed} | Fan FANB | Lower Critical going low  | Asserted | Reading 300 < Threshold 500 RPM")
    assert (entry.at, entry.sensor, entry.state) == (sorted_as, "Fan FANB", "Lower Critical going low")


def test_a_log_of_racadm_is_in_order_over_the_new_year() -> None:
    record = (
        "Record:      {}\nDate/Time:   {}\nSource:      system\nSeverity:    {}\nDescription: {}\n" + "-" * 79 + "\n"
    )
    text = record.format(1, "12/31/2025 23:59:00", "Critical", "Power supply redundancy is lost.")
    text += record.format(2, "01/01/2026 00:10:00", "Ok", "The power supplies are redundant.")
    entries = parse_bmc_log(text)
    assert [entry.severity for entry in entries] == ["critical", "ok"]
    assert still_open(entries, MODEL) == []


def test_an_entry_that_is_cut_off_is_not_well() -> None:
    assert [entry.severity for entry in sel("11/15/2019 | 18:50:40 | Memory #0x02")] == [None]


def test_a_state_is_taken_back_by_its_own_deassertion_only() -> None:
    failed = "11/15/2019 | 18:50:40 | Power Supply PSU1 | Failure detected | Asserted"
    lost = "11/15/2019 | 18:50:{} | Power Supply PSU1 | Power Supply AC lost | {}"
    left = still_open(sel(failed, lost.format(41, "Asserted"), lost.format(42, "Deasserted")), MODEL)
    assert [entry.state for entry in left] == ["Failure detected"]


def test_a_part_that_is_there_again_does_not_take_back_that_it_failed() -> None:
    rows = [
        f"11/15/2019 | 18:50:4{n} | Power Supply PS1 Status | {said}"
        for n, said in enumerate(
            ("Failure detected | Asserted", "Presence detected | Deasserted", "Presence detected | Asserted")
        )
    ]
    assert [entry.state for entry in still_open(sel(*rows[1:]), MODEL)] == []
    assert [entry.state for entry in still_open(sel(*rows), MODEL)] == ["Failure detected"]


def test_a_lesser_entry_does_not_stand_for_a_worse_one_before_it() -> None:
    place = "DIMM_A1"
    worse = LogEntry("1", "critical", f"Multi-bit memory errors detected at location(s) {place}.", at="2026-01-01")
    lesser = LogEntry("2", "warning", f"Correctable memory error rate exceeded for {place}.", at="2026-01-02")
    assert still_open((worse, lesser), MODEL) == [worse]


@pytest.mark.parametrize(
    ("message_id", "message", "rule"),
    [
        ("TMP0120", "The system inlet temperature is greater than the upper warning threshold.", "temperature.warn"),
        ("TMP0121", "The system inlet temperature is greater than the upper critical threshold.", "temperature.high"),
        ("TMP0123", "The system inlet temperature is within range.", "temperature.ok"),
        ("PDR8", "Disk 3 in Backplane 1 is inserted.", "drive.ok"),
        ("PDR1016", "Drive 5 is removed from disk drive bay 1.", "drive.removed"),
        ("PCI1319", "A bus nonfatal error was detected on a component at bus 1 device 0 function 0.", "pci.nonfatal"),
        ("PCI1318", "A bus fatal error was detected on a component at bus 1 device 0 function 0.", "pci.fatal"),
        ("MEM0804", "The self-heal operation successfully completed at DIMM_A3.", "memory.ok"),
        ("", "Power Unit PS Redundancy: no longer fully redundant", "redundancy.lost"),
        ("", "Processor P2 Status: Thermal Trip", "cpu.hot"),
        ("", "Critical Interrupt #0x51: Bus Correctable error", "pci.corrected"),
        ("", "Critical Interrupt #0x51: PCI SERR", "pci.fatal"),
    ],
)
def test_what_a_message_says_goes_before_its_number(message_id: str, message: str, rule: str) -> None:
    found = rule_of(LogEntry("1", None, message, message_id))
    assert found is not None and found.name == rule
    assert found in log_rules()


@pytest.mark.parametrize(
    "mended",
    [{"Resolved": True}, {"Oem": {"Hpe": {"Repaired": True}}}, {"EntryCode": [{"Member": "Deassert"}]}],
)
def test_an_entry_of_redfish_that_is_mended_is_taken_back(mended: dict[str, object]) -> None:
    row = {"Id": "1", "Severity": "Critical", "MessageId": "X.1.0.Y", "Message": "Power supply 1 failed."}
    assert len(still_open(parse_bmc_log(json.dumps({"Members": [row]})), MODEL)) == 1
    assert still_open(parse_bmc_log(json.dumps({"Members": [row | mended]})), MODEL) == []


def test_drives_are_listed_in_columns_whatever_they_hold() -> None:
    widths = (21, 20, 24)
    rows = (("Node", "SN", "Model"), tuple("-" * width for width in widths), ("/dev/nvme10n1", "S 1", "A B 3.84TB"))
    text = "".join(" ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) + "\n" for row in rows)
    [drive] = parse_nvme_list(text)
    assert (drive.number, drive.serial, drive.model) == (10, "S 1", "A B 3.84TB")
    with pytest.raises(ParseError):
        parse_nvme_list(text.splitlines()[0] + "\n")


@pytest.mark.parametrize(
    ("printed", "celsius"),
    [("38 C", 38), ("38 °C (311 K)", 38), ("101 °F (311 K)", 38), ("101 F", 38), ("-2 °C (271 K)", -2)],
)
def test_a_drives_temperature_is_read_in_every_unit(printed: str, celsius: int) -> None:
    text = f"Smart Log for NVME device:nvme0 namespace-id:ffffffff\ncritical_warning\t: 0\ntemperature\t: {printed}\n"
    assert parse_smart(text).temperature_c == celsius


@pytest.mark.parametrize(
    ("offset", "seconds"),
    [("+312us", -0.000312), ("-1min 2.204s", 62.204), ("+1h 2min", -3720.0), ("1d 1s", -86_401.0)],
)
def test_a_span_of_systemd_is_the_sum_of_its_parts(offset: str, seconds: float) -> None:
    found = parse_timedatectl(f"  Offset: {offset}\n  Packet count: 3\n").offset_s
    assert found == pytest.approx(seconds)


def test_a_clock_that_is_its_own_source_is_not_kept_in_step() -> None:
    chrony = "Reference ID    : {}\nSystem time     : 0.000000001 seconds slow of NTP time\nLeap status     : Normal\n"
    assert not parse_chrony(chrony.format("7F7F0101 ()")).synchronised
    assert parse_chrony(chrony.format("50545030 (PTP0)")).synchronised
    ntpq = " remote refid st t when poll reach delay offset jitter\n*{} .X.  5 l 12 64 377 0.0 0.0 0.0\n"
    assert not parse_ntpq(ntpq.format("127.127.1.0")).synchronised
    assert parse_ntpq(ntpq.format("127.127.28.0")).synchronised, "a receiver of time on the machine is a source"


@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("free", "Mem:  527433728 1 2"), ("free -m", "Mem:  515072 1 2"), ("free -g", "Mem:  503 1 2"),
        ("free -h", "Mem:  503Gi 7.1Gi 490Gi"), ("free -b", "Mem:  540092137472 1 2"),
        ("free --mebi", "Mem: 515072 1 2"),
    ],
)  # fmt: skip
def test_free_is_read_in_the_unit_it_was_asked_for(command: str, row: str) -> None:
    found = parse_meminfo(f"       total  used  free\n{row}\nSwap:  0B 0B 0B\n", command)
    assert found.total_kib == pytest.approx(527_433_728, rel=0.01)
    assert found.swap_kib == 0


@pytest.mark.parametrize(
    "text",
    [
        "/dev/sda2 / ext4 ro,relatime 0 0\n",
        "/dev/sda2 on / type ext4 (ro,relatime) [root]\n",
        "TARGET SOURCE FSTYPE OPTIONS\n/ /dev/sda2 ext4 ro,relatime\n",
        "TARGET    SOURCE    FSTYPE OPTIONS\n/         /dev/sda2 ext4   ro,relatime\n",
    ],
)
def test_mounts_are_read_as_every_tool_prints_them(text: str) -> None:
    [mount] = parse_mount_table(text)
    assert (mount.source, mount.path, mount.kind) == ("/dev/sda2", "/", "ext4")
    assert "ro" in mount.options


@pytest.mark.parametrize("part", ["Memory failure events summary:\n\tRecovered errors: 2",
                                  "Disk errors summary:\n\t259:0 has 4 errors",
                                  "CXL poison events summary:\n\tmem0 errors: 1",
                                  "CXL AER uncorrectable events summary:\n\tmem0 errors: 1"])  # fmt: skip
def test_a_part_of_rasdaemon_that_holds_only_what_was_not_corrected_needs_no_word_for_it(part: str) -> None:
    found = parse_ras(f"No Memory errors.\n\n{part}\n\nNo MCE errors.\n")
    assert len(found.uncorrected) == 1
    assert not parse_ras(
        "No Memory errors.\n\nDevlink records summary:\n\tens1 has 2 errors\nNo MCE errors.\n"
    ).uncorrected
