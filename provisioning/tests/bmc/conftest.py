from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from health.machines.workload import Workload
from health.models import MachineHealth
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine
from provisioning.bmc import progress, services
from provisioning.bmc.models import BmcRun, BmcRunMachine
from provisioning.waves import holds
from simulator import faults


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHall]:
    """Four machines out of service with nothing running on them; limits of time pass some hundred times as fast."""
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setenv("RACKSIDE_PROVISION_TIME_SCALE", "0.003")
    idle = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(holds, "workloads_of", lambda ids: dict.fromkeys(ids, idle))
    make.make_machines(4)
    MachineHealth.objects.update(state="drained")
    with running_hall("ams1", tmp_path) as running:
        yield running


def ids() -> list[int]:
    return list(Machine.objects.order_by("pk").values_list("pk", flat=True))


def name_of(machine_id: int) -> str:
    return str(Machine.objects.select_related("device").get(pk=machine_id).device.name)


def setup_of(hall: RunningHall, machine_id: int) -> Any:
    """What the simulated BMC has."""
    name = name_of(machine_id)
    return hall.do(lambda h: h.machines[name].state.setup)


def hurt(hall: RunningHall, machine_id: int, fault: str, **params: Any) -> None:
    name = name_of(machine_id)
    hall.do(lambda h: faults.inject(h.machines[name], fault, h.clock(), params=params))


def go(run: BmcRun, turns: int = 400) -> BmcRun:
    """Look until the run has ended, without the pause between two looks."""
    for _ in range(turns):
        if progress.advance(run.pk) not in ("looked", "waits", "through"):
            break
        BmcRun.objects.filter(pk=run.pk).update(next_at=timezone.now())
    run.refresh_from_db()
    return run


def start(machine_ids: list[int], action: Any, **more: Any) -> BmcRun:
    return services.start(machine_ids, action, actor="olga", **more)


def of(run: BmcRun) -> dict[str, tuple[str, str]]:
    """{name: (status, message)}"""
    rows = BmcRunMachine.objects.filter(run=run).select_related("machine__device").order_by("pk")
    return {row.machine.device.name: (row.status, row.message) for row in rows}
