"""AMD Instinct GPUs behind the checks of GPUs: the same ids where the meaning is the same, and XGMI of its own.

The words are those of AMD: correctable errors were mended, uncorrectable ones lost data, deferred ones were found in
data that nobody has used yet; a bad page is retired, pending until the next start, or could not be reserved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from health.checks import gpu_counters, gpu_state, gpu_versions
from health.checks.context import Context
from health.checks.levels import Rung
from health.checks.model import MACHINE, CheckDeclaration, Outcome, also, check, fail, info, ok, unknown, warn
from health.checks.parsers.amd import AmdGpu, AmdReport
from health.checks.sources import HUNG
from inventory.specs.device_model import Slot

# The checks that these rules belong to are declared there.
BASES = (gpu_state, gpu_versions, gpu_counters)
_AMD_SMI = "AMD SMI documentation, ROCm 6 and 7"
_ROCM_SMI = "ROCm SMI documentation, ROCm 6"
_RAS = "AMD Instinct documentation, RAS features and bad page retirement; AMD SMI documentation"
_READINGS = ("rocm", "amd_static", "amd_metric", "amd_pages", "amd_links")
# Which rail of the board a word of its throttle status stands for.
_HEAT = frozenset({"prochot", "socket_thermal", "vr_thermal", "hbm_thermal"})


def gpu_at(slot: Slot, report: AmdReport, x: Context) -> AmdGpu | None:
    """The GPU of a slot: by its address where this output or another of the machine tells it, else by the order of a
    list that is whole."""
    addresses = _addresses(x)
    for gpu in report.gpus:
        if slot.pci and (gpu.pci or addresses.get(gpu.index)) == slot.pci:
            return gpu
    if slot.pci and addresses:
        return None
    order = [each.name for each in x.gpu_slots].index(slot.name)
    return report.gpus[order] if len(report.gpus) == len(x.gpu_slots) else None


def _addresses(x: Context) -> Mapping[int, str]:
    def made() -> dict[int, str]:
        told = (x.readings[name].data for name in _READINGS if name in x.readings)
        return {gpu.index: gpu.pci for data in told if isinstance(data, AmdReport) for gpu in data.gpus if gpu.pci}

    return x.once(_addresses, made)


def amd_counters(x: Context) -> dict[str, dict[str, int]]:
    """What `Earlier` keeps of a look at AMD GPUs, by slot."""
    reading = x.readings.get("amd_metric")
    if reading is None or not isinstance(reading.data, AmdReport):
        return {}
    found = {slot.name: gpu_at(slot, reading.data, x) for slot in x.gpu_slots}
    return {name: _counters(gpu) for name, gpu in found.items() if gpu}


def _counters(gpu: AmdGpu) -> dict[str, int]:
    told = {"corrected memory errors": gpu.correctable, "PCIe replays": gpu.pcie_replays}
    return {name: value for name, value in told.items() if value is not None}


def _trouble(trouble: str, x: Context) -> Outcome | None:
    if HUNG in trouble:
        return fail(f"the GPU driver does not answer amd-smi: {trouble}", "driver.down")
    if "amdgpu" in trouble or "AMDSMI_STATUS" in trouble or "Driver not initialized" in trouble:
        return fail(f"no GPU driver: {trouble}", "driver.down")
    return None


@also("gpu.driver", needs="rocm", source=_ROCM_SMI, classes=("driver.version",), fields=("product_name",))
@also("gpu.driver", needs="amd_static", source=_AMD_SMI, classes=("driver.down", "driver.version"), on_trouble=_trouble)
def driver(report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    wanted, found = x.spec.expected.get("driver_version"), report.driver_version
    if found is None:
        return unknown("the driver version is not reported")
    if wanted and found != wanted:
        return warn(f"driver {found}, the model has {wanted}", "driver.version", observed={"driver_version": found})
    return ok(f"driver {found}")


@also("gpu.count", needs="rocm", source=_ROCM_SMI, classes=("gpu.gone",), each=False, fields=("pci",))
@also("gpu.count", needs="amd_static", source=_AMD_SMI, classes=("gpu.gone",), each=False)
def count(report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    listed = f"amd-smi lists {len(report.gpus)} of {len(x.gpu_slots)} GPUs"
    shown = "\n".join([f"{listed}:", *(gpu.pci or f"index {gpu.index}" for gpu in report.gpus)])
    by_order = not _addresses(x) or not any(slot.pci for slot in x.gpu_slots)
    for slot in x.gpu_slots:
        if gpu_at(slot, report, x):
            yield slot.name, ok(f"present at {slot.pci or slot.text}")
        elif not by_order:
            yield slot.name, fail(f"no GPU at {slot.pci or slot.text}: {listed}", "gpu.gone", excerpt=shown)
        else:
            yield slot.name, unknown(f"{listed}, and nothing says which")
    if by_order and len(report.gpus) < len(x.gpu_slots):
        yield MACHINE, fail(f"{listed} and does not say which", "gpu.gone", excerpt=shown)


def _each(slot: Slot, report: AmdReport, x: Context) -> AmdGpu | Outcome:
    return gpu_at(slot, report, x) or unknown(f"amd-smi does not list this GPU ({slot.pci or slot.text})")


@also("gpu.identity", needs="rocm", source="inventory", classes=("gpu.identity",), fields=("serial",))
@also("gpu.identity", needs="amd_static", source="inventory", classes=("gpu.identity",))
def identity(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome):
        yield gpu
        return
    wanted, seen = x.component(slot.name), {"serial": gpu.serial, "uuid": gpu.uuid}
    model = x.spec.gpu.type if x.spec.gpu else ""
    if model and gpu.product_name and gpu.product_name != model:
        yield fail(f"{slot.text} is a {gpu.product_name}, the model has {model}", "gpu.identity", observed=seen)
    for name, found, expected in (("serial", gpu.serial, wanted.serial), ("UUID", gpu.uuid, wanted.uuid)):
        if expected and not found:
            yield unknown(f"{slot.text}: its {name} is not reported")
        elif expected and found != expected:
            yield warn(f"{slot.text}: {name} {found}, installed is {expected}", "gpu.identity", observed=seen)
    yield ok(f"{gpu.product_name or 'GPU'}, serial {gpu.serial or 'not reported'}", observed=seen)


@also("gpu.vbios", needs="rocm", source=_ROCM_SMI, classes=("gpu.firmware",), fields=("vbios",))
@also("gpu.vbios", needs="amd_static", source=_AMD_SMI, classes=("gpu.firmware",))
def vbios(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.vbios is None:
        return gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its VBIOS is not reported")
    others = [each.vbios for each in report.gpus if each.vbios]
    usual = max(sorted(set(others)), key=others.count)
    wanted = x.spec.expected.get("vbios_version") or usual
    if gpu.vbios == wanted:
        return ok(f"VBIOS {gpu.vbios}")
    said = f"{slot.text}: VBIOS {gpu.vbios}"
    if others.count(gpu.vbios) * 2 <= len(others):
        return fail(f"{said}, others have {usual}", "gpu.firmware", observed={"vbios_version": gpu.vbios})
    return warn(f"{said}, the model has {wanted}", "gpu.firmware", observed={"vbios_version": gpu.vbios})


@also("gpu.memory_size", needs="amd_static", source=_AMD_SMI, classes=("gpu.memory",))
def memory_size(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.memory_mib is None:
        return gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: the size of its memory is not reported")
    wanted = x.spec.gpu.memory_mib if x.spec.gpu else None
    if wanted and gpu.memory_mib < wanted * (1 - x.limit(me, "gpu_memory_missing_fail_percent") / 100):
        return fail(f"{slot.text}: {gpu.memory_mib} of {wanted} MiB of memory", "gpu.memory", value=gpu.memory_mib)
    return ok(f"{gpu.memory_mib} MiB of memory", value=gpu.memory_mib)


@also("gpu.power_limit", needs="amd_static", source=_AMD_SMI)
def power_limit(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome):
        return gpu
    wanted = x.spec.expected.get("gpu_power_limit_w") or gpu.power_limit_most_w
    if gpu.power_limit_w is None:
        return unknown(f"{slot.text}: its power limit is not reported")
    if wanted and gpu.power_limit_w < float(wanted):
        said = f"{slot.text}: power limit {gpu.power_limit_w:g} W of {wanted:g} W"
        return warn(said, action="Set it back (amd-smi reset --power-cap).", value=gpu.power_limit_w)
    return ok(f"power limit {gpu.power_limit_w:g} W", value=gpu.power_limit_w)


@also("gpu.temperature", needs="rocm", source=_ROCM_SMI, classes=("gpu.thermal",), fields=("temperature_c",))
@also("gpu.temperature", needs="amd_metric", source=_AMD_SMI, classes=("gpu.thermal",))
def temperature(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The hot spot and the memory, against what the GPU itself says it slows down at, less 10 and 0 C; where it does
    not, against the model's limits."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome):
        yield gpu
        return
    static = x.readings.get("amd_static")
    own = gpu_at(slot, static.data, x) if static and isinstance(static.data, AmdReport) else None
    if gpu.temperature_c is None:
        yield unknown(f"{slot.text}: its temperature is not reported")
    for what, found, slows, key in (
        ("hot spot", gpu.temperature_c, own.slowdown_c if own else None, "gpu_temperature"),
        ("memory", gpu.memory_temperature_c, own.memory_slowdown_c if own else None, "gpu_memory_temperature"),
    ):
        worst = slows or x.limit(me, f"{key}_fail_c")
        warm = slows - 10 if slows else x.limit(me, f"{key}_warn_c")
        if found is not None and found >= worst:
            yield fail(f"{slot.text}: {what} at {found:g} C", "gpu.thermal", value=found)
        elif found is not None and found >= warm:
            yield warn(f"{slot.text}: {what} at {found:g} C", "gpu.thermal", value=found)
    yield ok(f"{gpu.temperature_c} C", value=gpu.temperature_c)


@also("gpu.throttle", needs="amd_metric", source=_AMD_SMI, classes=("gpu.throttled", "gpu.power"))
def throttle(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Held down by heat fails; by its power limit (PPT) is what a GPU under load does."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.throttled is None:
        yield gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: whether it is throttled is not reported")
        return
    if hot := [word for word in gpu.throttled if word in _HEAT]:
        yield fail(f"{slot.text}: throttled by {', '.join(hot).replace('_', ' ')}", "gpu.throttled")
    if "throttled" in gpu.throttled:
        yield info(f"{slot.text}: throttled, and does not say why; its power limit is a usual reason")
    yield ok("at its power limit" if "ppt" in gpu.throttled else "not throttled by heat")


@also("gpu.ecc", needs="amd_metric", source=_RAS, classes=("gpu.memory",))
def ecc(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Counted since the driver was loaded. Uncorrectable errors fail; a deferred one is data that is lost as soon as
    somebody reads it, so the GPU is reset before it is used on."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome):
        yield gpu
        return
    shown = "\n".join(gpu.blocks)
    if gpu.uncorrectable is None:
        yield unknown(f"{slot.text}: its uncorrectable errors are not reported")
    if gpu.uncorrectable:
        said = f"{slot.text}: {gpu.uncorrectable} uncorrectable errors"
        yield fail(said, "gpu.memory", value=gpu.uncorrectable, excerpt=shown,
                   action="Drain and reset this GPU; then check its bad pages.")  # fmt: skip
    if gpu.deferred:
        yield warn(f"{slot.text}: {gpu.deferred} deferred errors", "gpu.memory", value=gpu.deferred, excerpt=shown,
                   action="Drain and reset this GPU; then check its bad pages.")  # fmt: skip
    yield ok("no uncorrectable errors")


@also("gpu.corrected", needs="amd_metric", source=_RAS)
def corrected(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.correctable is None:
        return gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its correctable errors are not reported")
    return _growth(slot, "corrected memory errors", gpu.correctable, x, me, "gpu_corrected_per_hour_warn",
                   "Watch it; have the GPU tested when uncorrectable ones follow.")  # fmt: skip


@also("pcie.replays", needs="rocm", source=_ROCM_SMI, fields=("pcie_replays",))
@also("pcie.replays", needs="amd_metric", source=_AMD_SMI)
def replays(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.pcie_replays is None:
        return gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its PCIe replays are not reported")
    return _growth(slot, "PCIe replays", gpu.pcie_replays, x, me, "pcie_replays_per_hour_warn",
                   "Reseat the GPU when the machine is drained.")  # fmt: skip


def _growth(slot: Slot, what: str, now: int, x: Context, me: CheckDeclaration, limit: str, action: str) -> Outcome:
    grown = x.grown(slot.name, {what: now})
    if grown is None or what not in grown[0]:
        return ok(f"{now} {what}, nothing to compare with yet", value=now)
    per_hour = grown[0][what] * 3600 / grown[1]
    said = f"{slot.text}: {grown[0][what]} more {what}, {per_hour:.0f} an hour"
    return (
        warn(said, action=action, value=per_hour) if per_hour >= x.limit(me, limit) else ok(f"{now} {what}", value=now)
    )


@also("gpu.pcie", needs="amd_metric", source=f"{_AMD_SMI}; device model", classes=("gpu.pcie",))
def pcie(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.pcie_width is None:
        yield gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its PCIe link is not reported")
        return
    width, generation = (x.spec.gpu.pcie_width, x.spec.gpu.pcie_gen) if x.spec.gpu else (None, None)
    if width and gpu.pcie_width < width:
        yield fail(f"{slot.text}: PCIe width x{gpu.pcie_width} of x{width}", "gpu.pcie", value=gpu.pcie_width)
    if generation and gpu.pcie_generation and gpu.pcie_generation < generation:
        yield info(f"{slot.text}: PCIe generation {gpu.pcie_generation} of {generation}, which an idle GPU may do")
    yield ok(f"PCIe x{gpu.pcie_width}, generation {gpu.pcie_generation}")


@also("gpu.retired_pages", needs="amd_pages", source=_RAS, classes=("gpu.memory",))
def bad_pages(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Retired ones are out of use; pending ones are from the next start on; one that could not be reserved fails."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.bad_pages is None:
        yield gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its bad pages are not reported")
        return
    retired, pending, left = (gpu.bad_pages.get(name, 0) for name in ("retired", "pending", "un_res"))
    if left:
        yield fail(f"{slot.text}: {left} bad pages could not be reserved", "gpu.memory", value=left,
                   action="Drain, reset the GPU; replace it when they stay.")  # fmt: skip
    if pending:
        yield warn(f"{slot.text}: {pending} bad pages are pending", "gpu.memory", value=pending,
                   action="Reset this GPU when the machine is idle.")  # fmt: skip
    if retired >= x.limit(me, "gpu_retired_pages_fail"):
        yield fail(f"{slot.text}: {retired} retired memory pages", "gpu.memory", value=retired, rung=Rung.SWAP,
                   action="Drain and replace this GPU (RMA).")  # fmt: skip
    yield ok(f"{retired} retired memory pages", value=retired)


@check(
    "xgmi.links",
    family="GPU",
    title="Every XGMI link is up (AMD)",
    part="gpu",
    needs="amd_links",
    classes=("xgmi.down",),
    source=f"{_AMD_SMI}: U is up, D down, X not fitted",
    optional=True,
)
def xgmi_links(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    """The links between the GPUs of a board. Every GPU of a machine has as many as the others."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome) or gpu.links is None:
        return gpu if isinstance(gpu, Outcome) else unknown(f"{slot.text}: its XGMI links are not reported")
    down = [number for number, state in enumerate(gpu.links) if state == "D"]
    fitted = sum(state != "X" for state in gpu.links)
    most = max(sum(state != "X" for state in each.links) for each in report.gpus if each.links is not None)
    shown = f"{slot.text}: {' '.join(gpu.links)}"
    if down:
        return fail(f"{slot.text}: XGMI link {', '.join(map(str, down))} is down", "xgmi.down", excerpt=shown)
    if fitted < most:
        return fail(f"{slot.text}: {fitted} XGMI links, the other GPUs have {most}", "xgmi.down", excerpt=shown)
    return ok(f"{fitted} XGMI links are up", value=fitted)


@check(
    "xgmi.errors",
    family="GPU",
    title="XGMI reports no errors (AMD)",
    part="gpu",
    needs="amd_metric",
    source=f"{_AMD_SMI}: no errors, a single error, several errors",
    optional=True,
)
def xgmi_errors(slot: Slot, report: AmdReport, x: Context, me: CheckDeclaration) -> Outcome:
    """What the driver has counted since it was asked last. GPUs from MI300 on may not tell it."""
    gpu = _each(slot, report, x)
    if isinstance(gpu, Outcome):
        return gpu
    if gpu.xgmi_errors is None:
        return ok("this GPU does not count them")
    word = gpu.xgmi_errors.upper().replace(" ", "_")
    if word in ("0", "NO_ERRORS", "NO_ERRORS_DETECTED", "AMDSMI_XGMI_STATUS_NO_ERRORS"):
        return ok("no XGMI errors")
    return warn(f"{slot.text}: XGMI {gpu.xgmi_errors}", action="Watch it; reset the GPU when errors go on.")
