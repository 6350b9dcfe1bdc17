"""What machines that hang cost those that answer: a sweep and a provisioning run of the virtual hall, with and without.

One worker process does the work of the machines that answer, as in `sweep`; the slow lane is left to its own workers,
which is what it is for. Ratios are of the time until the last good machine is stored, or has left the steps at its BMC.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from benchmarks.report import Context, Row
from benchmarks.sweep import ensure_fleet, start_hall
from health.models import MachineHealth, SlowMachine, Sweep, SweepShard
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import sweep_runs
from inventory.models import Machine
from provisioning import services as provisioning
from provisioning.models import Step

MACHINES = 128
ROUNDS = 2
HANGS = (
    ("machine_hang", ""),
    ("ssh_stalls", "banner"),
    ("ssh_stalls", "login"),
    ("ssh_stalls", "output"),
    ("ssh_stalls", "half"),
    ("ssh_stalls", "trickle"),
    ("bmc_stalls", "tcp"),
    ("bmc_stalls", "trickle"),
)
INSTALLED, MUTE = 20, 8
LONGEST_S = 240.0


def fault(hall: Path, machine: Machine, name: str, at: str = "") -> None:
    """Give a machine of the hall a fault, or take all of its faults away."""
    more = ["--clear"] if not name else [name, *(["--set", f"at={at}"] if at else [])]
    with redirect_stdout(StringIO()):
        call_command("hall_fault", machine.device.name, *more, "--data", str(hall))


def answered_s(ids: Sequence[int]) -> float:
    """Seconds until a sweep has stored every machine that answers; the slow lane is not run."""
    (sweep,) = sweep_runs.request_sweep(ids, Sweep.Kind.MANUAL, actor="bench")
    began = time.perf_counter()
    for shard in sweep.shards.filter(lane=SweepShard.Lane.FAST):
        sweep_runs.run(shard.pk)
    return time.perf_counter() - began


def run_slow_lane() -> float:
    """Seconds in which all machines that hang ran into their limits."""
    began = time.perf_counter()
    for shard in SweepShard.objects.filter(lane=SweepShard.Lane.SLOW, status=SweepShard.Status.WAITING):
        sweep_runs.run(shard.pk)
    return time.perf_counter() - began


def sweeps(hall: Path, machines: Sequence[Machine]) -> list[Row]:
    ids = [machine.pk for machine in machines]
    answered_s(ids)  # first contacts
    alone = min(answered_s(ids) for _ in range(ROUNDS))
    hung = machines[:: len(machines) // len(HANGS)][: len(HANGS)]
    for machine, (name, at) in zip(hung, HANGS, strict=True):
        fault(hall, machine, name, at)
    first = answered_s(ids)
    slow = run_slow_lane()
    known = SlowMachine.objects.count()
    later = min(answered_s(ids) for _ in range(ROUNDS))
    for machine in hung:
        fault(hall, machine, "")
    good = f"{len(ids) - len(hung)} good machines beside {len(hung)} that hang"
    return [
        Row("stragglers: first sweep", f"{first / alone:.2f} x", f"{good}, {first:.1f} s instead of {alone:.1f} s"),
        Row("stragglers: next sweeps", f"{later / alone:.2f} x", f"{later:.1f} s, {known} asked apart; aim 1.2 x"),
        Row("stragglers: slow lane", f"{slow:.1f} s", "until each of them ran into its limit, in a worker of its own"),
    ]


def installed_s(machines: Sequence[Machine], good: int) -> tuple[float, int]:
    """Seconds until so many machines of a run left the steps at the BMC, and how many looks that took the worst."""
    MachineHealth.objects.filter(machine__in=machines).update(state="new")
    run = provisioning.create_run([machine.pk for machine in machines], actor="bench", limit=len(machines))
    provisioning.fill()
    _look_until(lambda: run.machines.filter(step="boot_script").count() >= good)
    steps = Step.objects.filter(run_machine__run=run, run_machine__step="boot_script", number__lte=2)
    looks = max(steps.values_list("looks", flat=True))
    waiting = Step.objects.filter(run_machine__run=run, run_machine__step="boot_script", name="boot_script")
    ended = max(at for at in waiting.values_list("started_at", flat=True) if at)
    provisioning.cancel_run(run.pk, actor="bench")
    return (ended - run.created_at).total_seconds(), looks


def _look_until(reached: Callable[[], bool]) -> None:
    ends = time.monotonic() + LONGEST_S
    while not reached() and time.monotonic() < ends:
        provisioning.look()
        time.sleep(0.1)


def runs(hall: Path, machines: Sequence[Machine]) -> list[Row]:
    good = machines[MUTE:]
    alone, looks = installed_s(good, len(good))
    for machine in machines[:MUTE]:
        fault(hall, machine, "bmc_stalls", "tcp")
    beside, looks_beside = installed_s(machines, len(good))
    for machine in machines[:MUTE]:
        fault(hall, machine, "")
    return [
        Row(
            "stragglers: provisioning",
            f"{beside / alone:.2f} x",
            f"{len(good)} good machines of {len(machines)}, {MUTE} BMCs mute: {beside:.1f} s instead of {alone:.1f} s, "
            f"{looks_beside} checks of a step instead of {looks}; aim 1.2 x",
        )
    ]


def run(context: Context) -> list[Row]:
    site = ensure_fleet(context)
    partitions.ensure()
    machines = list(Machine.objects.filter(device__site=site).select_related("device").order_by("pk"))
    process = start_hall(site, context.folder)
    try:
        hall = context.folder / "hall"
        return sweeps(hall, machines[:MACHINES]) + runs(hall, machines[-INSTALLED:])
    finally:
        process.terminate()
        process.wait(20)
