"""Every guard: when it refuses, with which numbers, and that what is not known refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from health.checks.levels import Rung
from health.machines.budget import PoolCount, budget, rule_for
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation import budgets
from health.remediation.planner import Rules, decide
from health.remediation.types import (
    Cause,
    Granted,
    Guard,
    MachineView,
    PoolView,
    Refusal,
    SiteView,
    Step,
    Switches,
    Window,
)
from health.tests.remediation.make import ALL_ON, CHECK, KIND, NOW, RACK, incident, machine, pool, ready, site


def ask(
    m: MachineView | None = None,
    p: PoolView | None = None,
    s: SiteView | None = None,
    rules: Rules = ALL_ON,
    local: datetime | None = None,
) -> Granted | Refusal:
    return decide(m or ready(), p or pool(), s or site(), rules, NOW, local)


def refused(answer: Granted | Refusal) -> Guard:
    assert isinstance(answer, Refusal), answer
    assert answer.reason
    return answer.guard


def test_with_room_everywhere_a_machine_is_drained_and_then_rebooted() -> None:
    drain, reboot = ask(), ask(machine())
    assert isinstance(drain, Granted)
    assert drain.proposal.step is Step.DRAIN
    assert isinstance(reboot, Granted)
    assert (reboot.proposal.step, reboot.proposal.rung, reboot.proposal.attempt) == (Step.REMEDY, Rung.REBOOT, 1)


FACTS_OF_POOL = ("size", "unavailable", "drains_10min", "drains_1h", "stale")
FACTS_OF_SITE = (
    "killed",
    "breaker_open",
    "cause_counts",
    "suspicious",
    "observe_only",
    "refused_1h",
    "ambiguous",
    "failed_verifications",
    "drained",
    "size",
    "clock_step_s",
    "inventory_age_s",
)


@pytest.mark.parametrize("name", FACTS_OF_POOL)
def test_a_number_of_the_pool_that_is_not_known_refuses(name: str) -> None:
    assert refused(ask(p=pool(**{name: None}))) is Guard.UNKNOWN


@pytest.mark.parametrize("name", [*FACTS_OF_SITE, "power_open", "power_1h"])
def test_a_number_of_the_site_that_is_not_known_refuses(name: str) -> None:
    assert refused(ask(machine(), s=site(**{name: None}))) is Guard.UNKNOWN


def test_every_number_of_pool_and_site_is_asked_for() -> None:
    optional = {"id", "share", "automation_on", "breaker_reason", "last_power_at", "power_open", "power_1h"}
    names = {*PoolView.__dataclass_fields__, *SiteView.__dataclass_fields__}
    assert names == {*FACTS_OF_POOL, *FACTS_OF_SITE, *optional}


def test_a_machine_of_no_pool_or_no_known_place_is_left_alone() -> None:
    assert refused(decide(ready(pool=None), None, site(), ALL_ON, NOW)) is Guard.UNKNOWN
    assert refused(ask(ready(causes=None))) is Guard.UNKNOWN


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ({"killed": True}, Guard.KILLED),
        ({"breaker_open": True, "breaker_reason": "x"}, Guard.BREAKER),
        ({"refused_1h": 5}, Guard.BREAKER),
        ({"ambiguous": 2}, Guard.BREAKER),
        ({"failed_verifications": 3}, Guard.BREAKER),
        ({"clock_step_s": 61.0}, Guard.CLOCK),
        ({"clock_step_s": -61.0}, Guard.CLOCK),
        ({"inventory_age_s": 901.0}, Guard.STALE),
        ({"drained": 6}, Guard.BREAKER),
        ({"suspicious": frozenset({KIND})}, Guard.SUSPICIOUS),
        ({"observe_only": frozenset({CHECK})}, Guard.AUDIT_MODE),
        ({"cause_counts": {RACK: frozenset({2, 3})}}, Guard.COMMON_CAUSE),
    ],
)
@pytest.mark.parametrize("which", [ready, machine])
def test_a_guard_of_the_site_stops_drains_and_remedies(
    which: Callable[[], MachineView], said: dict[str, Any], guard: Guard
) -> None:
    assert refused(ask(which(), s=site(**said))) is guard


@pytest.mark.parametrize(
    "said",
    [
        {"refused_1h": 4},
        {"ambiguous": 1},
        {"failed_verifications": 2},
        {"clock_step_s": 60.0},
        {"inventory_age_s": 900.0},
        {"suspicious": frozenset({"other"})},
        {"suspicious": frozenset({CHECK, "gpu.bus: Xid 48"})},
        {"drained": 5},
        {"drained": 4, "size": 8},
        {"cause_counts": {RACK: frozenset({1, 2}), Cause("rack", "R2"): frozenset({5, 6, 7})}},
    ],
)
def test_just_below_a_limit_it_goes_on(said: dict[str, Any]) -> None:
    assert isinstance(ask(s=site(**said)), Granted)


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ({"size": 0, "unavailable": 0}, Guard.EMPTY_POOL),
        ({"stale": True}, Guard.STALE),
        ({"unavailable": 5}, Guard.BUDGET),
        ({"size": 19}, Guard.BUDGET),
        ({"unavailable": -1}, Guard.BUDGET),
        ({"drains_10min": 2}, Guard.RATE_10MIN),
        ({"drains_1h": 5}, Guard.RATE_1H),
        ({"automation_on": False}, Guard.DRY_RUN),
    ],
)
def test_a_guard_of_the_pool_stops_drains_only(said: dict[str, Any], guard: Guard) -> None:
    assert refused(ask(p=pool(**said))) is guard
    assert isinstance(ask(machine(), p=pool(**said)), Granted)


def test_a_machine_that_counts_as_out_already_takes_no_second_place() -> None:
    silent = replace(ready(), available=False)
    assert isinstance(ask(silent, p=pool(unavailable=5)), Granted)
    assert refused(ask(silent, p=pool(unavailable=6))) is Guard.BUDGET


def test_a_small_pool_may_lose_one_unless_the_site_says_otherwise() -> None:
    assert isinstance(ask(p=pool(size=4, unavailable=0)), Granted)
    assert refused(ask(p=pool(size=4, unavailable=1))) is Guard.BUDGET
    assert refused(ask(p=pool(size=3, unavailable=0))) is Guard.BUDGET
    none = Rules(ALL_ON.switches, Limits(min_unavailable=0), ())
    assert refused(ask(p=pool(size=4, unavailable=0), rules=none)) is Guard.BUDGET


@pytest.mark.parametrize("size", [1, 3, 4, 16, 19, 20, 511])
@pytest.mark.parametrize("out", [0, 1, 2, 25])
def test_the_guard_grants_exactly_what_the_screen_says_is_left(size: int, out: int) -> None:
    shown = budget(PoolCount(size, out), rule_for(0.05, Limits()))
    granted = isinstance(ask(p=pool(size=size, unavailable=out, share=0.05)), Granted)
    assert granted is (shown.left > 0)


def test_the_cap_names_its_numbers_and_what_frees_it() -> None:
    answer = ask(p=pool(unavailable=5))
    assert isinstance(answer, Refusal)
    assert dict(answer.numbers) == {"size": 100, "unavailable": 5, "max_unavailable": 5}
    assert answer.frees


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ({"power_open": 1}, Guard.POWER_BUSY),
        ({"power_1h": 4, "last_power_at": NOW - timedelta(minutes=9)}, Guard.POWER_1H),
        ({"power_1h": 1, "last_power_at": NOW - timedelta(seconds=29)}, Guard.POWER_SPACING),
        ({"power_1h": 1, "last_power_at": NOW + timedelta(hours=1)}, Guard.POWER_SPACING),
        ({"power_1h": 1, "last_power_at": None}, Guard.UNKNOWN),
    ],
)
def test_power_actions_of_a_site_wait_for_each_other(said: dict[str, Any], guard: Guard) -> None:
    assert refused(ask(machine(), s=site(**said))) is guard
    reset = machine(incident=incident(start_rung=Rung.GPU_RESET))
    assert isinstance(ask(reset, s=site(**said)), Granted)


def test_half_a_minute_later_the_next_power_action_may_go() -> None:
    assert isinstance(ask(machine(), s=site(power_1h=1, last_power_at=NOW - timedelta(seconds=30))), Granted)


NIGHT = Window(frozenset({2}), time(22), time(4), frozenset({Rung.REBOOT}))


@pytest.mark.parametrize(
    ("hour", "day", "inside"),
    [(23, 0, True), (3, 1, True), (4, 1, False), (21, 0, False), (23, 1, False), (3, 0, False)],
)
def test_a_window_over_midnight_belongs_to_the_day_it_starts(hour: int, day: int, inside: bool) -> None:
    local = NOW.replace(hour=hour) + timedelta(days=day)
    assert budgets.inside(NIGHT, local) is inside


@pytest.mark.parametrize("empty", [None, False])
def test_outside_its_hours_a_reboot_waits_unless_the_machine_is_empty(empty: bool | None) -> None:
    rules = Rules(ALL_ON.switches, Limits(), (NIGHT,))
    assert refused(ask(machine(empty=empty), rules=rules)) is Guard.WINDOW
    assert isinstance(ask(machine(empty=empty), rules=rules, local=NOW.replace(hour=23)), Granted)
    assert isinstance(ask(machine(empty=True), rules=rules), Granted)
    cycle = machine(empty=empty, incident=incident(start_rung=Rung.POWER_CYCLE))
    assert refused(ask(cycle, rules=rules, local=NOW.replace(hour=23))) is Guard.WINDOW


def test_nothing_is_on_until_somebody_turns_it_on() -> None:
    assert refused(ask(machine(), rules=Rules())) is Guard.DRY_RUN
    both = incident(checks=(CHECK, "other"))
    assert isinstance(ask(machine(incident=both)), Granted)
    vetoed = Rules(Switches({(CHECK, "reboot"): True, ("other", "reboot"): False}))
    assert refused(ask(machine(incident=both), rules=vetoed)) is Guard.DRY_RUN


def test_a_person_is_asked_whatever_the_guards_say() -> None:
    by_hand = machine(incident=incident(start_rung=Rung.SWAP))
    answer = ask(by_hand, s=site(killed=True, breaker_open=True))
    assert isinstance(answer, Granted)
    assert answer.proposal.step is Step.PERSON


def test_a_person_is_asked_once_and_then_the_machine_leaves_service() -> None:
    by_hand = incident(start_rung=Rung.TICKET)
    asked = replace(by_hand, asked=True)
    first, then = ask(ready(incident=by_hand)), ask(ready(incident=asked))
    assert isinstance(first, Granted)
    assert isinstance(then, Granted)
    assert (first.proposal.step, then.proposal.step) == (Step.PERSON, Step.DRAIN)
    assert refused(ask(machine(incident=asked))) is Guard.LADDER


def test_a_service_restarts_on_an_idle_machine_in_service_and_drains_a_busy_one() -> None:
    service = incident(start_rung=Rung.SERVICE)
    idle, busy = ask(ready(incident=service)), ask(ready(incident=service, empty=None))
    assert isinstance(idle, Granted)
    assert isinstance(busy, Granted)
    assert (idle.proposal.step, busy.proposal.step) == (Step.REMEDY, Step.DRAIN)


@pytest.mark.parametrize("state", [s for s in State if s not in (State.READY, State.DRAINED, State.REMEDIATING)])
def test_automation_keeps_its_hands_off_in_every_other_state(state: State) -> None:
    assert refused(ask(machine(state=state))) is Guard.STATE
