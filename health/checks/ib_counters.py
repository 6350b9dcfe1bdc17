"""Counters of network ports, judged by how they grew since an earlier look, never by their height."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.ib_counters import PortCounters
from inventory.specs.device_model import DeviceModelSpec, Slot

_TABLE = Path(__file__).resolve().parent / "data" / "ib_counters.csv"
HOUR_S = 3600.0


@dataclass(frozen=True)
class CounterRow:
    """A row of ib_counters.csv; `maximum` None is a counter that never stops."""

    maximum: int | None
    least: int
    start: int
    meaning: str


def _rows() -> list[dict[str, str]]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@cache
def counter_table() -> dict[str, CounterRow]:
    return {
        row["counter"]: CounterRow(
            int(row["maximum"]) if row["maximum"] else None, int(row["least"]), int(row["start"]), row["meaning"]
        )
        for row in _rows()
    }


def _limits() -> dict[str, float]:
    return {
        f"ib_{row['counter']}_{level}_per_hour": float(row[f"{level}_per_hour"])
        for row in _rows()
        for level in ("warn", "fail")
        if row[f"{level}_per_hour"]
    }


def counters_by_part(ports: Sequence[PortCounters], spec: DeviceModelSpec) -> dict[str, dict[str, int]]:
    """What a later look compares with, by slot: `Earlier.counters`."""
    slots = {slot.device: slot.name for slot in spec.slots_of("hca")}
    kept = counter_table()
    return {
        slots[port.device]: {name: value for name, value in port.values.items() if name in kept}
        for port in ports
        if port.device in slots
    }


@check(
    "ib.counters",
    family="InfiniBand",
    title="Error counters of the network ports do not grow",
    part="hca",
    needs="ib_counters",
    classes=("hca.link",),
    source="health/checks/data/ib_counters.csv",
    limits=_limits(),
)
def counters(slot: Slot, ports: Sequence[PortCounters], x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Growth an hour since the look before. The first look is only noted; a counter at its end can tell no more."""
    port = next((each for each in ports if each.device == slot.device), None)
    if port is None:
        yield unknown(f"{slot.device}: no counter is reported") if slot.rail is not None else ok("no rail card")
        return
    if slot.rail is None:
        yield ok("no rail card: its counters are not evaluated")
        return
    who = f"{port.device} port {port.port}"
    lost = [name for name, row in counter_table().items() if row.maximum and name not in port.values]
    if lost:
        yield unknown(f"{who}: not reported: {', '.join(lost)}")
    yield from _at_their_end(who, port)
    since = x.grown(slot.name, port.values)
    if since is None:
        yield ok(f"{who}: first check, nothing to compare with")
        return
    yield from _grown(who, *since, x, me)
    yield ok(f"{who}: no error counter grew")


def _at_their_end(who: str, port: PortCounters) -> Iterator[Outcome]:
    full = {name: row.maximum for name, row in counter_table().items() if row.maximum == port.values.get(name)}
    if full := {name: maximum for name, maximum in full.items() if maximum is not None}:
        shown = ", ".join(f"{name} {maximum}" for name, maximum in full.items())
        yield info(f"{who}: at its end, cannot grow any more: {shown}", action="Clear the counters (perfquery -R).")


def _grown(who: str, growth: Mapping[str, int], elapsed: float, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    for name, row in counter_table().items():
        grew = growth.get(name, 0) - (row.start if x.restarted else 0)
        if grew <= 0:
            continue
        rate = grew * HOUR_S / elapsed
        said = f"{who}: {name} grew by {grew} in {elapsed / 60:.0f} min: {row.meaning}"
        if grew >= row.least and _over(rate, f"ib_{name}_fail_per_hour", x, me):
            yield fail(said, "hca.link", value=grew)
        elif _over(rate, f"ib_{name}_warn_per_hour", x, me):
            yield warn(said, "hca.link", value=grew)
        else:
            yield info(said, value=grew)


def _over(rate: float, name: str, x: Context, me: CheckDeclaration) -> bool:
    return name in me.thresholds and rate >= x.limit(me, name)
