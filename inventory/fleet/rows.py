"""A site as plain rows: what an expanded file says and what the database holds, in one form. No Django.

References are natural keys (names), so that rows of a file and rows of the database compare with `==`. The first
`KEY` fields of a row are its key within the site. Spans are half-open pairs of integers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

Span = tuple[int, int]


class ModelRow(NamedTuple):
    slug: str
    vendor: str
    name: str
    kind: str
    half_u_height: int
    full_depth: bool
    airflow: str
    air_class: str
    power_w: int
    gpu_count: int
    gpu_type: str
    psu_count: int
    spec: dict[str, Any]


class RoomRow(NamedTuple):
    name: str
    width_mm: int
    depth_mm: int
    door: str


class RowRow(NamedTuple):
    room: str
    name: str
    position: int


class AisleRow(NamedTuple):
    room: str
    name: str
    kind: str
    x_mm: int
    y_mm: int
    width_mm: int
    depth_mm: int


class RackRow(NamedTuple):
    room: str
    name: str
    row: str
    role: str
    x_mm: int
    y_mm: int
    width_mm: int
    depth_mm: int
    facing: str
    height_u: int
    power_limit_w: int | None
    numbering: str = "up"
    outer_height_mm: int | None = None
    weight_limit_kg: int | None = None
    serial: str = ""
    asset_tag: str = ""


class PowerPanelRow(NamedTuple):
    name: str
    room: str
    voltage_v: int | None = None
    current_a: int | None = None
    phases: int = 3
    derating_percent: int = 80


class PowerFeedRow(NamedTuple):
    name: str
    panel: str
    side: str
    voltage_v: int | None
    current_a: int | None
    phases: int
    derating_percent: int


def bare_feed(name: str) -> PowerFeedRow:
    """A feed of which only the name is known. A short name such as A is also its side."""
    side_letters = 10
    return PowerFeedRow(name, "", name if len(name) <= side_letters else "", None, None, 3, 80)


class DeviceRow(NamedTuple):
    name: str
    model: str
    kind: str
    status: str
    serial: str
    asset_tag: str
    parent: str
    bay: str


class PlacementRow(NamedTuple):
    """`what` is the device's name, or names the units of a reservation (`Hall 1/A07 57-71 0-2`)."""

    what: str
    kind: str
    room: str
    rack: str
    rack_height_u: int
    half_units: Span | None
    faces: Span | None
    columns: Span | None
    side_slot: str
    reason: str
    owner: str = ""


class MachineRow(NamedTuple):
    device: str
    role: str
    system_uuid: str
    primary_ip: str
    bmc_ip: str
    bmc_mac: str
    boot_mac: str


class SwitchRow(NamedTuple):
    device: str
    fabric: str
    tier: str
    node_guid: str


class PduRow(NamedTuple):
    device: str
    feed: str
    limit_w: int | None


class PortRow(NamedTuple):
    device: str
    name: str
    kind: str
    speed_gbps: int | None
    cage: int | None
    lane: int | None
    slot: str
    face: str
    guid: str
    mac: str
    positions: int = 1
    rail: int | None = None


class PassThroughRow(NamedTuple):
    """A front port of a patch panel, and the position of the rear port it comes out of."""

    device: str
    front: str
    rear: str
    position: int


class CableEnd(NamedTuple):
    side: str
    number: int
    lane: int
    device: str
    port: str


class Plug(NamedTuple):
    """One connector of a cable, with the serial printed on it."""

    side: str
    number: int
    serial: str


class CableRow(NamedTuple):
    """A removed cable has plugs but no ends: its ports are free."""

    label: str
    type: str
    status: str
    length_m: Decimal | None
    colour: str
    vendor: str
    part_number: str
    bundle: str
    ends: tuple[CableEnd, ...]
    plugs: tuple[Plug, ...]


class PartRow(NamedTuple):
    device: str
    slot: str
    kind: str
    vendor: str
    part_number: str
    serial: str
    attributes: dict[str, Any]

    @property
    def identity(self) -> tuple[str, str, str] | None:
        """What is unique for life; None when the serial is unknown."""
        return (self.vendor, self.part_number, self.serial) if self.serial else None


@dataclass
class FleetRows:
    """One table per kind of row, each by key; tables in the order in which rows refer to one another."""

    models: dict[Any, ModelRow] = field(default_factory=dict)
    rooms: dict[Any, RoomRow] = field(default_factory=dict)
    rows: dict[Any, RowRow] = field(default_factory=dict)
    aisles: dict[Any, AisleRow] = field(default_factory=dict)
    racks: dict[Any, RackRow] = field(default_factory=dict)
    power_panels: dict[Any, PowerPanelRow] = field(default_factory=dict)
    power_feeds: dict[Any, PowerFeedRow] = field(default_factory=dict)
    devices: dict[Any, DeviceRow] = field(default_factory=dict)
    placements: dict[Any, PlacementRow] = field(default_factory=dict)
    machines: dict[Any, MachineRow] = field(default_factory=dict)
    switches: dict[Any, SwitchRow] = field(default_factory=dict)
    pdus: dict[Any, PduRow] = field(default_factory=dict)
    ports: dict[Any, PortRow] = field(default_factory=dict)
    passes: dict[Any, PassThroughRow] = field(default_factory=dict)
    cables: dict[Any, CableRow] = field(default_factory=dict)
    parts: dict[Any, PartRow] = field(default_factory=dict)

    def tables(self) -> Iterator[tuple[str, dict[Any, Any]]]:
        for item in fields(self):
            yield item.name, getattr(self, item.name)


FULL_WIDTH: Span = (0, 2)


def reservation_name(room: str, rack: str, half_units: Span, faces: Span, columns: Span = FULL_WIDTH) -> str:
    """The key of units taken without a device. A slash keeps it apart from device names, which have none."""
    half = "" if columns == FULL_WIDTH else f" {columns[0]}-{columns[1]}"
    return f"{room}/{rack} {half_units[0]}-{half_units[1]} {faces[0]}-{faces[1]}{half}"


# ---- what the database adds ----

FLEET_FILE = "fleet file"  # `by` of installations that came from a fleet file


class Installed(NamedTuple):
    """The open installation of a slot, and who made it."""

    installation: int
    component: int
    by: str
    ticket: str
    since: datetime


@dataclass
class Stored:
    """The rows of a site, the id of each, and who installed each part."""

    site: int
    rows: FleetRows = field(default_factory=FleetRows)
    ids: dict[str, dict[Any, int]] = field(default_factory=lambda: defaultdict(dict))
    installed: dict[tuple[str, str], Installed] = field(default_factory=dict)

    def keep(self, table: str, key: Any, pk: int, row: Any) -> None:
        getattr(self.rows, table)[key] = row
        self.ids[table][key] = pk


class Owner(NamedTuple):
    """Who has an identity now: a device by site and name, or a component and where it is installed."""

    site: str
    device: str
    slot: str
    component: int
    by: str
