"""When hands come: who works when, and how long what takes. Pure; times by the clock of the hall.

Rates are those that operators of such clusters told: about 10 % of machines fail at their first boot, 3 % break a week,
and a few bad ones again and again (Imbue, "From bare metal to a 70B model", 2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

SHIFTS: tuple[tuple[str, time, time], ...] = (
    ("early", time(6), time(14)),
    ("late", time(14), time(22)),
    ("night", time(22), time(6)),
)
NIGHT_STAFF = 0.35
"""At night so many tickets find somebody; the others wait for the next early shift."""
WEEKEND_FACTOR = 2.0
ACKNOWLEDGED_MIN = {"P1": 25.0, "P2": 80.0, "P3": 360.0}
"""The mean time to the first hand, in minutes."""


@dataclass(frozen=True)
class Crew:
    """The technicians of a hall, by the hour."""

    zone: ZoneInfo
    names: tuple[str, ...]

    def on_duty(self, at: datetime) -> str:
        """Who takes it: each shift has its people."""
        hour = at.astimezone(self.zone).hour
        shift = 0 if 6 <= hour < 14 else 1 if 14 <= hour < 22 else 2
        return self.names[shift % len(self.names)]

    def taken_at(self, at: datetime, priority: str, dice: Random) -> datetime:
        """When the first technician takes a ticket that opened then."""
        local = at.astimezone(self.zone)
        if not 6 <= local.hour < 22 and dice.random() > NIGHT_STAFF:
            morning = local.replace(hour=6, minute=5, second=0, microsecond=0)
            if morning <= local:
                morning += timedelta(days=1)
            at = morning.astimezone(at.tzinfo)
        usual = ACKNOWLEDGED_MIN[priority] * (WEEKEND_FACTOR if local.weekday() >= 5 else 1)
        return at + timedelta(minutes=2 + dice.expovariate(1 / usual))
