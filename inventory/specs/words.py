"""What a text of a device model may say. A word that a command is made of has its own shape; a text for people is one
line without control characters and without the signs by which a shell would take it for more than a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

SHOWN = 60
MAX_INT = 2**31 - 1
MAX_SMALL = 2**15 - 1
_PLAIN = "plain text: one line, without ` $ \\ ; | < >"
# Controls, invisible and direction-changing characters, and ` $ \ ; | < >.
_NOT_IN_TEXTS = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff`$\\;|<>"


@dataclass(frozen=True)
class Shape:
    """A text has to be `what`: the whole of it matches `pattern`, in at most `longest` characters."""

    what: str
    pattern: str
    longest: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        shape = cache(lambda: re.compile(self.pattern))

        def checked(value: str) -> str:
            if len(value) > self.longest:
                raise ValueError(f"has {len(value)} characters, at most {self.longest} are allowed")
            if not shape().fullmatch(value):
                raise ValueError(f"{value[:SHOWN]!r} is no {self.what}")
            return value

        return core_schema.no_info_after_validator_function(checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": f"^(?:{self.pattern})$", "maxLength": self.longest}


def text(longest: int) -> Shape:
    """A text for people."""
    return Shape(_PLAIN, f"[^{_NOT_IN_TEXTS}]*", longest)


def name(longest: int) -> Shape:
    """A text that something is called by: there is something to read, and no blank around it."""
    letter = rf"[^{_NOT_IN_TEXTS}\s]"
    return Shape(f"name: {_PLAIN}, and no blank around it", f"{letter}(?:[^{_NOT_IN_TEXTS}]*{letter})?", longest)


# ---- for people ----
Vendor = Annotated[str, text(60)]
Title = Annotated[str, text(120)]
Name = Annotated[str, name(40)]
Ref = Annotated[str, text(40)]
"""The name of another slot, port or socket; empty for none."""
Label = Annotated[str, text(200)]
ShortText = Annotated[str, text(40)]
Airflow = Annotated[str, text(20)]

# ---- what commands are made of, and what outputs are compared with ----
Slug = Annotated[str, Shape("name of a model: lower case, digits, hyphens", r"[a-z0-9][a-z0-9-]*", 50)]
Adapter = Annotated[str, Shape("name of an adapter such as mlx5_0", r"[A-Za-z0-9][A-Za-z0-9_.-]*", 32)]
Address = Annotated[str, Shape("PCI address such as 0000:9b:00.0", r"[0-9A-Fa-fPCIpci:.]+", 24)]
Figure = Annotated[
    str, Shape("name of a figure such as gpu.memory_mib", r"[a-z][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+){0,2}", 60)
]
Breaker = Annotated[str, Shape("name of a breaker such as B1", r"[A-Za-z0-9][A-Za-z0-9 _.:/-]*", 40)]
Face = Annotated[str, Shape("side of the chassis such as rear", r"[a-z]*", 5)]
Version = Annotated[str, Shape("version such as 535.129.03", r"[A-Za-z0-9][A-Za-z0-9 ._+:~/-]*", 64)]
Word = Annotated[str, Shape("word of letters, digits and hyphens", r"[A-Za-z0-9][A-Za-z0-9_.+-]*", 40)]
Link = Annotated[str, Shape("kind of link such as NV18 or PIX", r"[A-Za-z][A-Za-z0-9]*", 8)]
Unit = Annotated[str, Shape("name of a service", r"[A-Za-z0-9][A-Za-z0-9_@.:-]*", 128)]
InterfaceName = Annotated[str, Shape("name of a network interface", r"[A-Za-z0-9][A-Za-z0-9_.@-]*", 15)]
Package = Annotated[str, Shape("name of a package", r"[A-Za-z0-9][A-Za-z0-9_.+-]*", 100)]
Url = Annotated[str, Shape("plain http or https address", r"https?://[A-Za-z0-9][A-Za-z0-9_.:/@~%+=,-]*", 300)]
Image = Annotated[str, Shape("name of an image", r"[A-Za-z0-9][A-Za-z0-9_./:@-]*", 255)]
MountPath = Annotated[str, Shape("absolute path without blanks", r"/[A-Za-z0-9_.@%+:/-]*", 255)]
Pool = Annotated[str, Shape("name of a pool", r"[A-Za-z][A-Za-z0-9_.:-]*", 100)]
CARD_KIND = re.compile(r"InfiniBand|Ethernet|MT\d{4,6}|ConnectX-\d{1,2}(?: [A-Z][a-z])?|BlueField(?:-\d{1,2})?")
"""What is no slot: a link layer, a CA type, the name of a kind of card."""
CardKind = Annotated[
    str,
    Shape(
        "kind of card (ConnectX-7), CA type (MT4129), slot (HCA mlx5_0) or link layer", r"[A-Za-z][A-Za-z0-9 _.-]*", 40
    ),
]
PciId = Annotated[str, Shape("PCI id such as 1000:c030", r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}", 9)]
PartitionKey = Annotated[str, Shape("partition key such as 0xffff", r"0x[0-9A-Fa-f]{1,4}", 6)]
Threshold = Annotated[str, Shape("name of a threshold", r"[a-z][a-z0-9_]*", 60)]

# ---- numbers, as wide as their columns ----
Small = Annotated[int, Field(ge=0, le=MAX_SMALL)]
Count = Annotated[int, Field(ge=0, le=MAX_INT)]
Number = Annotated[float, Field(ge=-1e15, le=1e15)]
