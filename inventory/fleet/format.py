"""What a fleet file may say, version 1. docs/fleet-file.md explains it with examples.

Only shapes and words are checked here; whether the racks, models and ports that are named exist is checked when the
file is expanded.
"""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator, model_validator

from core.counts import counted


def normalise_mac(value: Any) -> Any:
    """A MAC as lower case with colons, from any of the usual spellings."""
    if not isinstance(value, str) or not value:
        return value
    digits = value.lower().replace(":", "").replace("-", "").replace(".", "")
    if len(digits) != 12 or any(digit not in "0123456789abcdef" for digit in digits):
        raise ValueError(f"{value!r} is not a MAC address")
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def normalise_guid(value: Any) -> Any:
    """A GUID as `0x` and 16 lower-case digits; the tools print it with and without, and with colons."""
    if not isinstance(value, str) or not value:
        return value
    digits = value.lower().removeprefix("0x").replace(":", "")
    if not digits or len(digits) > 16 or any(digit not in "0123456789abcdef" for digit in digits):
        raise ValueError(f"{value!r} is not a GUID")
    return "0x" + digits.zfill(16)


def normalise_uuid(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        return value
    try:
        return str(UUID(value))
    except ValueError:
        raise ValueError(f"{value!r} is not a UUID") from None


def check_address(value: Any) -> Any:
    """An IP address; with a `+` behind it, the first of as many as there are devices."""
    if not isinstance(value, str) or not value:
        return value
    try:
        return str(ipaddress.ip_address(value.removesuffix("+"))) + ("+" if value.endswith("+") else "")
    except ValueError:
        raise ValueError(f"{value!r} is not an IP address") from None


def text_of_number(value: Any) -> Any:
    """YAML reads an unquoted serial of digits as a number: take it as written."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Mac = Annotated[str, BeforeValidator(normalise_mac)]
Guid = Annotated[str, BeforeValidator(normalise_guid)]
Uuid = Annotated[str, BeforeValidator(normalise_uuid)]
Address = Annotated[str, BeforeValidator(check_address)]
Text = Annotated[str, BeforeValidator(text_of_number), StringConstraints(max_length=200)]
Serial = Annotated[str, BeforeValidator(text_of_number), StringConstraints(strip_whitespace=True, max_length=64)]
Name = Annotated[str, BeforeValidator(text_of_number), StringConstraints(min_length=1, max_length=200)]
Names = Name | list[Name]
Millimetres = Annotated[int, Field(ge=0, le=10_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SiteSection(_Part):
    slug: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=50)
    name: str = Field(min_length=1, max_length=100)
    timezone: str = "UTC"


class RackSection(_Part):
    """What racks have, alone or in a row."""

    y_mm: Millimetres
    width_mm: Millimetres = 600
    depth_mm: Millimetres = 1200
    facing: Literal["up", "down"] = "up"
    height_u: int = Field(default=48, ge=1, le=60)
    numbering: Literal["up", "down"] = "up"
    outer_height_mm: Millimetres | None = None
    weight_limit_kg: int | None = Field(default=None, ge=0, le=100_000)
    power_limit_w: int | None = Field(default=None, ge=0)


class SingleRack(RackSection):
    """A rack outside the rows."""

    name: Name
    x_mm: Millimetres
    role: Literal["compute", "network", "storage"] = "compute"
    serial: Serial = ""
    asset_tag: Serial = ""


class RowSection(RackSection):
    """Racks side by side from `x_mm` on; the name `-` leaves one place empty."""

    name: Name
    racks: Names
    x_mm: Millimetres
    pitch_mm: int = Field(default=600, ge=1)
    network: Names = []
    storage: Names = []
    serials: dict[Name, Serial] = {}
    asset_tags: dict[Name, Serial] = {}


class AisleSection(_Part):
    name: Name
    kind: Literal["cold", "hot"]
    x_mm: Millimetres
    y_mm: Millimetres
    width_mm: Millimetres
    depth_mm: Millimetres


class RoomSection(_Part):
    name: Name
    width_mm: Millimetres
    depth_mm: Millimetres
    door: Text = ""
    rows: list[RowSection] = []
    racks: list[SingleRack] = []
    aisles: list[AisleSection] = []


class PowerPanelSection(_Part):
    """A board. Its size is that of its main breaker."""

    name: Name
    room: Name | None = None
    voltage_v: int | None = Field(default=None, ge=1, le=32767)
    current_a: int | None = Field(default=None, ge=1, le=32767)
    phases: Literal[1, 3] = 3
    derating_percent: int = Field(default=80, ge=1, le=100)


class PowerFeedSection(_Part):
    """One breaker's circuit, or several alike. Without a side a short name is the side."""

    name: Names
    panel: Name | None = None
    side: str | None = Field(default=None, max_length=10)
    voltage_v: int | None = Field(default=None, ge=1, le=32767)
    current_a: int | None = Field(default=None, ge=1, le=32767)
    phases: Literal[1, 3] = 3
    derating_percent: int = Field(default=80, ge=1, le=100)


class PowerSection(_Part):
    """Where PDUs get their power. A feed that only a PDU names need not stand here."""

    panels: list[PowerPanelSection] = []
    feeds: list[PowerFeedSection] = []


class DeviceGroup(_Part):
    """Devices of one model by place, or a single one. Also a line of a devices CSV."""

    name: Name
    model: Name
    room: Name | None = None
    racks: Names | None = None
    u: float | str | list[float | str] | None = None
    side: Name | None = None
    face: Literal["front", "rear"] = "front"
    column: Literal["full", "left", "right"] = "full"
    parent: Name | None = None
    bay: Text = ""
    without: Names = []
    status: Literal["planned", "active"] = "active"
    serial: Serial = ""
    asset_tag: Serial = ""
    derive: bool = False
    role: str = "compute"
    system_uuid: Uuid = ""
    primary_ip: Address = ""
    bmc_ip: Address = ""
    bmc_mac: Mac = ""
    boot_mac: Mac = ""
    fabric: Literal["infiniband", "ethernet", "management"] | None = None
    tier: str = ""
    node_guid: Guid = ""
    feed: Text = ""
    limit_w: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _stands_somewhere(self) -> DeviceGroup:
        ways = [self.u is not None, self.side is not None, self.parent is not None]
        if sum(ways) != 1:
            raise ValueError("give exactly one of u (a unit), side (a zero-U slot) and parent (a device with bays)")
        if self.parent is None and not self.racks:
            raise ValueError("racks is missing: which rack does it stand in?")
        if self.parent is not None and not self.bay:
            raise ValueError("bay is missing: which bay of its parent does it sit in?")
        return self


class PartKind(_Part):
    """What the derived parts of one slot kind are."""

    vendor: Text = ""
    part_number: Text = ""
    attributes: dict[str, Any] = {}


class ComponentLine(_Part):
    """One listed component. Also a line of a components CSV, where further columns are attributes."""

    device: Name
    slot: Name
    vendor: Text = ""
    part_number: Text = ""
    serial: Serial = ""
    attributes: dict[str, Any] = {}

    @field_validator("attributes")
    @classmethod
    def _identities_are_normal(cls, value: dict[str, Any]) -> dict[str, Any]:
        plain = dict(value)
        for key, normalise in (("guid", normalise_guid), ("mac", normalise_mac)):
            if key in plain:
                plain[key] = normalise(str(plain[key]))
        return plain


class Reservation(_Part):
    """Units taken without a device."""

    rack: Name
    u: float | str
    room: Name | None = None
    kind: Literal["reserved", "blanking"] = "reserved"
    face: Literal["front", "rear", "both"] = "both"
    column: Literal["full", "left", "right"] = "full"
    reason: Text = ""
    owner: str = Field(default="", max_length=100)


class CableRule(_Part):
    """Cables whose two lists of ends are paired in order. Also a line of a cables CSV, which is one cable."""

    type: str = Field(min_length=1, max_length=30)
    a: Names
    b: Names
    label: Name
    first: int = Field(default=1, ge=0)
    each: Names = []
    without: Names = []
    strands: int = Field(default=1, ge=1, le=8)
    connectors_b: int = Field(default=1, ge=1, le=8)
    length_m: Annotated[float, Field(gt=0, lt=10_000)] | Literal["route"] | None = None
    colour: str = Field(default="", max_length=20)
    vendor: str = Field(default="", max_length=60)
    part_number: Annotated[str, BeforeValidator(text_of_number)] = Field(default="", max_length=60)
    bundle: str = Field(default="", max_length=60)
    serial_a: Serial = ""
    serial_b: Serial | list[Serial] = ""
    status: Literal["planned", "connected", "to_move", "removed"] = "connected"

    @property
    def ends_b(self) -> int:
        """Ends on side B of one cable: with a single strand each of its plugs goes to the one port of side A."""
        return self.connectors_b if self.strands == 1 else self.strands

    @model_validator(mode="after")
    def _connectors_share_the_strands(self) -> CableRule:
        if self.strands > 1 and self.strands % self.connectors_b:
            raise ValueError("strands must divide by connectors_b")
        serials = [self.serial_b] if isinstance(self.serial_b, str) else self.serial_b
        if len(serials) > self.connectors_b:
            raise ValueError(
                f"serial_b has {counted(len(serials), 'serial')}, "
                f"but side B has {counted(self.connectors_b, 'connector')}"
            )
        return self


class FleetFile(_Part):
    rackside_fleet: Literal[1]
    site: SiteSection
    device_models: list[Name | dict[str, Any]] = []
    rooms: list[RoomSection] = Field(min_length=1)
    power: PowerSection = PowerSection()
    tables: dict[str, list[dict[str, Name]]] = {}
    seed: Name = "1"
    parts: dict[str, PartKind] = {}
    devices: list[DeviceGroup] = []
    devices_csv: Names = []
    components: list[ComponentLine] = []
    components_csv: Names = []
    reserved: list[Reservation] = []
    cables: list[CableRule] = []
    cables_csv: Names = []
