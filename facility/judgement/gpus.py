"""How warm GPUs are against the bands of the site and the limit of their model. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits

Band = Literal["great", "good", "warm", "near", "slows", "unknown"]
BANDS: tuple[Band, ...] = ("slows", "near", "warm", "good", "great", "unknown")


def band(temperature_c: float | None, limits: SiteLimits, slowdown_c: float | None = None) -> Band:
    """`slowdown_c` is what the GPU's model tells; without it, slowing is taken to begin where the site says near.

    Near begins at 84 °C, or a margin below the model's own limit if that is lower.
    """
    if temperature_c is None:
        return "unknown"
    if slowdown_c is not None and temperature_c >= slowdown_c:
        return "slows"
    near = limits.gpu_near_c if slowdown_c is None else min(limits.gpu_near_c, slowdown_c - limits.gpu_margin_c)
    if temperature_c >= near:
        return "near"
    if temperature_c <= limits.gpu_great_c:
        return "great"
    return "good" if temperature_c < limits.gpu_good_c else "warm"


def worst(bands: Iterable[Band]) -> Band:
    """Of several GPUs; what is not known is no better than what is."""
    return min(bands, key=BANDS.index, default="unknown")


@dataclass(frozen=True, slots=True)
class MachineGpus:
    """Temperatures by name of the GPU."""

    device_id: int
    name: str
    temperatures_c: tuple[tuple[str, float | None], ...]
    slowdown_c: float | None = None
    rack_id: int | None = None
    room_id: int | None = None

    def band(self, limits: SiteLimits) -> Band:
        """That of its hottest GPU."""
        return worst(band(each, limits, self.slowdown_c) for _, each in self.temperatures_c)


def near_findings(machines: Iterable[MachineGpus], limits: SiteLimits) -> list[Finding]:
    """One for a machine, with its GPUs that are near slowing down or past it."""
    found = []
    for each in machines:
        hot = {
            name: temperature
            for name, temperature in each.temperatures_c
            if band(temperature, limits, each.slowdown_c) in ("near", "slows")
        }
        if hot:
            name, hottest = max(hot.items(), key=lambda pair: pair[1] or 0.0)
            limit = each.slowdown_c if each.slowdown_c is not None else limits.gpu_near_c
            others = f" and {len(hot) - 1} more" if len(hot) > 1 else ""
            text = f"{name}{others} of {each.name} at {hottest:.0f} °C; {limit:.0f} °C is where clocks fall."
            values = {"gpus_c": hot, "slowdown_c": limit}
            found.append(
                Finding("gpu.near", "machine", each.device_id, each.name, text, values, each.rack_id, each.room_id)
            )
    return found
