"""Where it is turned on, a remedy for GPUs is verified by a diagnostic too: no result in time is no pass."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from health.models import ActiveRun, ActiveStep, RemediationAction, Verification
from health.remediation.services.diagnostic import diagnosed, level_after
from health.tests import factories as make
from health.tests.remediation_world import ago, broken, look_after, plan_and_act

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


@pytest.fixture(autouse=True)
def turned_on(settings: Any) -> None:
    settings.DIAGNOSE_AFTER_REMEDY = True


def reset() -> RemediationAction:
    (machine,) = broken()
    action = plan_and_act(machine)
    assert (action.remedy, action.state) == ("reset_gpu", "confirmed")
    return action


def ended(run: ActiveRun, *said: tuple[str, str]) -> None:
    """The run's diagnostic has ended and says this of these parts."""
    rows = [
        {"check": "gpu.diagnostic", "part": part, "verdict": verdict, "message": "memory", "action": "",
         "fault_class": "", "value": None}
        for part, verdict in said
    ]  # fmt: skip
    now = timezone.now()
    ActiveStep.objects.create(
        run=run, round=1, number=1, kind="diagnostic", machine_ids=[run.machines.get().machine_id], status="done",
        attempts=1, verdict="pass", findings=rows, started_at=now, finished_at=now,
    )  # fmt: skip
    ActiveRun.objects.filter(pk=run.pk).update(status="done", finished_at=now)
    run.machines.update(released_at=now)


@pytest.mark.slow
def test_a_reset_asks_for_the_diagnostic_of_its_level_and_passes_only_with_it(hands: Any, world: Any) -> None:
    action = reset()
    run = ActiveRun.objects.get()
    assert run.options == {"kinds": ["diagnostic"], "diagnostic": {"level": 1}} and run.reason == "verification"
    asked = action.verification
    assert asked is not None and asked.deadline_at - asked.requested_at > timedelta(minutes=6)
    assert look_after(action) == "again", "it has not ended"
    ended(run, ("machine", "ok"), ("GPU 5", "ok"))
    assert look_after(action) == "passed" and make.health(run.machines.get().machine).state == "ready"


@pytest.mark.slow
@pytest.mark.parametrize("part", ["GPU 5", "machine"])
def test_a_diagnostic_that_fails_is_a_remedy_that_did_not_help(hands: Any, world: Any, part: str) -> None:
    action = reset()
    ended(ActiveRun.objects.get(), ("GPU 5", "ok"), (part, "fail"))
    assert look_after(action) == "failed"
    action.refresh_from_db()
    assert action.verified is False and "gpu.diagnostic" in action.result


@pytest.mark.slow
def test_what_it_says_of_another_gpu_is_not_this_repair_s(hands: Any, world: Any) -> None:
    action = reset()
    ended(ActiveRun.objects.get(), ("GPU 5", "ok"), ("GPU 2", "fail"))
    assert look_after(action) == "passed"


@pytest.mark.slow
@pytest.mark.parametrize("result", ["none", "unknown"])
def test_no_result_in_time_is_no_pass(hands: Any, world: Any, result: str) -> None:
    action = reset()
    if result == "unknown":
        ended(ActiveRun.objects.get(), ("GPU 5", "unknown"))
    Verification.objects.update(deadline_at=ago(1))
    assert look_after(action) == "failed"
    action.refresh_from_db()
    assert action.verified is False and "no result" in action.result


@pytest.mark.parametrize(("left_out", "verdicts"), [("", {"ok"}), ("GPU 3", {"ok", "unknown"})])
def test_after_a_remedy_for_the_whole_machine_every_gpu_has_to_pass(
    hands: Any, world: Any, left_out: str, verdicts: set[str]
) -> None:
    action = reset()
    assert action.verification is not None
    ended(ActiveRun.objects.get(), *((f"GPU {n}", "ok") for n in range(8) if f"GPU {n}" != left_out))
    found = diagnosed(action.verification, set())
    assert len(found) == 8 and {str(finding.verdict) for finding in found} == verdicts


@pytest.mark.slow
def test_an_older_diagnostic_says_nothing_of_this_remedy(hands: Any, world: Any) -> None:
    action = reset()
    ended(ActiveRun.objects.get(), ("GPU 5", "ok"))
    ActiveStep.objects.update(started_at=ago(3600), finished_at=ago(3000))
    assert look_after(action) == "again"


@pytest.mark.slow
def test_turned_off_a_reset_is_verified_by_a_look(hands: Any, world: Any, settings: Any) -> None:
    settings.DIAGNOSE_AFTER_REMEDY = False
    action = reset()
    assert not ActiveRun.objects.exists() and look_after(action) == "passed"


@pytest.mark.parametrize(
    ("remedy", "slots", "level"),
    [
        ("reboot", {"GPU 5"}, 2),
        ("power_cycle", {"GPU 5", "docker"}, 3),
        ("reboot", {"docker"}, 0),
        ("reboot", set(), 2),
        ("restart_service", {"GPU 5"}, 0),
    ],
)
def test_only_remedies_about_gpus_or_a_whole_machine_ask_for_it(remedy: str, slots: set[str], level: int) -> None:
    (machine,) = make.make_machines(1)
    assert level_after(remedy, machine.pk, slots) == level
