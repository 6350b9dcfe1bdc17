"""What the floor can be coloured by beside states: one value of every machine of a room.

A value is a number with its unit, or a word. A machine of which it is not known, or was last known too long ago, has no
row: unknown is never the coolest, and never the newest version. Rooms above register layers of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import orjson
from django.utils import timezone

from core.database import prepared
from core.registry import AllOffered
from health.monitoring import samples
from health.monitoring.facts import FACTS
from health.monitoring.services.sweeps.stored import read_layouts
from inventory.models import CustomField
from inventory.power.readings import fresh_since

Rows = Sequence[tuple[int, Any]]
COLUMNS = ("machine", "value")


@dataclass(frozen=True)
class Layer:
    """`order`: words from the best to the worst; without it those of most machines come first. `absent`: what it means
    that a machine has no value, where that is known."""

    key: str
    title: str
    kind: str
    """number or word."""
    unit: str = ""
    order: tuple[str, ...] = ()
    absent: str = ""


@dataclass(frozen=True)
class Source:
    """A layer and where its values come from: (room, now) to (machine, value)."""

    layer: Layer
    values: Callable[[int, datetime], Rows]


offered = AllOffered[Source]()

_STANDING = """
FROM inventory_placement placement
JOIN inventory_rack rack ON rack.id = placement.rack_id AND rack.room_id = %(room)s
JOIN health_machinehealth health ON health.machine_id = placement.device_id AND health.state <> 'retired'
"""
LOOKS = f"""
SELECT health.machine_id, sample.layout_id, sample.verdicts {_STANDING}
JOIN LATERAL (
    SELECT layout_id, verdicts FROM health_sample
    WHERE machine_id = health.machine_id AND at >= %(since)s AND heard ORDER BY at DESC LIMIT 1
) sample ON true
"""
POWER = f"""
SELECT health.machine_id, reading.watts {_STANDING}
JOIN inventory_powerreading reading ON reading.device_id = health.machine_id AND reading.at >= %(since)s
"""
AGES = f"""
SELECT health.machine_id, extract(epoch FROM %(now)s - report.heard_at)::int {_STANDING}
JOIN health_machinereport report ON report.machine_id = health.machine_id AND report.heard_at IS NOT NULL
"""
FACT = f"""
SELECT health.machine_id, facts.facts ->> %(name)s {_STANDING}
JOIN health_machinereport report ON report.machine_id = health.machine_id AND report.heard_at >= %(since)s
JOIN health_machinefacts facts ON facts.machine_id = health.machine_id AND facts.facts ? %(name)s
"""
FIELD = f"""
SELECT health.machine_id, device.custom -> %(name)s {_STANDING}
JOIN inventory_device device ON device.id = health.machine_id AND device.custom ? %(name)s
"""
TEMPERATURE_CHECK = "gpu.temperature"


def _temperatures(room: int, now: datetime) -> Rows:
    """The hottest GPU of each machine at its newest look, in °C."""
    looks = prepared.rows(LOOKS, {"room": room, "since": fresh_since(now)})
    layouts = {layout for _, layout, _ in looks}
    entries = read_layouts(layouts)
    places = {
        layout: [place for place, (check, _) in enumerate(entries[layout]) if check == TEMPERATURE_CHECK]
        for layout in layouts
    }
    found: list[tuple[int, float]] = []
    for machine, layout, packed in looks:
        values = samples.values(bytes(packed), len(entries[layout]))
        told = [value for place in places[layout] if (value := values[place]) is not None]
        if told:
            found.append((machine, max(told)))
    return found


def _asked(statement: str, **more: Any) -> Callable[[int, datetime], Rows]:
    def values(room: int, now: datetime) -> Rows:
        named = {"room": room, "now": now, "since": fresh_since(now)} | more
        return prepared.rows(statement, named)

    return values


def _field(name: str, shown: Callable[[Any], Any]) -> Callable[[int, datetime], Rows]:
    """Values of a custom field, which the driver hands over as JSON."""
    asked = _asked(FIELD, name=name)
    return lambda room, now: [(machine, shown(orjson.loads(value))) for machine, value in asked(room, now)]


def _word(value: Any) -> str:
    """As a page shows it: a yes or no in words, several choices in one."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


MEASURED = (
    Source(Layer("temperature", "Hottest GPU", "number", "°C"), _temperatures),
    Source(Layer("power", "Power drawn", "number", "W"), _asked(POWER)),
    Source(Layer("age", "Last answer", "number", "s"), _asked(AGES)),
)


def sources() -> dict[str, Source]:
    """Every layer by its key: measured, of other rooms, versions, custom fields of devices. One query."""
    versions = (Source(Layer(f"fact:{name}", title, "word"), _asked(FACT, name=name)) for name, title in FACTS.items())
    fields = (_of_field(field) for field in CustomField.objects.filter(kinds__contains=["devices"]))
    return {source.layer.key: source for source in (*MEASURED, *offered, *versions, *fields)}


def _of_field(field: CustomField) -> Source:
    number = field.type in (CustomField.Type.INTEGER, CustomField.Type.NUMBER)
    layer = Layer(f"field:{field.name}", field.title, "number" if number else "word")
    return Source(layer, _field(field.name, float if number else _word))


def layers() -> list[dict[str, Any]]:
    """What can be asked for, in the order a menu shows it."""
    return [asdict(source.layer) for source in sources().values()]


def values(source: Source, room: int) -> dict[str, Any]:
    """The answer of `/api/floor/values/`."""
    now = timezone.now()
    return asdict(source.layer) | {"at": now, "machines": {"columns": COLUMNS, "rows": source.values(room, now)}}
