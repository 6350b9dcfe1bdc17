"""Cables of a fleet file: rules that pair two lists of ends, and listed ones."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from typing import Any

from core.counts import counted
from inventory.fleet.expansion import Expansion, csv_lines, validated_line
from inventory.fleet.format import CableRule
from inventory.fleet.patterns import PatternError, expand_all, fill, substitute
from inventory.fleet.problems import Origin
from inventory.fleet.rows import CableEnd, CableRow, Plug
from inventory.fleet.sections.routes import U_MM, Stand, route_mm, stock_length_m

MAX_LABEL = 40
CSV_ENDS = ("a_device", "a_port", "b_device", "b_port")


def expand_cables(expansion: Expansion) -> None:
    cabling = _Cabling(expansion)
    for at, rule in enumerate(expansion.file.cables):
        cabling.add_rule(rule, expansion.document.origin("cables", at))
    for origin, cells in csv_lines(expansion, "cables_csv"):
        values: dict[str, Any] = {key: value for key, value in cells.items() if key not in CSV_ENDS}
        for side in "ab":
            if f"{side}_device" in cells and f"{side}_port" in cells:
                values[side] = f"{cells[f'{side}_device']} {cells[f'{side}_port']}"
        line = validated_line(expansion, CableRule, values, origin)
        if line is not None:
            cabling.add_rule(line, origin)


class _Cabling:
    def __init__(self, expansion: Expansion) -> None:
        self.expansion = expansion
        self.lengths: dict[tuple[Stand, Stand], Decimal | None] = {}
        self.stands: dict[str, Stand | None] = {}

    def add_rule(self, rule: CableRule, origin: Origin) -> None:
        number = rule.first
        without = set(self.expansion.names(rule.without, origin))
        try:
            for ends_a, ends_b in self.pairs(rule):
                self.add_cable(rule, number, ends_a, ends_b, without, origin)
                number += 1
        except PatternError as error:
            self.expansion.problems.add(origin, str(error))

    def pairs(self, rule: CableRule) -> Iterator[tuple[list[str], list[str]]]:
        """The ends of every cable of a rule: as many of each side as it has strands."""
        for values in self.table_rows(rule):
            ends_a, ends_b = (
                expand_all([substitute(text, values) for text in ([side] if isinstance(side, str) else side)])
                for side in (rule.a, rule.b)
            )
            if len(ends_a) * rule.ends_b != len(ends_b) * rule.strands:
                where = f" where {', '.join(f'{key} is {value}' for key, value in values.items())}" if values else ""
                raise PatternError(
                    f"a has {counted(len(ends_a), 'end')} and b has {len(ends_b)}{where}: they cannot be paired"
                )
            if len(ends_a) % rule.strands:
                raise PatternError(
                    f"{counted(len(ends_a), 'end does', 'ends do')} not divide into cables of {rule.strands} strands"
                )
            yield from zip(batches(ends_a, rule.strands), batches(ends_b, rule.ends_b), strict=True)

    def table_rows(self, rule: CableRule) -> Iterator[dict[str, str]]:
        names = [rule.each] if isinstance(rule.each, str) else rule.each
        unknown = [name for name in names if name not in self.expansion.file.tables]
        if unknown:
            raise PatternError(f"each: there is no table {unknown[0]!r}")
        for combination in product(*(self.expansion.file.tables[name] for name in names)):
            yield {key: value for row in combination for key, value in row.items()}

    def add_cable(
        self, rule: CableRule, number: int, ends_a: list[str], ends_b: list[str], without: set[str], origin: Origin
    ) -> None:
        planned = list(_ends(rule, ends_a, ends_b))
        plugs = sorted({(end.side, end.number) for end in planned})
        there = [end for end in planned if end.device not in without]
        lanes = {end.lane for end in there if end.side == "A"} & {end.lane for end in there if end.side == "B"}
        ends = [end for end in there if end.lane in lanes]
        if not ends:
            return  # it keeps its number, so that adding the device later relabels nothing
        label = fill(rule.label, {"n": number})
        if len(label) > MAX_LABEL:
            self.expansion.problems.add(origin, f"cable label {label!r} is longer than {MAX_LABEL} letters")
            return
        length = self.length(rule, ends, origin)
        bundle, serials = fill(rule.bundle, {"n": number}), _serials(rule, number)
        row = CableRow(
            label,
            rule.type,
            rule.status,
            length,
            rule.colour,
            rule.vendor,
            rule.part_number,
            bundle,
            () if rule.status == "removed" else tuple(sorted(ends)),
            tuple(Plug(side, plug, serials.get((side, plug), "")) for side, plug in plugs),
        )
        self.expansion.add("cables", label, row, origin, f"cable {label!r}")

    def length(self, rule: CableRule, ends: list[CableEnd], origin: Origin) -> Decimal | None:
        if rule.length_m is None:
            return None
        if rule.length_m != "route":
            return Decimal(str(rule.length_m)).quantize(Decimal("0.01")).normalize()
        a, b = (self.stand(end.device) for end in (ends[0], ends[-1]))
        if a is None or b is None:
            return None  # the missing device is told by the checks
        if (a, b) not in self.lengths:
            way = route_mm(a, b)
            self.lengths[a, b] = None if way is None else stock_length_m(way)
        if self.lengths[a, b] is None:
            self.expansion.problems.add(origin, "length_m: route needs both ends in one room")
        return self.lengths[a, b]

    def stand(self, device: str) -> Stand | None:
        if device not in self.stands:
            self.stands[device] = self._stand(device)
        return self.stands[device]

    def _stand(self, device: str) -> Stand | None:
        placement = self.expansion.rows.placements.get(device)
        if placement is None:
            return None
        rack = self.expansion.rows.racks[placement.room, placement.rack]
        top = rack.height_u * U_MM
        low, high = placement.half_units or (1, 2 * rack.height_u + 1)
        return Stand(
            rack.room,
            rack.name,
            rack.x_mm + rack.width_mm / 2,
            rack.y_mm + rack.depth_mm / 2,
            (low + high - 2) / 4 * U_MM,
            top,
        )


def batches(texts: list[str], size: int) -> list[list[str]]:
    return [texts[at : at + size] for at in range(0, len(texts), size)]


def _ends(rule: CableRule, ends_a: list[str], ends_b: list[str]) -> Iterator[CableEnd]:
    """The ends of one cable. Its strands are lanes, shared by the plugs of a side; a single one goes to every plug."""
    for side, texts, connectors in (("A", ends_a, 1), ("B", ends_b, rule.connectors_b)):
        per_connector = len(texts) // connectors
        for at, text in enumerate(texts):
            device, _, port = text.partition(" ")
            lane = at + 1 if rule.strands > 1 else 1
            yield CableEnd(side, at // per_connector + 1, lane, device, port.strip())


def _serials(rule: CableRule, number: int) -> dict[tuple[str, int], str]:
    """The serials printed on the plugs of one cable, by side and plug; `{n}` stands for the cable's number."""
    of_b = [rule.serial_b] if isinstance(rule.serial_b, str) else rule.serial_b
    texts = [("A", 1, rule.serial_a), *(("B", plug, text) for plug, text in enumerate(of_b, start=1))]
    return {(side, plug): fill(text, {"n": number}) for side, plug, text in texts if text}
