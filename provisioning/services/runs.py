"""Runs as a person starts, cancels and retries them, and the limit on how many machines run at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from access.queries import ssh_targets
from access.services import ask_bmcs_again
from health import services as health
from health.machines.calls import AUTOMATION
from health.machines.lifecycle import LifecycleEvent, allowed
from inventory.models import Machine
from provisioning.acceptance.choice import Acceptance, of_site
from provisioning.acceptance.step import cancel as cancel_acceptance
from provisioning.boot.disks import NoDisk
from provisioning.conf import config
from provisioning.engines import ENGINES, way_of_run
from provisioning.limits.queries import RACK, candidates
from provisioning.limits.starts import Kind, next_ones
from provisioning.limits.use import under_way
from provisioning.models import LogLine, Run, RunMachine, Step
from provisioning.queries import boot_disks
from provisioning.services import queue
from provisioning.services.progress import Progress, changing, refresh_run
from provisioning.steps import BY_NAME, Cancelled, Retried, Started, Status, StepName
from provisioning.waves.rows import RunRefused

LOOKS_AHEAD = 8
"""Waiting machines that are read for each that could start: what is ahead may share a rack or a switch that is full."""
START_LOCK = 7_210_401
"""Advisory lock under which machines are started, so that the limit of all runs together is counted rightly."""


def _image_of(machines: Iterable[Machine], offered: Sequence[str]) -> str:
    """What a run installs that names no image: that of its device models, else the first. Raises RunRefused."""
    if not offered:
        return ""
    specs = ((machine.device.model.spec or {}).get("expected") or {} for machine in machines)
    wanted = {str(expected.get("boot_image") or offered[0]) for expected in specs}
    if len(wanted) > 1:
        raise RunRefused({"image": f"its device models want {' and '.join(sorted(wanted))}: one run for each"})
    return wanted.pop() if wanted else offered[0]


@transaction.atomic
def create_run(
    machine_ids: Sequence[int],
    *,
    actor: str,
    name: str = "",
    limit: int = 8,
    engine: str = "redfish",
    image: str = "",
    acceptance: Acceptance | None = None,
) -> Run:
    """Queue machines for provisioning, in the order given. Raises RunRefused and changes nothing when one may not.

    `acceptance`: what is done before the checks; None: as the site has it.

    A fixed number of queries, however many machines.
    """
    ids = list(dict.fromkeys(machine_ids))
    machines = {row.pk: row for row in Machine.objects.select_related("device__model", "health").filter(pk__in=ids)}
    if engine not in ENGINES:
        raise RunRefused({"engine": f"there is no engine {engine}"})
    if refusal := ENGINES[engine].refusal():
        raise RunRefused({"engine": refusal})
    offered = ENGINES[engine].images()
    image = image or _image_of(machines.values(), offered)
    if image not in offered and image:
        raise RunRefused({"image": f"there is no image {image}; there are: {', '.join(offered) or 'none'}"})
    reasons = {str(pk): "no such machine" for pk in ids if pk not in machines}
    for machine in machines.values():
        reason = _why_not(machine, engine)
        if reason:
            reasons[machine.device.name] = reason
    wanted = acceptance or of_site(engine)
    reasons |= wanted.refusals(engine, machines.values())
    if StepName.INSTALL_DATA in ENGINES[engine].way.steps:
        placed = boot_disks(machines.values())
        reasons |= {machines[pk].device.name: str(why) for pk, why in placed.items() if isinstance(why, NoDisk)}
    reasons |= {
        target.name: f"no SSH key that may go to {target.address or 'a machine without an address'} is stored"
        for target in ssh_targets(machines)
        if not target.private_key
    }
    sites = {machine.device.site_id for machine in machines.values()}
    if len(sites) > 1:
        reasons["machines"] = "they are not all at one site"
    if len(sites) == 1 and (refusal := ENGINES[engine].refuses_site(next(iter(sites)))):
        reasons["engine"] = refusal
    if reasons or not ids:
        raise RunRefused(reasons or {"machines": "none was chosen"})
    run = Run.objects.create(
        site_id=sites.pop(),
        name=name,
        limit=limit,
        engine=engine,
        image=image,
        bmc_setup=config().bmc_setup,
        software=list(wanted.software),
        gpu_tests=wanted.gpu_tests,
        fabric=wanted.fabric,
        created_by=actor,
    )
    try:
        with transaction.atomic():
            rows = RunMachine.objects.bulk_create(RunMachine(run=run, machine_id=pk) for pk in ids)
    except IntegrityError as error:
        taken = RunMachine.objects.filter(machine_id__in=ids, status__in=[Status.WAITING.value, Status.RUNNING.value])
        names = taken.values_list("machine__device__name", "run_id")
        raise RunRefused({name: f"already in run {other}" for name, other in names}) from error
    ask_bmcs_again(ids)
    Step.objects.bulk_create(
        Step(run_machine=row, number=number, name=step.value, title=BY_NAME[step].title)
        for row in rows
        for number, step in enumerate(way_of_run(run).steps, start=1)
    )
    LogLine.objects.bulk_create(LogLine(run_machine=row, n=1, step=row.step, text=f"Queued by {actor}") for row in rows)
    RunMachine.objects.filter(run=run).update(log_count=1)
    refresh_run(run, actor=actor)
    _fill_soon()
    return run


def _state(machine: Machine) -> str:
    """The machine's lifecycle state; `unknown` when the inventory was never taken over by health."""
    found = getattr(machine, "health", None)
    return str(found.state) if found is not None else "unknown"


def _why_not(machine: Machine, engine: str) -> str:
    state = _state(machine)
    if not allowed(state, LifecycleEvent.PROVISION):
        return f"a machine that is {state} is not provisioned; take it out of service first"
    if refusal := ENGINES[engine].refuses(state):
        return refusal
    if not machine.boot_mac and not machine.device.serial:
        return "neither a boot MAC address nor a serial is known"
    return ""


def _fill_soon() -> None:
    transaction.on_commit(queue.enqueue_fill, robust=True)


def fill() -> int:
    """Start waiting machines while the limits allow it; returns how many were started.

    Who starts is planned for many at once, and asked again for each right before: the lock is held for one machine at a
    time, so that nobody waits long for it.
    """
    started = 0
    while now_started := sum(_start_one(pk) for pk in _planned()):
        started += now_started
    return started


def lock_starts() -> None:
    """Until the end of the transaction nobody else starts a machine. To be taken before any run is locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [START_LOCK])


def has_room(row: RunMachine) -> bool:
    """Whether this machine, which is not counted yet, may be under way; `lock_starts` first."""
    [machine] = candidates(RunMachine.objects.filter(pk=row.pk))
    return under_way().has_room(machine)


def _planned() -> list[int]:
    """Who may start now. Of each run so many are read as could start, and more only while there is room left by those
    behind what is full: a run may have thousands that wait."""
    now = under_way()
    if not now.room:
        return []
    waiting = RunMachine.objects.filter(status=Status.WAITING.value)
    waiting = waiting.filter(Q(**{f"{RACK}__isnull": True}) | ~Q(**{f"{RACK}__in": now.full(Kind.RACK)}))
    place = Window(RowNumber(), partition_by=F("run_id"), order_by=F("pk").asc())
    size, done, chosen = now.room * LOOKS_AHEAD, 0, list[int]()
    while now.room:
        ahead = waiting.exclude(run__in=now.full_runs()).annotate(place=place)
        batch = candidates(ahead.filter(place__gt=done, place__lte=done + size).order_by("pk"))
        if not batch:
            break
        chosen += next_ones(batch, now)
        done += size
    return chosen


def _start_one(run_machine_id: int) -> bool:
    """Start it, unless another worker did, or has taken the room meanwhile."""
    with transaction.atomic():
        lock_starts()
        row = RunMachine.objects.filter(pk=run_machine_id, status=Status.WAITING.value).first()
        if row is None or not has_room(row):
            return False
        with changing(run_machine_id) as progress:
            _start(progress)
        return True


def _start(progress: Progress) -> None:
    """Take the machine out of whatever it is in; one that may not be provisioned any more leaves the run."""
    try:
        with transaction.atomic():
            health.change_state(
                progress.row.machine_id,
                LifecycleEvent.PROVISION,
                reason=f"provisioning {progress.run}",
                actor=progress.actor,
                evidence={"run": progress.run.pk},
            )
    except health.InvalidTransition as error:
        progress.apply(Cancelled(), str(error))
        return
    progress.apply(Started())


def cancel_machine(run_machine_id: int, *, actor: str) -> bool:
    """Stop with one machine where it stands; returns False when it had already ended. The machine is left as it is."""
    with changing(run_machine_id, actor=actor) as progress:
        return progress.apply(Cancelled(), f"cancelled by {actor}")


def cancel_run(run_id: int, *, actor: str) -> int:
    """Cancel every machine of a run that has not ended; returns how many. Waiting ones first, so that none starts."""
    open_rows = RunMachine.objects.filter(run_id=run_id, status__in=[Status.WAITING.value, Status.RUNNING.value])
    ids = open_rows.order_by("-status", "pk").values_list("pk", flat=True)
    cancelled = sum(cancel_machine(pk, actor=actor) for pk in list(ids))
    cancel_acceptance(run_id, actor=actor)
    return cancelled


def retry_machine(run_machine_id: int, *, actor: str) -> None:
    """Queue a machine that failed or was cancelled once more. Raises RunRefused.

    A run of automation is from then on that of the person, who wants it whatever became of the action.
    """
    try:
        with changing(run_machine_id, actor=actor) as progress:
            row = progress.row
            state = _state(row.machine)
            if not allowed(state, LifecycleEvent.PROVISION):
                raise RunRefused({row.machine.device.name: f"a machine that is {state} is not provisioned"})
            if not progress.apply(Retried(), f"retried by {actor}"):
                raise RunRefused({row.machine.device.name: f"it is {row.status}"})
            ask_bmcs_again([row.machine_id])
            if progress.run.created_by == AUTOMATION:
                progress.run.created_by = actor
                progress.run.save(update_fields=["created_by"])
            _fill_soon()
    except IntegrityError as error:
        raise RunRefused({"machine": "it is already in another run"}) from error


def set_ticket(run_machine_id: int, key: str) -> None:
    """Show the ticket that was opened for a failure; for the room that owns tickets."""
    RunMachine.objects.filter(pk=run_machine_id).update(ticket=key)
