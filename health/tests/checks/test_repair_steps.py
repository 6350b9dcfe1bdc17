"""Every class of fault has steps, in the words on the machine, and they end with the verification."""

from __future__ import annotations

import pytest

from health.checks.faults import FAULT_CLASSES
from health.checks.repair_steps import steps_for


@pytest.mark.parametrize("fault_class", [*FAULT_CLASSES, "a.class.of.tomorrow"])
def test_every_class_has_steps_that_end_with_the_verification(fault_class: str) -> None:
    steps = steps_for(fault_class, "GPU 4", "SXM 7")
    assert len(steps) >= 2
    assert steps[-1].kind == "verify"
    assert {step.kind for step in steps} <= {"check", "swap", "reseat", "verify", "scan"}
    assert not [step for step in steps if "{" in step.title + step.detail]


def test_a_step_names_the_part_and_what_is_printed_beside_it() -> None:
    titles = [step.title for step in steps_for("gpu.gone", "GPU 4", "SXM 7")]
    assert "Reseat SXM 7 (GPU 4)" in titles
    assert "Reseat PSU 2" in [step.title for step in steps_for("psu.lost", "PSU 2", "PSU 2")]


@pytest.mark.parametrize("fault_class", ["gpu.gone", "gpu.memory", "hca.link", "psu.lost", "nvme.failing"])
def test_a_swap_is_followed_by_a_scan(fault_class: str) -> None:
    kinds = [step.kind for step in steps_for(fault_class, "x")]
    assert "scan" in kinds[kinds.index("swap") :]
