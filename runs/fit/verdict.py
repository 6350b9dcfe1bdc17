"""Whether a set may start: who must stay out and why, who stands in, and what that leaves. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from typing import NamedTuple

from health.monitoring.images.states import usual_of
from runs.fit.criteria import (
    CRITERIA,
    FAIL,
    IMAGE,
    LAUNCH,
    OK,
    RANK,
    UNKNOWN,
    WARN,
    Criterion,
    Peers,
    Said,
    usual_versions,
)
from runs.fit.facts import Facts, Floor
from runs.machines.spares import Standing, assigned

SPARES = (0.1, 0.2)
"""Spares at hand for a set, as a share of it: at least, and enough."""
SHOWN = 3
"""Machines that a line names; the others are counted."""
NOT_IN_INVENTORY = "it is not in the inventory"


class Reason(NamedTuple):
    criterion: str
    state: str
    text: str


@dataclass(frozen=True)
class Out:
    """A machine to leave out. `machine` is None for a name that nothing is known of. `note` says why the replacement is
    not nearer, or that there is none."""

    name: str
    machine: Facts | None
    reasons: tuple[Reason, ...]
    replacement: Facts | None = None
    distance: str = ""
    note: str = ""


@dataclass(frozen=True)
class Line:
    """One criterion over the whole set: `good` of `of` machines."""

    id: str
    title: str
    state: str
    good: int | None
    of: int | None
    text: str


@dataclass(frozen=True)
class Launch:
    """The last launch check on exactly this set."""

    state: str
    """ok, fail, unknown (it ended without telling), running."""
    text: str


@dataclass(frozen=True)
class Verdict:
    state: str
    """fit, not_fit, unknown."""
    sentence: str
    lines: tuple[Line, ...]
    out: tuple[Out, ...]
    stay: tuple[Facts, ...]
    spares: int
    """Machines that could stand in and are not used up by the replacements."""
    wanted: tuple[int, int]


def verdict_of(
    chosen: Sequence[Facts],
    others: Sequence[Facts],
    floor: Floor,
    *,
    now: datetime,
    titles: Mapping[str, str],
    lost: Sequence[str] = (),
    image: str = "",
    launch: Launch | None = None,
) -> Verdict:
    """`chosen` in the order of the host list, `others` all the other machines of the site, `lost` the names of the set
    that nothing is known of, `image` the container image that must be there."""
    versions = usual_versions(chosen, [each for each in (*chosen, *others) if each.golden])
    peers = Peers(versions, titles, now, _usual_image(chosen) or _usual_image(others))
    of_each = (*CRITERIA, IMAGE) if image else CRITERIA
    criteria = (*of_each, LAUNCH)
    said = {each.id: [criterion.of(each, peers) for criterion in criteria] for each in chosen}
    blind = {
        column
        for column in range(len(criteria))
        if chosen and all(row[column].state == UNKNOWN for row in said.values())
    }
    out = [Out(name, None, (Reason("service", UNKNOWN, NOT_IN_INVENTORY),)) for name in lost]
    stay = []
    for each in chosen:
        reasons = _against(said[each.id], criteria, blind)
        if reasons:
            out.append(Out(each.name, each, reasons))
        else:
            stay.append(each)
    spare = spares_of(others, of_each, peers, blind)
    placed, left = replaced(out, spare, floor, [each.model for each in chosen])
    total = len(chosen) + len(lost)
    wanted = (ceil(total * SPARES[0]), ceil(total * SPARES[1]))
    lines = [_line(criterion, column, chosen, said, column in blind, total) for column, criterion in enumerate(of_each)]
    if lost:
        first = lines[0]
        text = "; ".join(filter(None, [f"{_names(lost)}: {NOT_IN_INVENTORY}", first.text]))
        lines[0] = replace(first, state=FAIL if first.state == FAIL else UNKNOWN, text=text)
    if not image:
        lines.append(Line(IMAGE.id, IMAGE.title, "not_asked", None, None, "no image was named"))
    lines.append(_spares(left, wanted))
    lines.append(Line("launch", LAUNCH.title, launch.state if launch else "not_run", None, None,
                      launch.text if launch else "never on this set"))  # fmt: skip
    not_known = [line.title for line in lines if line.state == UNKNOWN and line.id != "launch"]
    failed = launch is not None and launch.state == FAIL
    state = "not_fit" if out or failed else "unknown" if not_known or not chosen else "fit"
    sentence = _sentence(state, placed, total, not_known)
    return Verdict(state, sentence, tuple(lines), placed, tuple(stay), left, wanted)


def _usual_image(machines: Sequence[Facts]) -> str:
    return usual_of(each.image.identities for each in machines if each.image)


def spares_of(others: Sequence[Facts], criteria: Sequence[Criterion], peers: Peers, blind: set[int]) -> list[Facts]:
    """Who could stand in: fit by every criterion that something is known of, idle, and not needed by another run."""
    return [
        each
        for each in others
        if each.golden
        and each.allocation == "idle"
        and not each.engaged
        and not _against([criterion.of(each, peers) for criterion in criteria], criteria, blind)
    ]


def replaced(
    out: Sequence[Out], spare: Sequence[Facts], floor: Floor, models: Sequence[str]
) -> tuple[tuple[Out, ...], int]:
    """A replacement for each, the nearest first: all on the same leaf, then in the pod, then anywhere. And how many
    spares are left."""
    usual = max(sorted(set(models)), key=models.count, default="")
    by_id = {each.id: each for each in spare}
    gone = [
        floor.standing(each.machine) if each.machine is not None else Standing(0, each.name, model=usual)
        for each in out
    ]
    found = assigned(gone, [floor.standing(each) for each in spare])
    placed = []
    for each, stood, near in zip(out, gone, found, strict=True):
        if near is None:
            placed.append(replace(each, note="no golden machine of its model is idle and fit"))
            continue
        note = "" if near.where == "leaf" or each.machine is None else _no_nearer(stood, near.where)
        placed.append(replace(each, replacement=by_id[near.standing.machine], distance=near.where, note=note))
    return tuple(placed), len(spare) - sum(near is not None for near in found)


def _no_nearer(gone: Standing, distance: str) -> str:
    if not gone.leaf:
        return "its leaf is not known"
    return "no spare on the leaf" if distance == "pod" else "no spare on the leaf, none in the pod"


def _against(said: Sequence[Said], criteria: Sequence[Criterion], blind: set[int]) -> tuple[Reason, ...]:
    """What keeps a machine out, failures first."""
    found = [
        Reason(criterion.id, each.state, each.text)
        for column, (criterion, each) in enumerate(zip(criteria, said, strict=True))
        if each.state == FAIL or (each.state == UNKNOWN and column not in blind)
    ]
    return tuple(sorted(found, key=lambda reason: -RANK[reason.state]))


def _line(
    criterion: Criterion, column: int, chosen: Sequence[Facts], said: Mapping[int, Sequence[Said]], blind: bool, of: int
) -> Line:
    worst = max((said[each.id][column].state for each in chosen), key=RANK.__getitem__, default=UNKNOWN)
    bad = [(each, said[each.id][column]) for each in chosen if said[each.id][column].state != OK]
    bad.sort(key=lambda pair: -RANK[pair[1].state])
    if blind:
        text = f"known of no machine: {bad[0][1].text}"
    else:
        text = _together([(each.name, one.text) for each, one in bad], " ")
    return Line(criterion.id, criterion.title, worst, len(chosen) - len(bad), of, text)


def _spares(left: int, wanted: tuple[int, int]) -> Line:
    least = f"{wanted[0]} to {wanted[1]}" if wanted[0] < wanted[1] else f"{wanted[0]}"
    text = f"{left} golden and idle after the replacements, {least} wanted"
    return Line("spares", "Spares 10–20 %", OK if left >= wanted[0] else WARN, left, wanted[0], text)


def _sentence(state: str, out: Sequence[Out], total: int, not_known: Sequence[str]) -> str:
    machines = f"{total:,} machine{'' if total == 1 else 's'}"
    if state == "fit":
        return f"All {machines} are fit to start." if total > 1 else "The machine is fit to start."
    if state == "unknown":
        return f"Not known whether the {machines} are fit: {', '.join(not_known) or 'there is no machine'}."
    if not out:
        return f"The launch check on these {machines} failed, and no machine is named."
    why = _together([(each.name, each.reasons[0].text) for each in out], ": ")
    return f"{len(out):,} of {machines} must stay out. {why}."


def _together(said: Sequence[tuple[str, str]], between: str) -> str:
    """What is said of machines, those of whom the same is said as one; some are named, the others counted."""
    by_text: dict[str, list[str]] = {}
    for name, text in said:
        by_text.setdefault(text, []).append(name)
    parts = [
        f"{_names(names)}{between if len(names) == 1 else ': '}{text}" for text, names in list(by_text.items())[:SHOWN]
    ]
    left = sum(len(names) for names in list(by_text.values())[SHOWN:])
    return "; ".join([*parts, *([f"{left} more"] if left else [])])


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


# ---- what to start with ----
class Choice(NamedTuple):
    """A list of hosts to start with: `whole` as told, `replaced` with those that stand in, `reduced` without."""

    id: str
    machines: tuple[Facts, ...]


def choices_of(chosen: Sequence[Facts], verdict: Verdict) -> list[Choice]:
    """Whoever stands in takes the place of the machine left out, so that all other ranks stay where they are."""
    if not verdict.out:
        return [Choice("whole", tuple(chosen))] if chosen else []
    instead = {each.machine.id: each.replacement for each in verdict.out if each.machine}
    placed = [instead.get(each.id, each) for each in chosen]
    placed += [each.replacement for each in verdict.out if each.machine is None]
    found = []
    if any(each.replacement for each in verdict.out):
        found.append(Choice("replaced", tuple(each for each in placed if each)))
    if verdict.stay:
        found.append(Choice("reduced", verdict.stay))
    return found


def in_order(machines: Sequence[Facts], floor: Floor) -> list[Facts]:
    """Neighbours of the fabric beside each other: by leaf, then by name."""
    return sorted(machines, key=lambda each: (floor.leaf(each), each.name))
