"""What active checks need of the package above. It registers it in `health/registrations.py`."""

from __future__ import annotations

from typing import Any, Protocol

from core.registry import Offered


class Remediation(Protocol):
    """Taking machines out within the budget, and incidents of what machines share."""

    def hold_within_budget(self, machine_id: int, *, owner: str, reason: str, actor: str) -> Any: ...
    def open_for_switch(self, site_id: int, switch: str, *, title: str, reason: str) -> Any: ...


remediation = Offered[Remediation]("what takes machines out for active checks")
