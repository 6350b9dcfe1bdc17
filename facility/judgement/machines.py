"""Machines: supplies that carry nothing, lost redundancy, wrong power limits, brakes, and draws unlike their kind's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from facility.judgement.kinds import Finding
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import MachineReading, SupplyReading, away_from_peers
from inventory.power.graph import PoweredDevice


@dataclass(frozen=True, slots=True)
class Unlike:
    """A machine away from the median of its peers: same model, similar GPU load."""

    device_id: int
    power_w: float
    median_w: float
    percent: float
    peers: int


def findings(
    graph: MeasuredGraph, limits: SiteLimits, wanted_cap_w: Mapping[str, float] | None = None
) -> list[Finding]:
    """Of every machine that was read. `wanted_cap_w` is the power limit that each GPU of a model shall have."""
    found: list[Finding] = []
    for reading in graph.readings.machines.values():
        device = graph.devices.get(reading.device_id)
        if device is not None:
            found += _supplies(graph, device, reading, limits)
            found += _caps(graph, device, reading, (wanted_cap_w or {}).get(reading.model), limits)
            found += _slowed(graph, device, reading)
    found += unknown_outlets(graph, limits)
    for each in unlike(graph, limits):
        found.append(_unlike_finding(graph, each))
    return found


# ---- supplies ----


def idle_supplies(reading: MachineReading, limits: SiteLimits) -> list[SupplyReading]:
    """Supplies that carry nothing while those beside them carry. In a machine that is off, none is idle."""
    return [
        supply
        for supply in reading.supplies
        if supply.power_w is not None
        and supply.power_w <= limits.idle_supply_w
        and _mean_of_others(reading, supply) >= limits.busy_supply_w
    ]


def _mean_of_others(reading: MachineReading, supply: SupplyReading) -> float:
    """Of those that are known and carry something: with three of six dead, the other three count."""
    others = [each.power_w for each in reading.supplies if each is not supply and each.power_w]
    return sum(others) / len(others) if others else 0.0


def _supplies(
    graph: MeasuredGraph, device: PoweredDevice, reading: MachineReading, limits: SiteLimits
) -> Iterator[Finding]:
    idle = idle_supplies(reading, limits)
    for supply in idle:
        mean = _mean_of_others(reading, supply)
        text = f"{supply.name} of {device.name} carries {supply.power_w:.0f} W; the others carry {mean:.0f} W each."
        feed = next((graph.feed_of(inlet) for inlet in device.inlets if inlet.id == supply.inlet_id), None)
        values = {"power_w": supply.power_w, "others_w": mean, "feed": feed}
        yield _finding(graph, "psu.idle", device, text, values, supply.name)
    dead = {each.name for each in reading.supplies if each.dead and not (each.absent and each.inlet_id is None)}
    dead |= {supply.name for supply in idle}
    left = redundancy_left(device, len(reading.supplies), len(dead))
    if dead and left is not None and left <= 0:
        names = ", ".join(sorted(dead))
        rest = "the next one takes it down" if left == 0 else "it runs with fewer supplies than it needs"
        text = f"{device.name} runs without {names}: {rest}."
        yield _finding(graph, "redundancy.lost", device, text, {"dead": sorted(dead), "may_still_fail": left})


def redundancy_left(device: PoweredDevice, supplies: int, dead: int) -> int | None:
    """How many more supplies may fail; None where its model does not tell, or has none to spare at all."""
    if not device.may_fail or not supplies:
        return None
    return device.may_fail - dead


# ---- limits and brakes ----


def _caps(
    graph: MeasuredGraph, device: PoweredDevice, reading: MachineReading, wanted_w: float | None, limits: SiteLimits
) -> Iterator[Finding]:
    """One finding for a machine, with all of its GPUs whose limit is not the wanted one."""
    if wanted_w is None:
        return
    wrong = {
        gpu.name: gpu.limit_w
        for gpu in reading.gpus
        if gpu.limit_w is not None and abs(gpu.limit_w - wanted_w) > limits.cap_slack_w
    }
    if wrong:
        low, high = min(wrong.values()), max(wrong.values())
        is_at = f"{low:.0f} W" if low == high else f"{low:.0f} to {high:.0f} W"
        some = f"{len(wrong)} of {len(reading.gpus)} GPUs of {device.name}"
        text = f"{some} are limited to {is_at} instead of {wanted_w:.0f} W."
        yield _finding(graph, "cap.wrong", device, text, {"wanted_w": wanted_w, "limits_w": wrong})


def slowed_gpus(reading: MachineReading, wanted_w: float | None, limits: SiteLimits) -> int | None:
    """GPUs whose clocks are held down: by heat, by the power brake, or at a power limit below the wanted one.

    At least so many: two causes may hold the same ones. At the limit that is wanted GPUs do what they are told. None
    where the machine tells of neither heat nor brake.
    """
    limited = [gpu.limit_w for gpu in reading.gpus if gpu.limit_w is not None]
    low = 0 if wanted_w is None else sum(limit + limits.cap_slack_w < wanted_w for limit in limited)
    causes = (reading.slowed_hot, reading.slowed_braked, min(reading.slowed_capped or 0, low) or None)
    known = [round(each) for each in causes if each is not None]
    return max(known, default=None)


def _slowed(graph: MeasuredGraph, device: PoweredDevice, reading: MachineReading) -> Iterator[Finding]:
    """A power limit that works is no finding: under load a GPU stands at its limit all day."""
    if reading.slowed_braked:
        text = f"The power brake slows {reading.slowed_braked:.0f} GPUs of {device.name}."
        yield _finding(graph, "brake.on", device, text, {"gpus": reading.slowed_braked})
    if reading.slowed_hot:
        text = f"Heat slows {reading.slowed_hot:.0f} GPUs of {device.name}."
        yield _finding(graph, "throttling", device, text, {"gpus": reading.slowed_hot, "cause": "thermal"})


# ---- outlets ----


def unknown_outlets(graph: MeasuredGraph, limits: SiteLimits) -> Iterator[Finding]:
    """Outlets that carry a load though the inventory has no cord in them."""
    for reading in graph.readings.pdus.values():
        pdu = graph.pdus.get(reading.pdu_id)
        for outlet in reading.outlets:
            if pdu and not outlet.recorded and outlet.power_w is not None and outlet.power_w >= limits.unknown_outlet_w:
                text = f"Outlet {outlet.name} of {pdu.name} carries {outlet.power_w:.0f} W; no cord is recorded in it."
                yield Finding(
                    "outlet.unknown", "pdu", pdu.id, pdu.name, text, {"power_w": outlet.power_w, "outlet": outlet.name},
                    pdu.rack_id, graph.room_of(pdu.rack_id), outlet.name,
                )  # fmt: skip


# ---- unlike its kind ----


def unlike(graph: MeasuredGraph, limits: SiteLimits) -> Iterator[Unlike]:
    """Machines whose draw differs from at least eight of the same model at a similar GPU load.

    A machine whose GPU load is not known is compared with nobody, and nobody with it.
    """
    for group in _by_model(graph).values():
        for reading, watts in group:
            peers = [w for other, w in group if other is not reading and _similar(other, reading, limits)]
            away = away_from_peers(watts, peers, limits.unlike_percent)
            if away is not None:
                yield Unlike(reading.device_id, watts, *away, len(peers))


def _by_model(graph: MeasuredGraph) -> dict[str, list[tuple[MachineReading, float]]]:
    groups: dict[str, list[tuple[MachineReading, float]]] = defaultdict(list)
    for reading in graph.readings.machines.values():
        drawn = graph.drawn.get(reading.device_id)
        watts = drawn.measured_w if drawn else None
        if watts is not None and reading.model and reading.gpu_load is not None:
            groups[reading.model].append((reading, watts))
    return groups


def _similar(one: MachineReading, other: MachineReading, limits: SiteLimits) -> bool:
    return abs((one.gpu_load or 0) - (other.gpu_load or 0)) * 100 <= limits.similar_load_percent


def _unlike_finding(graph: MeasuredGraph, each: Unlike) -> Finding:
    device = graph.devices[each.device_id]
    word = "more" if each.percent > 0 else "less"
    text = (
        f"{device.name} draws {each.power_w:.0f} W, {abs(each.percent):.0f} % {word} than the {each.median_w:.0f} W of "
        f"{each.peers} others of its model at a similar GPU load."
    )
    values = {"power_w": each.power_w, "median_w": each.median_w, "percent": each.percent, "peers": each.peers}
    return _finding(graph, "machine.unlike", device, text, values)


def _finding(
    graph: MeasuredGraph, kind: str, device: PoweredDevice, text: str, values: Mapping[str, Any], part: str = ""
) -> Finding:
    room = graph.room_of(device.rack_id)
    return Finding(kind, "machine", device.id, device.name, text, values, device.rack_id, room, part)
