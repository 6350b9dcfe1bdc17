"""Made-up cabling for the tests of walks: chains of panels, and random plants with loops, breakouts and loose ends."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from inventory.cabling.walk import Facts, Link
from inventory.models import Cable, Connector, Device, DeviceModel, PassThrough, Port, Site, StrandEnd

End = tuple[str, int, int, int]  # side, plug, lane, port


@dataclass
class Plant:
    """Ports by number, pass-throughs and cables, before they are facts of a walk or rows of the database."""

    kinds: dict[int, str] = field(default_factory=dict)
    positions: dict[int, int] = field(default_factory=dict)
    device_of: dict[int, int] = field(default_factory=dict)
    passes: list[tuple[int, int, int]] = field(default_factory=list)  # front, rear, position
    cables: list[list[End]] = field(default_factory=list)
    devices: int = 0

    def device(self, *kinds: str) -> list[int]:
        self.devices += 1
        return [self._port(kind) for kind in kinds]

    def panel(self, positions: int, connected: int | None = None) -> tuple[int, list[int]]:
        """A rear port and its front ports; with `connected` only so many of the positions have one."""
        self.devices += 1
        rear = self._port("rear", positions)
        fronts = [self._port("front") for _ in range(positions if connected is None else connected)]
        self.passes += [(front, rear, position) for position, front in enumerate(fronts, start=1)]
        return rear, fronts

    def _port(self, kind: str, positions: int = 1) -> int:
        number = len(self.kinds) + 1
        self.kinds[number], self.positions[number], self.device_of[number] = kind, positions, self.devices
        return number

    def cable(self, a: int, b: int) -> None:
        self.cables.append([("A", 1, 1, a), ("B", 1, 1, b)])

    def fan_out(self, a: int, ends: list[int]) -> None:
        self.cables.append([("A", 1, 1, a), *(("B", plug, 1, port) for plug, port in enumerate(ends, start=1))])

    def twin(self, a: list[int], b: list[int]) -> None:
        lanes = [("A", 1, lane, port) for lane, port in enumerate(a, start=1)]
        self.cables.append(lanes + [("B", 1, lane, port) for lane, port in enumerate(b, start=1)])

    def facts(self) -> Facts:
        found = Facts(dict(self.kinds), dict(self.positions))
        for front, rear, position in self.passes:
            found.rear_of[front] = (rear, position)
            found.fronts_of.setdefault(rear, {})[position] = front
        for number, ends in enumerate(self.cables, start=1):
            for side, _, lane, port in ends:
                far = tuple(other for at, _, strand, other in sorted(ends) if at != side and strand == lane)
                found.links[port] = Link(number, lane, far)
        return found

    def store(self) -> dict[int, int]:
        """Rows of a new site; returns the id of each port."""
        site = Site.objects.create(slug="plant", name="Plant")
        model = DeviceModel.objects.create(slug="box", vendor="X", name="Box", kind="panel", half_u_height=2)
        devices = Device.objects.bulk_create(
            Device(site=site, model=model, kind="panel", name=f"box-{n}") for n in range(1, self.devices + 1)
        )
        ports = Port.objects.bulk_create(
            Port(device=devices[self.device_of[n] - 1], name=f"p{n}", kind=kind, positions=self.positions[n])
            for n, kind in self.kinds.items()
        )
        ids = {number: port.pk for number, port in zip(self.kinds, ports, strict=True)}
        PassThrough.objects.bulk_create(
            PassThrough(device=devices[self.device_of[f] - 1], front_id=ids[f], rear_id=ids[r], position=position)
            for f, r, position in self.passes
        )
        for number, ends in enumerate(self.cables, start=1):
            cable = Cable.objects.create(site=site, label=f"C-{number:04}", type="x", pk=number)
            sides = sorted({(side, plug) for side, plug, _, _ in ends})
            plugs = {(s, n): Connector.objects.create(cable=cable, side=s, number=n) for s, n in sides}
            StrandEnd.objects.bulk_create(
                StrandEnd(connector=plugs[side, plug], lane=lane, port_id=ids[port]) for side, plug, lane, port in ends
            )
        return ids


def chain(panels: int, positions: list[int], at: list[int]) -> tuple[Plant, int, int]:
    """Two machines' ports joined through pairs of panels, each pair with a trunk entered at position `at`."""
    plant = Plant()
    (start,) = plant.device("infiniband")
    here = start
    for count, position in zip(positions[:panels], at, strict=False):
        near, near_fronts = plant.panel(count)
        far, far_fronts = plant.panel(count)
        plant.cable(here, near_fronts[position % count])
        plant.cable(near, far)
        here = far_fronts[position % count]
    (end,) = plant.device("infiniband")
    plant.cable(here, end)
    return plant, start, end


def random_plant(seed: int) -> Plant:
    """Anything that the database would take: loops, fan-outs, twins, trunks into ports, panels with gaps."""
    dice = random.Random(seed)
    plant = Plant()
    for _ in range(dice.randint(2, 8)):
        plant.device(*["infiniband"] * dice.randint(1, 4))
    for _ in range(dice.randint(0, 7)):
        positions = dice.choice([1, 1, 2, 4])
        plant.panel(positions, dice.randint(0, positions))
    free = list(plant.kinds)
    dice.shuffle(free)
    while len(free) > 4 and dice.random() < 0.95:
        form = dice.random()
        if form < 0.75:
            plant.cable(free.pop(), free.pop())
        elif form < 0.85:
            plant.fan_out(free.pop(), [free.pop(), free.pop()])
        elif form < 0.95:
            plant.twin([free.pop(), free.pop()], [free.pop(), free.pop()])
        else:
            plant.cables.append([("A", 1, 1, free.pop())])
    return plant
