"""The active checks in one table: what each does, how long it takes, what it needs, and which checks judge it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Needs = Literal["machine", "pair", "group"]
Range = tuple[float, float, float]
"""The usual value, the least and the most."""


@dataclass(frozen=True)
class ActiveKind:
    """One kind of test. `level` as DCGM counts: 1 is seconds, 4 is hours. `minutes` is what it usually takes.

    A test whose `checks` gave no finding gave no result, whatever its exit status.
    """

    id: str
    title: str
    what: str
    level: int
    minutes: float
    needs: Needs
    checks: tuple[str, ...]
    part: str
    source: str
    options: Mapping[str, Range] = field(default_factory=dict, hash=False)
    switches: Mapping[str, bool] = field(default_factory=dict, hash=False)


DIAGNOSTIC_MINUTES = {1: 1.0, 2: 3.0, 3: 30.0, 4: 120.0}
BURN_IN = "burn_in"
KINDS: tuple[ActiveKind, ...] = (
    ActiveKind(
        "diagnostic", "DCGM diagnostic", "dcgmi diag of the level asked for, on all GPUs", 2, 3, "machine",
        ("gpu.diagnostic",), "gpu", "NVIDIA DCGM documentation", {"level": (2, 1, 4)},
    ),
    ActiveKind(
        "stress", "GPU stress with comparison",
        "The same matrix products on every GPU; who gets another result computes wrong", 3, 5, "machine",
        ("gpu.stress",), "gpu", "practice of a published 4,088-GPU cluster", {"seconds": (300, 10, 7200)},
    ),
    ActiveKind(
        "copies", "PCIe and NVLink bandwidth", "nvbandwidth: memory to GPU, GPU to memory, GPU to GPU", 2, 2, "machine",
        ("pcie.bandwidth", "nvlink.bandwidth"), "gpu", "NVIDIA nvbandwidth; limits of a cloud's H100 machines",
    ),
    ActiveKind(
        "all_reduce", "All-reduce in the machine", "all_reduce_perf over all GPUs of one machine", 2, 2, "machine",
        ("nvlink.allreduce",), "machine", "NVIDIA nccl-tests; limits of two clouds' H100 machines",
    ),
    ActiveKind(
        "training", "Training on one machine",
        "A small transformer with DistributedDataParallel: speed, loss, the same weights on all ranks", 3, 3, "machine",
        ("machine.training",), "machine", "torch; share of the expected speed as a cloud's preflight has it",
        {"steps": (30, 4, 1000)},
    ),
    ActiveKind(
        "pairs", "InfiniBand between pairs",
        "ib_write_bw both ways and ib_write_lat on every rail; failing pairs are taken apart until the link is named",
        2, 2, "pair", ("ib.bandwidth", "ib.latency"), "hca", "practice of a published 4,088-GPU cluster; perftest",
        {"seconds": (10, 2, 600), "port": (18515, 1024, 60000)}, {"gpu_direct": True, "latency": True},
    ),
    ActiveKind(
        "groups", "All-reduce over groups",
        "All-reduce over groups of machines, halved until the bad machine or switch is named", 3, 4, "group",
        ("nvlink.allreduce", "nvlink.allreduce_latency"), "machine",
        "NVIDIA nccl-tests; limits of two clouds' H100 machines", {}, {"whole": False},
    ),
)  # fmt: skip
BY_ID: Mapping[str, ActiveKind] = {kind.id: kind for kind in KINDS}
SINGLE = tuple(kind.id for kind in KINDS if kind.needs == "machine")
USUAL_BURN_IN = ("diagnostic", "stress", "copies", "all_reduce")


class OptionsRefused(ValueError):
    """An option that there is not, or out of its range; the message says which."""


def options_of(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a run. Raises OptionsRefused."""
    if kind == BURN_IN:
        return _of_burn_in(given)
    known = BY_ID.get(kind)
    if known is None:
        raise OptionsRefused(f"There is no active check {kind}.")
    if lost := sorted(set(given) - set(known.options) - set(known.switches)):
        raise OptionsRefused(f"{known.title} has no option {lost[0]}.")
    found: dict[str, Any] = {name: int(usual) for name, (usual, _, _) in known.options.items()} | dict(known.switches)
    for name, value in given.items():
        if name in known.switches:
            if not isinstance(value, bool):
                raise OptionsRefused(f"{name} is true or false.")
        else:
            _, low, high = known.options[name]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise OptionsRefused(f"{name} is a whole number from {low:g} to {high:g}.")
        found[name] = value
    return found


def _of_burn_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """`kinds`, and the options of each under its name."""
    kinds = given.get("kinds", list(USUAL_BURN_IN))
    if not isinstance(kinds, list) or not kinds or len(set(map(str, kinds))) != len(kinds):
        raise OptionsRefused("kinds is a list of kinds, each once.")
    if lost := [str(each) for each in kinds if each not in SINGLE]:
        raise OptionsRefused(f"{lost[0]} cannot be part of a burn-in: {', '.join(SINGLE)} can.")
    if strange := sorted(set(given) - {"kinds", *kinds}):
        raise OptionsRefused(f"A burn-in has no option {strange[0]}.")
    for each in kinds:
        if not isinstance(given.get(each, {}), dict):
            raise OptionsRefused(f"The options of {each} are an object.")
    return {"kinds": kinds} | {each: options_of(each, given.get(each, {})) for each in kinds}


def kinds_of(kind: str, options: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The tests of a run in their order, each with its options."""
    if kind == BURN_IN:
        return [(each, dict(options[each])) for each in options["kinds"]]
    return [(kind, dict(options))]


def minutes_of(kind: str, options: Mapping[str, Any]) -> float:
    """What one test usually takes."""
    if kind == "diagnostic":
        return DIAGNOSTIC_MINUTES[int(options["level"])]
    if kind == "stress":
        return int(options["seconds"]) / 60 + 1
    if kind == "pairs":
        return 2 * int(options["seconds"]) / 60 + 1
    return BY_ID[kind].minutes


def limit_s(kind: str, options: Mapping[str, Any]) -> int:
    """Seconds after which a test is stopped: three times what it takes, and two minutes at least."""
    return int(max(120.0, 180.0 * minutes_of(kind, options)))
