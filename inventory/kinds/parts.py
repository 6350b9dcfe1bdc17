"""Parts by serial with the slot they sit in, where spares lie, stock, and further addresses of devices."""

from __future__ import annotations

from typing import Annotated, Literal

from django.db.models import QuerySet
from pydantic import Field

from inventory import models
from inventory.kinds.batch import Line
from inventory.kinds.component_writer import ComponentWriter, load_installed
from inventory.kinds.kind import Extra, Kind, Lookup
from inventory.kinds.records import (
    Address,
    Column,
    Count,
    JsonObject,
    PartKind,
    Record,
    Ref,
    Text,
    To,
    Vlan,
    Where,
    Word,
    Words,
)
from inventory.kinds.writer import Writer


class StoragePlaceRecord(Record):
    site: Annotated[Ref, To("sites")]
    room: Annotated[Ref, To("rooms")] | None = None
    name: Word = Field(max_length=60)
    takes_removed: bool = Field(False, description="Parts that are swapped out are laid here.")


class StockRecord(Record):
    site: Annotated[Ref, To("sites"), Where("storage__site_id")] | None = None
    storage: Annotated[Ref, To("storage-places")]
    kind: PartKind
    vendor: Text = Field("", max_length=60)
    part_number: Word = Field(max_length=60)
    quantity: Count = 0
    minimum: Count = Field(0, description="Below this many, the part is to be ordered.")


class ComponentRecord(Record):
    site: Annotated[Ref, To("sites")]
    kind: PartKind | None = Field(None, description="That of the slot if it is in one.")
    vendor: Text = Field("", max_length=60)
    part_number: Text = Field("", max_length=60)
    serial: Text = Field("", max_length=64, description="Empty: not known.")
    attributes: JsonObject = Field(
        default_factory=dict, description="uuid, guid, firmware and the like, as the tools print them."
    )
    condition: Literal["good", "suspect", "rma", "scrapped"] = "good"
    device: Annotated[Ref, To("devices"), Column("installed__device_id")] | None = Field(
        None, description="What it is installed in; null: nothing."
    )
    slot: Annotated[Text, Column("installed__slot")] | None = Field(
        None, max_length=40, description="A slot of the device's model, such as GPU 5."
    )
    storage: Annotated[Ref, To("storage-places")] | None = Field(
        None, description="Where it lies while it is installed nowhere."
    )
    tags: Words = Field(default_factory=list)
    custom: JsonObject = Field(default_factory=dict)


class IpAddressWriter(Writer):
    """An address that goes to another device leaves its port behind."""

    def merge(self, line: Line) -> None:
        if not line.new and line.given.get("device", line.before["device"]) != line.before["device"]:
            line.given.setdefault("port", None)
        super().merge(line)


class IpAddressRecord(Record):
    site: Annotated[Ref, To("sites"), Where("device__site_id")] | None = None
    device: Annotated[Ref, To("devices")]
    port: Annotated[Ref, To("ports")] | None = None
    address: Address = Field(min_length=2)
    prefix_length: Annotated[int, Field(ge=0, le=128)] | None = None
    vlan: Vlan | None = None
    dns_name: Text = Field("", max_length=255)


def in_stock(rows: QuerySet, wanted: bool) -> QuerySet:
    now = models.Installation.objects.filter(during__endswith=None).values("component_id")
    return rows.exclude(pk__in=now) if wanted else rows.filter(pk__in=now)


def in_device(rows: QuerySet, device: int) -> QuerySet:
    now = models.Installation.objects.filter(during__endswith=None, device_id=device).values("component_id")
    return rows.filter(pk__in=now)


Kind("storage-places", StoragePlaceRecord, models.StoragePlace, key=("site", "name"), search=("name",))
Kind(
    "stock", StockRecord, models.Stock, key=("storage", "vendor", "part_number"), site="storage__site_id",
    search=("part_number", "vendor", "storage__name"),
)  # fmt: skip
Kind(
    "components",
    ComponentRecord,
    models.Component,
    key=("vendor", "part_number", "serial"),
    search=("serial", "part_number"),
    order=("id",),
    extras=(
        Extra(("device", "device_name", "slot"), load_installed),
        Extra(("installed",), load_installed, help="Where it sits now, since when, by whom; null in stock."),
    ),
    filters={
        "device": Lookup("integer", in_device, "Installed in this device now.", "devices"),
        "in_stock": Lookup("boolean", in_stock, "Installed nowhere."),
        "uuid": Lookup("text", lambda rows, value: rows.filter(attributes__uuid=value), "As the tools print it."),
        "guid": Lookup("text", lambda rows, value: rows.filter(attributes__guid=value), "As the tools print it."),
    },
    writer=ComponentWriter,
    tags=True,
    custom=True,
    travels=True,
)
Kind(
    "ip-addresses",
    IpAddressRecord,
    models.IpAddress,
    key=("device", "address"),
    site="device__site_id",
    search=("address", "dns_name", "device__name"),
    writer=IpAddressWriter,
)
