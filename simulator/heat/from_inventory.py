"""Racks, cords and feeds of the loaded fleet, with cooling units made up: one for each row, as the inventory has none.

Needs Django's database, as `simulator.from_inventory` does; used by `manage.py hall --site --heat` only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from inventory.models import Device, DeviceModel, Placement, Port, Rack
from inventory.power.graph import PoweredDevice, PowerGraph
from inventory.power.queries import site_graph
from inventory.specs.device_model import DeviceModelSpec
from simulator.heat.plan import VENDORS, CoolingPlan, Cord, DevicePlan, FeedPlan, HeatPlan, PduPlan, RackPlan
from simulator.heat.sample import CAPACITY_PER_RACK_W, gpu_limit_of, rated_w
from simulator.plan import HallPlan, PlanError

MACHINE_W, SWITCH_W = 1000.0, 300.0
"""Of a model that does not tell what it draws."""
NO_LIMIT_A = 100_000.0
"""Of a feed whose size nobody wrote down: it never trips."""
WORDS = {
    "apc": "apc", "schneider": "apc", "raritan": "raritan", "server technology": "sentry", "eaton": "eaton",
    "vertiv": "vertiv", "geist": "vertiv",
}  # fmt: skip
"""Makers by what their models' vendor says. PDUs of any other maker take turns, row by row."""
Place = tuple[int, float, float]
"""Rack, and the printed units between which a device stands, in halves from the lower edge of U1."""


def heat_from_inventory(site: str, hall: HallPlan) -> HeatPlan:
    """Everything of a site that stands in a rack. Raises PlanError where there is no rack."""
    rows = list(Rack.objects.filter(room__site__slug=site).select_related("room", "row").order_by("room", "name"))
    if not rows:
        raise PlanError(f"no racks are loaded for site {site!r}")
    twice = {name for name, count in Counter(rack.name for rack in rows).items() if count > 1}
    racks = {
        rack.pk: RackPlan(
            f"{rack.room.name}/{rack.name}" if rack.name in twice else rack.name, rack.room.name,
            rack.row.name if rack.row else "", rack.height_u, rack.numbering == Rack.Numbering.DOWN,
        )
        for rack in rows
    }  # fmt: skip
    graph = site_graph(rows[0].room.site_id)
    places = {
        device: (rack, (span.lower - 1) / 2, (span.upper - 1) / 2)  # type: ignore[union-attr]
        for device, rack, span in Placement.objects.filter(
            rack__room__site__slug=site, device__isnull=False, half_units__isnull=False
        ).values_list("device_id", "rack_id", "half_units")
    }
    return HeatPlan(
        site,
        tuple(racks.values()),
        tuple(_devices(site, graph, hall, places, racks)),
        tuple(
            FeedPlan(feed.name, feed.side, feed.voltage_v or 415.0, feed.current_a or NO_LIMIT_A, feed.phases)
            for feed in graph.feeds.values()
        ),
        tuple(_pdus(site, graph, racks)),
        tuple(_cooling(racks)),
    )


def _devices(
    site: str, graph: PowerGraph, hall: HallPlan, places: Mapping[int, Place], racks: Mapping[int, RackPlan]
) -> list[DevicePlan]:
    models = dict(Device.objects.filter(site__slug=site).values_list("id", "model_id"))
    rated = {
        model.pk: rated_w(DeviceModelSpec.from_dict(model.spec, source=model.slug))
        for model in DeviceModel.objects.filter(pk__in=set(models.values()))
    }
    found = []
    for device in graph.devices.values():
        place = places.get(device.id) or places.get(device.parent_id or 0)
        if place is not None and device.kind in ("machine", "switch"):
            found.append(_device(graph, device, hall, place, racks[place[0]], rated.get(models[device.id])))
    return found


def _device(
    graph: PowerGraph, device: PoweredDevice, hall: HallPlan, place: Place, rack: RackPlan, rated: float | None
) -> DevicePlan:
    _, low, high = place
    if rack.top_down:
        low, high = rack.height_u - high, rack.height_u - low
    machine = hall.by_name.get(device.name)
    inlets = graph.supplied(device).inlets
    cords = tuple(
        Cord(inlet.name, graph.pdus[inlet.pdu_id].name, inlet.outlet)
        for inlet in inlets
        if inlet.pdu_id is not None and inlet.pdu_id in graph.pdus
    )
    return DevicePlan(
        device.name, "machine" if device.kind == "machine" else "switch", rack.name, low, high,
        device.planned_w or (MACHINE_W if machine else SWITCH_W), len(machine.gpus) if machine else 0,
        gpu_limit_of(machine) if machine else 700.0,
        tuple(inlet.name for inlet in inlets) or (machine.slots("psu") if machine else ()), rated, cords,
    )  # fmt: skip


def _pdus(site: str, graph: PowerGraph, racks: Mapping[int, RackPlan]) -> list[PduPlan]:
    outlets: dict[int, list[str]] = defaultdict(list)
    ports = Port.objects.filter(device__site__slug=site, device__kind="pdu", kind="power_outlet").order_by("id")
    for device, name in ports.values_list("device_id", "name"):
        outlets[device].append(name)
    makers = dict(Device.objects.filter(site__slug=site, kind="pdu").values_list("id", "model__vendor"))
    order = {name: number for number, name in enumerate(dict.fromkeys(rack.row for rack in racks.values()))}
    found = []
    for pdu in graph.pdus.values():
        rack = racks.get(pdu.rack_id or 0)
        feed = graph.way(pdu.id)[1]
        usual = VENDORS[order[rack.row] % len(VENDORS)] if rack else VENDORS[0]
        found.append(PduPlan(
            pdu.name, rack.name if rack else "", graph.feeds[feed].name if feed is not None else "",
            _maker(makers.get(pdu.id, "")) or usual, tuple(outlets[pdu.id]),
        ))  # fmt: skip
    return found


def _maker(vendor: str) -> str:
    return next((maker for word, maker in WORDS.items() if word in vendor.lower()), "")


def _cooling(racks: Mapping[int, RackPlan]) -> list[CoolingPlan]:
    """One for each row: `cdu-a`; racks without a row share one."""
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for rack in racks.values():
        rows[rack.room, rack.row].append(rack.name)
    several = len({room for room, _ in rows}) > 1
    found = []
    for (room, row), names in rows.items():
        name = f"cdu-{row or 'rest'}".lower()
        found.append(CoolingPlan(
            f"{name} {room}" if several else name, room, tuple(names), CAPACITY_PER_RACK_W * len(names)
        ))  # fmt: skip
    return found
