"""Checks of each GPU from `nvidia-smi`'s full query: is it there, is it the one, is it well."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.context import Context
from health.checks.levels import Rung
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.one_link import looks_at_link
from health.checks.parsers.gpus import Gpu, GpuReport
from health.checks.sources import HUNG
from inventory.specs.device_model import Slot

_YES = frozenset({"yes", "active", "enabled", "true", "1"})
_NO = frozenset({"no", "not active", "disabled", "false", "0"})
# Drivers before these do not print the field; from them on its absence means that it was not heard.
_SINCE = {"gsp_firmware": 510, "sram_threshold_exceeded": 535, "reset_required": 535, "fabric_state": 535}
_NVIDIA_MEMORY = "NVIDIA GPU memory error management guide"
_NVIDIA_SMI = "nvidia-smi documentation"
_ALL_GONE = "The driver is well, so leave it. Drain and power cycle; then check the GPU board's seating and power."


def flag(word: str | None) -> bool | None:
    """Yes or no in the tool's several words; None for anything else."""
    lowered = (word or "").strip().lower()
    return True if lowered in _YES else False if lowered in _NO else None


def not_told(gpu: Gpu, x: Context, *names: str) -> Iterator[Outcome]:
    """Unknown for each field that the output should have and has not; a column nobody asked for is only told."""
    lost = [name for name in names if getattr(gpu, name) is None and not _not_yet(name, gpu, x)]
    asked = x.gpus.asked if x.gpus else None
    for say, what, those in (
        (unknown, "not reported", [name for name in lost if asked is None or name in asked]),
        (info, "not asked for", [name for name in lost if asked is not None and name not in asked]),
    ):
        if those:
            yield say(f"{gpu.address}: {what}: {', '.join(name.replace('_', ' ') for name in those)}")


def _not_yet(name: str, gpu: Gpu, x: Context) -> bool:
    if name in gpu.not_applicable and name in _SINCE:
        return True
    branch = (x.gpus.driver_version or "") if x.gpus else ""
    major = branch.partition(".")[0]
    return name in _SINCE and major.isdecimal() and int(major) < _SINCE[name]


def _driver_trouble(trouble: str, x: Context) -> Outcome | None:
    if "Insufficient Permissions" in trouble:
        return unknown(f"the probe may not ask the driver: {trouble}")
    if "Driver/library version mismatch" in trouble:
        return fail(f"the driver was replaced while it ran: {trouble}", "driver.down",
                    action="Drain and reboot, so that the kernel loads the driver that is installed.")  # fmt: skip
    if "NVIDIA-SMI has failed" in trouble or "NVML" in trouble:
        return fail(f"no GPU driver: {trouble}", "driver.down")
    if HUNG in trouble and x.dead_gpus:
        said = f"nvidia-smi hangs, as {', '.join(x.dead_gpus)} explains: {trouble}"
        return warn(said, "driver.down", action="See the GPU's error in the kernel log.")
    if HUNG in trouble:
        return fail(f"the GPU driver does not answer nvidia-smi: {trouble}", "driver.down",
                    action="Look for GPU errors in the kernel log; drain and reboot.")  # fmt: skip
    return None


@check(
    "gpu.driver",
    family="GPU",
    title="GPU driver answers with the model's version",
    needs="gpus",
    classes=("driver.down", "driver.version"),
    source=_NVIDIA_SMI,
    on_trouble=_driver_trouble,
    fields=("architecture",),
)
def driver(report: GpuReport, x: Context, me: CheckDeclaration) -> Outcome:
    """A driver that does not answer, or lets nvidia-smi hang, fails; another version than the model's is drift."""
    wanted, found = x.spec.expected.get("driver_version"), report.driver_version
    if found is None and (report.none_found or report.names_trouble):
        return unknown("the driver answers, but reports no version: it cannot reach its GPUs")
    if found is None:
        return unknown("the driver version is not reported")
    if wanted and found != wanted:
        return warn(f"driver {found}, the model has {wanted}", "driver.version", observed={"driver_version": found})
    return ok(f"driver {found}")


@check(
    "gpu.count",
    family="GPU",
    title="Every GPU of the model is there",
    part="gpu",
    needs="gpus",
    each=False,
    classes=("gpu.gone", "gpu.reset"),
    source="device model; nvidia-smi lists only GPUs on the bus",
)
def count(report: GpuReport, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A GPU that nvidia-smi does not list, or lists as lost, is named by its slot and PCI address. Where the tool
    stopped at one GPU, nothing is known of those it did not come to."""
    listed = f"nvidia-smi lists {len(report.gpus)} of {len(x.gpu_slots)} GPUs"
    shown = "\n".join([f"{listed}:", *(gpu.address or gpu.uuid or f"index {gpu.index}" for gpu in report.gpus)])
    lost = x.lost_gpus
    unplaced = bool(x.stray_gpus) and not any(gpu.pci for gpu in x.stray_gpus)
    for slot in x.gpu_slots:
        gpu = x.gpu_in.get(slot.name)
        where = f"{slot.pci or slot.text}{f', {slot.label}' if slot.label else ''}"
        if slot.name in lost:
            yield slot.name, fail(f"the GPU at {where} is lost: nvidia-smi cannot reach it", "gpu.gone", excerpt=shown)
        elif slot in x.gpus_to_reset:
            yield (
                slot.name,
                fail(f"the GPU at {where} cannot be reached before it is reset", "gpu.reset", excerpt=shown),
            )
        elif report.none_found:
            yield slot.name, fail(f"no GPU at {where}: the driver answers and has none", "gpu.gone", action=_ALL_GONE)
        elif gpu:
            yield slot.name, ok(f"present at {gpu.address or slot.pci or f'index {gpu.index}'}")
        elif report.cut:
            yield slot.name, unknown(f"the output ends before the GPU at {where}")
        elif not unplaced:
            yield slot.name, fail(f"no GPU at {where}: {listed}", "gpu.gone", excerpt=shown, observed={"pci": slot.pci})
    if unplaced:
        yield MACHINE, fail(f"{listed} and does not say which", "gpu.gone", excerpt=shown)
    if x.placed_by_order and any(gpu.pci for gpu in report.gpus):
        yield MACHINE, warn("no GPU is at an address of the model: counted in order; is this the right model?")
    for gpu in x.stray_gpus if not unplaced else ():
        yield MACHINE, warn(f"a GPU at {gpu.address}, which is no slot of the model", observed={"pci": gpu.address})


@check(
    "gpu.identity",
    family="GPU",
    title="Each GPU is the one installed",
    part="gpu",
    needs="gpus",
    classes=("gpu.identity",),
    source="inventory",
    fields=("serial", "uuid", "product_name"),
)
def identity(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Another type than the model's fails. Another serial is to be accepted as a swap; all of them: another machine."""
    slot = next((name for name, each in x.gpu_in.items() if each is gpu), "")
    wanted = x.component(slot)
    seen = {"serial": gpu.serial, "uuid": gpu.uuid, "part_number": gpu.board_part_number}
    yield from not_told(gpu, x, *(name for name in ("serial", "uuid") if getattr(wanted, name)))
    if x.spec.gpu and x.spec.gpu.type and gpu.product_name and gpu.product_name != x.spec.gpu.type:
        yield fail(
            f"{gpu.address} is a {gpu.product_name}, the model has {x.spec.gpu.type}", "gpu.identity", observed=seen
        )
    differs = [
        f"{name} {found}, installed is {expected}"
        for name, found, expected in (("serial", gpu.serial, wanted.serial), ("UUID", gpu.uuid, wanted.uuid))
        if found and expected and found != expected
    ]
    if differs and _all_differ(x):
        yield fail(f"{gpu.address}: {'; '.join(differs)}; all GPUs differ: this is another machine", "gpu.identity",
                   action="Check which machine answers at this address.", observed=seen)  # fmt: skip
    elif differs:
        yield warn(f"{gpu.address}: {'; '.join(differs)}", "gpu.identity", observed=seen)
    yield ok(f"{gpu.product_name or 'GPU'}, serial {gpu.serial or 'not reported'}", observed=seen)


def _all_differ(x: Context) -> bool:
    pairs = [(gpu.serial, x.component(name).serial) for name, gpu in x.gpu_in.items()]
    known = [(found, wanted) for found, wanted in pairs if found and wanted]
    return len(known) > 1 and all(found != wanted for found, wanted in known)


@check(
    "gpu.ecc",
    family="GPU",
    title="GPU memory error correction",
    part="gpu",
    needs="gpus",
    classes=("gpu.memory", "gpu.config"),
    source=_NVIDIA_MEMORY,
    fields=("ecc_current", "ecc_pending", "volatile_uncorrectable_total", "volatile_dram_uncorrectable"),
)
def ecc(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """ECC is on now and after the next boot, no uncorrectable error since the last reset, SRAM under its threshold."""
    partial = x.gpus is not None and not x.gpus.complete
    told = [name for name in ("ecc_current", "ecc_pending") if not partial or getattr(gpu, name) is not None]
    yield from not_told(gpu, x, *told)
    for name, word in (("current", gpu.ecc_current), ("pending", gpu.ecc_pending)):
        if word is not None and flag(word) is not True:
            yield fail(f"{gpu.address}: {name} ECC mode is {word}", "gpu.config",
                       action="Drain, switch ECC on (nvidia-smi -e 1) and reboot.")  # fmt: skip
    if flag(gpu.sram_threshold_exceeded):
        yield fail(f"{gpu.address}: the SRAM error threshold is exceeded", "gpu.memory",
                   action="Drain and replace this GPU.", rung=Rung.SWAP)  # fmt: skip
    elif not partial:
        yield from not_told(gpu, x, "sram_threshold_exceeded")
    yield from _uncorrectable(gpu, x, partial=partial)
    aggregate = sum(
        n or 0 for n in (gpu.aggregate_sram_uncorrectable, gpu.aggregate_sram_parity, gpu.aggregate_sram_secded)
    )
    if aggregate:
        yield warn(f"{gpu.address}: {aggregate} uncorrectable SRAM errors in its life")
    yield ok("no uncorrectable errors")


_UNCORRECTABLE = frozenset({"volatile_uncorrectable_total", "volatile_dram_uncorrectable"})


def _uncorrectable(gpu: Gpu, x: Context, *, partial: bool) -> Iterator[Outcome]:
    split = (gpu.volatile_sram_parity, gpu.volatile_sram_secded)
    known = [n for n in (gpu.volatile_dram_uncorrectable, gpu.volatile_sram_uncorrectable, *split) if n is not None]
    total = gpu.volatile_uncorrectable_total if gpu.volatile_uncorrectable_total is not None else sum(known)
    if total:
        said = f"{gpu.address}: {total} uncorrectable memory errors since the last reset"
        advice = "Drain and reset this GPU; then check its row remap flags."
        yield fail(said, "gpu.memory", value=total, action=advice)
    has_sram = gpu.volatile_sram_uncorrectable is not None or None not in split
    whole = gpu.volatile_dram_uncorrectable is not None and has_sram
    asked = not partial or known or _UNCORRECTABLE & (gpu.not_applicable | gpu.unread)
    if gpu.volatile_uncorrectable_total is None and not whole and asked:
        yield unknown(f"{gpu.address}: the uncorrectable error counters are not reported")


@check(
    "gpu.row_remap",
    family="GPU",
    title="Row remapping of GPU memory",
    part="gpu",
    needs="gpus",
    classes=("gpu.memory",),
    source=_NVIDIA_MEMORY,
    fields=("remap_pending", "remap_failed", "banks_none"),
)
def row_remap(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """A pending remap needs a reset when idle; after a failed remap the GPU goes back. A memory bank without a spare
    row works, but its next bad row cannot be remapped."""
    partial = x.gpus is not None and not x.gpus.complete and gpu.banks_none is not None
    yield from not_told(gpu, x, *(() if partial else ("remap_pending", "remap_failed")))
    pending, failed, rows = flag(gpu.remap_pending), flag(gpu.remap_failed), gpu.remapped_uncorrectable or 0
    odd = [w for w, f in ((gpu.remap_pending, pending), (gpu.remap_failed, failed)) if w is not None and f is None]
    if odd:
        yield unknown(f"{gpu.address}: remap flag reads {', '.join(odd)}")
    if failed:
        rma = "Drain and replace this GPU (RMA)."
        yield fail(f"{gpu.address}: row remap failed", "gpu.memory", action=rma, rung=Rung.SWAP)
    if pending:
        yield warn(f"{gpu.address}: row remap pending", "gpu.memory", action="Reset this GPU when the machine is idle.")
    if gpu.banks_none:
        yield warn(f"{gpu.address}: {gpu.banks_none} memory banks have no spare row left", "gpu.memory",
                   action="Plan to replace this GPU: the next bad row of such a bank cannot be remapped.")  # fmt: skip
    if gpu.banks_low:
        yield info(f"{gpu.address}: {gpu.banks_low} memory banks have few spare rows left", value=gpu.banks_low)
    if rows:
        yield info(f"{gpu.address}: rows remapped after uncorrectable errors: {rows}", value=rows)
    yield ok("no row remap pending or failed")


@check(
    "gpu.temperature",
    family="GPU",
    title="GPU temperature",
    part="gpu",
    needs="gpus",
    classes=("gpu.thermal",),
    source=_NVIDIA_SMI,
    limits={
        "gpu_temperature_warn_c": 80,
        "gpu_temperature_slow_c": 84,
        "gpu_temperature_fail_c": 87,
        "gpu_memory_temperature_warn_c": 95,
        "gpu_memory_temperature_fail_c": 105,
        "gpu_tlimit_fail_c": 0,
    },
    fields=("temperature_c",),
)
def temperature(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Core and memory against the model's limits, and the GPU's own margin to the hottest it may be (T.Limit), which
    counts down: at 0 it is there, a few degrees below it slows down.

    70 to 75 C under load is fine, under 80 good; from about 84 to 90 GPUs slow down.
    """
    yield from not_told(gpu, x, "temperature_c")
    for what, found, key in (
        ("GPU", gpu.temperature_c, "gpu_temperature"),
        ("memory", gpu.memory_temperature_c, "gpu_memory_temperature"),
    ):
        if found is not None and found >= x.limit(me, f"{key}_fail_c"):
            yield fail(f"{gpu.address}: {what} at {found} C", "gpu.thermal", value=found)
        elif found is not None and found >= x.limit(me, f"{key}_warn_c"):
            slow = what == "GPU" and found >= x.limit(me, "gpu_temperature_slow_c")
            hint = ", where GPUs begin to slow down" if slow else ""
            yield warn(f"{gpu.address}: {what} at {found} C{hint}", "gpu.thermal", value=found)
    margin, slows = gpu.temperature_tlimit_c, gpu.slowdown_tlimit_c
    if margin is not None and margin <= x.limit(me, "gpu_tlimit_fail_c"):
        hint = f", slows down at {slows} C" if slows is not None else ""
        yield fail(f"{gpu.address}: {margin} C to its limit{hint}", "gpu.thermal", value=gpu.temperature_c)
    yield ok(f"{gpu.temperature_c} C", value=gpu.temperature_c)


@check(
    "gpu.throttle",
    family="GPU",
    title="GPU clocks are not held down",
    part="gpu",
    needs="gpus",
    classes=("gpu.throttled", "gpu.power", "gpu.thermal"),
    source=_NVIDIA_SMI,
    fields=("hw_slowdown", "hw_thermal", "hw_power_brake"),
)
def throttle(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Heat and the power brake slow a GPU for different reasons: cooling here, power supplies there."""
    names = ("hw_slowdown", "hw_thermal", "hw_power_brake")
    yield from not_told(gpu, x, *names)
    odd = [word for name in names if (word := getattr(gpu, name)) is not None and flag(word) is None]
    if odd:
        yield unknown(f"{gpu.address}: slowdown reads {', '.join(odd)}")
    if flag(gpu.hw_thermal):
        yield fail(f"{gpu.address}: hardware thermal slowdown is active", "gpu.throttled")
    if flag(gpu.hw_power_brake):
        yield fail(f"{gpu.address}: hardware power brake slowdown is active", "gpu.power")
    if flag(gpu.hw_slowdown) and not flag(gpu.hw_thermal) and not flag(gpu.hw_power_brake):
        yield fail(f"{gpu.address}: hardware slowdown is active", "gpu.power")
    if flag(gpu.sw_thermal):
        yield warn(f"{gpu.address}: software thermal slowdown is active", "gpu.thermal")
    yield ok("no hardware slowdown")


@check(
    "gpu.pcie",
    family="PCIe",
    title="PCIe link of each GPU",
    part="gpu",
    needs="gpus",
    classes=("gpu.pcie",),
    source="device model; an idle GPU may lower its generation, never its width",
    fields=("pcie_width", "pcie_gen", "pcie_gen_max"),
)
def pcie(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Width below the model's fails. Generation fails when the link cannot reach it, or does not under load."""
    yield from _pcie(gpu, x)


@looks_at_link("gpu.pcie", "gpu")
def _link_of(slot: Slot, x: Context) -> list[Outcome]:
    gpu = x.gpu_in.get(slot.name)
    return list(_pcie(gpu, x)) if gpu else []


def _pcie(gpu: Gpu, x: Context) -> Iterator[Outcome]:
    model = x.spec.gpu
    wanted_width, wanted_gen = (model.pcie_width, model.pcie_gen) if model else (None, None)
    yield from not_told(gpu, x, "pcie_width", "pcie_gen")
    width = wanted_width or gpu.pcie_width_max
    if gpu.pcie_width is not None and width and gpu.pcie_width < width:
        yield fail(f"{gpu.address}: PCIe width x{gpu.pcie_width} of x{width}", "gpu.pcie", value=gpu.pcie_width)
    if gpu.pcie_gen_max is not None and wanted_gen and gpu.pcie_gen_max < wanted_gen:
        yield fail(f"{gpu.address}: PCIe generation {gpu.pcie_gen_max} at most, the model has {wanted_gen}", "gpu.pcie")
    gen = wanted_gen or gpu.pcie_gen_max
    if gpu.pcie_gen is not None and gen and gpu.pcie_gen < gen:
        said = f"{gpu.address}: PCIe generation {gpu.pcie_gen} of {gen}"
        busy = flag(gpu.idle) is False and (gpu.utilization_percent or 0) > 0
        yield fail(f"{said} under load", "gpu.pcie") if busy else info(f"{said}, which an idle GPU may do")
    yield ok(f"PCIe x{gpu.pcie_width}, generation {gpu.pcie_gen}")


@check(
    "gpu.stall",
    family="GPU",
    title="A busy GPU draws power",
    part="gpu",
    needs="gpus",
    source="NCCL kernels that wait for a peer spin: 100 % busy at little more than idle power",
    limits={"gpu_stall_busy_percent": 99, "gpu_stall_power_share": 0.25},
    fields=("utilization_percent", "power_w"),
)
def stall(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Nothing is wrong with the GPU: what runs on it waits for another. Of all GPUs of a run, the run hangs."""
    yield from not_told(gpu, x, "utilization_percent", "power_w")
    power, limit = gpu.power_w, gpu.power_limit_w or gpu.power_limit_default_w
    busy = (gpu.utilization_percent or 0) >= x.limit(me, "gpu_stall_busy_percent")
    if busy and power is not None and limit and power < limit * x.limit(me, "gpu_stall_power_share"):
        yield warn(
            f"{gpu.address}: busy at idle power: it waits",
            value=power,
            action="Look at the run on it: collect its evidence, and find the rank whose stack differs.",
        )
    yield ok("it works, or is idle", value=power)


@check(
    "gpu.persistence",
    family="GPU",
    title="Persistence mode is on",
    part="gpu",
    needs="gpus",
    source=_NVIDIA_SMI,
    fields=("persistence_mode",),
)
def persistence(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Without it the driver unloads between jobs and each start is slow."""
    yield from not_told(gpu, x, "persistence_mode")
    if gpu.persistence_mode is not None and flag(gpu.persistence_mode) is not True:
        yield warn(
            f"{gpu.address}: persistence mode is {gpu.persistence_mode}",
            action="Start nvidia-persistenced, and have it start with the machine.",
        )
    yield ok("persistence mode is on")
