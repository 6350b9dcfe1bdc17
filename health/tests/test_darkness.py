"""How long a machine may be dark for a known reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from health.machines.lifecycle import State
from health.machines.sla import LIMITS_S
from health.remediation.darkness import GRACE, HANDS, OFF, Lights, PowerAction, excuse

NOW = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def ago(**span: float) -> datetime:
    return NOW - timedelta(**span)


@pytest.mark.parametrize("state", sorted(HANDS))
def test_hands_on_a_machine_explain_its_dark_links_as_long_as_the_state_may_last(state: State) -> None:
    limit = timedelta(seconds=LIMITS_S[state])
    assert excuse(Lights(state, NOW - limit + timedelta(seconds=1)), NOW) is not None
    assert excuse(Lights(state, NOW - limit), NOW) is None


@pytest.mark.parametrize("state", sorted(set(State) - set(HANDS)))
def test_no_other_state_explains_anything(state: State) -> None:
    assert excuse(Lights(state, NOW), NOW) is None


def test_a_power_cycle_explains_it_until_its_deadline_and_a_finished_one_for_a_moment() -> None:
    under_way = PowerAction("Power cycle", ago(minutes=10), NOW + timedelta(minutes=30))
    found = excuse(Lights(State.READY, ago(days=3), actions=[under_way]), NOW)
    assert found is not None and found.until == under_way.deadline + GRACE and found.reason.startswith("Power cycle at")
    over = PowerAction("Reboot", ago(minutes=40), NOW, finished_at=NOW - GRACE)
    assert excuse(Lights(State.READY, ago(days=3), actions=[over]), NOW) is None


def test_a_machine_that_is_off_is_explained_for_a_day_and_maintenance_until_its_planned_end() -> None:
    assert excuse(Lights(State.READY, ago(days=9), "off", seen_at=NOW - OFF + timedelta(seconds=1)), NOW)
    assert excuse(Lights(State.READY, ago(days=9), "off", seen_at=NOW - OFF), NOW) is None
    assert excuse(Lights(State.MAINTENANCE, ago(days=9), maintenance_until=NOW + timedelta(days=2)), NOW)
