"""Every write of returns."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.utils import timezone

from live.events import emit
from provisioning.models import DeliveryItem, RunMachine
from provisioning.returns import queries
from provisioning.returns.models import ReturnedMachine, VendorReturn

EVIDENCE_LENGTH = 8_000
Outcome = ReturnedMachine.Outcome
Status = VendorReturn.Status


class ReturnRefused(Exception):
    """Nothing was changed; the text says why."""


@transaction.atomic
def create(
    site_id: int,
    *,
    actor: str,
    machine_ids: Sequence[int] = (),
    failure_class: str = "",
    delivery: int | None = None,
    vendor: str = "",
    note: str = "",
) -> VendorReturn:
    """Put machines that failed on a new return: those named, else all of a class, of a delivery, or both.

    Raises ReturnRefused when one of those named did not fail or is on a return, when nothing fits, and when they are
    of several vendors and none is named.
    """
    rows = _chosen(site_id, machine_ids, failure_class, delivery)
    told = _delivered_by([row.machine_id for row in rows])
    vendors = {vendor} if vendor else queries.vendors(rows, told)
    if len(vendors) > 1:
        raise ReturnRefused(f"they are of several vendors: {', '.join(sorted(vendors))}; name one, or choose fewer")
    made = VendorReturn.objects.create(site_id=site_id, vendor=vendors.pop(), note=note, created_by=actor)
    try:
        with transaction.atomic():
            ReturnedMachine.objects.bulk_create(
                ReturnedMachine(
                    vendor_return=made, machine_id=row.machine_id, serial=row.machine.device.serial,
                    failure_class=row.failure_class, failure_text=row.failure_text, evidence=_evidence(row),
                )
                for row in rows
            )  # fmt: skip
    except IntegrityError as error:
        raise ReturnRefused("one of them was put on another return at the same time") from error
    return made


def _chosen(site_id: int, machine_ids: Sequence[int], failure_class: str, delivery: int | None) -> list[RunMachine]:
    failed = queries.failed_machines(site_id)
    if machine_ids:
        failed = failed.filter(machine_id__in=machine_ids)
    if failure_class:
        failed = failed.filter(failure_class=failure_class)
    if delivery is not None:
        failed = failed.filter(machine__delivery_items__delivery_id=delivery)
    rows = list(failed.order_by("machine__device__name"))
    missing = set(machine_ids) - {row.machine_id for row in rows}
    if missing:
        raise ReturnRefused(f"{len(missing)} of them did not fail, or are on a return already")
    if not rows:
        raise ReturnRefused("no failed machine fits that is not on a return already")
    return rows


def _delivered_by(machine_ids: Sequence[int]) -> dict[int, str]:
    rows = DeliveryItem.objects.filter(machine_id__in=machine_ids).exclude(delivery__vendor="")
    return {pk: vendor for pk, vendor in rows.values_list("machine_id", "delivery__vendor") if pk is not None}


def _evidence(row: RunMachine) -> str:
    texts = [each.text for each in row.evidence.all() if each.attempt == row.attempt]
    return "\n\n".join(texts)[-EVIDENCE_LENGTH:]


@transaction.atomic
def send(return_id: int, *, reference: str) -> None:
    """Say that the vendor has it. Raises ReturnRefused when it was sent before."""
    row = VendorReturn.objects.select_for_update().get(pk=return_id)
    if row.status != Status.OPEN:
        raise ReturnRefused(f"it is {row.status} already")
    row.status, row.reference, row.sent_at = Status.SENT, reference, timezone.now()
    row.save(update_fields=["status", "reference", "sent_at"])
    _tell(row, list(row.machines.values_list("machine_id", flat=True)), f"Sent back to {row}")


@transaction.atomic
def answer(return_id: int, machine_ids: Sequence[int], outcome: Outcome, *, note: str, actor: str) -> None:
    """What the vendor made of these machines; with the last of them the return is closed.

    Raises ReturnRefused when it was not sent, or when one of them is not on it or has an outcome.
    """
    row = VendorReturn.objects.select_for_update().get(pk=return_id)
    if row.status != Status.SENT:
        raise ReturnRefused("it was not sent yet" if row.status == Status.OPEN else "it is closed")
    waiting = row.machines.filter(outcome="")
    chosen = waiting.filter(machine_id__in=machine_ids)
    if chosen.count() != len(set(machine_ids)):
        raise ReturnRefused("not all of them are on it and without an outcome")
    now = timezone.now()
    chosen.update(outcome=outcome, outcome_note=note, outcome_at=now, outcome_by=actor)
    if not waiting.exists():
        row.status, row.closed_at = Status.CLOSED, now
        row.save(update_fields=["status", "closed_at"])
    said = f": {note}" if note else ""
    _tell(row, list(machine_ids), f"{row.vendor} answered: {outcome.label.lower()}{said}")


@transaction.atomic
def discard(return_id: int) -> None:
    """Forget a return that was not sent. Raises ReturnRefused otherwise."""
    row = VendorReturn.objects.select_for_update().get(pk=return_id)
    if row.status != Status.OPEN:
        raise ReturnRefused("it was sent")
    row.delete()


def _tell(row: VendorReturn, machine_ids: Sequence[int], text: str) -> None:
    emit(
        "return.changed",
        site_id=row.site_id,
        subject=f"return:{row.pk}",
        data={"id": row.pk, "status": row.status, "machines": list(machine_ids), "text": text},
    )
