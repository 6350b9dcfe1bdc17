"""What can be wrong with power and cooling: one row each. Every one is there until it is cleared.

`about` is what the fault's target is the name of. `key` are the parameters that tell two faults of one kind on one
target apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

About = Literal["rack", "feed", "pdu", "cooling", "machine", "meter"]


class HeatError(ValueError):
    """No such fault, target or parameter; the message says what there is."""


@dataclass(frozen=True)
class HeatKind:
    name: str
    title: str
    about: About
    shows: str
    params: dict[str, Any] = field(default_factory=dict)
    key: tuple[str, ...] = ()


@dataclass
class HeatFault:
    """One that is there now. `params` are complete."""

    name: str
    target: str
    params: dict[str, Any]
    since: float

    def number(self, param: str) -> float:
        return float(self.params[param])


_KINDS = (
    HeatKind("gap_open", "A blanking panel is missing", "rack",
             "warm inlets beside these units", {"from_u": 1, "to_u": 1}, ("from_u", "to_u")),
    HeatKind("feed_off", "A feed is off", "feed",
             "its supplies carry nothing, their siblings all; its PDUs do not answer, unless agents_stay",
             {"agents_stay": False}),
    HeatKind("feed_tripped", "The circuit breaker of a feed tripped", "feed", "as feed_off"),
    HeatKind("bank_tripped", "A circuit breaker of a PDU tripped", "pdu",
             "its outlets carry nothing", {"bank": 1}, ("bank",)),
    HeatKind("valve_closed", "A valve closed", "cooling",
             "that of the facility water, or of the manifold of a rack: flow falls, water or air grow warm",
             {"open_percent": 0, "manifold": ""}, ("manifold",)),
    HeatKind("leak", "A leak", "cooling", "this detector is wet", {"detector": "Tray"}, ("detector",)),
    HeatKind("pump_failed", "A pump failed", "cooling",
             "it stands; the other turns faster", {"pump": 1}, ("pump",)),
    HeatKind("filter_dirty", "A filter is dirty", "cooling",
             "more pressure across it, less flow", {"dirt": 0.6}),
    HeatKind("supply_warm", "The air supply is too warm", "cooling",
             "every inlet of its racks so many degrees warmer", {"celsius": 5}),
    HeatKind("air_humid", "The air is too humid", "cooling",
             "so much humidity at its racks; its dew point comes near to the coolant", {"percent": 80}),
    HeatKind("supply_idle", "A power supply carries nothing", "machine",
             "it has input and gives no power", {"supply": "PSU 1"}, ("supply",)),
    HeatKind("cord_moved", "A cord is in another outlet", "machine",
             "the load shows at that outlet", {"supply": "PSU 1", "pdu": "", "outlet": ""}, ("supply",)),
    HeatKind("load", "The GPUs of a machine work", "machine",
             "draw, heat and busy GPUs; there is no process", {"share": 1.0}),
    HeatKind("draws_more", "A machine draws more than its model", "machine",
             "so many watts more at its outlets", {"watts": 1500}),
    HeatKind("fans_fast", "Fans turn faster than those of its kind", "machine",
             "rpm and draw", {"share": 0.4}),
    HeatKind("sinks_loose", "The heat sinks of GPUs sit badly", "machine",
             "GPUs so many times as far above the inlet, slowed under load", {"times": 1.5}),
    HeatKind("power_brake", "The power brake is on", "machine",
             "nvidia-smi: hardware power brake slowdown, half the power"),
    HeatKind("power_capped", "GPUs with another power limit", "machine",
             "nvidia-smi: this limit, and a software power cap under load", {"watts": 400}),
    HeatKind("outlet_taken", "Something unknown in an outlet", "pdu",
             "an outlet without a known device carries power", {"outlet": "", "watts": 300}, ("outlet",)),
    HeatKind("values_frozen", "Values stand still", "pdu", "the agent tells for ever what it told then"),
    HeatKind("values_in_tenths", "Powers in tenths", "pdu", "every power ten times too high"),
    HeatKind("counter_wraps", "The energy counters began again", "pdu", "energies count from 0 again"),
    HeatKind("meter_silent", "It does not answer", "meter", "no answer from this PDU, cooling unit or meter"),
)  # fmt: skip
CATALOGUE: dict[str, HeatKind] = {kind.name: kind for kind in _KINDS}


def made(name: str, target: str, given: dict[str, Any], now: float) -> HeatFault:
    """A fault with its parameters, by their kinds. Raises HeatError."""
    kind = CATALOGUE.get(name)
    if kind is None:
        raise HeatError(f"no fault of power or cooling named {name!r}; there are: {', '.join(CATALOGUE)}")
    unknown = set(given) - set(kind.params)
    if unknown:
        raise HeatError(f"{name} takes {', '.join(kind.params) or 'no parameters'}, not {', '.join(sorted(unknown))}")
    params = {key: _like(usual, given.get(key, usual), key) for key, usual in kind.params.items()}
    return HeatFault(name, target, params, now)


def _like(usual: Any, value: Any, key: str) -> Any:
    """The value as its kind: a switch, a number of 0 or more, or a text."""
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise HeatError(f"{key} is true or false, not {value!r}")
        return value
    if isinstance(usual, int | float):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise HeatError(f"{key} is a number of 0 or more, not {value!r}")
        return value
    return str(value)


def same(one: HeatFault, other: HeatFault) -> bool:
    """Whether they are the same thing gone wrong, however badly."""
    key = CATALOGUE[one.name].key
    return (one.name, one.target) == (other.name, other.target) and all(one.params[k] == other.params[k] for k in key)
