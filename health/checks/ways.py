"""Checks of the ways that data takes between GPUs and past the host's memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.ways import Bridge, Peers


@check(
    "gpu.peers",
    family="topology",
    title="GPUs read each other's memory over NVLink",
    part="gpu",
    needs="peers",
    each=False,
    classes=("gpu.fabric",),
    source="nvidia-smi topo -p2p n",
)
def peers(table: Peers, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Every pair says OK. A pair that does not is blamed on the GPU that most such pairs share."""
    model = x.spec.gpu
    slots = {gpu: x.gpu_slot_of(index, len(table.gpus)) for index, gpu in enumerate(table.gpus)}
    bad = {
        frozenset((gpu, other)): row[other]
        for gpu, row in table.links.items()
        for other in table.gpus
        if gpu != other and row.get(other, "OK") != "OK"
    }
    counts = Counter(gpu for pair in bad for gpu in pair)
    for gpu, slot in slots.items():
        row = table.links.get(gpu, {})
        name = slot.name if slot else MACHINE
        pairs = [pair for pair in bad if gpu in pair and _blamed(pair, counts, table) == gpu]
        said = ", ".join(f"{gpu} to {next(iter(pair - {gpu}))} is {bad[pair]}" for pair in pairs)
        if pairs and model and model.gpu_nvlink:
            yield name, fail(f"no GPU peer-to-peer over NVLink: {said}", "gpu.fabric", excerpt=said, value=len(pairs))
        elif pairs:
            yield name, info(f"no GPU peer-to-peer: {said}")
        elif any(other not in row for other in table.gpus):
            yield name, unknown(f"the row of {gpu} is not whole: the output may be cut off")
        elif slot:
            yield name, ok(f"reads the memory of {len(table.gpus) - 1} others", value=0)
    for slot in x.gpu_slots:
        if slot not in slots.values():
            yield slot.name, unknown("the table does not list this GPU")


def _blamed(pair: frozenset[str], counts: Counter[str], table: Peers) -> str:
    """The GPU of the pair that is in more bad pairs; of two as bad the first listed."""
    return max(sorted(pair, key=table.gpus.index), key=lambda gpu: counts[gpu])


@check(
    "pcie.acs",
    family="GDR",
    title="PCIe bridges let cards and GPUs reach each other",
    needs="bridges",
    source="NVIDIA GPUDirect RDMA and NCCL documentation: access control (ACS) is off on bare metal",
)
def access_control(bridges: Sequence[Bridge], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """A bridge with access control on sends what one device beneath it has for another up to the processor and back, at
    a third of the speed. Firmware turns it on with virtualisation; a host of virtual machines needs it."""
    can = [each for each in bridges if each.has_control]
    on = [each.address for each in can if each.redirects]
    silent = [each.address for each in can if each.redirects is None]
    if on:
        shown = "\n".join(on)
        yield warn(
            f"access control (ACS) is on at {len(on)} of {len(bridges)} PCIe bridges: {', '.join(on[:4])}",
            action="Turn off virtualisation (VT-d, SR-IOV) or ACS in the BIOS, or clear ACSCtl at every start.",
            excerpt=shown,
            value=len(on),
        )
    if silent or not can:
        yield unknown(f"access control of {', '.join(silent[:4]) or 'the bridges'} is not reported")
    yield ok(f"off at {len(can)} PCIe bridges", value=0)
