"""What to propose when heat, water or power threaten: incidents with their machines, and the steps in order. Pure.

It proposes; what carries steps out has guards of its own, the site's switch first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, NamedTuple

from facility.judgement.kinds import KINDS, Finding, worst_first
from facility.judgement.readings import several

Action = Literal["close_valve", "stop_new_jobs", "limit_power", "shut_down", "feed_off"]
Cause = Literal["feed", "cooling_unit", "row", "subject"]

TRIGGERS = frozenset({"rise.fast", "leak", "feed.lost", "loop.flow_low"})
"""Kinds that call for steps. All others are work for a technician."""
OF_SUPPLY = frozenset({"psu.idle", "redundancy.lost", "brake.on", "feed.lost", "value.unknown"})
OF_COOLING = frozenset({
    "rise.fast", "inlet.hot", "hot.spot", "recirculation", "fan.high", "air.class", "gpu.near", "throttling", "leak",
    "loop.flow_low", "loop.dew_point", "loop.class", "pump.failed", "filter.dirty", "port.hot",
})  # fmt: skip
"""Findings that follow from a feed, or from a cooling unit, that fails."""
ENOUGH_OF_FEED = 3
SHARE_OF_FEED = 0.6


class Machine(NamedTuple):
    """A machine where it stands. The lower its priority, the sooner it is shut down; `capped_w` is the limit per GPU
    that the site wants in an emergency, None where it names none.
    """

    id: int
    name: str
    row: str
    priority: tuple[int, ...] = (0,)
    rack_id: int | None = None
    feed_ids: frozenset[int] = frozenset()
    cooling_unit_ids: frozenset[int] = frozenset()
    capped_w: float | None = None
    room_id: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """What failing things take with them. `at_once` is how many machines may be on their way down at a time."""

    machines: Mapping[int, Machine]
    feed_names: Mapping[int, str] = field(default_factory=dict)
    feed_of_pdu: Mapping[int, int] = field(default_factory=dict)
    at_once: int = 8


@dataclass(frozen=True, slots=True)
class Step:
    """`order` counts from 1; a step is taken only when those before it were not enough."""

    order: int
    action: Action
    text: str
    machines: tuple[int, ...] = ()
    subject: str = ""
    reversible: bool = True
    undo: str = ""
    watts: Mapping[int, float] = field(default_factory=dict)  # of a power cap: machine to the limit of each GPU


@dataclass(frozen=True, slots=True)
class Incident:
    """One cause, all machines that it takes with it, and all findings that follow from it."""

    key: str
    cause: Cause
    name: str
    title: str
    machines: tuple[int, ...]
    findings: tuple[Finding, ...]
    steps: tuple[Step, ...] = ()


# ---- one cause, one incident ----


def incidents(findings: Sequence[Finding], site: Site) -> list[Incident]:
    """Findings by their cause: feeds first, then cooling units, then rows that get hot; the rest one by one.

    Each finding is in exactly one incident. Only those with a trigger among them have steps.
    """
    left = list(findings)
    found: list[Incident] = []
    for feed, machines in sorted(failing_feeds(left, site).items()):
        pdus = frozenset(pdu for pdu, of in site.feed_of_pdu.items() if of == feed)
        mine, left = _split(left, partial(_of_feed, feed, machines, pdus))
        found.append(_incident("feed", str(feed), site.feed_names.get(feed, f"feed {feed}"), machines, mine, site))
    for unit, name in sorted(_failing_units(left).items()):
        machines = frozenset(each.id for each in site.machines.values() if unit in each.cooling_unit_ids)
        mine, left = _split(left, partial(_of_unit, unit, machines, _racks(machines, site)))
        found.append(_incident("cooling_unit", str(unit), name, machines, mine, site))
    for row in sorted({row for each in left if each.kind == "rise.fast" and (row := _row(each))}):
        machines = frozenset(each.id for each in site.machines.values() if each.row == row)
        mine, left = _split(left, partial(_of_row, row, machines, _racks(machines, site)))
        found.append(_incident("row", row, f"row {row}", machines, mine, site))
    return found + _one_by_one(left, site)


def failing_feeds(findings: Iterable[Finding], site: Site) -> dict[int, frozenset[int]]:
    """Feeds that say themselves that they carry nothing, and feeds on which most machines lost a supply: feed to its
    machines. An idle supply names its feed in its values.
    """
    listed = list(findings)
    on: dict[int, set[int]] = defaultdict(set)
    for machine in site.machines.values():
        for feed in machine.feed_ids:
            on[feed].add(machine.id)
    dead = {each.subject_id for each in listed if each.kind == "feed.lost"}
    idle: dict[int, set[int]] = defaultdict(set)
    for each in listed:
        if each.kind == "psu.idle" and each.subject_id in site.machines and each.values.get("feed") is not None:
            idle[each.values["feed"]].add(each.subject_id)
    dead |= {feed for feed, hit in idle.items() if len(hit) >= max(ENOUGH_OF_FEED, SHARE_OF_FEED * len(on[feed]))}
    return {feed: frozenset(on[feed]) for feed in dead}


def _failing_units(findings: Iterable[Finding]) -> dict[int, str]:
    return {
        each.subject_id: each.subject_name
        for each in findings
        if each.subject_kind == "cooling_unit" and each.kind in TRIGGERS
    }


def _split(findings: Sequence[Finding], belongs: Callable[[Finding], bool]) -> tuple[list[Finding], list[Finding]]:
    mine = [each for each in findings if belongs(each)]
    return mine, [each for each in findings if not belongs(each)]


def _of_feed(feed: int, machines: frozenset[int], pdus: frozenset[int], each: Finding) -> bool:
    if each.subject_kind == "feed":
        return each.kind == "feed.lost" and each.subject_id == feed
    if each.subject_kind == "pdu":
        return each.kind == "value.unknown" and each.subject_id in pdus
    return each.kind in OF_SUPPLY and each.subject_kind == "machine" and each.subject_id in machines


def _of_unit(unit: int, machines: frozenset[int], racks: frozenset[int], each: Finding) -> bool:
    if each.subject_kind == "cooling_unit":
        return each.subject_id == unit
    return _of_air(machines, racks, each)


def _of_row(row: str, machines: frozenset[int], racks: frozenset[int], each: Finding) -> bool:
    return (each.kind == "rise.fast" and _row(each) == row) or _of_air(machines, racks, each)


def _of_air(machines: frozenset[int], racks: frozenset[int], each: Finding) -> bool:
    if each.kind not in OF_COOLING or each.subject_kind == "cooling_unit":
        return False
    return each.subject_id in {"rack": racks, "machine": machines}.get(each.subject_kind, frozenset())


def _racks(machines: frozenset[int], site: Site) -> frozenset[int]:
    return frozenset(rack for pk in machines if (rack := site.machines[pk].rack_id) is not None)


def _row(finding: Finding) -> str:
    return str(finding.values.get("row") or "")


def _one_by_one(findings: Iterable[Finding], site: Site) -> list[Incident]:
    """What is left, by subject: all that is wrong with one machine is one incident too."""
    by_subject: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for each in findings:
        by_subject[each.subject_kind, each.subject_id].append(each)
    found = []
    for (kind, pk), mine in by_subject.items():
        machines = frozenset({pk}) & site.machines.keys() if kind == "machine" else frozenset()
        if kind == "room":
            machines = frozenset(each.id for each in site.machines.values() if each.room_id == pk)
        if kind == "rack":
            machines = frozenset(each.id for each in site.machines.values() if each.rack_id == pk)
        found.append(_incident("subject", f"{kind}:{pk}", mine[0].subject_name, machines, mine, site))
    return found


def _incident(
    cause: Cause, key: str, name: str, machines: frozenset[int], findings: list[Finding], site: Site
) -> Incident:
    ordered = worst_first(findings)
    named = sorted(ordered, key=lambda each: each.kind not in TRIGGERS)  # the cause before what follows from it
    titles = list(dict.fromkeys(KINDS[each.kind].title for each in named))
    many = f", {len(machines)} machines" if len(machines) > 1 else ""
    title = f"{name}{many}: {titles[0] if titles else 'fails'}" + (f" and {len(titles) - 1} more" if titles[1:] else "")
    steps = plan(machines, ordered, site, name) if any(each.kind in TRIGGERS for each in ordered) else ()
    return Incident(f"{cause}:{key}", cause, name, title, tuple(sorted(machines)), tuple(ordered), steps)


# ---- the steps ----


def plan(machines: Iterable[int], findings: Sequence[Finding], site: Site, name: str) -> tuple[Step, ...]:
    """From the gentlest to the last. A leak's valve comes first: it stops the water and nothing else does.

    Feeds are switched off last, by a person, and never for a feed that is dead already.
    """
    hit = [site.machines[pk] for pk in machines if pk in site.machines]
    steps = [_valve(each, site) for each in findings if each.kind == "leak"]
    if hit:
        steps += [_no_new_jobs(hit), *_power_cap(hit), _shut_down(hit, site)]
        if not any(each.kind == "feed.lost" for each in findings):
            steps.append(_feed_off(hit, site, name))
    return tuple(replace(step, order=order) for order, step in enumerate(steps, start=1))


def _valve(leak: Finding, site: Site) -> Step:
    valve = str(leak.values.get("valve") or "")
    racks = set(leak.values.get("racks") or ())
    behind = tuple(sorted(each.id for each in site.machines.values() if each.rack_id in racks))
    if valve:
        text = f"Close valve {valve}."
    elif leak.subject_kind == "cooling_unit":
        text = f"Close {leak.subject_name}: no valve is recorded for this detector."
    else:
        text = f"Find where the water at {leak.part} of {leak.subject_name} comes from, and close its valve."
    return Step(0, "close_valve", text, behind, valve or leak.subject_name, undo="Open it when the leak is mended.")


def _no_new_jobs(hit: Sequence[Machine]) -> Step:
    """For the rows: what starts beside a hot machine heats it too."""
    rows = sorted({each.row for each in hit if each.row})
    where = f"row {', '.join(rows)}" if rows else several(len(hit), "machine")
    ids = tuple(sorted(each.id for each in hit))
    return Step(
        0, "stop_new_jobs", f"No new jobs in {where}.", ids, ", ".join(rows), undo="Let the scheduler use them again."
    )


def _power_cap(hit: Sequence[Machine]) -> list[Step]:
    """Only machines for which the site names a limit."""
    capped = sorted(each.id for each in hit if each.capped_w is not None)
    if not capped:
        return []
    watts = sorted({each.capped_w for each in hit if each.capped_w is not None})
    limit = f"{watts[0]:.0f} W" if len(watts) == 1 else f"{watts[0]:.0f} to {watts[-1]:.0f} W"
    text = f"Limit the GPUs of {several(len(capped), 'machine')} to {limit}."
    of_machines = {each.id: each.capped_w for each in hit if each.capped_w is not None}
    return [Step(0, "limit_power", text, tuple(capped), undo="Set the limits that they had.", watts=of_machines)]


def _shut_down(hit: Sequence[Machine], site: Site) -> Step:
    """The least important first."""
    order = tuple(each.id for each in sorted(hit, key=lambda each: (each.priority, each.name)))
    slowly = f", {site.at_once} at a time" if len(order) > site.at_once else ""
    text = f"Shut down {several(len(order), 'machine')} in order of priority{slowly}."
    return Step(0, "shut_down", text, order, undo="Power them on again.")


def _feed_off(hit: Sequence[Machine], site: Site, name: str) -> Step:
    feeds = sorted({feed for each in hit for feed in each.feed_ids})
    names = ", ".join(site.feed_names.get(feed, f"feed {feed}") for feed in feeds) or f"the feeds of {name}"
    text = f"Last, and by a person on site: switch off {names}."
    ids = tuple(sorted(each.id for each in hit))
    undo = "Only an electrician closes the breaker again."
    return Step(0, "feed_off", text, ids, names, reversible=False, undo=undo)
