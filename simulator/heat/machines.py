"""One machine: how fast its fans turn, how hot its GPUs are, when they are slowed, what it draws. Pure.

Tuned on what an air-cooled machine of eight 700 W GPUs does: a sixth of its planned draw when idle, nine tenths under
full load with fans at nine tenths, GPUs then at about 70 °C in air of 22 °C.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

AIR_J_PER_M3_K = 1206.0
FULL_RISE_C = 15.0
"""Of the air through the machine, at its planned draw with all fans at full speed."""
FAN_IDLE, FAN_LOAD = 0.3, 0.6
FAN_RPM = 18_000
FAN_W_SHARE = 0.15
"""What its fans draw at full speed, of its planned draw."""
GPU_IDLE_SHARE, GPU_FULL_SHARE = 0.1, 0.985
GPU_RISE_C = 50.0
"""Of a GPU over the inlet, at its limit with fans at nine tenths."""
SLOWS_C, SLOWS_HARD_C, HELD_C = 84.0, 87.0, 88.0
"""From where the driver slows a GPU, from where the GPU does so by itself, and where that holds it."""
BRAKED_SHARE = 0.5
"""What the power brake leaves of a GPU's limit."""
STANDBY_W = 45.0
SWITCH_SHARE = 0.7


class Asked(NamedTuple):
    """What a machine is about: `load` from 0 to 1, a cap for each GPU, and what is wrong with it. `hotter`: how many
    times as far as usual its GPUs are above the inlet."""

    on: bool = True
    load: float = 0.0
    cap_w: float | None = None
    more_w: float = 0.0
    faster_fans: float = 0.0
    brake: bool = False
    hotter: float = 1.0


class Drawn(NamedTuple):
    """Watts; `gpu_w` of one GPU, and `wanted_w` what the machine would draw if nothing braked it."""

    total_w: float
    gpu_w: float
    fan_share: float
    wanted_w: float
    braked: bool
    capped: bool


@dataclass(frozen=True)
class Sizes:
    """What follows from a machine's plan."""

    planned_w: float
    gpus: int
    gpu_limit_w: float
    switch: bool = False

    @property
    def airflow_m3_s(self) -> float:
        """With all fans at full speed."""
        return self.planned_w / (AIR_J_PER_M3_K * FULL_RISE_C)

    @property
    def fan_w(self) -> float:
        return 0.02 * self.planned_w if self.switch else FAN_W_SHARE * self.planned_w

    @cached_property
    def rest_w(self) -> float:
        """Processors, memory, cards and drives under full load."""
        gpus = self.gpus * self.gpu_limit_w * GPU_FULL_SHARE
        fans = self.fan_w * (FAN_IDLE + FAN_LOAD) ** 3
        return max(0.05 * self.planned_w, 0.93 * self.planned_w - gpus - fans)

    @property
    def kelvin_per_watt(self) -> float:
        """Of a GPU, times the share of its fans."""
        return GPU_RISE_C * (FAN_IDLE + FAN_LOAD) / self.gpu_limit_w


def fan_share(asked: Asked, inlet_c: float, gpu_c: float) -> float:
    """Fans follow the load, and turn faster for warm air and for hot GPUs."""
    wanted = FAN_IDLE + FAN_LOAD * asked.load + 0.02 * max(0.0, inlet_c - 24) + 0.03 * max(0.0, gpu_c - 75)
    return min(1.0, max(FAN_IDLE, wanted + asked.faster_fans))


def drawn(sizes: Sizes, asked: Asked, inlet_c: float, gpu_c: float, supplied_w: float | None = None) -> Drawn:
    """What it draws now. `supplied_w`: what its live supplies give; more than that pulls the power brake."""
    if not asked.on:
        return Drawn(STANDBY_W, 0.0, 0.0, STANDBY_W, False, False)
    fans = fan_share(asked, inlet_c, gpu_c)
    if sizes.switch:
        total = SWITCH_SHARE * sizes.planned_w + asked.more_w + sizes.fan_w * (fans - FAN_IDLE)
        return Drawn(total, 0.0, fans, total, False, False)
    limit = sizes.gpu_limit_w
    gpu_w = limit * (GPU_IDLE_SHARE + (GPU_FULL_SHARE - GPU_IDLE_SHARE) * asked.load)
    rest = sizes.rest_w * (0.38 + 0.62 * asked.load) + sizes.fan_w * fans**3 + asked.more_w
    capped = asked.cap_w is not None and gpu_w > asked.cap_w
    if asked.cap_w is not None:
        gpu_w = min(gpu_w, asked.cap_w)
    wanted = rest + sizes.gpus * gpu_w
    braked = asked.brake or (supplied_w is not None and wanted > supplied_w)
    if braked:
        gpu_w = min(gpu_w, BRAKED_SHARE * limit)
    held_w = (HELD_C - inlet_c) * fans / (sizes.kelvin_per_watt * max(1.0, asked.hotter))
    gpu_w = max(min(gpu_w, held_w), 0.5 * GPU_IDLE_SHARE * limit)
    return Drawn(rest + sizes.gpus * gpu_w, gpu_w, fans, wanted, braked, capped)


def gpu_target_c(sizes: Sizes, inlet_c: float, now: Drawn, hotter: float = 1.0) -> float:
    """Where its GPUs end up in this air."""
    return inlet_c + max(1.0, hotter) * sizes.kelvin_per_watt * now.gpu_w / max(now.fan_share, FAN_IDLE)


def exhaust_target_c(sizes: Sizes, inlet_c: float, now: Drawn) -> float:
    """Where its exhaust ends up; without fans it is the air around it."""
    if now.fan_share == 0:
        return inlet_c
    return inlet_c + now.total_w / (AIR_J_PER_M3_K * sizes.airflow_m3_s * now.fan_share)
