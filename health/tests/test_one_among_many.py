"""What goes by the clock from machine to machine: one that goes wrong keeps none of those behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from drivers.scheduler import MachineFacts, MachineState, SchedulerError, View
from health.diagnostics.services import windows
from health.external.services import reconciliation
from health.machines.services import changes, membership
from health.models import ActiveWindow, Fault, MachineHealth, ResponseOverride, SchedulerSource, Sweep, Verification
from health.monitoring.services import decisions, recoveries, unreachable, verifications
from health.monitoring.services.sweeps import observation_store, sweep_runs
from health.monitoring.tasks import end_expired_responses
from health.schedulers.services import readings
from health.tests import factories as make
from health.tests.remediation_world import ago
from health.tests.test_mass_failures import fail, hall, site_of
from health.tests.test_mass_rounds import Broken
from inventory.models import Device, Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def not_changing(broken: Machine) -> Callable[..., AbstractContextManager[changes.Change]]:
    """`changing` that fails for one machine when it is saved."""

    @contextmanager
    def changing(machine_id: int, *, actor: str) -> Iterator[changes.Change]:
        with changes.changing(machine_id, actor=actor) as change:
            yield change
            if machine_id == broken.pk:
                raise RuntimeError("this one is broken")

    return changing


def column(name: str) -> list[Any]:
    return list(MachineHealth.objects.order_by("machine_id").values_list(name, flat=True))


def test_one_machine_whose_silence_cannot_be_marked_leaves_none_behind_it_as_heard(monkeypatch: Any) -> None:
    made = hall(3)
    MachineHealth.objects.update(last_seen_at=ago(7200))
    monkeypatch.setattr(unreachable, "changing", not_changing(made[0]))
    assert unreachable.mark_unreachable() == 2
    assert column("reachability") == ["reachable", "unreachable", "unreachable"] and column("worst")[1:] == [
        "unknown",
        "unknown",
    ]


# ---- a scheduler ----


class Told:
    """A scheduler that tells one thing, whoever asks."""

    def __init__(self, view: View | Exception) -> None:
        self.view = view

    async def read(self, since: int | None) -> View:
        if isinstance(self.view, Exception):
            raise self.view
        return self.view

    async def past(self, since_s: int, until_s: int = 0) -> None:
        return None


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[View | Exception], None]:
    def tell(view: View | Exception) -> None:
        monkeypatch.setattr(readings, "driver_of", lambda source: Told(view))
        monkeypatch.setattr(readings, "keep_identities", lambda *_: None)

    return tell


def idle(machine: Machine) -> MachineFacts:
    return MachineFacts(machine.device.name, MachineState.IDLE, ("IDLE",), closed=False, answers=True, jobs=0)


def test_one_machine_whose_allocation_cannot_be_set_ends_no_reading_of_its_scheduler(
    monkeypatch: Any, told: Callable[[View | Exception], None]
) -> None:
    made = hall(3)
    MachineHealth.objects.update(allocation="allocated")
    source = SchedulerSource.objects.create(site_id=site_of(made), kind="slurm")
    told(View({machine.device.name: idle(machine) for machine in made}, since=7))
    completed: list[int] = []
    monkeypatch.setattr(readings, "changing", not_changing(made[0]))
    monkeypatch.setattr(readings, "complete_drains", lambda row, at: completed.append(row.pk))
    read = readings.read(source.pk)
    assert read is not None and (read.state, read.since) == ("good", 7) and read.tried_at is not None
    assert completed == [source.pk]
    assert column("allocation") == ["allocated", "idle", "idle"], "the first is tried again at the next reading"
    monkeypatch.setattr(readings, "changing", changes.changing)
    readings.read(source.pk)
    assert column("allocation") == ["idle"] * 3


def test_when_a_scheduler_is_lost_no_machine_stays_idle_behind_one_that_goes_wrong(
    monkeypatch: Any, told: Callable[[View | Exception], None]
) -> None:
    made = hall(3)
    MachineHealth.objects.update(allocation="idle")
    MachineHealth.objects.filter(pk=made[0].pk).update(allocation="allocated")
    source = SchedulerSource.objects.create(site_id=site_of(made), kind="slurm", last_read_at=ago(86_400))
    told(SchedulerError("no route to it"))
    monkeypatch.setattr(readings, "changing", not_changing(made[0]))
    read = readings.read(source.pk)
    assert read is not None and read.state == "failed"
    assert column("allocation") == ["allocated", "unknown", "unknown"]


# ---- verifications, reports, the inventory ----


def test_one_machine_whose_maintenance_cannot_be_ended_stops_no_other(monkeypatch: Any) -> None:
    made = hall(3)
    MachineHealth.objects.update(state="maintenance", maintenance_until=ago(5))
    broken = Broken()
    monkeypatch.setattr(verifications, "request_verification", broken)
    assert verifications.end_due_maintenance() == 2
    assert broken.others == [made[1].pk, made[2].pk]


def test_one_machine_that_answers_and_cannot_be_verified_stops_no_other(monkeypatch: Any) -> None:
    made = hall(8, suspicious_share=1.0)
    lost = [made[0], made[4]]
    fail(lost, heard=False)
    Fault.objects.update(confirmed_at=ago(50))
    assert {make.health(machine).state for machine in lost} == {"drained"}
    for seconds in (40, 30):
        observation_store.record([make.look(machine, at=ago(seconds)) for machine in lost])
    broken = Broken()
    ask = verifications.request_verification
    monkeypatch.setattr(recoveries, "request_verification", broken)
    assert recoveries.verify_what_answers_again() == 1 and broken.others == [made[4].pk]
    monkeypatch.setattr(recoveries, "request_verification", ask)
    assert recoveries.verify_what_answers_again() == 2 and Verification.objects.count() == 2


def test_one_machine_whose_reports_cannot_be_settled_stops_no_other(monkeypatch: Any) -> None:
    broken = Broken()
    monkeypatch.setattr(reconciliation, "settle", broken)
    assert reconciliation.settle_all([3, 1, 2]) == 2 and broken.others == [2, 3]


def test_one_machine_that_cannot_be_retired_keeps_neither_the_others_nor_new_ones_out(monkeypatch: Any) -> None:
    made = hall(3)
    MachineHealth.objects.update(state="drained")
    Device.objects.update(status="retired")
    MachineHealth.objects.filter(pk=made[2].pk).delete()
    monkeypatch.setattr(membership, "changing", not_changing(made[0]))
    assert membership.sync_machines() == 1
    assert column("state") == ["drained", "retired", "retired"]


# ---- sweeps and windows ----


def test_one_late_sweep_that_cannot_be_closed_keeps_no_other_running(monkeypatch: Any) -> None:
    site_id = site_of(hall(1))
    late = [
        Sweep.objects.create(site_id=site_id, kind="manual", status="running", started_at=ago(86_400)) for _ in range(2)
    ]
    broken = Broken(about=lambda sweep, _: sweep.pk)
    monkeypatch.setattr(sweep_runs, "_close", broken)
    assert sweep_runs.close_late() == 1 and {broken.first, *broken.others} == {sweep.pk for sweep in late}


def test_one_window_that_cannot_be_read_keeps_no_other_shut(monkeypatch: Any) -> None:
    site_id = site_of(hall(1))
    for _ in range(2):
        ActiveWindow.objects.create(
            site_id=site_id, weekday=0, starts="01:00", ends="02:00", kinds=["stress"], created_by="otto"
        )
    broken = Broken(about=lambda window, _: window.pk)
    monkeypatch.setattr(windows, "occurrence", broken)
    assert windows.start_due() == [] and len(broken.others) == 1


# ---- decisions whose time is over ----


def test_one_expired_response_that_cannot_be_ended_stops_no_other(monkeypatch: Any) -> None:
    for fault_class in ("psu.lost", "fan.failed"):
        decisions.override_response(fault_class, None, "note", reason="r", owner="x", actor="x")
    ResponseOverride.objects.update(created_at=ago(7200), expires_at=timezone.now() - timedelta(seconds=1))
    first = ResponseOverride.objects.order_by("pk")[0]
    end = decisions.end

    def broken(row: ResponseOverride, *, actor: str) -> Any:
        if row.pk == first.pk:
            raise RuntimeError("this one is broken")
        return end(row, actor=actor)

    monkeypatch.setattr(decisions, "end", broken)
    end_expired_responses()
    ended = dict(ResponseOverride.objects.order_by("pk").values_list("fault_class", "ended_by"))
    assert ended == {"psu.lost": "", "fan.failed": "expiry"}
