"""Who is next in a run over many machines: a canary first, then others, and an end where too many fail. Pure.

Runs of base software and of BMCs go by waves: one goes through the steps of its run (the roles of a software run) in
their order, and the next one begins when none of its machines is under way any more. What is done at once is one step
on the machines of one wave, so a worker that is lost repeats one step at most. Images (`next_rolling`) are placed on
each machine as soon as there is room for it: one that is slow holds up nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class RunState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"  # it went to its end, and machines failed
    STOPPED = "stopped"  # too many machines failed: no other was begun
    CANCELLED = "cancelled"


class MachineState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    OK = "ok"
    FAILED = "failed"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"  # it may not be touched now; nothing was done
    CANCELLED = "cancelled"  # not begun, or not gone on with


RUN_STATES = [state.value for state in RunState]
MACHINE_STATES = [state.value for state in MachineState]
OPEN_RUNS = (RunState.WAITING, RunState.RUNNING)
OPEN_MACHINES = (MachineState.WAITING, MachineState.RUNNING)
BAD = frozenset({MachineState.FAILED, MachineState.UNREACHABLE})


@dataclass(frozen=True, slots=True)
class Policy:
    """`canary` machines go first (0: none), then `limit` at a time. `stop_share`: the share of the machines begun, over
    0 up to 1, from which on failures stop the run. A canary that fails always does."""

    canary: int
    limit: int
    stop_share: float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one machine is: its wave (None: not begun) and the steps that ended there. `groups` are what it shares with
    others and may be limited, such as its rack."""

    id: int
    state: MachineState
    wave: int | None
    done: Collection[str] = ()
    groups: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Begin:
    """These machines are the next wave."""

    wave: int
    machines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """This step is next on these machines."""

    step: str
    machines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Passed:
    """These machines went through every step."""

    machines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    reason: str


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing is left to do."""


Next = Begin | Play | Passed | Stop | Over


def next_of(standings: Sequence[Standing], steps: Sequence[str], policy: Policy) -> Next:
    """What to do now, in the order in which the machines are given."""
    running = [each for each in standings if each.state is MachineState.RUNNING]
    waiting = [each for each in standings if each.state is MachineState.WAITING]
    if (running or waiting) and (reason := why_stop(standings, policy)):
        return Stop(reason)
    if passed := tuple(each.id for each in running if set(steps) <= set(each.done)):
        return Passed(passed)
    for step in steps:
        if machines := tuple(each.id for each in running if step not in each.done):
            return Play(step, machines)
    if not waiting:
        return Over()
    size = policy.canary if policy.canary and _nobody_went(standings) else policy.limit
    return Begin(_next_wave(standings), tuple(each.id for each in waiting[:size]))


def next_rolling(
    standings: Sequence[Standing], policy: Policy, busy: Mapping[str, int], most: Mapping[str, int]
) -> Begin | Stop | Over | None:
    """What to do now where each machine has one step; None: wait for those that are under way.

    `busy` counts what is under way in each group, those of other runs included; a group without a limit in `most` holds
    nobody up. Nobody follows the canaries before one of them is good.
    """
    running = [each for each in standings if each.state is MachineState.RUNNING]
    waiting = [each for each in standings if each.state is MachineState.WAITING]
    if not waiting:
        return None if running else Over()
    if reason := why_stop(standings, policy):
        return Stop(reason)
    canaries = policy.canary and _nobody_went(standings)
    room = (policy.canary if canaries else policy.limit) - len(running)
    chosen = _with_room(waiting, busy, most)[: max(0, room)] if not (canaries and running) else []
    return Begin(_next_wave(standings), tuple(each.id for each in chosen)) if chosen else None


def _with_room(waiting: Sequence[Standing], busy: Mapping[str, int], most: Mapping[str, int]) -> list[Standing]:
    taken = Counter(busy)
    chosen = []
    for each in waiting:
        if all(taken[group] < most[group] for group in each.groups if group in most):
            taken.update(each.groups)
            chosen.append(each)
    return chosen


def _next_wave(standings: Sequence[Standing]) -> int:
    return max((each.wave for each in standings if each.wave is not None), default=0) + 1


def why_stop(standings: Sequence[Standing], policy: Policy) -> str:
    """Why no more machine is begun; empty when there is no reason. Machines that were refused count for nothing."""
    went = [each for each in standings if each.wave is not None and each.state is not MachineState.REFUSED]
    bad = [each for each in went if each.state in BAD]
    if not bad:
        return ""
    first = min(each.wave or 0 for each in went)
    if policy.canary and any(each.wave == first for each in bad):
        return "the canary failed" if policy.canary == 1 else "a canary failed"
    if len(bad) >= policy.stop_share * len(went):
        return f"{len(bad)} of {len(went)} machines failed, the run stops at {policy.stop_share:.0%}"
    return ""


def _nobody_went(standings: Sequence[Standing]) -> bool:
    """Whether no canary is known to be good: canaries that were refused are followed by others."""
    return not any(each.state is MachineState.OK for each in standings)
