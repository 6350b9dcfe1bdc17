"""The plan a source is held against, the inventory's or a contractor's, and what a move in it costs."""

from __future__ import annotations

from collections import defaultdict

from fabric.discovery.models.sources import FabricSource
from fabric.facts import Place, Plan, PlannedPort
from fabric.formats.plan_files import read_plan
from fabric.planned import Planned, planned
from fabric.reconcile.clean import book_of, plain, shortened
from fabric.reconcile.prices import LengthTable, Prices, RackKey
from fabric.wiring.models.plans import LengthRule
from inventory.models import Rack

PRICE_PER_METRE = 0.5
"""Where a site has a length table: ten metres cost what another rack of the row costs without one."""


def plan_of(source: FabricSource) -> tuple[Planned, Prices]:
    """A fixed number of statements, whatever the size of the site."""
    inventory = planned(source.site_id, source.fabric)
    if source.plan is not None:
        inventory = as_built(read_plan(source.plan.text, source.plan.filename), inventory)
    places = {name: device.place for name, device in inventory.plan.devices.items()}
    table = lengths(source.site_id)
    return inventory, Prices(places=places, lengths=table, per_metre=PRICE_PER_METRE if table.between else None)


def as_built(plan: Plan, inventory: Planned) -> Planned:
    """A plan from a file, with what the inventory knows of devices of the same names."""
    called = _called(plan, inventory)
    devices = {}
    for name, device in plan.devices.items():
        same = inventory.plan.devices[called[name]] if name in called else None
        place = device.place if same is None or device.place != Place() else same.place
        devices[name] = device if same is None else same._replace(name=name, place=place)
    facts = {name: inventory.devices[same] for name, same in called.items() if same in inventory.devices}
    ends = (end for cable in plan.cables for end in cable.ends)
    wanted = {end: inventory.ports.get(PlannedPort(called.get(end.device, end.device), end.port)) for end in ends}
    kept = {end: port for end, port in wanted.items() if port is not None}
    labels = {cable.label: inventory.cables[cable.label] for cable in plan.cables if cable.label in inventory.cables}
    return Planned(Plan(devices, plan.cables, inventory.plan.reserved | plan.reserved), facts, kept, labels)


def _called(plan: Plan, inventory: Planned) -> dict[str, str]:
    """Devices of a file as the inventory calls them: in any case, and with or without their domain."""
    book = book_of(inventory.plan)
    found = {name: book.called.get(plain(name)) or book.called.get(shortened(plain(name))) for name in plan.devices}
    return {name: same for name, same in found.items() if same is not None}


def lengths(site_id: int) -> LengthTable:
    """The length table of a site: rules of rows spread over their racks, those of racks put above them."""
    rules = list(
        LengthRule.objects.filter(site_id=site_id).values_list(
            "a_row", "b_row", "a_rack__room__name", "a_rack__name", "b_rack__room__name", "b_rack__name", "length_m"
        )
    )
    if not rules:
        return LengthTable()
    racks: dict[int | None, list[RackKey]] = defaultdict(list)
    for row, room, name in Rack.objects.filter(room__site_id=site_id).values_list("row_id", "room__name", "name"):
        racks[row].append((room, name))
    between: dict[tuple[RackKey, RackKey], float] = {}
    for a_row, b_row, *_, metres in rules:
        if a_row is not None:
            between |= {(a, b): float(metres) for a in racks[a_row] for b in racks[b_row]}
    for a_row, _, a_room, a_rack, b_room, b_rack, metres in rules:
        if a_row is None:
            a, b = (a_room, a_rack), (b_room, b_rack)
            between.pop((b, a), None)
            between[a, b] = float(metres)
    return LengthTable(between)
