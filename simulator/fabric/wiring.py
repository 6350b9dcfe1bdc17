"""How the fabric is wired and doing now: the plan, and every change made since. Pure: callers give the time.

Only the changes are kept on disk. A cable keeps its own troubles (speed, width, heat, errors) wherever it is plugged
in, as a real one does.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from simulator.fabric.plan import CablePlan, End, FabricPlan, NodePlan

Health = Literal["up", "down", "off"]
Kind = Literal["ok", "stale", "empty", "truncated", "silent"]
SOURCES = ("ufm", "ibdiags", "lldp", "switches")
SOURCE_KINDS = ("ok", "stale", "empty", "truncated", "silent")
MOST_EVENTS = 2000
USUAL_INLET_C = 23.0

LIMITS = {"SymbolErrorCounter": 65535, "LinkErrorRecoveryCounter": 255, "LinkDownedCounter": 255,
          "PortRcvErrors": 65535, "PortRcvRemotePhysicalErrors": 65535, "PortRcvSwitchRelayErrors": 65535,
          "PortXmitDiscards": 65535, "PortXmitConstraintErrors": 255, "PortRcvConstraintErrors": 255,
          "LocalLinkIntegrityErrors": 15, "ExcessiveBufferOverrunErrors": 15, "QP1Dropped": 65535,
          "VL15Dropped": 65535, "PortXmitWait": 4294967295}  # fmt: skip
"""Counters of errors in the order the tools print them, and where they stop (InfiniBand volume 1, PortCounters)."""
TRAFFIC = ("PortXmitData", "PortRcvData", "PortXmitPkts", "PortRcvPkts")


class WiringError(ValueError):
    """It cannot be done; the message says why."""


@dataclass
class Trouble:
    """What a cable suffers from. `errors_per_hour` counts up at both ends from `since`."""

    width: str = ""
    speed: str = ""
    warmer_c: float = 0.0
    errors_per_hour: dict[str, float] = field(default_factory=dict)
    since: float = 0.0


@dataclass
class Changes:
    """All that differs from the plan; `asdict` of it stands on disk. Ports are written `GUID_NUMBER`."""

    ends: dict[str, list[str | None]] = field(default_factory=dict)  # cable -> where its plugs are now
    descriptions: dict[str, str] = field(default_factory=dict)
    off: list[str] = field(default_factory=list)  # GUIDs
    disabled: list[str] = field(default_factory=list)
    isolated: list[str] = field(default_factory=list)
    undiscovered: list[str] = field(default_factory=list)  # the subnet manager looks no further than there
    trouble: dict[str, Trouble] = field(default_factory=dict)  # by cable
    base: dict[str, dict[str, int]] = field(default_factory=dict)  # counters set by hand or kept over a repair
    sources: dict[str, Kind] = field(default_factory=dict)  # ufm, ibdiags, lldp, switches
    frozen: dict[str, dict[str, Any]] = field(default_factory=dict)  # what a stale source goes on telling
    events: list[dict[str, Any]] = field(default_factory=list)
    last_event: int = 97000
    began: float = 0.0
    revision: int = 0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Changes:
        troubles = {label: Trouble(**row) for label, row in data.get("trouble", {}).items()}
        return cls(**{**data, "trouble": troubles})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class PortNow(NamedTuple):
    """A port as it is at this moment."""

    end: End
    far: End | None
    cable: CablePlan | None
    logical: str  # Active or Down
    physical: str  # LinkUp, Polling, Disabled
    width: str
    speed: str
    isolated: bool

    @property
    def up(self) -> bool:
        return self.logical == "Active"


LANE_DATA_GBPS = {
    "SDR": 2.0,
    "DDR": 4.0,
    "QDR": 8.0,
    "FDR": 13.64,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
"""What one lane carries, its coding taken off."""


def parse_end(name: str) -> End:
    """`GUID_NUMBER`. Raises WiringError."""
    guid, _, number = name.partition("_")
    if len(guid) != 16 or not number.isdecimal():
        raise WiringError(f"{name!r} is not a port of the form GUID_NUMBER")
    return End(guid.lower(), int(number))


class Wiring:
    """Plan and changes together. `machine_health` says how an adapter is: (machine, slot) -> up, down or off."""

    def __init__(
        self,
        plan: FabricPlan,
        changes: Changes | None = None,
        *,
        now: float = 0.0,
        machine_health: Callable[[str, str], Health] | None = None,
    ) -> None:
        self.plan = plan
        self.changes = changes or Changes(began=now)
        self._machine_health = machine_health
        self.cables = {cable.label: cable for cable in plan.cables}
        self.waiting: dict[tuple[str, str], Any] = {}  # bandwidth tests that wait for their other side
        self.hosts: dict[str, str] = {}  # address -> machine
        self.inlet_c: Callable[[str], float] | None = None  # of a switch by its name, in a hall that knows racks
        self._plugged: dict[End, str] | None = None

    # ---- questions ----

    def as_told_by(self, source: str) -> Wiring:
        """The fabric as a source shows it: this one, or how it was when the source went stale."""
        if self.source(source) != "stale":
            return self
        changes = Changes.from_json(self.changes.frozen[source])
        return Wiring(self.plan, changes, machine_health=self._machine_health)

    def source(self, name: str) -> Kind:
        return self.changes.sources.get(name, "ok")

    def plugs(self, label: str) -> tuple[End | None, End | None]:
        """Where both plugs of a cable are; None hangs."""
        moved = self.changes.ends.get(label)
        if moved is None:
            return self.cables[label].a, self.cables[label].b
        a, b = (parse_end(name) if name else None for name in moved)
        return a, b

    @property
    def plugged(self) -> dict[End, str]:
        """Which cable is in each port."""
        if self._plugged is None:
            self._plugged = {end: label for label in self.cables for end in self.plugs(label) if end is not None}
        return self._plugged

    def node(self, guid: str) -> NodePlan:
        """Raises WiringError."""
        try:
            return self.plan.by_guid[guid]
        except KeyError:
            raise WiringError(f"there is no node {guid}") from None

    @cached_property
    def by_name(self) -> dict[str, NodePlan]:
        return {node.name: node for node in self.plan.nodes}

    def description(self, guid: str) -> str:
        return self.changes.descriptions.get(guid) or self.plan.by_guid[guid].name

    def health(self, guid: str) -> Health:
        node = self.plan.by_guid[guid]
        if guid in self.changes.off:
            return "off"
        if node.kind == "ca" and self._machine_health is not None:
            return self._machine_health(node.group, node.slot)
        return "up"

    def port(self, end: End) -> PortNow:
        """Raises WiringError for a port that does not exist."""
        node = self.node(end.guid)
        if not 1 <= end.port <= node.ports:
            raise WiringError(f"{node.name} has no port {end.port}")
        label = self.plugged.get(end)
        cable = self.cables[label] if label else None
        a, b = self.plugs(label) if label else (None, None)
        far = b if a == end else a
        isolated = end.name in self.changes.isolated or end.name in self.changes.undiscovered
        if end.name in self.changes.disabled:
            return PortNow(end, far, cable, "Down", "Disabled", "", "", isolated)
        if far is None or not self._alight(end) or not self._alight(far):
            return PortNow(end, far, cable, "Down", "Polling", "", "", isolated)
        other = self.plan.by_guid[far.guid]
        trouble = self.changes.trouble.get(label or "", Trouble())
        speed = trouble.speed or (node.speed if node.speed_gbps <= other.speed_gbps else other.speed)
        return PortNow(end, far, cable, "Active", "LinkUp", trouble.width or "4x", speed, isolated)

    def _alight(self, end: End) -> bool:
        """Its laser is on."""
        return self.health(end.guid) == "up" and end.name not in self.changes.disabled

    def ports(self, node: NodePlan) -> Iterator[PortNow]:
        return (self.port(End(node.guid, number)) for number in range(1, node.ports + 1))

    def seen_nodes(self, layer: str) -> list[NodePlan]:
        """Nodes a discovery reaches: those that are on and have a link that is up."""
        return [
            node
            for node in self.plan.of_layer(layer)
            if self.health(node.guid) != "off" and any(port.up for port in self.ports(node))
        ]

    def counters(self, end: End, now: float) -> dict[str, int]:
        """Errors, each stopped at its limit, and traffic, which is the same every time it is asked at one moment."""
        kept = self.changes.base.get(end.name, {})
        label = self.plugged.get(end, "")
        trouble = self.changes.trouble.get(label, Trouble())
        hours = max(0.0, now - trouble.since) / 3600
        found = {
            name: min(limit, kept.get(name, 0) + int(trouble.errors_per_hour.get(name, 0.0) * hours))
            for name, limit in LIMITS.items()
        }
        seed, spent = zlib.crc32(label.encode()), max(0.0, now - self.changes.began) if label else 0.0
        forth, back = (int(spent * (1_000_000 + (seed >> shift) % 9_000_000)) for shift in (0, 8))
        if label and end == self.plugs(label)[1]:
            forth, back = back, forth
        return found | dict(zip(TRAFFIC, (forth, back, forth // 512, back // 512), strict=True))

    def temperature_c(self, end: End) -> float | None:
        """Of the plug in a port; None where there is none that measures. Higher in the rack is warmer."""
        label = self.plugged.get(end)
        if label is None:
            return None
        node = self.plan.by_guid[end.guid]
        own = zlib.crc32(end.name.encode()) % 60 / 10
        warmer = max(0.0, self.inlet_c(node.name) - USUAL_INLET_C) if self.inlet_c and node.kind == "switch" else 0.0
        return round(44 + own + node.height_u / 8 + warmer + self.changes.trouble.get(label, Trouble()).warmer_c, 1)

    def bit_error_ratio(self, end: End, now: float) -> float:
        """Symbol BER: one lost symbol a day's traffic when well, and as many more as symbols are counted."""
        per_hour = self.changes.trouble.get(self.plugged.get(end, ""), Trouble()).errors_per_hour
        return 1e-16 + per_hour.get("SymbolErrorCounter", 0.0) / 3600 / 4.25e11

    def path(self, start: End, goal: End) -> list[PortNow] | None:
        """The ports a message leaves through on a shortest way; None when there is none."""
        first = self.port(start)
        if not first.up or not self.port(goal).up:
            return None
        came: dict[str, PortNow | None] = {start.guid: None}
        queue = deque([start.guid])
        while queue:
            guid = queue.popleft()
            if guid == goal.guid:
                break
            for port in self.ports(self.plan.by_guid[guid]) if guid != start.guid else (first,):
                if port.up and not port.isolated and port.far is not None and port.far.guid not in came:
                    came[port.far.guid] = port
                    queue.append(port.far.guid)
        if goal.guid not in came:
            return None
        way, at = [], came[goal.guid]
        while at is not None:
            way.append(at)
            at = came[at.end.guid]
        return way[::-1]

    def rate_gbps(self, port: PortNow) -> float:
        """What a link carries; one that loses symbols sends again."""
        lanes = int(port.width.removesuffix("x") or 0)
        per_hour = self.changes.trouble.get(port.cable.label if port.cable else "", Trouble()).errors_per_hour
        lost = min(0.9, sum(per_hour.values()) / 1e6)
        return lanes * LANE_DATA_GBPS.get(port.speed, 0.0) * 0.98 * (1 - lost)

    # ---- changes ----

    def unplug(self, end: End, now: float) -> str:
        """Pull a plug and let it hang; returns the cable. Raises WiringError when the port is empty."""
        label = self.plugged.get(end)
        if label is None:
            raise WiringError(f"nothing is plugged into {end.name}")
        self._was_down(label, now)
        a, b = self.plugs(label)
        self._put(label, None if a == end else a, None if b == end else b)
        return label

    def plug(self, label: str, end: End, now: float) -> None:
        """Put a hanging plug of a cable into a free port. Raises WiringError."""
        self.port(end)
        if label not in self.cables:
            raise WiringError(f"there is no cable {label}")
        if end in self.plugged:
            raise WiringError(f"{end.name} is taken by {self.plugged[end]}")
        a, b = self.plugs(label)
        if a is not None and b is not None:
            raise WiringError(f"no connector of {label} hangs")
        self._put(label, end if a is None else a, b if a is None else end)
        self.report(now, "329", "Link is Up", "Info", end, "Link went up")

    def swap(self, one: End, other: End, now: float) -> None:
        """Exchange the plugs in two ports."""
        first = self.unplug(one, now)
        try:
            second = self.unplug(other, now)
        except WiringError:
            self.plug(first, one, now)
            raise
        self.plug(first, other, now)
        self.plug(second, one, now)

    def set_port(self, end: End, what: Literal["disabled", "isolated", "undiscovered"], on: bool, now: float) -> None:
        self.port(end)
        names = getattr(self.changes, what)
        if on and end.name not in names:
            names.append(end.name)
            if what == "disabled":
                self._was_down(self.plugged.get(end, ""), now, end)
        elif not on and end.name in names:
            names.remove(end.name)
        self._touch()

    def trouble(self, end: End, now: float, **parts: Any) -> None:
        """Give the cable in a port a trouble: width, speed, warmer_c, errors_per_hour. Raises WiringError."""
        label = self.plugged.get(end)
        if label is None:
            raise WiringError(f"nothing is plugged into {end.name}")
        self._keep_counts(label, now)
        old = self.changes.trouble.get(label, Trouble())
        self.changes.trouble[label] = Trouble(**{**asdict(old), **parts, "since": now})
        if parts.get("warmer_c", 0) >= 20:
            self.report(now, "920", "Module Temperature High", "Critical", end, "Temperature of the module is high")
        self._touch()

    def cure(self, end: End, now: float) -> None:
        """Take all trouble from the cable in a port; what was counted stays counted."""
        label = self.plugged.get(end, "")
        self._keep_counts(label, now)
        self.changes.trouble.pop(label, None)
        self._touch()

    def set_counter(self, end: End, name: str, value: int, now: float) -> None:
        if name not in LIMITS or not 0 <= value <= LIMITS[name]:
            raise WiringError(f"no counter {name} of {value}")
        self.port(end)
        self.changes.base.setdefault(end.name, {})[name] = value
        self._touch()

    def rename(self, guid: str, description: str) -> None:
        """Another node description; the planned name when empty."""
        self.node(guid)
        if description:
            self.changes.descriptions[guid] = description
        else:
            self.changes.descriptions.pop(guid, None)
        self._touch()

    def power(self, guid: str, on: bool, now: float) -> None:
        """Switch a node on or off."""
        node = self.node(guid)
        if on and guid in self.changes.off:
            self.changes.off.remove(guid)
        elif not on and guid not in self.changes.off:
            self.changes.off.append(guid)
            if node.kind == "switch":
                self.report(now, "908", "Switch is Down", "Critical", End(guid, 0), f"Switch {node.name} is down")
            for port in self.ports(node):
                if port.far is not None:
                    self._was_down(port.cable.label if port.cable else "", now, port.far)
        self._touch()

    def set_source(self, name: str, kind: Kind) -> None:
        """Let a source answer badly: `empty`, `truncated`, `stale` (goes on telling today), `silent`; or `ok` again."""
        if name not in SOURCES or kind not in SOURCE_KINDS:
            raise WiringError(f"no source {name!r} can be {kind!r}")
        self.changes.frozen.pop(name, None)
        if kind == "stale":
            self.changes.frozen[name] = {**self.changes.to_json(), "frozen": {}, "sources": {}}
        self.changes.sources[name] = kind
        self._touch()

    # ---- inside ----

    def _put(self, label: str, a: End | None, b: End | None) -> None:
        cable = self.cables[label]
        if (a, b) == (cable.a, cable.b):
            self.changes.ends.pop(label, None)
        else:
            self.changes.ends[label] = [a.name if a else None, b.name if b else None]
        self._plugged = None
        self._touch()

    def _keep_counts(self, label: str, now: float) -> None:
        """Write down what a trouble has counted so far, before it changes or goes."""
        if label not in self.changes.trouble:
            return
        for end in self.plugs(label):
            if end is not None:
                counted = self.counters(end, now)
                self.changes.base[end.name] = {name: counted[name] for name in LIMITS if counted[name]}
        self.changes.trouble[label].since = now

    def _was_down(self, label: str, now: float, *ends: End) -> None:
        """Both ports of a link that goes down count it and UFM hears of it."""
        if not label:
            return
        self._keep_counts(label, now)
        for end in self.plugs(label):
            if end is not None:
                kept = self.changes.base.setdefault(end.name, {})
                kept["LinkDownedCounter"] = min(LIMITS["LinkDownedCounter"], kept.get("LinkDownedCounter", 0) + 1)
                self.report(now, "328", "Link is Down", "Warning", end, f"Link went down: {end.name}")

    def report(self, now: float, kind: str, name: str, severity: str, end: End, text: str) -> None:
        """One more event of UFM's list. `kind` is UFM's number of it."""
        changes = self.changes
        changes.last_event += 1
        changes.events.append({"id": changes.last_event, "at": now, "event_type": kind, "name": name,
                               "severity": severity, "guid": end.guid, "port": end.port, "text": text})  # fmt: skip
        del changes.events[:-MOST_EVENTS]

    def _touch(self) -> None:
        self.changes.revision += 1
