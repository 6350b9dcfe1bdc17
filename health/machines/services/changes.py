"""The one way to change a machine: lock its row, change it, say so.

`changing` locks one machine and, when the block ends well, saves what changed, works out the cell, emits
`machine.changed` when something visible changed, and then the events the block left behind. Handlers of those run in
the same transaction and may change the same machine again: the block's own row is already saved by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone

from health.checks.responses import Response
from health.machines import hooks
from health.machines.cells import Condition, cell
from health.machines.hooks import OpenFaults
from health.machines.lifecycle import InvalidTransition, LifecycleEvent, NotReady, State, allowed, obstacles, step
from health.machines.models.machines import Hold, LifecycleChange, LifecycleTransition, MachineHealth
from live.events import emit

REASON_LENGTH = 300
SHOWN_COLUMNS = ("worst", "reachability", "power", "open_faults", "cell")
"""The columns by which a look changes a machine of which it opens, confirms and ends no fault."""


@dataclass
class Change:
    """A locked machine in the middle of a change, and the events to emit once it is saved."""

    health: MachineHealth
    actor: str
    pending: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    @property
    def machine_id(self) -> int:
        return int(self.health.machine_id)

    @property
    def site_id(self) -> int:
        return int(self.health.machine.device.site_id)

    @property
    def name(self) -> str:
        return str(self.health.machine.device.name)

    def later(self, kind: str, subject: str, data: dict[str, Any]) -> None:
        """Emit an event after the machine is saved."""
        self.pending.append((kind, subject, data))

    def move(self, event: str, *, reason: str, evidence: dict[str, Any] | None = None, override: bool = False) -> None:
        """Take one step of the lifecycle. Raises InvalidTransition, or NotReady when it leads to `ready` too early.

        With `override` a person takes it in spite of what stands in the way, which the evidence should name.
        """
        health = self.health
        state = step(health.state, event, lambda: [] if override else obstacles_of(health))
        transition = LifecycleTransition.objects.get(from_state=health.state, event=event, to_state=state.value)
        LifecycleChange.objects.create(
            machine_id=health.machine_id,
            transition=transition,
            actor=self.actor,
            reason=reason[:REASON_LENGTH],
            evidence=evidence or {},
        )
        health.state, health.state_since, health.stuck = state.value, timezone.now(), False
        health.version += 1
        if state == State.READY:
            hooks.scheduler().wish_resume(self.health, by=self.actor)

    def take_out(self, *, reason: str, evidence: dict[str, Any] | None = None) -> None:
        """Drain a machine that is in service.

        Where a person declared that there is no scheduler it is `drained` at once. Else the drain is a wish that is
        sent after the commit, and the machine is `drained` when the scheduler says that nothing runs on it.
        """
        if self.health.state == State.READY:
            self.move(LifecycleEvent.DRAIN, reason=reason, evidence=evidence)
            hooks.scheduler().wish_drain(self.health, reason, evidence or {}, by=self.actor)
        if self.health.state == State.DRAINING and hooks.scheduler().has_none(self.health):
            self.move(LifecycleEvent.DRAINED, reason="no scheduler gives work to it", evidence=evidence)

    def follow_drain(self, follow: dict[str, Any]) -> None:
        """Do what a person wanted as soon as the machine was drained; `follow` as the scheduler keeps it."""
        if not follow or not allowed(self.health.state, follow["event"]):
            return
        own, self.actor = self.actor, follow["actor"]
        self.move(follow["event"], reason=follow["reason"], evidence=follow["evidence"])
        self.actor = own
        if follow.get("until"):
            self.health.maintenance_until = datetime.fromisoformat(follow["until"])

    def return_if_verified(self) -> None:
        """Return a machine that passed its verification and only waited for something else that is gone by now."""
        if self.health.state != State.DRAINED:
            return
        steps = LifecycleChange.objects.filter(machine_id=self.machine_id).order_by("-id")
        last = steps.values_list("transition__event", flat=True).first()
        if last == LifecycleEvent.PASS_HELD and not obstacles_of(self.health):
            self.move(LifecycleEvent.RETURN, reason="verified before, and nothing holds it any more")

    def return_if_uncordoned(self) -> None:
        """Return a machine that was only cordoned, when what cordoned it passed again and nothing else is in the way.

        One with a fault meanwhile that only a verification clears stays out.
        """
        if self.health.state not in (State.DRAINING, State.DRAINED):
            return
        steps = LifecycleChange.objects.filter(machine_id=self.machine_id).order_by("-id")
        step = next((each for each in steps.select_related("transition")[:2] if _is_drain(each)), None)
        if step is None or step.evidence.get("response") != Response.CORDON or obstacles_of(self.health):
            return
        if hooks.faults().needs_verification(self.machine_id, step.at):
            return
        event = LifecycleEvent.UNDRAIN if self.health.state == State.DRAINING else LifecycleEvent.RETURN
        self.move(event, reason="its checks pass again, and nothing else holds it")


def _is_drain(step: LifecycleChange) -> bool:
    return str(step.transition.event) == LifecycleEvent.DRAIN


def visible(health: MachineHealth) -> dict[str, Any]:
    """What the floor map shows of a machine, and what `machine.changed` carries."""
    return {
        "id": health.machine_id,
        "name": health.machine.device.name,
        "cell": health.cell,
        "state": health.state,
        "worst": health.worst,
        "reachability": health.reachability,
        "since": health.state_since.isoformat(),
        "ticket": health.ticket_key or None,
        "faults": health.open_faults,
    }


def obstacles_of(health: MachineHealth) -> list[str]:
    """Why this machine may not be ready, in words: its live holds, confirmed faults and failing verdicts.

    A check that only observes is no obstacle, nor is a fault that leaves a machine in service.
    """
    holds = list(Hold.objects.filter(machine_id=health.machine_id, lifted_at=None).values_list("owner", flat=True))
    confirmed, failing = hooks.faults().in_the_way(health)
    return obstacles(holds=holds, confirmed_faults=confirmed, failing=failing)


def lock(machine_id: int) -> MachineHealth:
    """The machine's row, locked until the transaction ends. Raises MachineHealth.DoesNotExist."""
    return (
        MachineHealth.objects.select_for_update(of=("self",))
        .select_related("machine__device__model", "pool")
        .get(pk=machine_id)
    )


@contextmanager
def changing(machine_id: int, *, actor: str) -> Iterator[Change]:
    """Change one machine in a transaction of its own or the caller's. Nothing is saved when the block raises."""
    with transaction.atomic():
        change = Change(lock(machine_id), actor)
        before = visible(change.health)
        yield change
        _save(change, before)
        for kind, subject, data in change.pending:
            emit(kind, site_id=change.site_id, subject=subject, data=data, actor=actor)


@dataclass(frozen=True)
class Shown:
    """What a look shows of a locked machine beside its verdicts, and the faults it has."""

    health: MachineHealth
    worst: str
    reachability: str
    power: str
    faults: OpenFaults


def show(shown: Sequence[Shown], *, actor: str) -> None:
    """Carry many looks that change no more than columns into machines which the caller's transaction has locked.

    Half a fleet may come or go with one switch: a transaction of its own costs each machine nine statements.
    """
    machines = [each.health for each in shown]
    prefetch_related_objects(machines, "machine__device")
    before = [visible(health) for health in machines]
    for each in shown:
        each.health.worst, each.health.reachability, each.health.power = each.worst, each.reachability, each.power
        derive(each.health, each.faults)
    MachineHealth.objects.bulk_update(machines, SHOWN_COLUMNS)
    for health, was in zip(machines, before, strict=True):
        _tell(health, was, actor)


def _save(change: Change, before: dict[str, Any]) -> None:
    derive(change.health)
    change.health.save()
    _tell(change.health, before, change.actor)


def _tell(health: MachineHealth, before: dict[str, Any], actor: str) -> None:
    """Say what became visible of a machine that was saved."""
    after = visible(health)
    if after != before:
        site_id = health.machine.device.site_id
        emit("machine.changed", site_id=site_id, subject=f"machine:{health.machine_id}", data=after, actor=actor)


def derive(health: MachineHealth, counts: OpenFaults | None = None) -> None:
    """Set the columns that follow from others: the number of open faults (read where not given) and the cell."""
    counts = counts or hooks.faults().open_faults(health.machine_id)
    health.open_faults = counts.leading
    health.cell = cell(
        Condition(
            state=health.state,
            reachability=health.reachability,
            worst=health.worst,
            power=health.power,
            allocation=health.allocation,
            suspected=counts.leading > 0,
            confirmed=counts.confirmed > 0,
        )
    )


# ---- what other rooms and people call ----


def change_state(
    machine_id: int, event: str, *, reason: str, actor: str, evidence: dict[str, Any] | None = None
) -> str:
    """Take one step of the lifecycle and return the new state.

    `start_repair` of a machine in service drains it first: a person who starts a repair is not bound by the cap. While
    jobs run there it stays `draining`, and the step is taken when the last one ended.
    Raises InvalidTransition or NotReady.
    """
    with changing(machine_id, actor=actor) as change:
        if event in (LifecycleEvent.START_REPAIR, LifecycleEvent.MAINTAIN, LifecycleEvent.DRAIN):
            change.take_out(reason=reason, evidence=evidence)
            if event == LifecycleEvent.DRAIN:
                return str(change.health.state)
            if change.health.state == State.DRAINING:
                follow = {"event": event, "reason": reason, "actor": actor, "evidence": evidence or {}}
                hooks.scheduler().follow_up(machine_id, follow)
                return str(change.health.state)
        change.move(event, reason=reason, evidence=evidence)
        return str(change.health.state)


@transaction.atomic
def place_hold(machine_id: int, *, owner: str, reason: str, actor: str, drain: bool = False) -> Hold:
    """Keep a machine from becoming ready until the same owner lifts the hold. Placing it twice keeps the first.

    A machine in service stays there until it is drained; `drain` does that now, and no cap binds who asks for it.
    """
    with changing(machine_id, actor=actor) as change:
        hold, _ = Hold.objects.get_or_create(
            machine_id=machine_id,
            owner=owner,
            lifted_at=None,
            defaults={"reason": reason[:REASON_LENGTH], "placed_by": actor},
        )
        if drain:
            change.take_out(reason=f"held by {owner}: {reason}")
        return hold


def hold_in_own_name(machine_id: int, *, reason: str, actor: str) -> Hold:
    """A person takes a machine out of service and keeps it out. No disruption budget binds a person."""
    return place_hold(machine_id, owner=f"person:{actor}", reason=reason, actor=actor, drain=True)


@transaction.atomic
def lift_hold(machine_id: int, *, owner: str, reason: str, actor: str) -> bool:
    """Lift the owner's live hold; returns whether there was one.

    A machine that was verified and waited only for this hold returns to service; any other stays as it is.
    """
    with changing(machine_id, actor=actor) as change:
        lifted = Hold.objects.filter(machine_id=machine_id, owner=owner, lifted_at=None).update(
            lifted_at=timezone.now(), lifted_by=actor, lift_reason=reason[:REASON_LENGTH]
        )
        if lifted:
            change.return_if_verified()
        return bool(lifted)


def set_ticket_key(machine_id: int, key: str) -> None:
    """Show this ticket with the machine (empty: none). For the room that owns tickets."""
    with changing(machine_id, actor="tickets") as change:
        change.health.ticket_key = key


def start_maintenance(machine_id: int, *, reason: str, until: datetime, actor: str) -> MachineHealth:
    """Take a machine out for planned work until a time. Its checks go on; levels open no faults meanwhile.

    While jobs run there it stays `draining`; the work begins when the last one ended.
    """
    evidence = {"until": until.isoformat()}
    with changing(machine_id, actor=actor) as change:
        change.take_out(reason=reason)
        if change.health.state == State.DRAINING:
            follow = {"event": LifecycleEvent.MAINTAIN.value, "reason": reason, "actor": actor, "evidence": evidence}
            hooks.scheduler().follow_up(machine_id, follow | evidence)
        else:
            change.move(LifecycleEvent.MAINTAIN, reason=reason, evidence=evidence)
            change.health.maintenance_until = until
        Hold.objects.get_or_create(
            machine_id=machine_id,
            owner="maintenance",
            lifted_at=None,
            defaults={"reason": reason[:REASON_LENGTH], "placed_by": actor},
        )
        return change.health


def end_hold_of_maintenance(change: Change) -> None:
    """Lift the hold of a maintenance window that is over."""
    change.health.maintenance_until = None
    Hold.objects.filter(machine_id=change.machine_id, owner="maintenance", lifted_at=None).update(
        lifted_at=timezone.now(), lifted_by=change.actor, lift_reason="maintenance is over"
    )


def nothing_runs_on(machine_id: int, *, reason: str, actor: str) -> None:
    """A machine that is off runs nothing, whether a scheduler knows that or not: a drain ends, and what was to follow
    it begins."""
    with changing(machine_id, actor=actor) as change:
        if change.health.state == State.DRAINING:
            follow = hooks.scheduler().forget_follow_up(machine_id)
            change.move(LifecycleEvent.DRAINED, reason=reason)
            change.follow_drain(follow)


def end_maintenance_by(machine_id: int, until: datetime, *, actor: str) -> None:
    """What a machine was taken out for is over: it is verified at that time, when it had time to boot.

    One that still waits for its last job is only drained.
    """
    with changing(machine_id, actor=actor) as change:
        if change.health.state == State.MAINTENANCE:
            change.health.maintenance_until = until
        elif hooks.scheduler().forget_follow_up(machine_id).get("event") == LifecycleEvent.MAINTAIN:
            end_hold_of_maintenance(change)


def return_to_service(machine_id: int, *, reason: str, actor: str, override: bool = False) -> MachineHealth:
    """A person returns a machine. Raises NotReady with what holds it, or InvalidTransition.

    Ending a maintenance window this way lifts its own hold; every other hold stays and refuses. With `override` it
    returns in spite of holds and faults: what stood in the way is kept as evidence, the holds of faults are lifted, and
    its incident is over.
    """
    with changing(machine_id, actor=actor) as change:
        if override:
            put_back(change, reason)
            return change.health
        if change.health.state == State.DRAINING:
            if hooks.scheduler().forget_follow_up(machine_id).get("event") == LifecycleEvent.MAINTAIN:
                end_hold_of_maintenance(change)
            change.move(LifecycleEvent.UNDRAIN, reason=reason)
            return change.health
        if change.health.state == State.MAINTENANCE:
            end_hold_of_maintenance(change)
        change.move(LifecycleEvent.RETURN, reason=reason)
        return change.health


def put_back(change: Change, reason: str) -> None:
    """Return a machine against its guard, as a person wants it; every automatic drain rests for a while."""
    against = obstacles_of(change.health)
    Hold.objects.filter(machine_id=change.machine_id, lifted_at=None, owner__startswith="fault:").update(
        lifted_at=timezone.now(), lifted_by=change.actor, lift_reason=reason[:REASON_LENGTH]
    )
    if change.health.state == State.MAINTENANCE:
        end_hold_of_maintenance(change)
    hooks.scheduler().forget_follow_up(change.machine_id)
    event = LifecycleEvent.UNDRAIN if change.health.state == State.DRAINING else LifecycleEvent.RETURN
    change.move(event, reason=reason, evidence={"override": against}, override=True)
    hooks.put_back()(change.machine_id, by=change.actor, reason=reason)


__all__ = [
    "Change",
    "InvalidTransition",
    "NotReady",
    "change_state",
    "changing",
    "lift_hold",
    "place_hold",
    "return_to_service",
    "set_ticket_key",
    "start_maintenance",
]
