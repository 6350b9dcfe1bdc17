"""Software runs as a person starts and cancels them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from access.queries import ssh_targets
from core.work.kinds import Session, Work
from core.work.queue import after_commit
from drivers.ssh import SshTarget
from inventory.models import Machine
from live.events import emit
from provisioning.conf import config
from provisioning.models import Run
from provisioning.software import queries
from provisioning.software.catalogue import Catalogue, read_catalogue
from provisioning.software.models import SoftwareMachine, SoftwareRun, SoftwareTask
from provisioning.waves import fitness
from provisioning.waves.policy import OPEN_MACHINES, OPEN_RUNS
from provisioning.waves.rows import RunRefused, taken_elsewhere, totals_of

MOST_MACHINES = 2000
WORK = Work(
    name="software run",
    model=SoftwareRun,
    open=Q(status__in=[state.value for state in OPEN_RUNS]),
    hold=Session(7_211, one_for_all=True),  # runs take turns: one role at a time keeps the other workers free
    most=3,  # of each role
    task="provisioning.software.tasks.advance",
    every_s=60,
)


def catalogue() -> Catalogue:
    """The roles of this instance, read now: a site changes its own without a restart."""
    return read_catalogue(config().software_roles)


@transaction.atomic
def start(
    machine_ids: Sequence[int],
    roles: Collection[str],
    *,
    actor: str,
    dry_run: bool = True,
    canary: int = 1,
    limit: int = 8,
    stop_share: float = 0.2,
) -> SoftwareRun:
    """Queue roles for machines, which go in the order given. A dry run unless told otherwise.

    Raises RunRefused with every reason there is, and then nothing was started. A fixed number of statements.
    """
    known = catalogue()
    ids = list(dict.fromkeys(machine_ids))
    machines = {row.pk: row for row in Machine.objects.select_related("device", "health").filter(pk__in=ids)}
    reasons = known.refusals(roles)
    if not roles:
        reasons["roles"] = "none was chosen"
    if not ids:
        reasons["machines"] = "none was chosen"
    reasons |= {str(pk): "there is no such machine" for pk in ids if pk not in machines}
    if len({machine.device.site_id for machine in machines.values()}) > 1:
        reasons["machines"] = "they are not all at one site"
    drained_for = known.first_drained(roles)
    for machine in machines.values():
        if why := fitness.why_not(queries.state_of(machine), drained_for=drained_for, dry_run=dry_run):
            reasons[machine.device.name] = why
    reasons |= unreached(ssh_targets(machines))
    reasons |= taken_elsewhere(SoftwareMachine.objects.all(), "run_id", machines, "software run")
    if reasons:
        raise RunRefused(reasons)
    run = SoftwareRun.objects.create(
        site_id=machines[ids[0]].device.site_id, roles=known.in_order(roles), dry_run=dry_run, canary=canary,
        limit=limit, stop_share=stop_share, created_by=actor,
    )  # fmt: skip
    try:
        with transaction.atomic():
            SoftwareMachine.objects.bulk_create(SoftwareMachine(run=run, machine_id=pk) for pk in ids)
    except IntegrityError as error:
        raise RunRefused({"machines": "another software run has just taken one of them"}) from error
    tell(run, actor)
    take_turn(run.pk)
    return run


def start_within(run: Run, machine_ids: Sequence[int]) -> SoftwareRun:
    """The roles of a provisioning run for those of its machines that wait for them: a canary, then all others.

    Raises IntegrityError when another software run has one of them.
    """
    found = SoftwareRun.objects.create(
        site_id=run.site_id, part_of=run, roles=catalogue().in_order(run.software), dry_run=False, canary=1,
        limit=MOST_MACHINES, stop_share=0.5, created_by=run.created_by,
    )  # fmt: skip
    SoftwareMachine.objects.bulk_create(SoftwareMachine(run=found, machine_id=pk) for pk in machine_ids)
    tell(found, run.created_by)
    take_turn(found.pk)
    return found


def unreached(targets: Iterable[SshTarget]) -> dict[str, str]:
    """Machines that nothing can be done on, and why, by name: no key, no address, or an identity nobody knows."""
    reasons = {}
    for target in targets:
        if why := why_unreached(target):
            reasons[target.name] = why
    return reasons


def why_unreached(target: SshTarget) -> str:
    if not target.address:
        return "no address is known for it"
    if not target.private_key:
        return f"no SSH key that may go to {target.address} is stored"
    try:
        if target.gate is not None:
            target.gate.check(target.address, target.port)
    except OSError as error:
        return str(error)
    return "" if target.known_host else "its host key is not known yet: let it be checked once"


@transaction.atomic
def cancel(run_id: int, *, actor: str) -> bool:
    """No task begins any more; what one has begun may still end on its machine. False when the run had ended."""
    run = SoftwareRun.objects.select_for_update().get(pk=run_id)
    if run.status not in OPEN_RUNS:
        return False
    run.cancelled_by = run.cancelled_by or actor
    run.save(update_fields=["cancelled_by"])
    tell(run, actor)
    take_turn(run.pk)
    return True


def take_turn(run_id: int) -> None:
    after_commit(WORK.task, run_id, robust=True)


def next_in_turn() -> int | None:
    """The open run that waited longest, without those that wait for something else than a worker."""
    rows = SoftwareRun.objects.filter(WORK.open, message="")
    return rows.order_by(F("turn_at").asc(nulls_first=True), "pk").values_list("pk", flat=True).first()


def tell(run: SoftwareRun, actor: str) -> None:
    """Say that a locked run changed."""
    data = {"id": run.pk, "status": run.status, "dry_run": run.dry_run, "totals": totals_of(run.machines.all())}
    emit("software_run.changed", site_id=run.site_id, subject=f"software_run:{run.pk}", data=data, actor=actor)


def open_machines(run_id: int) -> list[SoftwareMachine]:
    states = [state.value for state in OPEN_MACHINES]
    return list(SoftwareMachine.objects.filter(run_id=run_id, status__in=states).order_by("pk"))


def prune() -> int:
    """Forget what tasks did in runs that ended long ago; returns how many. What became of each role stays."""
    old = timezone.now() - settings.KEPT["software_tasks"]
    count, _ = SoftwareTask.objects.filter(run_machine__run__finished_at__lt=old).delete()
    return count
