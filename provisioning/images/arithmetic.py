"""How long an image takes to many machines at once, by the links that it crosses; and who lags behind. Pure.

The fluid bounds of Kumar and Ross (Peer-assisted file distribution: the minimum distribution time, 2006). They count
the links alone: unpacking on the machine comes on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Literal

BITS = 8
GIGA = 1e9
Way = Literal["registry", "caches", "peers"]


@dataclass(frozen=True, slots=True)
class Links:
    """`uplinks` times `uplink_gbit` lead from the registry to the machines; each machine and cache has `nic_gbit`."""

    uplinks: int = 4
    uplink_gbit: float = 100.0
    nic_gbit: float = 100.0

    @property
    def trunk_gbit(self) -> float:
        return self.uplinks * self.uplink_gbit


@dataclass(frozen=True, slots=True)
class Estimate:
    """`over_uplinks_bytes` is what crosses the uplinks together, `bound` what is busy all the time."""

    way: Way
    seconds: float
    over_uplinks_bytes: int
    bound: Literal["uplinks", "cache", "machine"]


def estimates(size_bytes: int, machines: int, links: Links, *, caches: int = 0) -> list[Estimate]:
    """From the registry alone, from `caches` pull-through caches (one a row) where there are some, and with peers that
    hand on what they have. Raises ValueError for no machine, or links without a rate."""
    if machines < 1 or size_bytes < 0 or min(links.uplinks, links.uplink_gbit, links.nic_gbit) <= 0 or caches < 0:
        raise ValueError("an estimate needs machines, links with a rate, and a size")
    gigabits = size_bytes * BITS / GIGA
    own = gigabits / links.nic_gbit
    found = [
        _of("registry", size_bytes * machines, {"uplinks": machines * gigabits / links.trunk_gbit, "machine": own})
    ]
    if caches:
        copies = min(caches, machines)
        share = -(-machines // caches)
        times = {"uplinks": copies * gigabits / links.trunk_gbit, "cache": share * own, "machine": own}
        found.append(_of("caches", size_bytes * copies, times))
    rate = links.trunk_gbit + machines * links.nic_gbit
    times = {"uplinks": gigabits / links.trunk_gbit, "machine": max(own, machines * gigabits / rate)}
    found.append(_of("peers", size_bytes, times))
    return found


def _of(way: Way, over_uplinks: int, times: Mapping[str, float]) -> Estimate:
    bound = max(times, key=lambda name: times[name])
    return Estimate(way, times[bound], over_uplinks, bound)  # type: ignore[arg-type]


FEWEST = 3
TIMES_LONGER = 3.0


def laggards(running_s: Mapping[int, float], done_s: Iterable[float]) -> list[int]:
    """Those that take three times as long as the median of those that are done, the longest first. None before three
    are done: nobody knows then what is long."""
    known = list(done_s)
    if len(known) < FEWEST:
        return []
    limit = TIMES_LONGER * max(1.0, median(known))
    return sorted((pk for pk, seconds in running_s.items() if seconds > limit), key=lambda pk: -running_s[pk])
