"""Checks of what jobs and crashes left behind: GPU memory, processes that cannot end, crash records, a new start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.counts import counted
from health.checks.context import Context
from health.checks.gpu_state import not_told
from health.checks.levels import Rung
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.gpus import Gpu
from health.checks.parsers.leftovers import Leftovers, Process

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
MOST_BLOCKED = 50
# Programs of the GPU driver: what hangs in them hangs in the driver.
_OF_DRIVER = ("nvidia-", "nv-", "nvidia_", "dcgm")
# A crash is recorded before the start that follows it, or while that start saves it; clocks differ.
_BEFORE_START_S, _AFTER_START_S = 2 * HOUR_S, 600.0


@check(
    "gpu.leftover",
    family="GPU",
    title="No GPU memory is held without a process",
    part="gpu",
    needs="gpus",
    source="practice of a published cluster: more than 15 MiB on an idle GPU is a process that did not end",
    limits={"gpu_memory_leftover_warn_mib": 15},
    fields=("memory_used_mib", "process"),
)
def leftover(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """What a job uses is its own affair; memory in use while the driver lists no process was left by one that died, and
    the next job lacks it."""
    yield from not_told(gpu, x, "memory_used_mib")
    used = gpu.memory_used_mib
    if used is not None and gpu.process is None and used > x.limit(me, "gpu_memory_leftover_warn_mib"):
        said = f"{gpu.address}: {used} MiB are in use"
        if x.gpus is None or not x.gpus.complete:
            yield info(f"{said}; this output lists no processes")
        else:
            action = "Find what holds it (fuser -v /dev/nvidia*); reset the GPU when the machine is idle."
            yield warn(f"{said} and no process is listed", value=used, action=action)
    yield ok(f"{used} MiB in use{'' if gpu.process is None else ' by a process'}", value=used)


@check(
    "system.processes",
    family="system",
    title="No process is stuck in the kernel, few are dead and not collected",
    needs="leftovers",
    classes=("gpu.hung",),
    source="ps; practice of a published cluster for dead ones",
    limits={"zombie_processes_warn": 1000, "blocked_driver_fail_s": 300},
)
def processes(found: Leftovers, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """One that is blocked (state D) in this look and in the one before waits for a drive, a file server or a driver
    that does not answer, and cannot be killed. A program of the GPU driver so fails: only a reboot ends it."""
    if found.processes is None:
        yield unknown("the processes are not reported")
        return
    for process in still_blocked(found, x):
        said = f"{process.name} (process {process.pid}) is blocked in the kernel, as in the previous check"
        if process.name.startswith(_OF_DRIVER) and process.age_s >= x.limit(me, "blocked_driver_fail_s"):
            yield fail(said, "gpu.hung", excerpt=said, value=process.age_s, rung=Rung.REBOOT,
                       action="Drain and reboot; read the kernel log for what the driver waits for.")  # fmt: skip
        else:
            yield warn(said, value=process.age_s, action=f"Read /proc/{process.pid}/stack for what it waits for.")
    dead = [process for process in found.processes if process.state == "Z"]
    if len(dead) >= x.limit(me, "zombie_processes_warn"):
        names = ", ".join(sorted({process.name for process in dead})[:4])
        action = "Find the parent that does not collect them (ps -o ppid) and restart it."
        yield warn(f"{len(dead)} dead processes are not collected: {names}", value=len(dead), action=action)
    yield ok(f"none blocked for long, {len(dead)} dead", value=len(dead))


def still_blocked(found: Leftovers, x: Context) -> list[Process]:
    """Those that were blocked in the look before as well: the same number, started at the same second."""
    earlier = x.earlier
    before = (earlier.counters.get(MACHINE) or {}) if earlier and not x.restarted else {}
    now = blocked(found, x.machine_time or 0.0)
    return [
        process
        for process in found.processes or ()
        if (name := _name(process)) in now and name in before and abs(now[name] - before[name]) <= 5
    ]


def blocked(found: Leftovers, machine_time: float) -> Mapping[str, int]:
    """When each blocked process was started, for `Earlier.counters` of the next look."""
    stuck = [process for process in found.processes or () if process.state == "D"]
    return {_name(process): int(machine_time) - process.age_s for process in stuck[:MOST_BLOCKED]}


def _name(process: Process) -> str:
    return f"blocked {process.pid}"


@check(
    "system.crashes",
    family="system",
    title="No crash of the kernel was recorded",
    needs="leftovers",
    kind="event",
    classes=("kernel.crash",),
    source="Linux kernel documentation, pstore; systemd-pstore; kdump",
)
def crashes(found: Leftovers, x: Context, me: CheckDeclaration) -> Outcome:
    """A record in pstore or /var/crash of about the time of this start fails once: the machine crashed. Older ones are
    told."""
    if found.denied:
        return unknown(f"{found.denied} may not be read")
    if not found.records:
        return ok("no crash is recorded")
    fresh = [path for path, at in found.records if -_BEFORE_START_S <= at - found.started <= _AFTER_START_S]
    if not fresh:
        kept = counted(len(found.records), "record of earlier crashes is", "records of earlier crashes are")
        return info(f"{kept} kept, such as {found.records[0][0]}")
    return fail(
        f"the kernel crashed before this start: {fresh[0]}",
        "kernel.crash",
        excerpt="\n".join(fresh),
        value=len(fresh),
        action="Save these files and read the last lines before the crash; then delete them.",
        rung=Rung.TICKET,
        at_us=1,
        event_key=f"{x.boot_id}:crash",
    )


@check(
    "system.restart",
    family="system",
    title="No unexpected reboot",
    needs="uptime",
    source="boot id of the previous check, and what was done here meanwhile",
    limits={"restart_warn_hours": 24},
)
def restart(uptime_s: float, x: Context, me: CheckDeclaration) -> Outcome:
    """It was in service all the time and yet its boot is another: no drain, remedy or provisioning of ours. Power or
    the kernel failed, or somebody restarted it by hand without telling."""
    at = x.restarted_at
    ago = x.machine_time - at if at is not None and x.machine_time is not None else None
    if ago is not None and ago < x.limit(me, "restart_warn_hours") * HOUR_S:
        action = "Read the BMC's log and the crash records for the cause; ask who was at the machine."
        return warn(f"rebooted {ago / 60:.0f} min ago, and nobody here asked for it", value=ago, action=action)
    return ok(f"up for {uptime_s / DAY_S:.1f} days", value=uptime_s)
