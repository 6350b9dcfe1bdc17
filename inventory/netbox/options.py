"""What a person may choose about an import from NetBox."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from inventory.device_types.words import kind_of_role

DeviceKind = Literal["machine", "switch", "pdu", "panel", "shelf", "blanking"]


class OptionsError(ValueError):
    """The options are wrong; the text says which and why."""


class Options(BaseModel):
    """`roles` leads from a NetBox device role (its slug) to the kind of device; what it does not name is told by the
    role's own words, and then by the parts of the device type. `rows_from` says where rows of racks come from: rack
    groups, rack roles, or the lowest level of locations. `x_field` and `y_field` name NetBox custom fields of racks
    that hold their place on the floor in millimetres; without them racks are laid out side by side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sites: tuple[str, ...] = Field(default=(), description="Slugs in NetBox; empty for all of them.")
    roles: dict[str, DeviceKind] = Field(default_factory=dict)
    machine_roles: dict[str, str] = Field(default_factory=dict, description="NetBox role to our role of a machine.")
    rows_from: Literal["group", "role", "location", "none"] = "group"
    x_field: str = ""
    y_field: str = ""
    cable_label: str = Field(default="NB-{id}", description="Label of a cable that has none in NetBox.")
    on_conflict: Literal["keep-ours", "take-theirs"] = "keep-ours"
    comments: bool = Field(default=True, description="Journal entries and comments become comments.")

    @field_validator("cable_label")
    @classmethod
    def _names_the_id(cls, value: str) -> str:
        if "{id}" not in value or not re.fullmatch(r"[^{}]*\{id\}[^{}]*", value) or len(value) > 30:
            raise ValueError("give at most 30 letters with {id} in them, which becomes the cable's number in NetBox")
        return value

    @classmethod
    def read(cls, data: dict[str, Any]) -> Options:
        """Raises OptionsError."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            reasons = (
                f"{'.'.join(map(str, item['loc'])) or 'options'}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors()
            )
            raise OptionsError("; ".join(reasons)) from error

    def kind_of(self, role_slug: str, role_name: str) -> str | None:
        """The kind of device a role means, or None when neither the table nor its words tell."""
        return self.roles.get(role_slug) or kind_of_role(role_name) or kind_of_role(role_slug)
