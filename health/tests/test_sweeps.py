"""Sweeps: one per period, shards that run once, second looks, silence, and who is looked at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks
from pytest_django.fixtures import Settings

from core.models import Site
from core.work.locks import only_here
from health.models import CurrentVerdict, Fault, MachineHealth, Sample, Sweep, SweepShard
from health.monitoring.services import fault_changes, unreachable
from health.monitoring.services.sweeps import observation_store, sweep_runs
from health.monitoring.services.sweeps.observation import Seen
from health.services import request_sweep, sync_machines
from health.tests import factories as make
from inventory.models import Device
from live.events import emit
from live.models import Event

Answers = tuple[dict[int, tuple], set[int]]
"""What machines answer, by id; who is silent."""


@pytest.fixture(autouse=True)
def queued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple]]:
    """What was sent to workers; nothing runs by itself."""
    sent: list[tuple[str, tuple]] = []

    def apply_async(task: Any, args: Any = (), kwargs: Any = None, **options: Any) -> None:
        sent.append((task.name, tuple(args)))

    monkeypatch.setattr("celery.app.task.Task.apply_async", apply_async)
    return sent


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """What the machines answer, by id; healthy unless set. The network is not touched."""
    answers: dict[int, tuple] = {}

    class Watch:
        unanswered: tuple[int, ...] = ()
        answered_s = 0.5

        def __init__(self, machine_ids: Any, pace: Any) -> None:
            self.machine_ids = machine_ids

        def __iter__(self) -> Iterator[list[Seen]]:
            now = timezone.now()
            yield from ([Seen(make.look(pk, *answers.get(pk, ()), at=now, heard=pk not in silent))]
                        for pk in self.machine_ids)  # fmt: skip

    silent: set[int] = set()
    observing = type("observing", (), {"Watch": Watch})
    monkeypatch.setitem(__import__("sys").modules, "health.monitoring.services.sweeps.observation", observing)
    monkeypatch.setattr("health.monitoring.services.sweeps.observation", observing, raising=False)
    return answers, silent


db = pytest.mark.django_db


@db
def test_a_period_has_one_sweep_however_often_beat_fires(
    queued: list[Any], django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    make.make_machines(3)
    with django_capture_on_commit_callbacks(execute=True):
        (first,) = sweep_runs.start_scheduled()
        assert sweep_runs.start_scheduled() == []
    Sweep.objects.filter(pk=first).update(status="finished")
    assert sweep_runs.start_scheduled() == [], "the period is taken, finished or not"
    assert [name for name, _ in queued] == ["health.monitoring.tasks.run_shard"]


@db
def test_each_site_has_its_own_sweep() -> None:
    make.make_machines(1)
    make.make_machines(1, site="fra1")
    assert len(sweep_runs.start_scheduled()) == 2


@db
def test_machines_that_nobody_can_reach_yet_are_not_swept() -> None:
    machines = make.make_machines(3)
    MachineHealth.objects.filter(pk=machines[0].pk).update(state="new")
    MachineHealth.objects.filter(pk=machines[1].pk).update(state="repair")
    site = Site.objects.get()
    assert {pk for pk, _ in sweep_runs.swept(site.pk)} == {machines[1].pk, machines[2].pk}


def test_the_machines_of_one_rack_are_in_different_shards() -> None:
    shards = sweep_runs.spread([(machine, machine // 4) for machine in range(511)], sweep_runs.SHARD_SIZE)
    assert len(shards) == 8 and all(len(shard) <= 64 for shard in shards)
    assert sorted(pk for shard in shards for pk in shard) == list(range(511))
    for rack in range(127):
        homes = [number for number, shard in enumerate(shards) for pk in shard if pk // 4 == rack]
        assert len(set(homes)) == 4


@db
def test_a_shard_writes_what_it_saw_and_the_last_one_ends_the_sweep(seen: Answers) -> None:
    answers, silent = seen
    machines = make.make_machines(4)
    answers[machines[0].pk] = (make.xid(),)
    silent.add(machines[1].pk)
    (sweep_id,) = sweep_runs.start_scheduled()
    (shard,) = SweepShard.objects.filter(sweep_id=sweep_id)
    assert sweep_runs.run(shard.pk) == "done"
    assert sweep_runs.run(shard.pk) == "over", "a second delivery of the same task changes nothing"
    sweep = Sweep.objects.get(pk=sweep_id)
    assert (sweep.status, sweep.machines, sweep.reachable) == ("finished", 4, 3)
    assert Sample.objects.filter(sweep_id=sweep_id).count() == 4
    (event,) = Event.objects.filter(kind="sweep.finished")
    assert event.data["reachable"] == 3 and event.data["machines"] == 4
    assert Fault.objects.get(fault_class="gpu.bus").status == "confirmed"
    assert make.health(machines[1]).reachability == "never" and make.health(machines[1]).cell == "no_signal"


@db
def test_an_unchanged_sweep_writes_no_event(seen: Answers) -> None:
    machines = make.make_machines(4)
    for _ in range(2):
        (sweep,) = request_sweep([m.pk for m in machines], "manual", actor="olga")
        sweep_runs.run(sweep.shards.get().pk)
    assert Event.objects.filter(kind="machine.changed").count() == 4, "one per machine: from no signal to available"


@db
def test_the_number_of_queries_of_a_shard_does_not_grow_with_its_machines(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    machines = make.make_machines(12)
    observation_store.record([make.look(m, at=0) for m in machines])
    for count in (2, 12):
        with django_assert_num_queries(11):
            observation_store.record([make.look(m, at=count) for m in machines[:count]])


@db
def test_machines_that_come_back_together_are_written_together_and_told_one_by_one(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    machines = make.make_machines(12)
    with django_assert_max_num_queries(11 + 12 + 4 * 12):
        observation_store.record([make.look(m, at=0) for m in machines])
    told = Event.objects.filter(kind="machine.changed").order_by("pk")
    assert [(e.data["id"], e.data["reachability"], e.data["cell"]) for e in told] == [
        (machine.pk, "reachable", "available") for machine in machines
    ]
    assert set(MachineHealth.objects.values_list("reachability", "worst", "power")) == {("reachable", "ok", "unknown")}


@db
def test_what_shows_of_a_machine_is_carried_into_it_alone_where_it_cannot_be_with_the_others() -> None:
    machines = make.make_machines(3)
    show = fault_changes.changes.show

    def broken(shown: Any, **about: Any) -> None:
        show(shown, **about)
        raise RuntimeError

    with patch.object(fault_changes.changes, "show", broken):
        observation_store.record([make.look(m, at=0) for m in machines])
    assert list(MachineHealth.objects.values_list("reachability", flat=True)) == ["reachable"] * 3
    assert Event.objects.filter(kind="machine.changed").count() == 3


@db
def test_a_shard_that_kills_its_worker_fails_after_three_attempts(seen: Answers) -> None:
    make.make_machines(1)
    (sweep_id,) = sweep_runs.start_scheduled()
    shard = SweepShard.objects.get()
    with patch("health.monitoring.services.sweeps.sweep_runs.observation_store.record", side_effect=MemoryError):
        for _ in range(sweep_runs.MAX_ATTEMPTS):
            with pytest.raises(MemoryError):
                sweep_runs.run(shard.pk)
    assert sweep_runs.run(shard.pk) == "failed"
    shard.refresh_from_db()
    assert shard.status == "failed" and "3 attempts" in shard.error
    assert Sweep.objects.get(pk=sweep_id).status == "finished"


@db
def test_a_shard_is_queued_again_when_its_worker_died_or_its_message_is_gone(queued: list[Any], seen: Answers) -> None:
    make.make_machines(3)
    sweep_runs.start_scheduled()
    dead, lost, over = (shard_of(Sweep.objects.get(), number) for number in range(3))
    past = timezone.now() - timedelta(seconds=sweep_runs.QUIET_S + 1)
    SweepShard.objects.filter(pk=over).update(status="done", started_at=past, finished_at=past)
    SweepShard.objects.filter(pk=dead).update(status="running", started_at=past)
    assert sweep_runs.requeue_lost() == 0, "the sweep has only begun"
    Sweep.objects.update(started_at=past)
    with only_here(sweep_runs.SHARD_LOCK, dead):
        assert sweep_runs.requeue_lost() == 0, "somebody looks; the other one waits for its turn"
    queued.clear()
    assert sweep_runs.requeue_lost() == 2
    assert sorted(arguments[0] for _, arguments in queued) == sorted([dead, lost])
    SweepShard.objects.filter(pk=dead).update(started_at=timezone.now())
    assert sweep_runs.requeue_lost() == 0, "something moved"


def shard_of(sweep: Sweep, number: int) -> int:
    """Another shard of a sweep, beside those it was cut into."""
    ids = list(MachineHealth.objects.values_list("pk", flat=True))[number : number + 1]
    shard, _ = SweepShard.objects.update_or_create(sweep=sweep, number=number, defaults={"machine_ids": ids})
    return int(shard.pk)


@db
def test_a_sweep_whose_shards_were_lost_is_closed_late_and_replaced(seen: Answers) -> None:
    make.make_machines(1)
    sweep_runs.start_scheduled()
    assert sweep_runs.close_late() == 0
    past = timezone.now() - timedelta(hours=1)
    Sweep.objects.update(started_at=past, slot_at=past)
    assert sweep_runs.close_late() == 1 and Sweep.objects.get().status == "late"
    assert sweep_runs.run(SweepShard.objects.get().pk) == "over"
    assert len(sweep_runs.start_scheduled()) == 1


@db
def test_a_second_look_is_queued_once_it_is_due_and_confirms(seen: Answers, settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 15
    answers, _ = seen
    (machine,) = make.make_machines()
    answers[machine.pk] = (make.gone(),)
    observation_store.record([make.look(machine, make.gone(), at=timezone.now())])
    assert sweep_runs.confirm_due() == 0
    Fault.objects.update(confirm_due_at=timezone.now())
    assert sweep_runs.confirm_due() == 1 and sweep_runs.confirm_due() == 0
    sweep = Sweep.objects.get(kind="confirm")
    sweep_runs.run(sweep.shards.get().pk)
    assert Fault.objects.get().status == "confirmed"


@db
def test_a_machine_no_longer_reached_is_late_then_unreachable_and_never_ok(settings: Settings) -> None:
    settings.SWEEP_PERIOD_S, settings.CONFIRM_DELAY_S = 300, 15
    good, bad = make.make_machines(2)
    observation_store.record([make.look(good), make.look(bad, make.docker_down())])
    assert unreachable.mark_unreachable(make.START + timedelta(seconds=600)) == 0
    assert unreachable.mark_unreachable(make.START + timedelta(seconds=620)) == 2
    assert (make.health(good).reachability, make.health(good).worst, make.health(good).cell) == (
        "late",
        "unknown",
        "suspect",
    )
    assert unreachable.mark_unreachable(make.START + timedelta(seconds=920)) == 2
    assert (make.health(good).reachability, make.health(good).cell) == ("unreachable", "no_signal")
    assert make.health(bad).worst == "fail", "unknown never hides a fail"
    assert unreachable.mark_unreachable(make.START + timedelta(days=1)) == 0
    observation_store.record([make.look(good, at=make.START + timedelta(days=2))])
    assert (make.health(good).reachability, make.health(good).worst) == ("reachable", "ok")


def test_reachability_depends_on_missed_sweeps() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    ages = (0, 614, 616, 914, 916)
    words = [unreachable.reachability_word(at, at + timedelta(seconds=age), 300, 15) for age in ages]
    assert words == ["reachable", "reachable", "late", "late", "unreachable"]


@db
def test_machines_of_the_inventory_get_their_row_and_pool_in_a_fixed_number_of_queries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    machines = make.make_machines(3)
    assert {make.health(m).state for m in machines} == {"ready"} and make.health(machines[0]).pool is not None
    MachineHealth.objects.all().delete()
    Device.objects.filter(pk=machines[0].pk).update(status="planned")
    with django_assert_num_queries(10):
        assert sync_machines() == 3
    assert make.health(machines[0]).state == "new" and make.health(machines[0]).cell == "off"
    assert sync_machines() == 0


@db
def test_a_reloaded_inventory_takes_its_machines_in() -> None:
    (machine,) = make.make_machines()
    MachineHealth.objects.all().delete()
    scope = {"site": machine.device.site_id, "slug": "ams1"}
    emit("inventory.reloaded", site_id=machine.device.site_id, subject="inventory", data={"scope": scope})
    assert make.health(machine).state == "ready"


@db
def test_a_retired_machine_leaves_the_floor() -> None:
    (machine,) = make.make_machines()
    MachineHealth.objects.filter(pk=machine.pk).update(state="drained")
    Device.objects.filter(pk=machine.pk).update(status="retired")
    sync_machines()
    assert make.health(machine).state == "retired"


# ---- workers beside each other, on real connections ----


def beside(*jobs: Any) -> list[BaseException]:
    """Run the jobs at the same time, each on its own connection; the errors they raised."""
    errors: list[BaseException] = []
    gate = threading.Barrier(len(jobs))

    def run(job: Any) -> None:
        try:
            gate.wait(10)
            job()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return errors


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_shard_look_once(seen: Answers) -> None:
    machines = make.make_machines(8)
    (sweep,) = request_sweep([m.pk for m in machines], "manual", actor="olga")
    shard, outcomes = sweep.shards.get(), []
    assert not beside(*[lambda: outcomes.append(sweep_runs.run(shard.pk))] * 4)
    assert outcomes.count("done") == 1 and set(outcomes) <= {"done", "busy", "over"}
    assert Sample.objects.count() == 8


@pytest.mark.django_db(transaction=True)
def test_shards_that_meet_on_machines_in_any_order_do_not_deadlock() -> None:
    machines = [m.pk for m in make.make_machines(16)]

    def many(order: list[int], findings: tuple, base: float) -> Callable[[], None]:
        def job() -> None:
            for number in range(6):
                observation_store.record([make.look(pk, *findings, at=base + number) for pk in order])

        return job

    errors = beside(
        many(machines, (), 0),
        many(machines[::-1], (make.docker_down(),), 0.5),
        many(machines[8:] + machines[:8], (make.nvlink(),), 0.25),
    )
    assert errors == []
    assert MachineHealth.objects.count() == 16


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_machines_that_die_together_do_not_take_more_than_the_cap() -> None:
    machines = make.make_machines(12, share=0.25)
    with make.clock_at(make.START), make.trusted_checks():
        observation_store.record([make.look(m) for m in machines])
        jobs = [
            lambda pk=machine.pk: observation_store.record([make.look(pk, make.xid(), at=1)])
            for machine in machines[:8]
        ]
        assert beside(*jobs) == []
    assert MachineHealth.objects.filter(state="drained").count() == 3
    assert Fault.objects.filter(status="confirmed", drain="over_budget").count() == 5
    assert CurrentVerdict.objects.count() == 8
