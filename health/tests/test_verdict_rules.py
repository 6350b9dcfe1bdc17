"""The judge of verifications: only a whole, fresh and passing answer of every check is a repair that worked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from health.monitoring.events import Cursor
from health.monitoring.judgement import Judgement, Outcome, Target, Timing, conclude, judge, too_early, without_result
from health.tests.factories import LAYOUT, SLOTS, Finding, report

ASKED = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
IN_TIME = Timing(ASKED, ASKED + timedelta(seconds=5), ASKED + timedelta(seconds=180), heard=True)
LATE = replace(IN_TIME, looked_at=IN_TIME.deadline_at)
GPU = Target("GPU 5", frozenset({"gpu.present", "nvlink.links"}))
DOCKER = Target("docker", frozenset({"docker"}))
PLACES_OF_GPU = [place for place in LAYOUT if place[1] == "GPU 5"]
CURSOR = Cursor("boot-a", 10_000)
NAMES = {"GPU 5": "SXM 5 (GPU 5)"}
"""How people read the parts, as the service hands it in."""


def judged(findings: tuple[Finding, ...], targets: tuple[Target, ...] = (GPU,), **more: object) -> Judgement:
    return judge(findings, targets, SLOTS, CURSOR, "boot-a", layout=LAYOUT, **more)  # type: ignore[arg-type]


def without(*places: tuple[str, str]) -> tuple[Finding, ...]:
    return tuple(finding for finding in report() if (finding.check, finding.part) not in places)


VERDICTS = st.sampled_from(["ok", "info", "warn", "unknown", "fail"])


@given(st.sets(st.sampled_from(LAYOUT)), st.dictionaries(st.sampled_from(LAYOUT), VERDICTS), st.booleans())
@settings(max_examples=400, deadline=None)
def test_passed_means_that_every_check_of_the_fault_is_there_and_passes(
    missing: set[tuple[str, str]], verdicts: dict[tuple[str, str], str], about_docker: bool
) -> None:
    targets = (DOCKER,) if about_docker else (GPU,)
    findings = tuple(replace(f, verdict=verdicts.get((f.check, f.part), "ok")) for f in without(*missing))
    asked = [("docker", "docker")] if about_docker else PLACES_OF_GPU
    whole = all(place not in missing and verdicts.get(place, "ok") in ("ok", "info", "warn") for place in asked)
    outcome, _ = conclude(judged(findings, targets), IN_TIME, NAMES)
    assert (outcome is Outcome.PASSED) is whole


@pytest.mark.parametrize("place", PLACES_OF_GPU)
def test_a_check_that_a_truncated_report_leaves_out_is_named_to_the_technician(place: tuple[str, str]) -> None:
    found = judged(without(place))
    assert found.passed is None and found.missing == (place,)
    assert conclude(found, IN_TIME, NAMES) == (Outcome.AGAIN, f"no result of {place[0]} of SXM 5 (GPU 5)")
    assert conclude(found, LATE, NAMES) == (Outcome.FAILED, f"no result of {place[0]} of SXM 5 (GPU 5)")
    assert {"check": place[0], "part": place[1], "verdict": "unknown", "message": "gave no result"} in found.results


def test_a_check_of_the_fault_that_no_report_of_the_model_has_is_missing_too() -> None:
    found = judged(report(), (Target("GPU 5", frozenset({"gpu.retired"})),))
    assert found.passed is None and found.missing == (("gpu.retired", "GPU 5"),)


def test_a_check_in_another_slot_proves_nothing() -> None:
    elsewhere = Finding("disk.space", "/data", "ok")
    found = judged((*report(), elsewhere), (Target("/scratch", frozenset({"disk.space"})),))
    assert found.passed is None and found.missing == (("disk.space", "/scratch"),)


def test_a_check_that_names_a_part_only_while_it_is_wrong_answers_for_the_machine() -> None:
    target = (Target("md0", frozenset({"storage.pools"})),)
    for word, passed in (("ok", True), ("fail", False), ("unknown", None)):
        assert judged((*report(), Finding("storage.pools", "machine", word)), target).passed is passed


def test_without_faults_every_place_of_the_model_has_to_answer() -> None:
    assert judged(report(), ()).passed is True
    assert judged(without(("docker", "docker")), ()).missing == (("docker", "docker"),)


def test_where_nothing_was_asked_nothing_has_passed() -> None:
    """A fault that names no check, and a model that gives no verdict: silence is no repair."""
    for targets in ((Target("md0", frozenset()),), ()):
        found = judge((), targets, frozenset(), CURSOR, "boot-a")
        assert found.passed is None and conclude(found, LATE, NAMES) == (Outcome.FAILED, "no check gave a result")


def test_a_silenced_check_is_missed_only_where_it_showed_the_fault() -> None:
    def quiet(check: str, part: str) -> bool:
        return check in ("gpu.ecc", "gpu.present")

    assert judged(without(("gpu.ecc", "GPU 5")), quiet=quiet).passed is True
    assert judged(without(("gpu.present", "GPU 5")), quiet=quiet).passed is None


@given(st.integers(-600, 600), st.integers(0, 600), st.booleans(), st.sampled_from([True, False, None]))
def test_a_look_that_is_too_old_or_unheard_never_passes(
    looked_s: int, patience_s: int, heard: bool, passed: bool | None
) -> None:
    timing = Timing(ASKED, ASKED + timedelta(seconds=looked_s), ASKED + timedelta(seconds=patience_s), heard)
    row = {"check": "a", "part": "b", "verdict": "fail", "message": "c"}
    outcome, why = conclude(Judgement(passed, (row,)), timing, NAMES)
    assert why
    if looked_s <= 0:
        assert outcome is Outcome.AGAIN and too_early(timing) == "the check was older than the request"
    if not heard:
        assert outcome is not Outcome.PASSED
    assert (outcome is Outcome.PASSED) is (looked_s > 0 and heard and passed is True)


def test_of_many_checks_without_a_result_some_are_named_and_the_rest_counted() -> None:
    places = [(f"gpu.{n}", "GPU 5") for n in range(5)]
    said = without_result(places, NAMES)
    assert said == "no result of gpu.0 of {0}, gpu.1 of {0}, gpu.2 of {0} and 2 more checks".format("SXM 5 (GPU 5)")
    assert (
        without_result(places[:4], NAMES).endswith("and 1 more check")
        and without_result([], NAMES) == "no check gave a result"
    )
