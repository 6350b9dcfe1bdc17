"""Reads of deliveries, each in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from health.machines.lifecycle import State
from inventory.kinds.placement import u_of
from inventory.models import Device, Machine
from provisioning.intake.lists import Item
from provisioning.intake.matching import Matched, Planned, matched
from provisioning.intake.models import Delivery, DeliveryItem


def deliveries() -> QuerySet[Delivery]:
    """With how many machines each has, how many were taken over, and how many of those are in service."""
    accepted = Q(items__accepted_at__isnull=False)
    counted = Delivery.objects.select_related("site").annotate(
        machines=Count("items"),
        accepted=Count("items", filter=accepted),
        in_service=Count("items", filter=Q(items__machine__health__state=State.READY.value)),
    )
    return counted.order_by("-pk")  # counted rows lose the usual order


def planned(site_id: int) -> list[Planned]:
    """Every machine of a site that is not retired. One statement."""
    rows = (
        Machine.objects.filter(device__site_id=site_id)
        .exclude(device__status=Device.Status.RETIRED)
        .order_by("device__name")
    )
    columns = (
        "pk", "device__name", "device__serial", "device__service_tag", "device__model__slug", "device__model__name",
        "device__placement__rack__name", "device__placement__half_units", "bmc_mac", "boot_mac",
        "system_uuid", "bmc_ip", "device__model_id",
    )  # fmt: skip
    return [
        Planned(
            pk, name, tuple(dict.fromkeys(each.upper() for each in (serial, tag) if each)), slug, model, rack or "",
            u_of(span), bmc_mac or "", boot_mac or "", tag.upper(), str(uuid or ""), bmc_ip or "", model_id,
        )
        for pk, name, serial, tag, slug, model, rack, span, bmc_mac, boot_mac, uuid, bmc_ip, model_id in (
            rows.values_list(*columns)
        )
    ]  # fmt: skip


def matches(delivery: Delivery, items: Sequence[DeliveryItem]) -> list[Matched]:
    """What each row means now, in the order given."""
    return matched([item_of(row) for row in items], planned(delivery.site_id))


def item_of(row: DeliveryItem) -> Item:
    return Item(row.number, row.service_tag, row.model, row.bmc_mac, tuple(row.macs), row.rack, row.u)
