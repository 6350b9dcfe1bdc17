"""Counters of GPUs, judged by how they grew since the look before; and what a GPU retired, or was set to, for good."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.context import Context
from health.checks.gpu_state import flag, not_told
from health.checks.ib_counters import HOUR_S
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.gpus import Gpu

CORRECTED, REPLAYS = "corrected memory errors", "PCIe replays"
_WATCH = "Watch this GPU; run the extended diagnostic when the machine is idle."


def corrected(gpu: Gpu) -> int | None:
    """Corrected memory errors since the driver was loaded; None when they are not told in full."""
    if gpu.volatile_correctable_total is not None:
        return gpu.volatile_correctable_total
    if gpu.volatile_sram_correctable is None or gpu.volatile_dram_correctable is None:
        return None
    return gpu.volatile_sram_correctable + gpu.volatile_dram_correctable


def gpu_counters(gpu: Gpu) -> dict[str, int]:
    """What a later look compares with."""
    told = {CORRECTED: corrected(gpu), REPLAYS: gpu.pcie_replays}
    return {name: count for name, count in told.items() if count is not None}


def _judged(
    gpu: Gpu, name: str, x: Context, limit: float, fault_class: str | None = None, action: str = ""
) -> Iterator[Outcome]:
    """Growth an hour since the look before; `limit` is worth a look. The first look is only noted."""
    slot, now = x.slot_holding(gpu), gpu_counters(gpu)
    since = x.grown(slot.name, now) if slot else None
    if since is None or name not in since[0]:
        yield ok(f"{now.get(name)} {name}: first check, nothing to compare with", value=now.get(name))
        return
    grew, an_hour = since[0][name], since[0][name] * HOUR_S / since[1]
    said = f"{gpu.address}: {grew} more {name}, {an_hour:.0f} an hour"
    if an_hour >= limit:
        yield warn(said, fault_class, value=an_hour, action=action)
    elif grew:
        yield info(said, value=an_hour)
    yield ok(f"no more {name}", value=an_hour)


@check(
    "gpu.corrected",
    family="GPU",
    title="Corrected memory errors do not storm",
    part="gpu",
    needs="gpus",
    source=f"NVIDIA GPU memory error management guide; limit by practice: {10_000} an hour",
    limits={"gpu_corrected_per_hour_warn": 10_000},
    fields=("volatile_dram_correctable", "volatile_correctable_total"),
)
def corrected_rate(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Growth an hour since the look before; the height of the counter says nothing. The first look is only noted."""
    if corrected(gpu) is None:
        if "volatile_dram_correctable" in gpu.not_applicable:
            yield ok(f"{gpu.address}: counts no corrected memory errors")
        else:
            yield unknown(f"{gpu.address}: corrected memory errors are not reported")
        return
    yield from _judged(gpu, CORRECTED, x, x.limit(me, "gpu_corrected_per_hour_warn"), action=_WATCH)


@check(
    "pcie.replays",
    family="PCIe",
    title="PCIe link of each GPU does not repeat packets",
    part="gpu",
    needs="gpus",
    classes=("gpu.pcie",),
    source="NVIDIA DCGM: more than 8 replays a minute",
    limits={"pcie_replays_per_hour_warn": 480},
    fields=("pcie_replays",),
)
def replays(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Growth an hour since the look before. A link that repeats is slow first and gone later."""
    if "pcie_replays" in gpu.not_applicable:
        yield ok(f"{gpu.address}: counts no replays")
        return
    yield from not_told(gpu, x, "pcie_replays")
    yield from _judged(gpu, REPLAYS, x, x.limit(me, "pcie_replays_per_hour_warn"), "gpu.pcie")


@check(
    "gpu.retired_pages",
    family="GPU",
    title="Few memory pages are retired",
    part="gpu",
    needs="gpus",
    classes=("gpu.memory",),
    source="NVIDIA dynamic page retirement guide: 60 pages and the GPU goes back; from Ampere on GPUs remap rows",
    limits={"gpu_retired_pages_fail": 60},
    fields=("retired_single_bit", "retired_double_bit"),
)
def retired_pages(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """GPUs before Ampere give up a page for each bad cell; a pending one needs the driver to be loaded again."""
    counts = ("retired_single_bit", "retired_double_bit")
    lost = [name for name in counts if getattr(gpu, name) is None and name not in gpu.not_applicable]
    if len(lost) == len(counts) and gpu.remap_failed is not None:
        yield ok(f"{gpu.address}: retires no pages; it remaps rows")
        return
    yield from not_told(gpu, x, *lost)
    pages = (gpu.retired_single_bit or 0) + (gpu.retired_double_bit or 0)
    said = f"{gpu.address}: {pages} retired memory pages"
    if pages >= x.limit(me, "gpu_retired_pages_fail"):
        yield fail(said, "gpu.memory", value=pages, action="Drain and replace this GPU (RMA).")
    if flag(gpu.retirement_pending):
        advice = "Reset this GPU when the machine is idle."
        yield warn(f"{gpu.address}: a page waits to be retired", "gpu.memory", action=advice)
    yield info(said, value=pages) if pages else ok("no memory page is retired", value=0)


@check(
    "gpu.clocks",
    family="GPU",
    title="GPU may run at its full clock",
    part="gpu",
    needs="gpus",
    source="nvidia-smi documentation, applications clocks",
    fields=("clock_mhz", "clock_default_mhz"),
)
def clocks(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The applications clock is the model's (`expected.gpu_clock_mhz`), else the GPU's own default."""
    wanted = x.spec.expected.get("gpu_clock_mhz") or gpu.clock_default_mhz
    if gpu.clock_mhz is None and {"clock_mhz", "clock_default_mhz"} & gpu.unread:
        yield unknown(f"{gpu.address}: the applications clock cannot be read")
    elif gpu.clock_mhz is None or not wanted:
        yield ok(f"{gpu.address}: the driver has given up applications clocks")
    if wanted and gpu.clock_mhz is not None and gpu.clock_mhz < float(wanted):
        said = f"{gpu.address}: applications clock {gpu.clock_mhz} MHz of {float(wanted):g} MHz"
        yield warn(said, value=gpu.clock_mhz, action="Find out who lowered it; set it back (nvidia-smi -rac).")
    yield ok(f"applications clock {gpu.clock_mhz} MHz")
