"""Checks of what runs inside each GPU: VBIOS, GSP firmware and InfoROM, and how much memory and power it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from health.checks.context import Context
from health.checks.gpu_state import not_told
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, warn
from health.checks.parsers.gpus import Gpu
from inventory.specs.device_model import normalise_pci

_OF_THE_MODEL = "device model; the GPUs of one machine beside each other"


def same_version(gpu: Gpu, x: Context, name: str, label: str) -> Iterator[Outcome]:
    """All GPUs off the model's version (`expected.NAME`) is drift; one version beside others on a machine fails, or
    warns by the model's `firmware_out_of_line`."""
    found = getattr(gpu, name)
    gpus = [*x.gpu_in.values(), *x.stray_gpus]
    versions = x.once((same_version, name), lambda: Counter(told for each in gpus if (told := getattr(each, name))))
    common = versions.most_common(1)[0][0] if versions else None
    wanted = x.spec.expected.get(name) or common
    if found and found != wanted:
        said, seen = f"{gpu.address}: {label} {found}", {name: found}
        if versions[found] * 2 <= versions.total():
            others = wanted if wanted in versions else common
            yield x.out_of_line(f"{said}, others have {others}", "gpu.firmware", observed=seen)
        else:
            yield warn(f"{said}, the model has {wanted}", "gpu.firmware", observed=seen)
    yield ok(f"{label} {found}")


@check(
    "gpu.vbios",
    family="VBIOS",
    title="VBIOS of each GPU",
    part="gpu",
    needs="gpus",
    classes=("gpu.firmware",),
    source=_OF_THE_MODEL,
    fields=("vbios_version",),
)
def vbios(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """All GPUs off the model's version is drift; one version beside others on the same machine fails."""
    yield from not_told(gpu, x, "vbios_version")
    yield from same_version(gpu, x, "vbios_version", "VBIOS")


@check(
    "gpu.gsp",
    family="VBIOS",
    title="GSP firmware of each GPU",
    part="gpu",
    needs="gpus",
    classes=("gpu.firmware",),
    source=_OF_THE_MODEL,
    fields=("gsp_firmware",),
)
def gsp(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The system processor's firmware comes with the driver: one version on all GPUs, or on none."""
    if "gsp_firmware" in gpu.not_applicable:
        others = [each.address for each in x.gpu_in.values() if each.gsp_firmware]
        if others:
            yield fail(f"{gpu.address}: GSP firmware is not loaded, on {', '.join(others)} it is", "gpu.firmware")
        yield ok("no GPU of this machine uses GSP firmware")
        return
    yield from not_told(gpu, x, "gsp_firmware")
    yield from same_version(gpu, x, "gsp_firmware", "GSP firmware")


@check(
    "gpu.inforom",
    family="VBIOS",
    title="InfoROM of each GPU",
    part="gpu",
    needs="gpus",
    classes=("gpu.firmware",),
    source=f"{_OF_THE_MODEL}; nvidia-smi names a corrupt InfoROM and exits with 14",
    fields=("inforom_image",),
)
def inforom(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """It holds the GPU's configuration and its record of memory errors; a corrupt one goes back to the vendor."""
    if x.gpus and any(normalise_pci(each) == gpu.pci for each in x.gpus.corrupt_inforoms):
        yield fail(f"{gpu.address}: the InfoROM is corrupt", "gpu.firmware", action="Drain; replace this GPU (RMA).")
        return
    yield from not_told(gpu, x, "inforom_image")
    yield from same_version(gpu, x, "inforom_image", "InfoROM")


@check(
    "gpu.memory_size",
    family="GPU",
    title="GPU offers all its memory",
    part="gpu",
    needs="gpus",
    classes=("gpu.memory",),
    source="device model; a GPU with retired memory offers less",
    limits={"gpu_memory_missing_fail_percent": 1},
    fields=("memory_total_mib",),
)
def memory_size(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Less memory than the model's breaks a job that fills it, on this GPU only."""
    yield from not_told(gpu, x, "memory_total_mib")
    wanted, found = x.spec.gpu.memory_mib if x.spec.gpu else None, gpu.memory_total_mib
    if wanted and found is not None and found < wanted * (1 - x.limit(me, "gpu_memory_missing_fail_percent") / 100):
        yield fail(f"{gpu.address}: {found} MiB of {wanted} MiB memory", "gpu.memory", value=found)
    yield ok(f"{found} MiB")


@check(
    "gpu.power_limit",
    family="GPU",
    title="GPU power limit is not lowered",
    part="gpu",
    needs="gpus",
    source="nvidia-smi documentation",
    fields=("power_limit_w", "power_limit_default_w"),
)
def power_limit(gpu: Gpu, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """One GPU with a lowered limit makes all the others of a job wait. The model's `gpu_power_limit_w` comes first."""
    wanted = x.spec.expected.get("gpu_power_limit_w") or gpu.power_limit_default_w
    yield from not_told(gpu, x, "power_limit_w", *(() if wanted else ("power_limit_default_w",)))
    if wanted and gpu.power_limit_w is not None and gpu.power_limit_w < float(wanted):
        said = f"{gpu.address}: power limit {gpu.power_limit_w:g} W of {float(wanted):g} W"
        yield warn(said, action="Find out who lowered it (nvidia-smi -pl); set it back.", value=gpu.power_limit_w)
    yield ok(f"power limit {gpu.power_limit_w or 0:g} W")
