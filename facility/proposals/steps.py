"""How the steps of a proposal are carried out and taken back, each on many machines.

What a step does to a machine is written down before it is done, with what has to be known to take it back; carrying it
out again goes on where it stopped. Machines stand for themselves: one that fails keeps none of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, NamedTuple, Protocol

from django.utils import timezone

from core.work.alone import alone
from facility.proposals import hands
from facility.proposals.models import Proposal
from health import services as health
from health.machines.lifecycle import State
from health.models import MachineHealth

Step = dict[str, Any]


class Going(NamedTuple):
    """`save` keeps the step as it is now. `stopped` says why nothing may be done any more, asked right before it is."""

    save: Callable[[], None]
    stopped: Callable[[], str]


DOWN_WITHIN = timedelta(minutes=10)
"""Of a shut-down: what is on after that is left to hands."""
OFF_FOR = timedelta(days=1)
"""How long a machine that was shut down counts as in maintenance, if nobody powers it on before."""
BOOTS_WITHIN = timedelta(minutes=15)
SHARED = "its BMC or its shelf carries other machines too: shut it down by hand"
SHARED_UNKNOWN = "it is not known whether its BMC or its shelf carries others: shut it down by hand"
WAS_OFF = "it was off before"
AT_WORK = "somebody works on it: it stays as it is"


class Act(Protocol):
    """One kind of step. Both are called again until the step has ended, and end it themselves."""

    first: ClassVar[str]
    """Its state once a person approved the proposal: it begins at once, or waits to be begun by a person."""

    def forward(self, row: Proposal, step: Step, going: Going) -> None: ...
    def back(self, row: Proposal, step: Step, by: str) -> None: ...


def owner_of(row: Proposal) -> str:
    """Whose hold it is, as `health` names owners."""
    return f"power:{row.pk}"


# ---- what is known of each machine ----


def _begin(step: Step, machine: int, **before: Any) -> None:
    """Note that this machine is being dealt with, and how it was before; to be saved before anything is done to it."""
    step.setdefault("progress", {})[str(machine)] = {
        "state": "doing", "message": "", "before": before, "at": timezone.now().isoformat(),
    }  # fmt: skip


def _of(step: Step, machine: int) -> dict[str, Any]:
    return dict(step.get("progress", {}).get(str(machine), {}))


def _is(step: Step, machine: int, state: str, message: str = "", **more: Any) -> None:
    step["progress"][str(machine)] |= {"state": state, "message": message[:200], **more}


def _in_state(step: Step, *states: str) -> list[int]:
    """Machines of a step, in its order."""
    return [pk for pk in step["machine_ids"] if _of(step, pk).get("state") in states]


def _begun(step: Step) -> list[int]:
    return [pk for pk in step["machine_ids"] if _of(step, pk) and _of(step, pk)["state"] != "undone"]


def _not_begun(step: Step) -> list[int]:
    return [pk for pk in step["machine_ids"] if not _of(step, pk)]


def _end(step: Step, did: str) -> None:
    """A step that every machine went through: done when all of them did it."""
    done, of = len(_in_state(step, "done")), len(step["machine_ids"])
    step["state"], step["message"] = "done" if done == of else "failed", f"{done} of {of} machines {did}"


def _end_back(step: Step, by: str, what_is_left: str) -> None:
    left = len(_begun(step))
    step["state"] = "failed" if left else "undone"
    step["message"] = f"{left} of {len(step['machine_ids'])} machines {what_is_left}" if left else f"taken back by {by}"


# ---- no new jobs ----


class StopNewJobs:
    """A hold on each machine, which drains it; taken back, those that were in service return to it."""

    first: ClassVar = "doing"

    def forward(self, row: Proposal, step: Step, going: Going) -> None:
        states = _states(step["machine_ids"])
        for machine in _not_begun(step):
            _begin(step, machine, state=states.get(machine, ""))
        going.save()
        for machine in _in_state(step, "doing"):
            why = stopped = going.stopped()
            if not stopped:
                why = "it went wrong; see the log"
                with alone("hold_not_placed", machine=machine):
                    health.place_hold(machine, owner=owner_of(row), reason=row.text, actor=row.decided_by, drain=True)
                    why = ""
            _is(step, machine, "failed" if why else "done", why)
        _end(step, "take no new jobs")

    def back(self, row: Proposal, step: Step, by: str) -> None:
        for machine in _not_begun(step):  # a worker died before it wrote anything
            _begin(step, machine)
        for machine in _begun(step):
            with alone("hold_not_lifted", machine=machine):
                health.lift_hold(machine, owner=owner_of(row), reason=f"{by} took it back", actor=by)
                _is(step, machine, "undone", self._return(machine, _of(step, machine)["before"], by))
        _end_back(step, by, "are still held")

    def _return(self, machine: int, before: Mapping[str, Any], by: str) -> str:
        """Into service, if it was; what keeps it out besides is said. One that was shut down is checked first."""
        if before.get("state") != "ready" or _states([machine]).get(machine) not in ("draining", "drained"):
            return ""
        try:
            health.return_to_service(machine, reason="power or cooling is mended", actor=by)
        except (health.NotReady, health.InvalidTransition) as error:
            return str(error)
        return ""


def _states(machines: Iterable[int]) -> dict[int, str]:
    return dict(MachineHealth.objects.filter(pk__in=list(machines)).values_list("machine_id", "state"))


# ---- less power ----


class LimitPower:
    """A lower power limit on each GPU; taken back, each gets the limit that it had."""

    first: ClassVar = "doing"

    def forward(self, row: Proposal, step: Step, going: Going) -> None:
        new = _not_begun(step)
        for machine, known in hands.gpu_limits(new).items():
            _begin(step, machine, limits_w=known.watts)
            if known.why:
                _is(step, machine, "failed", known.why)
        going.save()
        wanted = {pk: self._lower(step, pk) for pk in _in_state(step, "doing")}
        lower = {pk: limits for pk, limits in wanted.items() if limits}
        stopped = going.stopped()
        refused = dict.fromkeys(lower, stopped) if stopped else hands.set_gpu_limits(lower)
        for machine in wanted:
            why = refused.get(machine, "")
            _is(step, machine, "failed" if why else "done", why)
        _end(step, "have their GPUs limited")

    def _lower(self, step: Step, machine: int) -> dict[str, float]:
        """Only where it is lower than what is set."""
        most = float(step["limits_w"][str(machine)])
        before: dict[str, float] = _of(step, machine)["before"]["limits_w"]
        return {index: most for index, watts in before.items() if watts > most}

    def back(self, row: Proposal, step: Step, by: str) -> None:
        lowered = {pk: self._lower(step, pk) for pk in _begun(step)}
        before = {pk: {n: _of(step, pk)["before"]["limits_w"][n] for n in limits} for pk, limits in lowered.items()}
        refused = hands.set_gpu_limits({pk: limits for pk, limits in before.items() if limits})
        for machine in before:
            why = refused.get(machine, "")
            _is(step, machine, "failed" if why else "undone", why)
        if _begun(step) and timezone.now() - datetime.fromisoformat(step["undone_at"]) < BOOTS_WITHIN:
            step["message"] = f"{len(_begun(step))} machines do not answer yet"  # powered on just now, they may boot
        else:
            _end_back(step, by, "still have their GPUs limited")


# ---- down ----


class ShutDown:
    """An orderly shut-down by the BMC, so many machines at a time; taken back, they are powered on and checked.

    A person begins it, and what still runs there ends with it; what shares a BMC or a shelf with others is left to
    hands. What was off before, and what somebody works on by then, is not powered on.
    """

    first: ClassVar = "offered"

    def forward(self, row: Proposal, step: Step, going: Going) -> None:
        now = timezone.now()
        on_their_way = _in_state(step, "doing")
        for machine, state in hands.power_states(on_their_way).items():
            if state == "off":
                with alone("drain_not_ended", machine=machine):
                    health.nothing_runs_on(machine, reason="it was shut down", actor=row.decided_by)
                _is(step, machine, "done")
            elif now - datetime.fromisoformat(_of(step, machine)["at"]) > DOWN_WITHIN:
                _is(step, machine, "failed", f"it is {state} after {DOWN_WITHIN.seconds // 60} minutes")
        again = [pk for pk in _in_state(step, "doing") if not _of(step, pk).get("ordered")]  # a worker died before it
        room = max(0, step["at_once"] - len(_in_state(step, "doing")))
        due = [*again, *self._meet(step, _not_begun(step)[:room])]
        going.save()
        if why := going.stopped():
            for machine in due:
                _is(step, machine, "failed", why, untouched=True)
            due = []
        shared = health.sharing_power(due)
        for machine, shares in shared.items():
            if shares is not False:
                _is(step, machine, "failed", SHARED if shares else SHARED_UNKNOWN, untouched=True)
        ready = [machine for machine in due if shared.get(machine) is False]
        for machine in ready:
            with alone("maintenance_not_begun", machine=machine):
                self._maintain(row, machine, now + OFF_FOR)
        for machine, why in hands.order_power(ready, "graceful_off").items():
            step["progress"][str(machine)]["ordered"] = True
            if why:
                _is(step, machine, "failed", why)
        if not _not_begun(step) and not _in_state(step, "doing"):
            _end(step, "are off")
        else:
            step["message"] = f"{len(_in_state(step, 'done'))} of {len(step['machine_ids'])} machines are off"

    def _meet(self, step: Step, machines: list[int]) -> list[int]:
        """Note how each is before anything is done to it; answers those that are to be shut down."""
        states = _states(machines)
        for machine, power in hands.power_states(machines).items():
            _begin(step, machine, power=power, state=states.get(machine, ""))
            if power == "off":
                _is(step, machine, "done", WAS_OFF, untouched=True)
        return [pk for pk in machines if _of(step, pk)["state"] == "doing"]

    def _maintain(self, row: Proposal, machine: int, until: datetime) -> None:
        """That it is silent from now on is no fault of it. One that is in repair anyway stays there."""
        try:
            health.start_maintenance(machine, reason=row.text, until=until, actor=row.decided_by)
        except health.InvalidTransition:
            return

    def back(self, row: Proposal, step: Step, by: str) -> None:
        begun = _begun(step)
        states = _states(begun)
        for machine in begun:
            told = _of(step, machine)
            if told.get("untouched"):
                _is(step, machine, "undone", told["message"])
            elif self._is_worked_on(told["before"].get("state", ""), states.get(machine, "")):
                _is(step, machine, "undone", AT_WORK)
        for machine, why in hands.order_power(_begun(step), "on").items():
            if not why:
                with alone("maintenance_not_ended", machine=machine):
                    health.end_maintenance_by(machine, timezone.now() + BOOTS_WITHIN, actor=by)
            _is(step, machine, "failed" if why else "undone", why)
        _end_back(step, by, "could not be powered on")
        if left := [pk for pk in step["machine_ids"] if _of(step, pk).get("message") == AT_WORK]:
            step["message"] += f"; {len(left)} left as they are: somebody works on them"

    def _is_worked_on(self, before: str, now: str) -> bool:
        """Somebody may have it open: it is in repair, or in a maintenance that is not of this step."""
        return now in (State.REPAIR, State.RMA) or now == before == State.MAINTENANCE


ACTS: dict[str, Act] = {"stop_new_jobs": StopNewJobs(), "limit_power": LimitPower(), "shut_down": ShutDown()}
"""Steps that Rackside takes; all others are done by hand."""
