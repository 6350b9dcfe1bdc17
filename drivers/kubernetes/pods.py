"""A pod as what is kept of it: whose, where, how many GPUs, since when, how it ended. Pure.

The server sends pods whole. What is not named here (commands, environment, volumes, secrets) is dropped with the page
that it came in. States are told in the words that this service knows from Slurm, `why` in those of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from drivers.kubernetes.owners import Group, group_of, is_resident, queue_of
from drivers.kubernetes.shapes import Row, condition, first, gpus_in, number, part, rows, text, time_of
from drivers.scheduler import SchedulerError

ENDED = frozenset({"completed", "failed", "cancelled", "timeout", "preempted", "node_fail", "out_of_memory",
                   "launch_failed"})  # fmt: skip
SIGNALS = range(129, 193)
"""Exit codes of a program that a signal ended: 128 and its number."""
CONTAINER_ID = 12
"""Letters of a container's id by which a sweep knows it."""
# `status.reason` of a pod that failed: written by the kubelet and by the controllers of nodes.
BY_REASON = {
    "DeadlineExceeded": "timeout",
    "NodeLost": "node_fail",
    "NodeShutdown": "node_fail",
    "Shutdown": "node_fail",
    "Terminated": "node_fail",
    "UnexpectedAdmissionError": "launch_failed",
}
# Reasons of the condition DisruptionTarget: who ended a pod that did not end by itself.
PREEMPTED = "PreemptionByScheduler"
NODE_GONE = ("DeletionByTaintManager", "DeletionByPodGC")
EVICTED = "EvictionByEvictionAPI"


class End(NamedTuple):
    """How a pod ended, or will end."""

    state: str
    why: str = ""
    exit_status: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class Pod:
    """Times in seconds since 1970. `end` None: it waits or runs; `over`: its containers have ended.

    `end` of a pod that is not over yet: somebody told it to go, and when is `ended`. `node` is empty while it waits.
    `began` is when it was given its node: of many pods the first such time stays the first, while their kubelets tell
    later, and in any order, that they `started`. `trouble` is why a container of it does not run.
    """

    group: Group
    namespace: str
    node: str
    gpus: int
    created: int
    began: int
    started: bool
    ended: int | None
    over: bool
    end: End | None = None
    trouble: str = ""
    queue: str = ""
    user: str = ""
    priority_class: str = ""
    priority: int | None = None
    time_limit_s: int | None = None
    containers: tuple[str, ...] = ()


def pod_of(row: Row, answers: Callable[[str], bool], now: float, *, user_label: str = "") -> Pod | None:
    """One pod; None for one that is part of its node. Raises SchedulerError for one without an id.

    `answers`: whether the kubelet of a node is heard. Where it is not, a pod that was to be gone by now is over: the
    cluster gave it up, as Slurm gives up the jobs of a node that is down.
    """
    metadata, spec, status = part(row, "metadata"), part(row, "spec"), part(row, "status")
    if not text(metadata, "uid"):
        raise SchedulerError("a pod without an id in the answer")
    if is_resident(metadata):
        return None
    node, phase = text(spec, "nodeName"), text(status, "phase")
    lost = bool(node) and not answers(node)
    gone_at = time_of(metadata, "deletionTimestamp")
    told_at = None if gone_at is None else max(0, gone_at - (number(metadata, "deletionGracePeriodSeconds") or 0))
    over = phase in ("Succeeded", "Failed") or (gone_at is not None and (not node or (lost and gone_at <= now)))
    end = _end(row, phase, lost, told_at)
    created, started = time_of(metadata, "creationTimestamp") or 0, time_of(status, "startTime")
    return Pod(
        group_of(metadata),
        text(metadata, "namespace"),
        node,
        gpus_of(spec),
        created,
        _bound(row) or started or created,
        started is not None,
        _ended(row, told_at, started) if end is not None else None,
        over,
        end,
        "" if over else _trouble(row),
        queue_of(metadata),
        text(part(metadata, "labels"), user_label) if user_label else "",
        text(spec, "priorityClassName"),
        number(spec, "priority"),
        time_limit_of(spec),
        tuple(_containers(row)),
    )


def _bound(row: Row) -> int | None:
    placed = condition(row, "PodScheduled")
    return time_of(placed, "lastTransitionTime") if placed.get("status") == "True" else None


def gpus_of(spec: Row) -> int:
    """What it was given: the sum of its containers, or what one needs that prepares it, where that is more. Containers
    that prepare and go on running (`restartPolicy: Always`) count among the others."""
    before = rows(spec, "initContainers")
    beside = [each for each in before if text(each, "restartPolicy") == "Always"]
    wanted = [_wanted(each) for each in [*rows(spec, "containers"), *beside]]
    return max([sum(wanted), *(_wanted(each) for each in before if each not in beside)])


def time_limit_of(spec: Row) -> int | None:
    limit = number(spec, "activeDeadlineSeconds", 2**53)
    return limit if limit is not None and limit > 0 else None


def _wanted(container: Row) -> int:
    """GPUs cannot be shared out beyond what there is, so the limit is the request."""
    resources = part(container, "resources")
    return gpus_in(part(resources, "limits")) or gpus_in(part(resources, "requests"))


# ---- ends ----


def _statuses(row: Row) -> list[Row]:
    return [*rows(row, "status", "initContainerStatuses"), *rows(row, "status", "containerStatuses")]


def _terminated(row: Row) -> list[Row]:
    """What is told of the ends of its containers, the first to end first."""
    ends = [part(each, "state", "terminated") for each in _statuses(row)]
    return sorted((each for each in ends if each), key=lambda each: time_of(each, "finishedAt") or 0)


def _end(row: Row, phase: str, lost: bool, told_at: int | None) -> End | None:
    """How it ended, or how it will that was told to go. What ended it comes before how its program took that."""
    if phase == "Succeeded":
        return End("completed", exit_status=0)
    said = text(part(row, "status"), "reason")
    target = condition(row, "DisruptionTarget")
    by = text(target, "reason") if target.get("status") == "True" else ""
    ends = _terminated(row)
    failing = next((each for each in ends if number(each, "exitCode")), {})
    status, signal = _exit(failing)
    if phase == "Failed" and said in BY_REASON:
        return End(BY_REASON[said], said, status, signal)
    if phase == "Failed" and any(text(each, "reason") == "OOMKilled" for each in ends):
        return End("out_of_memory", "OOMKilled", status, signal)
    if by == PREEMPTED:
        return End("preempted", by, status, signal)
    if by in NODE_GONE:
        return End("node_fail" if lost else "cancelled", by, status, signal)
    if by == EVICTED:
        return End("cancelled", by, status, signal)
    if told_at is not None and (phase != "Failed" or (time_of(failing, "finishedAt") or told_at) >= told_at):
        return End("cancelled", "Deleted", status, signal)
    if phase == "Failed":
        return End("failed", first((said, text(failing, "reason"), by)), status, signal)
    return None


def _exit(terminated: Row) -> tuple[int | None, int | None]:
    """Exit status and signal, in Slurm's way: 137 is 0 and signal 9."""
    code, signal = number(terminated, "exitCode"), number(terminated, "signal", 255)
    if signal is not None and signal > 0:
        return 0, signal
    if code is not None and code in SIGNALS:
        return 0, code - 128
    return (code if code is None or 0 <= code < 32_768 else None), None


def _ended(row: Row, told_at: int | None, started: int | None) -> int | None:
    """When its last container ended; of one whose containers tell nothing when its conditions last changed."""
    ends = [time_of(each, "finishedAt") for each in _terminated(row)]
    changes = [time_of(each, "lastTransitionTime") for each in rows(row, "status", "conditions")]
    for times in (ends, [told_at], changes, [started]):
        if known := [at for at in times if at is not None]:
            return max(known)
    return None


def _trouble(row: Row) -> str:
    """Why it does not start (Unschedulable), or a container of it does not run (ImagePullBackOff)."""
    placed = condition(row, "PodScheduled")
    if placed.get("status") == "False":
        return text(placed, "reason")
    return first([text(part(each, "state", "waiting"), "reason") for each in _statuses(row)])


def _containers(row: Row) -> Iterable[str]:
    """Ids of its containers, as long as a sweep tells them: `containerd://3f2a..` is the 3f2a.. of a process."""
    for each in rows(row, "status", "containerStatuses"):
        if id := text(each, "containerID").rpartition("//")[2][:CONTAINER_ID]:
            yield id
