"""What is plugged into ports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inventory.models import StrandEnd


def load_cables(ports: Iterable[int]) -> dict[int, dict[str, Any]]:
    """The live cable of each port that has one: one query."""
    ends = StrandEnd.objects.filter(port_id__any=list(ports), change_set=None)
    return {
        port: {"cable": {"id": cable, "label": label, "status": status}}
        for port, cable, label, status in ends.values_list(
            "port_id", "connector__cable_id", "connector__cable__label", "connector__cable__status"
        )
    }
