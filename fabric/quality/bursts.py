"""Events of one device that follow one another become one incident; every event stays in it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from fabric.quality.events import FabricEvent, Keep, Kind, Severity, kind_of, worst

GAP = timedelta(seconds=60)
"""Events of one device that are further apart belong to different incidents."""
QUIET = timedelta(minutes=15)
"""After so long without another event an incident is over, unless something in it waits to be cleared."""


@dataclass(slots=True)
class Burst:
    """One incident: `subject` is a device's GUID, or its name where no GUID is told."""

    subject: str
    events: list[tuple[FabricEvent, Kind]] = field(default_factory=list)

    @property
    def began_at(self) -> datetime:
        return self.events[0][0].at

    @property
    def last_at(self) -> datetime:
        return self.events[-1][0].at

    @property
    def opens(self) -> bool:
        return any(kind.keep is not Keep.KEPT for _, kind in self.events)

    @property
    def severity(self) -> Severity:
        return worst([kind.severity for _, kind in self.events])

    def never_dropped(self) -> list[FabricEvent]:
        """The events that are told by name however many others there are."""
        return [event for event, kind in self.events if kind.keep is Keep.ALWAYS]

    def title(self, device: str) -> str:
        """Such as `leaf-3: switch is down, and 63 x link is down on 63 ports`."""
        return title(device, [(kind, event.port) for event, kind in self.events])


def title(device: str, told: Iterable[tuple[Kind, int | None]]) -> str:
    """One line for events of a device: what is never dropped first, then by number. Information comes last."""
    rows = [(kind, port) for kind, port in told]
    counts = Counter(kind.name for kind, _ in rows)
    kinds = {kind.name: kind for kind, _ in rows}
    rank = {Keep.ALWAYS: 0, Keep.INCIDENT: 1, Keep.KEPT: 2}
    ordered = sorted(counts, key=lambda name: (rank[kinds[name].keep], -counts[name], name))
    shown = [name if counts[name] == 1 else f"{counts[name]} x {name}" for name in ordered[:3]]
    if len(ordered) > 3:
        shown.append(f"{sum(counts[name] for name in ordered[3:])} others")
    ports = {port for _, port in rows if port is not None}
    where = f" on {len(ports)} ports" if len(ports) > 1 else f" on port {next(iter(ports))}" if ports else ""
    return f"{device}: {', '.join(shown)}{where}"


def subject_of(event: FabricEvent) -> str:
    return event.guid or event.device or "fabric"


def group(events: Iterable[FabricEvent], gap: timedelta = GAP) -> list[Burst]:
    """Bursts in the order in which they began. Nothing is dropped, the last burst included."""
    running: dict[str, Burst] = {}
    found: list[Burst] = []
    for event in sorted(events, key=lambda each: (each.at, each.id)):
        subject = subject_of(event)
        burst = running.get(subject)
        if burst is None or event.at - burst.last_at > gap:
            burst = running[subject] = Burst(subject)
            found.append(burst)
        burst.events.append((event, kind_of(event)))
    return found


def waits_for(events: Sequence[tuple[datetime, int, int | None, Kind]]) -> set[tuple[int, int | None]]:
    """(code, port) of what went down and was not told to be up again. Of (time, code, port, kind) in order of time."""
    down: set[tuple[int, int | None]] = set()
    for _, code, port, kind in events:
        down -= {(gone, at) for gone, at in down if gone in kind.clears and at == port}
        if any(code in other.clears for other in _clearing()):
            down.add((code, port))
    return down


def _clearing() -> list[Kind]:
    from fabric.quality.events import kinds

    return [kind for kind in kinds().values() if kind.clears]
