"""The nodes and cables a virtual fabric begins with. Plain values, no Django; `from_inventory.py` reads the fleet.

A GUID is 16 hex digits; that of an Ethernet port or switch is its MAC with zeros before it. Ports count from 1.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from simulator.plan import PlanError

SPEEDS_GBPS = {40: "QDR", 56: "FDR", 100: "EDR", 200: "HDR", 400: "NDR", 800: "XDR"}
"""What a port of four lanes is called by the speed that it is bought for."""
LANES_GBPS = {
    "SDR": "2.5", "DDR": "5.0", "QDR": "10.0", "FDR": "14.0625", "EDR": "25.78125", "HDR": "53.125",
    "NDR": "106.25", "XDR": "212.5",
}  # fmt: skip


class End(NamedTuple):
    """A port: GUID of its node and number."""

    guid: str
    port: int

    @property
    def name(self) -> str:
        return f"{self.guid}_{self.port}"


@dataclass(frozen=True)
class NodePlan:
    """A switch, or one adapter of a machine. `group` is the device it is part of, `slot` and `device` are an HCA's."""

    guid: str
    kind: Literal["switch", "ca"]
    name: str
    ports: int
    group: str
    layer: Literal["infiniband", "ethernet"] = "infiniband"
    slot: str = ""
    device: str = ""
    model: str = ""
    serial: str = ""
    tier: str = ""
    speed_gbps: int = 400
    lanes_a_cage: int = 1
    height_u: float = 0.0
    port_guid: str = ""

    @property
    def mac(self) -> str:
        digits = self.guid[-12:]
        return ":".join(digits[at : at + 2] for at in range(0, 12, 2))

    @property
    def speed(self) -> str:
        return SPEEDS_GBPS.get(self.speed_gbps, "NDR")

    def label(self, port: int) -> str:
        """What stands at the port: `1/3/1` on a switch of two ports a cage, else the number."""
        if self.kind == "switch" and self.lanes_a_cage > 1:
            return f"1/{(port - 1) // self.lanes_a_cage + 1}/{(port - 1) % self.lanes_a_cage + 1}"
        return str(port)

    def guid_of_port(self) -> str:
        """ConnectX-6 and newer: the adapter's own."""
        return self.port_guid or self.guid


@dataclass(frozen=True)
class CablePlan:
    label: str
    a: End
    b: End
    length_m: float = 5.0
    type: str = "fibre"
    serials: tuple[str, str] = ("", "")

    @property
    def is_fibre(self) -> bool:
        """Its plugs are optics of their own, each with a serial; a DAC or AOC has one for both ends."""
        return not any(word in self.type.lower() for word in ("dac", "aoc", "copper"))


@dataclass(frozen=True)
class FabricPlan:
    nodes: tuple[NodePlan, ...]
    cables: tuple[CablePlan, ...]

    @cached_property
    def by_guid(self) -> dict[str, NodePlan]:
        return {node.guid: node for node in self.nodes}

    @cached_property
    def lids(self) -> dict[str, int]:
        """The LID a subnet manager would give each node, the same every time."""
        return {node.guid: at for at, node in enumerate(self.of_layer("infiniband"), start=1)}

    def of_layer(self, layer: str) -> Iterator[NodePlan]:
        return (node for node in self.nodes if node.layer == layer)

    def dump(self, path: Path) -> None:
        document = {"nodes": [asdict(n) for n in self.nodes], "cables": [asdict(c) for c in self.cables]}
        path.write_text(json.dumps(document, indent=1))

    @classmethod
    def load(cls, path: Path) -> FabricPlan:
        """Read what `dump` wrote. Raises PlanError."""
        try:
            document = json.loads(path.read_text())
            cables = [
                CablePlan(**{**row, "a": End(*row["a"]), "b": End(*row["b"]), "serials": tuple(row["serials"])})
                for row in document["cables"]
            ]
            return cls(tuple(NodePlan(**row) for row in document["nodes"]), tuple(cables))
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise PlanError(f"{path}: not a plan of a fabric ({error})") from error


def made_guid(*words: str, vendor: str = "946dae") -> str:
    """A GUID of a vendor's range, the same for the same words."""
    return f"{vendor}03{zlib.crc32('/'.join(words).encode()):08x}"
