"""Which kind of card sits in a slot, and what the model says of that kind: limits belong to a kind or a slot.

A link layer is no kind: a RoCE host has ConnectX-7 rails and a ConnectX-6 Dx front card, all of them Ethernet, and each
has its own firmware and PCIe generation. Sources: the PCI device id is the number in `CA type` (pci.ids, vendor 15b3);
the first number of a firmware version is its family (NVIDIA firmware release notes of each adapter).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.context import Context
from health.checks.parsers.infiniband import IbReport
from inventory.specs.device_model import Slot


@dataclass(frozen=True)
class CardKind:
    """`type` is ibstat's CA type, `family` the first number of its firmware versions."""

    type: str
    family: str
    name: str


KINDS = tuple(
    CardKind(*row)
    for row in (
        ("MT4115", "12", "ConnectX-4"),
        ("MT4117", "14", "ConnectX-4 Lx"),
        ("MT4119", "16", "ConnectX-5"),
        ("MT4121", "16", "ConnectX-5 Ex"),
        ("MT4123", "20", "ConnectX-6"),
        ("MT4125", "22", "ConnectX-6 Dx"),
        ("MT4127", "26", "ConnectX-6 Lx"),
        ("MT4129", "28", "ConnectX-7"),
        ("MT4131", "40", "ConnectX-8"),
        ("MT41682", "18", "BlueField"),
        ("MT41686", "24", "BlueField-2"),
        ("MT41692", "32", "BlueField-3"),
    )
)
_BY_TYPE = {kind.type: kind for kind in KINDS}


def is_needed(slot: Slot) -> bool:
    """Whether the port of this card must be up: as the slot says, else what carries a rail or speaks InfiniBand."""
    if slot.required is not None:
        return slot.required
    return slot.link_layer == "InfiniBand" or slot.rail is not None


def type_of(slot: Slot, x: Context) -> str | None:
    """The CA type of the card in a slot, where ibstat was read."""
    reading = x.readings.get("infiniband")
    report = reading.data if reading and isinstance(reading.data, IbReport) else None
    device = report.device(slot.device or "") if report else None
    return device.type if device else None


def kind_of(slot: Slot, x: Context) -> tuple[str | None, bool]:
    """What a card is compared with its like by: its type, or where that is not told its link layer and whether it
    carries a rail."""
    found = type_of(slot, x)
    return (found, False) if found else (slot.link_layer, slot.rail is not None)


def said_of(slot: Slot, key: str, x: Context, *, firmware: str | None = None) -> Any:
    """What the model's `expected` says under `key` of the card in this slot: by the slot's name, its type or kind, at
    last by link layer. A firmware version is no version of a card of another family."""
    told: Mapping[str, Any] = x.spec.expected.get(key) or {}
    type_ = type_of(slot, x)
    kind = _BY_TYPE.get(type_ or "")
    for name in (slot.name, type_, kind.name if kind else None):
        if name and name in told:
            return told[name]
    by_layer = told.get(slot.link_layer or "")
    if firmware is not None and by_layer is not None and family(firmware) != family(str(by_layer)):
        return None
    return by_layer


def family(version: str) -> str:
    """28 of 28.39.1002."""
    return version.partition(".")[0]
