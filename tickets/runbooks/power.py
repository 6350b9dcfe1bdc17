"""Switching a machine off and on so that it is seen: what to do next, from what the BMC shows. Pure.

Off is asked for gently first, because a system may be writing to its disks, and by force after that. Nothing counts as
off but the BMC's own word, and where the supplies tell what they draw, that has to agree with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

GENTLE_S = 90
GIVE_UP_S = 300
STANDBY_SHARE = 0.1
"""Of what the model may draw: above it a machine that calls itself off does not count as off."""

Order = Literal["", "graceful_off", "off", "on"]


@dataclass(frozen=True)
class Shown:
    """What the BMC showed: `on`, `off` or another word of its own; watts None where it tells none."""

    state: str
    input_w: float | None = None


@dataclass(frozen=True)
class Next:
    """`seen`: it is as wanted. `order`: give this order now. `failed`: give up. None of them: look again."""

    seen: bool = False
    order: Order = ""
    failed: bool = False
    text: str = ""


def decide(wanted: str, shown: Shown, *, ordered: str, age_s: float, rated_w: float | None = None) -> Next:
    """What follows. `ordered` is the last order that was written down, `age_s` seconds ago."""
    if shown.state == wanted:
        return _agrees(wanted, shown, age_s, rated_w)
    if not ordered:
        return Next(order="graceful_off" if wanted == "off" else "on", text=f"The BMC is asked to switch it {wanted}.")
    if age_s >= GIVE_UP_S:
        return Next(failed=True, text=f"Still {shown.state} {GIVE_UP_S:g} s after it was asked to switch {wanted}.")
    if ordered == "graceful_off" and age_s >= GENTLE_S:
        return Next(order="off", text=f"It did not shut down within {GENTLE_S:g} s: it is switched off by force.")
    return Next(text=f"Asked to switch {wanted}; the BMC shows {shown.state}.")


def _agrees(wanted: str, shown: Shown, age_s: float, rated_w: float | None) -> Next:
    drawn = "" if shown.input_w is None else f", its supplies draw {shown.input_w:.0f} W"
    if wanted == "off" and rated_w and shown.input_w is not None and shown.input_w > STANDBY_SHARE * rated_w:
        text = f"The BMC shows off{drawn}: too much for a machine that is off."
        return Next(failed=age_s >= GIVE_UP_S, text=text)
    return Next(seen=True, text=f"The BMC shows {wanted}{drawn}.")


def input_watts(power: Mapping[str, Any] | None, subsystem: Mapping[str, Any] | None) -> float | None:
    """What the supplies draw together, by the older `Power` or the newer `PowerSubsystem`; None when none tells."""
    told = []
    for row in (power or {}).get("PowerSupplies") or ():
        told.append(_number(row.get("PowerInputWatts")) if isinstance(row, Mapping) else None)
    rows = (subsystem or {}).get("PowerSupplies")
    for row in rows if isinstance(rows, list) else ():
        metrics = row.get("Metrics") if isinstance(row, Mapping) else None
        reading = metrics.get("InputPowerWatts") if isinstance(metrics, Mapping) else None
        told.append(_number(reading.get("Reading")) if isinstance(reading, Mapping) else None)
    known = [watts for watts in told if watts is not None]
    return sum(known) if known else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
