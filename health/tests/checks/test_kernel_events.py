"""GPU errors in the kernel log: every form of the line, and the rules above the table of codes."""

from __future__ import annotations

import pytest

from health.checks import Expectation, Finding, evaluate
from health.checks.kernel_events import incidents
from health.checks.parsers import ParseError
from health.checks.parsers.kernel_log import parse_kernel_log
from health.checks.probes.script import KERNEL_LOG
from health.checks.verdicts import Verdict
from health.checks.xid import decode, xid_table
from health.tests.checks.samples import BOOT, MODEL, judged, only, report

A1 = "0000:a1:00"


def line(at_s: float, code: int, detail: str = "pid=1, name=python3, Ch 00000008", address: str = A1) -> str:
    return f"[{at_s:12.6f}] NVRM: Xid (PCI:{address}): {code}, {detail}\n"


def xid_findings(log: str, part: str | None = "GPU 1") -> list[Finding]:
    return only(judged({KERNEL_LOG: log}), "gpu.xid", part)


FORMS = [
    "NVRM: Xid (PCI:0000:a1:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:a1:00.0): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:A1:00): 79 GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:a1:00 GPU-I:05): 79, pid=7, name=python3, GPU has fallen off the bus.",
    "NVRM: Xid (0000:a1:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:00000000:a1:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:a1:00): 79",
]
STAMPS = [
    "[186512.401120] ",
    "[   12.401120] [ T1946] ",
    "<4>[186512.401120] ",
    "[Sun Feb 23 16:24:18 2025] ",
    "2024-11-15T12:02:03,470068+00:00 ",
    "kern  :warn  : 2025-01-21T02:21:33,498559+00:00 ",
    "kern  :warn  : [186512.401120] ",
    "Mar 12 08:14:09 gpu-17 kernel: ",
    "2024-11-15T12:02:03.470068+00:00 gpu-17 kernel: ",
    "kernel: ",
    "",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("stamp", STAMPS)
def test_an_xid_is_found_in_every_form_of_the_line(stamp: str, form: str) -> None:
    log = parse_kernel_log(stamp + form + "\n")
    assert [each.code for each in log.xids] == [79]
    findings = [f for f in xid_findings(stamp + form + "\n") if f.verdict is Verdict.FAIL]
    assert [(f.part, f.fault_class) for f in findings] == [("GPU 1", "gpu.bus")]


def test_the_mig_instance_is_told() -> None:
    assert "MIG instance 05" in xid_findings(FORMS[3])[0].message


def test_an_event_is_known_again_by_boot_time_code_and_slot() -> None:
    finding = xid_findings(line(9000.000001, 79))[0]
    assert finding.kind == "event"
    assert finding.event_at_us == 9_000_000_001
    assert finding.event_key == f"{BOOT}:9000000001:79:GPU 1"


def test_the_table_has_the_published_codes_each_with_a_meaning() -> None:
    table = xid_table()
    assert len(table) == 72
    assert all(row.meaning and row.action for row in table.values())
    assert {code for code, row in table.items() if row.verdict is Verdict.FAIL} >= {
        48,
        62,
        64,
        74,
        79,
        95,
        119,
        120,
        140,
    }


def test_all_codes_of_a_gpu_within_a_minute_are_one_incident_led_by_the_worst() -> None:
    log = line(100, 63) + line(100.1, 94) + line(100.2, 48)
    findings = xid_findings(log)
    assert len(findings) == 1
    assert findings[0].message.startswith("Xid 48 on 0000:a1:00")
    assert "with Xid 63, 94" in findings[0].message
    apart = xid_findings(line(100, 48) + line(200, 74))
    assert sorted(f.value or 0 for f in apart) == [48, 74]


def test_the_same_code_again_is_told_once_with_its_newest_time() -> None:
    findings = xid_findings(line(100, 48) + line(4000, 48))
    assert [(f.event_at_us, "seen 2 times" in f.message) for f in findings] == [(4_000_000_000, True)]


def test_a_fail_code_five_times_in_a_day_is_left_to_a_person() -> None:
    log = "".join(line(1000 * n, 74) for n in range(1, 6))
    assert "a person decides" in xid_findings(log)[0].action
    spread = "".join(line(60_000 * n, 74) for n in range(1, 6))
    assert "a person decides" not in xid_findings(spread)[0].action


@pytest.mark.parametrize(
    ("value", "verdict", "word"),
    [
        ("0x0 (None)", Verdict.INFO, "no action"),
        ("0x1 (GPU Reset Required)", Verdict.FAIL, "must be reset"),
        ("0x2 (Node Reboot Required)", Verdict.FAIL, "must be rebooted"),
        ("0x3 (Drain P2P)", Verdict.FAIL, "peer-to-peer"),
        ("0x4 (Drain and Reset)", Verdict.FAIL, "drained and reset"),
        ("0x9 (New)", Verdict.WARN, "recovery action"),
    ],
)
def test_xid_154_says_what_its_value_says(value: str, verdict: Verdict, word: str) -> None:
    finding = xid_findings(line(100, 154, f"GPU recovery action changed from 0x0 (None) to {value}"))[0]
    assert finding.verdict is verdict
    assert word in finding.message


def test_xid_154_sets_the_action_of_the_code_before_it() -> None:
    log = line(100, 48) + line(101, 154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)")
    finding = xid_findings(log)[0]
    assert finding.message.startswith("Xid 48")
    assert finding.action == "Drain and reboot the machine. (asked for by Xid 154)"


def test_one_burst_of_an_applications_fault_is_not_the_machines() -> None:
    warp = "pid=1, name=python3, Graphics SM Warp Exception on (GPC 9, TPC 1, SM 1): Out Of Range Address"
    log = line(100, 13, warp) + line(100.1, 13, warp) + line(100.2, 43)
    findings = xid_findings(log)
    assert {str(f.verdict) for f in findings} == {"info"}
    assert "application's own fault" in findings[0].message


def test_bursts_at_the_same_place_twice_in_a_day_make_the_gpu_suspect() -> None:
    there = "Graphics SM Warp Exception on (GPC 9, TPC 1, SM 1): Out Of Range Address"
    other = "Graphics SM Warp Exception on (GPC 3, TPC 0, SM 1): Out Of Range Address"
    assert xid_findings(line(100, 13, there) + line(4000, 13, there))[0].verdict is Verdict.WARN
    assert xid_findings(line(100, 13, there) + line(4000, 13, other))[0].verdict is Verdict.INFO
    assert xid_findings(line(100, 13, there) + line(100_000, 13, there))[0].verdict is Verdict.INFO
    assert xid_findings(line(100, 31) + line(4000, 31))[0].verdict is Verdict.WARN


def test_a_code_in_no_table_warns_and_is_never_ok() -> None:
    finding = xid_findings(line(100, 999))[0]
    assert finding.verdict is Verdict.WARN
    assert "vendor" in finding.action


def test_the_board_serial_of_the_lines_beside_it_is_told() -> None:
    log = (
        "[186512.401120] NVRM: GPU at PCI:0000:a1:00: GPU-000000a1-aaaa-bbbb-cccc-0000000000a1\n"
        "[186512.401131] NVRM: GPU Board Serial Number: 1600000000161\n" + line(186512.40114, 79, "GPU has fallen off")
    )
    assert "board serial 1600000000161" in xid_findings(log)[0].message


def test_an_error_at_an_address_of_no_slot_is_told_of_the_machine() -> None:
    findings = xid_findings(line(100, 79, address="0000:77:00"), part=None)
    assert [(f.part, str(f.verdict)) for f in findings if f.verdict is not Verdict.OK] == [("machine", "fail")]


def test_data_and_severity_lines_belong_to_the_sxid_before_them() -> None:
    head = "[131453.740743] nvidia-nvswitch0: SXid (PCI:0000:84:00.0): 20034, "
    log = parse_kernel_log(
        f"{head}Fatal, Link 30 LTSSM Fault Up\n{head}Severity 1 Engine instance 30\n{head}Data {{0x50610002, 0x1}}\n"
    )
    assert [(each.code, each.fatal, each.detail) for each in log.sxids] == [(20034, True, "Link 30 LTSSM Fault Up")]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("20034, Fatal, Link 30 LTSSM Fault Up", "fail"),
        ("12028, Non-fatal, Link 46 egress non-posted PRIV error", "info"),
        ("20034, Link 30 LTSSM Fault Up", "fail"),
        ("99999, something new", "warn"),
    ],
)
def test_an_sxid_is_judged_by_its_word_then_by_the_table(text: str, verdict: str) -> None:
    log = f"[131453.740743] nvidia-nvswitch0: SXid (PCI:0000:84:00.0): {text}\n"
    assert [str(f.verdict) for f in only(judged({KERNEL_LOG: log}), "nvswitch.sxid")] == [verdict]


def test_a_corrected_memory_error_is_told_and_an_uncorrectable_one_fails() -> None:
    corrected = "[66120.120310] EDAC MC3: 1 CE memory read error on CPU_SrcID#0_MC#3_Chan#1_DIMM#0\n"
    assert [str(f.verdict) for f in only(judged({KERNEL_LOG: corrected}), "memory.errors")] == ["info"]
    both = corrected + corrected.replace("CE", "UE")
    assert [str(f.verdict) for f in only(judged({KERNEL_LOG: both}), "memory.errors")] == ["fail", "info"]


def test_a_narrow_link_of_an_ethernet_card_is_only_told() -> None:
    log = (
        "[   18.617069] mlx5_core 0000:41:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link "
        "at 0000:40:01.0 (capable of 126.024 Gb/s with 16.0 GT/s PCIe x8 link)\n"
    )
    assert [str(f.verdict) for f in only(judged({KERNEL_LOG: log}), "hca.pcie", "HCA mlx5_2")] == ["info"]


def test_noise_gives_no_verdict() -> None:
    noise = "".join(
        f"[{n:6d}.{n:06d}] sample: message {n} of a driver with 0000:a1:00.0 in it\n" for n in range(10_000)
    )
    findings = judged({KERNEL_LOG: noise})
    for check in ("gpu.xid", "nvswitch.sxid", "memory.errors", "hca.pcie"):
        assert {str(f.verdict) for f in only(findings, check)} == {"ok"}


def test_a_log_with_bytes_that_are_no_text_is_unknown_where_it_is_quiet() -> None:
    log = line(100, 79) + "[  101.000000] \ufffd\ufffd\ufffd\n"
    findings = {f.part: str(f.verdict) for f in xid_findings(log, part=None)}
    assert findings == {"GPU 0": "unknown", "GPU 1": "fail"}


@pytest.mark.parametrize("junk", ["", "dmesg: read kernel buffer failed: Operation not permitted\n", "\x00\x01", "{}"])
def test_what_is_no_kernel_log_is_an_error(junk: str) -> None:
    with pytest.raises(ParseError):
        parse_kernel_log(junk)


def test_lines_without_stamps_are_one_incident_per_gpu() -> None:
    log = parse_kernel_log("NVRM: Xid (PCI:0000:a1:00): 63, x\nNVRM: Xid (PCI:0000:a1:00): 48, y\n")
    assert [each.lead.code for each in incidents(log.xids)] == [48]
    assert decode(log.xids[1]).fault_class == "gpu.memory"


def test_events_of_another_boot_have_another_key() -> None:
    first = report({KERNEL_LOG: line(100, 79)})
    second = type(first)("another-boot", first.uptime_s, first.time, first.outputs)
    keys = [only(evaluate(each, None, Expectation(MODEL)), "gpu.xid", "GPU 1")[0].event_key for each in (first, second)]
    assert keys[0] != keys[1]
