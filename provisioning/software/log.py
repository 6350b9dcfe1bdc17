"""Results of tasks on their way to the database: in bulk, about once a second, with an event each time."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping

from django.db import transaction

from provisioning.software import services
from provisioning.software.models import SoftwareMachine, SoftwareRun, SoftwareTask
from provisioning.software.plays.results import TaskResult
from provisioning.software.words import Outcome

FLUSH_S = 1.0
MOST_WAITING = 200
ASK_S = 2.0


class TaskLog:
    """The tasks of one play; `machines` are those of the play by the id of their machine."""

    def __init__(self, run: SoftwareRun, machines: Mapping[int, SoftwareMachine]) -> None:
        self.run, self.machines = run, machines
        self.outcomes: dict[int, list[Outcome]] = defaultdict(list)
        self.reasons: dict[int, str] = {}
        """What the last task that failed said, by machine."""
        self._waiting: list[SoftwareTask] = []
        self._flushed = self._asked = time.monotonic()
        self._cancelled = False

    def add(self, machine_id: int, result: TaskResult) -> None:
        row = self.machines[machine_id]
        row.task_count += 1
        self.outcomes[machine_id].append(result.outcome)
        if result.outcome in (Outcome.FAILED, Outcome.UNREACHABLE):
            self.reasons[machine_id] = f"{result.task}: {result.text}"[:1000]
        self._waiting.append(
            SoftwareTask(
                run_machine=row, n=row.task_count, role=result.role[:40], task=result.task, text=result.text,
                outcome=result.outcome.value, duration_s=result.duration_s,
            )
        )  # fmt: skip
        if len(self._waiting) >= MOST_WAITING:
            self.flush()

    def goes_on(self) -> bool:
        """Whether nobody cancelled the run; asked every second, so it also writes what came."""
        now = time.monotonic()
        if now - self._flushed >= FLUSH_S:
            self.flush()
        if now - self._asked >= ASK_S:
            self._asked = now
            self._cancelled = SoftwareRun.objects.filter(pk=self.run.pk).exclude(cancelled_by="").exists()
        return not self._cancelled

    def flush(self) -> None:
        self._flushed = time.monotonic()
        tasks, self._waiting = self._waiting, []
        if not tasks:
            return
        with transaction.atomic():
            run = SoftwareRun.objects.select_for_update().get(pk=self.run.pk)
            SoftwareTask.objects.bulk_create(tasks)
            rows = {task.run_machine_id: task.run_machine for task in tasks}
            SoftwareMachine.objects.bulk_update(rows.values(), ["task_count"])
            services.tell(run, "software")
