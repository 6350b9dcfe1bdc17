"""What a site allows. Defaults are those of the field; a site changes what it knows better.

Sources: the 80 % rule for continuous loads is the National Electrical Code's (210.20, 215.3). Temperatures of air and
liquid are the classes of ASHRAE TC 9.9 (Thermal Guidelines, 5th edition, 2021; at sea level). GPU bands are those that
operators of H100 halls report: 70-75 °C is the aim, below 80 °C is good, slowing begins between 84 and 90 °C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class AirClass(NamedTuple):
    """Inlet air in °C: recommended for long life, allowable for hours."""

    recommended_high_c: float
    allowable_low_c: float
    allowable_high_c: float


AIR_CLASSES: Mapping[str, AirClass] = {
    "A1": AirClass(27, 15, 32),
    "A2": AirClass(27, 10, 35),
    "A3": AirClass(27, 5, 40),
    "A4": AirClass(27, 5, 45),
    "H1": AirClass(22, 15, 25),
}
LIQUID_CLASSES: Mapping[str, float] = {"W17": 17, "W27": 27, "W32": 32, "W40": 40, "W45": 45}
"""°C that the supplied water may have; W+ has no upper limit of its own."""


@dataclass(frozen=True, slots=True)
class SiteLimits:
    """Units stand in the names. Percent are of the limit beside them."""

    load_percent: float = 80  # of a rated current that may flow for long
    near_percent: float = 95  # of a limit, from which it is near
    imbalance_percent: float = 10  # a phase above or below the mean of its PDU
    imbalance_from_a: float = 10  # below this mean, phases may be as uneven as they like
    idle_supply_w: float = 5  # a supply below this carries nothing
    busy_supply_w: float = 50  # when its siblings carry this on average
    unknown_outlet_w: float = 10  # a load that nobody recorded
    unlike_percent: float = 8  # away from the median of its kind, and more than its spread explains
    similar_load_percent: float = 10  # GPU load of machines that are compared
    cap_slack_w: float = 1  # limits are set in watts and read with decimals
    air_class: str = "A2"  # of a model that names none
    inlet_c: float = 27  # recommended upper limit of a model that names no class
    hot_spot_c: float = 3  # above the same height in neighbouring racks
    recirculation_c: float = 2  # above the coolest inlet of its rack
    fan_percent: float = 15  # above the median of its kind
    less_load_percent: float = 2  # of a model's draw: those that cool less turn slower anyway
    less_inlet_c: float = 1
    similar_inlet_c: float = 3  # of machines that are compared
    rise_c_per_min: float = 1.0  # a hall of 40 kW racks without cooling gains several °C a minute
    rise_window_s: float = 300
    gpu_great_c: float = 75
    gpu_good_c: float = 80
    gpu_near_c: float = 84  # of a model that names no slowdown temperature
    gpu_margin_c: float = 3  # below a model's own slowdown temperature
    port_c: float = 70
    flow_percent: float = 70  # of the other manifolds
    dew_margin_c: float = 2
    filter_kpa: float = 50
    pump_percent: float = 5  # slower than this a pump stands still
    pump_full_percent: float = 95  # from here a pump runs as fast as it can

    def air(self, air_class: str) -> AirClass:
        """Of a model; the site's own for one that names none, or one that is no class."""
        return AIR_CLASSES.get(air_class) or AIR_CLASSES[self.air_class]

    def recommended_c(self, air_class: str) -> float:
        """The highest inlet that is recommended: the class's, or what the site says for a model that names none."""
        return AIR_CLASSES[air_class].recommended_high_c if air_class in AIR_CLASSES else self.inlet_c
