"""From the plan and one look at the fabric to what is wrong and the fewest moves that put it right. Pure.

Names first, by place; then the wiring beside the plan; then findings. When the look cannot be believed `held_back` says
why and nothing else is concluded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from fabric.facts import NodeKind, Plan, PlannedCable, PlannedPort, Seen, SeenLink
from fabric.formats.common import Met
from fabric.reconcile import exchanged, guard, renumbered
from fabric.reconcile.asked import asked_components, without
from fabric.reconcile.cables import FoundCable, WantedCable
from fabric.reconcile.clean import Book, Net, book_of, net_of, say_who
from fabric.reconcile.crossed import crossed_lanes
from fabric.reconcile.finding import Finding, Kind, Severity
from fabric.reconcile.findings import all_findings
from fabric.reconcile.misnamed import Rename, renames_of
from fabric.reconcile.moves import Component, Move, MovePlan, plan_moves
from fabric.reconcile.naming import Naming, name_all
from fabric.reconcile.plan_errors import plan_errors, unread
from fabric.reconcile.prices import Prices
from fabric.reconcile.scene import Scene
from fabric.reconcile.slow import slow_links
from fabric.reconcile.sockets import first_of, reported_cages
from fabric.reconcile.wiring import Wiring, compare, link_id
from fabric.reconcile.words import CageOf, no_cage

__all__ = ["Diagnosis", "Finding", "Kind", "Rename", "Settings", "Severity", "diagnose"]


@dataclass(frozen=True, slots=True)
class Settings:
    """`guard_share`: more planned links than this share missing at once are not believed; 1 believes all."""

    guard_share: float = 0.05
    exchanged: exchanged.Settings = field(default_factory=exchanged.Settings)


@dataclass(slots=True)
class Diagnosis:
    """What a look means. `names` has every node that has one, by the place where it stands. With `held_back` there are
    no counts, findings or moves. `cage_of` says in which cage a port is, for words about the moves."""

    counts: dict[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    plan: MovePlan = field(default_factory=MovePlan)
    names: dict[str, str] = field(default_factory=dict)
    renames: tuple[Rename, ...] = ()
    cage_of: CageOf = no_cage
    held_back: str | None = None

    @property
    def moves(self) -> tuple[Move, ...]:
        return self.plan.moves


def diagnose(
    plan: Plan,
    seen: Seen,
    *,
    settings: Settings | None = None,
    known: Mapping[str, str] | None = None,
    prices: Prices | None = None,
    cage_of: CageOf = no_cage,
) -> Diagnosis:
    """What is wrong with a fabric. `known` gives the planned devices of GUIDs that the inventory has recorded,
    `cage_of` the cages it knows; of the others what each switch reports counts.

    Raises ValueError for a plan with a port in two cables, which readers of files refuse.
    """
    settings = settings or Settings()
    why = guard.plan_is_usable(plan) or guard.unusable(seen)
    if why:
        return Diagnosis(held_back=why)
    net, book = net_of(seen), book_of(plan)
    say_who(net, book)
    recorded = {device.guid: device.name for device in plan.devices.values() if device.guid} | dict(known or {})
    naming = _named(net, book, recorded, settings)
    if not naming.names:
        return Diagnosis(
            held_back="nothing that was seen can be found in the plan: not one node reports a planned name. "
            "Name one switch or one machine, or check that this is the plan of this fabric"
        )
    wiring = compare(net, book, naming)
    errors = plan_errors(seen, net, book, naming, wiring)
    meant = {error.meant for error in errors if error.meant is not None}
    wiring.set_aside(book, naming, {error.cable.label for error in errors}, meant)
    why = guard.vanished(book, wiring.dark, wiring.off, settings.guard_share)
    if why:
        return Diagnosis(names=naming.names, held_back=why)
    crossed = crossed_lanes(book, wiring)
    inside = {end for each in crossed for cable in each.cables for end in cable.ends}
    wiring.set_aside(book, naming, {cable.label for each in crossed for cable in each.cables}, inside)
    prices = prices or Prices(places={name: device.place for name, device in plan.devices.items()})
    prices = replace(prices, absent=_absent(book, naming))
    moves, asked = _moves(seen, net, wiring, book, naming, prices, {error.other for error in errors})
    renames = renames_of(net, book, naming)
    slow = slow_links(seen, net.links, _kind_of_link(net, book, naming))
    cages = first_of(cage_of, reported_cages(seen, naming.names))
    scene = Scene(
        seen, net, book, naming, wiring, moves, asked, renames, slow, recorded, prices, errors, crossed, cages
    )
    return Diagnosis(_counts(wiring, moves, asked, renames), all_findings(scene), moves, naming.names, renames, cages)


def _named(net: Net, book: Book, recorded: Mapping[str, str], settings: Settings) -> Naming:
    """Every node by its place, as far as that can be told."""
    naming = name_all(net, book, recorded)
    exchanged.put_in_place(net, book, naming, settings.exchanged)
    renumbered.put_right(net, book, naming)
    unread(net, book, naming)
    return naming


def _absent(book: Book, naming: Naming) -> frozenset[str]:
    """Planned devices of which nothing was seen, not even another adapter of their machine."""
    unseen = [name for name in book.group if name not in naming.holder]
    groups = {group for group in {book.group[name] for name in unseen} if not naming.is_present(group)}
    return frozenset(name for name in unseen if book.group[name] in groups)


def _moves(
    seen: Seen,
    net: Net,
    wiring: Wiring,
    book: Book,
    naming: Naming,
    prices: Prices,
    doubtful: Collection[PlannedPort],
) -> tuple[MovePlan, tuple[Component, ...]]:
    """The moves for what lies wrong, and what waits for an answer. `doubtful`: ports that a doubtful line of the plan
    is about. A cable of several lanes is given whole, with the lanes that lie right."""
    at_dead = wiring.at_dead
    wanted = [cable for cable in wiring.missing if cable.label not in at_dead]
    bodies = {cable.body for cable in wanted if cable.body}
    planned = book.cables_at({end for a, b, _ in wiring.wrong for end in (a, b)})
    bodies |= {cable.body for cable in planned.values() if cable.body}
    lying = [
        FoundCable(link_id(link), (a, b), serials=_serials(seen, link), length_m=_length(seen, link), live=True)
        for a, b, link in wiring.wrong
    ]
    if bodies:
        fans = _moved_fans(wiring, book, bodies)
        lying = [fans.get(cable.id, cable) for cable in lying]
        for cable in book.plan.cables:
            if cable.body in bodies and wiring.found(cable.a) == cable.b:
                lying.append(FoundCable(link_id(wiring.seen_at(cable.a)), cable.ends, live=True))
                wanted.append(cable)
    if not lying and not wanted:
        return MovePlan(), ()
    plan = plan_moves(lying, [WantedCable.of(cable) for cable in wanted], prices=prices)
    return without(plan, asked_components(plan, net, seen.origin, naming.names, doubtful))


def _moved_fans(wiring: Wiring, book: Book, bodies: set[str]) -> dict[str, FoundCable]:
    """Breakouts whose wide plug sits in another cage: their narrow plugs are where the plan has them, and lead to ports
    side by side as in the planned cage. By id of the link; a single lane does not tell."""
    lanes: dict[str, list[PlannedCable]] = {}
    for cable in book.plan.cables:
        if cable.body in bodies:
            lanes.setdefault(cable.body, []).append(cable)
    moved: dict[str, FoundCable] = {}
    for body, cables in lanes.items():
        if len({cable.a_plug for cable in cables}) == 1 and len({cable.b_plug for cable in cables}) == len(cables):
            sides = [(cable.a, cable.b, (cable.a_plug, cable.b_plug)) for cable in cables]
        elif len({cable.b_plug for cable in cables}) == 1 and len({cable.a_plug for cable in cables}) == len(cables):
            sides = [(cable.b, cable.a, (cable.b_plug, cable.a_plug)) for cable in cables]
        else:
            continue
        led = [(wide, narrow, plugs, far) for wide, narrow, plugs in sides if (far := wiring.found(narrow))]
        beside = {(far.device, far.port - wide.port) for wide, _, _, far in led}
        if len(led) < 2 or len(beside) != 1 or any(far == wide for wide, _, _, far in led):
            continue
        for _, narrow, plugs, far in led:
            name = link_id(wiring.seen_at(narrow))
            moved[name] = FoundCable(name, (far, narrow), body, plugs, live=True)
    return moved


def _serials(seen: Seen, link: SeenLink) -> tuple[str, str]:
    """Serials that are the cable's: both plugs tell the same. On fibre each end tells of its own optic."""
    one, other = seen.cables.get(link.a), seen.cables.get(link.b)
    if one is None or other is None or not one.serial or one.serial != other.serial:
        return "", ""
    return one.serial, other.serial


def _length(seen: Seen, link: SeenLink) -> float | None:
    lengths = [cable.length_m for end in (link.a, link.b) if (cable := seen.cables.get(end)) and cable.length_m]
    return min(lengths) if lengths else None


def _kind_of_link(net: Net, book: Book, naming: Naming) -> Callable[[SeenLink], tuple[int, int]]:
    """Links to machines, and those between tiers, are compared among themselves: the kinds of both nodes, numbered."""
    numbers: dict[tuple[bool, str, int], int] = {}

    def of_node(guid: str) -> int:
        node, device = net.nodes[guid], book.plan.devices.get(naming.names.get(guid, ""))
        kind = (node.kind is NodeKind.SWITCH, device.tier if device else "", node.ports)
        return numbers.setdefault(kind, len(numbers))

    kinds = Met(of_node)

    def of(link: SeenLink) -> tuple[int, int]:
        one, other = kinds[link.a.guid], kinds[link.b.guid]
        return (one, other) if one < other else (other, one)

    return of


def _counts(
    wiring: Wiring, moves: MovePlan, asked: tuple[Component, ...], renames: tuple[Rename, ...]
) -> dict[str, int]:
    """What waits for an answer counts as what it is, but makes no moves."""
    at_dead = wiring.at_dead
    missing = {cable.label for cable in wiring.missing}
    components = (*moves.components, *asked)
    unlit = {label for component in components for label in component.new_cables}
    return {
        "moves": moves.insertions,
        "unlit_links": len((unlit & missing) - at_dead),
        "unlit_links_at_dead_devices": len(at_dead),
        "unplanned_links": sum(len(component.taken_out) for component in components),
        "renames": len({rename.group for rename in renames}),
    }
