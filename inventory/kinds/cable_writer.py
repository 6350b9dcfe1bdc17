"""Cables span tables: the cable, its connectors, and the strand ends in ports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from inventory.cabling.fit import misfit
from inventory.kinds import sql
from inventory.kinds.batch import Found, Line
from inventory.kinds.cable_ends import CableConnector, End, ends_of, numbered, told
from inventory.kinds.connectors import Connectors, Plugged, plug_in, unplug
from inventory.kinds.kind import KINDS
from inventory.kinds.resolve import Wanted, fill, id_of, look
from inventory.kinds.writer import Writer

SIDES = ("a", "b")
PORTS = """
SELECT p.id, p.kind, p.name, p.device_id, d.name, d.site_id, n.cable_id, c.label
FROM inventory_port p
JOIN inventory_device d ON d.id = p.device_id
LEFT JOIN inventory_strandend e ON e.port_id = p.id AND e.change_set_id IS NULL
LEFT JOIN inventory_connector n ON n.id = e.connector_id
LEFT JOIN inventory_cable c ON c.id = n.cable_id
WHERE p.id = ANY(%s)
"""


class PortFacts(NamedTuple):
    """A port that a write names, and the cable that is in it now."""

    id: int
    kind: str
    name: str
    device: int
    device_name: str
    site: int
    cable: int | None
    label: str | None


class CableWriter(Writer):
    # ---- the plan ----

    def gather(self) -> None:
        """Ports by name become ids: one query, and one for what is in them now. Their devices are locked."""
        wishes: list[tuple[Wanted, CableConnector]] = []
        for line in self.batch.good:
            for side in SIDES:
                wishes += [(self._wish(line, side, plug), plug) for plug in line.given.get(side) or () if plug.port]
        kind = KINDS["ports"]
        shelf = fill(self.batch, kind, [wish for wish, _ in wishes])
        found: list[tuple[CableConnector, Found]] = []
        for wish, plug in wishes:
            port = look(shelf, wish)
            if port is not None:
                found.append((plug, port))
        for plug, port in found:
            plug.port = port.id
        ids = {port.id for _, port in found}
        for line in self.batch.stored:
            ids |= {plug["port"] for side in SIDES for plug in line.before[side] if plug["port"] is not None}
        self.ports = {row[0]: PortFacts(*row) for row in sql.execute(PORTS, sorted(ids))}
        sql.lock("inventory_device", {port.device for port in self.ports.values()})

    def _wish(self, line: Line, side: str, plug: CableConnector) -> Wanted:
        """A port by its id, with which a device beside it has to agree, or by its name and its device."""
        by_id = plug.port if isinstance(plug.port, int) or plug.device is not None else id_of(plug.port)
        if isinstance(by_id, int):
            return Wanted(line, side, by_id, {} if plug.device is None else {"device": plug.device})
        if plug.device is None:
            line.refuse(side, f"port {plug.port} of which device?", "required")
        context: dict[str, Any] = {} if line.site is None else {"site": line.site}
        return Wanted(line, side, {"name": plug.port, "device": plug.device or "?"}, context)

    def merge(self, line: Line) -> None:
        super().merge(line)
        removed = line.after["status"] == "removed"
        sides = {side: self._side(line, side) for side in SIDES}
        for side, wanted in sides.items():
            ends = [end._replace(port=None) for end in wanted] if removed else wanted
            line.after[side] = ends
            if not removed and not any(end.port is not None for end in ends) and not line.errors:
                line.refuse(side, "both ends are needed", "required")
            if len({(end.connector, end.lane) for end in ends}) < len(ends):
                line.refuse(side, "two ports on the same lane of one connector", "duplicate")
        if not line.new:
            for side in SIDES:
                line.before[f"{side}_ends"] = ends_of(line.before[side])
            line.changed = [name for name in line.changed if name not in SIDES]
            line.changed += [side for side in SIDES if line.after[side] != line.before[f"{side}_ends"]]

    def _side(self, line: Line, side: str) -> list[End]:
        plugs = line.given.get(side)
        if plugs is None:
            return ends_of(line.before.get(side) or ())
        other = line.given.get("b" if side == "a" else "a")
        facing = len(other) if other is not None else len(line.before.get("b" if side == "a" else "a") or ())
        numbers = numbered(plugs, facing)
        ends = [
            End(connector, lane, plug.port if isinstance(plug.port, int) else None, plug.serial)
            for plug, (connector, lane) in zip(plugs, numbers, strict=True)
        ]
        return sorted(ends, key=lambda end: (end.connector, end.lane))

    def check(self) -> None:
        super().check()
        rewired = {line.id for line in self.batch.stored if set(SIDES) & set(line.changed)}
        used: dict[int, Line] = {}
        for line in self.batch.good:
            if line.new or line.id in rewired:
                self._check_ends(line, rewired, used)

    def _check_ends(self, line: Line, rewired: set[int | None], used: dict[int, Line]) -> None:
        for side in SIDES:
            for port in self._ports_of(line, side):
                words = f"{port.device_name} {port.name}"
                if port.site != line.site:
                    line.refuse(side, f"{words} is at another site", "other_site")
                other = used.setdefault(port.id, line)
                if other is not line:
                    line.refuse(side, f"{words} already has the cable of row {other.number}", "port_in_use")
                elif port.cable is not None and port.cable != line.id and port.cable not in rewired:
                    line.refuse(side, f"{words} already has cable {port.label}", "port_in_use")
        ids = [port.id for side in SIDES for port in self._ports_of(line, side)]
        if len(set(ids)) < len(ids):
            line.refuse("b", "a cable has two different ports", "port_in_use")
        reason = misfit(*((port.kind for port in self._ports_of(line, side)) for side in SIDES))
        if reason:
            line.refuse("b", reason, "wrong_connector")

    def _ports_of(self, line: Line, side: str) -> Iterable[PortFacts]:
        return [self.ports[end.port] for end in line.after[side] if end.port is not None]

    # ---- the statements ----

    def insert(self, lines: Sequence[Line]) -> None:
        super().insert(lines)
        self._plug(lines, {})

    def update(self, lines: Sequence[Line]) -> None:
        super().update(lines)
        moved = [line for line in lines if set(SIDES) & set(line.changed)]
        if not moved:
            return
        self._plug(moved, unplug([line.id for line in moved if line.id is not None]))

    def _plug(self, lines: Sequence[Line], there: Connectors) -> None:
        plug_in(
            (
                Plugged(line.id, side.upper(), end.connector, end.serial, end.lane, end.port)
                for line in lines
                if line.id is not None
                for side in SIDES
                for end in line.after[side]
            ),
            there,
        )

    def shown_change(self, line: Line, name: str) -> list[Any] | None:
        """A side in words."""
        if name not in SIDES:
            return None
        after = ", ".join(f"{port.device_name} {port.name}" for port in self._ports_of(line, name))
        return [told(line.before[name]), after]
