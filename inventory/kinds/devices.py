"""Device models and devices: everything that is mounted, with what only machines, switches and PDUs have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from django.db.models import FloatField, QuerySet
from django.db.models.functions import Cast
from pydantic import Field

from core.models import Role
from inventory import models
from inventory.kinds.device_models import DeviceModelWriter
from inventory.kinds.device_writer import DeviceWriter
from inventory.kinds.kind import Computed, Extra, Kind
from inventory.kinds.placement import column_of, face_of, u_of
from inventory.kinds.racks import units_at
from inventory.kinds.records import (
    Address,
    Column,
    DeviceName,
    Guid,
    HalfUnits,
    Id,
    JsonObject,
    Mac,
    PartKind,
    Record,
    Ref,
    Rows,
    Text,
    To,
    Uuid,
    Watts,
    Where,
    Words,
)
from inventory.queries.place import places
from inventory.specs.device_model import AirClass


def of_kind(kind: str) -> Callable[[QuerySet], QuerySet]:
    return lambda rows: rows.filter(kind=kind)


def load_places(devices: list[int]) -> dict[int, dict[str, Any]]:
    """Where each device is, as `place` of an answer: one query."""
    return {device: {"place": place} for device, place in places(devices).items()}


def load_parts(devices: list[int]) -> dict[int, dict[str, Any]]:
    """The parts in the slots of each device, as a write takes them: one query."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    names = ("id", "kind", "vendor", "part_number", "serial", "attributes", "condition")
    rows = models.Installation.objects.filter(device_id__any=devices, during__endswith=None).order_by("slot")
    for device, slot, *values in rows.values_list("device_id", "slot", *(f"component__{name}" for name in names)):
        found[device].append({"slot": slot, **dict(zip(names, values, strict=True))})
    return {device: {"parts": parts} for device, parts in found.items()}


def none_if_empty(value: str | None) -> str | None:
    return value or None


def text_of_uuid(value: UUID | None) -> str | None:
    return str(value) if value else None


MOST_PARTS = 1000


class DevicePart(Record):
    """A part in a slot of the device it comes with: a component without what the device says."""

    id: Id | None = Field(None, description="As answers have it; otherwise known by its serial, or by its slot.")
    slot: Annotated[Text, Field(min_length=1, max_length=40, description="A slot of the model, such as GPU 5.")]
    kind: PartKind | None = Field(None, description="That of the slot.")
    vendor: Text = Field("", max_length=60)
    part_number: Text = Field("", max_length=60)
    serial: Text = Field("", max_length=64, description="Empty: not known.")
    attributes: JsonObject = Field(default_factory=dict)
    condition: Literal["good", "suspect"] = "good"


class DeviceModelRecord(Record):
    slug: str = Field("", pattern=r"^$|^[a-z0-9][a-z0-9-]*$", max_length=50, description="That of the file if empty.")
    spec: JsonObject = Field(description="The device model file: docs/device-models.md.")


class DeviceRecord(Record):
    site: Annotated[Ref, To("sites")]
    name: DeviceName = Field(max_length=64)
    model: Annotated[Ref, To("device-models")]
    status: Literal["planned", "active", "retired"] = Field(
        "active", description="retired: out for good, without place."
    )
    serial: Text = Field("", max_length=64)
    asset_tag: Text = Field("", max_length=64)
    room: Annotated[Ref, To("rooms"), Where("placement__rack__room_id")] | None = None
    rack: Annotated[Ref, To("racks"), Column("placement__rack_id")] | None = None
    u: Annotated[HalfUnits, Column("placement__half_units", u_of)] | None = Field(None, description="Its lowest unit.")
    face: Annotated[Literal["front", "rear", "both"], Column("placement__faces", face_of)] | None = Field(
        None, description="Where a device that is not as deep as the rack sits; front by default."
    )
    column: Annotated[Literal["full", "left", "right"], Column("placement__columns", column_of)] | None = Field(
        None, description="Half of the rack's width; full by default."
    )
    side: Annotated[Text, Column("placement__side_slot", none_if_empty)] | None = Field(
        None, max_length=20, description="Slot of a zero-U device, such as rear-left."
    )
    parent: Annotated[Ref, To("devices")] | None = Field(None, description="The device whose bay it sits in.")
    bay: Text = Field("", max_length=30)
    service_tag: Text = Field("", max_length=64, description="What the vendor's support asks for.")
    support_vendor: Text = Field("", max_length=60, description="Who repairs it under warranty.")
    warranty_until: date | None = None
    contact: Annotated[Ref, To("contacts")] | None = None
    role: Annotated[Text, Column("machine__role")] | None = Field(
        None, max_length=30, description="Of a machine: with site and model, the pool it is in. compute by default."
    )
    system_uuid: Annotated[Uuid, Column("machine__system_uuid", text_of_uuid)] | None = None
    primary_ip: Annotated[Address, Column("machine__primary_ip")] | None = None
    bmc_ip: Annotated[Address, Column("machine__bmc_ip")] | None = None
    bmc_mac: Annotated[Mac, Column("machine__bmc_mac")] | None = None
    boot_mac: Annotated[Mac, Column("machine__boot_mac")] | None = None
    fabric: Annotated[Literal["infiniband", "ethernet", "management"], Column("switch__fabric")] | None = None
    tier: Annotated[Text, Column("switch__tier")] | None = Field(
        None, max_length=10, description="Of a switch: leaf, spine, core; tor by default."
    )
    node_guid: Annotated[Guid, Column("switch__node_guid")] | None = None
    feed: Annotated[Ref, To("power-feeds"), Column("pdu__feed_id")] | None = Field(
        None, description="Of a PDU: the power feed it hangs on."
    )
    limit_w: Annotated[Watts, Column("pdu__limit_w")] | None = Field(None, description="Of a PDU.")
    tags: Words = Field(default_factory=list)
    custom: JsonObject = Field(default_factory=dict)
    parts: Annotated[list[DevicePart], Rows("components", "device")] | None = Field(
        None, max_length=MOST_PARTS, description="Parts in its slots, written with it. Those not named stay."
    )


KINDS_OF_DEVICES = ("machine", "switch", "pdu", "panel", "shelf")

Kind(
    "device-models",
    DeviceModelRecord,
    models.DeviceModel,
    key=("slug",),
    site="",
    role=Role.ADMIN,  # what a model says ends in commands that run as root on every machine of it
    search=("slug", "vendor", "name"),
    computed={
        "vendor": Computed("vendor", "text"),
        "name": Computed("name", "text"),
        "kind": Computed("kind", "choice", choices=KINDS_OF_DEVICES),
        "height_u": Computed(Cast("half_u_height", FloatField()) / 2, "number", "Its height in units; 0 for zero-U."),
        "full_depth": Computed("full_depth", "boolean"),
        "airflow": Computed("airflow", "text"),
        "air_class": Computed(
            "air_class", "choice", "ASHRAE class of the air that it takes in.", choices=get_args(AirClass)
        ),
        "power_w": Computed("power_w", help="Planned draw at full load."),
        "gpu_count": Computed("gpu_count"),
        "gpu_type": Computed("gpu_type", "text"),
        "psu_count": Computed("psu_count"),
    },
    writer=DeviceModelWriter,
)


class SwitchWriter(DeviceWriter):
    only = "switch"


class PduWriter(DeviceWriter):
    only = "pdu"


for name, only, writer in (
    ("devices", "", DeviceWriter),
    ("switches", "switch", SwitchWriter),
    ("pdus", "pdu", PduWriter),
):
    Kind(
        name,
        DeviceRecord,
        models.Device,
        key=("site", "name"),
        search=("name", "serial", "asset_tag"),
        order=("name", "id"),
        computed={
            "kind": Computed("kind", "choice", help="As its model says.", choices=KINDS_OF_DEVICES),
        },
        extras=(
            Extra(("place",), load_places, help="Where it is, in words and numbers; null if nowhere."),
            Extra(
                ("parts",),
                load_parts,
                missing=(),
                type="list",
                on_request=True,
                help="The parts in its slots. Only where `fields` names it.",
            ),
        ),
        filters=units_at("placement__half_units"),
        narrow=of_kind(only) if only else None,
        writer=writer,
        tags=True,
        custom=not only,
        part_of="devices" if only else "",
    )
