"""What a device type file may say: the keys of NetBox 4.6's import and of the community library's checks.

Only shapes are checked here. Words such as an interface's type are not: newer releases know more of them than we do,
and one that we do not know is kept and told, not refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


def _text(value: Any) -> Any:
    """YAML reads an unquoted `1` or `4.0` as a number; names of ports and models are texts."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    """A choice as the REST API gives it (`{"value": .., "label": ..}`), or as a file has it."""
    return value.get("value") if isinstance(value, dict) and "value" in value else value


Text = Annotated[str, BeforeValidator(_text), StringConstraints(strip_whitespace=True, max_length=200)]
LongText = Annotated[str, BeforeValidator(_text), StringConstraints(max_length=20_000)]
Name = Annotated[str, BeforeValidator(_text), StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
Word = Annotated[str, BeforeValidator(_text), BeforeValidator(_plain), StringConstraints(max_length=64)]
Watts = Annotated[int, Field(ge=0, le=10_000_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Component(_Part):
    """What every listed component may say. `_is_power_source` is the library's own key for PoE."""

    name: Name
    label: Text = ""
    description: Text = ""
    type: Word | None = None
    is_power_source: bool | None = Field(default=None, alias="_is_power_source")


class ConsolePort(Component):
    pass


class PowerPort(Component):
    maximum_draw: Watts | None = None
    allocated_draw: Watts | None = None


class PowerOutlet(Component):
    color: Text = ""
    power_port: Name | None = None
    feed_leg: Word | None = None


class Interface(Component):
    enabled: bool = True
    mgmt_only: bool = False
    bridge: Name | None = None
    poe_mode: Word | None = None
    poe_type: Word | None = None
    rf_role: Word | None = None


class FrontPort(Component):
    """`rear_port` stands here up to NetBox 4.4; later files say it in `port-mappings`."""

    color: Text = ""
    positions: Annotated[int, Field(ge=1, le=1024)] = 1
    rear_port: Name | None = None
    rear_port_position: Annotated[int, Field(ge=1, le=1024)] = 1


class RearPort(Component):
    color: Text = ""
    positions: Annotated[int, Field(ge=1, le=1024)] = 1


class PortMapping(_Part):
    front_port: Name
    front_port_position: Annotated[int, Field(ge=1, le=1024)] = 1
    rear_port: Name
    rear_port_position: Annotated[int, Field(ge=1, le=1024)] = 1


class ModuleBay(Component):
    position: Text = ""


class DeviceBay(Component):
    pass


class InventoryItem(Component):
    parent: Name | None = None
    role: Text | None = None
    manufacturer: Text | None = None
    part_id: Text = ""
    component_type: Text | None = None
    component_name: Text | None = None


class DeviceType(_Part):
    """One device type file. Lists that are absent are empty."""

    manufacturer: Annotated[Text, StringConstraints(min_length=1, max_length=100)]
    model: Annotated[Text, StringConstraints(min_length=1, max_length=100)]
    slug: str = Field(pattern=r"^[-a-z0-9_]+$", max_length=100)
    part_number: Text | None = None
    u_height: float = Field(default=1, ge=0, le=60, multiple_of=0.5, strict=True)
    is_full_depth: bool = Field(default=True, strict=True)
    exclude_from_utilization: bool | None = None
    subdevice_role: Literal["parent", "child", "", None] = None
    airflow: Word | None = None
    cooling_method: Word | None = None
    weight: Annotated[float, Field(ge=0, le=1_000_000)] | None = None
    weight_unit: Literal["kg", "g", "lb", "oz", "", None] = None
    end_of_life: Any = None
    default_platform: Any = None
    front_image: bool | None = None
    rear_image: bool | None = None
    is_powered: bool | None = None
    description: Text = ""
    comments: LongText = ""
    console_ports: list[ConsolePort] = Field(default=[], alias="console-ports")
    console_server_ports: list[ConsolePort] = Field(default=[], alias="console-server-ports")
    power_ports: list[PowerPort] = Field(default=[], alias="power-ports")
    power_outlets: list[PowerOutlet] = Field(default=[], alias="power-outlets")
    interfaces: list[Interface] = []
    front_ports: list[FrontPort] = Field(default=[], alias="front-ports")
    rear_ports: list[RearPort] = Field(default=[], alias="rear-ports")
    port_mappings: list[PortMapping] = Field(default=[], alias="port-mappings")
    module_bays: list[ModuleBay] = Field(default=[], alias="module-bays")
    device_bays: list[DeviceBay] = Field(default=[], alias="device-bays")
    inventory_items: list[InventoryItem] = Field(default=[], alias="inventory-items")
    cooling_intakes: list[dict[str, Any]] = Field(default=[], alias="cooling-intakes")
    cooling_outflows: list[dict[str, Any]] = Field(default=[], alias="cooling-outflows")
