"""Every rule of the kernel log has lines it must match, with part, verdict and class, and lines it must not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from health.checks import Finding
from health.checks.kernel_lines import _spans_with
from health.checks.kernel_rules import KernelRule, kernel_rules
from health.checks.probes.script import KERNEL_LOG
from health.checks.verdicts import Verdict
from health.tests.checks.samples import judged, only
from tests.effort import examples

HERE = Path(__file__).parent
with (HERE / "kernel_rule_examples.csv").open(encoding="utf-8", newline="") as _file:
    EXAMPLES = list(csv.DictReader(_file))
# Lines that look like trouble and say that there is none, or that are another rule's.
NEAR_MISSES = """
nvme nvme0: 128/0/0 default/read/poll queues
nvme nvme0: Shutdown timeout set to 10 seconds
nvme nvme0: Abort status: 0x0
EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro. Quota mode: none.
EXT4-fs (nvme0n1p2): mounted filesystem 5f1d3c1e-7c3b-4c11-9a55-0f6c1f5f1a22 ro with ordered data mode.
XFS (nvme0n1p1): Ending clean mount
BTRFS info (device sda1): has skinny extents
md/raid1:md0: active with 2 out of 2 mirrors
md/raid:md0: raid level 5 active with 4 out of 4 devices, algorithm 2
pcieport 0000:16:01.0: AER: enabled with IRQ 25
pcieport 0000:16:01.0: DPC: enabled with IRQ 25
pcieport 0000:16:01.0: DPC: error containment capabilities: Int Msg #0, RPExt+ PoisonedTLP+ SwTrigger+ RP PIO Log 4
pcieport 0000:16:01.0: pciehp: Slot(12): Link Up
pcieport 0000:16:01.0: pciehp: Slot(12): Card present
pci 0000:17:00.0: BAR 1: assigned [mem 0x20ffff000000-0x20ffffffffff 64bit pref]
mlx5_core 0000:22:00.0: mlx5_pcie_event:301:(pid 900): PCIe slot advertised sufficient power (75W).
mlx5_core 0000:22:00.0: Port module event: module 0, Cable plugged
mlx5_core 0000:22:00.0 ens1f0np0: Link up
bnxt_en 0000:31:00.0 eno1np0: NIC Link is Up, 25000 Mbps full duplex, Flow control: none
bond0: (slave ens1f0np0): link status definitely up, 25000 Mbps full duplex
watchdog: Delayed init of the lockup detector worked
NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.
rcu: Hierarchical RCU implementation.
nfs: server 10.0.0.9 OK
AMD-Vi: Interrupt remapping enabled
DMAR: dmar3: Using Queued invalidation
DMAR: [Firmware Bug]: RMRR entry for device 00:00.0 is broken - applying workaround
HEST: Table parsing has been initialized.
GHES: APEI firmware first mode is enabled by APEI bit and WHEA _OSC.
ERST: Error Record Serialization Table (ERST) support is initialized.
mce: Using 32 MCE banks
CPU3: Core temperature/speed normal (total events = 12)
clocksource: Switched to clocksource tsc
NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.90.07
nvidia 0000:a1:00.0: enabling device (0140 -> 0142)
nvidia-nvswitch0: open (major=236)
nvidia-peermem nv_get_p2p_free_callback:125 ERROR detected invalid context, skipping further processing
systemd[1]: nvidia-fabricmanager.service: Deactivated successfully.
systemd[1]: docker.service: Main process exited, code=exited, status=0/SUCCESS
Adding 8388604k swap on /swap.img.  Priority:-2 extents:14 across:8650748k SSFS
""".strip().splitlines()


def known(*lines: str, apart_s: float = 60.0) -> list[Finding]:
    stamped = [f"[{9000 + n * apart_s:12.6f}] {line}" for n, line in enumerate(lines)]
    text = "\n".join(["[    0.000000] Linux version 6.5.0", *stamped])
    return [f for f in only(judged({KERNEL_LOG: text}), "dmesg.known") if "rule" in f.observed]


def test_every_rule_has_an_example_a_source_and_something_to_do() -> None:
    rules = kernel_rules()
    assert len({rule.name for rule in rules}) == len(rules)
    assert {rule.name for rule in rules} == {row["rule"] for row in EXAMPLES}
    for rule in rules:
        assert rule.source and rule.meaning and all(rule.markers), rule.name
        assert rule.fault_class or rule.verdict is not Verdict.FAIL, rule.name
        assert rule.fault_class or rule.action or (rule.verdict is Verdict.INFO and not rule.warn_at), rule.name
        assert "evidence" not in rule.action


def test_each_known_line_has_its_part_verdict_and_class() -> None:
    for row in EXAMPLES:
        told = [f for f in known(row["line"]) if f.observed["rule"] == row["rule"]]
        found = [(f.part, str(f.verdict), f.fault_class or "") for f in told]
        assert found == [(row["part"], row["verdict"], row["fault_class"])], row["line"]
        assert told[0].verdict is Verdict.INFO or "evidence" not in told[0].action


@pytest.mark.parametrize("line", NEAR_MISSES)
def test_what_only_looks_like_trouble_matches_no_rule(line: str) -> None:
    assert known(line) == []


@pytest.mark.parametrize(
    ("line", "times", "verdict"),
    [
        ("nvidia 0000:a1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)", 9, "info"),
        ("nvidia 0000:a1:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)", 10, "warn"),
        ("mlx5_core 0000:22:00.0 ens1f0np0: Link down", 2, "info"),
        ("mlx5_core 0000:22:00.0 ens1f0np0: Link down", 3, "warn"),
        ("nvme nvme0: frozen state error detected, reset controller", 3, "fail"),
        ("INFO: task jbd2/nvme0n1p2-:812 blocked in I/O wait for more than 241 seconds.", 3, "fail"),
    ],
)
def test_a_burst_within_an_hour_counts_for_more(line: str, times: int, verdict: str) -> None:
    assert [str(f.verdict) for f in known(*[line] * times)] == [verdict]
    assert [str(f.verdict) for f in known(*[line] * times, apart_s=4000)] != ["fail"]


def test_a_burst_is_counted_by_device() -> None:
    line = "pcieport 0000:{}:01.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)"
    apart = known(*[line.format(bus) for bus in ("16", "17") for _ in range(6)])
    assert [str(f.verdict) for f in apart] == ["info", "info"]
    assert len({f.event_key for f in apart}) == 2


@pytest.mark.parametrize(
    ("lost", "back", "of_another"),
    [
        ("nfs: server 10.0.0.9 not responding, still trying", "nfs: server 10.0.0.9 OK", "nfs: server 10.0.0.7 OK"),
        (
            "bond0: (slave ens1f0np0): link status definitely down, disabling slave",
            "bond0: (slave ens1f0np0): link status definitely up, 25000 Mbps full duplex",
            "bond0: (slave ens1f1np1): link status definitely up, 25000 Mbps full duplex",
        ),
        (
            "Lustre: d-OST0003-osc-ffff8f1: Connection to d-OST0003 (at 10.0.0.7@o2ib) was lost; in progress",
            "Lustre: d-OST0003-osc-ffff8f1: Connection restored to 10.0.0.7@o2ib (at 10.0.0.7@o2ib)",
            "Lustre: d-OST0004-osc-ffff8f1: Connection restored to 10.0.0.7@o2ib (at 10.0.0.7@o2ib)",
        ),
        (
            "bond0: now running without any active interface!",
            "bond0: active interface up!",
            "bond1: active interface up!",
        ),
    ],
)
def test_what_a_later_line_takes_back_is_info(lost: str, back: str, of_another: str) -> None:
    (healed,) = known(lost, back)
    assert (str(healed.verdict), healed.message.endswith("a later line takes it back")) == ("info", True)
    assert [str(f.verdict) for f in known(lost)] == ["warn"]
    assert [str(f.verdict) for f in known(back, lost)] == ["warn"]
    assert [str(f.verdict) for f in known(lost, back, lost)] == ["warn"]
    assert [str(f.verdict) for f in known(lost, of_another)] == ["warn"]


def test_a_link_of_a_bond_that_comes_and_goes_is_not_healed() -> None:
    down = "bond0: (slave ens1f0np0): link status definitely down, disabling slave"
    up = "bond0: (slave ens1f0np0): link status definitely up, 25000 Mbps full duplex"
    assert [str(f.verdict) for f in known(*[down, up] * 3)] == ["warn"]


def test_the_report_of_the_firmware_is_about_the_device_it_names() -> None:
    report = "{3}[Hardware Error]: event severity: recoverable", "{3}[Hardware Error]:   section_type: PCIe error"
    named = "{3}[Hardware Error]:   device_id: 0000:e1:00.0"
    another = "{4}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 1"
    assert [(f.part, str(f.verdict)) for f in known(*report, named)] == [("NVMe 0", "fail")]
    assert [(f.part, str(f.verdict)) for f in known(*report, another, named)] == [("machine", "fail")]
    assert [(f.part, str(f.verdict)) for f in known(*report)] == [("machine", "fail")]


@pytest.mark.slow
@pytest.mark.parametrize("rule", kernel_rules(), ids=lambda rule: rule.name)
def test_a_line_that_fits_a_rule_holds_its_marker(rule: KernelRule) -> None:
    """A marker narrower than its pattern hides a spelling: such a line would never be tried."""
    ascii_only = st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))

    @settings(deadline=None, max_examples=examples(10), derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(rule.pattern, alphabet=ascii_only))
    def holds_it(line: str) -> None:
        assert rule.pattern.search(line) is None or rule.may_be_in(line)

    holds_it()


def test_slot_power_is_told_with_and_without_an_address() -> None:
    said = "mlx5_pcie_event:299:(pid 1180): Detected insufficient power on the PCIe slot (27W)."
    assert [(f.part, str(f.verdict)) for f in known(said)] == [("machine", "warn")]
    assert [(f.part, str(f.verdict)) for f in known(f"mlx5_core 0000:22:00.0: {said}")] == [("HCA mlx5_0", "warn")]
    assert [(f.part, str(f.verdict)) for f in known(f"mlx5_core 0000:41:00.0: {said}")] == [("HCA mlx5_2", "info")]


@settings(deadline=None)
@given(st.text("ab \n", max_size=60), st.lists(st.sampled_from(("a", "ab", "b a")), min_size=1, max_size=3))
def test_the_lines_that_are_searched_are_all_that_hold_a_marker(text: str, pieces: list[str]) -> None:
    found = [text[begin:end] for begin, end in _spans_with(pieces, text)]
    assert found == [line for line in text.split("\n") if any(piece in line for piece in pieces)]
