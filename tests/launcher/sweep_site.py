"""A site of N machines in a virtual hall whose services fail: `python -m tests.launcher.sweep_site FOLDER N`.

Migrates the database of the environment, fills it and starts the hall. Then it answers one word a line on its input
with one line of JSON: `sweep` asks for a sweep in shards of one machine each, `break` kills a GPU of the first machine,
`requeue` does what beat does every few seconds, `state` tells what became of the last sweep.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django


def main(folder: Path, count: int) -> None:
    django.setup()
    from django.core.management import call_command

    from core.audit.actor import Actor, acting

    call_command("migrate", verbosity=0)
    with acting(Actor("test", "command")):
        serve(folder, count)


def serve(folder: Path, count: int) -> None:
    """Fill the database, start the hall, and answer until the input ends."""
    from django.db import close_old_connections

    from health.models import MachineHealth, Pool
    from health.monitoring.services.sweeps import sweep_runs
    from health.tests.hall import running_hall
    from health.tests.real import twins

    machines = [twin.machine for twin in twins(count)]
    ids = [machine.pk for machine in machines]
    Pool.objects.update(automation=Pool.Automation.ON, max_unavailable_share=0.5)
    declared = {"no_scheduler": True, "no_scheduler_by": "ada", "no_scheduler_at": datetime.now(UTC)}
    Pool.objects.update(**declared)
    sweep_runs.SHARD_SIZE = 1
    with running_hall("ams1", folder) as hall:
        name = machines[0].device.name
        answers: dict[str, Callable[[], Any]] = {
            "sweep": lambda: [sweep.pk for sweep in sweep_runs.request_sweep(ids, "manual", actor="test")],
            "break": lambda: hall.do(lambda h: h.inject(h.machines[name], "gpu_off_bus", slot="GPU 5")) and None,
            "requeue": sweep_runs.requeue_lost,
            "state": state,
        }
        tell({"machines": MachineHealth.objects.count()})
        for line in sys.stdin:
            close_old_connections()
            try:
                tell({"answer": answers[line.strip()]()})
            except Exception as error:  # a database that restarts; the test asks again
                tell({"error": f"{type(error).__name__}: {error}"})


def state() -> dict[str, Any]:
    """What became of the sweeps, and what they set off."""
    from health.models import Fault, Hold, MachineHealth, Sample, Sweep, SweepShard
    from live.models import Event

    last = Sweep.objects.filter(kind="manual").order_by("-pk").first()
    return {
        "sweep": last and last.status,
        "running": SweepShard.objects.filter(sweep=last, status="running").count(),
        "done": SweepShard.objects.filter(sweep=last, status="done").count(),
        "heard": last and last.reachable,
        "seen": Sample.objects.filter(sweep_id=last.pk).values("machine_id").distinct().count() if last else 0,
        "faults": Fault.objects.filter(led_by=None).count(),
        "confirmed": Event.objects.filter(kind="fault.confirmed").count(),
        "holds": Hold.objects.filter(lifted_at=None).count(),
        "drained": MachineHealth.objects.filter(state="drained").count(),
        "unheard": MachineHealth.objects.exclude(reachability="reachable").count(),
    }


def tell(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
