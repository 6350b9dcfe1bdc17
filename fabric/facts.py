"""What the formats are read into and the reconciliation works on: the plan, and what was seen. Pure values.

GUIDs are 16 lower-case hex digits without 0x. A port is named by its number as the subnet manager counts (from 1); a
cage and a lane are how a hand finds it. A planned device is named as its plan does: a switch by its name, a machine's
adapter as `MACHINE ADAPTER` (`gpu-0001 mlx5_0`), the form that node descriptions take.

What there are a hundred thousand of is a named tuple: a frozen dataclass takes three times as long to make.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class PlannedPort(NamedTuple):
    """A port of the plan: device and number."""

    device: str
    port: int


class SeenPort(NamedTuple):
    """A port of the fabric: GUID of its node and number."""

    guid: str
    port: int


class Place(NamedTuple):
    """Where a device stands. `u` is the lowest unit; x and y are metres on the floor, for the distance price."""

    room: str = ""
    row: str = ""
    rack: str = ""
    u: float | None = None
    x: float | None = None
    y: float | None = None


NOWHERE = Place()


class DeviceRole(StrEnum):
    SWITCH = "switch"
    ADAPTER = "adapter"


class PlannedDevice(NamedTuple):
    """One node of the plan. `group` is what moves as one: the machine of an adapter, the chassis of a director's
    leaf and spine boards, else the device itself."""

    name: str
    role: DeviceRole
    group: str
    tier: str = ""
    rail: int | None = None
    place: Place = NOWHERE
    guid: str = ""  # as recorded in the inventory
    serial: str = ""
    faceplate: str = ""  # slug of its device model
    feeds: tuple[str, ...] = ()  # the power feeds it hangs on, where they are written down


class PlannedCable(NamedTuple):
    """One link of the plan. Links with the same `body` are lanes of one physical cable (a twin DAC, a breakout), whose
    connectors move as one: the connector of an end is (body, `a_plug` or `b_plug`). An empty body: a cable of its own.
    """

    label: str
    a: PlannedPort
    b: PlannedPort
    body: str = ""
    a_plug: str = ""
    b_plug: str = ""
    length_m: float | None = None
    type: str = ""
    serials: tuple[str, str] = ("", "")  # of the plugs at a and b, where they can be read
    line: int = 0  # where a file has it, from 1; 0: not from a file

    @property
    def ends(self) -> tuple[PlannedPort, PlannedPort]:
        return self.a, self.b


@dataclass(frozen=True, slots=True)
class Plan:
    """The intended cables. Every port is in at most one of them; readers refuse a file that breaks this."""

    devices: Mapping[str, PlannedDevice]
    cables: Sequence[PlannedCable]
    reserved: frozenset[PlannedPort] = frozenset()


class NodeKind(StrEnum):
    SWITCH = "switch"
    ADAPTER = "adapter"
    ROUTER = "router"
    AGGREGATION = "aggregation"  # the SHARP node inside a switch: never at the end of a cable


class SeenNode(NamedTuple):
    guid: str
    kind: NodeKind
    description: str  # as reported, only trailing blanks removed
    ports: int
    system_guid: str = ""  # shared by the boards of one chassis
    lid: int | None = None
    counted: bool = False  # `ports` is what the node reports, and not the largest number that was met


class SeenLink(NamedTuple):
    """One link, written once, its smaller end first. `width` as 4x, `speed` as NDR; empty when not told."""

    a: SeenPort
    b: SeenPort
    width: str = ""
    speed: str = ""


class SeenState(NamedTuple):
    """What a port says of itself, up or down. Widths and speeds as in SeenLink; `best_*` is the most that both ends
    could do, where the tool tells."""

    logical: str  # Active, Down, Init, Armed; empty when not told
    physical: str  # LinkUp, Polling, Disabled, Sleep ..; empty when not told
    width: str = ""
    speed: str = ""
    best_width: str = ""
    best_speed: str = ""


@dataclass(frozen=True, slots=True)
class SeenCable:
    """What the memory of a plug says, read at one port."""

    serial: str = ""
    part_number: str = ""
    vendor: str = ""
    length_m: float | None = None
    technology: str = ""
    temperature_c: float | None = None


class Completeness(StrEnum):
    COMPLETE = "complete"
    PARTIAL = "partial"  # readable, but ends disagree or a part is known to be missing
    TRUNCATED = "truncated"  # it breaks off
    EMPTY = "empty"  # nothing at all: no data, never a fabric without cables


class Problem(NamedTuple):
    """Something unreadable in the input: file or request, line (from 1; 0 when there is none), what and why."""

    where: str
    line: int
    text: str


@dataclass(slots=True)
class Seen:
    """One look at the fabric, from one or several outputs of one source."""

    nodes: dict[str, SeenNode] = field(default_factory=dict)
    links: list[SeenLink] = field(default_factory=list)
    doubtful: list[SeenLink] = field(default_factory=list)  # told by one end and not, or otherwise, by the other
    port_guids: dict[str, SeenPort] = field(default_factory=dict)  # GUID of an adapter's port -> that port
    states: dict[SeenPort, SeenState] = field(default_factory=dict)
    cables: dict[SeenPort, SeenCable] = field(default_factory=dict)
    counters: dict[SeenPort, dict[str, int]] = field(default_factory=dict)
    completeness: Completeness = Completeness.COMPLETE
    problems: list[Problem] = field(default_factory=list)
    origin: str = ""  # GUID of the node that it was taken from, where the tool tells

    def far_ends(self) -> Iterator[tuple[SeenPort, SeenPort]]:
        """Every link from both of its ends."""
        for link in self.links:
            yield link.a, link.b
            yield link.b, link.a
