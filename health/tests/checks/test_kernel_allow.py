"""The list of harmless kernel lines holds whole lines of a healthy start, and swallows nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from health.checks.kernel_rules import is_judged, kernel_rules
from health.checks.kernel_start import TROUBLE, is_start_line
from health.checks.parsers.kernel_lines import bodies
from health.checks.parsers.kernel_log import is_event, parse_kernel_log
from health.checks.probes.script import KERNEL_LOG
from health.checks.tables import rows_of
from health.checks.verdicts import Verdict
from health.tests.checks.samples import judged, only

HERE = Path(__file__).parent
HEALTHY_BOOT = (HERE / "healthy_boot.log").read_text(encoding="utf-8")
# Lines that say trouble, one of a kind, after the sources of the kernel and of the drivers they name.
LINES = (HERE / "errors_of_drivers.log").read_text(encoding="utf-8").splitlines()
ROWS = rows_of("kernel_allow.csv")
# What only repeats what it was given: settings, names in certificates, messages of the audit.
REPEATS = (
    "Linux version ", "Command line: ", "Kernel command line: ", "Unknown kernel command line parameters ",
    "BOOT_IMAGE=", "Loaded X.509 cert '", "integrity: Loaded X.509 cert '", "audit: type=1400 ", "audit: type=2000 ",
)  # fmt: skip
KERNEL_CHECKS = ("dmesg.known", "dmesg.unknown", "gpu.xid", "nvswitch.sxid", "memory.errors", "hca.pcie")
ENDINGS = (": failed with error -5", " timed out", ": I/O error", ", giving up: device lost", " [fault reason 0x06]")


def test_no_allowed_line_matches_an_error_of_any_driver() -> None:
    assert len(LINES) > 200
    assert [line for line in LINES if is_start_line(line)] == []


def test_no_allowed_line_stays_harmless_with_an_error_behind_it() -> None:
    repeated = tuple(each.split("<")[0] for each in REPEATS)
    swallowed = [
        body + ending
        for _, body in bodies(HEALTHY_BOOT)
        for ending in ENDINGS
        if not body.startswith(repeated) and is_start_line(body + ending)
    ]
    assert swallowed == []


def test_every_allowed_line_is_whole_and_its_placeholders_cover_no_word_of_trouble() -> None:
    lines = [row["line"] for row in ROWS]
    assert len(set(lines)) == len(lines)
    assert all(row["why"] for row in ROWS)
    assert {line.split("<any>")[0] for line in lines if "<any>" in line} == set(REPEATS)
    assert not [line for line in lines if line.startswith("<text>") or line in ("<word>", "<word> <text>")]
    for word in ("failed", "error -5", "timed out", "fault", "offline", "read-only", "not responding"):
        assert TROUBLE.search(f"ens1f0np0 {word}")


def test_what_is_whole_is_told_from_what_lacks_a_part() -> None:
    assert is_start_line("md/raid1:md7: active with 2 out of 2 mirrors")
    assert not is_start_line("md/raid1:md7: active with 1 out of 2 mirrors")


def test_a_healthy_start_leaves_no_kind_of_line_that_nobody_judged() -> None:
    assert [body for _, body in bodies(HEALTHY_BOOT) if not is_judged(body)] == []
    findings = judged({KERNEL_LOG: HEALTHY_BOOT})
    assert [str(f.verdict) for f in only(findings, "dmesg.unknown")] == ["ok"]
    assert [f.message for f in only(findings, "dmesg.known") if f.verdict is not Verdict.OK] == []


def test_an_error_of_a_driver_is_never_silent() -> None:
    """A rule, a check of its own, or the list of what nobody judged: one of them tells it."""
    for line in LINES:
        rules = [rule for rule in kernel_rules() if rule.find(line)]
        assert rules or is_event(line) or not is_judged(line), line


@pytest.mark.parametrize("line", LINES[::25])
def test_an_error_beside_a_healthy_start_is_told(line: str) -> None:
    found = judged({KERNEL_LOG: f"{HEALTHY_BOOT}[ 9000.000001] {line}\n"})
    told = [f for f in found if f.check in KERNEL_CHECKS and f.verdict is not Verdict.OK]
    assert any(line[:40] in f"{f.message}{f.excerpt}" for f in told)


LOST = (
    "NVRM: GPU 0000:a1:00.0: GPU has fallen off the bus.",
    "NVRM: The NVIDIA GPU 0000:a1:00.0\n[ 9000.000002] NVRM: (PCI ID: 10de:2330) installed in this system has\n"
    "[ 9000.000003] NVRM: fallen off the bus and is not responding to commands.",
)


@pytest.mark.parametrize("line", LOST)
def test_a_gpu_that_fell_off_the_bus_without_an_xid_is_lost(line: str) -> None:
    findings = only(judged({KERNEL_LOG: f"{HEALTHY_BOOT}[ 9000.000001] {line}\n"}), "gpu.xid")
    assert {(f.part, str(f.verdict), f.fault_class) for f in findings} == {
        ("GPU 0", "ok", None),
        ("GPU 1", "fail", "gpu.bus"),
    }
    lost = next(f for f in findings if f.part == "GPU 1")
    assert "fallen off the bus" in lost.message
    assert "Xid 79" not in lost.message


def test_a_gpu_that_fell_off_the_bus_with_an_xid_is_told_once() -> None:
    text = (
        "[ 9000.000001] NVRM: Xid (PCI:0000:a1:00): 79, GPU has fallen off the bus.\n"
        "[ 9000.000004] NVRM: GPU 0000:a1:00.0: GPU has fallen off the bus.\n"
    )
    (told,) = only(judged({KERNEL_LOG: text}), "gpu.xid", "GPU 1")
    assert told.message.startswith("Xid 79 on 0000:a1:00")
    assert told.observed["codes"] == [79]
    assert "seen" not in told.message


def test_a_lost_gpu_that_is_not_named_is_the_machines() -> None:
    text = "[ 9000.000001] NVRM: GPU has fallen off the bus.\n"
    assert [each.in_words for each in parse_kernel_log(text).xids] == [True]
    (told,) = [f for f in only(judged({KERNEL_LOG: text}), "gpu.xid") if f.verdict is Verdict.FAIL]
    assert (told.part, told.fault_class) == ("machine", "gpu.bus")
