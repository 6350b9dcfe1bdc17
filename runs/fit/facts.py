"""What is known of a machine before a run starts on it. Pure values, gathered by `runs.fit.queries`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from health.monitoring.images.states import Held
from runs.machines.spares import Standing, above


class Rail(NamedTuple):
    """A rail's port: `leaf` is the switch at its far end, empty where the cable is not known; `carries` is the rail of
    most cables of that leaf, None where there is no majority."""

    number: int
    leaf: str
    carries: int | None


class LinkState(NamedTuple):
    """A link of the machine as the fabric's discovery and counters say. `wiring` is that of `FabricLink`, `quality`
    that of `LinkQuality`; empty: not known."""

    port: str
    wiring: str
    quality: str
    reason: str = ""


class BurnIn(NamedTuple):
    """The last burn-in that ended with a result."""

    at: datetime
    passed: bool
    message: str = ""


@dataclass(frozen=True)
class Facts:
    """One machine. `cells` are the letters of the check matrix by check (o ok, i info, w warn, f fail, u unknown, . not
    applicable), `said` the words of those that are not ok."""

    id: int
    name: str
    model: str
    gpus: int = 0
    cell: str = "off"
    state: str = "ready"
    reachability: str = "reachable"
    worst: str = "ok"
    failing: str = ""
    """What its first failing check says."""
    allocation: str = "idle"
    ticket: str = ""
    golden: bool = True
    versions: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    rails: tuple[Rail, ...] = ()
    links: tuple[LinkState, ...] = ()
    burn_in: BurnIn | None = None
    bad_at_launch: str = ""
    """What the launch check on this very set said against it; empty: nothing."""
    image: Held | None = None
    """What it has of the image that must be there; None: nobody reads its images, or no image was asked for."""
    engaged: bool = False
    """A live run has it, or it was named for one."""


@dataclass(frozen=True)
class Floor:
    """What is known of the fabric above the machines: the spines of each leaf."""

    spines: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def standing(self, machine: Facts) -> Standing:
        leaves = {rail.number: rail.leaf for rail in machine.rails if rail.leaf}
        return Standing(
            machine.id, machine.name, leaves, above(leaves.values(), self.spines), machine.golden, model=machine.model
        )

    def leaf(self, machine: Facts) -> str:
        return self.standing(machine).leaf
