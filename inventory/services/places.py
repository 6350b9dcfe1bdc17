"""Rows that are written as they are: sites, rooms, rows, aisles and racks, ports, and parts in stock."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model

from inventory.models import Rack
from inventory.services.refusals import Refused, refusing

Row = TypeVar("Row", bound=Model)


def save(row: Row, fields: dict[str, Any]) -> Row:
    """Set fields of a row and save it. Raises Refused."""
    for name, value in fields.items():
        setattr(row, name, value)
    if isinstance(row, Rack) and row.row is not None and row.row.room_id != row.room_id:
        raise Refused("row", "The row is in another room.")
    with refusing():
        # only what was asked for: somebody else may be changing another field of the row
        row.save(update_fields=list(fields) if row.pk else None)
    return row


def remove(row: Model) -> None:
    """Remove a row nothing refers to. Raises Refused while something is in it."""
    with refusing():
        row.delete()
