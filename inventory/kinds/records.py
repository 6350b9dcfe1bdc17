"""What the fields of a record may say. A kind of record is a subclass of `Record`; nothing here needs a database.

The field names are those of the fleet file, the API, the files and the screen. A reference to another record is its
id, its natural key as text, or an object of the key's parts; the engine turns it into an id.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from inventory.fleet.format import check_address, normalise_guid, normalise_mac, normalise_uuid, text_of_number
from inventory.specs.units import whole

PRINTABLE = r"^[^\u0000-\u001f\u007f]*$"
MAX_ID = 2**63 - 1
MAX_INT = 2**31 - 1
MAX_SMALL = 2**15 - 1
MAX_OBJECT_DEPTH = 8


@dataclass(frozen=True)
class To:
    """The field refers to a record of another kind. `within` fields of the row narrow it down (a rack by its room)."""

    kind: str


@dataclass(frozen=True)
class Where:
    """The field only says where the row belongs and is not a column: `path` is where its id is read from."""

    path: str


@dataclass(frozen=True)
class Column:
    """The field's value is read from `path`, in the form `load` gives it, and written by the kind's own writer."""

    path: str
    load: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Rows:
    """The field is no column: its rows are records of another kind that come with this one, and are written with it.

    `owner` is their field that names this record.
    """

    kind: str
    owner: str


@dataclass(frozen=True)
class Unit:
    name: str


def plain_object(value: dict[str, Any]) -> dict[str, Any]:
    """JSON that PostgreSQL can hold: no NUL, finite numbers, not nested beyond reason."""
    _walk(value, 1)
    return value


def _walk(value: Any, depth: int) -> None:
    if depth > MAX_OBJECT_DEPTH:
        raise ValueError(f"nested more than {MAX_OBJECT_DEPTH} deep")
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("has a NUL character")
    elif isinstance(value, dict):
        for key, each in value.items():
            _walk(str(key), depth)
            _walk(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _walk(each, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_ID:
        raise ValueError("a number is too large")


def plain_number(value: Any) -> Any:
    """`U12` is how people read a unit; it is written as a number."""
    if isinstance(value, str) and value[:1] in ("U", "u"):
        raise ValueError("a number without the letter: 12 for U12, 12.5 for its upper half")
    return value


def half_units(value: float) -> float:
    if value * 2 != int(value * 2):
        raise ValueError("a whole or half unit")
    return value


def device_name(value: str) -> str:
    if any(letter.isspace() or letter == "/" for letter in value):
        raise ValueError("a name has no blank and no slash")
    return value


def unique_words(value: list[str]) -> list[str]:
    return sorted(set(value))


def as_text(value: Any) -> Any:
    """Numbers where a text is expected are taken as written: YAML reads an unquoted serial of digits as one."""
    return text_of_number(value)


Text = Annotated[str, BeforeValidator(as_text), StringConstraints(pattern=PRINTABLE)]
LongText = Annotated[str, BeforeValidator(as_text), StringConstraints(pattern=r"^[^\u0000]*$", max_length=10_000)]
Word = Annotated[str, BeforeValidator(as_text), StringConstraints(pattern=PRINTABLE, min_length=1)]
DeviceName = Annotated[Word, AfterValidator(device_name)]
Count = Annotated[int, Field(ge=0, le=MAX_INT)]
SmallCount = Annotated[int, Field(ge=0, le=MAX_SMALL)]
Millimetres = Annotated[int, Field(ge=0, le=10_000_000), Unit("mm")]
Watts = Annotated[int, Field(ge=0, le=MAX_INT), Unit("W")]
Vlan = Annotated[int, Field(ge=1, le=4094)]
HalfUnits = Annotated[
    float,
    BeforeValidator(plain_number),
    Field(ge=1, le=60),
    AfterValidator(half_units),
    AfterValidator(whole),
    Unit("U"),
]
Number = Annotated[Decimal, Field(max_digits=20, decimal_places=6)]
Metres = Annotated[Decimal, Field(gt=0, lt=10_000, decimal_places=2), Unit("m")]
Mac = Annotated[str, BeforeValidator(normalise_mac), StringConstraints(max_length=17, pattern=PRINTABLE)]
Guid = Annotated[str, BeforeValidator(normalise_guid), StringConstraints(max_length=18, pattern=PRINTABLE)]
Uuid = Annotated[str, BeforeValidator(normalise_uuid), StringConstraints(max_length=36, pattern=PRINTABLE)]
Address = Annotated[str, BeforeValidator(check_address), StringConstraints(max_length=45, pattern=r"^[0-9a-fA-F:.]*$")]
JsonObject = Annotated[dict[str, Any], AfterValidator(plain_object)]
Words = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=50, pattern=PRINTABLE)]],
    Field(max_length=100),
    AfterValidator(unique_words),
]

PartKind = Literal["gpu", "hca", "nvme", "psu", "dimm", "cpu", "fan", "board", "optic", "other"]
Id = Annotated[int, Field(strict=True, ge=1, le=MAX_ID)]
KeyText = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=PRINTABLE)]
# What a reference looks like in a request. A number is always an id, a text always a natural key.
Ref = Id | KeyText | dict[str, Id | KeyText]


class Record(BaseModel):
    """A row as it is written. Fields without a default are needed to create one."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)
