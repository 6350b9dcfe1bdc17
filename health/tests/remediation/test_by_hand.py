"""What a person may start by hand, and what holds against a person too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.remediation import by_hand
from health.remediation.remedies import BY_NAME
from health.remediation.types import ActionState, Guard
from health.tests.remediation.make import NOW, action, ended, machine, ready

INTRUSIVE = [remedy for remedy in by_hand.REMEDIES_BY_HAND if remedy.needs_drain]


def refused(name: str = "reboot", /, **said: Any) -> Guard | None:
    refusal = by_hand.refusal(machine(**said), BY_NAME[name])
    return refusal.guard if refusal else None


def test_nobody_installs_anew_by_hand_here() -> None:
    assert [remedy.name for remedy in by_hand.REMEDIES_BY_HAND] == [
        "restart_service",
        "reset_gpu",
        "reboot",
        "power_cycle",
    ]


@pytest.mark.parametrize("remedy", INTRUSIVE, ids=lambda remedy: remedy.name)
def test_what_takes_a_machine_down_is_begun_only_out_of_service(remedy: Any) -> None:
    begins = {state for state in State if refused(remedy.name, state=state) is None}
    assert begins == {State.DRAINED, State.REMEDIATING, State.TRIAGE}


def test_a_service_is_restarted_in_service_too_unless_jobs_are_known_to_run() -> None:
    service = BY_NAME["restart_service"]
    assert by_hand.refusal(ready(empty=None), service) is None
    told = by_hand.refusal(ready(empty=False), service)
    assert told is not None and told.guard is Guard.JOBS


@pytest.mark.parametrize(
    ("said", "guard"),
    [
        ({"records": None}, Guard.RECORD),
        ({"records": (action(),)}, Guard.OPEN_ACTION),
        ({"records": (ended(Rung.REBOOT, remedy="unheard of"),)}, Guard.RECORD),
        ({"held_by": ("active:3",)}, Guard.HELD),
        ({"empty": False}, Guard.JOBS),
        ({"held_by": ("person:olga", "ticket:REP-1")}, None),
        ({"incident": None, "pool": None, "causes": None}, None),
    ],
)
def test_what_holds_against_a_person(said: dict[str, Any], guard: Guard | None) -> None:
    assert refused(**said) is guard


@pytest.mark.parametrize("shares", [True, None])
def test_the_power_of_machines_beside_it_is_not_switched(shares: bool | None) -> None:
    assert refused("power_cycle", shares_power=shares) is Guard.SHARED_POWER
    assert refused("reboot", shares_power=shares) is None
    assert refused("power_cycle", shares_power=False) is None


def test_a_rung_that_was_used_may_be_used_again_under_another_key() -> None:
    used = ended(Rung.REBOOT, at=NOW - timedelta(minutes=5), attempt=2, state=ActionState.CONFIRMED)
    wanted = by_hand.proposal(machine(records=(used,)), BY_NAME["reboot"], used.incident, "once more")
    assert (wanted.rung, wanted.attempt, wanted.dry_run) == (Rung.REBOOT, 3, False)
    other = by_hand.proposal(machine(records=(used,)), BY_NAME["reset_gpu"], used.incident, "first")
    assert other.attempt == 1
