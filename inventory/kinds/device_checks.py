"""What is refused of devices before PostgreSQL is asked, with the row, the field and who is in the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from inventory.kinds.batch import Line
from inventory.kinds.placement import COLUMNS, FACES, Occupancy, Spans, half_unit_span, range_text, units_text
from inventory.kinds.racks import occupied, rack_heights
from inventory.models import AddressClaim, Device, Machine, Switch

if TYPE_CHECKING:
    from inventory.kinds.device_writer import DeviceWriter

PLACED = {"rack", "u", "face", "column", "side"}


def check_places(writer: DeviceWriter) -> None:
    """Racks that are touched are locked in id order; every place is free, or the row says who is there."""
    moving = [line for line in writer.batch.good if line.new or PLACED & set(line.changed)]
    racks = {line.after["rack"] for line in moving} | {line.before.get("rack") for line in moving}
    heights = rack_heights(pk for pk in racks if pk)
    if not heights:
        return
    occupancy = occupied(heights, leaving=[line.id for line in moving if line.id])
    for line in moving:
        if line.after["rack"] is not None:
            _put(writer, line, heights[line.after["rack"]], occupancy)


def _put(writer: DeviceWriter, line: Line, height_u: int, occupancy: Occupancy) -> None:
    after, model = line.after, writer.model_of(line)
    place: dict[str, Any] = {
        "kind": "device", "rack_id": after["rack"], "rack_height_u": height_u, "half_units": None, "faces": None,
        "columns": None, "side_slot": after["side"] or "", "reason": "", "owner": "",
    }  # fmt: skip
    line.extra["place"] = place
    who = f"{after['name']} (row {line.number})"
    if model.half_u_height == 0:
        if there := occupancy.hang(after["rack"], after["side"], who):
            line.refuse("side", f"{after['side']} is taken by {there}", "overlap")
        return
    spans = Spans(half_unit_span(after["u"], model.half_u_height), FACES[after["face"]], COLUMNS[after["column"]])
    if spans.half_units[1] > 2 * height_u + 1:
        line.refuse("u", f"{units_text(spans.half_units)} is above the rack, which has {height_u}U", "overlap")
        return
    if there := occupancy.take(after["rack"], spans, who):
        line.refuse("u", f"{units_text(spans.half_units)} is taken by {there}", "overlap")
    place |= {name: range_text(span) for name, span in spans._asdict().items()}


# ---- bays ----


def check_bays(writer: DeviceWriter) -> None:
    lines = [line for line in writer.batch.good if line.new or {"parent", "bay"} & set(line.changed)]
    for line in lines:
        if (line.after["parent"] is None) != (not line.after["bay"]):
            name = "bay" if line.after["parent"] is not None else "parent"
            line.refuse(name, "a bay is named together with the device it is in", "required")
    seated = [line for line in lines if line.after["parent"] is not None and not line.errors]
    if not seated:
        return
    parents = {line.after["parent"] for line in seated}
    bays = _bays_of(writer, parents)
    ids = {line.id for line in writer.batch.good}
    stored = Device.objects.filter(parent_id__any=sorted(pk for pk in parents if pk > 0))
    taken = {
        (parent, bay): name
        for pk, parent, bay, name in stored.values_list("pk", "parent_id", "bay", "name")
        if pk not in ids
    }
    for line in writer.batch.good:
        key = (line.after["parent"], line.after["bay"])
        if key[0] is None:
            continue
        there = taken.setdefault(key, line.after["name"])
        if there != line.after["name"]:
            line.refuse("bay", f"{there} sits in that bay", "overlap")
        elif bays.get(key[0]) and key[1] not in bays[key[0]]:
            line.refuse("bay", f"there is no such bay: {', '.join(bays[key[0]])}", "unknown_reference")
    _check_cycles(writer, seated)


def _bays_of(writer: DeviceWriter, parents: Iterable[int]) -> dict[int, list[str]]:
    stored = Device.objects.filter(pk__any=sorted(pk for pk in parents if pk > 0)).values_list(
        "pk", "model__spec__bays"
    )
    found = {pk: bays or [] for pk, bays in stored}
    by_number = {line.number: line for line in writer.batch.new}
    for pk in parents:
        if pk < 0 and -pk in by_number:
            found[pk] = writer.model_of(by_number[-pk]).spec.get("bays") or []
    return found


def _check_cycles(writer: DeviceWriter, seated: list[Line]) -> None:
    """No device sits, over however many bays, in itself."""
    parent: dict[int, int] = dict(Device.objects.exclude(parent=None).values_list("pk", "parent_id"))  # type: ignore[arg-type]
    for line in writer.batch.good:
        me = line.id if line.id else -line.number
        parent[me] = line.after["parent"]
    for line in seated:
        me = line.id if line.id else -line.number
        seen, at = {me}, parent.get(me)
        while at is not None and at not in seen:
            seen.add(at)
            at = parent.get(at)
        if at is not None:
            line.refuse("parent", "it would sit in itself", "cycle")


# ---- identities ----


def check_identities(writer: DeviceWriter) -> None:
    """A boot MAC, BMC MAC or node GUID belongs to one device of all sites."""
    for name, model in (("boot_mac", Machine), ("bmc_mac", Machine), ("node_guid", Switch)):
        lines = [line for line in writer.batch.good if line.after[name] and (line.new or name in line.changed)]
        if not lines:
            continue
        rows = model._default_manager.filter(**{f"{name}__any": [line.after[name] for line in lines]})
        stored = rows.values_list(name, "device_id", "device__name", "device__site_id")
        _refuse_owned(writer, name, lines, stored)


def _refuse_owned(writer: DeviceWriter, name: str, lines: list[Line], stored: Iterable[tuple[Any, ...]]) -> None:
    giving_up = {line.id for line in writer.batch.good if not line.new and name in line.changed}
    owners: dict[Any, tuple[str, int | None]] = {
        value: (device, site) for value, pk, device, site in stored if pk not in giving_up
    }
    for line in lines:
        device, site = owners.setdefault(line.after[name], (f"row {line.number}", line.site))
        if device != f"row {line.number}":
            who = device if writer.batch.scope.sees(site) else "a device of another site"
            line.refuse(name, f"{line.after[name]} is that of {who}", "duplicate")


def check_addresses(writer: DeviceWriter) -> None:
    """An address of a site belongs to one device."""
    names = ("primary_ip", "bmc_ip")
    wanted = [
        (line, name, line.after[name]) for line in writer.batch.good for name in names
        if line.after[name] and (line.new or name in line.changed)
    ]  # fmt: skip
    if not wanted:
        return
    changing = {
        (line.id, line.before.get(name)) for line in writer.batch.stored for name in names if name in line.changed
    }
    sites = sorted({line.site for line, _, _ in wanted if line.site is not None})
    claims = AddressClaim.objects.filter(site_id__any=sites, address__in={address for _, _, address in wanted})
    owners: dict[tuple[int | None, str], Any] = {}
    for site, address, pk, device, source in claims.values_list(
        "site_id", "address", "device_id", "device__name", "source"
    ):
        if source == AddressClaim.Source.ADDITIONAL or (pk, address) not in changing:
            owners[site, address] = device
    for line, name, address in wanted:
        mine = (line.number, name)
        there = owners.setdefault((line.site, address), mine)
        if there != mine:
            who = there if isinstance(there, str) else f"row {there[0]}"
            line.refuse(name, f"{address} is that of {who}", "duplicate")
