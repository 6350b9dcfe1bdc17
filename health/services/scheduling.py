"""What is wished of a site's scheduler."""

from __future__ import annotations

from typing import Any

from health.models import MachineHealth


def is_scheduled(health: MachineHealth) -> bool:
    return False


def wish_drain(health: MachineHealth, reason: str, evidence: dict[str, Any]) -> None:
    return None


def wish_resume(health: MachineHealth) -> None:
    return None
