"""Every class of fault has steps, in the words on the machine, and each written step reaches a ticket."""

from __future__ import annotations

import pytest

from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Severity
from health.checks.repair_steps import PROCEDURES, steps_for


@pytest.mark.parametrize("fault_class", [*FAULT_CLASSES, "a.class.of.tomorrow"])
def test_every_class_has_steps_without_holes(fault_class: str) -> None:
    steps = steps_for(fault_class, "GPU 4", "SXM 7")
    assert steps and {step.kind for step in steps} <= {"check", "swap", "reseat"}
    assert not [step for step in steps if "{" in step.title + step.detail]


def test_every_procedure_is_that_of_a_class() -> None:
    assert {known.steps for known in FAULT_CLASSES.values()} == set(PROCEDURES)


def test_a_step_names_the_part_and_what_is_printed_beside_it() -> None:
    titles = [step.title for step in steps_for("gpu.gone", "GPU 4", "SXM 7")]
    assert "Reseat SXM 7 (GPU 4)" in titles
    assert "Reseat PSU 2" in [step.title for step in steps_for("psu.lost", "PSU 2", "PSU 2")]


def test_the_priority_of_a_ticket_follows_the_severity_of_its_class() -> None:
    by_severity = {known.severity: known.priority for known in FAULT_CLASSES.values()}
    assert by_severity[Severity.CRITICAL] == "P1" and by_severity[Severity.MAJOR] == "P2"
    assert {known.priority for known in FAULT_CLASSES.values() if known.severity is Severity.CRITICAL} == {"P1"}


def test_a_ticket_that_says_replace_has_a_step_that_replaces() -> None:
    for name, known in FAULT_CLASSES.items():
        if known.ticket.startswith("Replace"):
            assert "swap" in {step.kind for step in steps_for(name, "x")}, name
