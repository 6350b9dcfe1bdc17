"""GPUs as `nvidia-smi` describes them, whichever of its forms was asked for.

One table names every field in the XML form, the text form and the CSV form; numbers lose their unit. A field is None
when the output does not have it, or has something that is not a value of its kind (`Unknown Error`, `ERR!`): both mean
that nothing is known; what was there and could not be read is listed in `unread`. A field that the tool calls not
applicable is None as well and listed in `not_applicable`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any

from health.checks.parsers import LONGEST_LINE, ParseError
from inventory.specs.device_model import normalise_pci


@dataclass(frozen=True)
class Gpu:
    """One GPU. `address` is as printed; memory in MiB, temperatures in Celsius, widths in lanes, power in watts.

    `plight` is LOST or NEEDS_RESET where the tool says so in the place of a value. `banks_low` and `banks_none` are
    memory banks with few spare rows left and with none.
    """

    address: str = ""
    index: int | None = None
    minor_number: int | None = None
    product_name: str | None = None
    architecture: str | None = None
    serial: str | None = None
    uuid: str | None = None
    vbios_version: str | None = None
    board_part_number: str | None = None
    gsp_firmware: str | None = None
    inforom_image: str | None = None
    persistence_mode: str | None = None
    memory_total_mib: int | None = None
    memory_used_mib: int | None = None
    process: str | None = None
    utilization_percent: int | None = None
    ecc_current: str | None = None
    ecc_pending: str | None = None
    volatile_sram_correctable: int | None = None
    volatile_dram_correctable: int | None = None
    volatile_correctable_total: int | None = None
    volatile_sram_uncorrectable: int | None = None
    volatile_sram_parity: int | None = None
    volatile_sram_secded: int | None = None
    volatile_dram_uncorrectable: int | None = None
    volatile_uncorrectable_total: int | None = None
    aggregate_sram_uncorrectable: int | None = None
    aggregate_sram_parity: int | None = None
    aggregate_sram_secded: int | None = None
    sram_threshold_exceeded: str | None = None
    remapped_correctable: int | None = None
    remapped_uncorrectable: int | None = None
    remap_pending: str | None = None
    remap_failed: str | None = None
    retired_single_bit: int | None = None
    retired_double_bit: int | None = None
    retirement_pending: str | None = None
    temperature_c: int | None = None
    temperature_tlimit_c: int | None = None
    slowdown_tlimit_c: int | None = None
    memory_temperature_c: int | None = None
    idle: str | None = None
    hw_slowdown: str | None = None
    hw_thermal: str | None = None
    hw_power_brake: str | None = None
    sw_thermal: str | None = None
    sw_power_cap: str | None = None
    pcie_gen: int | None = None
    pcie_gen_max: int | None = None
    pcie_width: int | None = None
    pcie_width_max: int | None = None
    pcie_replays: int | None = None
    clock_mhz: int | None = None
    clock_default_mhz: int | None = None
    reset_required: str | None = None
    drain_and_reset: str | None = None
    recovery_action: str | None = None
    fabric_state: str | None = None
    fabric_status: str | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    power_limit_default_w: float | None = None
    fabric_clique: str | None = None
    fabric_summary: str | None = None
    fabric_bandwidth: str | None = None
    fabric_recovering: str | None = None
    fabric_unhealthy: str | None = None
    fabric_timeout: str | None = None
    fabric_wrong: str | None = None
    channel_repair: str | None = None
    tpc_repair: str | None = None
    banks_low: int | None = None
    banks_none: int | None = None
    plight: str = ""
    not_applicable: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()

    @property
    def pci(self) -> str | None:
        """The address as `0000:9b:00.0`."""
        return normalise_pci(self.address)


@dataclass(frozen=True)
class GpuReport:
    """All GPUs of a machine. `lost`, `to_reset` and `corrupt_inforoms` are addresses the tool names; `complete` is
    False when only some fields were asked for, so a missing field says nothing, and `asked` are those where the form
    tells; `cut` when the output ends before the last GPU; `none_found` when the driver answered that it has no GPU at
    all."""

    gpus: tuple[Gpu, ...]
    driver_version: str | None = None
    cuda_version: str | None = None
    attached: int | None = None
    lost: tuple[str, ...] = ()
    to_reset: tuple[str, ...] = ()
    corrupt_inforoms: tuple[str, ...] = ()
    complete: bool = True
    cut: bool = False
    none_found: bool = False
    asked: frozenset[str] | None = None

    @property
    def names_trouble(self) -> bool:
        """Whether the output itself says why the tool ended with an error."""
        plights = any(gpu.plight for gpu in self.gpus)
        return plights or self.none_found or bool(self.lost or self.to_reset or self.corrupt_inforoms)


@dataclass(frozen=True)
class Field:
    """Where a field of Gpu stands in each form; alternatives (drivers rename) are joined by `|`."""

    name: str
    xml: str = ""
    text: str = ""
    csv: str = ""


_XML_CLOCKS = "clocks_event_reasons/clocks_event_reason_{0}|clocks_throttle_reasons/clocks_throttle_reason_{0}"
_TEXT_CLOCKS = "Clocks Event Reasons/{0}|Clocks Throttle Reasons/{0}"
_CSV_CLOCKS = "clocks_event_reasons.{0}|clocks_throttle_reasons.{0}"


def _clock(name: str, xml: str, text: str, csv: str) -> Field:
    return Field(name, _XML_CLOCKS.format(xml), _TEXT_CLOCKS.format(text), _CSV_CLOCKS.format(csv))


FIELDS = (
    Field("minor_number", "minor_number", "Minor Number"),
    Field("product_name", "product_name", "Product Name", "name|gpu_name"),
    Field("architecture", "product_architecture", "Product Architecture"),
    Field("serial", "serial", "Serial Number", "serial|gpu_serial"),
    Field("uuid", "uuid", "GPU UUID", "uuid|gpu_uuid"),
    Field("vbios_version", "vbios_version", "VBIOS Version", "vbios_version"),
    Field("board_part_number", "board_part_number", "Board Part Number"),
    Field("gsp_firmware", "gsp_firmware_version", "GSP Firmware Version"),
    Field("inforom_image", "inforom_version/img_version", "Inforom Version/Image Version|InfoROM Version/Image Version",
          "inforom.img|inforom.image"),
    Field("persistence_mode", "persistence_mode", "Persistence Mode", "persistence_mode"),
    Field("memory_total_mib", "fb_memory_usage/total", "FB Memory Usage/Total", "memory.total"),
    Field("memory_used_mib", "fb_memory_usage/used", "FB Memory Usage/Used"),
    Field("process", "processes/process_info/pid", "Processes/Process ID"),
    Field("utilization_percent", "utilization/gpu_util", "Utilization/Gpu|Utilization/GPU", "utilization.gpu"),
    Field("ecc_current", "ecc_mode/current_ecc", "ECC Mode/Current", "ecc.mode.current"),
    Field("ecc_pending", "ecc_mode/pending_ecc", "ECC Mode/Pending", "ecc.mode.pending"),
    Field("volatile_sram_correctable", "ecc_errors/volatile/sram_correctable",
          "ECC Errors/Volatile/SRAM Correctable", "ecc.errors.corrected.volatile.sram"),
    Field("volatile_dram_correctable", "ecc_errors/volatile/dram_correctable",
          "ECC Errors/Volatile/DRAM Correctable", "ecc.errors.corrected.volatile.dram"),
    Field("volatile_correctable_total", csv="ecc.errors.corrected.volatile.total"),
    Field(
        "volatile_sram_uncorrectable",
        "ecc_errors/volatile/sram_uncorrectable",
        "ECC Errors/Volatile/SRAM Uncorrectable",
        "ecc.errors.uncorrected.volatile.sram",
    ),
    Field(
        "volatile_sram_parity",
        "ecc_errors/volatile/sram_uncorrectable_parity",
        "ECC Errors/Volatile/SRAM Uncorrectable Parity",
    ),
    Field(
        "volatile_sram_secded",
        "ecc_errors/volatile/sram_uncorrectable_secded",
        "ECC Errors/Volatile/SRAM Uncorrectable SEC-DED",
    ),
    Field(
        "volatile_dram_uncorrectable",
        "ecc_errors/volatile/dram_uncorrectable",
        "ECC Errors/Volatile/DRAM Uncorrectable",
        "ecc.errors.uncorrected.volatile.dram",
    ),
    Field("volatile_uncorrectable_total", csv="ecc.errors.uncorrected.volatile.total"),
    Field(
        "aggregate_sram_uncorrectable",
        "ecc_errors/aggregate/sram_uncorrectable",
        "ECC Errors/Aggregate/SRAM Uncorrectable",
        "ecc.errors.uncorrected.aggregate.sram",
    ),
    Field(
        "aggregate_sram_parity",
        "ecc_errors/aggregate/sram_uncorrectable_parity",
        "ECC Errors/Aggregate/SRAM Uncorrectable Parity",
    ),
    Field(
        "aggregate_sram_secded",
        "ecc_errors/aggregate/sram_uncorrectable_secded",
        "ECC Errors/Aggregate/SRAM Uncorrectable SEC-DED",
    ),
    Field(
        "sram_threshold_exceeded",
        "ecc_errors/aggregate/sram_threshold_exceeded",
        "ECC Errors/Aggregate/SRAM Threshold Exceeded",
    ),
    Field(
        "remapped_correctable",
        "remapped_rows/remapped_row_corr",
        "Remapped Rows/Correctable Error",
        "remapped_rows.correctable",
    ),
    Field(
        "remapped_uncorrectable",
        "remapped_rows/remapped_row_unc",
        "Remapped Rows/Uncorrectable Error",
        "remapped_rows.uncorrectable",
    ),
    Field("remap_pending", "remapped_rows/remapped_row_pending", "Remapped Rows/Pending", "remapped_rows.pending"),
    Field(
        "remap_failed",
        "remapped_rows/remapped_row_failure",
        "Remapped Rows/Remapping Failure Occurred",
        "remapped_rows.failure",
    ),
    Field("retired_single_bit", "retired_pages/multiple_single_bit_retirement/retired_count",
          "Retired Pages/Single Bit ECC", "retired_pages.single_bit_ecc.count|retired_pages.sbe"),
    Field("retired_double_bit", "retired_pages/double_bit_retirement/retired_count",
          "Retired Pages/Double Bit ECC", "retired_pages.double_bit.count|retired_pages.dbe"),
    Field("retirement_pending", "retired_pages/pending_retirement|retired_pages/pending_blacklist",
          "Retired Pages/Pending Page Blacklist", "retired_pages.pending"),
    Field("temperature_c", "temperature/gpu_temp", "Temperature/GPU Current Temp", "temperature.gpu"),
    Field(
        "temperature_tlimit_c",
        "temperature/gpu_temp_tlimit",
        "Temperature/GPU T.Limit Temp",
        "temperature.gpu.tlimit",
    ),
    Field(
        "slowdown_tlimit_c",
        "temperature/gpu_temp_slow_tlimit_threshold",
        "Temperature/GPU Slowdown T.Limit Temp",
    ),
    Field(
        "memory_temperature_c", "temperature/memory_temp", "Temperature/Memory Current Temp", "temperature.memory"
    ),
    _clock("idle", "gpu_idle", "Idle", "gpu_idle"),
    _clock("hw_slowdown", "hw_slowdown", "HW Slowdown", "hw_slowdown"),
    _clock("hw_thermal", "hw_thermal_slowdown", "HW Slowdown/HW Thermal Slowdown", "hw_thermal_slowdown"),
    _clock(
        "hw_power_brake", "hw_power_brake_slowdown", "HW Slowdown/HW Power Brake Slowdown", "hw_power_brake_slowdown"
    ),
    _clock("sw_thermal", "sw_thermal_slowdown", "SW Thermal Slowdown", "sw_thermal_slowdown"),
    _clock("sw_power_cap", "sw_power_cap", "SW Power Cap", "sw_power_cap"),
    Field(
        "pcie_gen",
        "pci/pci_gpu_link_info/pcie_gen/current_link_gen",
        "PCI/GPU Link Info/PCIe Generation/Current",
        "pcie.link.gen.current|pcie.link.gen.gpucurrent",
    ),
    Field(
        "pcie_gen_max",
        "pci/pci_gpu_link_info/pcie_gen/max_link_gen",
        "PCI/GPU Link Info/PCIe Generation/Max",
        "pcie.link.gen.max",
    ),
    Field(
        "pcie_width",
        "pci/pci_gpu_link_info/link_widths/current_link_width",
        "PCI/GPU Link Info/Link Width/Current",
        "pcie.link.width.current",
    ),
    Field(
        "pcie_width_max",
        "pci/pci_gpu_link_info/link_widths/max_link_width",
        "PCI/GPU Link Info/Link Width/Max",
        "pcie.link.width.max",
    ),
    Field("pcie_replays", "pci/replay_counter", "PCI/Replays Since Reset"),
    Field("clock_mhz", "applications_clocks/graphics_clock", "Applications Clocks/Graphics",
          "clocks.applications.graphics|clocks.applications.gr"),
    Field("clock_default_mhz", "default_applications_clocks/graphics_clock", "Default Applications Clocks/Graphics",
          "clocks.default_applications.graphics|clocks.default_applications.gr"),
    Field("reset_required", "gpu_reset_status/reset_required", "GPU Reset Status/Reset Required",
          "reset_status.reset_required"),
    Field(
        "drain_and_reset",
        "gpu_reset_status/drain_and_reset_recommended",
        "GPU Reset Status/Drain and Reset Recommended",
        "reset_status.drain_and_reset_recommended",
    ),
    Field("recovery_action", "gpu_recovery_action", "GPU Recovery Action", "gpu_recovery_action"),
    Field("fabric_state", "fabric/state", "Fabric/State", "fabric.state"),
    Field("fabric_status", "fabric/status", "Fabric/Status", "fabric.status"),
    Field("fabric_clique", "fabric/cliqueId", "Fabric/CliqueId"),
    Field("fabric_summary", "fabric/health/summary", "Fabric/Health/Summary"),
    Field("fabric_bandwidth", "fabric/health/bandwidth", "Fabric/Health/Bandwidth"),
    Field("fabric_recovering", "fabric/health/route_recovery_in_progress",
          "Fabric/Health/Route Recovery in progress"),
    Field("fabric_unhealthy", "fabric/health/route_unhealthy", "Fabric/Health/Route Unhealthy"),
    Field("fabric_timeout", "fabric/health/access_timeout_recovery", "Fabric/Health/Access Timeout Recovery"),
    Field("fabric_wrong", "fabric/health/incorrect_configuration", "Fabric/Health/Incorrect Configuration"),
    Field("channel_repair", "ecc_errors/channel_repair_pending", "ECC Errors/Channel Repair Pending"),
    Field("tpc_repair", "ecc_errors/tpc_repair_pending", "ECC Errors/TPC Repair Pending"),
    Field("banks_low", "remapped_rows/row_remapper_histogram/row_remapper_histogram_low",
          "Remapped Rows/Bank Remap Availability Histogram/Low", "remapped_rows.histogram.low"),
    Field("banks_none", "remapped_rows/row_remapper_histogram/row_remapper_histogram_none",
          "Remapped Rows/Bank Remap Availability Histogram/None", "remapped_rows.histogram.none"),
    Field("power_w",
          "gpu_power_readings/power_draw|power_readings/power_draw|gpu_power_readings/instant_power_draw",
          "GPU Power Readings/Power Draw|Power Readings/Power Draw|GPU Power Readings/Instantaneous Power Draw",
          "power.draw|power.draw.instant"),
    Field("power_limit_w", "gpu_power_readings/current_power_limit|power_readings/power_limit",
          "GPU Power Readings/Current Power Limit|Power Readings/Power Limit", "power.limit"),
    Field("power_limit_default_w", "gpu_power_readings/default_power_limit|power_readings/default_power_limit",
          "GPU Power Readings/Default Power Limit|Power Readings/Default Power Limit", "power.default_limit"),
)  # fmt: skip

_KINDS: dict[str, str] = {field.name: str(field.type) for field in fields(Gpu)}
# The last is NVML_ERROR_DEPRECATED: what drivers from 560 on print where they gave a field up.
_NOT_APPLICABLE = frozenset(
    f"{opened}{words}{closed}"
    for words in ("N/A", "NOT SUPPORTED", "REQUESTED FUNCTIONALITY HAS BEEN DEPRECATED")
    for opened, closed in (("", ""), ("[", "]"))
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_UNREADABLE = ("unknown error", "err!", "gpu is lost", "gpu requires reset", "gpu reset required", "insufficient perm")
_CORRUPT = re.compile(
    r"infoROM is corrupted at gpu ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)", re.IGNORECASE
)


_ABSENT = object()
NO_DEVICES = "No devices were found"


def _reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """`read`, and _ABSENT where the tool says that it does not apply."""

    @lru_cache(maxsize=4096)
    def cached(text: str) -> Any:
        text = text.strip()
        return _ABSENT if text.upper() in _NOT_APPLICABLE else read(text)

    return cached


@cache
def _readers(form: str) -> list[tuple[str, tuple[str, ...], Callable[[str], Any]]]:
    """(field, the names it has in this form, how its text is read)."""
    kinds = {"str": _reader(_word), "int": _reader(_whole), "floa": _reader(_decimal)}
    rows = [(field.name, getattr(field, form), kinds[_KINDS[field.name][:4].rstrip(" |")]) for field in FIELDS]
    return [(name, tuple(names.split("|")), read) for name, names, read in rows if names]


def build_gpu(address: str, index: int | None, told: Mapping[str, str], form: str, plight: str = "") -> Gpu:
    """A Gpu of texts by the names that a form (xml, text or csv) has for the fields."""
    values: dict[str, Any] = {}
    absent: list[str] = []
    unread: list[str] = []
    for name, alternatives, read in _readers(form):
        for alternative in alternatives:
            text = told.get(alternative)
            if text is None:
                continue
            value = read(text[:LONGEST_LINE])
            if value is _ABSENT:
                absent.append(name)
            elif value is None:
                unread.append(name)
            else:
                values[name] = value
            break
    values |= {"not_applicable": frozenset(absent), "unread": frozenset(unread), "plight": plight}
    return Gpu(address=address, index=index, **values)


def _word(text: str) -> str | None:
    """`Enabled`; None for what is no value."""
    return None if not text or text.lower().lstrip("[").startswith(_UNREADABLE) else text


def _whole(text: str) -> int | None:
    """The number of `81559 MiB` or `16x`."""
    number = _NUMBER.match(text)
    return int(float(number.group())) if number else None


def _decimal(text: str) -> float | None:
    number = _NUMBER.match(text)
    return float(number.group()) if number else None


def first_of(values: Mapping[str, str], names: str) -> str | None:
    """The value under the first of the alternatives that exists."""
    return next((values[name] for name in names.split("|") if name in values), None)


def corrupt_inforoms(text: str) -> tuple[str, ...]:
    """Addresses in lines such as `WARNING: infoROM is corrupted at gpu 0000:9B:00.0`."""
    return tuple(dict.fromkeys(_CORRUPT.findall(text)))


def refuse_failure(where: str, text: str) -> None:
    """Raise ParseError with the tool's own words when it printed a failure instead of data."""
    for sign in ("NVIDIA-SMI has failed", "Failed to initialize NVML", NO_DEVICES, "command not found"):
        if sign in text:
            line = next(line for line in text.splitlines() if sign in line)
            raise ParseError(where, line.strip()[:300])
