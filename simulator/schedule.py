"""Faults at random times: the same seed gives the same sequence, whatever the clock says."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.faults import CATALOGUE
from simulator.plan import HallPlan

if TYPE_CHECKING:
    from simulator.hall import Hall

log = logging.getLogger("simulator.schedule")


@dataclass(frozen=True)
class Planned:
    """A fault `at_s` seconds after the schedule began."""

    at_s: float
    machine: str
    fault: str
    slot: str


def planned(plan: HallPlan, seed: int, faults_per_hour: float) -> Iterator[Planned]:
    """The endless sequence of a seed: exponential gaps, any installed machine, any fault of the catalogue."""
    rng = random.Random(seed)
    machines = sorted(machine.name for machine in plan.machines if not machine.bare)
    kinds = sorted((kind for kind in CATALOGUE.values() if kind.scheduled), key=lambda kind: kind.name)
    at_s = 0.0
    while machines and faults_per_hour > 0:
        at_s += rng.expovariate(faults_per_hour / 3600)
        name, kind = rng.choice(machines), rng.choice(kinds)
        slots = plan.by_name[name].slots(kind.slot) if kind.slot else ("",)
        if slots:
            yield Planned(at_s, name, kind.name, rng.choice(slots))


async def run(hall: Hall, seed: int, faults_per_hour: float) -> None:
    """Inject the sequence of a seed as time passes."""
    began = asyncio.get_running_loop().time()
    for item in planned(hall.plan, seed, faults_per_hour):
        await asyncio.sleep(max(0.0, began + item.at_s - asyncio.get_running_loop().time()))
        hall.inject(hall.machines[item.machine], item.fault, slot=item.slot)
        log.info("%s: %s %s", item.machine, item.fault, item.slot)
