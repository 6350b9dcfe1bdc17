"""Shared causes, suspicious checks, the breaker, damping, and how long a state may last."""

from __future__ import annotations

from datetime import timedelta

import pytest

from health.lifecycle import State
from health.remediation import breaker, causes, damping, sla
from health.remediation.causes import Failure
from health.remediation.types import Cause, Guard, Limits
from health.tests.remediation.make import NOW, site

LIMITS = Limits()
MINUTE = timedelta(minutes=1)


def failure(machine: int, *on: tuple[str, str], ago: timedelta = MINUTE) -> Failure:
    return Failure(machine, NOW - ago, tuple(Cause(*each) for each in on))


def found(*failures: Failure) -> list[tuple[str, str, set[int]]]:
    shared = causes.shared_causes(failures, NOW, LIMITS)
    return [(each.cause.kind, each.cause.key, set(each.machines)) for each in shared]


def test_two_of_a_rack_are_chance_and_three_are_one_cause() -> None:
    two = [failure(n, ("rack", "R1")) for n in (1, 2)]
    assert found(*two) == []
    assert found(*two, failure(3, ("rack", "R1"))) == [("rack", "R1", {1, 2, 3})]


def test_one_machine_that_fails_three_times_is_one_machine() -> None:
    assert found(*[failure(1, ("rack", "R1"))] * 3) == []


def test_failures_outside_the_window_do_not_count_and_those_after_now_do() -> None:
    old = timedelta(seconds=LIMITS.cause_window_s + 1)
    two = [failure(n, ("rack", "R1")) for n in (1, 2)]
    assert found(*two, failure(3, ("rack", "R1"), ago=old)) == []
    assert found(*two, failure(3, ("rack", "R1"), ago=-old)) == [("rack", "R1", {1, 2, 3})]


def test_the_cause_that_explains_most_leads_and_the_narrower_one_when_they_are_equal() -> None:
    same = [failure(n, ("rack", "R1"), ("switch", "S1"), ("feed", "A")) for n in (1, 2, 3)]
    assert found(*same) == [("switch", "S1", {1, 2, 3})]
    assert found(*same, failure(4, ("feed", "A"))) == [("feed", "A", {1, 2, 3, 4})]


def test_two_causes_at_once_are_told_apart() -> None:
    here = [failure(n, ("rack", "R1")) for n in (1, 2, 3, 4)]
    there = [failure(n, ("rack", "R2")) for n in (11, 12, 13)]
    assert found(*here, *there) == [("rack", "R1", {1, 2, 3, 4}), ("rack", "R2", {11, 12, 13})]


@pytest.mark.parametrize(
    ("failing", "size", "suspicious"),
    [(3, 100, False), (4, 100, True), (2, 10, False), (3, 10, True), (None, 100, True), (1, None, True), (0, 0, True)],
)
def test_a_check_that_fails_in_too_many_machines_at_once_is_suspicious(
    failing: int | None, size: int | None, suspicious: bool
) -> None:
    assert causes.suspicious_check(failing, size, LIMITS) is suspicious


def test_the_breaker_says_which_count_opened_it() -> None:
    assert breaker.open_reason(site(), LIMITS) is None
    assert "refused 5" in (breaker.open_reason(site(refused_1h=5), LIMITS) or "")
    assert "2 actions" in (breaker.open_reason(site(ambiguous=2), LIMITS) or "")
    assert "3 verifications" in (breaker.open_reason(site(failed_verifications=3), LIMITS) or "")
    with pytest.raises(ValueError, match="not known"):
        breaker.open_reason(site(ambiguous=None), LIMITS)
    assert Guard.DRY_RUN not in breaker.COUNTED


def test_after_an_undrain_the_same_check_rests_four_hours_and_a_new_one_does_not() -> None:
    undrained = {"gpu.xid": NOW - timedelta(hours=3), "docker": NOW - timedelta(hours=1)}
    assert damping.rests_until(("gpu.xid",), undrained, NOW, LIMITS) == NOW + timedelta(hours=1)
    assert damping.rests_until(("gpu.xid", "docker"), undrained, NOW, LIMITS) == NOW + timedelta(hours=1)
    assert damping.rests_until(("gpu.xid", "new"), undrained, NOW, LIMITS) is None
    assert damping.rests_until(("gpu.xid",), undrained, NOW + timedelta(hours=1), LIMITS) is None


def test_a_check_that_comes_and_goes_is_flapping() -> None:
    words = ["fail", "ok", "fail", "unknown", "fail", "warn", "fail", "ok", "fail", "unknown"]
    seen = [(NOW - timedelta(hours=10 - n), word) for n, word in enumerate(words)]
    assert damping.flaps(seen, NOW) == 3
    assert not damping.flapping(seen, NOW, LIMITS)
    assert damping.flapping([*seen, (NOW, "ok")], NOW, LIMITS)
    assert not damping.flapping([*seen, (NOW, "ok")], NOW + timedelta(days=1), LIMITS)


@pytest.mark.parametrize(
    ("jobs", "empty_s", "complete"),
    [(0, 30, True), (0, 29, False), (1, 90, False), (None, 90, False), (0, None, False)],
)
def test_a_drain_is_complete_when_two_looks_found_nothing(
    jobs: int | None, empty_s: int | None, complete: bool
) -> None:
    since = None if empty_s is None else NOW - timedelta(seconds=empty_s)
    assert damping.drain_is_complete(jobs, since, NOW, LIMITS) is complete


def test_every_state_has_a_limit_but_those_in_which_nobody_waits() -> None:
    assert set(State) - set(sla.LIMITS_S) == {State.NEW, State.READY, State.RETIRED}


def test_a_machine_over_its_limit_is_stuck_from_then_on() -> None:
    limit = timedelta(seconds=sla.LIMITS_S[State.VERIFYING])
    assert sla.stuck_since("verifying", NOW - limit, NOW) == NOW
    assert sla.stuck_since("verifying", NOW - limit + MINUTE, NOW) is None
    assert sla.stuck_since("ready", NOW - timedelta(days=900), NOW) is None
    assert sla.stuck_since("verifying", NOW - MINUTE, NOW, limits_s={State.VERIFYING: 60}) == NOW


def test_maintenance_is_over_its_limit_an_hour_after_its_end() -> None:
    began = NOW - timedelta(days=3)
    assert sla.stuck_since("maintenance", began, NOW, until=NOW + MINUTE) is None
    assert sla.stuck_since("maintenance", began, NOW, until=NOW - timedelta(hours=2)) == NOW - timedelta(hours=1)
