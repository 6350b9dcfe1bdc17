"""What is wished of a site's scheduler: written with the change of state, sent after it, tried again until it is done.

Nothing here talks to a scheduler: a machine's row is locked while wishes are written. `delivery` sends them,
`readings` reads what came of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from drivers.scheduler import written_reason
from health.machines.models.machines import MachineHealth, Pool
from health.schedulers.models import IS_READ, SchedulerMachine, SchedulerSource, SchedulerWish
from live.events import emit

WORK = Work(
    name="desired state of a scheduler",
    model=SchedulerWish,
    open=Q(status=SchedulerWish.Status.WAITING),
    hold=Lease(120, column="next_try_at"),
    due="next_try_at",
    attempts="tries",
    retry=Backoff(5, 300),
    reason="error",
    task="health.schedulers.tasks.send_to_scheduler",
    every_s=5,
)


def runs_role(source: SchedulerSource, role: str) -> bool:
    return not source.roles or role in source.roles


def schedulers_of(rows: Iterable[MachineHealth]) -> dict[int, SchedulerSource]:
    """Machine to the scheduler that gives work to it. Two queries whatever their number.

    It runs the machine's role, or it names the machine: its own word goes before what it was told here to run. One
    that is switched off counts, since its jobs run on.
    """
    rows = list(rows)
    sites = {row.machine.device.site_id for row in rows}
    sources = {source.site_id: source for source in SchedulerSource.objects.filter(IS_READ, site_id__in=sites)}
    ids = [row.machine_id for row in rows] if sources else []
    named = set(SchedulerMachine.objects.filter(machine_id__in=ids).values_list("machine_id", flat=True))
    found = {}
    for row in rows:
        source = sources.get(row.machine.device.site_id)
        if source is not None and (runs_role(source, row.machine.role) or row.machine_id in named):
            found[row.machine_id] = source
    return found


def scheduler_of(health: MachineHealth) -> SchedulerSource | None:
    """The scheduler that gives work to one machine, as `schedulers_of` says."""
    return schedulers_of([health]).get(health.machine_id)


def tells_containers(machine_ids: list[int]) -> set[int]:
    """Those of them whose scheduler knows every container of theirs, and answers: nodes of Kubernetes."""
    rows = SchedulerMachine.objects.filter(
        machine_id__in=machine_ids,
        source__kind=SchedulerSource.Kind.KUBERNETES,
        source__enabled=True,
        source__state=SchedulerSource.State.GOOD,
    )
    return {pk for pk in rows.values_list("machine_id", flat=True) if pk is not None}


def name_at(source: SchedulerSource, machine_name: str) -> str:
    """What the scheduler calls a machine: as told, else our name up to its first dot."""
    return str(source.names.get(machine_name) or machine_name.partition(".")[0])


NOBODY_SAYS = "no scheduler is known to run it, and nobody declared that its pool has none"


def is_scheduled(health: MachineHealth) -> bool:
    return scheduler_of(health) is not None


def has_none(health: MachineHealth) -> bool:
    """Whether no scheduler gives work to it: a person declared that of its pool, and none of the site runs it."""
    return health.pool is not None and health.pool.no_scheduler and not is_scheduled(health)


def wish_drain(health: MachineHealth, reason: str, evidence: dict[str, Any], *, by: str) -> bool:
    """Wish that a machine gets no new jobs; returns False when it is known to have no scheduler. The row is locked.

    The reason begins `rackside:` and names the incident, fault or ticket that `evidence` does. Where nobody knows of a
    scheduler the wish waits for one, or for a person who declares that there is none.
    """
    if has_none(health):
        return False
    text = written_reason(": ".join([*_named(evidence), reason.removeprefix("rackside:").strip()]))
    wish = _locked(health.machine_id) or SchedulerWish(machine_id=health.machine_id)
    if wish.version and wish.want == SchedulerWish.Want.DRAIN and wish.reason == text and wish.status != _THEIRS:
        return True
    wish.want, wish.reason, wish.by = SchedulerWish.Want.DRAIN, text, by[:150]
    _renew(wish)
    return True


def wish_resume(health: MachineHealth, *, by: str) -> None:
    """Wish that jobs start there again, when we wished it drained before. The row is locked."""
    wish = _locked(health.machine_id)
    if wish is None or wish.want == SchedulerWish.Want.RESUME:
        return
    wish.want, wish.by = SchedulerWish.Want.RESUME, by[:150]
    _renew(wish)


def follow_up(machine_id: int, follow: dict[str, Any]) -> None:
    """What a person wants done with a machine as soon as it is drained: {event, reason, actor, ..}; {}: nothing."""
    SchedulerWish.objects.filter(pk=machine_id).update(follow=follow)


def forget_follow_up(machine_id: int) -> dict[str, Any]:
    """Take back what was to be done once the machine is drained; returns it."""
    wish = _locked(machine_id)
    if wish is None or not wish.follow:
        return {}
    follow = dict(wish.follow)
    follow_up(machine_id, {})
    return follow


_THEIRS = SchedulerWish.Status.THEIRS


def _named(evidence: dict[str, Any]) -> list[str]:
    """`incident 12`, `fault 7` or `REP-9`, whichever the evidence of the change names first."""
    for key in ("incident", "fault", "ticket"):
        if evidence.get(key):
            return [f"{key} {evidence[key]}" if key != "ticket" else str(evidence[key])]
    return []


def _locked(machine_id: int) -> SchedulerWish | None:
    return SchedulerWish.objects.select_for_update().filter(pk=machine_id).first()


def _renew(wish: SchedulerWish) -> None:
    """Store a wish to be sent as soon as the change of state is committed."""
    now = timezone.now()
    wish.status, wish.version = SchedulerWish.Status.WAITING, wish.version + 1
    wish.wished_at = wish.next_try_at = now
    wish.tries, wish.error, wish.done_at, wish.idle_since, wish.follow = 0, "", None, None, {}
    wish.save()
    after_commit("health.schedulers.tasks.send_to_scheduler", wish.machine_id)


def send_waiting(pool: Pool) -> None:
    """Look once more at the wishes that wait in a pool: a person declared that no scheduler runs it."""
    waiting = SchedulerWish.objects.filter(machine__health__pool=pool, status=SchedulerWish.Status.WAITING)
    for machine_id in list(waiting.values_list("pk", flat=True)):
        after_commit("health.schedulers.tasks.send_to_scheduler", machine_id)


def on_manual_resume(machine_id: int, *, site_id: int, reason: str, by: str) -> None:
    """Somebody else ended a drain of ours at the scheduler: told to the rooms and rules that listen. Not sent again.

    Emits `scheduler.resumed_by_other {machine, site, reason, by}`; `by` is empty when the scheduler does not say.
    """
    emit(
        "scheduler.resumed_by_other",
        site_id=site_id,
        subject=f"machine:{machine_id}",
        data={"machine": machine_id, "site": site_id, "reason": reason, "by": by},
        actor=by or "scheduler",
    )
