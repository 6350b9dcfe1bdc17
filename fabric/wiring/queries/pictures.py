"""Pictures of the switch fronts that moves touch, from the faceplates of the device models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fabric.wiring.pictures import Front, Mark, move_pictures
from health.machines.specs import usable
from inventory.cabling.faceplate import faceplate
from inventory.models import Device
from inventory.specs.device_model import DeviceModelSpec

MOST = 60
"""Pictures of one finding; more fit no page."""


def of_moves(moves: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each move the one or two fronts it touches: `n` of the move, device, SVG. One statement."""
    moves = list(moves)
    ends = [end for move in moves for end in (*move["takes"], *move["puts"])]
    fronts = _fronts({end["device_id"] for end in ends if end["device_id"] is not None})
    pictures: list[dict[str, Any]] = []
    for move in moves:
        marks: dict[int, dict[str, Mark]] = {}
        for side, mark in (("takes", Mark.PULL), ("puts", Mark.PLUG)):
            for end in move[side]:
                if end["device_id"] is not None and end["port_name"]:
                    marks.setdefault(end["device_id"], {})[end["port_name"]] = mark
        for front, svg in move_pictures(move["n"], marks, fronts):
            pictures.append({"n": move["n"], "device": front.device, "svg": svg})
    return pictures[:MOST]


def _fronts(device_ids: set[int]) -> dict[int, Front]:
    """The fronts of switches whose model can be used."""
    if not device_ids:
        return {}
    rows = Device.objects.filter(pk__in=device_ids, kind="switch").values_list("pk", "name", "model_id", "model__spec")
    specs: dict[int, DeviceModelSpec | None] = {}
    fronts = {}
    for pk, name, model_id, spec in rows:
        if model_id not in specs:
            specs[model_id] = usable(spec)
        if (known := specs[model_id]) is not None:
            fronts[pk] = Front(name, faceplate(known), known.u_height)
    return fronts
