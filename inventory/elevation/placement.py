"""Where in a rack a device of some model would fit."""

from __future__ import annotations

from typing import Any

from inventory.elevation.read import from_top, read, sums
from inventory.elevation.spans import COLUMNS, Box, Column, Face, free_runs, occupied, places, u_of, units
from inventory.models import DeviceModel, Placement


def free_for(rack: int, model: DeviceModel, face: Face | None = None) -> dict[str, Any]:
    """Spans that are high enough, places to choose from, and what the rack would weigh and draw then.

    `face` is for models that are not full depth: front or rear, front unless given. A zero-U model has no spans but
    side slots. Six statements at most.
    """
    (contents,) = read([rack])
    weight, power = sums(contents)
    weight_kg = model.spec.get("weight_kg")
    answer: dict[str, Any] = {
        "model": {"slug": model.slug, "name": str(model), "height_u": units(model.half_u_height)},
        "spans": [],
        "suggestions": [],
        "sides": [],
        "weight": _after(weight["planned_kg"], weight_kg, weight["limit_kg"], bool(weight["unknown"])),
        "power": _after(power["planned_w"], model.power_w or None, power["limit_w"], bool(power["unknown"])),
    }
    if model.half_u_height == 0:
        return answer | {"sides": _side_slots(rack)}
    where: Face = "both" if model.full_depth else (face or "front")
    columns: tuple[Column, ...] = ("left", "right") if model.spec.get("half_width") else ("full",)
    cells, height = occupied(contents.taken()), contents.rack.height_u
    spans = [
        Box(where, column, *run)
        for column in columns
        for run in free_runs(height, cells, where, column)
        if run[1] - run[0] >= model.half_u_height
    ]
    suggested = places(spans, model.half_u_height, contents.rack.numbering)
    told = {
        "spans": sorted(spans, key=lambda box: (box.low, list(COLUMNS).index(box.column))),
        "suggestions": suggested,
    }
    for name, boxes in told.items():
        answer[name] = [
            {
                "u": u_of(box.low),
                "height_u": units(box.high - box.low),
                "face": box.face,
                "column": box.column,
                "from_top_u": from_top(contents.rack, u_of(box.low), units(box.high - box.low)),
            }
            for box in boxes
        ]
    return answer


def _after(planned: float, more: float | None, limit: float | None, unknown: bool) -> dict[str, Any]:
    """What the sum would be. `fits` is None where a figure is missing, unless it is too much already."""
    after = round(planned + (more or 0), 1)
    fits: bool | None = None
    if limit is not None:
        fits = False if after > limit else (None if unknown or more is None else True)
    return {"limit": limit, "planned": planned, "model": more, "after": after, "fits": fits}


def _side_slots(rack: int) -> list[str]:
    """Names of side slots that racks of the same room use and this one has free."""
    in_room = Placement.objects.filter(rack__room__racks=rack).exclude(side_slot="")
    names = set(in_room.values_list("side_slot", flat=True).distinct()) | {"rear-left", "rear-right"}
    taken = Placement.objects.filter(rack=rack).exclude(side_slot="").values_list("side_slot", flat=True)
    return sorted(names - set(taken))
