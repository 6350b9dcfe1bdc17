"""A vendor's list is taken in, and its machines are taken over: before that nothing of the inventory changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from access.models import AccessKind, Endpoint
from core.models import Credential, Site
from core.outgoing.binding import Purpose, hosts_from
from inventory.kinds import Scope, write
from inventory.models import Machine
from provisioning.intake import queries
from provisioning.intake.lists import DeliveryList, Item
from provisioning.intake.matching import Match, Matched
from provisioning.intake.models import Delivery, DeliveryItem

TAKEN_OVER = (Match.FITS, Match.SAME)
BMC_USER = "root"
"""Of the password on a vendor's label: what Dell, Supermicro's OEM firmware and others call the first account."""


class AcceptRefused(Exception):
    """Nothing was taken over; `reasons` says why, by the number of a row or of a BMC."""

    def __init__(self, reasons: Mapping[int, str]) -> None:
        super().__init__("; ".join(f"row {number}: {reason}" for number, reason in sorted(reasons.items())))
        self.reasons = dict(reasons)


@transaction.atomic
def receive(site: Site, told: DeliveryList, *, order: str, vendor: str, filename: str, actor: str) -> Delivery:
    """Keep a list. A password on it is kept encrypted, as a credential that opens nothing yet."""
    delivery = Delivery.objects.create(
        site=site, order=order, vendor=vendor, filename=filename[-200:], received_by=actor
    )
    credentials = Credential.objects.bulk_create(
        _credential(delivery, item) for item in told.items if item.bmc_password
    )
    by_name = {credential.name: credential for credential in credentials}
    DeliveryItem.objects.bulk_create(
        DeliveryItem(
            delivery=delivery, number=item.number, service_tag=item.service_tag, model=item.model,
            bmc_mac=item.bmc_mac, macs=list(item.macs), rack=item.rack, u=item.u,
            credential=by_name.get(_name(delivery, item.service_tag)),
        )
        for item in told.items
    )  # fmt: skip
    return delivery


def _name(delivery: Delivery, service_tag: str) -> str:
    return f"bmc of {service_tag}, delivery {delivery.pk}"


def _credential(delivery: Delivery, item: Item) -> Credential:
    """Without a purpose nothing uses it."""
    found = Credential(
        name=_name(delivery, item.service_tag), kind=Credential.Kind.PASSWORD, username=BMC_USER, site=delivery.site
    )
    found.set_secret(item.bmc_password)
    return found


@transaction.atomic
def accept(delivery_id: int, numbers: Sequence[int] | None, *, scope: Scope, actor: str) -> int:
    """Take over these rows, or all that fit (None); returns how many. All of them or none.

    Written is what the plan lacks: serial, addresses of the BMC and of the boot port, and the BMC's own password where
    its address is known. Raises AcceptRefused.
    """
    delivery = Delivery.objects.select_for_update().select_related("site").get(pk=delivery_id)
    items = list(delivery.items.filter(accepted_at=None).select_related("credential"))
    found = {each.item.number: each for each in queries.matches(delivery, items)}
    other = _taken_over(found.values())
    rows_of: dict[int, list[int]] = defaultdict(list)
    for each in found.values():
        if each.planned is not None:
            rows_of[each.planned.id].append(each.item.number)
    reasons = {number: _why_not(found.get(number), other, rows_of) for number in numbers or found}
    if numbers is None:
        chosen = [row for row in items if not reasons[row.number]]
    else:
        chosen = [row for row in items if row.number in numbers]
        if refused := {number: why for number, why in reasons.items() if why}:
            raise AcceptRefused(refused)
    _write(delivery, [found[row.number] for row in chosen], scope, actor)
    _keep(chosen, found, actor)
    open_bmcs([row.machine_id for row in chosen if row.machine_id])
    return len(chosen)


def _taken_over(found: Iterable[Matched]) -> dict[int, str]:
    """Machines that came already, and the order they came with."""
    machines = [each.planned.id for each in found if each.planned is not None]
    rows = DeliveryItem.objects.filter(machine_id__in=machines)
    return {machine: order for machine, order in rows.values_list("machine_id", "delivery__order") if machine}


def _why_not(row: Matched | None, other: Mapping[int, str], rows_of: Mapping[int, Sequence[int]]) -> str:
    """Why a row is not taken over; empty when it is. `rows_of` are the rows of each machine."""
    if row is None:
        return "no such row, or it was taken over"
    if row.match not in TAKEN_OVER or row.planned is None:
        return row.text or row.match.value
    if order := other.get(row.planned.id):
        return f"this machine came with {order}"
    alike = rows_of[row.planned.id]
    return f"rows {', '.join(map(str, alike))} are the same machine" if len(alike) > 1 else ""


def _keep(chosen: Sequence[DeliveryItem], found: Mapping[int, Matched], actor: str) -> None:
    now = timezone.now()
    for row in chosen:
        planned = found[row.number].planned
        row.machine_id = planned.id if planned else None
        row.accepted_at, row.accepted_by = now, actor
    try:
        with transaction.atomic():
            DeliveryItem.objects.bulk_update(chosen, ["machine", "accepted_at", "accepted_by"])
    except IntegrityError as error:
        raise AcceptRefused({0: "somebody takes these machines over with another delivery"}) from error


def _write(delivery: Delivery, found: Sequence[Matched], scope: Scope, actor: str) -> None:
    rows = [(each.item.number, each.planned.name, each.changes) for each in found if each.planned and each.changes]
    write_machines(delivery.site, rows, scope=scope, actor=actor)


def write_machines(site: Site, rows: Sequence[tuple[int, str, Mapping[str, Any]]], *, scope: Scope, actor: str) -> None:
    """Through the inventory's own writer, with the rights of who takes over: number, machine and what is written.

    Raises AcceptRefused with the numbers.
    """
    if not rows:
        return
    told = [{"site": site.slug, "name": name, **fields} for _, name, fields in rows]
    report = write("devices", told, "update", scope=scope, actor=actor)
    if not report.ok:
        reasons = {
            number: "; ".join(f"{error.field}: {error.reason}" for error in row.errors)
            for (number, _, _), row in zip(rows, report.rows, strict=True)
            if row.errors
        }
        raise AcceptRefused(reasons or {0: report.message or "somebody else is writing these machines"})


def open_bmcs(machines: Sequence[int]) -> None:
    """The delivered password opens the BMC of its machine, at the address that the inventory has, and nothing else. A
    machine that has another credential keeps it, and one without an address is left as it is."""
    delivered = DeliveryItem.objects.filter(machine_id__in=machines).exclude(credential=None)
    with_password = {row.machine_id: row.credential for row in delivered.select_related("credential")}
    own = set(
        Endpoint.objects.filter(machine_id__in=with_password, kind=AccessKind.REDFISH)
        .exclude(credential=None)
        .exclude(credential__in=[each.pk for each in with_password.values() if each])
        .values_list("machine_id", flat=True)
    )
    addresses = Machine.objects.filter(pk__in=with_password).exclude(bmc_ip=None).exclude(pk__in=own)
    opened: dict[int, Credential] = {}
    for machine, address in addresses.values_list("pk", "bmc_ip"):
        credential = with_password[machine]
        assert credential is not None
        opened[machine] = credential
        credential.purpose, credential.hosts = Purpose.BMC.value, hosts_from([str(address)])
    Credential.objects.bulk_update(opened.values(), ["purpose", "hosts"])
    Endpoint.objects.bulk_create(
        [Endpoint(machine_id=machine, kind=AccessKind.REDFISH, credential=each) for machine, each in opened.items()],
        update_conflicts=True,
        unique_fields=["machine", "kind"],
        update_fields=["credential"],
    )


@transaction.atomic
def exchange(first: int, second: int) -> None:
    """Two machines were one another: what came with each, its password as well, belongs to the other."""
    items = list(DeliveryItem.objects.select_for_update().filter(machine_id__in=(first, second)))
    DeliveryItem.objects.filter(pk__in=[item.pk for item in items]).update(machine=None)
    for item in items:
        item.machine_id = second if item.machine_id == first else first
        item.save(update_fields=["machine"])
    delivered = Endpoint.objects.filter(machine_id__in=(first, second), credential__delivery_item__isnull=False)
    delivered.update(credential=None)
    open_bmcs((first, second))


@transaction.atomic
def discard(delivery_id: int) -> None:
    """Forget a list of which nothing was taken over, with its passwords. Raises AcceptRefused."""
    delivery = Delivery.objects.select_for_update().get(pk=delivery_id)
    taken = delivery.items.exclude(accepted_at=None).values_list("number", flat=True)
    if numbers := list(taken):
        raise AcceptRefused(dict.fromkeys(numbers, "it was taken over"))
    Credential.objects.filter(delivery_item__delivery=delivery).delete()
    delivery.delete()
