"""Rows as the queries give them, for tests without a database."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from inventory.papers.cables import CableRow, Plug, Socket
from inventory.papers.devices import DeviceRow

PLAIN: dict[str, Any] = {
    "id": 12, "name": "hgx-a17-03", "kind": "machine", "status": "active", "serial": "SN1", "asset_tag": "",
    "site": "north", "site_name": "North", "room": "Hall 1", "row": "A", "row_position": 1, "rack": "A17",
    "rack_x_mm": 600, "half_u": 33, "half_u_end": 45, "side": "", "face": "both", "bay": "", "model": "hgx-h100",
    "model_name": "HGX H100", "vendor": "Example", "gpu_count": 8, "gpu_type": "NVIDIA H100", "role": "compute",
    "primary_ip": "10.0.0.12", "bmc_ip": "10.1.0.12", "boot_mac": "", "fabric": "", "tier": "", "node_guid": "",
    "tags": [], "custom": {}, "rails": [],
}  # fmt: skip


def device(**fields: Any) -> DeviceRow:
    return DeviceRow(**{**PLAIN, **fields})


def switch(**fields: Any) -> DeviceRow:
    plain = {"kind": "switch", "role": "", "primary_ip": "", "bmc_ip": "", "fabric": "infiniband", "tier": "leaf"}
    return device(**{"id": 90, "name": "leaf-1", "rack": "N01", "model": "qm9700", **plain, **fields})


def plug(side: str, number: int, at: DeviceRow | None, *ports: str, cage: int | None = None) -> Plug:
    lanes = [None] if len(ports) == 1 else range(1, len(ports) + 1)
    sockets = tuple(Socket(at.id, port, cage, lane) for port, lane in zip(ports, lanes, strict=True) if at is not None)
    return Plug(side, number, sockets, at)


def cable(label: str, a: tuple[Plug, ...], b: tuple[Plug, ...], **fields: Any) -> CableRow:
    plain: dict[str, Any] = {
        "id": 7, "type": "MPO-12 OS2", "status": "planned", "length_m": Decimal("15.00"), "colour": "yellow",
        "vendor": "", "part_number": "", "bundle": "", "site": "north",
    }  # fmt: skip
    return CableRow(label=label, a=a, b=b, **{**plain, **fields})
