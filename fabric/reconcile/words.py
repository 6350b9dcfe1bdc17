"""What a technician reads: rack, device, cage and lane, label. Pure.

A hand sees cages, not port numbers. Which cage and lane a port is in is told by the caller, from the device model or
the number of ports that a switch reports (`sockets`); where neither is known, the port goes by its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from fabric.facts import NOWHERE, DeviceRole, Place, Plan, PlannedDevice, PlannedPort
from fabric.reconcile.moves import Move
from fabric.reconcile.order import StepKind


class Socketing(NamedTuple):
    """Where a port is on its device: cage as printed, lane from 1, how many lanes the cage has."""

    cage: int
    lane: int
    lanes: int

    @property
    def part(self) -> str:
        """Where in its cage: upper or lower of two, else the lane; empty when it has the cage for itself."""
        if self.lanes <= 1:
            return ""
        return ("upper", "lower")[self.lane - 1] if self.lanes == 2 else f"lane {self.lane}"


CageOf = Callable[[PlannedDevice, int], Socketing | None]


def no_cage(device: PlannedDevice, port: int) -> Socketing | None:
    """Of a device that nothing is known of."""
    return None


@dataclass(frozen=True, slots=True)
class Spot:
    """How a hand finds a port. `device` is what is written on the box, `adapter` which card of it."""

    port: PlannedPort
    device: str
    kind: str  # switch, machine; device where nothing is known of it
    place: Place = NOWHERE
    adapter: str = ""
    socket: Socketing | None = None

    @property
    def rack(self) -> str:
        return f"rack {self.place.rack}" if self.place.rack else ""

    @property
    def box(self) -> str:
        """`switch leaf-3 at U40`."""
        at = "" if self.place.u is None else f" at U{self.place.u:g}"
        return f"{self.kind} {self.device}{at}"

    def opening(self, lanes: int = 1) -> str:
        """The socket, for a plug of so many lanes: `cage 11 lower (port 22)`."""
        if self.socket is None:
            return f"adapter {self.adapter}" if self.adapter else f"port {self.port.port}"
        cage, _, count = self.socket
        if lanes >= count > 1:
            return f"cage {cage} (ports {self.port.port} to {self.port.port + lanes - 1})"
        if count == 1:
            return f"cage {cage} (port {self.port.port})"
        return f"cage {cage} {self.socket.part} (port {self.port.port})"


class Spots:
    """Finds ports of a plan."""

    def __init__(self, plan: Plan, cage_of: CageOf = no_cage) -> None:
        self.plan = plan
        self.cage_of = cage_of

    def __call__(self, port: PlannedPort) -> Spot:
        device = self.plan.devices.get(port.device)
        if device is None:
            return Spot(port, port.device, "device")
        if device.role is DeviceRole.SWITCH:
            return Spot(port, device.name, "switch", device.place, socket=self.cage_of(device, port.port))
        adapter = device.name.removeprefix(device.group).strip()
        return Spot(port, device.group, "machine", device.place, adapter, self.cage_of(device, port.port))


def full(spot: Spot, lanes: int = 1) -> str:
    """`rack A09, switch leaf-3 at U40, cage 11 lower (port 22)`."""
    return ", ".join(part for part in (spot.rack, spot.box, spot.opening(lanes)) if part)


def move_words(move: Move, spots: Callable[[PlannedPort], Spot]) -> str:
    """The sentence of one step."""
    labels = " or ".join(move.printed)
    cable = f"the cable labelled {labels}" if labels else "the cable"
    comes = f"its other end is in {full(spots(move.stays), len(move.takes) or 1)}"
    if move.kind is StepKind.INSERT and move.put_into is not None:
        into = full(spots(move.put_into), len(move.puts))
        return f"Take the end of {cable} that hangs loose ({comes}) and plug it into {into}."
    if move.take_from is None:
        raise ValueError(f"step {move.n} neither takes nor inserts a connector")
    start = spots(move.take_from)
    pull = f"In {full(start, len(move.takes))}: pull {cable}"
    if move.kind is StepKind.HANG:
        return f"{pull} ({comes}) and let it hang; it is plugged in again at the end."
    if move.kind is StepKind.REMOVE or move.put_into is None:
        later = " It is plugged in again at the end." if move.cables else " Nothing planned needs it: take it out."
        return f"{pull} ({comes}).{later}"
    target = spots(move.put_into)
    same = (target.device, target.place) == (start.device, start.place)
    into = f"{target.opening(len(move.puts))} of the same {target.kind}" if same else full(target, len(move.puts))
    return f"{pull} ({comes}). Plug it into {into}."


def drain_words(move: Move, spots: Callable[[PlannedPort], Spot]) -> list[str]:
    """What must carry no traffic before the step is done: one line for each link."""
    lines = []
    for ends in move.drains:
        one, other = (spots(port) for port in ends)
        lines.append(f"Before: drain {full(one)} to {full(other)}.")
    return lines


def unlit_words(
    label: str,
    ends: tuple[PlannedPort, PlannedPort],
    spots: Callable[[PlannedPort], Spot],
    *,
    fixed_plugs: bool = False,
) -> list[str]:
    """What to try at a planned cable without light, least first. `fixed_plugs`: the plugs are part of the cable (DAC,
    AOC), so there is nothing to clean and no optic to swap."""
    one, other = (full(spots(port)) for port in ends)
    steps = [
        f"Check {one} and {other}: if a loose connector labelled {label} lies beside the port, plug it in.",
        f"Reseat {label} at both ends: pull it, push it in until it clicks.",
    ]
    if not fixed_plugs:
        steps.append(f"Clean both connectors of {label} and both optics.")
        steps.append(f"Swap the optic at {one}, then the one at {other}.")
    steps.append(f"Only if all this did not help: run a new cable for {label}.")
    return steps
