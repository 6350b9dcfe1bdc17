"""A cooling unit: how much water flows, how cold it is, and how cold the air is that coolers make with it. Pure.

Facility water (primary) cools the water of the racks (secondary) in the unit's heat exchanger; a cooler at each rack,
behind a manifold, cools that rack's air. Both exchangers give less with less flow.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

WATER_J_PER_KG_K = 4186.0
PRIMARY_SUPPLY_C = 10.0
WATER_C, AIR_C = 16.0, 21.0
"""What the unit holds: water to the racks, air from the coolers."""
RISE_C = 10.0
"""Of the secondary water at the unit's capacity and full flow."""
FILTER_KPA, PRESSURE_KPA = 15.0, 250.0
BEST = 0.95
HOTTEST_WATER_C, HOTTEST_AIR_C = 60.0, 60.0
HUMIDITY_PERCENT = 45.0


class Flow(NamedTuple):
    """Shares of the full flow, and what pumps and filter show. `speeds` in percent, 0 is a pump that failed."""

    primary: float
    secondary: float
    speeds: tuple[float, ...]
    filter_kpa: float


def flow(pumps: int, failed: frozenset[int], open_percent: float, dirt: float) -> Flow:
    """One pump more than needed turns: of two, each at half speed, and the one that is left at full speed.

    `open_percent` is the valve of the facility water, `dirt` from 0 (new) to 1 (blocked).
    """
    left = pumps - len(failed)
    speed = min(1.0, pumps / 2 / left) if left else 0.0
    pumped = min(1.0, 2 * speed * left / pumps)
    secondary = pumped * (1 - 0.55 * dirt)
    speeds = tuple(0.0 if number in failed else 100 * speed for number in range(1, pumps + 1))
    return Flow(open_percent / 100, secondary, speeds, FILTER_KPA * (1 + 12 * dirt) * secondary**2 if pumped else 0.0)


def effect(flow_share: float) -> float:
    """Of an exchanger: how much of the distance to the cold side it covers at this flow."""
    return BEST * (1 - exp(-2.2 * max(0.0, flow_share))) / (1 - exp(-2.2))


def litres_per_minute(watts: float, rise_c: float = RISE_C) -> float:
    """Water that carries so much heat with so much rise."""
    return watts / (WATER_J_PER_KG_K * rise_c) * 60


def rise_c(watts: float, lpm: float) -> float:
    """Of water that takes up this heat; of a trickle not without end."""
    return min(40.0, watts / (lpm / 60 * WATER_J_PER_KG_K)) if lpm > 0.5 else 0.0


def water_target_c(returning_c: float, primary_share: float) -> float:
    """The secondary supply that the unit makes of what returns."""
    best = returning_c - effect(primary_share) * (returning_c - PRIMARY_SUPPLY_C)
    return min(HOTTEST_WATER_C, max(WATER_C, best))


def air_target_c(returning_c: float, water_c: float, flow_share: float, warmer_c: float = 0.0) -> float:
    """The air that a rack's cooler makes of what its machines blow out."""
    best = returning_c - effect(flow_share) * (returning_c - water_c)
    return min(HOTTEST_AIR_C, max(AIR_C, best) + warmer_c)


def dew_point_c(air_c: float, humidity_percent: float = HUMIDITY_PERCENT) -> float:
    """Below 60 % within half a degree of Magnus' formula, which is what is wanted here."""
    return air_c - (100 - humidity_percent) / 5
