"""New rows of any kind of record, made from its declaration: what the SQL counts are taken with.

A field with a default is left out, a reference gets a record of its kind made first, and everything that must be unique
has the row's number in it. A kind whose rows must also make sense together has a line in `SPECIAL`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from core.models import Role
from core.services import ensure_user
from inventory.kinds import KINDS, Field, Kind, Scope, write
from inventory.models import Port

Row = dict[str, Any]
MODELS = Path(__file__).parents[1] / "inventory" / "device_models"
SERVER, SWITCH, PDU = "dell-xe9680-h100", "nvidia-qm9700", "pdu-zero-u-36c13-12c19"
PORTS_OF_A_SWITCH = 64


@cache
def model_file(slug: str) -> Row:
    return yaml.safe_load((MODELS / f"{slug}.yaml").read_text())


class World:
    """Makes records of a kind, and before them what they refer to. Ids are kept by kind."""

    def __init__(self) -> None:
        self.ids: dict[str, list[int]] = {}
        self.made = 0

    def rows(self, name: str, count: int) -> list[Row]:
        """Rows of a kind that could be written now; nothing of the kind itself is written yet."""
        kind = KINDS[name]
        start, self.made = self.made, self.made + count
        special = SPECIAL.get(name)
        more = special(self, count) if special else [{} for _ in range(count)]
        return [{**self.plain(kind, start + at), **more[at]} for at in range(count)]

    def plain(self, kind: Kind, number: int) -> Row:
        fields = [field for field in kind.fields.values() if field.required or (field.name in kind.key and field.own)]
        return {field.name: self.value(kind, field, number) for field in fields}

    def value(self, kind: Kind, field: Field, number: int) -> Any:
        if field.references:
            return self.one(field.references)
        if field.choices:
            return field.choices[0]
        if field.type == "date":
            return "2026-01-01"
        plain: Row = {"integer": number + 3, "number": number + 3, "boolean": False, "list": [], "object": {}}
        return plain.get(field.type, f"{kind.name[:3]}{number}")

    def one(self, name: str) -> int:
        """The id of some record of this kind."""
        if not self.ids.get(name):
            self.make(name, 1)
        return self.ids[name][0]

    def make(self, name: str, count: int) -> list[int]:
        report = write(name, self.rows(name, count), "create", scope=Scope.everything(), actor="tests")
        assert report.ok, f"{name}: {report.message} {[row.as_dict() for row in report.errors()[:3]]}"
        ids = [int(row.id) for row in report.rows if row.id is not None]
        self.ids.setdefault(name, []).extend(ids)
        return ids

    def model(self, slug: str) -> int:
        """The id of a product that comes with Rackside."""
        row = {"slug": slug, "spec": model_file(slug)}
        report = write("device-models", [row], "upsert", scope=Scope.everything(), actor="tests")
        assert report.ok and report.rows[0].id, report.errors()
        return report.rows[0].id

    def switch_ports(self, count: int) -> list[Port]:
        """Free InfiniBand ports, neighbours on different switches."""
        switches = 2 * (count // (2 * PORTS_OF_A_SWITCH) + 1)
        base = {"site": self.one("sites"), "model": self.model(SWITCH), "fabric": "infiniband", "tier": "leaf"}
        self.made += switches
        rows = [{**base, "name": f"switch{self.made}-{number}"} for number in range(switches)]
        report = write("devices", rows, "create", scope=Scope.everything(), actor="tests")
        assert report.ok, report.errors()
        ids = [row.id for row in report.rows if row.id is not None]
        return list(Port.objects.filter(device_id__in=ids, kind="infiniband").order_by("name", "device_id")[:count])


def devices(world: World, count: int) -> list[Row]:
    """Machines, each with ports and parts of its model, six to a rack."""
    racks, model = world.make("racks", count // 6 + 1), world.model(SERVER)
    return [{"model": model, "rack": racks[at // 6], "u": 1 + 6 * (at % 6), "face": "front"} for at in range(count)]


def models(world: World, count: int) -> list[Row]:
    world.made += count
    slugs = [f"model-{world.made}-{at}" for at in range(count)]
    return [{"slug": slug, "spec": {**model_file(SERVER), "model": slug}} for slug in slugs]


def cables(world: World, count: int) -> list[Row]:
    ports = world.switch_ports(2 * count)
    return [{"type": "MPO-12 OS2", "a": {"port": ports[2 * at].pk}, "b": {"port": ports[2 * at + 1].pk}}
            for at in range(count)]  # fmt: skip


def pass_throughs(world: World, count: int) -> list[Row]:
    """Front and rear ports of one device, pair by pair."""
    device = world.one("devices")
    made = []
    for kind in ("front", "rear"):
        rows = [{"device": device, "name": f"{kind}{world.made}-{at}", "kind": kind} for at in range(count)]
        report = write("ports", rows, "create", scope=Scope.everything(), actor="tests")
        assert report.ok, report.errors()
        made.append([row.id for row in report.rows])
    return [{"device": device, "front": front, "rear": rear} for front, rear in zip(*made, strict=True)]


def reservations(world: World, count: int) -> list[Row]:
    rack = world.make("racks", 1)[-1]
    return [{"rack": rack, "u": 1 + at, "height_u": 1} for at in range(count)]


def addresses(world: World, count: int) -> list[Row]:
    return [{"address": f"10.{world.made // 250}.{at // 250}.{at % 250 + 1}"} for at in range(count)]


def tiers(world: World, count: int) -> list[Row]:
    return [{"kind": "switch", "tier": f"t{world.made}-{at}", "pattern": "{tier}-{rack}"} for at in range(count)]


def comments(world: World, count: int) -> list[Row]:
    ensure_user("talker", role=Role.TECHNICIAN)
    return [{"rack": None, "author": "talker", "at": None} for _ in range(count)]


SPECIAL: dict[str, Callable[[World, int], list[Row]]] = {
    "devices": devices,
    "device-models": models,
    "cables": cables,
    "pass-throughs": pass_throughs,
    "naming-rules": tiers,
    "switches": lambda world, count: [{"model": world.model(SWITCH), "fabric": "infiniband", "tier": "leaf"}] * count,
    "pdus": lambda world, count: [{"model": world.model(PDU)}] * count,
    "components": lambda world, count: [{"kind": "gpu"}] * count,
    "ip-addresses": addresses,
    "reservations": reservations,
    "comments": comments,
    "annotations": lambda world, count: [{"at": "2026-11-01T10:00:00Z", "until": None}] * count,
    "custom-fields": lambda world, count: [{"kinds": ["racks"]}] * count,
}
# What a second write of a stored row changes; by default some text, choice or number that is no key.
CHANGED: dict[str, Callable[[int], Row]] = {
    "cables": lambda number: {"colour": "red"},
    "device-models": lambda number: {"spec": {**model_file(SERVER), "model": f"other-{number}", "name": "Other"}},
    "devices": lambda number: {"serial": f"S{number}", "bmc_ip": f"10.0.{number // 250}.{number % 250 + 1}"},
    "pass-throughs": lambda number: {"position": 7},
    "ports": lambda number: {"speed_gbps": 200},
}


def change(kind: Kind, number: int) -> Row:
    if kind.name in CHANGED:
        return CHANGED[kind.name](number)
    fields = [f for f in kind.fields.values() if f.own and not f.references and f.name not in kind.key]
    for field in fields:
        if field.type == "text" and not field.choices and field.name not in ("pattern", "colour", "timezone"):
            return {field.name: f"other{number}"}
    for field in fields:
        if field.type in ("integer", "number"):
            return {field.name: 2}
    return {kind.label: f"other{number}"}
