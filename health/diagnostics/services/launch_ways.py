"""How a site launches an all-reduce over machines: its own ways, and the one that is used without any."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from core.errors import Conflict
from health.diagnostics import ways
from health.diagnostics.models import LaunchWay
from health.diagnostics.ways import Way

USUAL = Way(name="mpirun over SSH")
"""Of a site that keeps no way of its own."""


def at_site(site_id: int) -> list[Way]:
    """The ways of a site that are switched on, the first of them first; never none."""
    rows = LaunchWay.objects.filter(site_id=site_id, enabled=True)
    return [as_way(row) for row in rows] or [USUAL]


def of_site(site_id: int, name: str = "") -> Way:
    """The way of that name at this site, or its first one. Raises WayRefused for one that is not there."""
    own = at_site(site_id)
    found = next((way for way in own if way.name == name), None) if name else own[0]
    if found is None:
        raise ways.WayRefused(f"The site has no way {name!r} to launch, or it is switched off.")
    return found


def as_way(row: LaunchWay) -> Way:
    return Way(
        row.way, row.program, row.name, row.command, row.partition, row.account, row.reservation, row.image, row.mounts
    )


def save(row: LaunchWay, values: dict[str, Any]) -> LaunchWay:
    """Make or change a way. Raises WayRefused where no command can be made of it, Conflict for a name that is there."""
    for name, value in values.items():
        setattr(row, name, value)
    ways.checked(as_way(row))
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise Conflict("This site has a way of that name already.", "duplicate") from error
    return row


def remove(row: LaunchWay) -> None:
    """Runs that were launched so keep what it was."""
    row.delete()
