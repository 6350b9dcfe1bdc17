"""What runs on a machine keeps every step from it that would stop work: by automation or by hand, planned or half sent.

The machines answer over real SSH and real Redfish (the virtual hall), and the real executors are asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from core.models import Role
from core.services import ensure_user
from health import services
from health.machines import remote
from health.machines.hooks import notices_of
from health.machines.lifecycle import LifecycleEvent
from health.machines.services import pools
from health.machines.services.changes import changing
from health.models import LifecycleChange, MachineHealth, Pool, RemediationAction, SchedulerWish
from health.remediation.executors import once
from health.remediation.services import actions, by_hand, world
from health.schedulers.services import delivery
from health.schedulers.services.reach import UNDECLARED, facts_now
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]
REMEDIES = ("restart_service", "reset_gpu", "reboot", "power_cycle")
WORK = ("gpu_busy", "container_runs", "launcher_runs", "somebody_logged_in")
PARTS = {"restart_service": "docker", "reset_gpu": "GPU 5"}


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[RunningHall]:
    make.make_machines(2)
    MachineHealth.objects.update(state="drained", boot_id="boot-before")
    with running_hall("ams1", tmp_path) as running:
        yield running


def first() -> Machine:
    found = Machine.objects.select_related("device").order_by("pk").first()
    assert found is not None
    return found


def inject(hall: RunningHall, fault: str) -> None:
    name = first().device.name
    hall.do(lambda h: h.inject(h.machines[name], fault))


def boot_of(hall: RunningHall) -> tuple[str, str]:
    name = first().device.name
    return hall.do(lambda h: (h.machines[name].state.boot_id, h.machines[name].state.power))  # type: ignore[no-any-return]


def by_olga(remedy: str) -> RemediationAction:
    row = by_hand.start(first().pk, remedy, part=PARTS.get(remedy, ""), reason="it hangs", by="olga")
    actions.carry_out(row.pk, row.lease_owner)
    return RemediationAction.objects.get(pk=row.pk)


@pytest.mark.parametrize("fault", WORK)
@pytest.mark.parametrize("remedy", ["reboot", "power_cycle"])
def test_nothing_that_stops_work_reaches_a_machine_that_names_work(hall: RunningHall, remedy: str, fault: str) -> None:
    before = boot_of(hall)
    inject(hall, fault)
    action = by_olga(remedy)
    assert action.state == "cancelled" and action.refused_by in ("jobs", "logins"), action.refused_reason
    assert boot_of(hall) == before and action.sent_at is None


@pytest.mark.slow
@pytest.mark.parametrize("remedy", REMEDIES)
def test_an_empty_machine_gets_its_remedy(hall: RunningHall, remedy: str) -> None:
    action = by_olga(remedy)
    assert action.state in ("sent", "confirmed"), (action.refused_reason, action.result)


@pytest.mark.parametrize("remedy", ["reset_gpu", "reboot"])
def test_work_that_begins_behind_the_mark_still_stops_the_remedy(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch, remedy: str
) -> None:
    """Between the question before `sent` and the command a container is begun: the last question finds it."""
    before, real = boot_of(hall), once.run

    def run(machine_id: int, command: str, **more: Any) -> Any:
        answer = real(machine_id, command, **more)
        if command.startswith("mkdir"):
            inject(hall, "container_runs")
        return answer

    monkeypatch.setattr(once, "run", run)
    action = by_olga(remedy)
    assert (action.state, action.report, action.refused_by) == ("failed", "refused", "jobs")
    assert "1 container runs" in action.result and boot_of(hall) == before


@pytest.mark.slow
@pytest.mark.parametrize("remedy", REMEDIES)
def test_work_that_begins_after_the_first_question_still_stops_every_remedy(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch, remedy: str
) -> None:
    """Each executor asks once more right before it writes: `send` is not called on the word of a moment ago."""
    before, real, asked = boot_of(hall), world.read, []

    def read(row: RemediationAction) -> Any:
        seen = real(row)
        asked.append(row.pk)
        inject(hall, "container_runs")
        return seen

    monkeypatch.setattr(world, "read", read)
    action = by_olga(remedy)
    assert (action.state, action.report, action.refused_by) == ("failed", "refused", "jobs"), action.result
    assert len(asked) == 2 and "1 container runs" in action.result and boot_of(hall) == before


@pytest.mark.slow
@pytest.mark.parametrize("remedy", REMEDIES)
def test_a_last_question_that_gets_no_answer_refuses(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch, remedy: str
) -> None:
    """Whatever goes wrong while it is asked, the time limit of the task too, nothing is sent."""
    before, real, asked = boot_of(hall), world.read, []

    def read(row: RemediationAction) -> Any:
        asked.append(row.pk)
        if len(asked) > 1:
            raise TimeoutError("the task took too long")
        return real(row)

    monkeypatch.setattr(world, "read", read)
    action = by_olga(remedy)
    assert (action.state, action.report, action.refused_by) == ("failed", "refused", "unknown"), action.result
    assert "could not be asked what runs there" in action.result and boot_of(hall) == before


def test_a_silent_machine_without_a_scheduler_is_power_cycled_by_a_person_alone(hall: RunningHall) -> None:
    inject(hall, "machine_unreachable")
    assert by_olga("reboot").refused_by == "unreachable"
    assert by_olga("power_cycle").state == "sent", "a person decides"


def test_a_machine_that_is_up_and_does_not_tell_is_not_power_cycled_by_the_scheduler_s_word(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = boot_of(hall)
    real = remote.workload.script
    monkeypatch.setattr(remote.workload, "script", lambda: real().replace("# rackside-workload", "sudo: a password"))
    action = by_olga("power_cycle")
    assert (action.state, action.refused_by) == ("cancelled", "unknown") and "another shape" in action.refused_reason
    seen = world.read(action)
    assert seen.heard and seen.boot_id == "", "the boot id of an old look beside a fresh word would look like a start"
    assert boot_of(hall) == before


# ---- no scheduler is declared, never assumed ----


@pytest.fixture
def undeclared(db: None) -> Machine:
    (machine,) = make.make_machines(1)
    Pool.objects.update(no_scheduler=False, no_scheduler_by="", no_scheduler_at=None)
    return machine


def test_without_a_scheduler_and_without_the_word_nothing_is_known_and_nothing_sent(undeclared: Machine) -> None:
    assert facts_now(undeclared.pk) == UNDECLARED
    MachineHealth.objects.update(state="drained", boot_id="boot-a")
    action = by_olga("reboot")
    assert (action.state, action.refused_by) == ("cancelled", "scheduler")
    assert "nobody declared" in action.refused_reason


def test_a_drain_waits_for_a_scheduler_or_for_the_word_and_then_goes_on(undeclared: Machine) -> None:
    services.change_state(undeclared.pk, LifecycleEvent.START_REPAIR, reason="REP-9 was taken", actor="tina")
    assert make.health(undeclared).state == "draining"
    assert delivery.send(undeclared.pk) == "waiting"
    assert "nobody declared" in SchedulerWish.objects.get().error
    (notice,) = [each for each in notices_of(undeclared.device.site_id) if each["kind"] == "undeclared"]
    assert "1 machine of pool compute" in notice["text"], "people are told why it does not go on"
    pools.update_pool(Pool.objects.get().pk, actor="ada", no_scheduler=True)
    delivery.send(undeclared.pk)
    assert make.health(undeclared).state == "repair" and not SchedulerWish.objects.exists()
    last = LifecycleChange.objects.filter(machine=undeclared).first()
    assert last is not None and last.actor == "tina"


def test_the_word_keeps_who_gave_it_and_when_and_is_an_administrator_s(client: Client, undeclared: Machine) -> None:
    pool = Pool.objects.get()
    client.force_login(ensure_user("olga", role=Role.OPERATOR)[0])
    assert client.patch(f"/api/pools/{pool.pk}/", {"no_scheduler": True}, "application/json").status_code == 403
    client.force_login(ensure_user("ada", role=Role.ADMIN)[0])
    told = client.patch(f"/api/pools/{pool.pk}/", {"no_scheduler": True}, "application/json").json()
    assert told["no_scheduler"] is True and told["no_scheduler_by"] == "ada" and told["no_scheduler_at"]
    again = client.patch(f"/api/pools/{pool.pk}/", {"max_unavailable_share": 0.1}, "application/json").json()
    assert again["no_scheduler_at"] == told["no_scheduler_at"], "another change leaves it"
    back = client.patch(f"/api/pools/{pool.pk}/", {"no_scheduler": False}, "application/json").json()
    assert (back["no_scheduler"], back["no_scheduler_by"], back["no_scheduler_at"]) == (False, "", None)


def test_pool_policy_declares_it_at_a_prompt(undeclared: Machine) -> None:
    out = StringIO()
    call_command("pool_policy", "--site", "ams1", "--scheduler", "none", stdout=out)
    assert Pool.objects.get().no_scheduler_by == "manage" and "No scheduler, says manage." in out.getvalue()
    with changing(undeclared.pk, actor="automation") as change:
        change.take_out(reason="GPU 5: missing")
    assert make.health(undeclared).state == "drained"
    call_command("pool_policy", "--scheduler", "undeclared", stdout=out)
    assert not Pool.objects.get().no_scheduler
