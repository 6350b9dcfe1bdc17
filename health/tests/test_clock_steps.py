"""The clock of the host is set, by NTP or by hand: an hour forwards, an hour back; the database keeps its rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from unittest.mock import MagicMock, patch

import pytest
from django.conf import settings
from django.utils import timezone

from health.models import MachineHealth, RemediationAction, Sweep, SweepShard
from health.monitoring.services.sweeps import sweep_runs
from health.monitoring.services.unreachable import UNREACHABLE_SWEEPS, mark_unreachable
from health.remediation.services import actions, steps
from health.tests import factories as make
from health.tests.remediation_world import broken

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def clock(moment: datetime) -> AbstractContextManager[MagicMock]:
    return patch("django.utils.timezone.now", return_value=moment)


@pytest.fixture
def queued() -> Iterator[MagicMock]:
    with patch("celery.app.task.Task.apply_async") as sent:
        yield sent


def sweeps_in(begin: datetime, seconds: int, step_s: int = 30) -> int:
    """How many sweeps beat starts in this time; each ends at once."""
    count = 0
    for after in range(0, seconds, step_s):
        with clock(begin + timedelta(seconds=after)):
            count += len(sweep_runs.start_scheduled())
        Sweep.objects.filter(status="running").update(status="finished", started_at=begin + timedelta(seconds=after))
    return count


@pytest.mark.slow
def test_the_fleet_is_swept_every_period_also_after_the_clock_was_set_back(queued: MagicMock) -> None:
    make.make_machines(2)
    period = int(settings.SWEEP_PERIOD_S)
    now = timezone.now()
    assert sweeps_in(now - HOUR, 3600 + period) >= 3600 // period
    after = sweeps_in(now - HOUR, 4 * period)
    assert 3 <= after <= 5, "one a period: not none for an hour, and no more than that"


def test_a_sweep_that_runs_while_the_clock_is_set_back_does_not_hold_up_the_next_ones(queued: MagicMock) -> None:
    make.make_machines(1)
    now = timezone.now()
    with clock(now):
        (running,) = sweep_runs.start_scheduled()
    Sweep.objects.filter(pk=running).update(started_at=now)
    with clock(now - HOUR):
        assert len(sweep_runs.start_scheduled()) == 1


@pytest.mark.parametrize("step", [-HOUR, -timedelta(days=400), HOUR])
def test_a_machine_that_dies_when_the_clock_is_set_is_known_to_be_silent_in_time(step: timedelta) -> None:
    (machine,) = make.make_machines(1)
    now = timezone.now()
    MachineHealth.objects.filter(machine=machine).update(reachability="reachable", last_seen_at=now, worst="ok")
    limit = timedelta(seconds=(UNREACHABLE_SWEEPS + 1) * settings.SWEEP_PERIOD_S + settings.CONFIRM_DELAY_S)
    for at in (now + step, now + step + limit / 2, now + step + limit):
        mark_unreachable(at)
    health = make.health(machine)
    assert (health.reachability, health.worst) == ("unreachable", "unknown")


@pytest.mark.slow
@pytest.mark.parametrize("step", [-HOUR, HOUR])
@pytest.mark.usefixtures("quiet")
def test_after_a_jump_of_the_clock_no_remedy_is_granted_and_none_is_sent_twice(
    step: timedelta, hands: dict, world: dict
) -> None:
    (machine,) = broken()
    with clock(timezone.now() + step), make.trusted_checks():
        action_id = steps.step(machine.pk)
    assert action_id is None or RemediationAction.objects.get(pk=action_id).state not in ("granted", "sent")
    assert not hands["reset_gpu"].sent

    with make.trusted_checks():
        action_id = steps.step(machine.pk)
    assert action_id is not None
    row = RemediationAction.objects.get(pk=action_id)
    actions.carry_out(action_id, row.lease_owner)
    sent = list(hands["reset_gpu"].sent)
    assert len(sent) == 1
    with clock(timezone.now() + step):
        for due in [*actions.due(), action_id]:
            actions.carry_out(due)
    assert hands["reset_gpu"].sent == sent


def test_a_shard_is_looked_at_once_though_the_clock_jumps_while_it_waits(queued: MagicMock) -> None:
    make.make_machines(1)
    (sweep,) = sweep_runs.start_scheduled()
    shard = SweepShard.objects.get(sweep=sweep)
    SweepShard.objects.filter(pk=shard.pk).update(status="done", started_at=timezone.now(), finished_at=timezone.now())
    for step in (HOUR, -HOUR):
        with clock(timezone.now() + step):
            assert sweep_runs.requeue_lost() == 0
