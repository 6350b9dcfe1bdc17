"""Once a minute: what racks, rooms and sites draw and how warm they are, as meters of their own, and what is wrong.

What the floor shows is written here and read as it stands: a page costs a query, however large the site is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone

from core.models import Site
from core.work.alone import alone
from core.work.locks import only_here
from facility.facts import Measured, Part, Quantity
from facility.findings import services as findings
from facility.findings.known import is_unclear
from facility.findings.limits import as_limits
from facility.history.peaks import Peak, peaks_of, values_of
from facility.judgement.gpus import Band, worst
from facility.judgement.limits import SiteLimits
from facility.judgement.machines import slowed_gpus
from facility.judgement.measured import MeasuredGraph
from facility.judgement.power import Load, rack_load, room_load
from facility.judgement.readings import LoadKey, Sum
from facility.judgement.room import Ledger, free_w
from facility.meters import services
from facility.meters.models import Meter
from facility.overview import hot_ports, plugged
from facility.overview.air import Models, caps_of, gpus_of, models_in, pipes_of
from facility.overview.incidents import as_causes, incidents_of, told_with_cause
from facility.overview.judged import judged
from facility.overview.last import Last, last_of, measured_graph, not_judged, unheard_of
from facility.proposals import services as proposals
from health.services import follow_measured_causes
from inventory.models import Machine
from inventory.power.queries import site_graph

LOCK = 7_206
PERIOD_S = 60
TOTAL = Part.TOTAL


class Warmth(NamedTuple):
    """Of the machines of a rack: the highest inlet, the mean rise over a machine, the hottest GPU, GPUs slowed by each
    cause and those of which nobody knows, those that count as slowed (`machines.slowed_gpus`), at least so many where a
    machine does not tell, and the worst band that a GPU is in."""

    inlet_c: float | None
    delta_t_c: float | None
    hottest_gpu_c: float | None
    slowed: Mapping[Quantity, float | None]
    slowed_unknown: Mapping[Quantity, int]
    slowed_gpus: float | None
    slowed_at_least: bool
    gpu_band: Band


SLOWED = (Quantity.SLOWED_HOT, Quantity.SLOWED_CAPPED, Quantity.SLOWED_BRAKED)
UNKNOWN = "unknown"
"""Beside the GPUs of a rack that are slowed: those of machines that do not tell whether theirs are."""
Gpus = Mapping[int, Mapping[int, int]]
"""By rack and machine, how many it has."""


def add_up() -> None:
    """Every site that has a meter, one after the other; what goes wrong with one does not keep the others."""
    for site_id in Site.objects.filter(meters__enabled=True).distinct().values_list("pk", flat=True):
        with alone("power_not_added_up", site=site_id), only_here(LOCK, site_id) as here:
            if here:
                add_up_site(site_id, timezone.now())


def look_closely() -> None:
    """What takes longer and changes slowly: every site, one after the other."""
    now = timezone.now()
    for site_id in Site.objects.filter(meters__enabled=True).distinct().values_list("pk", flat=True):
        for look_at in (plugged.look_at, hot_ports.look_at):
            with alone("power_not_looked_at", site=site_id):
                look_at(site_id, now)


def add_up_site(site_id: int, now: datetime) -> None:
    """Write the sums of a site and follow its findings. A fixed number of statements."""
    last = [each for each in last_of(site_id, now) if each.kind not in Meter.SUMS]
    meters = _meters(site_id)
    highest = _peaks(meters, now)
    graph = measured_graph(site_id, site_graph(site_id), last, values_of(highest))
    policy = findings.policy_of(site_id)
    limits = as_limits(policy)
    ids = _ensure(site_id, graph, meters)
    ledger = Ledger(graph)
    models = models_in(graph)
    warmth = _warmth(graph, last, models, limits, _gpus(site_id))
    services.store(
        [
            *(_rack(graph, rack, limits, warmth, highest, ledger, ids, now) for rack in graph.readings.racks),
            *(_room(graph, room, highest, ids, now) for room in graph.readings.rooms),
            _site(graph, last, ids, now),
        ]
    )
    unheard, pipes = unheard_of(site_id, now), pipes_of(site_id, graph)
    found, told = judged(site_id, graph, last, unheard, pipes, models, limits, now)
    seen = incidents_of(graph, pipes, found, (), policy, caps_of(models))
    followed = findings.follow(
        site_id, told_with_cause(seen.incidents), now, but={plugged.KIND, hot_ports.KIND},
        not_judged=not_judged(unheard, graph), unclear=lambda each: is_unclear(each, told),
    )  # fmt: skip
    if followed.kept:
        seen = incidents_of(graph, pipes, found, followed.kept, policy, caps_of(models))
    proposals.follow(policy, seen.incidents, seen.names, now, not_judged=seen.not_judged)
    follow_measured_causes(site_id, as_causes(seen))


# ---- the meters of sums ----


def _meters(site_id: int) -> list[tuple[str, int, int]]:
    """Kind, rack, room or site, and meter."""
    rows = Meter.objects.filter(site_id=site_id, kind__in=Meter.SUMS).values_list("kind", "rack_id", "room_id", "pk")
    return [(kind, rack or room or site_id, pk) for kind, rack, room, pk in rows]


def _ensure(site_id: int, graph: MeasuredGraph, meters: Iterable[tuple[str, int, int]]) -> dict[tuple[str, int], int]:
    """The meter of each rack, room and of the site; made where it is new."""
    known = {(kind, subject): pk for kind, subject, pk in meters}
    wanted = {("rack", rack.id): (rack.name, {"rack_id": rack.id}) for rack in graph.readings.racks.values()}
    wanted |= {("room", room): (name, {"room_id": room}) for room, name in graph.readings.rooms.items()}
    wanted["site", site_id] = ("site", {})
    new = [
        Meter(site_id=site_id, name=name, kind=key[0], period_s=PERIOD_S, state=Meter.State.OK, **place)
        for key, (name, place) in wanted.items()
        if key not in known
    ]
    if not new:
        return known
    Meter.objects.bulk_create(new)
    return {(kind, subject): pk for kind, subject, pk in _meters(site_id)}


def peaks_of_site(site_id: int, now: datetime) -> dict[LoadKey, float]:
    """The most that each rack, room, panel, feed and PDU of a site drew in the last day. Two statements."""
    return values_of(_peaks(_meters(site_id), now))


def _peaks(meters: Iterable[tuple[str, int, int]], now: datetime) -> dict[LoadKey, Peak]:
    return peaks_of({pk: (kind, subject) for kind, subject, pk in meters}, now)


def _peak(load: Load, peak: Peak | None, now: datetime) -> dict[str, Any]:
    """As a page shows it: what is drawn now counts as well."""
    if load.now.value is not None and (peak is None or load.now.value > peak.value):
        peak = Peak(load.now.value, now)
    return {"peak_w": peak.value if peak else None, "peak_at": peak.at.isoformat() if peak else None}


# ---- what each tells ----


def _gpus(site_id: int) -> Gpus:
    """Of machines that stand in a rack. One statement."""
    machines = Machine.objects.filter(device__site_id=site_id, device__placement__rack__isnull=False)
    rows = machines.filter(device__model__gpu_count__gt=0).exclude(device__status="retired")
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for rack, pk, count in rows.values_list("device__placement__rack_id", "pk", "device__model__gpu_count"):
        found[rack][pk] = count
    return found


def _warmth(
    graph: MeasuredGraph, last: Iterable[Last], models: Models, limits: SiteLimits, gpus: Gpus
) -> dict[int, Warmth]:
    """By rack, also of those of which nothing is known."""
    bands: dict[int, list[Band]] = defaultdict(list)
    for machine in gpus_of(graph, models):
        bands[machine.rack_id or 0].append(machine.band(limits))
    by_rack: dict[int, list[Last]] = defaultdict(list)
    for each in last:
        if each.kind == "machine" and each.rack_id is not None:
            by_rack[each.rack_id].append(each)
    readings, wanted_cap_w = graph.readings.machines, caps_of(models)
    return {
        rack: _warmth_of(
            by_rack[rack], worst(bands[rack]),
            {each.device_id or 0: slowed_gpus(readings[each.device_id or 0], wanted_cap_w.get(each.model), limits)
             for each in by_rack[rack]},
            gpus.get(rack, {}),
        )
        for rack in graph.readings.racks
    }  # fmt: skip


def _warmth_of(
    machines: list[Last], gpu_band: Band, slowed: Mapping[int, float | None], gpus: Mapping[int, int]
) -> Warmth:
    told = {name: {each.device_id: each.of(Part.MACHINE, "", name) for each in machines} for name in SLOWED}
    return Warmth(
        _max(each.inlet_c for each in machines),
        _mean(each.delta_t_c for each in machines),
        _max(each.hottest_gpu_c for each in machines),
        {name: _sum(told[name].values()) for name in SLOWED},
        {name: sum(count for pk, count in gpus.items() if told[name].get(pk) is None) for name in SLOWED},
        _sum(slowed.values()),
        any(slowed.get(pk) is None for pk in gpus),
        gpu_band,
    )


def _max(values: Iterable[float | None]) -> float | None:
    return max((each for each in values if each is not None), default=None)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if known else None


def _rack(
    graph: MeasuredGraph, rack_id: int, limits: SiteLimits, warmth: Mapping[int, Warmth],
    highest: Mapping[LoadKey, Peak], ledger: Ledger, ids: Mapping[tuple[str, int], int], now: datetime,
) -> services.Told:  # fmt: skip
    """With what its PDUs carry: their own meters may not tell it in one value, or not at all."""
    load, warm = rack_load(graph, rack_id, limits), warmth[rack_id]
    of = f"{load.now.known} of {load.now.of} measured"
    values = [
        Measured(TOTAL, "", Quantity.POWER_W, load.now.value, "" if load.now.value is not None else of),
        _point(Part.SENSOR, "inlet", Quantity.TEMPERATURE_C, warm.inlet_c),
        _point(Part.SENSOR, "rise", Quantity.TEMPERATURE_C, warm.delta_t_c),
        _point(Part.GPU, "hottest", Quantity.TEMPERATURE_C, warm.hottest_gpu_c),
        *(_point(Part.MACHINE, "", name, warm.slowed[name]) for name in SLOWED),
        *(Measured(Part.MACHINE, UNKNOWN, name, warm.slowed_unknown[name]) for name in SLOWED),
        *(_carried(Part.PDU, pdu, graph.pdu_now(pdu)) for pdu in graph.pdus_in(rack_id)),
    ]
    shown = {
        "power_w": load.now.at_least if load.now.known else None, "at_least": load.now.value is None,
        "known": load.now.known, "of": load.now.of, **_peak(load, highest.get(("rack", rack_id, "")), now),
        "planned_w": load.planned.at_least if load.planned else None, "limit_w": load.limit,
        "share": load.now.at_least / load.limit if load.limit and load.now.known else None,
        "inlet_c": warm.inlet_c, "delta_t_c": warm.delta_t_c, "hottest_gpu_c": warm.hottest_gpu_c,
        "gpu_band": warm.gpu_band, "slowed": warm.slowed_gpus, "slowed_at_least": warm.slowed_at_least,
        "free_w": free_w(ledger, rack_id), "state": load.state,
    }  # fmt: skip
    return services.Told(ids["rack", rack_id], now, values, PERIOD_S, memory=shown, most_points=None)


def _point(part: Part, name: str, quantity: Quantity, value: float | None) -> Measured:
    return Measured(part, name, quantity, value, "" if value is not None else "no machine of it tells")


def _carried(part: Part, pk: int, now: Sum) -> Measured:
    """What a panel, a feed or a PDU carries, as a point of its own."""
    reason = "" if now.value is not None else f"{now.known} of {now.of} measured"
    return Measured(part, str(pk), Quantity.POWER_W, now.value, reason)


def _room(
    graph: MeasuredGraph, room_id: int, highest: Mapping[LoadKey, Peak], ids: Mapping[tuple[str, int], int],
    now: datetime,
) -> services.Told:  # fmt: skip
    load = room_load(graph, room_id)
    reason = "" if load.now.value is not None else f"{load.now.known} of {load.now.of} measured"
    shown = {
        "power_w": load.now.at_least if load.now.known else None, "at_least": load.now.value is None,
        **_peak(load, highest.get(("room", room_id, "")), now),
        "planned_w": load.planned.at_least if load.planned and load.planned.known else None,
    }  # fmt: skip
    values = [Measured(TOTAL, "", Quantity.POWER_W, load.now.value, reason)]
    return services.Told(ids["room", room_id], now, values, PERIOD_S, memory=shown)


def _site(
    graph: MeasuredGraph, last: Iterable[Last], ids: Mapping[tuple[str, int], int], now: datetime
) -> services.Told:
    """What the site's own meter says beside what its racks draw: PUE is the one by the other. And what each panel and
    each feed carries, and the PDUs that stand in no rack."""
    site_id = next(pk for kind, pk in ids if kind == "site")
    whole, told = (_whole(site_id, last, name) for name in ("site", "it"))
    racks = graph.racks_now(graph.readings.racks)
    it_w = told if told is not None else racks.value
    values = [
        Measured(TOTAL, "site", Quantity.POWER_W, whole, "" if whole is not None else "no meter tells it"),
        Measured(
            TOTAL, "it", Quantity.POWER_W, it_w, "" if it_w is not None else f"{racks.known} of {racks.of} measured"
        ),
        *(_carried(Part.PANEL, panel, graph.panel_now(panel)) for panel in graph.panels),
        *(_carried(Part.FEED, feed, graph.feed_now(feed)) for feed in graph.feeds),
        *(_carried(Part.PDU, pdu.id, graph.pdu_now(pdu.id)) for pdu in graph.pdus.values() if pdu.rack_id is None),
    ]
    shown = {"pue": pue(whole, it_w), "it_w": racks.at_least if racks.known else None, "at_least": racks.value is None}
    return services.Told(ids["site", site_id], now, values, PERIOD_S, memory=shown, most_points=None)


def _whole(site_id: int, last: Iterable[Last], name: str) -> float | None:
    """The sum of a total over every meter of the site that has ever told it; None while one of them is silent."""
    point = [[str(TOTAL), name, str(Quantity.POWER_W)]]
    rows = Meter.objects.filter(site_id=site_id, enabled=True, told__layout__points__contains=point)
    fresh = {each.meter_id: each.of(TOTAL, name, Quantity.POWER_W) for each in last}
    values = [fresh.get(pk) for pk in rows.exclude(kind__in=Meter.SUMS).values_list("pk", flat=True)]
    return None if None in values or not values else sum(value for value in values if value is not None)


def pue(site_w: float | None, it_w: float | None) -> float | None:
    """Power usage effectiveness; None where one is not known, or where less comes in than the machines draw."""
    return site_w / it_w if site_w is not None and it_w and site_w >= it_w else None
