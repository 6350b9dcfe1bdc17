"""A node of Kubernetes as the facts of a machine. Pure.

A cordon (`spec.unschedulable`) is what a drain is in Slurm: no new pod starts there, those that run go on. It has no
reason of its own, so ours stands in an annotation. An annotation stays when somebody uncordons, and would make his
next cordon look like ours: a cordon counts as ours only where the server also says that this service set it.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from drivers.kubernetes.shapes import (
    GPU,
    MIG,
    Row,
    condition,
    gpus_in,
    part,
    quantity,
    set_by,
    text,
    time_of,
    whole,
)
from drivers.scheduler import REASON_PREFIX, MachineFacts, MachineState, SchedulerError

REASON = "rackside.io/reason"
MANAGER = "rackside"
"""What we call ourselves towards the server (`fieldManager`)."""
LONGEST_NAME = 64
PRESSURES = {"MemoryPressure": "memory_pressure", "DiskPressure": "disk_pressure", "PIDPressure": "pid_pressure",
             "NetworkUnavailable": "network_unavailable"}  # fmt: skip
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


def safe_name(name: str) -> str:
    """A name that means exactly one node. Raises SchedulerError."""
    if not _NAME.fullmatch(name):
        raise SchedulerError(f"{name!r} is no name of one node")
    return name


def called(names: Iterable[str]) -> dict[str, str]:
    """Names of nodes to what the machines are called here: up to the first dot, as in Slurm, where that is one only."""
    names = list(names)
    short = {name: name if _is_address(name) else name.partition(".")[0] for name in names}
    times = Counter(short.values())
    return {name: (short[name] if times[short[name]] == 1 else name)[:LONGEST_NAME] for name in names}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def machine_of(row: Row) -> MachineFacts:
    """One node, without its jobs yet. Raises SchedulerError for one without a name."""
    name = text(part(row, "metadata"), "name")
    if not name:
        raise SchedulerError("a node without a name in the answer")
    ready = text(condition(row, "Ready"), "status")
    closed = part(row, "spec").get("unschedulable") is True
    state = {"True": MachineState.IDLE, "False": MachineState.DOWN, "Unknown": MachineState.DOWN}.get(ready)
    reason, by, at = _cordon(row) if closed else _trouble(row, ready)
    capacity = part(row, "status", "capacity")
    return MachineFacts(
        name,
        state or MachineState.UNKNOWN,
        tuple(_words(row, ready, closed)),
        closed,
        answers=ready in ("True", "False"),
        jobs=None,
        reason=reason,
        reason_by=by,
        reason_at=at,
        cpus=whole(capacity.get("cpu")),
        memory_mb=whole(capacity.get("memory"), 2**20),
        gpus=_gpus(row, capacity),
        by_itself=not closed,
        registered=time_of(part(row, "metadata"), "creationTimestamp"),
    )


def complete(facts: MachineFacts, jobs: int) -> MachineFacts:
    """The same with the jobs that were found there."""
    state = facts.state
    if state is MachineState.UNKNOWN:
        return replace(facts, jobs=jobs or None)
    if state is not MachineState.DOWN:
        state = MachineState.ALLOCATED if jobs else MachineState.DRAINED if facts.closed else MachineState.IDLE
    return replace(facts, state=state, jobs=jobs)


def _cordon(row: Row) -> tuple[str, str, int | None]:
    """Why a node is cordoned, who did it, and when. One without a reason has one in words: it is somebody's decision,
    and never free to be taken over."""
    manager, at = set_by(row, "spec", "unschedulable")
    said = " ".join(text(part(row, "metadata", "annotations"), REASON).split())
    if said.startswith(REASON_PREFIX) and manager != MANAGER:
        said = ""  # left behind by a cordon of ours that somebody lifted
    writer, written = set_by(row, "metadata", "annotations", REASON) if said else ("", None)
    unsaid = f"cordoned with {manager}, no reason given" if manager else "cordoned, no reason given"
    return said[:300] or unsaid, writer or manager, written or at


def _trouble(row: Row, ready: str) -> tuple[str, str, int | None]:
    """What the cluster says of a node that it cannot use, and since when; nobody decided that.

    A message with numbers in it (how long ago something was seen) is another one at each reading.
    """
    if ready == "True":
        return "", "", None
    about = condition(row, "Ready")
    message = text(about, "message")
    steady = "" if any(letter.isdigit() for letter in message) else message
    said = steady or text(about, "reason") or "it never said that it is ready"
    return said[:300], "", time_of(about, "lastTransitionTime")


def _words(row: Row, ready: str, closed: bool) -> Iterable[str]:
    yield {"True": "ready", "False": "not_ready"}.get(ready, "silent" if ready else "unknown")
    if closed:
        yield "cordoned"
    for kind, word in PRESSURES.items():
        if condition(row, kind).get("status") == "True":
            yield word
    if text(part(row, "metadata"), "deletionTimestamp"):
        yield "deleting"


def _gpus(row: Row, capacity: Row) -> int | None:
    """GPUs of the machine. Where they are cut in slices or shared, what counts them is a label that NVIDIA's feature
    discovery sets; without it nobody says."""
    labels = part(row, "metadata", "labels")
    shared = (quantity(labels.get("nvidia.com/gpu.replicas")) or 1) > 1
    cut = any(name.startswith(MIG) and quantity(value) for name, value in capacity.items())
    if cut or shared:
        return whole(labels.get("nvidia.com/gpu.count"))
    return gpus_in(capacity) if GPU in capacity else None
