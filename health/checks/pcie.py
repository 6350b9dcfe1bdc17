"""Checks of the ways between the parts of a machine: PCIe links and switches, and GPU-direct over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core.counts import counted
from health.checks.card_kinds import is_needed, kind_of, said_of
from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.one_link import data_of, first_of_card, looks_at_link, ports_of_card, told_by
from health.checks.parsers.hardware import Modules, PciDevice
from health.checks.parsers.pci_links import PciLink
from health.checks.probes.cards import drive_number
from health.checks.verdicts import Verdict
from inventory.specs.device_model import Slot

_PEERMEM = frozenset({"nvidia_peermem", "nv_peer_mem"})
_BRIDGE = "0604"


@check(
    "hca.pcie_link",
    family="PCIe",
    title="PCIe link of each network card",
    part="hca",
    needs="pci_links",
    classes=("hca.pcie",),
    source="device model; the cards of one kind beside each other (a slot may offer less than a card could use)",
)
def card_link(slot: Slot, links: Mapping[str, PciLink], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """As wide and fast as the slot's `pcie`, the model's `hca_pcie` (by kind of card) or the other cards of its kind. A
    link layer in `hca_pcie` asks no more of a card than it can do. The ports of one card share a link, told once."""
    yield from _of_card(slot, links, x)


@looks_at_link("hca.pcie_link", "hca")
def _card_link(slot: Slot, x: Context) -> list[Outcome]:
    links = data_of("pci_links", x)
    return list(_of_card(slot, links, x)) if links else []


def _of_card(slot: Slot, links: Mapping[str, PciLink], x: Context) -> Iterator[Outcome]:
    first = first_of_card(slot, x)
    link = links.get((slot.pci or "").lower())
    if link is None or link.width is None or link.generation is None:
        yield unknown(f"{slot.pci or slot.text}: its PCIe link is not reported")
        return
    if first != slot and links.get((first.pci or "").lower()) == link:
        yield ok(f"the link of the card is reported at {first.text}")
        return
    kind = kind_of(slot, x)
    kin = x.once((card_link, kind), lambda: _kin(kind, links, x))
    wanted = _wanted(slot, link, x)
    at_best = link.width == link.width_max and link.generation == link.generation_max
    if not wanted and not at_best and any(each.width is None or each.generation is None for each in kin):
        yield unknown(f"{slot.pci}: the links of the other cards of its kind are not reported, nothing to compare with")
    shown = f"{slot.device or slot.text} at {slot.pci}: x{link.width}, generation {link.generation}"
    say = fail if any(is_needed(port) for port in ports_of_card(slot, x)) else warn
    for what, found, others, told in (
        ("width x", link.width, [each.width for each in kin], wanted.get("width")),
        ("generation ", link.generation, [each.generation for each in kin], wanted.get("gen")),
    ):
        usual = told or _most(others)
        if usual and found < int(usual):
            yield say(f"{slot.device} at {slot.pci}: PCIe {what}{found} of {usual}", "hca.pcie", value=found)
    yield ok(shown)


def _wanted(slot: Slot, link: PciLink, x: Context) -> dict[str, int]:
    """Lanes (`width`) and generation (`gen`) that the model wants of the card in a slot."""
    if slot.pcie:
        return slot.pcie.model_dump(exclude_none=True)
    told = {name: int(value) for name, value in (said_of(slot, "hca_pcie", x) or {}).items() if value}
    if slot.link_layer not in (x.spec.expected.get("hca_pcie") or {}):
        return told
    most = {"width": link.width_max, "gen": link.generation_max}
    return {name: min(value, most.get(name) or value) for name, value in told.items()}


def _kin(kind: tuple[str | None, bool], links: Mapping[str, PciLink], x: Context) -> list[PciLink]:
    """The links of all cards of one kind."""
    cards = [slot for slot in x.spec.slots_of("hca") if kind_of(slot, x) == kind]
    return [links.get((card.pci or "").lower(), PciLink()) for card in cards]


def _most(values: Sequence[int | None]) -> int | None:
    """What most have; of several as common the highest."""
    counts = Counter(value for value in values if value)
    return max(counts, key=lambda value: (counts[value], value)) if counts else None


@check(
    "pcie.slots",
    family="PCIe",
    title="PCIe link of each drive and NVSwitch the model names",
    needs="pci_links",
    each=False,
    classes=("pcie.narrow", "nvme.pcie"),
    source="device model: `pcie` of a slot that is neither a GPU's nor a network card's",
)
def slot_links(links: Mapping[str, PciLink], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """As wide and fast as the slot's `pcie` says. A drive with half of its lanes works, at half of its speed; a drive
    whose link nvme.pcie_link tells is left to that."""
    named = {slot: _key(slot) for slot in x.spec.slots if _is_named(slot)}
    for slot, key in named.items():
        link = links.get(key)
        if link is None or link.width is None or link.generation is None:
            yield slot.name, unknown(f"{key}: its PCIe link is not reported")
        elif (told := told_by(slot, x, before=me.id)) and _slot_link(slot, link).verdict is Verdict.FAIL:
            yield slot.name, ok(f"its link is reported by {told}")
        else:
            yield slot.name, _slot_link(slot, link)
    yield MACHINE, ok(f"{counted(len(named), 'link is', 'links are')} named by the model")


def _is_named(slot: Slot) -> bool:
    return bool(slot.pcie and slot.kind not in ("gpu", "hca") and _key(slot))


@looks_at_link("pcie.slots")
def _named_link(slot: Slot, x: Context) -> list[Outcome]:
    link = (data_of("pci_links", x) or {}).get(_key(slot)) if _is_named(slot) else None
    return [_slot_link(slot, link)] if link else []


def _key(slot: Slot) -> str:
    """What the link of a slot is listed by: its PCI address, or the name of the drive (nvme3)."""
    number = drive_number(slot.name) if slot.kind == "nvme" else None
    return slot.pci.lower() if slot.pci else f"nvme{number}" if number is not None else ""


def _slot_link(slot: Slot, link: PciLink) -> Outcome:
    wanted = slot.pcie.model_dump(exclude_none=True) if slot.pcie else {}
    pairs = (("width x", link.width, wanted.get("width")), ("generation ", link.generation, wanted.get("gen")))
    bad = [f"PCIe {what}{found} of {told}" for what, found, told in pairs if found and told and found < told]
    if bad:
        said = f"{slot.text} at {_key(slot)}: {', '.join(bad)}"
        fault_class = "nvme.pcie" if slot.kind == "nvme" else "pcie.narrow"
        return fail(said, fault_class, value=link.width, excerpt=said)
    return ok(f"x{link.width}, generation {link.generation}")


@check(
    "psb.switches",
    family="PSB",
    title="Every PCIe switch is there and answers",
    needs="pci",
    classes=("pcie.switch",),
    source="device model; lspci shows revision ff for what does not answer",
)
def switches(devices: Sequence[PciDevice], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The ports of the model's `pcie_switches` ({id, ports}); each one gone takes GPUs, cards or drives with it."""
    bridges = [each for each in devices if each.class_code == _BRIDGE or "bridge" in each.kind.lower()]
    dead = [each for each in bridges if each.revision == "ff"]
    if dead:
        shown = "\n".join(f"{each.address} {each.text}" for each in dead)
        yield fail(f"PCIe bridge at {', '.join(each.address for each in dead)} does not answer", "pcie.switch",
                   excerpt=shown, value=len(dead))  # fmt: skip
    for wanted in x.spec.expected.get("pcie_switches") or ():
        found = [each for each in devices if f"{each.vendor_id}:{each.device_id}" == str(wanted["id"]).lower()]
        said = f"{len(found)} of {wanted['ports']} ports of PCIe switches {wanted['id']}"
        if len(found) < int(wanted["ports"]) and not any(each.vendor_id for each in devices):
            yield unknown("lspci reports no codes: run it with -nn")
        elif len(found) < int(wanted["ports"]):
            shown = "\n".join(["Listed:", *(each.address for each in found)])
            yield fail(said, "pcie.switch", excerpt=shown, value=len(found))
    if not bridges:
        yield unknown("no PCIe bridge is listed: the output may be cut off")
    yield ok(f"{len(bridges)} PCIe bridges answer", value=len(bridges))


@check(
    "pcie.devices",
    family="PCIe",
    title="GPUs and network cards answer on PCIe",
    needs="pci",
    each=False,
    classes=("gpu.bus", "hca.gone"),
    source="device model; lspci shows revision ff for what does not answer",
)
def on_the_bus(devices: Sequence[PciDevice], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """What lspci lists with revision ff has left the bus; what it does not list at all is told by its own check."""
    by_address = {each.address.lower(): each for each in devices}
    seen = 0
    for slot in (*x.gpu_slots, *x.spec.slots_of("hca")):
        device = by_address.get((slot.pci or "").lower())
        if device is not None and device.revision == "ff":
            said = f"{slot.pci} is listed, but does not answer (revision ff)"
            yield slot.name, fail(said, "gpu.bus" if slot.kind == "gpu" else "hca.gone", excerpt=device.text)
        elif device is not None:
            seen += 1
    listed = ok(f"{seen} GPUs and network cards answer", value=seen)
    yield MACHINE, listed if seen else unknown("no GPU or network card is listed at an address of the model")


@check(
    "gdr.module",
    family="GDR",
    title="GPU-direct: network cards reach GPU memory",
    needs="modules",
    source="NVIDIA GPUDirect RDMA documentation",
)
def gpu_direct(modules: Modules, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """nvidia_peermem is loaded, or the model says `gpu_direct: dma-buf` and driver and card modules are. Without it
    data between machines goes through the host's memory, at a third of the speed."""
    way = x.spec.expected.get("gpu_direct") or "peermem"
    found = sorted(_PEERMEM & modules.names)
    needed = {"nvidia", "mlx5_ib"}
    if way == "none":
        yield info("this model does without GPU-direct")
    elif found:
        yield ok(f"{found[0]} is loaded")
    elif not modules.complete:
        yield unknown("the list of modules is not whole")
    elif way == "dma-buf" and needed <= modules.names:
        yield ok("over dma-buf: nvidia and mlx5_ib are loaded")
    elif way == "dma-buf":
        lost = ", ".join(sorted(needed - modules.names))
        yield warn(f"not loaded: {lost}", "gdr.off", action="Load the modules; read the kernel log when they refuse.")
    else:
        yield warn("nvidia_peermem is not loaded", "gdr.off")
