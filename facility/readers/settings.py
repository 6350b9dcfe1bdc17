"""What is set for a meter, by its kind; what cannot be is refused with its place and reason. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from drivers.meters.modbus import WORDS, Function, Order, Type
from facility.facts import LIMITS, Part, Quantity
from facility.readers.answers import BadSettings

MOST_VALUES = 512
PATH = r"^/redfish/v1/[\w.~/:-]+$"
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]
S = TypeVar("S", bound=BaseModel)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Plumbing(Strict):
    """Where the pipes of a cooling unit lead: detector to manifold, manifold to its valve and to its racks."""

    manifold_of: dict[Name, Name] = {}
    valve_of: dict[Name, Name] = {}
    main_valve: Name = ""
    racks: dict[Name, list[Name]] = {}


class Written(Strict):
    """What no device can be asked for: somebody writes it down. `liquid_class`: how warm the coolant may be for what it
    cools."""

    plumbing: Plumbing | None = None
    liquid_class: Literal["W17", "W27", "W32", "W40", "W45", "W+"] | None = None


class Nothing(Strict):
    """A kind of meter of which nothing is set."""


class SnmpPdu(Strict):
    """`unit`: the number of the PDU in a chain that one agent speaks for, as the chain counts; none: there is none."""

    unit: int | None = Field(default=None, ge=0, le=255)


class Redfish(Strict):
    """`path`: the one PDU, cooling unit or chassis that is meant, of a service that has several; none: all of them."""

    path: Annotated[str, StringConstraints(pattern=PATH, max_length=200)] | None = None


class Point(Strict):
    """Where a value is put: `scale` makes its unit the one that the quantity's name says."""

    part: Part
    name: Name = ""
    quantity: Quantity
    scale: float = 1.0

    @field_validator("scale")
    @classmethod
    def _is_no_zero(cls, scale: float) -> float:
        if scale == 0 or not 1e-12 <= abs(scale) <= 1e12:
            raise ValueError("a scale is a number other than 0")
        return scale

    @field_validator("quantity")
    @classmethod
    def _has_limits(cls, quantity: Quantity) -> Quantity:
        if quantity not in LIMITS:
            raise ValueError(f"{quantity} is not measured by such a meter")
        return quantity


class Register(Point):
    """One number in the registers of a Modbus device. Addresses count from 0, as the protocol does: what a manual calls
    40001 is the holding register 0. `order`: which word of a long number comes first."""

    address: int = Field(ge=0, le=65_535)
    type: Type = "uint16"
    order: Order = "big"
    function: Function = "holding"

    @model_validator(mode="after")
    def _ends_in_time(self) -> Self:
        if self.address + WORDS[self.type] > 65_536:
            raise ValueError(f"{self.type} at {self.address} ends behind the last register, 65535")
        return self


class Modbus(Strict):
    unit: int = Field(default=1, ge=0, le=255)
    registers: list[Register] = Field(min_length=1, max_length=MOST_VALUES)

    @model_validator(mode="after")
    def _are_told_apart(self) -> Self:
        _told_apart(self.registers)
        return self


class Expression(Point):
    """One number of a Prometheus server; the expression gives one series."""

    expression: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class Prometheus(Strict):
    """`path` stands before `/api/v1`. A value that is older than `stale_s` is not known."""

    scheme: Literal["https", "http"] = "https"
    path: Annotated[str, StringConstraints(pattern=r"^(/[\w.~:-]+)*$", max_length=200)] = ""
    stale_s: float = Field(default=120, ge=5, le=3_600)
    values: list[Expression] = Field(min_length=1, max_length=64)

    @model_validator(mode="after")
    def _are_told_apart(self) -> Self:
        _told_apart(self.values)
        return self


def _told_apart(points: list[Any]) -> None:
    seen: dict[tuple[str, str, str], int] = {}
    for number, each in enumerate(points):
        key = (each.part, each.name, each.quantity)
        if key in seen:
            raise ValueError(f"{' '.join(filter(None, key))} is set twice, by entries {seen[key]} and {number}")
        seen[key] = number


def checked(kind: type[S], settings: Mapping[str, Any]) -> S:
    """Raises BadSettings with the place of the first mistake."""
    try:
        return kind.model_validate(dict(settings))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise BadSettings(".".join(map(str, first["loc"])), reason) from error


def scaled(value: float, point: Point) -> float:
    """In the unit of its quantity; infinite where that is no number any more."""
    found = value * point.scale
    return found if math.isfinite(found) or math.isnan(found) else math.inf
