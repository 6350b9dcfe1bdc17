"""Runs that an action of automation began: they live no longer than the action.

When its deadline is over the action has failed and people are called. What is left of its run is not carried out
hours later, when a job ends or the kill switch is lifted: nobody expects it any more.
"""

from __future__ import annotations

from core.work.alone import alone
from health.machines.calls import AUTOMATION
from health.models import RemediationAction
from health.remediation.models import OPEN_ACTIONS
from provisioning.models import Run, RunMachine
from provisioning.services.progress import changing
from provisioning.steps import OPEN, Cancelled

PREFIX = "remediation "
ENDED = "the action of automation that wanted it has ended"


def name_of(key: str) -> str:
    """The name of the run of an action, by which one that was begun already is known again."""
    return f"{PREFIX}{key}"


def why_unwanted(run: Run) -> str:
    """Why nothing of this run may be carried out any more; empty when it may."""
    if not _is_of_an_action(run.created_by, run.name) or _open([run.name]):
        return ""
    return ENDED


def cancel_unwanted() -> int:
    """Cancel what is left of runs whose action has ended; returns how many machines. Two queries without any."""
    rows = RunMachine.objects.filter(status__in=[status.value for status in OPEN], run__created_by=AUTOMATION)
    names = dict(rows.filter(run__name__startswith=PREFIX).order_by("pk").values_list("pk", "run__name"))
    wanted = _open(list(names.values()))
    cancelled = 0
    for pk in [pk for pk, name in names.items() if name not in wanted]:
        with alone("run_machine_not_cancelled", run_machine=pk):
            cancelled += _cancel(pk)
    return cancelled


def _is_of_an_action(created_by: str, name: str) -> bool:
    return created_by == AUTOMATION and name.startswith(PREFIX)


def _open(names: list[str]) -> set[str]:
    """Those whose action is under way."""
    keys = [name.removeprefix(PREFIX) for name in names]
    rows = RemediationAction.objects.filter(key__in=keys, state__in=OPEN_ACTIONS)
    return {name_of(key) for key in rows.values_list("key", flat=True)}


def _cancel(run_machine_id: int) -> bool:
    """The machine is left to people: it was in service once, and nobody knows how far the installation came."""
    with changing(run_machine_id, actor=AUTOMATION) as progress:
        run = progress.run
        return _is_of_an_action(run.created_by, run.name) and progress.apply(Cancelled(to_people=True), ENDED)
