"""Every check has an output that is ok and one that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from health.checks import (
    BmcReport,
    CheckDeclaration,
    Expectation,
    ExpectedComponent,
    Finding,
    catalogue,
    evaluate,
    plan_of,
)
from health.checks.faults import FAULT_CLASSES
from health.checks.model import ProfileRead
from health.checks.verdicts import Verdict
from health.tests.checks.samples import CASES, MODEL, REPORT_TIME, bmc, earlier_of, only, report, sample, spoiled

CHECKS = [pytest.param(each, id=each.id) for each in catalogue()]


def findings_of(check: str, text: str, *, bad: bool) -> list[Finding]:
    case: dict[str, Any] = CASES[check]
    components = {slot: ExpectedComponent(**known) for slot, known in case.get("components", {}).items()} if bad else {}
    restarted_at = REPORT_TIME - case["restarted_s"] if bad and "restarted_s" in case else None
    expectation = Expectation(MODEL, components, earlier=earlier_of(case), restarted_at=restarted_at)
    if bad and "unreachable" in case:
        return only(evaluate(None, None, expectation, unreachable=case["unreachable"]), check)
    if bad and "unreachable_bmc" in case:
        return only(evaluate(None, BmcReport.unreachable(case["unreachable_bmc"]), expectation), check)
    if case["command"] == "bmc_profile":
        told = tuple(case["differences"]) if bad else ()
        expectation = Expectation(MODEL, bmc_profile=ProfileRead(3600, len(told), told))
        return only(evaluate(None, bmc(text), expectation), check)
    if case["command"] == "bmc":
        return only(evaluate(None, bmc(text), expectation), check)
    return only(evaluate(report({case["command"]: text}), None, expectation), check)


@pytest.mark.parametrize("check", CHECKS)
def test_a_check_has_an_ok_and_a_bad_sample(check: CheckDeclaration) -> None:
    assert check.id in CASES, f"add {check.id} to health/checks/samples/cases.yaml"


def test_no_sample_is_for_a_check_that_does_not_exist() -> None:
    assert CASES.keys() <= {each.id for each in catalogue()}


@pytest.mark.parametrize("check", CHECKS)
def test_the_ok_sample_is_ok_on_every_part(check: CheckDeclaration) -> None:
    findings = findings_of(check.id, sample(CASES[check.id]["sample"]), bad=False)
    assert findings
    assert {f.verdict for f in findings} == {Verdict.OK}, [f for f in findings if f.verdict != "ok"]


@pytest.mark.parametrize("check", CHECKS)
def test_the_bad_sample_is_found_on_its_part_and_nowhere_else(check: CheckDeclaration) -> None:
    case = CASES[check.id]
    findings = findings_of(check.id, spoiled(case), bad=True)
    bad = [f for f in findings if f.verdict not in (Verdict.OK, Verdict.INFO)]
    assert [(f.part, str(f.verdict)) for f in bad] == [(case["part"], case.get("verdict", "fail"))]
    assert case["message"] in bad[0].message
    assert bad[0].action, "a finding that is not ok says what to do"


@pytest.mark.parametrize("check", CHECKS)
def test_a_failing_check_shows_a_class_it_declared(check: CheckDeclaration) -> None:
    for finding in findings_of(check.id, spoiled(CASES[check.id]), bad=True):
        if finding.verdict is Verdict.FAIL:
            assert finding.fault_class in check.fault_classes
            assert finding.precedence == FAULT_CLASSES[finding.fault_class].precedence


@pytest.mark.parametrize(
    "check", [case for case in CHECKS if case.values[0].needs not in ("bmc", "bmc_profile", "reach")]
)
def test_an_empty_or_absent_output_is_unknown(check: CheckDeclaration) -> None:
    command = CASES[check.id]["command"]
    for texts in ({command: ""}, {command: " \n"}, {}):
        findings = only(evaluate(report(texts), None, Expectation(MODEL)), check.id)
        if not texts and check not in plan_of(MODEL).checks:
            assert not findings
        else:
            assert findings
            assert {f.verdict for f in findings} == {Verdict.UNKNOWN}


@pytest.mark.parametrize("check", CHECKS)
def test_the_catalogue_explains_the_check(check: CheckDeclaration) -> None:
    assert check.title
    assert check.advice
    assert check.source


def test_the_documentation_lists_every_check_and_limit() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "checks.md").read_text()
    for each in catalogue():
        assert f"| `{each.id}` | {each.part} |" in text
        assert all(f"`{name}` {value:g}" in text for name, value in each.thresholds.items())
