"""The kill switch, asked right before anything is written to a machine, a BMC, a scheduler or a switch.

Every sender of this service asks here, in the code that sends and not only where it was planned: minutes may lie
between the two. What was stopped waits where it was written down, and goes on when the switch is lifted.
`tests/test_kill_switch.py` lists every sender.
"""

from __future__ import annotations

from datetime import datetime

from core.instance import state
from core.models import User
from health.machines.models.automation import SiteAutomation

AT_A_PROMPT = "manage"  # what `manage.py` signs with
PAUSED = "this instance is paused: an administrator takes it over first"


def why_stopped(site_id: int, *, by_person: bool = False) -> str:
    """Why nothing may be written now; empty when it may. What a person does by hand is his own, but in an instance that
    is paused nobody writes: another one may act on the same machines. One query.
    """
    if state.is_paused():
        return PAUSED
    row = None if by_person else _stopped(site_id)
    return f"the kill switch is on: {row.killed_reason} ({row.killed_by})" if row is not None else ""


def why_run_stopped(site_id: int, *, by: str, begun_at: datetime | None) -> str:
    """The same for a run over many machines that goes on without whoever began it.

    It is his own act only when he began it while the switch was on, knowing that; a run from before is stopped.
    """
    row = _stopped(site_id)
    if row is None:
        return PAUSED if state.is_paused() else ""
    knowing = begun_at is not None and row.killed_at is not None and begun_at >= row.killed_at and is_person(by)
    return why_stopped(site_id, by_person=knowing)


def is_person(actor: str) -> bool:
    """Whether this is the name of somebody, and not of a part of the service."""
    return actor == AT_A_PROMPT or (bool(actor) and User.objects.filter(username=actor).exists())


def _stopped(site_id: int) -> SiteAutomation | None:
    return SiteAutomation.objects.filter(site_id=site_id, killed=True).first()
