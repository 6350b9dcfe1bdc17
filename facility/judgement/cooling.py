"""What is wrong with the air: hot inlets, hot spots, exhaust that returns, fast rises, fans and ports. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal, NamedTuple

from facility.judgement.air import MachineAir, RackAir, coolest_c, neighbours_c
from facility.judgement.gaps import gaps_near
from facility.judgement.kinds import Finding
from facility.judgement.limits import AIR_CLASSES, SiteLimits
from facility.judgement.readings import away_from_peers, several


@dataclass(frozen=True, slots=True)
class Port:
    """A switch port with the temperature of its module."""

    device_id: int
    device: str
    port: str
    temperature_c: float | None
    at_u: int | None = None
    rack_id: int | None = None
    rack: str = ""
    room_id: int | None = None


class Place(NamedTuple):
    """Whose air or water it is: a rack's, a cooling unit's, a room's, or that of a meter of which no place is known."""

    kind: Literal["rack", "cooling_unit", "room", "meter"]
    id: int
    name: str
    rack_id: int | None = None
    room_id: int | None = None
    row: str = ""


def place_of(rack: RackAir) -> Place:
    return Place("rack", rack.rack_id, rack.name, rack.rack_id, rack.room_id, rack.row)


# ---- findings ----

Air = Literal["inlet.hot", "hot.spot", "recirculation", "air.class", "fan.high", "rise.fast"]


def findings(racks: Sequence[RackAir], limits: SiteLimits) -> list[Finding]:
    """Of the air of these racks; neighbours are looked for among them, so give whole rows."""
    found: list[Finding] = []
    for rack in racks:
        for machine in rack.machines:
            found += _inlet(rack, machine, limits)
            found += _hot_spot(rack, machine, racks, limits)
        found += _recirculation(rack, racks, limits)
    return found + fans_high(racks, limits)


def _inlet(rack: RackAir, machine: MachineAir, limits: SiteLimits) -> list[Finding]:
    """Outside the allowable range of its class, or above the recommended one."""
    if machine.inlet_c is None:
        return []
    name = machine.air_class if machine.air_class in AIR_CLASSES else limits.air_class
    air, inlet = limits.air(name), machine.inlet_c
    values = {"inlet_c": inlet, "class": name}
    if not air.allowable_low_c <= inlet <= air.allowable_high_c:
        text = (
            f"{machine.name} takes in air of {inlet:.1f} °C; class {name} allows {air.allowable_low_c:.0f} to "
            f"{air.allowable_high_c:.0f} °C."
        )
        return [_finding("air.class", rack, machine, text, values)]
    recommended = limits.recommended_c(machine.air_class)
    if inlet > recommended:
        text = f"{machine.name} takes in air of {inlet:.1f} °C; {recommended:.0f} °C is recommended."
        return [_finding("inlet.hot", rack, machine, text, values)]
    return []


def _hot_spot(rack: RackAir, machine: MachineAir, racks: Iterable[RackAir], limits: SiteLimits) -> list[Finding]:
    if machine.inlet_c is None:
        return []
    beside = neighbours_c(rack, racks, machine.middle_u)
    if len(beside) < 2 or machine.inlet_c - median(beside) < limits.hot_spot_c:
        return []
    over = machine.inlet_c - median(beside)
    text = f"{machine.name} takes in air {over:.1f} °C warmer than the same height in the racks beside {rack.name}."
    return [_finding("hot.spot", rack, machine, text, {"inlet_c": machine.inlet_c, "beside_c": median(beside)})]


def returning(rack: RackAir, racks: Iterable[RackAir], limits: SiteLimits) -> list[MachineAir]:
    """Machines that take in exhaust: warmer than the coolest of their rack, and than the same height beside it.

    In a row that is warm as a whole, nothing returns: its supply is warm. Without neighbours its own rack must do.
    """
    coolest = coolest_c(rack)
    found = []
    for machine in rack.machines:
        if machine.inlet_c is None or coolest is None or machine.inlet_c - coolest < limits.recirculation_c:
            continue
        beside = neighbours_c(rack, racks, machine.middle_u)
        if len(beside) < 2 or machine.inlet_c - median(beside) >= limits.recirculation_c / 2:
            found.append(machine)
    return found


def _recirculation(rack: RackAir, racks: Iterable[RackAir], limits: SiteLimits) -> list[Finding]:
    """One finding for a rack, with the machines and the gaps that are near enough to let the air through."""
    warm = returning(rack, racks, limits)
    if not warm:
        return []
    coolest = coolest_c(rack) or 0.0
    hottest = max(warm, key=lambda each: each.inlet_c or 0.0)
    gaps = gaps_near(rack.open_u, [(each.bottom_u, each.bottom_u + each.height_u - 1) for each in warm])
    names = ", ".join(f"U{low}-{high}" if low != high else f"U{low}" for low, high in gaps)
    through = f"through {names}" if gaps else "over the top or around the end of the row: no gap is open near them"
    text = (
        f"Warm air returns to {several(len(warm), 'machine')} of {rack.name} {through}; {hottest.name} takes in "
        f"{(hottest.inlet_c or 0) - coolest:.1f} °C more than the coolest of the rack."
    )
    values = {
        "machines": [each.device_id for each in warm],
        "gaps": [list(gap) for gap in gaps],
        "coolest_c": coolest,
        "hottest_c": hottest.inlet_c,
    }
    return [Finding("recirculation", "rack", rack.rack_id, rack.name, text, values, rack.rack_id, rack.room_id)]


class Turning(NamedTuple):
    """A machine whose fans, heat and inlet are known."""

    rack: RackAir
    machine: MachineAir
    rpm: float
    heat_w: float
    inlet_c: float


def fans_high(racks: Iterable[RackAir], limits: SiteLimits) -> list[Finding]:
    """Machines whose fans turn faster than those of at least eight others of their model that have as much to cool.

    A machine of which fans, draw or inlet is not known is compared with nobody, and nobody with it.
    """
    found = []
    for group in _turning(racks):
        full_w = max(max(each.machine.planned_w or 0.0, each.heat_w) for each in group) or 1.0
        for each in group:
            peers = [other.rpm for other in group if other is not each and _cools_as_much(other, each, full_w, limits)]
            away = away_from_peers(each.rpm, peers, limits.fan_percent)
            if away is not None and away[1] > 0:
                text = (
                    f"The fans of {each.machine.name} turn at {each.rpm:.0f} rpm, those of {len(peers)} others of its "
                    f"model at a similar draw and inlet at {away[0]:.0f} rpm."
                )
                values = {"rpm": each.rpm, "median_rpm": away[0], "percent": away[1], "peers": len(peers)}
                found.append(_finding("fan.high", each.rack, each.machine, text, values))
    return found


def _turning(racks: Iterable[RackAir]) -> list[list[Turning]]:
    """By model; those whose GPUs tell what they draw apart from those of which only the whole is known."""
    groups: defaultdict[tuple[str, bool], list[Turning]] = defaultdict(list)
    for rack in racks:
        for machine in rack.machines:
            speeds = [rpm for rpm in machine.fans_rpm.values() if rpm is not None]
            heat, inlet = machine.heat_w, machine.inlet_c
            if machine.model and speeds and heat is not None and inlet is not None:
                group = groups[machine.model, bool(machine.gpus_w)]
                group.append(Turning(rack, machine, median(speeds), heat, inlet))
    return list(groups.values())


def _cools_as_much(other: Turning, one: Turning, full_w: float, limits: SiteLimits) -> bool:
    """As much heat and as warm air, or a little more: fans that are faster than those do what nothing asks of them."""
    more_percent = (other.heat_w - one.heat_w) / full_w * 100
    return (
        -limits.less_load_percent <= more_percent <= limits.similar_load_percent
        and -limits.less_inlet_c <= other.inlet_c - one.inlet_c <= limits.similar_inlet_c
    )


def rise_finding(place: Place, what: str, c_per_min: float | None, limits: SiteLimits) -> Finding | None:
    """`what` names the sensor or the machine; the finding is the place's, one however many sensors show it."""
    if c_per_min is None or c_per_min < limits.rise_c_per_min:
        return None
    text = f"{what[:1].upper()}{what[1:]} in {place.name} gets {c_per_min:.1f} °C warmer a minute."
    values = {"c_per_min": c_per_min, "row": place.row, "what": what}
    return Finding("rise.fast", place.kind, place.id, place.name, text, values, place.rack_id, place.room_id)


def hot_ports(ports: Iterable[Port], limits: SiteLimits) -> list[Finding]:
    """Ports above the limit, by rack and height: those near each other share their air."""
    hot = [port for port in ports if port.temperature_c is not None and port.temperature_c > limits.port_c]
    found = []
    for port in sorted(hot, key=lambda each: (each.rack, each.at_u or 0, each.device, each.port)):
        where = f" in {port.rack}" + (f" U{port.at_u}" if port.at_u is not None else "") if port.rack else ""
        text = f"Port {port.port} of {port.device}{where} has {port.temperature_c:.0f} °C."
        values = {"temperature_c": port.temperature_c, "port": port.port, "at_u": port.at_u}
        found.append(
            Finding(
                "port.hot", "switch", port.device_id, port.device, text, values, port.rack_id, port.room_id, port.port
            )
        )
    return found


def _finding(kind: Air, rack: RackAir, machine: MachineAir, text: str, values: Mapping[str, Any]) -> Finding:
    return Finding(kind, "machine", machine.device_id, machine.name, text, values, rack.rack_id, rack.room_id)
