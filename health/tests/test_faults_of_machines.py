"""From reports to faults, holds and states, on the real database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from health.machines.hooks import notices_of
from health.models import (
    CurrentVerdict,
    Fault,
    Hold,
    LifecycleChange,
    MachineHealth,
    MachineReport,
    Pool,
    Sample,
    Transition,
)
from health.monitoring.services.sweeps import observation_store
from health.remediation.services.drains import drain_waiting
from health.services import lift_hold, place_hold
from health.tests import factories as make
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(settings: Settings) -> Iterator[None]:
    """Times of the observations are around START; the pool counts heard machines by the same clock."""
    settings.CONFIRM_DELAY_S = 15
    with make.clock_at(make.START + timedelta(seconds=60)), make.trusted_checks():
        yield


def events(kind: str) -> list[Event]:
    return list(Event.objects.filter(kind=kind).order_by("id"))


def test_a_healthy_report_makes_a_machine_available() -> None:
    (machine,) = make.make_machines()
    assert make.health(machine).cell == "no_signal"
    observation_store.record([make.look(machine)])
    health = make.health(machine)
    assert (health.cell, health.worst, health.reachability, health.boot_id) == (
        "available",
        "ok",
        "reachable",
        "boot-a",
    )
    assert not CurrentVerdict.objects.exists() and not Transition.objects.exists()
    assert set(bytes(MachineReport.objects.get().verdicts)) == {0}
    assert Sample.objects.get().fail == 0


def test_a_level_is_suspected_at_first_sight_and_confirmed_by_the_second_look() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine)])
    observation_store.record([make.look(machine, make.gone(), at=10)])
    fault = Fault.objects.get()
    assert fault.status == "suspected" and not events("fault.confirmed") and not Hold.objects.exists()
    assert make.health(machine).cell == "suspect"
    observation_store.record([make.look(machine, make.gone(), at=20)])
    assert Fault.objects.get().status == "suspected", "the second look came too early"
    observation_store.record([make.look(machine, make.gone(), at=26)])
    fault.refresh_from_db()
    assert fault.status == "confirmed" and len(events("fault.confirmed")) == 1
    assert make.health(machine).state == "drained" and make.health(machine).cell == "failed"
    assert Hold.objects.get().owner == f"fault:{fault.pk}"
    assert fault.evidence.count() == 2


def test_a_level_that_passes_at_the_second_look_was_nothing() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.gone())])
    observation_store.record([make.look(machine, at=15)])
    assert Fault.objects.get().status == "cleared"
    assert make.health(machine).cell == "available"
    assert not events("fault.confirmed") and not events("fault.cleared")


def test_an_event_confirms_at_once_and_is_read_once() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.xid())])
    fault = Fault.objects.get()
    assert fault.status == "confirmed" and make.health(machine).state == "drained"
    observation_store.record([make.look(machine, make.xid(), at=300)])
    assert fault.evidence.count() == 1 and len(events("fault.confirmed")) == 1 and not events("fault.seen_again")


def test_one_dead_gpu_is_exactly_one_leading_fault() -> None:
    (machine,) = make.make_machines()
    dead = (make.xid(), make.gone(), make.nvlink())
    for at in (0, 16, 300):
        observation_store.record([make.look(machine, *dead, at=at)])
    leading = Fault.objects.filter(led_by=None)
    assert leading.count() == 1 and leading.get().fault_class == "gpu.gone"
    assert Fault.objects.count() == 3 and not Fault.objects.exclude(status="confirmed").exists()
    assert len(events("fault.confirmed")) == 1 and Hold.objects.count() == 1
    assert {e.check_id for e in leading.get().all_evidence()} == {"gpu.xid", "gpu.present", "nvlink.links"}
    assert make.health(machine).open_faults == 1


def test_what_shows_later_in_the_slot_is_evidence_for_the_same_repair() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.xid())])
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=300)])
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=320)])
    leader = Fault.objects.get(led_by=None)
    assert leader.fault_class == "gpu.bus" and len(events("fault.confirmed")) == 1
    assert {event.data["fault"] for event in events("fault.seen_again")} == {leader.pk}


def test_two_dead_gpus_are_two_faults() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.xid(4, 1000), make.xid(5, 1001), make.gone(5))])
    assert Fault.objects.filter(led_by=None).count() == 2 and Hold.objects.count() == 2


def test_unknown_never_hides_a_fail() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.docker_down())])
    everything = tuple(make.LAYOUT)
    observation_store.record([make.look(machine, at=20, unknown=everything)])
    row = CurrentVerdict.objects.get(check_id="docker")
    assert row.verdict == "fail" and row.checked_at == make.START
    assert make.health(machine).worst == "fail"
    observation_store.record([make.look(machine, heard=False, at=40)])
    assert CurrentVerdict.objects.get(check_id="docker").verdict == "fail"
    assert Fault.objects.get(fault_class="docker.down").status == "suspected", "unknown is neither a pass nor a fail"


def test_a_machine_that_is_not_heard_is_unknown_without_a_row_per_check() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine)])
    observation_store.record([make.look(machine, heard=False, at=300)])
    assert [row.check_id for row in CurrentVerdict.objects.all()] == ["machine.reachable"]
    packed = bytes(MachineReport.objects.get().verdicts)
    assert packed[0] == 4 and set(packed[1:]) == {3}
    sample = Sample.objects.order_by("-at").first()
    assert sample is not None and not sample.heard and sample.unknown == len(make.LAYOUT) - 1
    assert Transition.objects.count() == 1
    assert Fault.objects.get().fault_class == "machine.unreachable" and Fault.objects.get().status == "suspected"
    observation_store.record([make.look(machine, heard=False, at=320)])
    assert Fault.objects.get().status == "confirmed"


def test_a_missing_result_is_unknown_never_ok() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine)])
    observation_store.record([make.look(machine, make.Finding("docker", "docker"), whole=True, at=10)])
    health = make.health(machine)
    assert health.worst == "unknown" and health.unknown_count == len(make.LAYOUT) - 1


def test_an_older_look_does_not_overwrite_a_newer_one() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, at=100)])
    observation_store.record([make.look(machine, make.docker_down(), at=50)])
    assert make.health(machine).worst == "ok" and not Fault.objects.exists()


def test_an_event_fault_outlives_its_line_in_the_log() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.xid())])
    observation_store.record([make.look(machine, at=300)])
    assert CurrentVerdict.objects.get(check_id="gpu.xid").verdict == "fail"
    assert Fault.objects.get().status == "confirmed"


def test_beyond_the_cap_a_fault_is_announced_but_nothing_is_drained() -> None:
    machines = make.make_machines(10, share=0.2)
    observation_store.record([make.look(m) for m in machines])
    for number, machine in enumerate(machines[:4]):
        observation_store.record([make.look(machine, make.xid(), at=number + 1)])
    states = [make.health(m).state for m in machines]
    assert states.count("drained") == 2 and states.count("ready") == 8
    assert len(events("fault.confirmed")) == 4
    assert Fault.objects.filter(drain="over_budget").count() == 2
    assert [n["kind"] for n in notices_of(machines[0].device.site_id)] == ["budget"]
    assert events("notice.changed")[-1].data["notices"][0]["text"].startswith("2 machines")
    assert drain_waiting() == 0


@pytest.mark.parametrize("state", ["new", "retired"])
def test_a_look_at_a_machine_that_is_not_in_use_opens_no_fault(state: str) -> None:
    (machine,) = make.make_machines()
    MachineHealth.objects.update(state=state)
    for at in (0, 30):
        observation_store.record([make.look(machine, heard=False, at=at)])
    observation_store.record([make.look(machine, make.xid(), at=60)])
    assert not Fault.objects.exists()


def test_a_full_pool_does_not_starve_the_machines_of_another() -> None:
    full = make.make_machines(4, share=0.0)
    other = make.make_machines(2, site="fra1", share=0.0)
    for at, machine in enumerate([*full, *other]):
        observation_store.record([make.look(machine)])
        observation_store.record([make.look(machine, make.xid(), at=at + 1)])
    Pool.objects.filter(site__slug="fra1").update(max_unavailable_share=1.0)
    assert drain_waiting(limit=2) == 1
    assert make.health(other[0]).state == "drained" and make.health(full[0]).state == "ready"


def test_a_waiting_machine_is_drained_when_the_budget_frees_up() -> None:
    machines = make.make_machines(10, share=0.1)
    observation_store.record([make.look(m) for m in machines])
    observation_store.record([make.look(machines[0], make.xid(), at=1)])
    observation_store.record([make.look(machines[1], make.xid(), at=2)])
    assert make.health(machines[1]).state == "ready"
    make.health(machines[0].pk)
    type(make.health(machines[0])).objects.filter(pk=machines[0].pk).update(state="ready")
    Fault.objects.filter(machine=machines[0]).update(status="cleared", cleared_at=timezone.now())
    assert drain_waiting() == 1
    assert make.health(machines[1]).state == "drained"


def test_a_dry_run_says_what_it_would_drain() -> None:
    machines = make.make_machines(3, automation="dry_run")
    observation_store.record([make.look(m) for m in machines])
    observation_store.record([make.look(machines[0], make.xid(), at=1)])
    assert make.health(machines[0]).state == "ready" and make.health(machines[0]).cell == "failed"
    (notice,) = notices_of(machines[0].device.site_id)
    assert notice["kind"] == "dry_run" and "would be drained" in notice["text"]


def test_a_stale_or_unheard_pool_drains_nothing() -> None:
    machines = make.make_machines(3)
    with make.clock_at(make.START + timedelta(days=1)):
        observation_store.record([make.look(machines[0], make.xid())])
    assert make.health(machines[0]).state == "ready"
    assert Fault.objects.get().drain == "over_budget"


def test_a_level_fault_of_a_machine_in_service_clears_when_seen_to_pass() -> None:
    (machine,) = make.make_machines(automation="dry_run")
    for at in (0, 16):
        observation_store.record([make.look(machine, make.docker_down(), at=at)])
    assert len(events("fault.confirmed")) == 1
    observation_store.record([make.look(machine, at=40, unknown=(("docker", "docker"),))])
    assert Fault.objects.get().status == "confirmed", "unknown is not a pass"
    observation_store.record([make.look(machine, at=60)])
    assert Fault.objects.get().status == "cleared" and len(events("fault.cleared")) == 1
    assert not Hold.objects.filter(lifted_at=None).exists()
    assert make.health(machine).cell == "available"


def test_a_drained_machine_does_not_return_because_a_level_passes() -> None:
    (machine,) = make.make_machines()
    for at in (0, 16):
        observation_store.record([make.look(machine, make.docker_down(), at=at)])
    observation_store.record([make.look(machine, at=40)])
    assert Fault.objects.get().status == "confirmed" and make.health(machine).state == "drained"


def test_holds_are_one_per_owner_and_keep_a_machine_out() -> None:
    (machine,) = make.make_machines()
    first = place_hold(machine.pk, owner="ticket:REP-1", reason="a", actor="tina")
    assert place_hold(machine.pk, owner="ticket:REP-1", reason="b", actor="tina").pk == first.pk
    assert lift_hold(machine.pk, owner="ticket:REP-1", reason="done", actor="tina")
    assert not lift_hold(machine.pk, owner="ticket:REP-1", reason="done", actor="tina")


def test_every_change_of_state_says_who_and_why() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.xid())])
    steps = [(c.transition.event, c.actor) for c in LifecycleChange.objects.order_by("id")]
    assert steps == [("adopt", "inventory"), ("drain", "sweep"), ("drained", "sweep")]


def test_a_check_that_comes_and_goes_is_cleared_by_its_passing_no_more() -> None:
    (machine,) = make.make_machines(1)
    at = 0

    def seen(*findings: make.Finding) -> list[str]:
        nonlocal at
        at += 600
        with make.clock_at(make.START + timedelta(seconds=at)), make.trusted_checks():
            observation_store.record([make.look(machine, *findings, at=at)])
        return list(Fault.objects.exclude(status="cleared").values_list("status", flat=True))

    for _ in range(3):
        assert seen(make.nvlink()) == ["suspected"]
        assert seen() == []
    assert seen(make.nvlink()) == ["suspected"]
    assert seen() == ["suspected"], "the fourth time within a day"
    assert seen(make.nvlink()) == ["confirmed"]
    assert seen() == ["confirmed"], "only a verification or a person clears it"
