"""What every work order is written with: its subject and its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inventory.models import Device
from tickets.models import Step, Ticket
from tickets.orders import OrderStep


def subject_of_device(device: Device | None, name: str) -> dict[str, Any]:
    if device is None:
        return {"subject": "place", "subject_name": name[:120]}
    if device.kind == "machine":
        return {"subject": "machine", "machine_id": device.pk, "device": device}
    return {"subject": "switch", "device": device}


def write_steps(ticket: Ticket, first: int, version: int, steps: Sequence[OrderStep]) -> None:
    """Write steps of one plan, numbered from `first`."""
    Step.objects.bulk_create(
        Step(
            ticket=ticket,
            number=number,
            kind=step.kind,
            title=step.title[:200],
            detail=step.detail,
            move=step.move,
            swaps=step.swaps,
            order_version=version,
        )
        for number, step in enumerate(steps, start=first)
    )
