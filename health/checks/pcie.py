"""Checks of the ways between the parts of a machine: PCIe links and switches, and GPU-direct over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.parsers.hardware import Modules, PciDevice
from health.parsers.pci_links import PciLink
from inventory.spec import Slot

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
    """As wide and fast as the model's `hca_pcie` (by link layer) or as the other cards of its kind have it."""
    link = links.get((slot.pci or "").lower())
    if link is None or link.width is None or link.generation is None:
        yield unknown(f"{slot.pci or slot.name}: its PCIe link is not told")
        return
    kin = x.once((card_link, slot.link_layer), lambda: _kin(slot.link_layer, links, x))
    wanted = (x.spec.expected.get("hca_pcie") or {}).get(slot.link_layer) or {}
    if not wanted and any(each.width is None or each.generation is None for each in kin):
        yield unknown(f"{slot.pci}: the links of the other cards of its kind are not told, nothing to compare with")
    shown = f"{slot.device or slot.name} at {slot.pci}: x{link.width}, generation {link.generation}"
    say = fail if slot.rail is not None else warn
    for what, found, others, told in (
        ("width x", link.width, [each.width for each in kin], wanted.get("width")),
        ("generation ", link.generation, [each.generation for each in kin], wanted.get("gen")),
    ):
        usual = told or _most(others)
        if usual and found < int(usual):
            yield say(f"{slot.device} at {slot.pci}: PCIe {what}{found} of {usual}", "hca.pcie", value=found)
    yield ok(shown)


def _kin(layer: str | None, links: Mapping[str, PciLink], x: Context) -> list[PciLink]:
    """The links of all cards of one kind."""
    cards = [slot for slot in x.spec.slots_of("hca") if slot.link_layer == layer]
    return [links.get((card.pci or "").lower(), PciLink()) for card in cards]


def _most(values: Sequence[int | None]) -> int | None:
    """What most have; of several as common the highest."""
    counts = Counter(value for value in values if value)
    return max(counts, key=lambda value: (counts[value], value)) if counts else None


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
            yield unknown("lspci tells no codes: run it with -nn")
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
