"""What happened to one machine, in lanes on one axis of time: verdicts, states, actions, tickets, firmware, jobs.

Rooms above and other parts of this one register a lane of their own by name; each gives items, the newest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from health.insights.lemons import CAUSED_BY_MACHINE, CAUSED_BY_PROGRAM
from health.insights.queries.drift import fact_changes
from health.machines.models.machines import LifecycleChange
from health.monitoring.models.faults import Fault, Verification
from health.monitoring.models.verdicts import Transition
from health.remediation.models import RemediationAction
from health.schedulers.models import SchedulerJob
from inventory.models import Installation
from inventory.queries import slot_texts_of

LANES = ("verdicts", "states", "actions", "tickets", "firmware", "jobs")
MOST = 500
"""Items of a lane; beyond them `more` says so."""
Item = dict[str, Any]
Provider = Callable[[int, datetime, datetime, int], list[Item]]
_providers: dict[str, Provider] = {}


def register_lane(lane: str, provider: Provider) -> None:
    """Let another room fill a lane: (machine, from, to, how many at most) to its newest items. Once, at start."""
    if lane not in LANES:
        raise ValueError(f"no lane {lane}")
    _providers[lane] = provider


def item(
    at: datetime | None, kind: str, title: str, *, until: datetime | None = None, detail: str = "", link: str = ""
) -> Item:
    """One thing that happened; `until` None: at one moment, or it still lasts."""
    return {"at": at, "until": until, "kind": kind, "title": title, "detail": detail, "link": link}


def timeline(machine_id: int, since: datetime, until: datetime) -> dict[str, Any]:
    """Every lane of one machine between two times, the newest items first. Eleven queries and those of other rooms."""
    named = slot_texts_of(machine_id)
    lanes: dict[str, Callable[[], Iterable[Item]]] = {
        "verdicts": lambda: [*_verdicts(machine_id, since, until, named), *_faults(machine_id, since, until, named)],
        "states": lambda: _states(machine_id, since, until),
        "actions": lambda: [*_actions(machine_id, since, until), *_verifications(machine_id, since, until)],
        "firmware": lambda: [*_facts(machine_id, since, until), *_parts(machine_id, since, until, named)],
        "jobs": lambda: _jobs(machine_id, since, until),
    }
    answer = []
    for lane in LANES:
        items = list(lanes[lane]()) if lane in lanes else []
        if lane in _providers:
            items += _providers[lane](machine_id, since, until, MOST + 1)
        items.sort(key=lambda each: each["at"], reverse=True)
        answer.append({"lane": lane, "items": items[:MOST], "more": len(items) > MOST})
    return {"from": since, "to": until, "lanes": answer}


def _verdicts(machine_id: int, since: datetime, until: datetime, named: Mapping[str, str]) -> Iterable[Item]:
    rows = Transition.objects.filter(machine_id=machine_id, at__gte=since, at__lt=until).order_by("-at")
    fields = ("at", "check_id", "part", "from_verdict", "to_verdict", "message")
    for at, check, part, before, after, message in rows.values_list(*fields)[: MOST + 1]:
        yield item(
            at,
            after,
            f"{check} of {named.get(part, part)}: {before} to {after}",
            detail=message,
            link=f"/checks/catalogue/{check}",
        )


def _faults(machine_id: int, since: datetime, until: datetime, named: Mapping[str, str]) -> Iterable[Item]:
    rows = Fault.objects.filter(machine_id=machine_id, confirmed_at__lt=until, led_by=None)
    rows = rows.filter(Q(cleared_at=None) | Q(cleared_at__gte=since)).order_by("-confirmed_at")
    for fault in rows[: MOST + 1]:
        yield item(
            fault.confirmed_at,
            "failed",
            f"fault {fault.fault_class} of {named.get(fault.slot, fault.slot)}",
            until=fault.cleared_at,
            detail=fault.message,
        )


def _states(machine_id: int, since: datetime, until: datetime) -> list[Item]:
    """Changes of state, each until the next; the one that lasted when the time begins is among them."""
    rows = LifecycleChange.objects.filter(machine_id=machine_id)
    fields = ("at", "transition__to_state", "actor", "reason")
    inside = list(rows.filter(at__gte=since, at__lt=until).order_by("-at", "-id").values_list(*fields)[: MOST + 1])
    before = rows.filter(at__lt=since).order_by("-at", "-id").values_list(*fields).first()
    after = rows.filter(at__gte=until).order_by("at", "id").values_list("at", flat=True).first()
    items, ended = [], after
    for at, state, actor, reason in [*inside, *([before] if before else [])]:
        items.append(item(at, state, state, until=ended, detail=f"{actor}: {reason}"))
        ended = at
    return items


def _actions(machine_id: int, since: datetime, until: datetime) -> Iterable[Item]:
    rows = RemediationAction.objects.filter(machine_id=machine_id, planned_at__lt=until)
    rows = rows.filter(Q(finished_at=None) | Q(finished_at__gte=since)).order_by("-planned_at")
    for action in rows[: MOST + 1]:
        yield item(
            action.sent_at or action.planned_at,
            action.state,
            f"{action.remedy.replace('_', ' ')} ({action.state})",
            until=action.finished_at,
            detail=action.result or action.refused_reason or action.reason,
        )


def _verifications(machine_id: int, since: datetime, until: datetime) -> Iterable[Item]:
    rows = Verification.objects.filter(machine_id=machine_id, requested_at__lt=until)
    rows = rows.filter(Q(finished_at=None) | Q(finished_at__gte=since)).order_by("-requested_at")
    kinds = {"passed": "ok", "failed": "fail"}
    for one in rows.defer("results")[: MOST + 1]:
        yield item(
            one.requested_at,
            kinds.get(one.status, "verifying"),
            f"verification {one.status}",
            until=one.finished_at,
            detail=f"asked by {one.owner}. {one.reason}".strip(),
        )


def _facts(machine_id: int, since: datetime, until: datetime) -> Iterable[Item]:
    for change in fact_changes(machine_id, since, until)[: MOST + 1]:
        title = f"{change['title']}: {change['before'] or 'nothing'} to {change['after'] or 'nothing'}"
        yield item(change["at"], "version", title)


def _parts(machine_id: int, since: datetime, until: datetime, named: Mapping[str, str]) -> Iterable[Item]:
    """Parts that went in or out in this time."""
    rows = Installation.objects.filter(device_id=machine_id).select_related("component").order_by("-during")
    moved = rows.filter(
        Q(during__startswith__gte=since, during__startswith__lt=until)
        | Q(during__endswith__gte=since, during__endswith__lt=until)
    )
    for row in moved[: MOST + 1]:
        part = f"{row.component.kind} {row.component.serial or 'of unknown serial'}"
        by = f"by {row.by}" if row.by else ""
        if row.during.lower is not None and since <= row.during.lower < until:
            yield item(row.during.lower, "part", f"{part} went into {named.get(row.slot, row.slot)}", detail=by)
        if row.during.upper is not None and since <= row.during.upper < until:
            yield item(row.during.upper, "part", f"{part} came out of {named.get(row.slot, row.slot)}", detail=by)


_JOB_KINDS = {
    **dict.fromkeys((*CAUSED_BY_MACHINE, *CAUSED_BY_PROGRAM), "failed"), "completed": "ok", "unknown": "unknown",
}  # fmt: skip


def _jobs(machine_id: int, since: datetime, until: datetime) -> Iterable[Item]:
    """Runs of jobs on this machine, by id: whose they were is not kept."""
    rows = SchedulerJob.objects.filter(machine_ids__contains=[machine_id], started_at__lt=until)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=since)).order_by("-started_at")
    for job in rows[: MOST + 1]:
        running = job.ended_at is None
        yield item(
            job.started_at,
            "running" if running else _JOB_KINDS.get(job.state, "cancelled"),
            f"job {job.job_id}: {_JOB_WORDS.get(job.state) or job.state.replace('_', ' ')}",
            until=job.ended_at,
            detail=", ".join(_about(job)),
        )


_JOB_WORDS = {
    "node_fail": "its machine failed",
    "boot_fail": "its machine did not boot",
    "launch_failed": "it could not be started",
    "unknown": "its end was not seen",
}


def _about(job: SchedulerJob) -> Iterable[str]:
    yield "alone here" if job.machine_count == 1 else f"{job.machine_count} machines"
    if job.exit_status:
        yield f"exit status {job.exit_status}"
    if job.signal:
        yield f"signal {job.signal}"
    if job.why:
        yield job.why
    if job.partition:
        yield f"partition {job.partition}"
    if job.account:
        yield f"account {job.account}"
