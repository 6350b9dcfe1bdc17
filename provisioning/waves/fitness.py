"""Whether a run may touch a machine, by its lifecycle state. Pure."""

from __future__ import annotations

from health.machines.lifecycle import State

GONE = frozenset({State.RMA, State.RETIRED})
BUSY = frozenset({State.PROVISIONING, State.BURN_IN, State.REMEDIATING, State.VERIFYING})
IN_SERVICE = frozenset({State.READY, State.DRAINING})


def why_not(state: str, *, drained_for: str = "", dry_run: bool = False) -> str:
    """Why a machine in this state may not be touched; empty when it may. `drained_for`: what needs it out of
    service. A dry run changes nothing, so a machine in service may be asked what would change.

    A state that is not known is none in which a machine may be touched.
    """
    try:
        known = State(state)
    except ValueError:
        return f"its state is {state or 'unknown'}"
    if known in GONE:
        return f"a machine that is {known} is not here"
    if known in BUSY:
        return f"a machine that is {known} is being worked on"
    if drained_for and not dry_run and known in IN_SERVICE:
        return f"{drained_for} needs a machine out of service, this one is {known}: drain it first"
    return ""
