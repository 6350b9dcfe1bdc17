"""Drift of BIOS, BMC and firmware as a check: what was read last, and never healthy where nothing was."""

from __future__ import annotations

import pytest

from health.checks import BmcReport, Expectation, Finding, evaluate
from health.checks.model import ProfileRead
from health.tests.checks.samples import MODEL, bmc, healthy, only, report

DIFFERENCES = ("SysProfile is PerfPerWatt, wanted PerfOptimized", "BIOS is 1.7.6, wanted 2.4.4", "c", "d")


def judged(profile: ProfileRead | None, bmc_said: BmcReport | None = None) -> Finding:
    expectation = Expectation(MODEL, bmc_profile=profile)
    [finding] = only(evaluate(report(healthy()), bmc_said or bmc(), expectation), "bmc.profile")
    return finding


@pytest.mark.parametrize(
    ("read", "verdict", "said"),
    [
        (None, "ok", "no BMC profile"),
        (ProfileRead(), "unknown", "never read"),
        (ProfileRead(problem="it refuses"), "unknown", "never read: it refuses"),
        (ProfileRead(71 * 3600), "ok", "as its profile wants"),
        (ProfileRead(73 * 3600, problem="no answer in time"), "unknown", "last read 73 h ago: no answer in time"),
        (ProfileRead(73 * 3600, 4, DIFFERENCES), "unknown", "last read 73 h ago"),
        (ProfileRead(60, 4, DIFFERENCES), "warn", "4 not as its profile wants: SysProfile is PerfPerWatt"),
        (ProfileRead(60, 2), "warn", "2 not as its profile wants"),  # read before sentences were kept
    ],
)
def test_drift_warns_and_what_was_not_read_is_unknown(read: ProfileRead | None, verdict: str, said: str) -> None:
    found = judged(read)
    assert str(found.verdict) == verdict and said in found.message


def test_the_warning_names_the_first_counts_the_rest_and_lists_all_as_evidence() -> None:
    found = judged(ProfileRead(60, 25, DIFFERENCES))
    assert found.message.endswith("c; and 22 more") and found.excerpt == "\n".join(DIFFERENCES)
    assert "BMC run" in found.action and found.fault_class is None and found.value == 25


def test_what_was_read_stands_while_the_bmc_gives_no_answer() -> None:
    assert str(judged(ProfileRead(60), BmcReport.unreachable("no answer")).verdict) == "ok"


def test_without_a_profile_a_bmc_that_gives_no_answer_is_not_well() -> None:
    assert str(judged(None, BmcReport.unreachable("no answer")).verdict) == "unknown"


def test_a_machine_without_a_bmc_has_nothing_to_drift_and_one_that_was_not_asked_is_unknown() -> None:
    for bmc_expected, verdict in ((False, "info"), (True, "unknown")):
        expectation = Expectation(MODEL, bmc_profile=ProfileRead(60), bmc_expected=bmc_expected)
        [found] = only(evaluate(report(healthy()), None, expectation), "bmc.profile")
        assert str(found.verdict) == verdict
