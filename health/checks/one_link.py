"""Which check tells that the PCIe link of a part is narrow or slow, so that one link is one finding.

The same link stands in several outputs. The check that knows the part best tells it; those behind it in this order tell
only what none before them does:

    GPU             gpu.pcie (nvidia-smi), pcie.links
    network card    hca.pcie_link, pcie.links, hca.pcie (the kernel's line at start)
    drive           nvme.pcie_link, pcie.slots, pcie.links
    other parts     pcie.slots, pcie.links

The ports of a card share its link: the first of them in the model tells it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from health.checks.context import Context
from health.checks.model import Outcome
from health.checks.verdicts import Verdict
from inventory.specs.device_model import Slot

Look = Callable[[Slot, Context], list[Outcome]]
_LOOKS: dict[str, tuple[tuple[str, ...], Look]] = {}
_ORDER = ("gpu.pcie", "hca.pcie_link", "nvme.pcie_link", "pcie.slots", "pcie.links")
_BAD = (Verdict.FAIL, Verdict.WARN)


def looks_at_link(check: str, *kinds: str) -> Callable[[Look], Look]:
    """Name what a check says of the link in a slot of these kinds (none: of any), for those behind it in the order."""

    def declare(look: Look) -> Look:
        _LOOKS[check] = (kinds, look)
        return look

    return declare


def told_by(slot: Slot, x: Context, *, before: str = "") -> str:
    """The first check that tells trouble of this slot's link, among all or those `before` one; empty if none does."""
    card = dict.fromkeys((slot, first_of_card(slot, x)))
    for check in _ORDER[: _ORDER.index(before)] if before else _ORDER:
        kinds, look = _LOOKS[check]
        if (not kinds or slot.kind in kinds) and any(_is_bad(check, each, look, x) for each in card):
            return check
    return ""


def _is_bad(check: str, slot: Slot, look: Look, x: Context) -> bool:
    return x.once(("link", check, slot.name), lambda: any(each.verdict in _BAD for each in look(slot, x)))


def first_of_card(slot: Slot, x: Context) -> Slot:
    """The first slot of the model on the same PCI device: two ports of a card are two functions of it."""
    if not slot.pci:
        return slot
    firsts: dict[str, Slot] = x.once(first_of_card, lambda: _firsts(x))
    return firsts.get(slot.pci.rpartition(".")[0], slot)


def _firsts(x: Context) -> dict[str, Slot]:
    found: dict[str, Slot] = {}
    for slot in x.spec.slots:
        if slot.pci:
            found.setdefault(slot.pci.rpartition(".")[0], slot)
    return found


def ports_of_card(slot: Slot, x: Context) -> list[Slot]:
    """All slots of the model on the same PCI device, the slot among them."""
    device = (slot.pci or "").rpartition(".")[0]
    return [each for each in x.spec.slots if device and (each.pci or "").rpartition(".")[0] == device] or [slot]


def data_of(name: str, x: Context) -> Any:
    """What was read under this name; None where it was not."""
    reading = x.readings.get(name)
    return reading.data if reading is not None and not reading.trouble else None
