"""What is wished of a site's scheduler."""

from __future__ import annotations

from typing import Any

from drivers.scheduler import MachineFacts
from health.models import MachineHealth


def is_scheduled(health: MachineHealth) -> bool:
    return False


def wish_drain(health: MachineHealth, reason: str, evidence: dict[str, Any]) -> None:
    return None


def wish_resume(health: MachineHealth) -> None:
    return None


def facts_now(health: MachineHealth) -> MachineFacts | None:
    """The machine as its scheduler sees it, asked now; None when it does not answer. Takes some seconds."""
    return None
