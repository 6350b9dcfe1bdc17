"""Placements as a person starts, cancels and tries them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from access.queries import ssh_targets
from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from inventory.models import Machine
from live.events import emit
from provisioning.images import queries
from provisioning.images.commands import Image, Unplaceable, image_of, seat_of
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.mirrors.queries import registry_of
from provisioning.software.queries import state_of
from provisioning.software.services import unreached
from provisioning.waves import fitness
from provisioning.waves.policy import BAD, OPEN_RUNS, MachineState, RunState
from provisioning.waves.rows import RunRefused, taken_elsewhere, totals_of

MOST_MACHINES = 5000
AGAIN = [state.value for state in (*BAD, MachineState.CANCELLED, MachineState.REFUSED)]
TAKEN = {"machines": "another placement has just taken one of them"}
TASK = "provisioning.images.tasks.advance"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: a dry run unless told otherwise."""

    action: str
    engine: str
    image: str
    digest: str = ""
    dry_run: bool = True
    canary: int = 1
    limit: int = 64
    rack_limit: int = 4
    registry_limit: int = 64
    stop_share: float = 0.2


def _give_up(row: ImagePlacement, reason: str, **more: object) -> bool:
    with transaction.atomic():
        locked = ImagePlacement.objects.select_for_update().get(pk=row.pk)
        if locked.status not in OPEN_RUNS:
            return False
        end(locked, RunState.FAILED, reason)
    return True


WORK = Work(
    name="image placement",
    model=ImagePlacement,
    open=ImagePlacement.IS_OPEN,
    hold=Lease(90, token="lease"),
    due="next_at",
    attempts="attempts",
    most=5,
    reason="message",
    give_up=_give_up,
    task=TASK,
    every_s=5,
)


@transaction.atomic
def start(machine_ids: Sequence[int], wanted: Wanted, *, actor: str) -> ImagePlacement:
    """Queue an image for machines, which go in the order given.

    Raises RunRefused with every reason there is, and then nothing was started. A fixed number of statements.
    """
    ids = list(dict.fromkeys(machine_ids))
    columns = ("device__placement__rack", "health")
    machines = {row.pk: row for row in Machine.objects.select_related(*columns).filter(pk__in=ids)}
    reasons = {str(pk): "there is no such machine" for pk in ids if pk not in machines}
    sites = {machine.device.site_id for machine in machines.values()}
    if len(sites) != 1:
        reasons["machines"] = "they are not all at one site" if sites else "none was chosen"
    image = Image("")
    try:
        image = _image(wanted, next(iter(sites), None))
    except Unplaceable as error:
        reasons["image"] = str(error)
    reasons |= unreached(ssh_targets(machines)) | _taken(machines)
    expected = queries.expected_of(machines)
    for machine in machines.values():
        if why := _why_not(machine, wanted, image, expected[machine.pk]):
            reasons[machine.device.name] = why
    if reasons:
        raise RunRefused(reasons)
    placement = ImagePlacement.objects.create(
        site_id=machines[ids[0]].device.site_id, action=wanted.action, engine=wanted.engine, reference=image.reference,
        digest=image.digest, dry_run=wanted.dry_run, canary=wanted.canary, limit=wanted.limit,
        rack_limit=wanted.rack_limit, registry_limit=wanted.registry_limit, stop_share=wanted.stop_share,
        created_by=actor,
    )  # fmt: skip
    try:
        with transaction.atomic():
            PlacedImage.objects.bulk_create(
                PlacedImage(placement=placement, machine_id=pk, rack=_rack(machines[pk])) for pk in ids
            )
    except IntegrityError as error:
        raise RunRefused(TAKEN) from error
    tell(placement, actor)
    after_commit(TASK, placement.pk, robust=True)
    return placement


def _image(wanted: Wanted, site_id: int | None) -> Image:
    """Raises Unplaceable."""
    image = image_of(wanted.image, wanted.digest)
    if wanted.action == ImagePlacement.Action.REMOVE:
        return image
    if not image.registry:
        raise Unplaceable("a file is removed, not placed: name the image that it is imported from")
    if not image.digest and site_id is not None and registry_of(site_id, image.registry) is None:
        raise Unplaceable(
            f"{image.registry} is none of this site's registries (Mirrors), so nobody is asked what the tag means: "
            "name the digest"
        )
    return image


def _taken(machine_ids: Iterable[int]) -> dict[str, str]:
    return taken_elsewhere(PlacedImage.objects.all(), "placement_id", machine_ids, "placement")


def _why_not(machine: Machine, wanted: Wanted, image: Image, expected: dict[str, object]) -> str:
    if why := fitness.why_not(state_of(machine), dry_run=wanted.dry_run):
        return why
    if image.reference:
        try:
            seat_of(wanted.engine, expected, image)
        except Unplaceable as error:
            return str(error)
    return ""


def _rack(machine: Machine) -> str:
    placement = getattr(machine.device, "placement", None)
    return str(placement.rack.name) if placement is not None else ""


@transaction.atomic
def cancel(placement_id: int, *, actor: str) -> bool:
    """Nothing begins any more, and what is being pulled is ended. False when it had ended."""
    placement = ImagePlacement.objects.select_for_update().get(pk=placement_id)
    if placement.status not in OPEN_RUNS:
        return False
    placement.cancelled_by = placement.cancelled_by or actor
    _soon(placement, "cancelled_by")
    tell(placement, actor)
    return True


@transaction.atomic
def retry(placement_id: int, *, actor: str) -> int:
    """Machines that failed, were refused or were not begun go again, in a placement that ended; returns how many.

    Raises RunRefused where it goes on still, or one of them is in another placement.
    """
    placement = ImagePlacement.objects.select_for_update().get(pk=placement_id)
    if placement.status in OPEN_RUNS:
        raise RunRefused({"placement": "it goes on still"})
    rows = list(placement.machines.filter(status__in=AGAIN))
    if elsewhere := _taken(row.machine_id for row in rows):
        raise RunRefused(elsewhere)
    try:
        with transaction.atomic():
            placement.machines.filter(pk__in=[row.pk for row in rows]).update(
                status=MachineState.WAITING.value, attempt=F("attempt") + 1, message="", wave=None, started_at=None,
                begun_at=None, finished_at=None, look_at=None, silent=0, identity="", pulled_bytes=None,
                pulled_of_bytes=None, pulled_at=None,
            )  # fmt: skip
    except IntegrityError as error:
        raise RunRefused(TAKEN) from error
    if rows:
        placement.status, placement.cancelled_by, placement.finished_at = RunState.WAITING.value, "", None
        placement.message = ""
        _soon(placement, "status", "cancelled_by", "finished_at", "message")
        tell(placement, actor)
    return len(rows)


def _soon(placement: ImagePlacement, *fields: str) -> None:
    placement.next_at = timezone.now()
    placement.save(update_fields=[*fields, "next_at"])
    after_commit(TASK, placement.pk, robust=True)


def end(placement: ImagePlacement, state: RunState, message: str) -> None:
    """A locked placement is over; machines that were not done stay as they are."""
    now = timezone.now()
    rows = placement.machines.filter(status__in=[MachineState.WAITING.value, MachineState.RUNNING.value])
    rows.update(status=MachineState.CANCELLED.value, message=message[:500], finished_at=now)
    placement.status, placement.message, placement.finished_at = state.value, message[:500], now
    placement.lease = placement.lease_until = None
    placement.save(update_fields=["status", "message", "finished_at", "lease", "lease_until"])
    tell(placement, "")


def tell(placement: ImagePlacement, actor: str) -> None:
    """Say that a locked placement changed."""
    data = {
        "id": placement.pk, "status": placement.status, "dry_run": placement.dry_run, "action": placement.action,
        "reference": placement.reference, "totals": totals_of(placement.machines.all()),
    }  # fmt: skip
    subject = f"image_placement:{placement.pk}"
    emit("image_placement.changed", site_id=placement.site_id, subject=subject, data=data, actor=actor)
