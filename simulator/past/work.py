"""What ran in the past, and what the fabric said: training runs, links that flap, deliveries. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from simulator.past.story import FirstBoot, Repair

RUNS_A_WEEK = 9
SIZES = (8, 16, 32, 64)
NAMES = ("llm-7b", "llm-13b", "llm-70b", "vision-2b", "speech-1b")
USERS = ("ana", "ben", "chloe", "dmitri")
OTHER_ENDS = (("cuda-oom", 4), ("sigsegv-dataloader", 2), ("nccl-timeout-no-cause", 2), ("user-error", 3))
FLAPPING = 6
FLAP_DAYS = 5


@dataclass(frozen=True)
class Job:
    """A training run that ended. `cause` is None where it completed; `machine` the one that ended it, where known."""

    number: int
    name: str
    user: str
    machines: int
    began: datetime
    ended: datetime
    checkpoint: datetime
    steps: int
    step_s: float
    cause: str | None
    machine: int | None


class Flap(NamedTuple):
    """A port (its place in the list that was given) whose link went down, and up again so many seconds later."""

    port: int
    at: datetime
    down_s: float


class Box(NamedTuple):
    """A delivery: when it came, and which machines were in it."""

    order: str
    at: datetime
    machines: tuple[int, ...]


CAUSES = {"gpu.bus": "gpu-lost", "gpu.gone": "gpu-lost", "gpu.memory": "cuda-ecc", "hca.link": "nccl-net-ib"}
"""How a fault of a machine shows in the logs of the run it ends."""


def jobs(
    repairs: Sequence[Repair], size: int, begin: datetime, now: datetime, known: Sequence[str], seed: int
) -> list[Job]:
    """Runs of a hall of `size` machines: a part of them ended by a fault of the same moment. `known`: causes that
    there are."""
    dice = Random(seed + 1)
    ends = [each for each in repairs if CAUSES.get(each.kind.fault_class) in known and each.drained is not None]
    count = round((now - begin) / timedelta(weeks=1) * RUNS_A_WEEK)
    hurt = dice.sample(ends, min(len(ends), count // 4))
    found = [_job(n, size, each.seen, each.machine, CAUSES[each.kind.fault_class], dice) for n, each in enumerate(hurt)]
    others = [(cause, weight) for cause, weight in OTHER_ENDS if cause in known]
    for n in range(len(found), count):
        ended = begin + (now - begin) * (0.12 + 0.87 * dice.random())
        failed = bool(others) and dice.random() < 0.15
        cause = dice.choices([each for each, _ in others], [weight for _, weight in others])[0] if failed else None
        found.append(_job(n, size, ended, None, cause, dice))
    floor = begin + timedelta(days=8)
    return sorted((job for job in found if job.began > floor), key=lambda job: job.began)


def _job(n: int, size: int, ended: datetime, machine: int | None, cause: str | None, dice: Random) -> Job:
    fits = [each for each in SIZES if each <= max(1, size // 2)] or [1]
    took = timedelta(hours=2 + dice.expovariate(1 / 30))
    step_s = 3.0 + 6 * dice.random()
    saved = ended - min(took, timedelta(minutes=30 * dice.random() + 1))
    return Job(
        n + 1, dice.choice(NAMES), dice.choice(USERS), dice.choice(fits), ended - took, ended, saved,
        int(took.total_seconds() / step_s), step_s, cause, machine,
    )  # fmt: skip


def flaps(ports: int, begin: datetime, now: datetime, seed: int) -> list[Flap]:
    """A few bad links, each restless for some days until somebody cleaned it, and single flaps everywhere."""
    dice = Random(seed + 2)
    if not ports:
        return []
    found = []
    for _ in range(FLAPPING):
        port, since = dice.randrange(ports), begin + (now - begin) * 0.9 * dice.random()
        for _ in range(30 + dice.randrange(60)):
            at = since + timedelta(days=FLAP_DAYS * dice.random())
            found.append(Flap(port, at, 1 + dice.expovariate(1 / 8)))
    for _ in range(200):
        at = begin + (now - begin) * dice.random()
        found.append(Flap(dice.randrange(ports), at, 1 + dice.expovariate(1 / 5)))
    limit = now - timedelta(minutes=30)
    return sorted((each for each in found if each.at < limit), key=lambda each: each.at)


def deliveries(boots: Sequence[FirstBoot], size: int = 128) -> list[Box]:
    """Machines in the order in which they were begun, some hours after their lorry."""
    ordered = sorted(boots, key=lambda each: each.began)
    found = []
    for n in range(0, len(ordered), size):
        part = ordered[n : n + size]
        at = part[0].began - timedelta(hours=6)
        found.append(Box(f"PO-{4100 + n // size}", at, tuple(each.machine for each in part)))
    return found
