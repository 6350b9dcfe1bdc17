"""The one way to change a machine in a run: lock it, move it, say so.

`changing` locks the run, then the machine in it, and saves, emits and enqueues when the block ends well. Rows of other
rooms (the machine's health, its known host key) are locked after these, never before. Where a machine only goes from
step to step its run is not locked: hundreds of machines of one run would wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from health import services as health
from live.events import emit
from provisioning.conf import config
from provisioning.engines import way_of_run
from provisioning.models import BootMedium, BootToken, LogLine, Run, RunMachine, Step
from provisioning.services import queue
from provisioning.steps import (
    BY_NAME,
    Cancelled,
    FailureClass,
    Happening,
    Position,
    Retried,
    Started,
    Status,
    StepName,
    Way,
    move,
    run_status,
)

log = structlog.get_logger(__name__)

TEXT_LENGTH = 500
MOST_LINES = 2000
SOON_S = 30
"""A look that is due later than this is left to the reaper: a broker should not keep tasks for the future."""


def position_of(row: RunMachine, way: Way) -> Position:
    failure = FailureClass(row.failure_class) if row.failure_class else None
    return Position(Status(row.status), StepName(row.step), row.attempt, failure, way)


def step_data(row: RunMachine, step: Step) -> dict[str, Any]:
    """What `step.changed` carries."""
    return {
        "run": row.run_id,
        "run_machine": row.pk,
        "machine": row.machine_id,
        "status": row.status,
        "failure_class": row.failure_class or None,
        "step": {
            "number": step.number,
            "name": step.name,
            "title": step.title,
            "status": step.status,
            "started_at": step.started_at.isoformat() if step.started_at else None,
            "finished_at": step.finished_at.isoformat() if step.finished_at else None,
            "attempt": step.attempt,
            "detail": step.detail,
        },
    }


def totals(run: Run) -> dict[str, int]:
    """How many machines of a run are in each status."""
    counts = dict(run.machines.order_by().values_list("status").annotate(Count("pk")))
    return {status.value: counts.get(status.value, 0) for status in Status}


def refresh_run(run: Run, *, actor: str) -> None:
    """Work out the status of a run, locked by the caller, from its machines and emit `run.changed`."""
    numbers = totals(run)
    run.status = run_status([Status(name) for name, count in numbers.items() if count]).value
    ended = run.status not in (Status.WAITING, Status.RUNNING)
    run.finished_at = (run.finished_at or timezone.now()) if ended else None
    run.save(update_fields=["status", "finished_at"])
    emit(
        "run.changed",
        site_id=run.site_id,
        subject=f"run:{run.pk}",
        data={"id": run.pk, "name": run.name, "status": run.status, "totals": numbers},
        actor=actor,
    )


@dataclass
class Progress:
    """A locked machine of a run, in the middle of a change. `has_run`: the run is locked as well."""

    run: Run
    row: RunMachine
    actor: str
    has_run: bool = True
    now: datetime = field(default_factory=timezone.now)
    touched: dict[int, Step] = field(default_factory=dict)
    status_changed: bool = False
    gives_room: bool = False
    """Whether others may start now: it ended, or it needs the boot server of its site no more."""

    def __post_init__(self) -> None:
        self.way = way_of_run(self.run)
        self.steps = {StepName(step.name): step for step in self.row.steps.all()}

    @property
    def current(self) -> Step:
        return self.steps[StepName(self.row.step)]

    def log(self, text: str, step: StepName | None = None) -> None:
        """Add a line to this machine's log; the row lock keeps the numbers without gaps.

        The log ends at MOST_LINES: boot requests need no login, and must not be able to fill the database.
        """
        if self.row.log_count >= MOST_LINES:
            return
        self.row.log_count += 1
        LogLine.objects.create(
            run_machine=self.row, n=self.row.log_count, step=(step or self.row.step), text=text[:1000]
        )

    def touch(self, step: Step) -> Step:
        self.touched[step.number] = step
        return step

    def apply(self, happening: Happening, detail: str = "") -> bool:
        """Move the machine; returns False when what happened does not apply any more. Logs and keeps the steps true."""
        before = position_of(self.row, self.way)
        after = move(before, happening)
        if after == before:
            return False
        row = self.row
        row.status, row.step, row.attempt = after.status.value, after.step.value, after.attempt
        row.failure_class = after.failure.value if after.failure else ""
        row.first_failure = row.first_failure or row.failure_class
        row.failure_text = detail[:TEXT_LENGTH] if after.status is Status.FAILED else ""
        row.lease = row.lease_until = None
        row.lost_workers = row.silent_looks = 0
        row.next_at = self.now if after.status is Status.RUNNING else None
        self.status_changed |= after.status is not before.status
        self.gives_room |= before.status is Status.RUNNING and (
            after.status is not Status.RUNNING or (self.way.fetches(before.step) and not self.way.fetches(after.step))
        )
        if after.status in (Status.DONE, Status.FAILED, Status.CANCELLED):
            row.finished_at = self.now
        self._walk(before, after, happening, detail)
        to_people = after.status is Status.FAILED or (isinstance(happening, Cancelled) and happening.to_people)
        self._lifecycle(before, after, detail, to_people=to_people)
        return True

    def _walk(self, before: Position, after: Position, happening: Happening, detail: str) -> None:
        """Bring the step rows to what the positions say."""
        match happening:
            case Started():
                self.row.started_at, self.row.finished_at = self.row.started_at or self.now, None
                self.log(f"Attempt {after.attempt} begins")
                self._begin(after)
                return
            case Retried():
                self._reset(after.step)
                self.log("Queued for another attempt", after.step)
                return
        if after.status in (Status.FAILED, Status.CANCELLED):
            if before.status is Status.RUNNING:
                self._end(before.step, after.status, detail)
            text = f"Failed ({after.failure}): {detail}" if after.failure else detail or "Cancelled"
            self.log(text, before.step)
            return
        first, last = self.way.number(before.step), self.way.number(after.step)
        if after.status is not Status.DONE:
            last -= 1
        for number, name in enumerate(self.way.steps):
            if first <= number <= last:
                self._end(name, Status.DONE, detail if number == last else "the machine was already further")
                self.log(f"Done: {self.steps[name].detail or self.steps[name].title}", name)
        if after.status is Status.RUNNING:
            self._begin(after)

    def _begin(self, position: Position) -> None:
        step = self.touch(self.steps[position.step])
        limit_s = BY_NAME[position.step].limit_s * config().time_scale
        step.status, step.attempt = Status.RUNNING.value, position.attempt
        step.started_at, step.finished_at = self.now, None
        step.deadline_at = self.now + timedelta(seconds=limit_s)
        step.detail, step.data, step.looks = "", {}, 0

    def _end(self, name: StepName, status: Status, detail: str) -> None:
        step = self.touch(self.steps[name])
        step.started_at = step.started_at or self.now
        step.status, step.finished_at, step.detail = status.value, self.now, detail[:TEXT_LENGTH]

    def _reset(self, first: StepName) -> None:
        for name in self.way.steps[self.way.number(first) :]:
            step = self.touch(self.steps[name])
            step.status = Status.WAITING.value
            step.started_at = step.finished_at = step.deadline_at = None
            step.detail, step.data, step.looks = "", {}, 0
        self.row.verification_id, self.row.finished_at = None, None

    # ---- what follows from a move in the rooms below ----

    def _lifecycle(self, before: Position, after: Position, detail: str, *, to_people: bool) -> None:
        machine = self.row.machine_id
        if after.status in (Status.FAILED, Status.CANCELLED) and before.status is Status.RUNNING:
            self.revoke_tokens()
            self._machine_moves("fail" if to_people else "cancel", detail)
        moves_on = before.step is not after.step and after.status is Status.RUNNING
        if moves_on and before.step is StepName.SSH:
            self._machine_moves("installed", "the installed system answers")
        if moves_on and after.step is StepName.CHECKS:
            verification = health.request_verification(
                machine, fault_ids=[], owner=f"run_machine:{self.row.pk}", actor=self.actor
            )
            self.row.verification_id = verification.pk
        if after.status is Status.DONE:
            self._into_service()

    def _machine_moves(self, event: str, reason: str) -> None:
        """Take the machine's lifecycle along. Where a person moved it meanwhile, theirs stands and the log says so."""
        try:
            health.change_state(
                self.row.machine_id,
                event,
                reason=reason or f"provisioning {self.run}",
                actor=self.actor,
                evidence={"run": self.run.pk, "run_machine": self.row.pk},
            )
        except health.InvalidTransition as error:
            self.log(f"The machine's state was left as it is: {error}")

    def _into_service(self) -> None:
        try:
            with transaction.atomic():
                health.change_state(
                    self.row.machine_id,
                    "pass",
                    reason="provisioned and checked",
                    actor=self.actor,
                    evidence={"run": self.run.pk, "verification": self.row.verification_id},
                )
        except health.NotReady as error:
            self.log(f"Provisioned, but kept out of service: {error}")
            self._machine_moves("pass_held", str(error))
        except health.InvalidTransition as error:
            self.log(f"The machine's state was left as it is: {error}")

    def revoke_tokens(self) -> None:
        """No token of this machine opens anything any more."""
        live = BootToken.objects.filter(run_machine=self.row, revoked_at=None, phoned_home_at=None)
        live.update(revoked_at=self.now)
        self.close_media()

    def close_media(self) -> None:
        """Nothing of this machine's boot medium is served or kept any more."""
        if self.way.has(StepName.INSERT_MEDIA):
            BootMedium.objects.filter(run_machine=self.row, closed_at=None).update(closed_at=self.now, content=b"")

    # ---- the end of the block ----

    def save(self) -> None:
        self.row.save()
        for _, step in sorted(self.touched.items()):
            step.save()
            emit(
                "step.changed",
                site_id=self.run.site_id,
                subject=f"run_machine:{self.row.pk}",
                data=step_data(self.row, step),
                actor=self.actor,
            )
        if self.status_changed:
            if not self.has_run:
                self.run = Run.objects.select_for_update().get(pk=self.run.pk)
            refresh_run(self.run, actor=self.actor)
            self._tell_the_rooms_above()

    def _tell_the_rooms_above(self) -> None:
        kinds = {Status.FAILED: "run.machine_failed", Status.DONE: "run.machine_done"}
        if kind := kinds.get(Status(self.row.status)):
            self.tell(kind)

    def tell(self, kind: str) -> None:
        """One event about this machine for the rooms above."""
        emit(
            kind,
            site_id=self.run.site_id,
            subject=f"run_machine:{self.row.pk}",
            data={
                "run_machine": self.row.pk,
                "run": self.run.pk,
                "machine": self.row.machine_id,
                "failure_class": self.row.failure_class or None,
                "failure_text": self.row.failure_text,
                "step": self.row.step,
            },
            actor=self.actor,
        )

    def enqueue(self) -> None:
        """After the commit: look again when that is soon, and give the room of a machine that ended to the next."""
        row = self.row
        if row.status == Status.RUNNING and row.lease is None and row.next_at is not None:
            look_again(row.next_at, slow=row.silent_looks > 0)
        if self.gives_room:
            transaction.on_commit(queue.enqueue_fill, robust=True)


def look_again(next_at: datetime, *, slow: bool) -> None:
    """After the commit ask for the next look, where that is soon."""
    wait_s = max(0.0, (next_at - timezone.now()).total_seconds())
    if wait_s <= SOON_S:
        transaction.on_commit(lambda: queue.enqueue_look(wait_s, slow=slow), robust=True)


@contextmanager
def changing(run_machine_id: int, *, actor: str = "", lock_run: bool = True) -> Iterator[Progress]:
    """Change one machine of a run in a transaction. Nothing is saved when the block raises.

    `lock_run` False is for what hardly ever begins or ends a machine: where it does after all, the run is locked last.
    Raises RunMachine.DoesNotExist.
    """
    with transaction.atomic():
        locked = None
        if lock_run:
            run_id = RunMachine.objects.values_list("run_id", flat=True).get(pk=run_machine_id)
            locked = Run.objects.select_for_update().get(pk=run_id)
        row = (
            RunMachine.objects.select_for_update(of=("self",))
            .select_related("run", "machine__device")
            .get(pk=run_machine_id)
        )
        run = locked or row.run
        progress = Progress(run, row, actor or f"run:{run.pk}", has_run=lock_run)
        yield progress
        progress.save()
        progress.enqueue()


__all__ = ["Cancelled", "Progress", "changing", "position_of", "refresh_run", "step_data", "totals"]
