"""`nvidia-smi`: the full query in XML and text, the list and the summary table, of the GPUs the driver still lists.

Numbers: MiB, MHz, watts and degrees Celsius, as the tool prints them. A GPU off the bus is absent, so the indices of
those after it move up while their minor numbers stay.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

from simulator.heat.answers import GpuNow
from simulator.outputs.nvidia.nvidia_smi_fields import GPU_FIELDS
from simulator.plan import GpuPlan
from simulator.state import Machine

_SLOWDOWN_CELSIUS = 87
_SUPPORTED_GRAPHICS_MHZ = range(1980, 330, -15)
_WARM_UP_S = 300
_IDLE_MHZ, _BUSY_MHZ, _SLOWED_MHZ, _BRAKED_MHZ = 345, 1755, 1155, 810
LIMITS_W = (200.0, 700.0)
"""The least and the most that a GPU may be limited to; the most is the usual limit."""
_HEX_IN_TEXT = ("pci_bus", "pci_device", "pci_domain", "pci_device_id", "pci_sub_system_id")


def bus_id(pci: str) -> str:
    """`0000:9b:00.0` as nvidia-smi prints it: `00000000:9B:00.0`."""
    return f"0000{pci}".upper()


def _rows() -> Iterator[tuple[int, str, str, str | None]]:
    for line in GPU_FIELDS.splitlines():
        label, element, *value = (column.strip() for column in line.split(" | ", 2))
        yield (len(line) - len(line.lstrip())) // 4, label, element, value[0] if value else None


@cache
def text_template() -> str:
    """One GPU in the text form, with the fields of `gpu_values` to fill in."""
    lines = ["GPU {bus_id}"]
    for depth, label, element, value in _rows():
        if label == "-":
            continue
        shown = f"0x{value}" if element in _HEX_IN_TEXT else value
        indent = "    " * (2 if label in ("Single Bit ECC", "Double Bit ECC") else depth)
        lines.append(f"{indent}{label}" if value is None else f"{indent + label:<42}: {shown}")
    return "\n".join([*lines, f"{'    Processes':<42}: None", ""])


@cache
def xml_template() -> str:
    """One GPU in the XML form, with the fields of `gpu_values` to fill in."""
    lines = ['\t<gpu id="{bus_id}">']
    open_sections: list[tuple[int, str]] = []

    def close(depth: int) -> None:
        while open_sections and open_sections[-1][0] >= depth:
            lines.append("\t" * (len(open_sections) + 1) + f"</{open_sections.pop()[1]}>")

    for depth, _label, element, value in _rows():
        close(depth)
        indent = "\t" * (len(open_sections) + 2)
        if value is None:
            lines.append(f"{indent}<{element}>")
            open_sections.append((depth, element))
        elif element == "mig_devices":
            lines.extend((f"{indent}<mig_devices>", f"{indent}\tNone", f"{indent}</mig_devices>"))
        else:
            lines.append(f"{indent}<{element}>{value}</{element}>")
    close(0)
    lines.extend(("\t\t<supported_clocks>", "\t\t\t<supported_mem_clock>", "\t\t\t\t<value>2619 MHz</value>"))
    lines.extend(
        f"\t\t\t\t<supported_graphics_clock>{mhz} MHz</supported_graphics_clock>" for mhz in _SUPPORTED_GRAPHICS_MHZ
    )
    lines.extend(("\t\t\t</supported_mem_clock>", "\t\t</supported_clocks>", "\t\t<processes>", "\t\t</processes>"))
    lines.extend(("\t\t<accounted_processes>", "\t\t</accounted_processes>", "\t</gpu>"))
    return "\n".join(lines)


def gpu_values(machine: Machine, gpu: GpuPlan, now: float) -> dict[str, object]:
    """Everything of one GPU that differs between GPUs or over time."""
    facts, part = machine.plan.facts, machine.part(gpu.slot)
    hot = machine.fault("gpu_overheat", gpu.slot)
    failed = machine.fault("gpu_remap_failed", gpu.slot) is not None
    pending = machine.fault("gpu_ecc", gpu.slot) is not None
    vbios = machine.fault("wrong_vbios", gpu.slot)
    held = machine.fault("gpu_memory_held", gpu.slot)
    used_mib = int(held.params["mib"]) if held else 0
    # A slow wave of a few degrees, another one for each GPU: natural, and free of any random state.
    wave = (int(now / 30) + machine.plan.seed + 7 * gpu.index) % 9
    warm = min(1.0, machine.uptime_s(now) / _WARM_UP_S)
    celsius = int(hot.params["celsius"]) if hot else int(24 + 4 * warm) + wave % 5 + gpu.index % 3
    power_w = f"{402 if hot else 66 + wave + gpu.index % 4}.{(machine.plan.seed + 31 * wave) % 100:02d}"
    felt = _felt(machine, gpu, now)
    if felt is not None and not hot:
        celsius, power_w = round(felt.celsius), f"{felt.watts:.2f}"
    busy = felt.busy_percent if felt else 0
    slowed_hot = celsius >= _SLOWDOWN_CELSIUS
    braked = felt is not None and felt.braked
    bus = gpu.pci.split(":")[1]
    return {
        "product_name": facts.gpu_type,
        "serial": part.serial,
        "uuid": part.uuid,
        "index": gpu.index,
        "module": gpu.module,
        "vbios": vbios.params["version"] if vbios else gpu.vbios,
        "part_number": gpu.part_number,
        "driver": facts.driver_version,
        "bus": bus.upper(),
        "bus_lower": bus.lower(),
        "bus_id": bus_id(gpu.pci),
        "bbx_timestamp": time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(machine.state.booted_at + 51)) + ".891",
        "bbx_duration_us": 86000 + (machine.plan.seed + 613 * gpu.index) % 7000,
        "pcie_gen": facts.pcie_gen,
        "pcie_width": facts.pcie_width,
        "tx_kbytes_s": 400 + 37 * wave,
        "rx_kbytes_s": 350 + 23 * wave,
        "idle": _active(not hot and not busy),
        "thermal": _active(slowed_hot),
        "warm": _active(slowed_hot or (felt is not None and felt.warm)),
        "braked": _active(braked),
        "slowed": _active(slowed_hot or braked),
        "capped": _active(felt is not None and felt.capped),
        "busy_percent": busy,
        "limit_w": min(felt.limit_w if felt else LIMITS_W[1], machine.state.gpu_limits_w.get(gpu.slot, LIMITS_W[1])),
        "memory_mib": facts.gpu_memory_mib,
        "memory_used_mib": used_mib,
        "memory_free_mib": facts.gpu_memory_mib - 551 - used_mib,
        "volatile": part.volatile_uncorrectable,
        "aggregate": part.aggregate_uncorrectable,
        "remapped": part.remapped_rows,
        "remap_pending": "Yes" if pending else "No",
        "remap_failed": "Yes" if failed else "No",
        "reset_required": "Yes" if pending else "No",
        "drain_recommended": "Yes" if pending else "No",
        "banks_max": 2560 - part.remapped_rows,
        "banks_high": max(0, part.remapped_rows - failed),
        "banks_none": int(failed),
        "celsius": celsius,
        "celsius_margin": _SLOWDOWN_CELSIUS - 2 - celsius,
        "memory_celsius": celsius + 10,
        "power_w": power_w,
        "clock_mhz": 1155 if hot else _clock_mhz(felt),
    }


def _active(flag: bool) -> str:
    return "Active" if flag else "Not Active"


def _felt(machine: Machine, gpu: GpuPlan, now: float) -> GpuNow | None:
    """What the racks of the hall make of it; None where it has none."""
    measured = machine.measured(now)
    return measured.gpus[gpu.index] if measured and gpu.index < len(measured.gpus) else None


def _clock_mhz(felt: GpuNow | None) -> int:
    if felt is None or not felt.busy_percent:
        return _IDLE_MHZ
    if felt.braked:
        return _BRAKED_MHZ
    return _SLOWED_MHZ if felt.hot or felt.warm or felt.capped else _BUSY_MHZ


def query_xml(machine: Machine, now: float) -> str:
    """`nvidia-smi -q -x`."""
    gpus, template = machine.listed_gpus(), xml_template()
    head = (
        '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>\n'
        f"\t<timestamp>{_date(machine, now)}</timestamp>\n"
        f"\t<driver_version>{machine.plan.facts.driver_version}</driver_version>\n"
        f"\t<cuda_version>12.2</cuda_version>\n\t<attached_gpus>{len(gpus)}</attached_gpus>\n"
    )
    body = "\n".join(template.format_map(gpu_values(machine, gpu, now)) for gpu in gpus)
    return f"{head}{body}\n</nvidia_smi_log>\n"


def query_text(machine: Machine, now: float) -> str:
    """`nvidia-smi -q`."""
    gpus, template = machine.listed_gpus(), text_template()
    head = ["", f"{'':=^14}NVSMI LOG{'':=^14}", "", f"{'Timestamp':<42}: {_date(machine, now)}"]
    head.append(f"{'Driver Version':<42}: {machine.plan.facts.driver_version}")
    head.extend((f"{'CUDA Version':<42}: 12.2", "", f"{'Attached GPUs':<42}: {len(gpus)}"))
    return "\n".join([*head, *(template.format_map(gpu_values(machine, gpu, now)) for gpu in gpus)]) + "\n"


def list_gpus(machine: Machine) -> str:
    """`nvidia-smi -L`."""
    return "".join(
        f"GPU {index}: {machine.plan.facts.gpu_type} (UUID: {machine.part(gpu.slot).uuid})\n"
        for index, gpu in enumerate(machine.listed_gpus())
    )


def table(machine: Machine, now: float) -> str:
    """The summary `nvidia-smi` prints without arguments."""
    gpus, driver = machine.listed_gpus(), machine.plan.facts.driver_version
    if not gpus:
        return "No devices were found\n"
    rows = []
    for index, gpu in enumerate(gpus):
        seen = gpu_values(machine, gpu, now)
        power = f"{float(str(seen['power_w'])):.0f}W / {seen['limit_w']:.0f}W"
        memory = f"0MiB / {seen['memory_mib']}MiB"
        rows.append(
            f"| {index:>3}  {seen['product_name']!s:<25} {'On':>7}  | {seen['bus_id']!s} Off |"
            f" {seen['volatile']:>20} |\n"
            f"| N/A {seen['celsius']:>4}C    P0 {power:>23} | {memory:>20} |      0%      Default |\n"
            f"|{'':41}|{'':22}|{'Disabled':>21} |\n+{'':-^41}+{'':-^22}+{'':-^22}+\n"
        )
    return _TABLE_HEAD.format(_date(machine, now), driver, driver) + "".join(rows) + _TABLE_FOOT


_TABLE_HEAD = """\
{}
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI {:<22} Driver Version: {:<12} CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|                                         |                      |               MIG M. |
|=========================================+======================+======================|
"""
_TABLE_FOOT = """
+---------------------------------------------------------------------------------------+
| Processes:                                                                            |
|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |
|        ID   ID                                                             Usage      |
|=======================================================================================|
|  No running processes found                                                           |
+---------------------------------------------------------------------------------------+
"""
_CSV = {
    "index": "index", "name": "product_name", "uuid": "uuid", "serial": "serial", "pci.bus_id": "bus_id",
    "vbios_version": "vbios", "driver_version": "driver", "temperature.gpu": "celsius",
    "ecc.errors.uncorrected.volatile.total": "volatile", "ecc.errors.uncorrected.aggregate.total": "aggregate",
    "memory.total": "memory_mib", "power.draw": "power_w", "power.limit": "limit_w", "clocks.sm": "clock_mhz",
}  # fmt: skip
_CSV_UNITS = {"memory.total": "MiB", "power.draw": "W", "power.limit": "W", "clocks.sm": "MHz"}


def query_csv(machine: Machine, fields: list[str], form: list[str], now: float) -> tuple[int, str]:
    """`nvidia-smi --query-gpu=FIELDS --format=csv[,noheader][,nounits]`: exit status and output."""
    unknown = [name for name in fields if name not in _CSV]
    if unknown:
        return 2, f'Field "{unknown[0]}" is not a valid field to query.\n\n'
    units = {} if "nounits" in form else _CSV_UNITS
    head = [", ".join(f"{name} [{units[name]}]" if name in units else name for name in fields)]
    rows = []
    for index, gpu in enumerate(machine.listed_gpus()):
        seen = {**gpu_values(machine, gpu, now), "index": index}
        rows.append(", ".join(f"{seen[_CSV[name]]}{' ' + units[name] if name in units else ''}" for name in fields))
    return 0, "\n".join(([] if "noheader" in form else head) + rows) + "\n"


def _date(machine: Machine, now: float) -> str:
    return time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(machine.wall_clock(now)))
