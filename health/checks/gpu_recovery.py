"""Checks of what a GPU asks for before it works on: a reset, a reboot, its place in the NVLink fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from health.checks.context import Context
from health.checks.gpu_state import flag, not_told
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.gpu_plight import NEEDS_RESET
from health.checks.parsers.gpus import Gpu
from health.checks.xid import recovery_advice

_RECOVERING = "Wait for the fabric manager to finish; check again. If it stays, restart the fabric manager."


@check(
    "gpu.reset",
    family="GPU",
    title="GPU asks for no reset",
    part="gpu",
    needs="gpus",
    classes=("gpu.reset",),
    source="nvidia-smi documentation",
    fields=("reset_required", "drain_and_reset", "recovery_action", "channel_repair", "tpc_repair"),
)
def reset(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The driver says when a GPU cannot go on without a reset, or should be drained and reset; and when a repair of a
    memory channel or a processing cluster waits for the next reset."""
    if gpu.plight == NEEDS_RESET or x.slot_holding(gpu) in x.gpus_to_reset:
        yield fail(f"{gpu.address}: the GPU requires a reset, its fields say", "gpu.reset")
    elif not (gpu.recovery_action and gpu.reset_required is None):  # newer drivers tell the one instead of the other
        yield from not_told(gpu, x, "reset_required")
    if flag(gpu.reset_required):
        yield fail(f"{gpu.address}: reset required", "gpu.reset")
    if flag(gpu.drain_and_reset):
        yield warn(f"{gpu.address}: drain and reset recommended", "gpu.reset")
    yield from _recovery(gpu)
    for what, word in (("memory channel", gpu.channel_repair), ("TPC (processing cluster)", gpu.tpc_repair)):
        if flag(word):
            yield warn(f"{gpu.address}: a {what} repair is pending", "gpu.reset",
                       action="Reset this GPU when the machine is idle: the repair is done then.")  # fmt: skip
    yield ok("no reset required")


def _recovery(gpu: Gpu) -> Iterator[Outcome]:
    word = (gpu.recovery_action or "none").lower()
    if word != "none":
        action, rung = recovery_advice(word)
        yield fail(f"{gpu.address}: recovery action {gpu.recovery_action}", "gpu.reset", action=action, rung=rung)


@check(
    "gpu.fabric",
    family="NVLink",
    title="GPU has joined the NVLink fabric",
    part="gpu",
    needs="gpus",
    classes=("gpu.fabric",),
    source="NVIDIA fabric manager user guide",
    fields=("fabric_state", "fabric_status", "fabric_summary", "fabric_bandwidth", "fabric_unhealthy"),
)
def fabric(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Behind NVSwitches a GPU works with others only after its registration has completed with success, over all of its
    links, and in the clique of the other GPUs of its machine. The health is told by drivers from 570 on."""
    yield from not_told(gpu, x, "fabric_state")
    state, status = gpu.fabric_state, gpu.fabric_status
    if state is not None and state.lower() != "completed":
        yield fail(f"{gpu.address}: fabric state {state}", "gpu.fabric")
    elif state is not None and status is not None and status.lower() != "success":
        yield fail(f"{gpu.address}: fabric status {status}", "gpu.fabric")
    elif state is not None and status is None:
        yield unknown(f"{gpu.address}: fabric status is not reported")
    if "fabric_state" in gpu.not_applicable and (gpu.architecture or "").lower() in ("hopper", "blackwell"):
        yield unknown(f"{gpu.address}: fabric state is N/A")
    yield from _fabric_health(gpu, x)
    yield ok(f"fabric state {state or 'not applicable'}")


def _fabric_health(gpu: Gpu, x: Context) -> Iterator[Outcome]:
    """NVML's fabric health mask, word by word (nvml.h, NVML_GPU_FABRIC_HEALTH_MASK_*)."""
    bad = [
        said
        for said, word, wrong in (
            ("bandwidth is degraded", gpu.fabric_bandwidth, ("degraded",)),
            ("its route is unhealthy", gpu.fabric_unhealthy, ("true", "yes")),
            ("an access timed out and is not recovered", gpu.fabric_timeout, ("true", "yes")),
            ("fabric health is unhealthy", gpu.fabric_summary, ("unhealthy",)),
        )
        if (word or "").lower() in wrong
    ]
    if (gpu.fabric_wrong or "none").lower() not in ("none", "not supported"):
        bad.append(f"incorrect configuration: {gpu.fabric_wrong}")
    if bad:
        yield fail(f"{gpu.address}: {'; '.join(bad)}", "gpu.fabric", excerpt="\n".join(bad))
    if flag(gpu.fabric_recovering):
        yield warn(f"{gpu.address}: a route recovery is in progress", "gpu.fabric", action=_RECOVERING)
    if (gpu.fabric_summary or "").lower() == "limited capacity":
        yield warn(f"{gpu.address}: fabric health is limited capacity", "gpu.fabric", action=_RECOVERING)
    cliques = x.once(_cliques, lambda: _cliques(x))
    if gpu.fabric_clique and cliques[gpu.fabric_clique] * 2 < cliques.total():
        most = cliques.most_common(1)[0][0]
        yield fail(f"{gpu.address}: in fabric clique {gpu.fabric_clique}, the other GPUs are in {most}", "gpu.fabric")


def _cliques(x: Context) -> Counter[str]:
    """How many GPUs are in which clique: GPUs of two cliques do not reach each other."""
    return Counter(gpu.fabric_clique for gpu in x.gpu_in.values() if gpu.fabric_clique)
