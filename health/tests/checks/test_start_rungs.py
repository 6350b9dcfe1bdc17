"""Where remediation of a failing check starts, and how much it matters."""

from __future__ import annotations

import pytest

from health.checks import engine
from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung, Severity
from health.checks.model import FAULT_CLASSES as USED
from health.checks.model import declared, fail
from health.checks.parsers.kernel_log import Xid
from health.checks.verdicts import Verdict
from health.checks.xid import decode, xid_table
from health.remediation.types import AUTOMATIC
from health.tests.checks.samples import judged, only, sample

QUERY = "nvidia-smi -q -x"
HANDS = (
    "leak.detected",
    "psu.lost",
    "psu.redundancy",
    "fan.failed",
    "gpu.thermal",
    "gpu.power",
    "hca.link",
    "hca.rate",
    "hca.fabric",
    "nvme.failing",
    "memory.uncorrectable",
    "inlet.hot",
    "disk.full",
)


def test_every_check_says_how_much_it_matters_and_where_remediation_starts() -> None:
    for declaration in declared():
        assert declaration.severity in Severity, declaration.id
        if declaration.fault_classes:
            assert declaration.severity is not Severity.NOTE, declaration.id
            assert declaration.start_rung is not Rung.NOTE, declaration.id
        else:
            assert declaration.start_rung is Rung.NOTE, declaration.id


def test_every_class_starts_on_a_rung_that_exists() -> None:
    assert USED is FAULT_CLASSES
    for name, known in FAULT_CLASSES.items():
        assert Rung.SERVICE <= known.start_rung <= Rung.SWAP, name


@pytest.mark.parametrize("name", [*HANDS, *(n for n in FAULT_CLASSES if n.endswith(".identity"))])
def test_what_only_hands_or_a_decision_can_mend_starts_at_a_person(name: str) -> None:
    assert FAULT_CLASSES[name].start_rung >= Rung.TICKET


@pytest.mark.parametrize("name", ["machine.unreachable", "bmc.unreachable"])
def test_silence_alone_never_starts_a_remedy(name: str) -> None:
    assert FAULT_CLASSES[name].start_rung not in AUTOMATIC


@pytest.mark.parametrize("name", [n for n in FAULT_CLASSES if n.endswith((".firmware", ".version"))])
def test_mixed_versions_start_at_installing_anew(name: str) -> None:
    assert FAULT_CLASSES[name].start_rung is Rung.REIMAGE


def xid(code: int, detail: str = "") -> Xid:
    return Xid(line="", at_us=1, clock_s=None, address="0000:1b:00", code=code, detail=detail)


@pytest.mark.parametrize(
    ("code", "rung"),
    [
        (79, Rung.REBOOT),
        (119, Rung.GPU_RESET),
        (120, Rung.GPU_RESET),
        (143, Rung.GPU_RESET),
        (48, Rung.GPU_RESET),
        (54, Rung.TICKET),
    ],
)
def test_a_code_starts_where_the_table_says(code: int, rung: Rung) -> None:
    meaning = decode(xid(code))
    known = FAULT_CLASSES[meaning.fault_class or ""]
    assert max(meaning.rung, known.start_rung) is rung


def test_every_failing_code_names_a_rung_and_no_other_does() -> None:
    for code, row in xid_table().items():
        assert (row.rung is not Rung.NOTE) == (row.verdict is Verdict.FAIL), code


@pytest.mark.parametrize(("value", "rung"), [(1, Rung.GPU_RESET), (2, Rung.REBOOT), (4, Rung.GPU_RESET)])
def test_the_driver_s_own_recovery_action_decides(value: int, rung: Rung) -> None:
    assert decode(xid(154, f"GPU recovery action changed from 0x0 (None) to 0x{value} (x)")).rung is rung


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("<remapped_row_failure>No", "<remapped_row_failure>Yes", "gpu.row_remap"),
        ("<sram_threshold_exceeded>No", "<sram_threshold_exceeded>Yes", "gpu.ecc"),
    ],
)
def test_memory_that_cannot_be_mended_starts_at_the_swap(old: str, new: str, check: str) -> None:
    text = sample("gpus.xml")
    assert old in text
    found = only(judged({QUERY: text.replace(old, new, 1)}), check, "GPU 0")[0]
    assert (str(found.verdict), found.start_rung) == ("fail", Rung.SWAP)


def test_two_failures_of_one_part_start_where_the_worse_of_them_does() -> None:
    both = engine.lead([fail("ECC is off", "gpu.config"), fail("SRAM", "gpu.memory", rung=Rung.SWAP)])
    assert both.rung is Rung.SWAP


def test_what_is_well_asks_for_nothing() -> None:
    findings = judged({QUERY: sample("gpus.xml")})
    assert {f.start_rung for f in findings if str(f.verdict) != "fail"} == {0}


def test_a_finding_may_ask_for_more_than_its_class_and_never_for_less() -> None:
    declaration = next(d for d in declared() if d.id == "gpu.row_remap")
    rungs = [
        engine._finding(declaration, "GPU 0", fail("x", "gpu.memory", rung=rung), None).start_rung
        for rung in (Rung.NOTE, Rung.SERVICE, Rung.SWAP)
    ]
    assert rungs == [Rung.GPU_RESET, Rung.GPU_RESET, Rung.SWAP]
