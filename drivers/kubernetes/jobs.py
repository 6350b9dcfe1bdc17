"""Pods put together to jobs, with the attempts of each, and counted on their nodes. Pure.

An attempt ends when all its pods have ended; what starts after that, where one of them failed, is the next one. So a
gang that starts anew is another run of the job, as a requeued job is in Slurm, and pods of a Job that do its parts one
after the other are one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from drivers.kubernetes.owners import Group, group_of, queue_of
from drivers.kubernetes.pods import End, Pod, gpus_of, time_limit_of
from drivers.kubernetes.shapes import MOST_GPUS, Row, first, number, part, rows, text, time_of
from drivers.scheduler import Asked, Job, SchedulerError

DEADLINE = "DeadlineExceeded"
CANCELLED = "cancelled"


class Outline(NamedTuple):
    """A batch/v1 Job without its pods. `late`: since when it is over its time, in seconds since 1970."""

    group: Group
    namespace: str
    gpus: int
    created: int
    waits: bool
    why: str
    queue: str
    user: str
    priority_class: str
    time_limit_s: int | None
    late: int | None


@dataclass
class _Parts:
    pods: list[Pod] = field(default_factory=list)
    outlines: list[Outline] = field(default_factory=list)

    @property
    def all(self) -> list[Pod | Outline]:
        return [*self.pods, *self.outlines]

    @property
    def gpus(self) -> bool:
        return any(each.gpus for each in self.all)

    @property
    def is_job(self) -> bool:
        return any(each.group.is_job for each in self.all)


def outline_of(row: Row, *, user_label: str = "") -> Outline:
    """One Job of batch/v1. Raises SchedulerError for one without an id."""
    metadata, spec, status = part(row, "metadata"), part(row, "spec"), part(row, "status")
    template = part(spec, "template", "spec")
    labels = {**part(spec, "template", "metadata", "labels"), **part(metadata, "labels")}
    whole = {**metadata, "labels": labels}
    if not text(metadata, "uid"):
        raise SchedulerError("a Job without an id in the answer")
    conditions = {
        text(each, "type"): each for each in rows(row, "status", "conditions") if each.get("status") == "True"
    }
    over = conditions.keys() & {"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"}
    late = next((each for each in conditions.values() if each.get("reason") == DEADLINE), {})
    suspended = spec.get("suspend") is True
    side_by_side = number(spec, "parallelism")
    return Outline(
        group_of(whole)._replace(is_job=True),
        text(metadata, "namespace"),
        min(gpus_of(template) * (1 if side_by_side is None else max(0, side_by_side)), MOST_GPUS),
        time_of(metadata, "creationTimestamp") or 0,
        not over and (suspended or not number(status, "active")),
        "Suspended" if suspended else "",
        queue_of(whole),
        text(labels, user_label) if user_label else "",
        text(template, "priorityClassName"),
        time_limit_of(spec),
        (time_of(late, "lastTransitionTime") or time_of(metadata, "creationTimestamp")) if late else None,
    )


def jobs_of(
    pods: Iterable[Pod], outlines: Iterable[Outline], names: Mapping[str, str], *, since: float = 0
) -> tuple[Job, ...]:
    """All jobs with GPUs, and those without that were given a node. `names`: what each node is called here. What ended
    before `since` is left out: some clusters keep pods that ended for months."""
    groups: dict[str, _Parts] = defaultdict(_Parts)
    for pod in pods:
        groups[pod.group.key].pods.append(pod)
    for outline in outlines:
        groups[outline.group.key].outlines.append(outline)
    found: list[Job] = []
    for parts in groups.values():
        found += _jobs(parts, names)
    return tuple(job for job in found if job.ended is None or job.ended >= since)


def _jobs(parts: _Parts, names: Mapping[str, str]) -> Iterable[Job]:
    if not parts.gpus and not parts.is_job:
        return []
    tries = attempts(parts.pods)
    runs = [_run(parts, tried, nth, names, newest=tried is tries[-1]) for nth, tried in enumerate(tries)]
    if not parts.gpus:
        return runs
    waiting = [pod for pod in parts.pods if not pod.node and not pod.over]
    held = [each for each in parts.outlines if each.waits]
    if (waiting or held) and not any(run.running for run in runs):
        runs.append(_waiting(parts, waiting, held, len(tries)))
    return runs


def attempts(pods: Iterable[Pod]) -> list[list[Pod]]:
    """The pods that were given a node, in the attempts of their job, the first first."""
    found: list[list[Pod]] = []
    for pod in sorted((pod for pod in pods if pod.node), key=lambda pod: pod.began):
        if not found or _follows(pod, found[-1]):
            found.append([])
        found[-1].append(pod)
    return found


def _follows(pod: Pod, tried: Sequence[Pod]) -> bool:
    ends = [each.end for each in tried]
    if None in ends or all(end is not None and end.state == "completed" for end in ends):
        return False
    return pod.began > max(each.ended or each.began for each in tried)


def _run(parts: _Parts, pods: Sequence[Pod], nth: int, names: Mapping[str, str], *, newest: bool) -> Job:
    """One attempt. It runs while one of its pods was not told to go, and has the nodes of those; later of all."""
    going = [pod for pod in pods if pod.end is None]
    late = max((each.late for each in parts.outlines if each.late is not None), default=None) if newest else None
    if late is not None:
        end: End | None = End("timeout", DEADLINE)
    else:
        end = None if going else _end_of(pods)
    there = going or pods
    started = any(pod.started for pod in going)
    ended = None if end is None else (late or max(pod.ended or pod.began for pod in pods))
    return Job(
        there[0].group.id,
        end.state if end is not None else "running" if started else "configuring",
        end is None,
        frozenset(names.get(pod.node, pod.node) for pod in there),
        min(pod.began for pod in pods),
        ended,
        end.exit_status if end is not None else None,
        end.signal if end is not None else None,
        end.why if end is not None else first([pod.trouble for pod in there]),
        restarts=nth,
        gpus=_gpus(there),
        containers=frozenset(id for pod in there for id in pod.containers),
        **_told(parts, pods),
    )


def _end_of(pods: Sequence[Pod]) -> End:
    """How an attempt ended: as the first of its pods that ended badly; those that were only cleared away come last."""
    bad = [pod for pod in pods if pod.end is not None and pod.end.state != "completed"]
    if not bad:
        return End("completed", exit_status=0)
    worst = min(bad, key=lambda pod: (pod.end is not None and pod.end.state == CANCELLED, pod.ended or pod.began))
    assert worst.end is not None
    return worst.end


def _waiting(parts: _Parts, pods: Sequence[Pod], held: Sequence[Outline], tries: int) -> Job:
    about: list[Pod | Outline] = [*pods, *held]
    return Job(
        about[0].group.id,
        "pending",
        False,
        frozenset(),
        why=first([*(pod.trouble for pod in pods), *(each.why for each in held)]),
        restarts=tries,
        gpus=_gpus(pods) or _gpus(held),
        **_told(parts, pods or parts.pods),
    )


def _gpus(parts: Iterable[Pod | Outline]) -> int:
    return min(sum(each.gpus for each in parts), MOST_GPUS)


def _told(parts: _Parts, pods: Sequence[Pod]) -> dict[str, Any]:
    """What is the same for all attempts: whose, called what, which queue, how urgent, how long it may take."""
    about: list[Pod | Outline] = [*pods, *parts.outlines]
    limits = [each.time_limit_s for each in about if each.time_limit_s is not None]
    return {
        "partition": first([each.queue for each in about]),
        "account": about[0].namespace,
        "label": f"{about[0].namespace}/{about[0].group.name}",
        "asked": Asked(
            about[0].group.name,
            first([each.user for each in about]),
            first([each.priority_class for each in about]),
            priority=max((max(pod.priority, 0) for pod in pods if pod.priority is not None), default=None),
            submitted=min(each.created for each in about) or None,
            time_limit_s=min(limits, default=None),
        ),
    }


def count(pods: Sequence[Pod], names: Mapping[str, str]) -> dict[str, int]:
    """Jobs on each node: those with GPUs, and what nothing would start anew elsewhere. A pod that was told to go counts
    until its containers have ended."""
    with_gpus = {pod.group.key for pod in pods if pod.gpus}
    there: dict[str, set[str]] = defaultdict(set)
    for pod in pods:
        if pod.node and not pod.over and (pod.group.is_job or pod.group.key in with_gpus):
            there[names.get(pod.node, pod.node)].add(pod.group.key)
    return {name: len(keys) for name, keys in there.items()}
