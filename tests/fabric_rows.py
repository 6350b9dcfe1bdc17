"""Rows of every table of the fabric, made from its fields: what the SQL counts are taken with.

What has a default keeps it, what refers to the fabric gets a row made before, and texts have the row's number in them.
What must also make sense together has a line in `TOGETHER`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import combinations_with_replacement
from typing import Any

from django.apps import apps
from django.db import models
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from core.models import Site
from inventory.models import Machine, Port, Rack

Row = dict[str, Any]
READ: Row = {"state": "ok", "reason": "", "at": None, "rates": {}, "ber": None, "ber_below": False, "max_c": None}
"""A link as measurements keep it."""


def together(number: int, now: datetime) -> dict[str, Row]:
    pairs = list(combinations_with_replacement(sorted(Rack.objects.values_list("pk", flat=True)), 2))
    ports = sorted(Port.objects.filter(kind="infiniband").values_list("pk", flat=True))
    machines = sorted(Machine.objects.values_list("pk", flat=True))
    return {
        "CapturePart": {"format": "ibnetdiscover"},
        "Finding": {"detail": {"moves": [], "ports": [], "checks": [], "evidence": {}}},
        "Discovery": {"status": "done", "finished_at": now},
        "LengthRule": dict(zip(("a_rack_id", "b_rack_id"), pairs[number], strict=True)),
        "Measurement": {"status": "done", "finished_at": now, "before": READ, "after": READ},
        "PortPolicy": {"site": Site.objects.create(slug=f"fabric-{number}", name=f"Fabric {number}")},
        "ReservedPort": {"port_id": ports[number]},
        "SeenNode": {"kind": "switch"},
        "BurnInPair": {"server_id": machines[0], "client_id": machines[1]},
    }


def fill(count: int) -> None:
    """So many rows in each table of the fabric, the later tables' referring to the first rows of the earlier ones."""
    now = timezone.now()
    site = Site.objects.order_by("pk").first()
    more = [together(number, now) for number in range(count)]
    made: dict[type[models.Model], models.Model] = {}
    waiting = [model for model in apps.get_app_config("fabric").get_models() if model._meta.managed]
    while waiting:
        model = next(each for each in waiting if not needs(each) & set(waiting) - {each})
        waiting.remove(model)
        rows = [
            model(**{**plain(model, number, now, site, made), **more[number].get(model.__name__, {})})
            for number in range(count)
        ]
        made[model] = model._default_manager.bulk_create(rows)[0]


def needs(model: type[models.Model]) -> set[Any]:
    return {field.related_model for field in model._meta.fields if field.is_relation}


def plain(
    model: type[models.Model], number: int, now: datetime, site: Site | None, made: dict[type[models.Model], Any]
) -> Row:
    """Values of the fields without a default."""
    found: Row = {}
    for field in model._meta.fields:
        if field.is_relation:
            value = site if field.related_model is Site else made.get(field.related_model)  # type: ignore[arg-type, call-overload]
            if value is not None:
                found[field.name] = value
        elif not (field.primary_key or field.has_default() or field.has_db_default() or field.null):
            found[field.name] = VALUES[field.get_internal_type()](number, now)
            if isinstance(field, models.CharField):
                found[field.name] = field.choices[0][0] if field.choices else f"n{number}"[: field.max_length]
    return found


VALUES: dict[str, Callable[[int, datetime], Any]] = {
    "CharField": lambda number, now: "",
    "TextField": lambda number, now: f"text {number}",
    "BinaryField": lambda number, now: zlib.compress(b"cable,a_device,a_port,b_device,b_port\nC1,one,1,two,1\n"),
    "BooleanField": lambda number, now: False,
    "PositiveIntegerField": lambda number, now: number + 1,
    "PositiveSmallIntegerField": lambda number, now: number + 1,
    "IntegerField": lambda number, now: number,
    "DecimalField": lambda number, now: 3,
    "FloatField": lambda number, now: 1.0,
    "DateTimeField": lambda number, now: now - timedelta(minutes=number),
    "DateTimeRangeField": lambda number, now: DateTimeTZRange(now, None),
}
