"""A played world for the tests of remediation: hands that count, a look that is told what to say, broken machines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Any

from django.utils import timezone

from health.machines.calls import Report
from health.models import Incident, RemediationAction, Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.remediation.executors import Answer, Job, Simple
from health.remediation.services import actions, automation
from health.remediation.services.steps import step
from health.tests import factories as make
from inventory.models import Machine
from live.models import Event


class Hand(Simple):
    """An executor that counts its calls and answers as told."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.finished: list[str] = []
        self.answer: Answer | Exception = Answer(Report.DONE, "done")
        self.mark: Report | Exception = Report.NONE

    def target(self, job: Job) -> Mapping[str, Any] | None:
        return {}

    def send(self, job: Job) -> Answer:
        row = RemediationAction.objects.get(key=job.key)
        assert row.state == "sent" and row.sent_at is not None, "written before the call"
        self.sent.append(job.key)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def trace(self, job: Job, sent_at: datetime) -> Report:
        if isinstance(self.mark, Exception):
            raise self.mark
        return self.mark

    def finish(self, job: Job) -> Answer:
        self.finished.append(job.key)
        return Answer(Report.ACCEPTED, "on")


def ago(seconds: float) -> Any:
    return timezone.now() - timedelta(seconds=seconds)


def memory_fault(gpu: int = 5) -> make.Finding:
    return make.Finding("gpu.ecc", f"GPU {gpu}", "fail", "row remap pending", "", "gpu.memory", 3)


def broken(count: int = 1, *finding: make.Finding, on: tuple[str, ...] = ("reset_gpu", "reboot"), **pool: Any) -> list:
    """Machines with a confirmed memory fault, whose first remedy is to reset the GPU."""
    machines = make.make_machines(max(count, pool.pop("of", 4)), **pool)
    for machine in machines:
        Machine.objects.filter(pk=machine.pk).update(bmc_ip=str(ip_address("10.9.0.0") + machine.pk))
    for remedy in on:
        automation.set_switch("gpu.ecc", remedy, site_id=None, mode="on", reason="trusted", actor="ada")
    found = finding or (memory_fault(),)
    with make.trusted_checks():
        observation_store.record([make.look(machine, at=ago(100)) for machine in machines])
        for at in (ago(90), ago(60)):
            observation_store.record([make.look(machine, *found, at=at) for machine in machines[:count]])
    return machines[:count]


def plan_and_act(machine: Any) -> RemediationAction:
    with make.trusted_checks():
        action_id = step(machine.pk)
    assert action_id is not None, Incident.objects.values_list("refused_by", flat=True)
    actions.carry_out(action_id, RemediationAction.objects.get(pk=action_id).lease_owner)
    return RemediationAction.objects.get(pk=action_id)


def look_after(action: RemediationAction, *findings: make.Finding, **more: Any) -> str:
    """Play the look that the action's verification asked for."""
    asked = action.verification
    assert asked is not None
    Verification.objects.filter(pk=asked.pk).update(next_try_at=ago(1), requested_at=ago(5))
    claimed = verifications.WORK.take(asked.pk)
    assert claimed is not None
    return verifications.decide(claimed, make.look(action.machine_id, *findings, at=timezone.now(), **more))


def events(kind: str) -> list[Event]:
    return list(Event.objects.filter(kind=kind).order_by("id"))
