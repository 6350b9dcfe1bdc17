"""Spares that are counted: how many are left, and who is told when they become few."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from inventory.models import Component, Stock, StoragePlace
from inventory.services.refusals import Refused, refusing
from live.events import emit


def take_from_stock(stock_id: int, *, by: str, quantity: int = 1, site_id: int | None = None) -> Stock:
    """Take parts without a serial (optics, cables) from a storage place.

    Raises Refused when that many are not there: of two who take the last one, the second learns it. With `site_id` a
    row of another site is as good as absent. Raises Stock.DoesNotExist.
    """
    if quantity < 1:
        raise Refused("quantity", "At least one.")
    with refusing():
        stock = _locked(stock_id, site_id)
        if stock.quantity < quantity:
            raise Refused("quantity", f"{stock.storage.name} has {stock.quantity} of {stock.part_number}.")
        Stock.objects.filter(pk=stock.pk).update(quantity=F("quantity") - quantity)
        stock.quantity -= quantity
        _announce_if_short(stock, taken=quantity, actor=by)
        return stock


def put_into_stock(stock_id: int, *, quantity: int, by: str, site_id: int | None = None) -> Stock:
    """Add parts without a serial. Raises Refused and Stock.DoesNotExist."""
    if quantity < 1:
        raise Refused("quantity", "At least one.")
    with refusing():
        stock = _locked(stock_id, site_id)
        stock.quantity += quantity
        stock.save(update_fields=["quantity"])
        emit("stock.changed", site_id=stock.storage.site_id, subject=f"stock:{stock.pk}", data=_data(stock), actor=by)
        return stock


def announce_if_short(storage: StoragePlace, part: Component, actor: str) -> None:
    """After a part with a serial left the good ones of a storage place: tell when it was one too many."""
    stock = (
        Stock.objects.select_for_update(of=("self",))
        .select_related("storage")
        .filter(storage=storage, vendor=part.vendor, part_number=part.part_number)
        .first()
    )
    if stock is not None:
        _announce_if_short(stock, taken=1, actor=actor)


def _locked(stock_id: int, site_id: int | None) -> Stock:
    rows = Stock.objects.select_for_update(of=("self",)).select_related("storage")
    return (rows if site_id is None else rows.filter(storage__site_id=site_id)).get(pk=stock_id)


def _announce_if_short(stock: Stock, *, taken: int, actor: str) -> None:
    data, site_id, subject = _data(stock), stock.storage.site_id, f"stock:{stock.pk}"
    if data["have"] < stock.minimum <= data["have"] + taken:
        emit("stock.low", site_id=site_id, subject=subject, data=data, actor=actor)
    else:
        emit("stock.changed", site_id=site_id, subject=subject, data=data, actor=actor)


def _data(stock: Stock) -> dict[str, Any]:
    """What the events of a stock row carry; `have` counts good parts with a serial and those without."""
    lying = Component.objects.filter(
        storage=stock.storage, vendor=stock.vendor, part_number=stock.part_number, condition=Component.Condition.GOOD
    )
    return {
        "id": stock.pk,
        "storage": stock.storage_id,
        "storage_name": stock.storage.name,
        "kind": stock.kind,
        "vendor": stock.vendor,
        "part_number": stock.part_number,
        "have": stock.quantity + lying.count(),
        "minimum": stock.minimum,
    }
