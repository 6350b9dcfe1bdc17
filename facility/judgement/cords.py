"""Where cords really go: a supply's load and the load of the outlet or PDU behind it change together, or they do not.

Compared are changes from one sample to the next, not levels: machines at the same work draw the same, and change at
their own moments. Give means of a minute, in step. Thresholds are strict, because a hall has millions of pairs: a
correlation of 0.9 over 30 changes happens by chance once in 10¹⁰ pairs. What is not proven is unknown.

Supplies of one machine share its load and look alike: which of them hangs where cannot be told, only how many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import StatisticsError, correlation
from typing import Literal, NamedTuple

from facility.judgement.kinds import Finding
from inventory.power.graph import PowerGraph

FOLLOWS = 0.9
STRAYS = 0.4  # below this it does not follow
MARGIN = 0.05  # by which the best must beat the best of another PDU, or of another machine
ENOUGH_CHANGES = 30
MOVES_W = 10.0  # root mean square of its changes, below which a load says nothing
SAME_SIZE = (0.5, 2.0)  # changes of the outlet per change of the supply behind it
WHOLE_COUNT = 0.25  # how far the number of moved supplies may be from a whole one

Series = Sequence[float | None]
Verdict = Literal["agrees", "wrong", "unknown"]


@dataclass(frozen=True, slots=True)
class SupplySeries:
    """Watts of one supply, and where the inventory says that its cord goes."""

    inlet_id: int
    device_id: int
    device: str
    name: str
    watts: Series
    pdu_id: int
    outlet: str = ""


@dataclass(frozen=True, slots=True)
class OutletSeries:
    pdu_id: int
    outlet: str
    watts: Series


class Together(NamedTuple):
    """How two loads change together: correlation, watts of the second per watt of the first, and how many changes."""

    r: float
    slope: float
    changes: int


@dataclass(frozen=True, slots=True)
class CordVerdict:
    """`supplies` hang on `found_pdu_id`. `found_outlet` is empty where several outlets of it would do."""

    verdict: Verdict
    device_id: int
    device: str
    supplies: tuple[str, ...]
    recorded_pdu_id: int
    recorded_outlet: str = ""
    found_pdu_id: int | None = None
    found_outlet: str = ""
    r: float | None = None
    changes: int = 0
    reason: str = ""


def together(first: Series, second: Series) -> Together | None:
    """None with fewer than 30 changes that both know, or where the first hardly moves.

    A second one that stands still while the first moves does not follow: its correlation is 0.
    """
    pairs = [
        (b - a, d - c)
        for a, b, c, d in zip(first, first[1:], second, second[1:], strict=False)
        if a is not None and b is not None and c is not None and d is not None
    ]
    if len(pairs) < ENOUGH_CHANGES:
        return None
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if _rms(one) < MOVES_W:
        return None
    try:
        r = correlation(one, other)
    except StatisticsError:  # the second one does not change at all
        r = 0.0
    return Together(r, r * _rms(other) / _rms(one), len(pairs))


def _rms(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values))


# ---- with metered outlets ----


def by_outlets(supplies: Sequence[SupplySeries], outlets: Sequence[OutletSeries]) -> list[CordVerdict]:
    """For each supply. Only outlets that do not follow the supply recorded in them can be those of another one."""
    at = {(outlet.pdu_id, outlet.outlet): outlet for outlet in outlets}
    taken = set()
    own: dict[int, Together | None] = {}
    for supply in supplies:
        recorded = at.get((supply.pdu_id, supply.outlet))
        own[supply.inlet_id] = together(supply.watts, recorded.watts) if recorded else None
        if _follows(own[supply.inlet_id]):
            taken.add((supply.pdu_id, supply.outlet))
    free = [outlet for key, outlet in at.items() if key not in taken]
    return [_outlet_verdict(supply, own[supply.inlet_id], free) for supply in supplies]


def _follows(match: Together | None) -> bool:
    return match is not None and match.r >= FOLLOWS and SAME_SIZE[0] <= match.slope <= SAME_SIZE[1]


def _outlet_verdict(supply: SupplySeries, own: Together | None, free: Sequence[OutletSeries]) -> CordVerdict:
    if own is None:
        return _unknown(supply, "its outlet is not metered, or its load moves too little")
    if _follows(own):
        return CordVerdict("agrees", *_recorded(supply), r=own.r, changes=own.changes)
    if own.r > STRAYS:
        return _unknown(supply, "it follows its outlet, but not well enough to be sure")
    matches = [(match, outlet) for outlet in free if _follows(match := together(supply.watts, outlet.watts)) and match]
    if not matches:
        return _unknown(supply, "it follows neither its outlet nor a free one")
    match, outlet = max(matches, key=lambda pair: pair[0].r)
    if any(m.r > match.r - MARGIN and o.pdu_id != outlet.pdu_id for m, o in matches):
        return _unknown(supply, "outlets of several PDUs follow it")
    alike = [o for m, o in matches if o.pdu_id == outlet.pdu_id and m.r > match.r - MARGIN]
    name = outlet.outlet if len(alike) == 1 else ""
    return CordVerdict("wrong", *_recorded(supply), outlet.pdu_id, name, match.r, match.changes)


def _recorded(supply: SupplySeries) -> tuple[int, str, tuple[str, ...], int, str]:
    return supply.device_id, supply.device, (supply.name,), supply.pdu_id, supply.outlet


def _unknown(supply: SupplySeries, reason: str) -> CordVerdict:
    return CordVerdict("unknown", *_recorded(supply), reason=reason)


# ---- with metered PDUs only ----


def by_pdus(supplies: Sequence[SupplySeries], pdus: Mapping[int, Series]) -> list[CordVerdict]:
    """Machines whose supplies hang on another PDU than recorded.

    Of each PDU is taken what is left of its load when all supplies recorded on it are subtracted. A supply that hangs
    elsewhere is missing there, and too much where it hangs: both must say so. Only wrong ones are returned; PDUs with a
    recorded supply that is not measured cannot be compared.
    """
    rest = residuals(supplies, pdus)
    groups: dict[tuple[int, int], list[SupplySeries]] = defaultdict(list)
    for supply in supplies:
        groups[supply.pdu_id, supply.device_id].append(supply)
    found: list[CordVerdict] = []
    for recorded in rest:
        missing = [
            (group, match)
            for (pdu, _), group in groups.items()
            if pdu == recorded and (match := together(group[0].watts, rest[recorded])) and match.r <= -FOLLOWS
        ]
        for other in rest if missing else ():
            if other != recorded:
                found += _moved(missing, rest[other], recorded, other)
    return found


def residuals(supplies: Iterable[SupplySeries], pdus: Mapping[int, Series]) -> dict[int, list[float | None]]:
    """PDU to its load without the supplies recorded on it; None where any of them is not known."""
    rest = {pdu: list(series) for pdu, series in pdus.items()}
    for supply in supplies:
        series = rest.get(supply.pdu_id)
        for at in range(len(series) if series is not None else 0):
            left, taken = series[at], supply.watts[at] if at < len(supply.watts) else None  # type: ignore[index]
            series[at] = None if left is None or taken is None else left - taken  # type: ignore[index]
    return rest


def _moved(
    missing_here: Sequence[tuple[list[SupplySeries], Together]], there: Series, recorded: int, other: int
) -> list[CordVerdict]:
    """The machine whose load is missing where it is recorded and too much there; none where two look alike."""
    matches = []
    for group, missing in missing_here:
        added = together(group[0].watts, there)
        if added is None or added.r < FOLLOWS:
            continue
        count = round(added.slope)
        if (
            1 <= count <= len(group)
            and max(abs(added.slope - count), abs(missing.slope + count)) <= WHOLE_COUNT * count
        ):
            matches.append((added, count, group))
    if not matches:
        return []
    match, count, group = max(matches, key=lambda each: each[0].r)
    if any(each[0].r > match.r - MARGIN and each[2] is not group for each in matches):
        return []
    supply = group[0]
    names = tuple(each.name for each in group) if count == len(group) else (f"{count} of {len(group)} supplies",)
    return [
        CordVerdict(
            "wrong", supply.device_id, supply.device, names, recorded, "", other, "", match.r, match.changes,
        )
    ]  # fmt: skip


# ---- findings ----


def findings(verdicts: Iterable[CordVerdict], graph: PowerGraph) -> list[Finding]:
    """Of wrong cords; says whether another feed is behind the PDU that was found."""
    found = []
    for each in verdicts:
        if each.verdict != "wrong" or each.found_pdu_id is None:
            continue
        device = graph.devices.get(each.device_id)
        was = _where(graph, each.recorded_pdu_id, each.recorded_outlet)
        is_now = _where(graph, each.found_pdu_id, each.found_outlet)
        feeds = [graph.way(pdu)[1] for pdu in (each.recorded_pdu_id, each.found_pdu_id)]
        other_feed = feeds[0] != feeds[1] or None in feeds
        names = ", ".join(each.supplies)
        text = (
            f"{names} of {each.device}: recorded at {was}, but its load is that of {is_now}"
            f"{' on another feed' if other_feed else ''} (correlation {each.r or 0:.2f} over {each.changes} changes)."
        )
        values = {
            "recorded_pdu": each.recorded_pdu_id, "recorded_outlet": each.recorded_outlet, "other_feed": other_feed,
            "found_pdu": each.found_pdu_id, "found_outlet": each.found_outlet, "r": each.r, "changes": each.changes,
        }  # fmt: skip
        rack = device.rack_id if device else None
        found.append(
            Finding("cord.wrong_feed", "machine", each.device_id, each.device, text, values, rack, None, names)
        )
    return found


def _where(graph: PowerGraph, pdu_id: int, outlet: str) -> str:
    pdu = graph.pdus.get(pdu_id)
    name = pdu.name if pdu else f"PDU {pdu_id}"
    return f"{name} outlet {outlet}" if outlet else name
