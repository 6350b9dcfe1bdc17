"""Kernel lines that are known to be bad, that a person judged, and that nobody judged yet."""

from __future__ import annotations

from health.checks import Expectation, Finding, evaluate
from health.checks.kernel_lines import LOOKED_AT
from health.checks.kernel_rules import is_judged, kernel_rules, shape_of, without_secrets
from health.checks.model import BadLine, KernelLines
from health.checks.parsers.kernel_lines import body_of
from health.checks.verdicts import Verdict
from health.tests.checks.samples import MODEL, XE9680, only, report, sample

STRANGE = "[ 9000.000001] flux: capacitor 17 at 0xdeadbeef1234 drained"


def found(added: str, check: str, lines: KernelLines | None = None) -> list[Finding]:
    text = sample("kernel.log") + added + "\n"
    expectation = Expectation(MODEL, kernel_lines=lines or KernelLines())
    return only(evaluate(report({"dmesg": text}), None, expectation), check)


def test_a_line_says_the_same_in_every_form_of_the_log() -> None:
    said = "nvme nvme3: I/O 1 QID 2 timeout, aborting"
    forms = (
        f"[ 9000.000001] {said}",
        f"<4>[ 9000.000001] {said}",
        f"kern  :warn  : [ 9000.000001] {said}",
        f"[Tue Mar 12 08:20:30 2024] {said}",
        f"2024-03-12T08:20:30,123456+00:00 {said}",
        f"Mar 12 08:20:30 gpu-r04-u21 kernel: {said}",
        f"Mar 12 08:20:30 gpu-r04-u21 kernel: [ 9000.000001] {said}",
        f"[ 9000.000001] [ T1946] {said}",
    )
    assert {body_of(form) for form in forms} == {said}


def test_every_rule_finds_its_own_marker() -> None:
    for rule in kernel_rules():
        assert all(rule.markers)
        assert rule.verdict is not Verdict.FAIL or rule.fault_class, rule.name
        assert rule.meaning


def test_two_drives_with_trouble_are_two_findings_and_an_unknown_drive_is_the_machines() -> None:
    added = "\n".join(f"[ 900{n}.000001] nvme nvme{n}: Removing after probe failure status: -19" for n in (0, 5))
    parts = [(f.part, str(f.verdict)) for f in found(added, "dmesg.known")]
    assert sorted(parts) == [("NVMe 0", "fail"), ("machine", "fail")]


def test_a_hung_task_warns_and_three_within_an_hour_fail() -> None:
    line = "[ {}.000001] INFO: task kworker/1:2:77 blocked for more than 120 seconds."
    (once,) = found(line.format(9000), "dmesg.known")
    assert once.verdict is Verdict.WARN
    (spread,) = found("\n".join(line.format(n) for n in (1000, 9000, 18000)), "dmesg.known")
    assert spread.verdict is Verdict.WARN
    (often,) = found("\n".join(line.format(n) for n in (9000, 9100, 9200)), "dmesg.known")
    assert (often.verdict, often.fault_class) == (Verdict.FAIL, "kernel.stuck")
    assert "seen 3 times" in often.message


def test_a_rule_of_rail_cards_is_only_told_on_other_cards() -> None:
    line = "[ 12.3] mlx5_core {}: mlx5_pcie_event:299:(pid 1180): Detected insufficient power on the PCIe slot (27W)."
    text = "\n".join(["[    0.000000] Linux version 6.5.0", line.format("0000:9c:00.0"), line.format("0000:2a:00.0")])
    findings = only(evaluate(report({"dmesg": text}), None, Expectation(XE9680)), "dmesg.known")
    said = {f.part: str(f.verdict) for f in findings}
    assert said == {"HCA mlx5_6": "warn", "HCA mlx5_1": "info", "machine": "ok"}


def test_a_line_nobody_judged_is_listed_by_its_shape_until_somebody_accepts_it() -> None:
    (asked,) = found(f"{STRANGE}\n{STRANGE.replace('17', '18')}", "dmesg.unknown")
    assert asked.verdict is Verdict.INFO
    ((line),) = asked.observed["lines"]
    assert line == {"shape": "flux: capacitor N at HEX drained", "line": STRANGE, "count": 2}
    accepted = KernelLines(accepted=frozenset({line["shape"]}))
    (quiet,) = found(STRANGE, "dmesg.unknown", accepted)
    assert quiet.verdict is Verdict.OK


def test_a_line_marked_as_bad_has_the_verdict_and_the_reason_of_the_mark() -> None:
    marks = KernelLines(bad={shape_of(body_of(STRANGE)): BadLine(Verdict.FAIL, "broke two runs in March")})
    (bad,) = found(STRANGE, "dmesg.known", marks)
    assert (bad.verdict, bad.fault_class, bad.event_at_us) == (Verdict.FAIL, "kernel.marked", 9_000_000_001)
    assert bad.message.startswith("broke two runs in March: flux")
    (listed,) = found(STRANGE, "dmesg.unknown", marks)
    assert listed.verdict is Verdict.OK


def test_what_other_checks_read_is_not_asked_about() -> None:
    for body in (
        "NVRM: Xid (PCI:0000:a1:00): 79, GPU has fallen off the bus.",
        "EDAC MC3: 1 UE memory read error on CPU_SrcID#0_MC#3_Chan#1_DIMM#0",
    ):
        assert is_judged(body)
    assert not is_judged("EDAC MC3: something that was never seen")


def test_of_a_flooded_log_only_the_newest_lines_are_looked_at_for_new_kinds() -> None:
    flood = "\n".join(f"[ {n}.000001] mlx5_core 0000:22:00.0 eth0: Link up" for n in range(LOOKED_AT))
    (old,) = found(f"{STRANGE}\n{flood}", "dmesg.unknown")
    assert old.verdict is Verdict.OK
    (new,) = found(f"{flood}\n{STRANGE}", "dmesg.unknown")
    assert new.verdict is Verdict.INFO


def test_a_secret_in_a_kernel_line_is_neither_shown_nor_part_of_its_kind() -> None:
    line = "exampledrv: cannot mount //nas/x,username=u,password=hunter2 now"
    assert "hunter2" not in shape_of(line) + without_secrets(line)
    assert shape_of(line) == shape_of(line.replace("hunter2", "other"))
    (told,) = found(f"[ 9000.000001] {line}", "dmesg.unknown")
    assert "exampledrv" in told.message and "hunter2" not in repr(told)
