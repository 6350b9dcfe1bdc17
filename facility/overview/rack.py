"""One rack: its feeds with every machine on them, its height with temperatures, what is wrong and what to close."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from facility.facts import Part, Quantity
from facility.findings.limits import as_limits
from facility.findings.models import Finding
from facility.findings.services import policy_of
from facility.history.peaks import peaks_of, values_of
from facility.judgement import power
from facility.judgement.air import profile
from facility.judgement.gaps import Gap, gaps_of, gaps_to_close, profile_after
from facility.judgement.gpus import MachineGpus
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import LoadKey, PduReading
from facility.meters.models import Meter
from facility.meters.rounds import shown_state
from facility.overview.air import bottom_u, gpus_of, models_of, racks_air, top_u
from facility.overview.floor import rack_now
from facility.overview.last import Last, last_of, measured_graph
from facility.shapes import MeasuredFindingSerializer
from inventory.elevation.read import Mount
from inventory.elevation.read import read as read_racks
from inventory.models import Rack
from inventory.power.graph import PoweredDevice, PowerGraph
from inventory.power.queries import rack_graph


def rack_answer(rack: Rack) -> dict[str, Any]:
    """The answer of `/api/facility/racks/ID/`. A fixed number of statements."""
    now = timezone.now()
    site_id = rack.room.site_id
    policy = policy_of(site_id)
    limits = as_limits(policy)
    planned = rack_graph(site_id, rack.pk)
    last = last_of(site_id, now, _near(planned, rack.pk))
    serving = planned.serving(rack.pk)
    meters = _meters(planned, serving)
    graph = measured_graph(site_id, planned, last, _peaks(meters, now))
    shown = rack_now(rack)
    feeds = _feeds(graph, rack.pk, serving, meters, limits, now)
    found = Finding.objects.filter(rack=rack, closed_at=None).select_related("rack").order_by("severity", "-since")
    return {
        "rack": {
            "id": rack.pk, "name": rack.name, "row": rack.row.name if rack.row else None,
            "room": {"id": rack.room_id, "name": rack.room.name}, "height_u": rack.height_u,
        },
        "now_w": shown["power_w"],
        **{name: shown[name] for name in
           ("at_least", "known", "of", "peak_w", "peak_at", "planned_w", "limit_w", "share")},
        "method": _method(graph, rack.pk),
        "feeds": feeds,
        "imbalance_percent": max(
            (abs(each.percent) for pdu in _readings(graph, rack.pk) if (each := power.imbalance(pdu, limits))),
            default=None,
        ),
        **heights(rack, graph, last, limits),
        "inlet_recommended_c": policy.inlet_c,
        "findings": MeasuredFindingSerializer(found, many=True).data,
    }  # fmt: skip


def _near(planned: PowerGraph, rack_id: int) -> set[int]:
    """Devices whose values the page is made of: those around the rack, and the PDUs on the feeds of its own."""
    cords = {inlet.pdu_id for device in planned.devices.values() for inlet in device.inlets}
    feeds = {planned.way(pdu.id)[1] for pdu in planned.pdus.values() if pdu.rack_id == rack_id or pdu.id in cords}
    return planned.devices.keys() | {pdu for pdu in planned.pdus if planned.way(pdu)[1] in feeds}


def _meters(planned: PowerGraph, serving: set[int]) -> list[Meter]:
    """Of those PDUs, and the sums of the racks in which they hang."""
    racks = {planned.pdus[pdu].rack_id for pdu in serving}
    wanted = Q(device_id__in=serving) | Q(kind=Meter.Kind.RACK, rack_id__in=racks - {None})
    return list(Meter.objects.filter(wanted).select_related("told"))


def _peaks(meters: Iterable[Meter], now: datetime) -> dict[LoadKey, float]:
    of = {meter.pk: (meter.kind, meter.device_id or meter.rack_id or 0) for meter in meters}
    return values_of(peaks_of(of, now))


def _readings(graph: MeasuredGraph, rack_id: int) -> list[PduReading]:
    return [graph.readings.pdus[pdu] for pdu in graph.pdus_in(rack_id) if pdu in graph.readings.pdus]


def _method(graph: MeasuredGraph, rack_id: int) -> str:
    pdus = graph.pdus_in(rack_id)
    metered = [pdu for pdu in pdus if graph.metered_w(pdu) is not None]
    if pdus and len(metered) == len(pdus):
        return "pdu"
    by_bmc = any(graph.drawn[each.id].measured_w is not None for each in graph.devices_in(rack_id))
    return "mixed" if metered and by_bmc else "pdu" if metered else "bmc" if by_bmc else "none"


# ---- feeds ----


def _feeds(
    graph: MeasuredGraph, rack_id: int, serving: Iterable[int], meters: Iterable[Meter], limits: SiteLimits,
    now: datetime,
) -> list[dict[str, Any]]:  # fmt: skip
    """A strip for each PDU, side A first."""
    devices = graph.devices_in(rack_id)
    by_device = {meter.device_id: meter for meter in meters if meter.device_id is not None}
    pairs = {pair.survivor.id: pair for pair in power.pairs(graph, limits)}
    strips = [_strip(graph, pdu, devices, pairs, by_device.get(pdu), limits, now) for pdu in serving]
    return sorted(strips, key=lambda strip: (strip["side"] or "~", strip["pdu"]["name"]))


def _strip(
    graph: MeasuredGraph, pdu_id: int, devices: Sequence[PoweredDevice], pairs: dict[int, power.Pair],
    meter: Meter | None, limits: SiteLimits, now: datetime,
) -> dict[str, Any]:  # fmt: skip
    pdu, feed_id = graph.pdus[pdu_id], graph.way(pdu_id)[1]
    feed = graph.feeds.get(feed_id) if feed_id is not None else None
    load = power.pdu_load(graph, pdu_id, limits)
    now_w = load.now.at_least if load.now.known else None
    machines = [(each, _share_w(graph, each, pdu_id)) for each in devices]
    listed: list[dict[str, Any]] = [
        {"id": each.id, "name": each.name, "watts": watts}
        for each, watts in machines
        if watts is not None and each.kind == "machine"
    ]
    limit = pdu.limit_w if pdu.limit_w is not None else feed.derated_w if feed else None
    pair = pairs.get(feed_id) if feed_id is not None else None
    reading = graph.readings.pdus.get(pdu_id)
    return {
        "feed": {"id": feed.id, "name": feed.name} if feed else None,
        "side": feed.side if feed else "",
        "pdu": {"id": pdu_id, "name": pdu.name},
        "meter": _meter(meter, now),
        "now_w": now_w,
        "peak_w": load.peak,
        "planned_w": load.planned.at_least if load.planned and load.planned.known else None,
        "limit_w": limit,
        "capacity_w": feed.capacity_w if feed else None,
        "share": now_w / limit if now_w is not None and limit else None,
        "machines": listed,
        "other_w": max(0.0, now_w - sum(each["watts"] for each in listed)) if now_w is not None else None,
        "phases": _amperes(power.phase_loads(graph, reading, limits)) if reading else [],
        "breakers": _amperes(power.breaker_loads(graph, reading, limits)) if reading else [],
        "carries_if_other_fails_w": pair.carries.at_least if pair and pair.carries.known else None,
        "holds": _holds(pair),
    }


def _holds(pair: power.Pair | None) -> bool | None:
    """Whether a feed carries what its pair leaves it; a lower bound can only show that it does not."""
    if pair is None or pair.state == "unknown":
        return None
    if pair.state == "over":
        return False
    return True if pair.carries.value is not None else None


def _share_w(graph: MeasuredGraph, device: PoweredDevice, pdu_id: int) -> float | None:
    """What a device takes from one PDU; None where it has no cord there."""
    shares = [watts for pdu, watts in graph.shares(device) if pdu == pdu_id]
    return sum(shares) if shares else None


def _amperes(loads: Iterable[power.Load]) -> list[dict[str, Any]]:
    return [
        {
            "name": load.part, "current_a": load.now.value, "peak_a": load.peak, "limit_a": load.limit,
            "reason": "" if load.now.value is not None else "the PDU does not tell it",
        }
        for load in loads
    ]  # fmt: skip


def _meter(meter: Meter | None, now: datetime) -> dict[str, Any] | None:
    if meter is None:
        return None
    told = getattr(meter, "told", None)
    return {
        "id": meter.pk, "name": meter.name, "state": shown_state(meter, now), "message": meter.message,
        "read_at": told.at if told is not None else None,
    }  # fmt: skip


# ---- heights ----


def heights(rack: Rack, graph: MeasuredGraph, last: Sequence[Last], limits: SiteLimits) -> dict[str, Any]:
    """The rack from its floor up, with the temperature at each height, and what closing its gaps would do."""
    contents = read_racks([rack.pk])[0]
    (air,) = racks_air([contents], graph, last)
    told = {each.device_id: each for each in last if each.kind == Meter.Kind.MACHINE}
    mounted = {mount.device for mount in contents.mounts}
    models = models_of(each.model for each in last if each.device_id in mounted)
    gpus = {each.device_id: each for each in gpus_of(graph, models)}
    rows = [
        _height(mount, told.get(mount.device), graph, limits) | _gpus(gpus.get(mount.device or 0), limits)
        for mount in contents.mounts
        if mount.low is not None
    ]
    rows += [_open(gap) for gap in gaps_of(air.open_u)]
    advice = gaps_to_close(air)
    closed = profile_after(air, [Gap(each.from_u, each.to_u) for each in advice[:1]])
    names = {machine.device_id: machine.name for machine in air.machines}
    return {
        "heights": sorted(rows, key=lambda row: row["from_u"]),
        "profile": [
            {"u": now.at_u, "inlet_c": now.temperature_c, "closed_c": then.temperature_c if advice else None}
            for now, then in zip(profile(air), closed, strict=True)
        ],
        "gaps": [
            {
                "from_u": each.from_u, "to_u": each.to_u, "panel_u": each.panel_u, "benefit_c": each.benefit_c,
                "fan_w": each.fans_w, "machines": [names[pk] for pk in each.machines], "text": each.text(),
            }
            for each in advice
        ],
    }  # fmt: skip


def _height(mount: Mount, machine: Last | None, graph: MeasuredGraph, limits: SiteLimits) -> dict[str, Any]:
    kind = mount.device_kind if mount.device_kind in ("machine", "switch") else "other"
    inlet = machine.inlet_c if machine else None
    drawn = graph.drawn.get(mount.device or 0)
    return {
        "from_u": bottom_u(mount), "to_u": top_u(mount), "kind": "panel" if mount.kind == "blanking" else kind,
        "device": {"id": mount.device, "name": mount.name} if mount.device is not None else None,
        "inlet_c": inlet,
        "exhaust_c": machine.exhaust_c if machine else None,
        "fan_rpm": _fan_rpm(machine) if machine else None,
        "power_w": drawn.measured_w if drawn else None,
        "state": _warm_state(inlet, machine.air_class if machine else "", limits) if kind == "machine" else "ok",
    }  # fmt: skip


def _gpus(machine: MachineGpus | None, limits: SiteLimits) -> dict[str, Any]:
    """The hottest GPU of a machine and the band that it is in; null of what has none that tells."""
    if machine is None:
        return {"hottest_gpu_c": None, "gpu_band": None}
    known = [celsius for _, celsius in machine.temperatures_c if celsius is not None]
    return {"hottest_gpu_c": max(known, default=None), "gpu_band": machine.band(limits)}


def _open(gap: Gap) -> dict[str, Any]:
    nothing = dict.fromkeys(("device", "inlet_c", "exhaust_c", "fan_rpm", "power_w", "hottest_gpu_c", "gpu_band"))
    return {"from_u": gap.from_u, "to_u": gap.to_u, "kind": "open", **nothing, "state": "ok"}


def _fan_rpm(machine: Last) -> float | None:
    speeds = [told.get(Quantity.SPEED_RPM) for told in machine.parts(Part.FAN).values()]
    return max((each for each in speeds if each is not None), default=None)


def _warm_state(inlet_c: float | None, air_class: str, limits: SiteLimits) -> str:
    """Above what is recommended for its class, or outside of what it allows: as `air.class` and `inlet.hot` find it."""
    if inlet_c is None:
        return "unknown"
    air = limits.air(air_class)
    if not air.allowable_low_c <= inlet_c <= air.allowable_high_c:
        return "bad"
    return "ok" if inlet_c <= limits.recommended_c(air_class) else "warn"
