"""Feeds, PDUs, inlets and devices: who draws what from where. Pure.

A device shares its draw evenly over its inlets whose cords are known. Watts are taken as volt-amperes: servers' power
supplies correct their power factor to nearly 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Literal, NamedTuple

State = Literal["ok", "degraded", "lost", "unknown"]
Together = Literal["feed", "panel", "side"]
NOTHING: frozenset[int] = frozenset()


def capacity_w(voltage_v: int | None, current_a: int | None, phases: int) -> float | None:
    """What a breaker is made for; None when nobody has said. Volts are between phases if there are three."""
    if voltage_v is None or current_a is None:
        return None
    return voltage_v * current_a * (sqrt(3) if phases == 3 else 1)


class Panel(NamedTuple):
    """A board above feeds, with the size of what feeds it."""

    id: int
    name: str
    voltage_v: int | None = None
    current_a: int | None = None
    phases: int = 3
    derating_percent: int = 80

    @property
    def derated_w(self) -> float | None:
        """What it may carry for long; None when nobody has said its size."""
        capacity = capacity_w(self.voltage_v, self.current_a, self.phases)
        return None if capacity is None else capacity * self.derating_percent / 100


class Feed(NamedTuple):
    """One breaker's circuit. `voltage_v` is between phases if there are three."""

    id: int
    name: str
    side: str = ""
    panel_id: int | None = None
    voltage_v: int | None = None
    current_a: int | None = None
    phases: int = 3
    derating_percent: int = 80

    @property
    def capacity_w(self) -> float | None:
        """What its breaker is made for; None when nobody has said."""
        return capacity_w(self.voltage_v, self.current_a, self.phases)

    @property
    def derated_w(self) -> float | None:
        """What it may carry for long."""
        capacity = self.capacity_w
        return None if capacity is None else capacity * self.derating_percent / 100


class PduNode(NamedTuple):
    """A PDU on a feed, or behind the outlets of other PDUs (`upstream`)."""

    id: int
    name: str
    rack_id: int | None = None
    feed_id: int | None = None
    limit_w: int | None = None
    upstream: tuple[int, ...] = ()


class Inlet(NamedTuple):
    """An inlet of a device; without a PDU its cord is not in the inventory."""

    id: int
    name: str
    pdu_id: int | None = None
    outlet: str = ""


class PoweredDevice(NamedTuple):
    """`may_fail` is how many of its supplies may be dead at full load; None when its model does not tell."""

    id: int
    name: str
    kind: str = "machine"
    rack_id: int | None = None
    parent_id: int | None = None
    planned_w: float | None = None
    measured_w: float | None = None
    may_fail: int | None = None
    inlets: tuple[Inlet, ...] = ()

    @property
    def needs(self) -> tuple[int, int]:
        """How many inlets must be live: at least, and to be sure. They differ when its model does not tell."""
        if self.may_fail is None:
            return 1, max(1, len(self.inlets))
        needed = max(1, len(self.inlets) - self.may_fail)
        return needed, needed


@dataclass
class Loads:
    """Watts by feed and by PDU. `adrift_w` is drawn by devices with no known cord, from nobody knows where."""

    feeds: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    pdus: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    adrift_w: float = 0.0


class PowerGraph:
    """All of a site, or as much of it as a question needs."""

    def __init__(
        self, feeds: Iterable[Feed] = (), pdus: Iterable[PduNode] = (), devices: Iterable[PoweredDevice] = (),
        panels: Iterable[Panel] = (),
    ) -> None:  # fmt: skip
        self.panels = {panel.id: panel for panel in panels}
        self.feeds = {feed.id: feed for feed in feeds}
        self.pdus = {pdu.id: pdu for pdu in pdus}
        self.devices = {device.id: device for device in devices}
        self._ways: dict[int, tuple[tuple[int, ...], int | None]] = {}

    # ---- where power comes from ----

    def way(self, pdu_id: int) -> tuple[tuple[int, ...], int | None]:
        """The PDUs from this one up to its feed, and the feed.

        The feed is None when it is not written down, or not one: a PDU with cords to two others, or a circle of cords.
        """
        if pdu_id not in self._ways:
            passed: list[int] = []
            feed: int | None = None
            at: int | None = pdu_id
            while at is not None and at in self.pdus and at not in passed:
                passed.append(at)
                pdu = self.pdus[at]
                feed = pdu.feed_id
                at = pdu.upstream[0] if feed is None and len(set(pdu.upstream)) == 1 else None
            self._ways[pdu_id] = tuple(passed), feed
        return self._ways[pdu_id]

    def feed_of(self, inlet: Inlet) -> int | None:
        """The feed behind an inlet; None when its cord or its PDU's feed is not in the inventory."""
        return None if inlet.pdu_id is None else self.way(inlet.pdu_id)[1]

    def supplied(self, device: PoweredDevice) -> PoweredDevice:
        """The device whose inlets feed it: itself, or the chassis it sits in."""
        if device.inlets or device.parent_id is None:
            return device
        return self.devices.get(device.parent_id, device)

    def feeds_of(self, device: PoweredDevice) -> list[int]:
        """Known feeds of a device, each once, in the order of its inlets."""
        found = (self.feed_of(inlet) for inlet in self.supplied(device).inlets)
        return list(dict.fromkeys(feed for feed in found if feed is not None))

    @cached_property
    def devices_on(self) -> dict[int, list[PoweredDevice]]:
        """Feed to the devices that hang on it."""
        found: dict[int, list[PoweredDevice]] = defaultdict(list)
        for device in self.devices.values():
            for feed in self.feeds_of(device):
                found[feed].append(device)
        return found

    @cached_property
    def devices_behind(self) -> dict[int, list[PoweredDevice]]:
        """PDU to the devices that get power through it."""
        found: dict[int, list[PoweredDevice]] = defaultdict(list)
        for device in self.devices.values():
            inlets = self.supplied(device).inlets
            for pdu in {pdu for inlet in inlets if inlet.pdu_id is not None for pdu in self.way(inlet.pdu_id)[0]}:
                found[pdu].append(device)
        return found

    @cached_property
    def _groups(self) -> dict[tuple[Together, object], frozenset[int]]:
        found: dict[tuple[Together, object], set[int]] = defaultdict(set)
        for feed in self.feeds.values():
            found["side", feed.side].add(feed.id)
            found["panel", feed.panel_id].add(feed.id)
        return {key: frozenset(ids) for key, ids in found.items()}

    def feeds_of_panel(self, panel_id: int) -> list[int]:
        return sorted(self._groups.get(("panel", panel_id), ()))

    def failing_with(self, feed_id: int, together: Together = "side") -> frozenset[int]:
        """The feeds that die with this one: of its side, of its panel, or it alone. No side is no company."""
        feed = self.feeds[feed_id]
        key: object = {"side": feed.side or None, "panel": feed.panel_id, "feed": None}[together]
        return frozenset({feed_id}) if key is None else self._groups[together, key]

    # ---- what happens to a device ----

    def state(self, device: PoweredDevice, dead: frozenset[int]) -> State:
        """What becomes of it when these feeds are dead. Inlets without a known feed may be live or not."""
        supplied = self.supplied(device)
        alive = lost = 0
        for inlet in supplied.inlets:
            feed = self.feed_of(inlet)
            if feed is not None:
                alive, lost = (alive, lost + 1) if feed in dead else (alive + 1, lost)
        at_least, surely = supplied.needs
        if alive >= surely:
            return "degraded" if lost else "ok"
        unknown = len(supplied.inlets) - alive - lost
        return "lost" if supplied.inlets and alive + unknown < at_least else "unknown"

    @cached_property
    def doubtful(self) -> list[PoweredDevice]:
        """Devices whose known cords are too few: any feed may be theirs."""
        return [device for device in self.devices.values() if self.state(device, NOTHING) == "unknown"]

    # ---- who draws what ----

    def draw_w(self, device: PoweredDevice, *, measured: bool) -> float:
        """Its draw with what sits in its bays; planned where nothing was measured; 0 where nobody knows."""
        own = sum(_draw(each, measured) for each in (device, *self._in_bays.get(device.id, ())))
        return own if self.supplied(device) is device else 0.0

    @cached_property
    def _in_bays(self) -> dict[int, list[PoweredDevice]]:
        found: dict[int, list[PoweredDevice]] = defaultdict(list)
        for device in self.devices.values():
            supplied = self.supplied(device)
            if supplied is not device:
                found[supplied.id].append(device)
        return found

    def shares(self, device: PoweredDevice, dead: frozenset[int] = NOTHING, *, measured: bool = False) -> Iterator[
        tuple[int, float]
    ]:  # fmt: skip
        """PDU and watts for each inlet that has a cord and is not dead."""
        live = [
            inlet.pdu_id
            for inlet in device.inlets
            if inlet.pdu_id is not None and (not dead or self.feed_of(inlet) not in dead)
        ]
        if live:
            share = self.draw_w(device, measured=measured) / len(live)
            yield from ((pdu, share) for pdu in live)

    def serving(self, rack_id: int) -> set[int]:
        """PDUs that hang in a rack or feed something in it."""
        devices = [device for device in self.devices.values() if device.rack_id == rack_id]
        feeding = {inlet.pdu_id for device in devices for inlet in self.supplied(device).inlets}
        return {pdu.id for pdu in self.pdus.values() if pdu.rack_id == rack_id or pdu.id in feeding}

    def add(self, loads: Loads, pdu_id: int, watts: float) -> None:
        passed, feed = self.way(pdu_id)
        for pdu in passed:
            loads.pdus[pdu] += watts
        if feed is not None:
            loads.feeds[feed] += watts

    def loads(self, *, measured: bool = False) -> Loads:
        """With every feed alive."""
        loads = Loads()
        for device in self.devices.values():
            corded = False
            for pdu, watts in self.shares(device, measured=measured):
                corded = True
                self.add(loads, pdu, watts)
            if not corded:
                loads.adrift_w += self.draw_w(device, measured=measured)
        return loads

    @cached_property
    def planned(self) -> Loads:
        return self.loads()

    @cached_property
    def measured(self) -> Loads:
        return self.loads(measured=True)


def _draw(device: PoweredDevice, measured: bool) -> float:
    if measured and device.measured_w is not None:
        return device.measured_w
    return device.planned_w or 0.0
