"""The lifecycle of a machine: its states, what may happen to it, and where that leads. Pure: no database, no clock.

The table is the whole policy; `docs/lifecycle.md` draws it and a test keeps drawing, table and database equal. What a
machine must satisfy before it may be `ready` is `obstacles`: no hold, no confirmed fault, nothing failing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum


class State(StrEnum):
    NEW = "new"
    PROVISIONING = "provisioning"
    BURN_IN = "burn_in"
    READY = "ready"
    DRAINING = "draining"
    DRAINED = "drained"
    REMEDIATING = "remediating"
    VERIFYING = "verifying"
    TRIAGE = "triage"
    REPAIR = "repair"
    RMA = "rma"
    MAINTENANCE = "maintenance"
    RETIRED = "retired"


class LifecycleEvent(StrEnum):
    """What can happen to a machine. The words are what `change_state` takes."""

    ADOPT = "adopt"  # an active machine of the inventory is taken into service as it is
    PROVISION = "provision"  # a provisioning run takes it
    INSTALLED = "installed"  # the run's installation answers
    PASS = "pass"
    PASS_HELD = "pass_held"
    FAIL = "fail"
    CANCEL = "cancel"  # the run was cancelled: the machine is bare again
    DRAIN = "drain"
    DRAINED = "drained"  # the scheduler says nothing runs on it any more
    UNDRAIN = "undrain"  # the drain was withdrawn before it was complete
    REMEDIATE = "remediate"
    START_REPAIR = "start_repair"
    RELEASE = "release"  # the technician gives the ticket back: the machine waits again
    VERIFY = "verify"
    ESCALATE = "escalate"  # needs a person to decide
    SEND_OFF = "send_off"
    RECEIVED = "received"
    MAINTAIN = "maintain"
    RETURN = "return"  # a person returns it to service
    RETIRE = "retire"
    REINSTATE = "reinstate"


_S, _E = State, LifecycleEvent

TRANSITIONS: dict[tuple[State, LifecycleEvent], State] = {
    (_S.NEW, _E.ADOPT): _S.READY,
    (_S.NEW, _E.PROVISION): _S.PROVISIONING,
    (_S.NEW, _E.RETIRE): _S.RETIRED,
    (_S.PROVISIONING, _E.INSTALLED): _S.BURN_IN,
    (_S.PROVISIONING, _E.FAIL): _S.TRIAGE,
    (_S.PROVISIONING, _E.CANCEL): _S.NEW,
    (_S.BURN_IN, _E.PASS): _S.READY,
    (_S.BURN_IN, _E.PASS_HELD): _S.DRAINED,
    (_S.BURN_IN, _E.FAIL): _S.TRIAGE,
    (_S.BURN_IN, _E.CANCEL): _S.NEW,
    (_S.READY, _E.DRAIN): _S.DRAINING,
    (_S.DRAINING, _E.DRAINED): _S.DRAINED,
    (_S.DRAINING, _E.UNDRAIN): _S.READY,
    (_S.DRAINED, _E.START_REPAIR): _S.REPAIR,
    (_S.DRAINED, _E.REMEDIATE): _S.REMEDIATING,
    (_S.DRAINED, _E.VERIFY): _S.VERIFYING,
    (_S.DRAINED, _E.ESCALATE): _S.TRIAGE,
    (_S.DRAINED, _E.MAINTAIN): _S.MAINTENANCE,
    (_S.DRAINED, _E.PROVISION): _S.PROVISIONING,
    (_S.DRAINED, _E.RETURN): _S.READY,
    (_S.DRAINED, _E.RETIRE): _S.RETIRED,
    (_S.REMEDIATING, _E.VERIFY): _S.VERIFYING,
    (_S.REMEDIATING, _E.FAIL): _S.TRIAGE,
    (_S.VERIFYING, _E.PASS): _S.READY,
    (_S.VERIFYING, _E.PASS_HELD): _S.DRAINED,
    (_S.VERIFYING, _E.FAIL): _S.REPAIR,
    (_S.VERIFYING, _E.START_REPAIR): _S.REPAIR,
    (_S.VERIFYING, _E.ESCALATE): _S.TRIAGE,
    (_S.TRIAGE, _E.REMEDIATE): _S.REMEDIATING,  # a person starts a remedy by hand
    (_S.TRIAGE, _E.START_REPAIR): _S.REPAIR,
    (_S.TRIAGE, _E.VERIFY): _S.VERIFYING,
    (_S.TRIAGE, _E.PROVISION): _S.PROVISIONING,
    (_S.TRIAGE, _E.MAINTAIN): _S.MAINTENANCE,
    (_S.TRIAGE, _E.SEND_OFF): _S.RMA,
    (_S.TRIAGE, _E.RETURN): _S.READY,
    (_S.TRIAGE, _E.CANCEL): _S.NEW,
    (_S.TRIAGE, _E.RETIRE): _S.RETIRED,
    (_S.REPAIR, _E.VERIFY): _S.VERIFYING,
    (_S.REPAIR, _E.RELEASE): _S.DRAINED,
    (_S.REPAIR, _E.ESCALATE): _S.TRIAGE,
    (_S.REPAIR, _E.SEND_OFF): _S.RMA,
    (_S.REPAIR, _E.PROVISION): _S.PROVISIONING,
    (_S.RMA, _E.RECEIVED): _S.REPAIR,
    (_S.RMA, _E.PROVISION): _S.PROVISIONING,
    (_S.RMA, _E.RETIRE): _S.RETIRED,
    (_S.MAINTENANCE, _E.VERIFY): _S.VERIFYING,
    (_S.MAINTENANCE, _E.RETURN): _S.READY,
    (_S.MAINTENANCE, _E.ESCALATE): _S.TRIAGE,
    (_S.MAINTENANCE, _E.PROVISION): _S.PROVISIONING,
    (_S.RETIRED, _E.REINSTATE): _S.NEW,
}

# Nothing listens there, or the provisioning run looks by itself.
NOT_SWEPT = frozenset({State.NEW, State.PROVISIONING, State.RETIRED})
# Counted neither in a pool's size nor as missing from it.
OUTSIDE_POOL = frozenset({State.NEW, State.RETIRED})


class InvalidTransition(Exception):
    """The lifecycle does not allow this event in this state."""

    def __init__(self, state: str, event: str) -> None:
        super().__init__(f"a machine that is {state} cannot {event}")
        self.state, self.event = state, event


def allowed(state: str, event: str) -> bool:
    try:
        return (State(state), LifecycleEvent(event)) in TRANSITIONS
    except ValueError:
        return False


def next_state(state: str, event: str) -> State:
    """The state that follows. Raises InvalidTransition, also for words that are no state or event."""
    if not allowed(state, event):
        raise InvalidTransition(state, event)
    return TRANSITIONS[State(state), LifecycleEvent(event)]


class NotReady(Exception):
    """The machine may not return to service; `reasons` says what stands in the way, in words."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = list(reasons)


def step(state: str, event: str, standing_in_the_way: Callable[[], Sequence[str]]) -> State:
    """The state that follows, refusing to make a machine ready while something stands in the way.

    What stands in the way is only asked for when it matters. Raises InvalidTransition or NotReady.
    """
    following = next_state(state, event)
    if following == State.READY and (reasons := standing_in_the_way()):
        raise NotReady(reasons)
    return following


def obstacles(*, holds: list[str], confirmed_faults: list[str], failing: int) -> list[str]:
    """Why a machine may not be `ready`, in words; empty when it may."""
    reasons = [f"held by {owner}" for owner in sorted(holds)]
    reasons += [f"confirmed fault {fault}" for fault in sorted(confirmed_faults)]
    if failing:
        reasons.append(f"{failing} check{'s' if failing > 1 else ''} failing")
    return reasons
