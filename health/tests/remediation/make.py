"""Values for tests: a machine with a confirmed fault, a pool and a site with room, an action that was sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from health.checks.levels import Rung
from health.machines.calls import Report
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation.planner import Rules
from health.remediation.remedies import BY_RUNG, REMEDIES
from health.remediation.types import (
    Action,
    ActionState,
    Cause,
    IncidentView,
    MachineView,
    PoolView,
    SiteView,
    Switches,
    World,
)

NOW = datetime(2026, 11, 4, 12, 0, tzinfo=UTC)  # a Wednesday
CHECK = "gpu.xid"
KIND = "gpu.bus: Xid 79"
ALL_ON = Rules(Switches({(CHECK, remedy.name): True for remedy in REMEDIES}), Limits(), ())
RACK = Cause("rack", "R1")


def incident(**said: Any) -> IncidentView:
    base = IncidentView(7, 1, (CHECK,), Rung.REBOOT, 1, NOW - timedelta(minutes=5), kinds=(KIND,))
    return replace(base, **said)


def machine(**said: Any) -> MachineView:
    base = MachineView(
        id=1,
        pool=1,
        state=State.DRAINED,
        state_since=NOW,
        incident=incident(),
        causes=(RACK,),
        shares_power=False,
        records=(),
        empty=True,
        available=False,
    )
    return replace(base, **said)


def ready(**said: Any) -> MachineView:
    return machine(state=State.READY, available=True, **said)


def pool(**said: Any) -> PoolView:
    return replace(PoolView(1, 100, 1, 0, 0, False, 0.05, True), **said)


def site(**said: Any) -> SiteView:
    base = SiteView(
        id=1,
        killed=False,
        breaker_open=False,
        power_open=0,
        power_1h=0,
        cause_counts={},
        suspicious=frozenset(),
        observe_only=frozenset(),
        refused_1h=0,
        ambiguous=0,
        failed_verifications=0,
        drained=0,
        size=100,
        clock_step_s=0.0,
        inventory_age_s=10.0,
    )
    return replace(base, **said)


def action(rung: Rung = Rung.REBOOT, **said: Any) -> Action:
    """One that was sent a minute ago, its lease over by now."""
    remedy = BY_RUNG[rung]
    sent_at = NOW - timedelta(minutes=1)
    base = Action(
        machine=1,
        incident=7,
        rung=rung,
        attempt=1,
        remedy=remedy.name,
        state=ActionState.SENT,
        planned_at=sent_at,
        lease_owner="lost",
        lease_until=NOW - timedelta(seconds=1),
        boot_id_before="b1",
        sent_at=sent_at,
        deadline=sent_at + timedelta(seconds=remedy.deadline_s),
    )
    return replace(base, **said)


def ended(rung: Rung, *, at: datetime = NOW - timedelta(hours=1), **said: Any) -> Action:
    """One that was carried out and did not help."""
    base = action(rung, state=ActionState.CONFIRMED, report=Report.DONE, sent_at=at, finished_at=at, verified=False)
    return replace(base, **said)


def world(**said: Any) -> World:
    """Drained by us, idle and answering; the boot is the one before."""
    base = World(
        now=NOW,
        heard=True,
        last_seen_at=NOW,
        boot_id="b1",
        power="on",
        jobs=0,
        reservation_by_others=False,
        logins=0,
        drained=True,
        drain_is_ours=True,
        trace=False,
        named=True,
        running="",
    )
    return replace(base, **said)
