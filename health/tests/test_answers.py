"""A drained machine that answers again is verified by itself; nobody would press a button for it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from health.models import Fault, Hold, Verification
from health.monitoring.services import recoveries, verifications
from health.monitoring.services.sweeps import observation_store
from health.services import place_hold
from health.tests import factories as make
from health.tests.factories import Finding
from inventory.models import Machine
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def lost(settings: Settings) -> Machine:
    """A machine that was drained because it did not answer, ten minutes ago."""
    settings.CONFIRM_DELAY_S = 15
    (machine,) = make.make_machines()
    look(machine, 630)
    for seconds in (600, 580):
        look(machine, seconds, heard=False)
    assert make.health(machine).state == "drained"
    Fault.objects.update(confirmed_at=timezone.now() - timedelta(seconds=580))
    return machine


def look(machine: Machine, seconds_ago: float, *findings: Finding, **more: Any) -> None:
    observation_store.record(
        [make.look(machine, *findings, at=timezone.now() - timedelta(seconds=seconds_ago), **more)]
    )


def decide(*findings: Finding, after_s: float = 5, **more: Any) -> str:
    verification = Verification.objects.filter(status="waiting").get()
    claimed = verifications.WORK.take(verification.pk)
    assert claimed is not None
    at = verification.requested_at + timedelta(seconds=after_s)
    return verifications.decide(claimed, make.look(verification.machine_id, *findings, at=at, **more))


def test_two_answers_in_a_row_ask_for_a_verification_that_returns_it(
    lost: Machine, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):
        assert recoveries.verify_what_answers_again() == 0, "silent"
    look(lost, 100)
    assert recoveries.verify_what_answers_again() == 0, "one answer may be luck"
    look(lost, 90)
    assert recoveries.verify_what_answers_again() == 1
    assert recoveries.verify_what_answers_again() == 0, "safe to run twice"
    assert make.health(lost).state == "verifying"
    assert decide() == "passed"
    assert make.health(lost).state == "ready" and not Hold.objects.filter(lifted_at=None).exists()
    assert Event.objects.filter(kind="fault.cleared").count() == 1


def test_an_answer_between_silences_is_not_enough(lost: Machine) -> None:
    look(lost, 100)
    look(lost, 90, heard=False)
    look(lost, 80)
    assert recoveries.verify_what_answers_again() == 0


def test_a_machine_lost_again_waits_drained_with_the_evidence_and_is_not_asked_at_once(lost: Machine) -> None:
    look(lost, 100)
    look(lost, 90)
    assert recoveries.verify_what_answers_again() == 1
    late = verifications.PATIENCE.total_seconds() + 1
    assert decide(heard=False, after_s=late) == "failed"
    assert make.health(lost).state == "drained", "nobody works on it"
    fault = Fault.objects.get()
    assert fault.status == "confirmed" and fault.evidence.filter(message__startswith="Verification failed").exists()
    assert Event.objects.filter(kind="fault.seen_again", data__fault=fault.pk).exists(), "its ticket is reported"
    assert recoveries.verify_what_answers_again() == 0


def test_a_machine_that_comes_and_goes_is_left_to_a_person(lost: Machine) -> None:
    look(lost, 100)
    look(lost, 90)
    now = timezone.now()
    for _ in range(recoveries.MOST_TRIES):
        Verification.objects.create(
            machine=lost, owner="automation", actor="automation", status="failed", requested_at=now,
            next_try_at=now, deadline_at=now, finished_at=now - timedelta(seconds=500),
        )  # fmt: skip
    assert recoveries.verify_what_answers_again() == 0


def test_what_a_person_holds_stays_out_and_what_else_is_broken_is_not_excused(lost: Machine) -> None:
    place_hold(lost.pk, owner="person:olga", reason="cable work", actor="olga")
    look(lost, 100, make.xid())
    look(lost, 90, make.xid())
    assert recoveries.verify_what_answers_again() == 1
    assert decide(make.xid()) == "passed"
    assert make.health(lost).state == "drained"
    assert Fault.objects.exclude(status="cleared").get().fault_class == "gpu.bus"


def test_only_what_says_that_nothing_answered_is_asked_for(settings: Settings) -> None:
    settings.CONFIRM_DELAY_S = 15
    (machine,) = make.make_machines()
    look(machine, 600, make.docker_down())
    look(machine, 580, make.docker_down())
    assert make.health(machine).state == "drained"
    look(machine, 100)
    look(machine, 90)
    assert recoveries.verify_what_answers_again() == 0 and Fault.objects.get().status == "confirmed"
