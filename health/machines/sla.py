"""How long a machine may stay in a state before somebody should ask why. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from health.machines.lifecycle import State

_HOUR = 3600

# Seconds; a state that is not listed has no limit. Maintenance counts from its own end.
LIMITS_S: Mapping[State, int] = {
    State.PROVISIONING: 4 * _HOUR,
    State.BURN_IN: 72 * _HOUR,
    State.DRAINING: 24 * _HOUR,
    State.DRAINED: 8 * _HOUR,
    State.REMEDIATING: 4 * _HOUR,
    State.VERIFYING: 2 * _HOUR,
    State.TRIAGE: 24 * _HOUR,
    State.REPAIR: 72 * _HOUR,
    State.RMA: 30 * 24 * _HOUR,
    State.MAINTENANCE: _HOUR,
}


def stuck_since(
    state: str,
    since: datetime,
    now: datetime,
    *,
    until: datetime | None = None,
    limits_s: Mapping[State, int] = LIMITS_S,
) -> datetime | None:
    """From when a machine is over the limit of its state; None while it is not.

    `until` is the planned end of maintenance.
    """
    limit = limits_s.get(State(state))
    if limit is None:
        return None
    start = until if state == State.MAINTENANCE and until is not None else since
    over = start + timedelta(seconds=limit)
    return over if now >= over else None
