"""How ports are spelled, and which number each spelling means. Pure; the spellings themselves are `port_spellings.csv`.

The number is the subnet manager's. What a spelling counts (column `counts`):
    number    the port itself
    halves    cage and port of a switch with two ports to a cage, as the NDR switches
    quarters  cage, port and half of a port that is split: the subnet manager then counts two numbers for each port of
              the switch, and one that is not split has the first of its two
    split     cage and lane, from 1 or, where the device has a lane 0, from 0
    cages     cage and, where it is split, lane from 1; the device has as many lanes to a cage as any of its names shows

Sources: of NVOS (`sw10p1`, split `sw10p1s1`) NVIDIA's own tests of NVOS on MQM9700 and QM3400, public in copies of
sonic-mgmt (ngts/nvos_tools/Devices/IbDevice.py); of ibdiagnet the head of its net_dump file, "Switch label port
numbering explanation" (2.10: Quantum2 split mode ASIC/Cage/Port/Split, no split mode ASIC/Cage/Port; Quantum split mode
Port/Split); of MLNX-OS its user manual, InfiniBand Interface, Break-Out Cables; of Cumulus Linux its user guide, Switch
Port Attributes. A port of one plane (NVOS: `sw32p1pl2`) is no port that a cable has, and is refused.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("port_spellings.csv")
HALVES = 2


class Row(NamedTuple):
    """One accepted spelling. `reads` is the number of `example` on a device that has no other names."""

    pattern: str
    counts: str
    example: str
    reads: int
    written_by: str


class Spelled(NamedTuple):
    """A port as it was spelled: a number, or a cage and a lane (0: none was told, or the first of those from 0)."""

    counts: str
    number: int = 0
    cage: int = 0
    lane: int = 0
    half: int = 0


@cache
def table() -> tuple[Row, ...]:
    with TABLE.open(newline="") as file:
        return tuple(
            Row(row["pattern"], row["counts"], row["example"], int(row["reads"]), row["written_by"])
            for row in csv.DictReader(file)
        )


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(row.pattern, re.IGNORECASE), row.counts) for row in table())


@lru_cache(maxsize=16384)
def spelled(text: str) -> Spelled | None:
    """What a name of a port says; None for what no row of the table reads."""
    for pattern, counts in _patterns():
        match = pattern.fullmatch(text)
        if match:
            told = {name: int(digits) for name, digits in match.groupdict().items() if digits}
            return None if told.get("cage") == 0 else Spelled(counts, **told)
    return None


@dataclass(frozen=True, slots=True)
class Counting:
    """How the names of one device count: lanes to a cage, whether split lanes begin with 0, whether ports are split in
    two."""

    lanes: int = 1
    from_zero: bool = False
    halved: bool = False

    @classmethod
    def of(cls, names: Iterable[Spelled], *, from_zero: bool | None = None) -> Counting:
        """As all names of a device show together. `from_zero`: what is known of it."""
        names = list(names)
        split = [name.lane for name in names if name.counts == "split"]
        zero = 0 in split if from_zero is None else from_zero
        lanes = [lane + 1 if zero else max(lane, HALVES) for lane in split]
        lanes += [name.lane for name in names if name.counts == "cages" and name.lane]
        return cls(max(lanes, default=1), zero, any(name.counts == "quarters" for name in names))

    def number(self, name: Spelled) -> int:
        if name.counts == "number":
            return name.number
        if name.counts == "quarters":
            return ((name.cage - 1) * HALVES + name.half - 1) * HALVES + name.lane
        if name.counts == "halves":
            port = (name.cage - 1) * HALVES + name.lane
            return (port - 1) * HALVES + 1 if self.halved else port
        lane = name.lane + 1 if name.counts == "split" and self.from_zero else max(name.lane, 1)
        return (name.cage - 1) * self.lanes + lane
