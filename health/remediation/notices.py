"""What the floor says of mass failures and suspicion. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class OpenMass:
    """An open incident of several machines; `suspected` is the kind of trouble automation may not act by now."""

    id: int
    title: str
    opened_at: datetime
    machines: int
    recovered: int
    suspected: str = ""
    suspect_until: datetime | None = None


def notices(masses: list[OpenMass]) -> list[dict[str, Any]]:
    """One for each incident, and one for each kind that is suspected: {kind, level, text, since, what_to_do, link}."""
    found: list[dict[str, Any]] = []
    for mass in masses:
        link = f"/automation/incidents/{mass.id}"
        common = {"since": mass.opened_at.isoformat(), "link": link}
        again = f" {mass.recovered} pass again." if mass.recovered else ""
        found.append(
            {
                "kind": "incident",
                "level": "error",
                "text": f"{mass.title}.{again}",
                "what_to_do": "Automation leaves its machines alone. Mend the cause, then close its ticket.",
                **common,
            }
        )
        if mass.suspected:
            until = f"{mass.suspect_until:%H:%M} UTC" if mass.suspect_until else "it is closed"
            found.append(
                {
                    "kind": "suspicion",
                    "level": "warn",
                    "text": f"Automation suspends drains and remedies for {mass.suspected} until {until}.",
                    "what_to_do": "It began on many machines at once. Faults still open; lift it if they are real.",
                    **common,
                }
            )
    return found
