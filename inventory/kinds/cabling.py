"""Ports, what passes through patch panels, cables, and named plans of cabling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from django.db.models import QuerySet
from pydantic import Field

from inventory import models
from inventory.kinds.cable_ends import Plugs, load_ends
from inventory.kinds.cable_writer import CableWriter
from inventory.kinds.kind import Extra, Kind, Lookup
from inventory.kinds.port_cables import load_cables
from inventory.kinds.records import (
    Count,
    Guid,
    JsonObject,
    Mac,
    Metres,
    Record,
    Ref,
    SmallCount,
    Text,
    To,
    Unit,
    Vlan,
    Where,
    Word,
    Words,
)


class OfDevice(Record):
    site: Annotated[Ref, To("sites"), Where("device__site_id")] | None = None
    device: Annotated[Ref, To("devices")]


class PortRecord(OfDevice):
    name: Word = Field(max_length=40)
    kind: Literal["infiniband", "ethernet", "bmc", "power_in", "power_outlet", "front", "rear", "console"]
    speed_gbps: Count | None = None
    cage: SmallCount | None = None
    lane: SmallCount | None = Field(None, description="Port within its cage: 1 upper, 2 lower.")
    slot: Text = Field("", max_length=40, description="The component slot this port is on.")
    face: Literal["", "front", "rear"] = ""
    guid: Guid = ""
    mac: Mac = ""
    rail: SmallCount | None = Field(None, description="The rail its adapter serves, from 1.")
    vlan: Vlan | None = Field(None, description="Untagged VLAN.")
    positions: int = Field(1, ge=1, le=1024, description="Fibre positions of a patch panel's rear port.")


class PassThroughRecord(OfDevice):
    front: Annotated[Ref, To("ports")]
    rear: Annotated[Ref, To("ports")]
    position: int = Field(1, ge=1, le=1024)


class CableRecord(Record):
    site: Annotated[Ref, To("sites")]
    label: Word = Field(max_length=40)
    type: Word = Field(max_length=30, description="Such as MPO-12 OS2, DAC, Cat6, C13-C14.")
    status: Literal["planned", "connected", "to_move", "removed"] = "connected"
    a: Plugs = Field(default_factory=list, description="One connector or several.")
    b: Plugs = Field(default_factory=list, description="One connector or several.")
    length_m: Annotated[Metres, Unit("m")] | None = None
    colour: Text = Field("", max_length=20)
    vendor: Text = Field("", max_length=60)
    part_number: Text = Field("", max_length=60)
    bundle: Text = Field("", max_length=60, description="The bundle or trunk it is laid in.")
    tags: Words = Field(default_factory=list)
    custom: JsonObject = Field(default_factory=dict)


class ChangeSetRecord(Record):
    site: Annotated[Ref, To("sites")]
    name: Word = Field(max_length=60)


def ends_in(path: str) -> Callable[[QuerySet, Any], QuerySet]:
    """Cables with a live end whose `path` has the value."""

    def apply(rows: QuerySet, value: Any) -> QuerySet:
        ends = models.StrandEnd.objects.filter(change_set=None, **{path: value})
        return rows.filter(pk__in=ends.values("connector__cable_id"))

    return apply


def cabled(rows: QuerySet, wanted: bool) -> QuerySet:
    live = models.StrandEnd.objects.filter(change_set=None).values("port_id")
    return rows.filter(pk__in=live) if wanted else rows.exclude(pk__in=live)


Kind(
    "ports",
    PortRecord,
    models.Port,
    key=("device", "name"),
    site="device__site_id",
    search=("name", "device__name", "guid", "mac"),
    order=("device__name", "id"),
    filters={"cabled": Lookup("boolean", cabled, "Has a live cable.")},
    extras=(Extra(("cable",), load_cables, help="The live cable in it."),),
)
Kind(
    "pass-throughs",
    PassThroughRecord,
    models.PassThrough,
    key=("device", "front"),
    site="device__site_id",
    search=("device__name", "front__name", "rear__name"),
)
Kind(
    "cables",
    CableRecord,
    models.Cable,
    key=("site", "label"),
    search=("label", "type", "bundle", "part_number"),
    order=("label", "id"),
    filters={
        "device": Lookup("integer", ends_in("port__device_id"), "With an end in this device.", "devices"),
        "device_name": Lookup("text", ends_in("port__device__name"), "With an end in a device of this name."),
        "port": Lookup("integer", ends_in("port_id"), "With an end in this port.", "ports"),
    },
    extras=(Extra(("a", "b"), load_ends, missing=(), type="list"),),
    writer=CableWriter,
    tags=True,
    custom=True,
)
Kind("change-sets", ChangeSetRecord, models.ChangeSet, key=("site", "name"), search=("name",))
