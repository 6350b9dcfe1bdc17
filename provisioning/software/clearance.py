"""Which machines a role may be played on now, asked right before it is."""

from __future__ import annotations

from collections.abc import Mapping

from access.queries import ssh_targets
from drivers.ssh import SshTarget
from health.machines.lifecycle import State
from provisioning.software import queries, services
from provisioning.software.models import SoftwareMachine, SoftwareRun
from provisioning.software.plays.hosts import Host
from provisioning.software.variables import variables_of
from provisioning.waves import fitness, holds
from provisioning.waves.policy import Play

ACTOR = "software"


def owner(run: SoftwareRun) -> str:
    """Whose holds keep machines of a run out of service."""
    return f"software:{run.pk}"


def of(run: SoftwareRun, step: Play) -> tuple[dict[SoftwareMachine, Host], dict[SoftwareMachine, str]]:
    """The machines of this step as Ansible is told of them, and those that may not be touched, with the reason.

    For a role that needs it the first are held out of service from now on.
    """
    rows = list(run.machines.filter(pk__in=step.machines).select_related("machine__health"))
    role = services.catalogue().by_name.get(step.step)
    if role is None or role.problem:
        return {}, dict.fromkeys(rows, role.problem if role else f"there is no role {step.step} any more")
    targets = {target.machine_id: target for target in ssh_targets([row.machine_id for row in rows])}
    drained_for = f"the role {role.title}" if role.drained else ""
    refused = {}
    alone = run.part_of_id is None  # else its provisioning run has the machine, which is out of service
    for row in rows:
        state = queries.state_of(row.machine)
        why = fitness.why_not(state, drained_for=drained_for, dry_run=run.dry_run) if alone else _left(state)
        if why := why or services.why_unreached(targets[row.machine_id]):
            refused[row] = why
    if drained_for and not run.dry_run and alone:
        free = {row.machine_id: row for row in rows if row not in refused}
        reason = f"software run {run.pk}"
        used = holds.in_use(free, owner=owner(run), reason=reason, actor=ACTOR, drained_for=drained_for)
        refused |= {free[pk]: why for pk, why in used.items()}
    variables = variables_of([row.machine_id for row in rows], run)
    return {row: _host(row, targets[row.machine_id], variables) for row in rows if row not in refused}, refused


def _left(state: str) -> str:
    """Why a machine is no longer in the hands of the provisioning run that began this; empty while it is."""
    return "" if state == State.BURN_IN else f"it is {state or 'unknown'}, its provisioning run has it no more"


def _host(row: SoftwareMachine, target: SshTarget, variables: Mapping[int, Mapping[str, object]]) -> Host:
    return Host(
        machine_id=row.machine_id, name=target.name, address=target.address, port=target.port,
        username=target.username, known_host=target.known_host or "", key=target.private_key,
        variables=variables[row.machine_id],
    )  # fmt: skip
