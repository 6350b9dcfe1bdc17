"""Where the cages of a device are on its faceplate, so that a picture can point at one. Pure.

Coordinates are shares of the faceplate, 0 to 1: x to the right, y downwards, as one looks at the side with the ports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypedDict

from inventory.fleet.patterns import expand
from inventory.specs.device_model import DeviceModelSpec, PortSpec, SocketGrid

MARGIN = 0.08  # of a row's height, around each socket
ROWS_PER_U = 2


class Lane(TypedDict):
    """One port in a cage."""

    lane: int | None
    port: str
    x: float
    y: float
    w: float
    h: float


class Cage(TypedDict):
    """A socket and the ports in it; `cage` is None for a socket that takes one port and has no number of its own."""

    cage: int | None
    x: float
    y: float
    w: float
    h: float
    lanes: list[Lane]


def faceplate(spec: DeviceModelSpec) -> list[Cage]:
    """The cages of a model in their order. A model that says nothing of its faceplate has all cages in rows."""
    ports = {port.name: port for port in spec.ports}
    cages: dict[int, list[PortSpec]] = defaultdict(list)
    for port in spec.ports:
        if port.cage is not None:
            cages[port.cage].append(port)
    found: list[Cage] = []
    for grid in spec.faceplate or _assumed(spec, sorted(cages)):
        if grid.first is not None and grid.last is not None:
            numbers = [cage for cage in range(grid.first, grid.last + 1) if cage in cages]
            found += _grid(grid, [(cage, cages[cage]) for cage in numbers])
        else:
            found += _grid(grid, [(None, [ports[name]]) for name in expand(grid.ports) if name in ports])
    return found


def _assumed(spec: DeviceModelSpec, cages: list[int]) -> list[SocketGrid]:
    if not cages:
        return []
    rows = max(1, min(int(spec.u_height * ROWS_PER_U), 16)) if len(cages) > 2 else 1
    return [SocketGrid(first=cages[0], last=cages[-1], rows=rows)]


def _grid(grid: SocketGrid, sockets: Sequence[tuple[int | None, list[PortSpec]]]) -> list[Cage]:
    columns = max(1, -(-len(sockets) // grid.rows))
    width, height = grid.width / columns, 1 / grid.rows
    found = []
    for at, (cage, ports) in enumerate(sockets):
        column, row = divmod(at, grid.rows) if grid.order == "down" else divmod(at, columns)[::-1]
        box = (
            grid.x + column * width + width * MARGIN,
            row * height + height * MARGIN,
            width * (1 - 2 * MARGIN),
            height * (1 - 2 * MARGIN),
        )
        x, y, w, h = (round(value, 5) for value in box)
        found.append(Cage(cage=cage, x=x, y=y, w=w, h=h, lanes=_lanes(ports, box)))
    return found


def _lanes(ports: list[PortSpec], box: tuple[float, float, float, float]) -> list[Lane]:
    """Two ports share a cage one above the other, lane 1 the upper; more stand side by side."""
    x, y, w, h = box
    ordered = sorted(ports, key=lambda port: port.lane or 0)
    count = len(ordered)
    found = []
    for at, port in enumerate(ordered):
        part = (x, y + h * at / count, w, h / count) if count <= 2 else (x + w * at / count, y, w / count, h)
        left, top, width, height = (round(value, 5) for value in part)
        found.append(Lane(lane=port.lane, port=port.name, x=left, y=top, w=width, h=height))
    return found
