"""Shared causes, mass failures, the breaker, damping, and how long a state may last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.machines import sla
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.monitoring import damping
from health.remediation import breaker, cause_words, causes
from health.remediation.causes import Alike, Known, Shared, alike
from health.remediation.models import SHARED_CAUSES
from health.remediation.types import Cause, Guard
from health.tests.remediation.make import NOW, site

LIMITS = Limits()
MINUTE = timedelta(minutes=1)


R1, S1, M1, FEED = Cause("rack", "R1"), Cause("switch", "S1"), Cause("management", "M1"), Cause("feed", "A")
ROW, ROOM, DRIVER, SITE = (
    Cause("row", "A"),
    Cause("room", "Hall"),
    Cause("rollout", "GPU driver 560"),
    Cause("site", ""),
)


def machines(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def found(affected: Iterable[int], members: dict[Cause, frozenset[int]], mass: int = 1000) -> list[tuple[Cause, set]]:
    """`mass` machines that fail alike are a mass failure."""
    shared = causes.shared_causes(affected, members, LIMITS, lambda some: len(some) >= mass)
    return [(each.cause, set(each.machines)) for each in shared]


# ---- what is alike ----


def test_faults_are_alike_by_their_class_and_the_number_of_the_xid() -> None:
    assert (
        alike("gpu.bus", "Xid 79 on GPU 5") == alike("gpu.bus", "xid: 79, GPU 1 fell off") == Alike("gpu.bus", "Xid 79")
    )
    assert alike("gpu.bus", "Xid 79 on GPU 5") != alike("gpu.bus", "Xid 48 on GPU 5")
    assert alike("gpu.bus", "Xid 79 on GPU 5") != alike("gpu.memory", "Xid 79 on GPU 5")
    assert alike("nvswitch.fatal", "SXid 12028 on NVSwitch 2").code == "SXid 12028"


def test_without_a_number_of_an_error_the_shape_of_the_message_counts() -> None:
    assert alike("nvlink.down", "18 links of GPU 5 are down") == alike("nvlink.down", "3 links of GPU 0 are down")
    assert alike("hca.link", "mlx5_3 is down since 12:04:11") == alike("hca.link", "mlx5_11 is down since 03:00:00")
    assert alike("gpu.memory", "row remap pending") != alike("gpu.memory", "row remap failed")


def test_lost_contact_is_alike_however_it_shows() -> None:
    refused = alike("machine.unreachable", "not reached: port 22 refuses connections")
    assert refused == alike("machine.unreachable", "not reached: no route to host") == Alike("machine.unreachable")


# ---- the best explanation ----


def test_two_of_a_rack_are_chance_and_three_are_one_cause() -> None:
    rack = {R1: machines(1, 2, 3, 4)}
    assert found([1, 2], rack) == []
    assert found([1, 2, 3], rack) == [(R1, {1, 2, 3})]


def test_a_few_of_the_many_behind_a_switch_are_no_common_cause() -> None:
    many = frozenset(range(100))
    assert found(range(5), {S1: many, FEED: many, M1: many, ROW: many}) == []
    assert found(range(50), {S1: many}) == [(S1, set(range(50)))]


def test_the_cause_whose_machines_are_most_nearly_the_affected_ones_leads() -> None:
    members = {R1: machines(1, 2, 3, 4), S1: frozenset(range(1, 9)), ROOM: frozenset(range(1, 100))}
    assert found([1, 2, 3, 4], members) == [(R1, {1, 2, 3, 4})]
    assert found(range(1, 9), members) == [(S1, set(range(1, 9)))]


@pytest.mark.parametrize("cause", [R1, S1, M1, FEED, ROW, ROOM, DRIVER])
def test_whatever_has_exactly_the_affected_machines_is_the_cause(cause: Cause) -> None:
    others = {Cause("rack", str(n)): frozenset(range(10 * n, 10 * n + 10)) for n in range(10)}
    mine = machines(3, 14, 25, 36, 47)
    assert found(mine, others | {cause: mine, SITE: frozenset(range(100))}, mass=4) == [(cause, set(mine))]


def test_of_equal_explanations_the_nearer_leads_and_the_others_are_named() -> None:
    mine = machines(1, 2, 3, 4)
    (shared,) = causes.shared_causes(mine, {ROW: mine, R1: mine, M1: mine, S1: mine}, LIMITS, lambda _: False)
    assert (shared.cause, shared.also) == (S1, (M1, R1, ROW))
    assert (shared.share, shared.explains) == (1.0, 1.0)


def test_two_causes_at_once_are_told_apart() -> None:
    members = {R1: machines(1, 2, 3, 4), Cause("rack", "R2"): machines(11, 12, 13, 14)}
    assert found([1, 2, 3, 4, 11, 12, 13], members) == [(R1, {1, 2, 3, 4}), (Cause("rack", "R2"), {11, 12, 13})]


def test_a_mass_failure_that_no_cause_explains_is_one_of_the_site_and_names_what_explains_a_part() -> None:
    racks = {Cause("rack", str(n)): frozenset(range(4 * n, 4 * n + 4)) for n in range(128)}
    members = racks | {ROOM: frozenset(range(512)), SITE: frozenset(range(512))}
    third = set(range(0, 512, 3)) | {0, 1, 2, 3}
    (shared,) = causes.shared_causes(third, members, LIMITS, lambda some: len(some) > 15)
    assert (shared.cause, shared.machines) == (SITE, third)
    assert shared.also == (Cause("rack", "0"),)


def test_what_a_mass_failure_leaves_unexplained_stands_for_itself() -> None:
    row = frozenset(range(100))
    assert found([*range(90), 200, 201], {ROW: row, SITE: frozenset(range(500))}, mass=16) == [(ROW, set(range(90)))]


KINDS = ("rack", "switch", "management", "feed", "row", "room", "rollout")


@st.composite
def halls(draw: st.DrawFn) -> tuple[frozenset[int], dict[Cause, frozenset[int]], int]:
    """Affected machines, the machines of each cause, and from how many on it is a mass failure."""
    random = Random(draw(st.integers(0, 2**32)))
    everything = range(draw(st.integers(1, 40)))

    def some() -> frozenset[int]:
        share = random.random()
        return frozenset(machine for machine in everything if random.random() < share)

    members = {Cause(random.choice(KINDS), str(number)): some() for number in range(random.randrange(12))}
    return some(), members | {SITE: frozenset(everything)}, random.randint(2, 20)


@given(halls())
def test_no_machine_is_explained_twice_and_none_that_works_is_accused(hall: Any) -> None:
    affected, members, mass = hall
    shared = causes.shared_causes(affected, members, LIMITS, lambda some: len(some) >= mass)
    named = [machine for each in shared for machine in each.machines]
    assert len(named) == len(set(named)) and set(named) <= affected
    for each in shared:
        assert each.machines <= members[each.cause]
        if each.cause.kind != "site":
            assert len(each.machines) > LIMITS.cause_machines
            assert len(each.machines) >= LIMITS.cause_share * len(members[each.cause])
        assert 0 < each.share <= 1 and 0 < each.explains <= 1


@given(halls())
def test_a_mass_failure_is_always_explained_by_something(hall: Any) -> None:
    affected, members, mass = hall
    shared = causes.shared_causes(affected, members, LIMITS, lambda some: len(some) >= mass)
    left = affected.difference(*(each.machines for each in shared))
    assert len(left) < mass
    if len(affected) >= mass:
        assert shared[0].explains >= LIMITS.cause_explains, "one incident for most of it"


@given(halls(), st.randoms())
def test_the_answer_does_not_hang_on_the_order_of_what_was_read(hall: Any, random: Random) -> None:
    affected, members, mass = hall
    mixed = list(members.items())
    random.shuffle(mixed)
    answer = [
        causes.shared_causes(affected, each, LIMITS, lambda some: len(some) >= mass) for each in (members, dict(mixed))
    ]
    assert answer[0] == answer[1]


# ---- one incident that goes on ----


def test_a_failure_that_grows_from_a_rack_to_its_row_stays_one_incident() -> None:
    known = [Known(7, R1, machines(1, 2, 3)), Known(9, Cause("rack", "R2"), machines(5, 6, 7))]
    (step,) = causes.follow(known, [Shared(ROW, frozenset(range(1, 9)))])
    assert (step.incident, step.ends) == (7, (9,))


def test_what_has_nothing_to_do_with_an_open_incident_is_a_new_one() -> None:
    known = [Known(7, R1, machines(1, 2, 3))]
    here, there = Shared(R1, machines(1, 2, 3, 4)), Shared(Cause("rack", "R2"), machines(5, 6, 7))
    assert [(step.incident, step.ends) for step in causes.follow(known, [there, here])] == [(None, ()), (7, ())]


@pytest.mark.parametrize(
    ("failing", "size", "mass"),
    [(3, 100, False), (4, 100, True), (2, 10, False), (3, 10, True), (None, 100, True), (1, None, True), (0, 0, True)],
)
def test_alike_faults_on_too_many_machines_of_a_pool_are_a_mass_failure(
    failing: int | None, size: int | None, mass: bool
) -> None:
    assert causes.mass_failure(failing, size, LIMITS) is mass


def test_the_words_of_a_mass_failure_say_what_where_and_how_sure() -> None:
    assert cause_words.title(Alike("machine.unreachable"), ROW, 153) == "153 machines lost contact: row A"
    assert (
        cause_words.title(Alike("gpu.bus", "Xid 79"), SITE, 12)
        == "12 machines fail alike: Xid 79: no known common cause"
    )
    said = cause_words.explanation(Alike("gpu.bus", "Xid 79"), Shared(R1, machines(1, 2, 3), 0.75, 1.0, (S1,)))
    assert said == (
        "75% of the machines of rack R1 are affected, 100% of those that fail alike. It could as well be: switch S1."
    )


def test_every_kind_of_cause_has_its_rank() -> None:
    assert sorted(causes._ORDER) == sorted(SHARED_CAUSES)


# ---- the breaker ----


def test_one_machine_that_climbs_its_ladder_counts_once_in_the_breaker() -> None:
    climb = [(1, False), (1, False), (1, False), (2, False)]
    assert breaker.failed_in_a_row(climb) == 2
    assert breaker.failed_in_a_row([*climb, (3, False), (4, True), (5, False)]) == 3
    assert breaker.failed_in_a_row([(1, True), *climb]) == 0, "the next level of its ladder helped"


def test_the_breaker_opens_by_the_share_of_machines_that_automation_drained() -> None:
    assert breaker.open_reason(site(drained=26, size=511), LIMITS)
    assert breaker.open_reason(site(drained=25, size=511), LIMITS) is None
    assert breaker.open_reason(site(drained=4, size=4), LIMITS) is None, "a few of a small site are no sign"
    assert "6 of 100 machines within 24 hours" in (breaker.open_reason(site(drained=6, size=100), LIMITS) or "")
    wide = replace(LIMITS, breaker_drained_share=0.5, breaker_drained_window_s=1800)
    assert breaker.open_reason(site(drained=6, size=100), wide) is None
    assert "within 30 minutes" in (breaker.open_reason(site(drained=51, size=100), wide) or "")


def test_the_breaker_says_which_count_opened_it() -> None:
    assert breaker.open_reason(site(), LIMITS) is None
    assert "refused 5" in (breaker.open_reason(site(refused_1h=5), LIMITS) or "")
    assert "2 actions" in (breaker.open_reason(site(ambiguous=2), LIMITS) or "")
    assert "verifications of 3 machines" in (breaker.open_reason(site(failed_verifications=3), LIMITS) or "")
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
    assert damping.drain_is_complete(jobs, since, NOW, 30) is complete


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
