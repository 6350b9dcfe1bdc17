"""The life of an action record: what may follow what, and what a worker does who finds one under way. Pure.

`sent` is written before the call. Whoever finds `sent` with a dead lease reads the world and never calls at once: what
happened is confirmed; what did not and may be repeated is sent again; all else waits for its deadline and then for a
person. Only the functions under "steps" make new values of a record, so no other step exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from health.checks.levels import Rung
from health.machines.calls import TEST, Report
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation.remedies import BY_NAME
from health.remediation.types import Action, ActionState, Proposal, Refusal, Remedy, Step, World
from health.remediation.types import Guard as G

_S = ActionState

STEPS: Mapping[ActionState, frozenset[ActionState]] = {
    _S.PLANNED: frozenset({_S.GRANTED, _S.CANCELLED}),
    _S.GRANTED: frozenset({_S.SENT, _S.CANCELLED}),
    _S.SENT: frozenset({_S.CONFIRMED, _S.FAILED, _S.AMBIGUOUS}),
    _S.CONFIRMED: frozenset(),
    _S.FAILED: frozenset(),
    _S.AMBIGUOUS: frozenset({_S.CONFIRMED, _S.FAILED}),  # by a person
    _S.CANCELLED: frozenset(),
}
BOOT_TELLS = frozenset({Rung.REBOOT, Rung.POWER_CYCLE})
BY_BMC = frozenset({Rung.POWER_CYCLE, Rung.REIMAGE})  # sent without the machine's help
_OUT = frozenset({State.DRAINED, State.REMEDIATING})


class IllegalStep(Exception):
    """The record does not allow this step."""


class UnreadableRecord(Exception):
    """A record that is missing something or contradicts itself; it stops its machine and is never read as none."""


class What(StrEnum):
    """What to do with an action that is under way."""

    WAIT = "wait"
    SEND = "send"  # again: it did not happen and may be repeated
    FINISH = "finish"  # the cycle left the machine off: switch it on, which may be repeated
    CONFIRM = "confirm"
    FAIL = "fail"
    CANCEL = "cancel"
    AMBIGUOUS = "ambiguous"


ENDS: Mapping[What, ActionState] = {
    What.CONFIRM: _S.CONFIRMED,
    What.FAIL: _S.FAILED,
    What.CANCEL: _S.CANCELLED,
    What.AMBIGUOUS: _S.AMBIGUOUS,
}


@dataclass(frozen=True, slots=True)
class Decision:
    what: What
    reason: str


# ---- reading ----


def trouble_with(action: Action) -> str:
    """Why this record cannot be relied on; empty when it can."""
    remedy = BY_NAME.get(action.remedy)
    if remedy is None:
        return f"{action.key}: no remedy is called {action.remedy!r}"
    if remedy.rung != action.rung or action.attempt < 1:
        return f"{action.key}: level or attempt is not its remedy's"
    never_sent = action.state in (_S.PLANNED, _S.GRANTED, _S.CANCELLED)
    if never_sent and action.sent_at is not None:
        return f"{action.key}: {action.state}, yet it was sent"
    if not never_sent and (action.sent_at is None or action.deadline is None):
        return f"{action.key}: {action.state} without the time it was sent or its deadline"
    if not action.open and action.finished_at is None:
        return f"{action.key}: {action.state} without its end"
    if action.state in (_S.GRANTED, _S.SENT) and action.lease_until is None:
        return f"{action.key}: {action.state} without a lease"
    return ""


def read(row: Mapping[str, Any]) -> Action:
    """An action from a stored row with the names of its fields. Raises UnreadableRecord."""
    try:
        known = {field.name: row[field.name] for field in fields(Action)}
        action = Action(
            **known
            | {"rung": Rung(known["rung"]), "state": ActionState(known["state"]), "report": Report(known["report"])}
        )
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableRecord(f"an action's record cannot be read: {error}") from error
    if why := trouble_with(action):
        raise UnreadableRecord(why)
    return action


# ---- steps ----


def _to(action: Action, state: ActionState, **changes: Any) -> Action:
    if state not in STEPS[action.state]:
        raise IllegalStep(f"{action.key} is {action.state} and cannot become {state}")
    return replace(action, state=state, **changes)


def granted(proposal: Proposal, *, owner: str, now: datetime, limits: Limits) -> Action:
    """The record of a granted remedy, to be written in the transaction that granted it. Raises IllegalStep."""
    if proposal.step is not Step.REMEDY or proposal.remedy is None or proposal.dry_run:
        raise IllegalStep("only a remedy that is on has a record")
    return Action(
        machine=proposal.machine,
        incident=proposal.incident,
        rung=proposal.rung,
        attempt=proposal.attempt,
        remedy=proposal.remedy.name,
        state=_S.GRANTED,
        planned_at=now,
        lease_owner=owner,
        lease_until=now + timedelta(seconds=limits.lease_s),
    )


def sent(action: Action, world: World, *, owner: str, limits: Limits) -> Action:
    """The record to write before the call. The caller asked `before_send` with the same world. Raises IllegalStep."""
    if action.lease_owner != owner:
        raise IllegalStep(f"{action.key} is leased by another worker")
    remedy = BY_NAME[action.remedy]
    return _to(
        action,
        _S.SENT,
        sent_at=world.now,
        deadline=world.now + timedelta(seconds=remedy.deadline_s),
        lease_until=world.now + timedelta(seconds=limits.lease_s),
        boot_id_before=world.boot_id,
    )


def may_call(action: Action, *, owner: str, now: datetime) -> bool:
    """Whether the record, read again right before the call, is still ours to carry out.

    A worker that was stopped after it wrote `sent` and wakes up when its lease is over must not call any more: others
    have decided by then, and the machine may be back in service.
    """
    return action.state is _S.SENT and action.lease_owner == owner and lease_lives(action, now)


def reported(action: Action, report: Report) -> Action:
    """What the call told. An answer that comes after the end changes nothing."""
    return replace(action, report=report) if action.state is _S.SENT and action.report is Report.NONE else action


def traced(action: Action, report: Report) -> Action:
    """What the remedy's own mark told when it was looked for later: it corrects silence and a mere promise."""
    if action.state is not _S.SENT or action.report not in (Report.NONE, Report.ACCEPTED) or report is Report.NONE:
        return action
    return replace(action, report=report)


def leased(action: Action, *, owner: str, now: datetime, limits: Limits) -> Action:
    """Take an open action whose lease is dead. Raises IllegalStep."""
    if not action.open or lease_lives(action, now):
        raise IllegalStep(f"{action.key} is not to be taken")
    return replace(action, lease_owner=owner, lease_until=now + timedelta(seconds=limits.lease_s))


def finished(action: Action, decision: Decision, now: datetime) -> Action:
    """The record after a decision that ends it. Raises IllegalStep."""
    if decision.what not in ENDS:
        raise IllegalStep(f"{decision.what} does not end an action")
    return _to(action, ENDS[decision.what], finished_at=now)


def verified(action: Action, passed: bool, report_at: datetime) -> Action:
    """What a verification said, if its report is newer than the effect; else the record as it was."""
    if action.state is not _S.CONFIRMED or action.verified is not None:
        return action
    if action.finished_at is None or report_at <= action.finished_at:
        return action
    return replace(action, verified=passed)


# ---- what to do with one under way ----


def lease_lives(action: Action, now: datetime) -> bool:
    return action.lease_until is not None and now < action.lease_until


def happened(action: Action, world: World) -> bool:
    """Whether the world shows its effect. A changed boot id is an effect of every remedy: what ran before is gone."""
    booted = bool(world.heard and world.boot_id and action.boot_id_before and world.boot_id != action.boot_id_before)
    if action.rung in BOOT_TELLS:
        return booted
    if action.rung is Rung.REIMAGE:
        return world.trace is True
    return booted or world.trace is True


def settle(action: Action, world: World, limits: Limits) -> Decision:
    """What becomes of an action that was sent, by the world as it is now."""
    if action.state is not _S.SENT or action.deadline is None or action.sent_at is None:
        return Decision(What.AMBIGUOUS, "its record is not that of an action that was sent")
    if happened(action, world):
        return Decision(What.CONFIRM, "its effect was seen")
    if action.report is Report.DONE and action.rung not in BOOT_TELLS:
        return Decision(What.CONFIRM, "it ended well")
    if action.report is Report.REFUSED:
        return Decision(What.FAIL, "proven not to have begun: it may be tried again")
    if action.report in (Report.FAILED, Report.IMPOSSIBLE):
        return Decision(What.FAIL, "it ran and failed" if action.report is Report.FAILED else "this machine cannot")
    if world.now >= action.deadline:
        return _late(action, world)
    if action.rung is Rung.POWER_CYCLE and world.power == "off" and _was_off_long_enough(action, world, limits):
        return Decision(What.FINISH, "the machine is off: switch it on")
    return Decision(What.WAIT, "its effect does not show yet")


def _was_off_long_enough(action: Action, world: World, limits: Limits) -> bool:
    """Also when the clock went back behind the sending: switching on does no harm."""
    elapsed = (world.now - action.sent_at).total_seconds() if action.sent_at else 0.0
    return elapsed < 0 or elapsed >= limits.power_off_s


def _late(action: Action, world: World) -> Decision:
    if action.rung is Rung.POWER_CYCLE and world.power == "off":
        return Decision(What.AMBIGUOUS, "the machine is off at its deadline and did not come on")
    if action.report is Report.ACCEPTED:
        return Decision(What.FAIL, "it was accepted, and nothing had changed at its deadline")
    if BY_NAME[action.remedy].idempotent:
        return Decision(What.FAIL, "nothing had changed at its deadline")
    return Decision(What.AMBIGUOUS, "nobody knows whether it was done, and its deadline is over")


def after_crash(action: Action, world: World, limits: Limits) -> Decision:
    """What a worker does with an open action it finds. With a live lease it is somebody's: wait."""
    if not action.open:
        return Decision(What.WAIT, "it has ended")
    if lease_lives(action, world.now):
        return Decision(What.WAIT, "leased by another worker")
    if action.state is not _S.SENT:
        return Decision(What.CANCEL, "its worker was lost before anything was sent")
    decision = settle(action, world, limits)
    repeatable = BY_NAME[action.remedy].idempotent and action.report is Report.NONE
    if decision.what is What.WAIT and repeatable:
        return Decision(What.SEND, "it may be repeated, and nothing has changed")
    return decision


# ---- just before sending ----


def before_send(
    action: Action,
    world: World,
    *,
    owner: str,
    state: State,
    held_by: Sequence[str],
    killed: bool | None,
    breaker_open: bool | None,
    by_person: bool = False,
) -> Refusal | None:
    """Whether a granted action may be sent now, asked with the world just read; None when it may.

    All that is not the world is read in the transaction that will write `sent`: the machine's state and the live holds
    of others, kill switch and breaker. `by_person`: a person started it, see `health.remediation.by_hand`.
    """
    if action.state is not _S.GRANTED or action.lease_owner != owner or not lease_lives(action, world.now):
        return Refusal(G.LEASE, "the action is not in our hands any more")
    remedy = BY_NAME[action.remedy]
    refusal = stopped(
        remedy, state=state, held_by=held_by, killed=killed, breaker_open=breaker_open, by_person=by_person
    )
    return refusal or busy(remedy, world, by_person=by_person) or unreachable(remedy, world)


def before_repeat(
    action: Action,
    world: World,
    *,
    state: State,
    held_by: Sequence[str],
    killed: bool | None,
    breaker_open: bool | None,
    by_person: bool = False,
) -> Refusal | None:
    """Whether an action that `after_crash` would send again may be sent again: all that held the first time, anew.

    Minutes have passed since then: jobs may have begun, and people may have decided otherwise.
    """
    remedy = BY_NAME[action.remedy]
    if action.state is not _S.SENT or not remedy.idempotent:
        return Refusal(G.LEASE, "it must not be sent twice")
    refusal = stopped(
        remedy, state=state, held_by=held_by, killed=killed, breaker_open=breaker_open, by_person=by_person
    )
    return refusal or busy(remedy, world, by_person=by_person) or unreachable(remedy, world)


def begins_in(remedy: Remedy, *, by_person: bool = False) -> frozenset[State]:
    """The states in which a remedy may begin. A machine in triage waits for a person, who may begin one there."""
    out = _OUT | {State.TRIAGE} if by_person else _OUT
    return out if remedy.needs_drain else out | {State.READY}


def tests_of(held_by: Sequence[str]) -> list[str]:
    """Those of the owners that are tests under load."""
    return [owner for owner in held_by if owner.startswith(TEST)]


def stopped(
    remedy: Remedy,
    *,
    state: State,
    held_by: Sequence[str],
    killed: bool | None,
    breaker_open: bool | None,
    by_person: bool = False,
) -> Refusal | None:
    """What people or the breaker decided since it was granted. A hold keeps a person only from a test under way."""
    if state not in begins_in(remedy, by_person=by_person):
        return Refusal(G.STATE, f"it is {state} by now", "when it is drained")
    if by_person:
        tests = tests_of(held_by)
        return Refusal(G.HELD, f"held by {', '.join(tests)}", "when the tests end") if tests else None
    if held_by:
        return Refusal(G.HELD, f"held by {', '.join(held_by)}", "when the hold is lifted")
    if killed is not False:
        return Refusal(G.KILLED, "the kill switch is on" if killed else "the kill switch could not be read")
    if breaker_open is not False:
        return Refusal(
            G.BREAKER, "the circuit breaker is open" if breaker_open else "the circuit breaker could not be read"
        )
    return None


def busy(remedy: Remedy, world: World, *, by_person: bool = False) -> Refusal | None:
    """Whether something on the machine would be stopped, or cannot be ruled out. Whose drain it is, a person knows."""
    if world.jobs is None or world.reservation_by_others is None or world.drained is None:
        return Refusal(G.SCHEDULER, world.unknown or "the scheduler does not answer", "when it says so")
    if world.jobs > 0:
        return Refusal(G.JOBS, f"{world.jobs} jobs run on it", "when they end", {"jobs": world.jobs})
    if world.reservation_by_others:
        return Refusal(G.RESERVATION, "others have reserved it", "when the reservation ends")
    if refusal := _by_its_own_word(remedy, world, by_person=by_person):
        return refusal
    if not remedy.needs_drain:
        return None
    if not world.drained:
        return Refusal(G.NOT_DRAINED, "the scheduler does not have it drained", "when it is drained again")
    if world.drain_is_ours is not True and not by_person:
        return Refusal(G.FOREIGN_DRAIN, "its drain is not ours", "when whoever drained it lets go")
    return None


def _by_its_own_word(remedy: Remedy, world: World, *, by_person: bool) -> Refusal | None:
    """What the machine itself says of processes, containers, launchers and people.

    One that does not answer cannot say. What its BMC does to it then needs a scheduler that named it and said that no
    job is there, or a person who decides; everything else needs its answer.
    """
    if world.running:
        return Refusal(G.JOBS, world.running, "when it ends")
    if world.logins:
        return Refusal(G.LOGINS, f"{world.logins} people are logged in", "when they leave")
    if world.heard and world.running is None:
        return Refusal(
            G.UNKNOWN, f"not known what runs on it: {world.unknown or 'it did not report'}", "when it reports"
        )
    if world.heard and world.logins is None:
        return Refusal(G.LOGINS, "an unknown number of people are logged in", "when they leave")
    if world.heard:
        return None
    if remedy.rung in BY_BMC and world.power == "off":
        return None  # nothing runs on a machine that is off
    if remedy.rung not in BY_BMC:
        return Refusal(G.UNREACHABLE, "it does not answer, so it cannot say what runs on it", "when it answers")
    if not (world.named or by_person):
        return Refusal(G.UNREACHABLE, "it does not answer, and no scheduler says that nothing runs", "by a person")
    return None


def unreachable(remedy: Remedy, world: World) -> Refusal | None:
    """Whether the remedy could not be sent, or its effect not be told."""
    if remedy.rung in BOOT_TELLS and not world.boot_id:
        return Refusal(G.UNKNOWN, "its boot id is not known, so a reboot could not be detected")
    if remedy.rung is Rung.POWER_CYCLE and world.power == "unknown":
        return Refusal(G.UNREACHABLE, "its BMC does not report the power state")
    if remedy.rung is Rung.REBOOT and world.power == "off":
        return Refusal(G.UNREACHABLE, "it is off: nothing to reboot")
    return None
