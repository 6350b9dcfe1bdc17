"""The parts of a device model: slots, ports, supplies, and rows that stand for many. Nothing here needs Django."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from inventory.power.workstation import Connector
from inventory.slot_text import slot_text
from inventory.specs import words

MAX_ROWS = 8192
"""Slots, or ports, that one model may have."""

_RANGE = re.compile(r"\{(\d{1,9})\.\.(\d{1,9})\}")
_PCI = re.compile(r"^(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.([0-9a-f]))?$")


def normalise_pci(address: str) -> str | None:
    """The address as lower-case `0000:9b:00.0`, or None when it is no PCI address.

    Takes what the tools print: `00000000:9B:00.0` (nvidia-smi), `0000:9b:00` (kernel log), `9b:00.0` (lspci).
    """
    found = _PCI.match(address.strip().lower().removeprefix("pci:"))
    if not found:
        return None
    domain, bus, device, function = found.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function or '0'}"


def expand_ranges(rows: list[Any]) -> Iterator[Any]:
    """Expand `{range: "NVMe {0..7}", label: "Bay {n}"}` into one row per number.

    A second range in one name counts as `{m}`: `{range: "{1..32}/{1..2}", cage: "{n}", lane: "{m}"}` is 64 ports.
    """
    for row in rows:
        if not isinstance(row, Mapping) or "range" not in row:
            yield row
            continue
        pattern = str(row["range"])
        bounds = [(int(a), int(b)) for a, b in _RANGE.findall(pattern)]
        if not 1 <= len(bounds) <= 2:
            raise ValueError(f"range {pattern!r} needs one or two spans such as {{0..7}}")
        if any(last < first for first, last in bounds) or _rows_of(bounds) > MAX_ROWS:
            raise ValueError(f"range {pattern!r} must count up, over at most {MAX_ROWS} numbers")
        for numbers in product(*(range(first, last + 1) for first, last in bounds)):
            words = dict(zip(("{n}", "{m}"), map(str, numbers), strict=False))
            name = pattern
            for number in numbers:
                name = _RANGE.sub(str(number), name, count=1)
            yield {"name": name, **{key: _fill(value, words) for key, value in row.items() if key != "range"}}


def _rows_of(bounds: list[tuple[int, int]]) -> int:
    return prod(last - first + 1 for first, last in bounds)


def _fill(value: Any, words: dict[str, str]) -> Any:
    if isinstance(value, str):
        for mark, number in words.items():
            value = value.replace(mark, number)
    return value


def _pci_address(value: str) -> str:
    address = normalise_pci(value)
    if address is None:
        raise ValueError(f"{value!r} is not a PCI address such as 0000:9b:00.0")
    return address


PciAddress = Annotated[words.Address, AfterValidator(_pci_address)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PowerInlet(_Part):
    """A power connector of a part. `max_w` where it may carry other than its kind does."""

    connector: Connector
    max_w: words.Count | None = Field(default=None, ge=1)


class PsuSocket(_Part):
    """A socket of a modular supply."""

    name: words.Name
    connector: Connector
    max_w: words.Count | None = Field(default=None, ge=1)


class PsuSpec(_Part):
    """The supplies, all alike. `may_fail` is how many may be dead at full load, `other_w` what the parts without a
    draw of their own take together (board, fans, drives)."""

    rated_w: words.Count | None = Field(default=None, ge=1)
    may_fail: words.Small | None = None
    headroom_percent: int = Field(default=20, ge=0, le=90)
    other_w: words.Count = 0
    sockets: tuple[PsuSocket, ...] = Field(default=(), max_length=512)


class Lead(_Part):
    """A planned cable from a socket of the supply to the power connector `number` (from 1) of the part in a slot."""

    socket: words.Ref
    slot: words.Ref
    number: int = Field(default=1, ge=1, le=64)
    connector: Connector


class PcieLink(_Part):
    """The link a part is to have: lanes, and generation of PCIe."""

    width: Literal[1, 2, 4, 8, 16, 32] | None = None
    gen: int | None = Field(default=None, ge=1, le=9)


class Slot(_Part):
    """A place a component sits in. `name` is the part name used in findings; `label` is printed on the chassis."""

    name: words.Name
    kind: Literal["gpu", "hca", "nvme", "psu", "dimm", "cpu", "fan", "board", "optic", "other"]
    label: words.Label = ""
    pci: PciAddress | None = None
    device: words.Adapter | None = None
    rail: words.Small | None = None
    link_layer: Literal["InfiniBand", "Ethernet"] | None = None
    speed_gbps: words.Count | None = None
    required: bool | None = Field(
        default=None, description="The port must be up; those of InfiniBand and of rails by default."
    )
    pcie: PcieLink | None = Field(default=None, description="The PCIe link of a part at `pci` that is no GPU.")
    board: words.ShortText | None = None
    cage: words.Small | None = Field(default=None, description="The cage an optic is plugged into.")
    power: tuple[PowerInlet, ...] = Field(default=(), max_length=64)
    max_w: words.Count | None = Field(
        default=None, description="The most the part draws, slot and connectors together."
    )
    slot_w: words.Count | None = Field(default=None, description="What the slot itself gives; 75 W for PCIe cards.")

    @property
    def text(self) -> str:
        """As people read it, what is printed on the chassis first."""
        return slot_text(self.name, self.label)


class PortSpec(_Part):
    """A socket for a cable. `slot` names the component slot it is on.

    A patch panel's `front` port says which `rear` port its fibres or wires go to, and which of that port's
    `positions` it takes; without `rear` it leads nowhere. `max_draw_w` is the rating of an inlet, `feed_leg` the
    phase (A, B, C) an outlet of a three-phase PDU is on, `inlet` the power_in port that feeds the outlet.
    """

    name: words.Name
    kind: Literal["infiniband", "ethernet", "bmc", "power_in", "power_outlet", "front", "rear", "console"]
    speed_gbps: words.Count | None = None
    cage: words.Small | None = None
    lane: words.Small | None = None
    slot: words.Ref = ""
    face: words.Face = ""
    label: words.Label = ""
    connector: words.ShortText = Field(default="", description="Such as osfp, c14, lc, rj-45.")
    positions: int = Field(default=1, ge=1, le=1024)
    rear: words.Ref = ""
    rear_position: int = Field(default=1, ge=1, le=1024)
    max_draw_w: words.Count | None = None
    feed_leg: Literal["A", "B", "C", ""] = ""
    inlet: words.Ref = ""


class SocketGrid(_Part):
    """Sockets in rows on the faceplate: the cages `first` to `last`, or the `ports` of a pattern.

    They are counted down each column, or with `order: across` along each row. `x` and `width` are shares of the
    faceplate's width.
    """

    first: words.Small | None = None
    last: words.Small | None = None
    ports: words.Ref = ""
    rows: int = Field(default=1, ge=1, le=16)
    order: Literal["down", "across"] = "down"
    x: float = Field(default=0.04, ge=0, lt=1)
    width: float = Field(default=0.92, gt=0, le=1)

    @model_validator(mode="after")
    def _names_its_sockets(self) -> SocketGrid:
        cages = self.first is not None and self.last is not None and self.first <= self.last
        if cages == bool(self.ports) or (self.ports and (self.first, self.last) != (None, None)):
            raise ValueError("give either first and last, the cages of the grid, or ports")
        if self.x + self.width > 1:
            raise ValueError("x and width together reach beyond the faceplate")
        return self


class Source(_Part):
    """Where figures of a model are from: a public document, or with `site` what a site decides for itself (the image
    its machines are installed with, what it plans). `says` names the figures (`inventory.specs.sources.figures`)."""

    title: words.Label = Field(min_length=1)
    section: words.Label = ""
    site: bool = False
    says: tuple[words.Figure, ...] = Field(min_length=1, max_length=200)


class GpuSpec(_Part):
    """The GPUs of a machine model. Widths are lanes, `nvlink_gbytes_s` is one link as `nvidia-smi nvlink -s` says."""

    count: int = Field(ge=0, le=64)
    type: words.Label = ""
    memory_mib: words.Count | None = None
    nvlinks: int = Field(default=0, ge=0, le=1024)
    nvlink_gbytes_s: float | None = Field(default=None, gt=0, le=1e6)
    pcie_gen: int | None = Field(default=None, ge=1, le=9)
    pcie_width: int | None = Field(default=None, ge=1, le=64)
    gpu_nvlink: words.Link | None = None
    slowdown_c: int | None = Field(default=None, ge=40, le=130, description="From where its clocks fall, in °C.")

    @property
    def is_amd(self) -> bool:
        """Whether AMD's tools speak of them, not NVIDIA's."""
        return bool(self.count) and self.type.startswith("AMD ")
