"""A work order while it is being done: what the fabric confirms of it, and what remains when reality is another. Pure.

`links now` are far ends by port, of all ports that were looked at; None is a port without light. A port that was not
looked at says nothing, neither good nor bad.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import permutations

from fabric.facts import PlannedPort
from fabric.reconcile.cables import LOOSE, FoundBody, FoundCable, Socket, WantedCable
from fabric.reconcile.moves import Move, MovePlan, cables_in, plan_moves
from fabric.reconcile.prices import Prices

LinksNow = Mapping[PlannedPort, PlannedPort | None]
_Plug = tuple[str, int]


class StepState(StrEnum):
    TODO = "todo"
    DONE = "done"  # ticked, and nothing seen yet that could tell
    CONFIRMED = "confirmed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StepCheck:
    state: StepState
    reason: str = ""  # why it failed, or what is seen that nobody ticked


@dataclass(frozen=True, slots=True)
class Checked:
    """`changed`: cables lie otherwise than the steps done explain, so the order has to be planned anew."""

    steps: Mapping[int, StepCheck]
    changed: bool
    surprises: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        return all(check.state is StepState.CONFIRMED for check in self.steps.values())


@dataclass(slots=True)
class _Hands:
    """Where the plugs are after some steps."""

    bodies: dict[str, FoundBody]
    at: dict[_Plug, Socket] = field(default_factory=dict)

    @classmethod
    def at_start(cls, found: Sequence[FoundCable], wanted: Sequence[WantedCable]) -> _Hands:
        hands = cls({body.id: body for body in cables_in(found, wanted)})
        for body in hands.bodies.values():
            hands.at.update(((body.id, n), socket) for n, socket in enumerate(body.plugs) if socket[0].device != LOOSE)
        return hands

    def copy(self) -> _Hands:
        return _Hands(self.bodies, dict(self.at))

    def do(self, move: Move) -> None:
        self.at.pop((move.found, move.plug), None)
        if move.puts:
            self.at[move.found, move.plug] = move.puts

    def links(self, body: FoundBody) -> list[tuple[PlannedPort, PlannedPort]]:
        """The lit lanes of a cable with both plugs in."""
        return [
            (self.at[body.id, a][i], self.at[body.id, b][j])
            for a, i, b, j in body.lanes
            if (body.id, a) in self.at and (body.id, b) in self.at
        ]

    def far_ends(self) -> dict[PlannedPort, PlannedPort]:
        far = {}
        for body in self.bodies.values():
            for one, other in self.links(body):
                far[one], far[other] = other, one
        return far


def check_steps(
    found: Sequence[FoundCable],
    wanted: Sequence[WantedCable],
    moves: Sequence[Move],
    done: Collection[int],
    links_now: LinksNow,
) -> Checked:
    """What the fabric says of each step. `found` and `wanted` are those the moves were planned from, `done` the numbers
    of the steps that were ticked. A dark port where a cable should be lit fails its step, but is no surprise: the plug
    may sit badly. Another far end than expected is."""
    before = _Hands.at_start(found, wanted)
    now, end = before.copy(), before.copy()
    for move in sorted(moves, key=lambda move: move.n):
        end.do(move)
        if move.n in done:
            now.do(move)
    last = {(move.found, move.plug): move.n for move in moves if move.n in done}
    checks = {}
    for move in moves:
        if move.n not in done:
            checks[move.n] = _not_ticked(move, end, links_now)
        elif last[move.found, move.plug] != move.n:
            checks[move.n] = StepCheck(StepState.CONFIRMED, "a later step of the same connector was done")
        elif move.puts:
            checks[move.n] = _ticked_insertion(move, now, links_now)
        else:
            checks[move.n] = _ticked_pull(move, before, links_now)
    surprises = _surprises(now.far_ends(), moves, links_now)
    return Checked(checks, bool(surprises), surprises)


def _told(port: PlannedPort) -> str:
    return f"{port.device} port {port.port}"


def _links_of(move: Move, hands: _Hands) -> list[tuple[PlannedPort, PlannedPort]]:
    """The links through the plug of a move, its own port first."""
    links = hands.links(hands.bodies[move.found])
    turned = [*links, *((other, one) for one, other in links)]
    return [(near, far) for near, far in turned if near in move.puts]


def _not_ticked(move: Move, end: _Hands, links_now: LinksNow) -> StepCheck:
    links = _links_of(move, end)
    if links and all(links_now.get(near) == far for near, far in links):
        return StepCheck(StepState.CONFIRMED, "it is seen in its place, though nobody ticked the step")
    return StepCheck(StepState.TODO)


def _ticked_insertion(move: Move, now: _Hands, links_now: LinksNow) -> StepCheck:
    links = _links_of(move, now)
    if not links or any(near not in links_now for near, _ in links):
        return StepCheck(StepState.DONE)
    for near, far in links:
        seen = links_now[near]
        if seen is None:
            return StepCheck(StepState.FAILED, f"{_told(near)} has no light")
        if seen != far:
            return StepCheck(StepState.FAILED, f"{_told(near)} leads to {_told(seen)}, not to {_told(far)}")
    return StepCheck(StepState.CONFIRMED)


def _ticked_pull(move: Move, before: _Hands, links_now: LinksNow) -> StepCheck:
    far_ends = before.far_ends()
    ports = [port for port in move.takes if port in far_ends]
    if not ports or any(port not in links_now for port in ports):
        return StepCheck(StepState.DONE)
    still = next((port for port in ports if links_now[port] == far_ends[port]), None)
    if still is not None:
        return StepCheck(StepState.FAILED, f"{_told(still)} still leads to {_told(far_ends[still])}")
    return StepCheck(StepState.CONFIRMED)


def _surprises(
    expected: Mapping[PlannedPort, PlannedPort], moves: Sequence[Move], links_now: LinksNow
) -> tuple[str, ...]:
    ports = {port for move in moves for port in (*move.takes, *move.puts, move.stays)}
    said = []
    for port in sorted(ports & set(links_now)):
        seen = links_now[port]
        if seen is not None and seen != expected.get(port):
            said.append(f"{_told(port)} leads to {_told(seen)}")
    return tuple(said)


def replan(
    found: Sequence[FoundCable],
    wanted: Sequence[WantedCable],
    moves: Sequence[Move],
    done: Collection[int],
    links_now: LinksNow,
    *,
    prices: Prices | None = None,
) -> MovePlan:
    """What remains to be done from where the cables are now.

    Cables are taken to be where the ticked steps brought them, but what is seen counts more. A cable that hangs is put
    in, not pulled again. `wanted` may hold more planned links than before, of ports that came into play.
    """
    hands = _Hands.at_start(found, wanted)
    for move in sorted(moves, key=lambda move: move.n):
        if move.n in done:
            hands.do(move)
    seen = {frozenset((port, far)) for port, far in links_now.items() if far is not None}
    ports_seen = {port for ends in seen for port in ends}
    there: list[FoundCable] = []
    far = {near: other for ends in seen for near, other in permutations(ends)}
    for body in hands.bodies.values():
        hands.at.update(_elsewhere(body, hands, far))
        lanes = _where(body, hands, start=len(there) * 100 + 1)
        if any(port in ports_seen for lane in lanes if frozenset(lane.ends) not in seen for port in lane.ends):
            continue  # one of its ports has another link by now
        if any(port.device != LOOSE for lane in lanes for port in lane.ends):  # else it was taken out
            there += lanes
    covered = {frozenset(link.ends) for link in there}
    for ends in sorted(map(sorted, seen - covered)):
        name = " - ".join(f"{port.device}/{port.port}" for port in ends)
        there.append(FoundCable(name, (ends[0], ends[1]), live=True))
    return plan_moves(there, wanted, prices=prices)


def _elsewhere(body: FoundBody, hands: _Hands, far: Mapping[PlannedPort, PlannedPort]) -> dict[_Plug, Socket]:
    """Where the one plug of a cable of several lanes is, when its other plugs are where they were and all lead to ports
    side by side as its own lanes are. A single lane does not tell: another cable may be at its port."""
    found: dict[_Plug, Socket] = {}
    for plug, socket in enumerate(body.plugs):
        lanes = [(i, (b, j)) if a == plug else (j, (a, i)) for a, i, b, j in body.lanes if plug in (a, b)]
        others = [(at, hands.at[body.id, other][n]) for at, (other, n) in lanes if (body.id, other) in hands.at]
        starts = {PlannedPort(end.device, end.port - at) for at, near in others if (end := far.get(near))}
        lit = sum(near in far for _, near in others)
        if len(lanes) < 2 or lit < len(lanes) or len(starts) != 1:
            continue
        start = starts.pop()
        ports = tuple(PlannedPort(start.device, start.port + at) for at in range(len(socket)))
        if ports != hands.at.get((body.id, plug)):
            found[body.id, plug] = ports
    return found if len(found) == 1 else {}


def _where(body: FoundBody, hands: _Hands, start: int) -> list[FoundCable]:
    """A cable where it is now; a plug that is in no port is at LOOSE, counted from `start`."""
    sockets = [
        hands.at.get((body.id, number)) or tuple(PlannedPort(LOOSE, start + number * 8 + n) for n in range(len(socket)))
        for number, socket in enumerate(body.plugs)
    ]
    wide = len(body.lanes) > 1
    by_ends = {frozenset(link.ends): link for link in body.links}
    cables = []
    for a, i, b, j in body.lanes:
        link = by_ends[frozenset((body.plugs[a][i], body.plugs[b][j]))]
        ends = sockets[a][i], sockets[b][j]
        live = link.live and LOOSE not in (ends[0].device, ends[1].device)
        names = (f"plug {a}", f"plug {b}") if wide else link.plugs
        cables.append(replace(link, ends=ends, live=live, body=body.id if wide else link.body, plugs=names))
    return cables
