"""What a look saw of the processes that hold a machine's GPUs, as it is kept. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from health.checks.context import Context
from health.checks.model import Expectation
from health.checks.parsers.gpu_processes import GpuProcess, told
from health.checks.probes.script import ProbeReport
from health.checks.sources import Reading

READING = "gpu_processes"


@dataclass(frozen=True)
class ProcessesSeen:
    """`trouble` says why nothing is known; then there are no rows. `booted_at_s` is the start of the machine by our
    clock, seconds since 1970: the times of processes count from there, whatever the machine's own clock says."""

    boot_id: str
    booted_at_s: float
    trouble: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that is kept changes; the time of the start is told a little otherwise by every
        look, and is not part of it."""
        return hashlib.blake2b(orjson.dumps((self.boot_id, self.trouble, self.rows)), digest_size=16).hexdigest()


def processes_of(
    report: ProbeReport, heard: Mapping[str, Reading], expectation: Expectation, at_s: float
) -> ProcessesSeen | None:
    """None where the machine was not asked; `at_s` is our clock when the answer was here."""
    reading = heard.get(READING)
    if reading is None:
        return None
    boot_id, booted_at_s = report.boot_id[:36], (report.received_at or at_s) - report.uptime_s
    if reading.trouble:
        return ProcessesSeen(boot_id, booted_at_s, reading.trouble[:300])
    processes: tuple[GpuProcess, ...] = reading.data or ()
    slots = _slots(report, heard, expectation) if processes else {}
    return ProcessesSeen(boot_id, booted_at_s, "", tuple(told(processes, slots)))


def _slots(report: ProbeReport, heard: Mapping[str, Reading], expectation: Expectation) -> dict[str, tuple[str, str]]:
    """Slot and serial of each GPU by its UUID: as nvidia-smi shows them now, else as they were last installed."""
    known = {part.uuid: (slot, part.serial) for slot, part in expectation.components.items() if part.uuid}
    seen = Context(expectation, heard, boot_id=report.boot_id, machine_time=report.time).gpu_in
    return known | {gpu.uuid: (slot, gpu.serial or "") for slot, gpu in seen.items() if gpu.uuid}
