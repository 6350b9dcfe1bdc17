"""Machines are looked at by the process that looked at them before, and no shard is left behind by that."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from health.models import Sweep, SweepShard
from health.monitoring import tasks
from health.monitoring.services.sweeps import familiar, sweep_runs
from health.monitoring.services.sweeps.observation import MEMORIES
from health.tests import factories as make

db = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    MEMORIES.forget()
    yield
    MEMORIES.forget()


def knows(shard: SweepShard) -> None:
    """Let this process have looked at the machines of a shard."""
    for pk in shard.machine_ids:
        with MEMORIES.of(pk):
            pass


def make_shards(count: int) -> list[SweepShard]:
    """A sweep of two machines a shard; nothing is queued."""
    found = make.make_machines(2 * count)
    machines = [machine.pk for machine in found]
    sweep = Sweep.objects.create(site_id=found[0].device.site_id, kind=Sweep.Kind.MANUAL, machines=len(machines))
    return [
        SweepShard.objects.create(sweep=sweep, number=number, machine_ids=machines[2 * number : 2 * number + 2])
        for number in range(count)
    ]


def test_who_is_left_out_of_a_sweep_moves_nobody_else_to_another_shard() -> None:
    everyone = [(machine, machine // 4) for machine in range(100, 611)]
    whole = sweep_runs.spread(everyone, 64, everyone)
    without = sweep_runs.spread([pair for pair in everyone if pair[0] % 7], 64, everyone)
    assert without == [[pk for pk in shard if pk % 7] for shard in whole]


@db
def test_a_process_prefers_the_machines_that_it_looked_at_before() -> None:
    first, second, third = make_shards(3)
    assert familiar.in_order(second.pk) == [second.pk, first.pk, third.pk], "it knows none yet"
    knows(third)
    with MEMORIES.of(first.machine_ids[0]):
        pass
    assert familiar.in_order(second.pk) == [third.pk, first.pk, second.pk]


@db
def test_a_shard_that_was_begun_is_tried_again_with_its_own_message_only() -> None:
    first, second, third = make_shards(3)
    knows(second)
    SweepShard.objects.filter(pk=third.pk).update(status="running")
    assert familiar.in_order(first.pk) == [second.pk, first.pk]
    assert familiar.in_order(third.pk) == [third.pk, second.pk, first.pk]
    SweepShard.objects.filter(pk__in=[first.pk, third.pk]).update(status="done")
    assert familiar.in_order(first.pk) == [second.pk]


@db
def test_a_shard_whose_worker_died_waits_again_and_is_queued_once() -> None:
    first, second = make_shards(2)
    past = timezone.now() - timedelta(seconds=sweep_runs.DEAD_S + 1)
    Sweep.objects.update(started_at=past)
    SweepShard.objects.filter(pk=first.pk).update(status="running", started_at=past, attempts=1)
    SweepShard.objects.filter(pk=second.pk).update(status="running", started_at=timezone.now())
    assert sweep_runs.requeue_lost() == 1
    first.refresh_from_db()
    assert (first.status, first.started_at, first.attempts) == ("waiting", None, 1)
    assert sweep_runs.requeue_lost() == 0, "its message waits behind others"


@db
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 1, 0, 2), (0, 0, 1, 2, 2)])
def test_as_many_messages_as_shards_do_all_of_them_in_whatever_order_they_come(
    order: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = make_shards(3)
    knows(shards[1])
    done: list[int] = []

    def run(pk: int) -> str:
        shard = SweepShard.objects.get(pk=pk)
        if shard.status == SweepShard.Status.DONE:
            return "over"
        SweepShard.objects.filter(pk=pk).update(status="done")
        done.append(pk)
        return "done"

    monkeypatch.setattr(sweep_runs, "run", run)
    for number in order:
        tasks.run_shard(shards[number].pk)
    assert sorted(done) == [shard.pk for shard in shards]
    assert done[0] == shards[1].pk, "the one that this process knows"


@db
def test_a_shard_that_another_worker_has_is_left_and_the_next_one_done(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_shards(2)
    monkeypatch.setattr(sweep_runs, "run", lambda pk: asked.append(pk) or ("busy" if pk == first.pk else "done"))
    asked: list[int] = []
    tasks.run_shard(first.pk)
    assert asked == [first.pk, second.pk]
