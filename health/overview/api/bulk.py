"""One thing done with many machines: each by itself, refused by itself, with the reason in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from core.accounts.scope import allows, request_roles
from core.models import Role
from health.machines.lifecycle import InvalidTransition
from health.machines.models.machines import MachineHealth
from health.machines.services.changes import NotReady, hold_in_own_name, return_to_service, start_maintenance
from health.monitoring.models.sweeps import Sweep
from health.monitoring.services.sweeps.sweep_runs import request_sweep

NO_SUCH_MACHINE = "There is no such machine."


def outcomes(seen: QuerySet, machines: Sequence[int], request: Request, action: str, **given: Any) -> list[dict]:
    """`seen` are those of the machines that the caller may see; the answer keeps the order of `machines`."""
    rows = seen.values_list("machine_id", "machine__device__name", "machine__device__site_id")
    names = {machine: (name, site) for machine, name, site in rows}
    roles, actor = request_roles(request), request.user.get_username()
    may = {machine for machine, (_, site) in names.items() if allows(roles, site, Role.OPERATOR)}
    if action == "check" and may:
        request_sweep(sorted(may), Sweep.Kind.MANUAL, actor=actor)
    answer = []
    for machine in machines:
        name = names[machine][0] if machine in names else ""
        if machine not in names:
            reason = NO_SUCH_MACHINE
        elif machine not in may:
            reason = "Only for operators of its site."
        else:
            reason = _refused(WORK[action], machine, actor, given) if action in WORK else ""
        answer.append({"machine": machine, "name": name, "done": not reason, "reason": reason})
    return answer


def _refused(work: Callable[..., Any], machine: int, actor: str, given: dict[str, Any]) -> str:
    """Do it with one of many: why it was refused, or empty."""
    try:
        work(machine, actor=actor, **given)
    except (InvalidTransition, NotReady) as error:
        return f"{error}."
    except MachineHealth.DoesNotExist:
        return NO_SUCH_MACHINE
    return ""


WORK: dict[str, Callable[..., Any]] = {
    "hold": hold_in_own_name,
    "maintenance": start_maintenance,
    "return": return_to_service,
}
