"""Writes of sources: configure, remove, accept a discovery run that the guard rejected."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from core.errors import Conflict
from fabric.discovery import hooks
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.discovery.services import discoveries


@transaction.atomic
def save(source: FabricSource | None, fields: dict[str, Any]) -> FabricSource:
    """Create a source (None) or change one. Raises Conflict when its site has one of that name.

    With another address, what was pinned of the old one is forgotten.
    """
    row = FabricSource() if source is None else FabricSource.objects.select_for_update().get(pk=source.pk)
    if source is not None and fields.get("address", row.address) != row.address and "identity" not in fields:
        row.identity = ""
    for name, value in fields.items():
        setattr(row, name, value)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise Conflict(f"There is a source called {row.name} at this site.", "duplicate") from error
    return row


@transaction.atomic
def delete(source: FabricSource) -> None:
    """Remove a source with all that it told. Raises Conflict while it is needed to give links back, or loads them."""
    row = FabricSource.objects.select_for_update().get(pk=source.pk)
    for use in hooks.uses:
        if why := use.in_the_way(row):
            raise Conflict(why, "in_use")
    for use in hooks.uses:
        use.forget(row)
    row.delete()


@transaction.atomic
def accept_anyway(held: Discovery, *, reason: str, by: str) -> Discovery:
    """Look again at the capture of a look that was held back, the guard open. Raises Conflict, AlreadyRunning.

    Only the newest look can be believed: what came after it was held against the same past.
    """
    row = Discovery.objects.select_for_update().get(pk=held.pk)
    newest = row.source.discoveries.order_by("-id").values_list("pk", flat=True).first()
    if row.status != Discovery.Status.HELD_BACK or row.source.state != FabricSource.State.HELD_BACK:
        raise Conflict("Only a discovery run that the guard rejected can be accepted.", "invalid_transition")
    if row.pk != newest or row.capture is None:
        raise Conflict(
            "There is a newer discovery run, or its capture is gone: run the discovery again first.",
            "invalid_transition",
        )
    return discoveries.start(row.source, by=by, capture=row.capture, accept_reason=reason)
