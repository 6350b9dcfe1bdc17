"""Checks of what lies between GPUs, and between GPUs and their network cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from core.counts import counted
from health.checks.context import Context
from health.checks.ib_counters import HOUR_S
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.gpu_plight import lost_gpus
from health.checks.parsers.nvlink import GpuLinkErrors, GpuLinks
from health.checks.parsers.topology import Topology

_UNPLACED = "{0} of {1} GPUs are listed, and without nvidia-smi's query it is not known which"


@check(
    "nvlink.links",
    family="NVLink",
    title="Every NVLink is up at its speed",
    part="gpu",
    needs="nvlinks",
    each=False,
    classes=("nvlink.down",),
    source="device model; nvidia-smi nvlink -s",
)
def links(listed: Sequence[GpuLinks], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """No link is inactive, none is missing, none is slower than the model says."""
    placed: set[str] = set()
    shown = "\n".join(["Listed:", *(f"GPU {gpu.index} {gpu.uuid or ''}".rstrip() for gpu in listed)])
    for gpu in listed:
        slot = x.gpu_slot_of(gpu.index, len(listed), gpu.uuid)
        name = slot.name if slot else MACHINE
        placed.add(name)
        yield name, _links_of(gpu, x, who="" if slot else f"GPU {gpu.index}: ", last=gpu is listed[-1])
    if MACHINE in placed:
        yield MACHINE, fail(_UNPLACED.format(len(listed), len(x.gpu_slots)), "nvlink.down", excerpt=shown)
        return
    unreached = lost_gpus(x.readings["nvlinks"].text)
    lost = x.lost_gpus | {slot.name for address in unreached if (slot := x.gpu_slot_at(address))}
    for slot in x.gpu_slots:
        if slot.name not in placed and x.gpus and slot.name in x.gpu_in and slot.name not in lost:
            yield slot.name, unknown("nvidia-smi lists this GPU, but not its links: the output may be cut off")
        elif slot.name not in placed and unreached and slot.name not in lost:
            yield slot.name, unknown("the tool stopped at another GPU, and reported nothing of this one")
        elif slot.name not in placed:
            yield slot.name, fail(f"no links: {slot.pci or slot.text} is not listed", "nvlink.down", excerpt=shown)


def _links_of(gpu: GpuLinks, x: Context, *, who: str, last: bool) -> Outcome:
    """`last` is the GPU whose lines a cut-off output may lack; `who` names one whose slot is not known."""
    model = x.spec.gpu
    wanted, speed = (model.nvlinks, model.nvlink_gbytes_s) if model else (0, None)
    down = [link for link, each in gpu.speeds.items() if each == 0]
    if gpu.all_inactive or down:
        which = "all links are inactive" if gpu.all_inactive else f"link {', '.join(map(str, down))} inactive"
        shown = "\n".join(f"Link {link}: <inactive>" for link in down)
        return fail(f"{who}{which}", "nvlink.down", excerpt=shown, value=len(down), observed={"links": down})
    unread = [link for link, each in gpu.speeds.items() if each is None]
    if len(gpu.speeds) < wanted:
        said = f"{who}{len(gpu.speeds)} of {wanted} links are listed"
        return unknown(f"{said}, the output may be cut off") if last else fail(said, "nvlink.down")
    if unread or not gpu.speeds:
        return unknown(f"{who}cannot read link {', '.join(map(str, unread)) or 'states'}")
    slow = {link: each for link, each in gpu.speeds.items() if speed and each is not None and each < speed * 0.98}
    if slow:
        shown = ", ".join(f"link {link} at {each:g} GB/s" for link, each in slow.items())
        return warn(f"{who}{shown}, the model has {speed:g}", "nvlink.down")
    return ok(f"{counted(len(gpu.speeds), 'link')} up", value=0)


@check(
    "nvlink.errors",
    family="NVLink",
    title="NVLink error counters",
    part="gpu",
    needs="nvlink_errors",
    each=False,
    source="practice of a published 4,088-GPU cluster: 5 errors on a machine are worth a look",
    classes=("nvlink.error",),
    limits={"nvlink_errors_warn": 5, "nvlink_errors_growth_fail_per_hour": 100},
)
def link_errors(listed: Sequence[GpuLinkErrors], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Beside an earlier look their growth is judged. Their height only where there is none: then it warns."""
    total = sum(sum(gpu.named.values()) for gpu in listed)
    for gpu in listed:
        slot = x.gpu_slot_of(gpu.index, len(listed), gpu.uuid)
        name = slot.name if slot else f"GPU {gpu.index}"
        own = {key: count for key, count in gpu.counters.items() if count}
        shown = ", ".join(f"link {link} {what} {count}" for (link, what), count in own.items())
        grown = _growth(name, gpu, x, me)
        if grown:
            yield name, grown
        elif own and not x.grown(name, gpu.named) and total >= x.limit(me, "nvlink_errors_warn"):
            said = f"{shown} (machine total {total})"
            yield name, warn(said, "nvlink.error", value=sum(own.values()))
        elif not _has_all_counters(gpu, x.spec.gpu.nvlinks if x.spec.gpu else 0):
            yield name, unknown("not all counters can be read")
        else:
            yield name, ok(shown or "no NVLink errors", value=sum(own.values()))


def _growth(part: str, gpu: GpuLinkErrors, x: Context, me: CheckDeclaration) -> Outcome | None:
    """What the counters of one GPU did since the look before: any growth is worth a look, much of it a fault."""
    since = x.grown(part, gpu.named)
    if not since or not any(since[0].values()):
        return None
    grew, elapsed = {name: by for name, by in since[0].items() if by}, since[1]
    shown = ", ".join(f"{name} by {by}" for name, by in grew.items())
    said, more = f"grew in {elapsed / 60:.0f} min: {shown}", {"value": sum(grew.values())}
    if sum(grew.values()) * HOUR_S / elapsed >= x.limit(me, "nvlink_errors_growth_fail_per_hour"):
        return fail(said, "nvlink.error", **more)
    return warn(said, "nvlink.error", **more)


def link_counters_by_part(listed: Sequence[GpuLinkErrors], x: Context) -> dict[str, Mapping[str, int]]:
    """What a later look compares with, by slot: `Earlier.counters`."""
    placed = [(gpu, x.gpu_slot_of(gpu.index, len(listed), gpu.uuid)) for gpu in listed]
    return {slot.name: gpu.named for gpu, slot in placed if slot}


def _has_all_counters(gpu: GpuLinkErrors, links: int) -> bool:
    """Every link of the model is there, with as many counters as the others, all of them numbers."""
    per_link = Counter([link for link, _ in gpu.counters])
    return None not in gpu.counters.values() and len(per_link) >= links and len(set(per_link.values())) == 1


@check(
    "gpu.topology",
    family="topology",
    title="GPUs reach each other and their network card as the model says",
    part="gpu",
    needs="topology",
    each=False,
    classes=("gpu.topology",),
    source="device model; nvidia-smi topo -m",
)
def topology(table: Topology, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A wrong pair is blamed on the GPU that most wrong pairs share; the rail's card must be near."""
    wanted = x.spec.expected.get("topology") or {}
    shown = f"Listed: {', '.join(table.gpus)}"
    slots = {gpu: x.gpu_slot_of(index, len(table.gpus)) for index, gpu in enumerate(table.gpus)}
    unplaced = any(slot is None for slot in slots.values())
    if unplaced:
        yield MACHINE, fail(_UNPLACED.format(len(slots), len(x.gpu_slots)), "gpu.topology", excerpt=shown)
    blamed = _blame(table, wanted.get("gpu_gpu"))
    devices = {device: column for column, device in table.nics.items()}
    for gpu, slot in slots.items():
        if slot is None:
            continue
        row = table.links.get(gpu)
        card = x.spec.rail_hca(slot) if wanted.get("rail_hca") else None
        bad = blamed.get(gpu, [])
        if bad:
            said = ", ".join(f"{gpu} to {other} is {cell or 'not reported'}" for other, cell in bad)
            yield slot.name, fail(f"{said}, the model has {wanted['gpu_gpu']}", "gpu.topology", excerpt=said)
        elif row is None or not row.keys() >= set(table.gpus):
            yield slot.name, unknown(f"the row of {gpu} is not whole: the output may be cut off")
        elif card is None:
            yield slot.name, ok("reaches every GPU as the model says")
        else:
            yield slot.name, _rail(gpu, row, card.device or "", devices, wanted["rail_hca"])
    placed = {slot.name for slot in slots.values() if slot}
    for slot in x.gpu_slots if not unplaced else ():
        if slot.name not in placed and slot.name in x.gpu_in:
            yield slot.name, unknown("nvidia-smi lists this GPU, but the topology does not")
        elif slot.name not in placed:
            yield slot.name, fail(f"{slot.pci or slot.text} is not in the topology", "gpu.topology", excerpt=shown)


def _rail(gpu: str, row: object, device: str, devices: dict[str, str], near: Sequence[str]) -> Outcome:
    """Whether the card of the GPU's rail is as near as the model has it."""
    column = devices.get(device)
    cell = row.get(column) if isinstance(row, dict) and column else None
    if not devices:
        return unknown(f"{gpu}: the legend of network cards is missing, the output may be cut off")
    if column is None:
        listed = f"Listed: {', '.join(devices)}"
        return fail(f"{gpu}: its rail card {device} is not in the topology", "gpu.topology", excerpt=listed)
    if cell is None:
        return unknown(f"{gpu}: the connection to {column} ({device}) is not reported")
    if cell not in near:
        said = f"{gpu} reaches its rail card {column} ({device}) by {cell}, the model has {' or '.join(near)}"
        return fail(said, "gpu.topology", excerpt=f"{gpu} {column} {cell}")
    return ok(f"{device} by {cell}")


def _blame(table: Topology, wanted: str | None) -> dict[str, list[tuple[str, str | None]]]:
    """Wrong pairs by the GPU to blame: the one in most of them, again and again until none is left."""
    bad: dict[tuple[str, str], str | None] = {}
    gpus = set(table.gpus)
    for gpu, row in table.links.items() if wanted else ():
        for other, cell in row.items():
            if cell != wanted and gpu != other and gpu in gpus and other in gpus:
                bad[min((gpu, other), (other, gpu))] = cell
    blamed: dict[str, list[tuple[str, str | None]]] = {}
    while bad:
        counts = Counter(gpu for pair in bad for gpu in pair)
        most = max(counts.values())
        guilty = next(gpu for gpu in table.gpus if counts[gpu] == most)
        pairs = [pair for pair in bad if guilty in pair]
        blamed[guilty] = [(pair[1] if pair[0] == guilty else pair[0], bad.pop(pair)) for pair in pairs]
    return blamed
