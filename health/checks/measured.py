"""What a machine measures of itself, of its BMC's report and of nvidia-smi: power, air, fans, GPUs. Pure.

A row is the part, its name, the quantity and the value. The words are those of `facility.facts`, which stands above and
is not imported here. Only what was told is there: a value that is missing is missing, not 0. `works` and `absent` of a
supply, and `slowdown_c` of a GPU, are what is said of it, and no measurement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from statistics import mean

from health.checks.bmc import is_inlet, supply_trouble
from health.checks.gpu_state import flag
from health.checks.parsers.bmc import BmcReport, PowerSupply, Sensor
from health.checks.parsers.gpus import Gpu, GpuReport

Row = tuple[str, str, str, float]
AWAY = ("Absent", "Disabled", "UnavailableOffline")
_OF_A_PART = re.compile(r"psu|\bps ?\d|power supply|gpu|sxm|hgx|nvme|ssd|dimm|pcie|coolant|liquid|water", re.I)
"""Sensors of what has an inlet of its own: the air there is not that of the machine."""
_SLOWED = {
    "slowed_hot": ("hw_thermal", "sw_thermal"),
    "slowed_capped": ("sw_power_cap",),
    "slowed_braked": ("hw_power_brake",),
}
"""By which of nvidia-smi's clock event reasons a GPU is held down."""


def measured(report: BmcReport | None, gpus: GpuReport | None) -> tuple[Row, ...]:
    """Everything that was told; either may not have been asked, or not have answered."""
    found: list[Row] = []
    if report is not None and report.error is None:
        found += _of_bmc(report)
    if gpus is not None:
        found += _of_gpus(gpus)
    return tuple(found)


def _of_bmc(report: BmcReport) -> Iterator[Row]:
    if report.draw_w is not None:
        yield "machine", "", "power_w", report.draw_w
    for supply in report.supplies or ():
        # One that is offline because its input died says 0, and that is so; anything else it says is of before.
        dead = supply.state == "UnavailableOffline" and supply.input_w == 0
        name = supply.name if supply.number is None else f"PSU.{supply.number}"
        if supply.input_w is not None and (dead or supply.state not in AWAY):
            yield "psu", name, "power_w", supply.input_w
        if supply.state == "Absent":
            yield "psu", name, "absent", 1.0
        elif _tells_state(supply):
            yield "psu", name, "works", float(not supply_trouble(supply))
    air = [each for each in report.temperatures or () if not _OF_A_PART.search(each.name)]
    inlets, exhausts = _readings(air, is_inlet), _readings(air, _is_exhaust)
    if inlets:
        yield "sensor", "inlet", "temperature_c", max(inlets)
    if exhausts:
        yield "sensor", "exhaust", "temperature_c", round(mean(exhausts), 2)
    for fan in report.fans or ():
        if fan.reading is not None and fan.state not in AWAY and _turns(fan):
            yield "fan", fan.name, "speed_rpm", fan.reading
    if report.fans_w is not None:
        yield "fan", "all", "power_w", report.fans_w


def _tells_state(supply: PowerSupply) -> bool:
    return any(told is not None for told in (supply.state, supply.health, supply.input_status, supply.input_volts))


def _readings(sensors: list[Sensor], wanted: Callable[[Sensor], bool]) -> list[float]:
    return [each.reading for each in sensors if each.reading is not None and each.state not in AWAY and wanted(each)]


def _is_exhaust(sensor: Sensor) -> bool:
    return sensor.context == "Exhaust" or "exhaust" in sensor.name.lower()


def _turns(fan: Sensor) -> bool:
    """Whether it is told in turns a minute; without a unit, what is more than any percent is."""
    return fan.unit.upper() == "RPM" if fan.unit else (fan.reading or 0) > 100


def _of_gpus(report: GpuReport) -> Iterator[Row]:
    gpus = [gpu for gpu in report.gpus if not gpu.plight]
    for gpu in gpus:
        if gpu.index is not None:
            told = {"temperature_c": gpu.temperature_c, "power_w": gpu.power_w, "power_limit_w": gpu.power_limit_w}
            yield from (
                ("gpu", f"GPU{gpu.index}", name, float(value)) for name, value in told.items() if value is not None
            )
            if (slows_c := _slows_at_c(gpu)) is not None:
                yield "gpu", f"GPU{gpu.index}", "slowdown_c", slows_c
    for quantity, reasons in _SLOWED.items():
        slowed = [_is_slowed(gpu, reasons) for gpu in gpus]
        if slowed and None not in slowed:
            yield "machine", "", quantity, float(sum(map(bool, slowed)))


def _slows_at_c(gpu: Gpu) -> float | None:
    """Where its clocks fall. Since Hopper the driver tells how far it is from its limit, and where it slows from there,
    below 0 beyond the limit (nvidia-smi -q, T.Limit)."""
    now, left, slows = gpu.temperature_c, gpu.temperature_tlimit_c, gpu.slowdown_tlimit_c
    return None if now is None or left is None or slows is None else float(now + left - slows)


def _is_slowed(gpu: Gpu, reasons: tuple[str, ...]) -> bool | None:
    """None where the tool does not tell: then how many of the machine are slowed is not known either."""
    told = [flag(getattr(gpu, name)) for name in reasons]
    return True if True in told else None if None in told else False
