"""How a site's scheduler is reached, and what it says of a machine right now. Network: never inside a transaction."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import NamedTuple

from access.logins import Login, opened_by_id
from access.queries import ssh_targets
from core.outgoing.addresses import split
from core.outgoing.binding import Purpose, Refused
from drivers.kubernetes.client import KubernetesScheduler
from drivers.scheduler import JobScheduler, MachineFacts, Scheduler, SchedulerError, UnknownMachine
from drivers.slurm.commands import LocalShell, Shell, SlurmCommands, SshShell
from drivers.slurm.rest import SlurmRest
from drivers.ssh import SshTarget
from health.machines.models.machines import MachineHealth
from health.schedulers.models import IS_READ, SchedulerSource
from health.schedulers.services.desired_state import NOBODY_SAYS, name_at, schedulers_of

OFF = "the scheduler is switched off here"


class FactsNow(NamedTuple):
    """What a scheduler says of a machine now. None: it did not answer, or does not say; `reason` tells why.

    Of a machine that it told of, `reason` is the reason of its drain, word for word; without one its state. `named`: a
    scheduler named the machine in its answer.
    """

    jobs: int | None
    reservation_by_others: bool | None
    drained: bool | None
    reason: str
    named: bool = False


NO_SCHEDULER = FactsNow(0, False, True, "a person declared that no scheduler gives work to this machine")
UNDECLARED = FactsNow(None, None, None, NOBODY_SAYS)


def driver_of(source: SchedulerSource) -> Scheduler:
    """The client of a source. Raises SchedulerError when what it needs is missing."""
    return _kubernetes(source) if source.kind == SchedulerSource.Kind.KUBERNETES else slurm_of(source)


def slurm_of(source: SchedulerSource) -> JobScheduler:
    """As `driver_of`, of a source that is a Slurm."""
    writer = _commands(source)
    if not source.url:
        if writer is None:
            raise SchedulerError("name slurmrestd's url, or a machine to run scontrol on")
        return writer
    login = _login(source, source.credential_id, Purpose.SLURM, source.url)
    return SlurmRest(
        source.url,
        login.username,
        login.secret,
        gate=login.gate,
        version=source.api_version,
        pinned=bytes.fromhex(source.certificate) if source.certificate else None,
        writer=writer,
    )


def _kubernetes(source: SchedulerSource) -> KubernetesScheduler:
    login = _login(source, source.credential_id, Purpose.KUBERNETES, source.url)
    return KubernetesScheduler(
        source.url,
        login.secret,
        ca=source.ca,
        selector=source.partition,
        user_label=source.user_label,
        gate=login.gate,
    )


def _commands(source: SchedulerSource) -> SlurmCommands | None:
    shell: Shell
    if source.local:
        shell = LocalShell()
    elif (target := _target(source)) is not None:
        shell = SshShell(target)
    else:
        return None
    return SlurmCommands(shell, sudo=source.sudo)


def _target(source: SchedulerSource) -> SshTarget | None:
    if source.machine_id is not None:
        return next(iter(ssh_targets([source.machine_id])), None)
    if not source.ssh_address:
        return None
    login = _login(source, source.ssh_credential_id, Purpose.SSH, source.ssh_address)
    host, port = split(source.ssh_address, 22)
    return SshTarget(
        host,
        port,
        login.username,
        login.secret,
        source.ssh_identity or None,
        name=source.ssh_address,
        gate=login.gate,
    )


def _login(source: SchedulerSource, credential_id: int | None, purpose: Purpose, address: str) -> Login:
    try:
        return opened_by_id(credential_id, purpose, site=source.site_id).at(address)
    except Refused as error:
        raise SchedulerError(str(error)) from error


def keep_identities(source: SchedulerSource, driver: Scheduler) -> None:
    """Remember the certificate and the host key that the first contact showed; later ones must be the same."""
    changed: dict[str, str] = {}
    commands = driver.writer if isinstance(driver, SlurmRest) else driver
    if isinstance(driver, SlurmRest) and driver.fingerprint and not source.certificate:
        changed["certificate"] = driver.fingerprint.hex()
    shell = commands.shell if isinstance(commands, SlurmCommands) else None
    if isinstance(shell, SshShell) and shell.presented_key and source.machine_id is None and not source.ssh_identity:
        changed["ssh_identity"] = shell.presented_key
    if changed:
        SchedulerSource.objects.filter(pk=source.pk).update(**changed)


def facts_now(machine_id: int) -> FactsNow:
    """What the scheduler says of one machine, asked now. Raises MachineHealth.DoesNotExist."""
    return facts_of_many([machine_id]).get(machine_id) or _missing(machine_id)


def _missing(machine_id: int) -> FactsNow:
    raise MachineHealth.DoesNotExist(f"no machine {machine_id}")


def facts_of_many(machine_ids: Iterable[int]) -> dict[int, FactsNow]:
    """The same of many: each scheduler is asked once. Four queries whatever their number.

    A site's scheduler is asked of every machine there, whatever roles it was told to run. A machine that it does not
    name has no scheduler only where a person declared that; from one whose role it runs its name is to be expected.
    """
    rows = MachineHealth.objects.filter(pk__in=list(machine_ids)).select_related("machine__device", "pool")
    healths = {health.machine_id: health for health in rows}
    owners = schedulers_of(healths.values())
    sites = {health.machine.device.site_id for health in healths.values()}
    found: dict[int, FactsNow] = {}
    for source in SchedulerSource.objects.filter(IS_READ, site_id__in=sites):
        names = {pk: name_at(source, each.machine.device.name) for pk, each in healths.items()
                 if each.machine.device.site_id == source.site_id}  # fmt: skip
        found |= {pk: said for pk, said in _asked(source, names).items() if said != _UNNAMED or pk in owners}
    for pk, health in healths.items():
        declared = health.pool is not None and health.pool.no_scheduler
        found.setdefault(pk, NO_SCHEDULER if declared else UNDECLARED)
    return found


_UNNAMED = FactsNow(None, None, None, "the scheduler does not know this machine")


def _asked(source: SchedulerSource, names: dict[int, str]) -> dict[int, FactsNow]:
    """What one scheduler says of these machines; `_UNNAMED` of one that its answer does not name."""
    if not source.enabled:
        return {pk: FactsNow(None, None, None, OFF) for pk in names}
    try:
        driver = driver_of(source)
        if len(names) == 1:
            ((pk, name),) = names.items()
            return {pk: _told(asyncio.run(driver.machine(name)))}
        view = asyncio.run(driver.read())
    except UnknownMachine:
        return dict.fromkeys(names, _UNNAMED)
    except (SchedulerError, ValueError) as error:
        return {pk: FactsNow(None, None, None, f"the scheduler did not answer: {error}") for pk in names}
    machines = view.machines if view is not None else {}
    return {pk: _told(machines[name]) if name in machines else _UNNAMED for pk, name in names.items()}


def _told(facts: MachineFacts) -> FactsNow:
    words = "+".join(facts.words)
    reserved = facts.reserved_by_others(time.time())
    if facts.jobs is None:
        return FactsNow(None, reserved, None, f"its state says nothing of jobs: {words}", named=True)
    return FactsNow(facts.jobs, reserved, facts.drained, facts.reason or words, named=True)
