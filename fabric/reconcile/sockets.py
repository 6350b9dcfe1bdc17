"""Which cage and lane a port of a switch is in, from what the switch reports. Pure; the table is `switch_cages.csv`.

The number of ports counts more than the model: a switch whose ports are split has twice as many to a cage. A switch
that neither tells of has no cages here: a wrong cage is worse than a port number.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fabric.facts import DeviceRole, NodeKind, PlannedDevice, Seen
from fabric.reconcile.clean import ports_of
from fabric.reconcile.words import CageOf, Socketing

TABLE = Path(__file__).with_name("switch_cages.csv")


class Row(NamedTuple):
    """Switches with so many ports: lanes to a cage, and a pattern of their models where that says so alone."""

    ports: int
    lanes: int
    model: str
    switches: str


@cache
def table() -> tuple[Row, ...]:
    with TABLE.open(newline="") as file:
        rows = csv.DictReader(file)
        return tuple(Row(int(row["ports"]), int(row["lanes"]), row["model"], row["switches"]) for row in rows)


def lanes_of(ports: int, *models: str) -> int:
    """Ports to a cage; 0 where nothing tells. `ports`: as reported, 0 when not; `models`: what may name one."""
    for row in table():
        if ports == row.ports:
            return row.lanes
    for row in table():
        if row.model and any(re.search(rf"(?<![a-z]){row.model}", model, re.IGNORECASE) for model in models):
            return row.lanes
    return 0


def reported_cages(seen: Seen, names: Mapping[str, str]) -> CageOf:
    """Cages by what each switch of the plan reports, and by its model where it was not seen. `names` as in Naming."""
    guids = {name: guid for guid, name in names.items()}
    known: dict[str, int] = {}

    def cage_of(device: PlannedDevice, port: int) -> Socketing | None:
        lanes = known.get(device.name)
        if lanes is None:
            node = seen.nodes.get(guids.get(device.name, ""))
            told = node is not None and node.kind is NodeKind.SWITCH
            ports, said = (ports_of(seen, node.guid), node.description) if node is not None and told else (0, "")
            switch = told or (node is None and device.role is DeviceRole.SWITCH)
            lanes = known[device.name] = lanes_of(ports, said, device.faceplate) if switch else 0
        return Socketing((port - 1) // lanes + 1, (port - 1) % lanes + 1, lanes) if lanes else None

    return cage_of


def first_of(*ways: CageOf) -> CageOf:
    """What the first of them knows."""

    def cage_of(device: PlannedDevice, port: int) -> Socketing | None:
        return next((socket for way in ways if (socket := way(device, port)) is not None), None)

    return cage_of
