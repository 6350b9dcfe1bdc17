"""Profiles as a person saves them, and BMC runs as a person starts and cancels them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from access.queries import BmcTarget, bmc_targets
from access.services import ask_bmcs_again
from core.work.kinds import Session, Work
from core.work.queue import after_commit
from inventory.models import DeviceModel, Machine
from live.events import emit
from provisioning.bmc import readings
from provisioning.bmc.comparison import profile_from
from provisioning.bmc.models import BmcProfile, BmcRun, BmcRunMachine
from provisioning.bmc.words import NEEDS_DRAIN, BmcAction
from provisioning.models import RunMachine
from provisioning.waves import fitness, holds
from provisioning.waves.policy import OPEN_MACHINES, OPEN_RUNS
from provisioning.waves.rows import RunRefused, taken_elsewhere, totals_of

MOST_MACHINES = 2000
WORK = Work(
    name="BMC run",
    model=BmcRun,
    open=Q(status__in=[state.value for state in OPEN_RUNS]),
    hold=Session(7_212),
    due="next_at",
    task="provisioning.bmc.tasks.advance",
    every_s=15,
)


@transaction.atomic
def save_profile(
    model: DeviceModel,
    settings: Sequence[Mapping[str, Any]] | None,
    firmware: Sequence[Mapping[str, Any]] | None,
    *,
    actor: str,
) -> BmcProfile:
    """Set what BIOS, BMC and firmware of this model are to be; None leaves that part. What was read is compared with it
    at once; nothing is written to any machine.

    Raises comparison.BadProfile with each row that is wrong, and then nothing changed.
    """
    profile_from(settings or (), firmware or ())
    given = {"settings": settings, "firmware": firmware}
    changed = {name: list(rows) for name, rows in given.items() if rows is not None}
    profile, _ = BmcProfile.objects.update_or_create(model=model, defaults={**changed, "changed_by": actor})
    readings.recount(profile)
    after_commit(readings.TASK, robust=True)
    return profile


@transaction.atomic
def start(
    machine_ids: Sequence[int],
    action: BmcAction,
    *,
    actor: str,
    dry_run: bool = True,
    restart: bool = False,
    canary: int = 1,
    limit: int = 8,
    stop_share: float = 0.2,
) -> BmcRun:
    """Queue an action for the BMCs of machines, which go in the order given. A dry run unless told otherwise.

    Raises RunRefused with every reason there is, and then nothing was started. A fixed number of statements.
    """
    ids = list(dict.fromkeys(machine_ids))
    machines = {row.pk: row for row in Machine.objects.select_related("device").filter(pk__in=ids)}
    reasons = {str(pk): "there is no such machine" for pk in ids if pk not in machines}
    if not ids:
        reasons["machines"] = "none was chosen"
    if len({machine.device.site_id for machine in machines.values()}) > 1:
        reasons["machines"] = "they are not all at one site"
    states, profiles = holds.states_of(machines), readings.profiles_of(machines)
    for pk, machine in machines.items():
        why = fitness.why_not(states.get(pk, ""), drained_for=NEEDS_DRAIN[action], dry_run=dry_run)
        if why := why or _nothing_wanted(profiles.get(pk), action):
            reasons[machine.device.name] = why
    reasons |= unreached(bmc_targets(machines))
    reasons |= taken_elsewhere(BmcRunMachine.objects.all(), "run_id", machines, "BMC run")
    if reasons:
        raise RunRefused(reasons)
    run = BmcRun.objects.create(
        site_id=machines[ids[0]].device.site_id, action=action.value, dry_run=dry_run,
        restart=restart and action is not BmcAction.PASSWORD, canary=canary, limit=limit, stop_share=stop_share,
        created_by=actor,
    )  # fmt: skip
    try:
        with transaction.atomic():
            BmcRunMachine.objects.bulk_create(BmcRunMachine(run=run, machine_id=pk) for pk in ids)
    except IntegrityError as error:
        raise RunRefused({"machines": "another BMC run has just taken one of them"}) from error
    ask_bmcs_again(ids)
    tell(run, actor)
    take_turn(run.pk)
    return run


@transaction.atomic
def start_within(run_machine: RunMachine, action: BmcAction) -> BmcRun:
    """The same for one machine of a provisioning run, whose step waits for it. Nothing is restarted: the run does."""
    run = BmcRun.objects.create(
        site_id=run_machine.run.site_id, action=action.value, dry_run=False, canary=0, limit=1,
        created_by=run_machine.run.created_by, part_of=run_machine,
    )  # fmt: skip
    BmcRunMachine.objects.create(run=run, machine_id=run_machine.machine_id)
    take_turn(run.pk)
    return run


def _nothing_wanted(profile: BmcProfile | None, action: BmcAction) -> str:
    if action is BmcAction.PASSWORD:
        return ""
    rows = (profile.settings if action is BmcAction.SETTINGS else profile.firmware) if profile else []
    return "" if rows else f"the profile of its model has no {action.value}"


def unreached(targets: Iterable[BmcTarget]) -> dict[str, str]:
    """Machines whose BMC cannot be asked at all, and why, by name."""
    return {target.name: why for target in targets if (why := why_unreached(target))}


def why_unreached(target: BmcTarget) -> str:
    if not target.address:
        return "no BMC address is known for it"
    try:
        target.gate.check(target.address, target.port)
    except OSError as error:
        return str(error)
    return ""


@transaction.atomic
def cancel(run_id: int, *, actor: str) -> bool:
    """Nothing is begun any more; an update that a BMC has begun goes on there. False when the run had ended."""
    run = BmcRun.objects.select_for_update().get(pk=run_id)
    if run.status not in OPEN_RUNS:
        return False
    run.cancelled_by, run.next_at = run.cancelled_by or actor, None
    run.save(update_fields=["cancelled_by", "next_at"])
    tell(run, actor)
    take_turn(run.pk)
    return True


def take_turn(run_id: int, *, after_s: float = 0) -> None:
    after_commit(WORK.task, run_id, robust=True, **({"countdown": after_s} if after_s else {}))


def tell(run: BmcRun, actor: str) -> None:
    """Say that a locked run changed."""
    data = {
        "id": run.pk, "action": run.action, "status": run.status, "dry_run": run.dry_run,
        "totals": totals_of(run.machines.all()),
    }  # fmt: skip
    emit("bmc_run.changed", site_id=run.site_id, subject=f"bmc_run:{run.pk}", data=data, actor=actor)


def open_machines(run_id: int) -> list[BmcRunMachine]:
    states = [state.value for state in OPEN_MACHINES]
    return list(BmcRunMachine.objects.filter(run_id=run_id, status__in=states).order_by("pk"))
