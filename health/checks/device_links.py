"""Checks of the PCIe link of every device the model names, drives among them, against what both its ends can do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.one_link import data_of, first_of_card, looks_at_link, told_by
from health.checks.parsers.state_files import DeviceLink, StateFiles
from inventory.specs.device_model import Slot

_BOTH_ENDS = "PCI Express Base Specification, link capabilities and status of a device and the port above it"
# The class of a link of each kind of slot; all others have _OTHER.
_CLASSES = {"gpu": "gpu.pcie", "hca": "hca.pcie", "nvme": "nvme.pcie"}
_OTHER = "pcie.narrow"


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
    """As the slot's `pcie` or the model's `nvme_pcie` says; else what drive and slot both can do; else as the other
    drives have it."""
    yield from _drive(slot, found, x)


@looks_at_link("nvme.pcie_link", "nvme")
def _drive_link(slot: Slot, x: Context) -> list[Outcome]:
    found = data_of("state_files", x)
    return list(_drive(slot, found, x)) if found is not None and found.drives is not None else []


def _drive(slot: Slot, found: StateFiles, x: Context) -> Iterator[Outcome]:
    drives = found.drives or {}
    link = _of_drive(slot, found)
    if link is None or link.width is None or link.generation is None:
        yield unknown(f"{slot.text}: its PCIe link is not reported")
        return
    own = slot.pcie.model_dump(exclude_none=True) if slot.pcie else {}
    wanted = {**(x.spec.expected.get("nvme_pcie") or {}), **own}
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
    """By the slot's address; a model without one has the kernel's numbers. Where the output has links of all devices
    and no drives' own, pcie.links tells them."""
    if found.drives is None:
        return None
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
    classes=("gpu.pcie", "hca.pcie", "nvme.pcie", "pcie.narrow"),
    source=f"{_BOTH_ENDS}; an idle GPU may lower its generation, never its width",
    fields=("links",),
)
def links(found: StateFiles, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Fewer lanes than device and port above both have fail; a lower generation warns, as the firmware may ask for it.
    What the model says of a kind of card (`hca_pcie`, `gpu.pcie_width`) goes before. Of what is in no slot of the model
    only drives, cards and accelerators are told. What another check tells of a link is not told again."""
    seen = 0
    placed = set()
    for slot in x.spec.slots:
        link = (found.links or {}).get(slot.pci or "")
        if slot.pci:
            placed.add(slot.pci)
        if not slot.pci or (slot.kind == "nvme" and found.drives is not None):
            continue
        if link is None or link.width is None:
            continue  # that it is not there is told by the check of its kind
        seen += 1
        outcome = _of_slot(slot, link, x)
        if outcome and not told_by(slot, x, before=me.id) and not _told_at_first(slot, link, found, x):
            yield slot.name, outcome
    for address, link in (found.links or {}).items():
        if address not in placed and link.what:
            seen += 1
            if outcome := _below(address, link, _OTHER, strict=False):
                yield MACHINE, outcome
    if not seen and any(slot.pci and slot.kind != "nvme" for slot in x.spec.slots):
        yield MACHINE, unknown("no PCIe link of a device of the model is reported")
    else:
        yield MACHINE, ok(f"{seen} PCIe links" if seen else "the model names no address", value=seen)


@looks_at_link("pcie.links")
def _any_link(slot: Slot, x: Context) -> list[Outcome]:
    found = data_of("state_files", x)
    link = (found.links or {}).get(slot.pci or "") if found is not None else None
    outcome = _of_slot(slot, link, x) if link and link.width is not None else None
    return [outcome] if outcome else []


def _told_at_first(slot: Slot, link: DeviceLink, found: StateFiles, x: Context) -> bool:
    """Whether it is a further port of a card whose first port has the same link."""
    first = first_of_card(slot, x)
    other = (found.links or {}).get(first.pci or "")
    same = other is not None and (other.width, other.generation) == (link.width, link.generation)
    return first != slot and same


def _of_slot(slot: Slot, link: DeviceLink, x: Context) -> Outcome | None:
    layers = (x.spec.expected.get("hca_pcie") or {}) if slot.kind == "hca" else {}
    wanted = layers.get(slot.link_layer) or {}
    width = wanted.get("width") or (x.spec.gpu.pcie_width if slot.kind == "gpu" and x.spec.gpu else None)
    if width and link.width is not None:
        low = link.width < int(width)
        said = f"{slot.text} at {slot.pci}: PCIe x{link.width} of x{width}"
        return fail(said, _CLASSES[slot.kind], value=link.width, excerpt=_shown(link)) if low else None
    return _below(f"{slot.text} at {slot.pci}", link, _CLASSES.get(slot.kind, _OTHER), idle=slot.kind == "gpu")


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
