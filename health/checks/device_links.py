"""Checks of the PCIe link of every device the model names, drives among them, against what both its ends can do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.parsers.state_files import DeviceLink, StateFiles
from inventory.spec import Slot

_BOTH_ENDS = "PCI Express Base Specification, link capabilities and status of a device and the port above it"
# The class of a link of each kind of slot; what is in no such slot is a board's or the vendor's.
_CLASSES = {"gpu": "gpu.pcie", "hca": "hca.pcie", "nvme": "nvme.pcie"}


@check(
    "nvme.pcie_link",
    family="PCIe",
    title="PCIe link of each NVMe drive",
    part="nvme",
    needs="state_files",
    classes=("nvme.pcie",),
    source=_BOTH_ENDS,
    fields=("drives",),
)
def drive_link(slot: Slot, found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As the model's `nvme_pcie` says; else what drive and slot both can do; else as the other drives have it."""
    drives = found.drives or {}
    link = _of_drive(slot, found)
    if link is None or link.width is None or link.generation is None:
        yield unknown(f"{slot.text}: its PCIe link is not told")
        return
    wanted = x.spec.expected.get("nvme_pcie") or {}
    kin = x.once(drive_link, lambda: (_most(each.width for each in drives.values()),
                                      _most(each.generation for each in drives.values())))  # fmt: skip
    who = f"drive at {link.address}" if link.address else slot.text
    for what, now, told, able, usual in (
        ("width x", link.width, wanted.get("width"), link.possible_width, kin[0]),
        ("generation ", link.generation, wanted.get("gen"), link.possible_generation, kin[1]),
    ):
        most = told or able or usual
        if most and now < int(most):
            yield fail(f"{who}: PCIe {what}{now} of {most}", "nvme.pcie", value=now, excerpt=_shown(link))
    yield ok(f"{who}: x{link.width}, generation {link.generation}")


def _of_drive(slot: Slot, found: StateFiles) -> DeviceLink | None:
    """By the slot's address; a model without one has the kernel's numbers."""
    if slot.pci:
        every = [*(found.drives or {}).values(), *(found.links or {}).values()]
        return next((link for link in every if link.address == slot.pci), None)
    last = slot.name.split()[-1]
    return (found.drives or {}).get(int(last)) if last.isdecimal() else None


def _most(values: Any) -> int | None:
    """What most have; of several as common the highest."""
    counts = Counter(value for value in values if value)
    return max(counts, key=lambda value: (counts[value], value)) if counts else None


@check(
    "pcie.links",
    family="PCIe",
    title="Every device has the PCIe link that both its ends can do",
    needs="state_files",
    each=False,
    classes=("gpu.pcie", "hca.pcie", "nvme.pcie", "pcie.error"),
    source=f"{_BOTH_ENDS}; an idle GPU may lower its generation, never its width",
    fields=("links",),
)
def links(found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Fewer lanes than device and port above both have fail; a lower generation warns, as the firmware may ask for it.
    What the model says of a kind of card (`hca_pcie`, `gpu.pcie_width`) goes before. Of what is in no slot of the model
    only drives, cards and accelerators are told."""
    seen = 0
    placed = set()
    for slot in x.spec.slots:
        link = (found.links or {}).get(slot.pci or "")
        if not slot.pci or (slot.kind == "nvme" and found.drives is not None):
            continue
        placed.add(slot.pci)
        if link is None or link.width is None:
            continue  # that it is not there is told by the check of its kind
        seen += 1
        outcome = _of_slot(slot, link, x)
        if outcome:
            yield slot.name, outcome
    for address, link in (found.links or {}).items():
        if address not in placed and link.what:
            seen += 1
            if outcome := _below(address, link, "pcie.error", strict=False):
                yield MACHINE, outcome
    if not seen and any(slot.pci and slot.kind != "nvme" for slot in x.spec.slots):
        yield MACHINE, unknown("no PCIe link of a device of the model is told")
    else:
        yield MACHINE, ok(f"{seen} PCIe links" if seen else "the model names no address", value=seen)


def _of_slot(slot: Slot, link: DeviceLink, x: Context) -> Outcome | None:
    layers = (x.spec.expected.get("hca_pcie") or {}) if slot.kind == "hca" else {}
    wanted = layers.get(slot.link_layer) or {}
    width = wanted.get("width") or (x.spec.gpu.pcie_width if slot.kind == "gpu" and x.spec.gpu else None)
    if width and link.width is not None:
        low = link.width < int(width)
        said = f"{slot.text} at {slot.pci}: PCIe x{link.width} of x{width}"
        return fail(said, _CLASSES[slot.kind], value=link.width, excerpt=_shown(link)) if low else None
    return _below(f"{slot.text} at {slot.pci}", link, _CLASSES.get(slot.kind, "pcie.error"), idle=slot.kind == "gpu")


def _below(who: str, link: DeviceLink, fault_class: str, *, idle: bool = False, strict: bool = True) -> Outcome | None:
    """Less than both ends can do. `idle`: a lower generation says nothing; `strict`: fewer lanes fail."""
    width, generation = link.possible_width, link.possible_generation
    name = f" ({link.what})" if link.what else ""
    if width and link.width and link.width < width:
        said = f"{who}{name}: PCIe x{link.width}, both ends can do x{width}"
        say = fail if strict else warn
        return say(said, fault_class, value=link.width, excerpt=_shown(link))
    if generation and link.generation and link.generation < generation and not idle:
        said = f"{who}{name}: PCIe generation {link.generation}, both ends can do {generation}"
        if not strict:
            return info(said, value=link.generation, excerpt=_shown(link))
        return warn(said, fault_class, value=link.generation, excerpt=_shown(link))
    return None


def _shown(link: DeviceLink) -> str:
    return "\n".join(
        f"{what}: x{width}, generation {generation}"
        for what, width, generation in (
            ("now", link.width, link.generation),
            ("device, at most", link.width_max, link.generation_max),
            ("port above, at most", link.width_above, link.generation_above),
        )
        if width or generation
    )
