"""Everything that can be found, in one table: how bad it is, and what a technician does about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Severity = Literal["bad", "warn", "info"]
SEVERITIES: tuple[Severity, ...] = ("bad", "warn", "info")  # worst first


class Kind(NamedTuple):
    """`todo` is one line for the person who goes there."""

    key: str
    title: str
    severity: Severity
    todo: str


_TABLE = (
    # ---- power ----
    Kind("rack.over", "Rack above its limit", "bad",
         "Move or cap machines of this rack until it is below its limit."),
    Kind("pdu.over", "PDU above its limit", "bad", "Move cords to another PDU, or cap the machines behind it."),
    Kind("feed.over", "Feed above what it may carry", "bad",
         "Cap machines on this feed; move cords to another feed."),
    Kind("panel.over", "Panel above what it may carry", "bad",
         "Cap machines on its feeds; move cords to feeds of another panel."),
    Kind("phase.over", "Phase above what it may carry", "bad", "Move cords to outlets of the other phases."),
    Kind("breaker.over", "Breaker above what it may carry", "bad", "Move cords to outlets of another breaker."),
    Kind("pair.over", "One feed alone cannot carry both", "bad",
         "Cap or move machines: when one of the two feeds fails, the other one carries too much."),
    Kind("feed.lost", "Feed carries nothing", "bad", "Check the feed's breaker and its panel before any machine."),
    Kind("phase.imbalance", "Phases unevenly loaded", "warn", "Move cords from the fullest phase to the emptiest."),
    Kind("cord.wrong_feed", "Cord not where the inventory says", "bad",
         "Follow the cord by hand; move it, or correct the inventory."),
    Kind("psu.idle", "Power supply carries nothing", "warn",
         "Check the cord and the outlet's switch, then reseat the supply, then replace it."),
    Kind("outlet.unknown", "Outlet carries an unknown load", "warn",
         "Find out what is plugged in and record its cord."),
    Kind("machine.unlike", "Machine draws unlike its model's others", "warn",
         "Compare power limits, fans and firmware with a machine of the same model."),
    Kind("cap.wrong", "Power limit is not the wanted one", "warn", "Set the wanted power limit again."),
    Kind("brake.on", "Power brake holds the GPUs down", "bad",
         "Check the supplies and the feed: hardware pulls the brake when power runs short."),
    Kind("redundancy.lost", "Power supplies no longer redundant", "bad",
         "Restore the dead supply or feed: with the next one the machine goes dark."),
    # ---- air ----
    Kind("inlet.hot", "Inlet air above the recommended range", "warn",
         "Find where warm air comes from; see the rack's gaps."),
    Kind("hot.spot", "Hotter than the same height beside it", "warn",
         "Check tiles, doors and panels in front of this rack."),
    Kind("recirculation", "Exhaust air returns to the front", "warn",
         "Close the gaps named here with blanking panels."),
    Kind("fan.high", "Fans above their kind", "warn", "Check inlet, filters and heat sinks of this machine."),
    Kind("port.hot", "Switch port too hot", "warn", "Check the airflow of the switch and the module in this port."),
    Kind("air.class", "Outside the allowable range of its class", "bad",
         "Bring the supply temperature back, or drain the machine."),
    Kind("rise.fast", "Temperature rises fast", "bad", "Check the cooling unit of this row now."),
    Kind("gpu.near", "GPU near its slowdown temperature", "warn", "Check inlet and fans, then the GPU's heat sink."),
    Kind("throttling", "GPUs slowed down", "warn", "See the cause: heat, power limit or power brake."),
    # ---- liquid ----
    Kind("loop.flow_low", "Too little coolant flows", "bad", "Check the manifold's valve, its filter and the pump."),
    Kind("loop.dew_point", "Coolant near the dew point", "bad",
         "Raise the supply temperature: water will condense on pipes."),
    Kind("loop.class", "Coolant warmer than its class allows", "bad",
         "Check the heat exchanger and the primary loop."),
    Kind("leak", "Leak", "bad",
         "Close the valve named here, or find where the water comes from; then drain the machines that it reaches."),
    Kind("filter.dirty", "Filter clogged or due", "warn", "Clean or replace the filter."),
    Kind("pump.failed", "Pump failed or stands still", "bad",
         "Check that the others carry the flow, then replace this one."),
    # ---- readings ----
    Kind("value.unknown", "Value not known", "warn", "Restore the reading: nothing that needs it can be evaluated."),
)  # fmt: skip
KINDS: Mapping[str, Kind] = {kind.key: kind for kind in _TABLE}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, at one subject. `part` is the piece of it: a phase, an outlet, a supply, a gap."""

    kind: str
    subject_kind: str
    subject_id: int
    subject_name: str
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    rack_id: int | None = None
    room_id: int | None = None
    part: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no kind of finding is called {self.kind!r}")

    @property
    def severity(self) -> Severity:
        return KINDS[self.kind].severity

    @property
    def key(self) -> str:
        """The same for the same finding in the next round."""
        return f"{self.kind}:{self.subject_kind}:{self.subject_id}:{self.part}"


def worst_first(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda each: (SEVERITIES.index(each.severity), each.kind, each.subject_name, each.part))
