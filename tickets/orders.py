"""What a work order says and in which order it is done: steps by kind of finding, in a technician's words. Pure.

A move is a dict as `/api/fabric/findings/` shows it: {n, cable, take_from, put_into, text, ..}, its ports
{device, port, cage, lane, place, ..} or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Move = Mapping[str, Any]
PortName = tuple[str, int]
Signature = tuple[str, PortName | None, PortName | None]

NO_HANDS = frozenset({"misnamed", "unnamed", "stale_ends"})
"""Findings that nobody goes to the room for: names are proposed and written, stale data is read again."""
CAUSES = frozenset({"exchanged_devices", "device_at_other_place", "duplicate_name", "stranger"})
UNLIT = frozenset({"dark", "missing"})
DEGRADED = frozenset({"slow_link", "narrow_link"})
PRIORITIES = {"critical": "P1", "high": "P2", "low": "P3"}


@dataclass(frozen=True)
class OrderStep:
    """One step; `swaps` is optic or cable for a swap of these, `move` what a move is about."""

    kind: str
    title: str
    detail: str = ""
    move: Move | None = None
    swaps: str = ""


class Done(NamedTuple):
    """A step as it stands."""

    number: int
    kind: str
    done: bool
    failed: bool


def priority(severity: str) -> str:
    """P1, P2 or P3."""
    return PRIORITIES.get(severity, "P2")


def order_kind(finding_kind: str) -> str | None:
    """moves, checks, unlit, off or link; None when no hands are needed."""
    if finding_kind in NO_HANDS:
        return None
    if finding_kind == "device_off":
        return "off"
    if finding_kind in CAUSES:
        return "checks"
    return "unlit" if finding_kind in UNLIT | DEGRADED else "moves"


def ladder(label: str, *, look_beside: bool) -> list[OrderStep]:
    """What to try at a link without light or with losses, the cheapest first; never a new cable at once."""
    cable = f"cable {label}" if label else "the cable"
    first = OrderStep(
        "check",
        "Look for a loose connector beside it",
        f"A plug that hangs or sits in the port next to it is often {cable} itself.",
    )
    return [
        *([first] if look_beside else []),
        OrderStep("reseat", f"Reseat {cable} at both ends", "Pull, look at the plug, push until it clicks."),
        OrderStep("clean", f"Clean both ends of {cable}", "Plug and optic, with a fibre cleaner. A DAC needs none."),
        OrderStep(
            "swap", "Swap the optic", "First at one end, then at the other. Record the new serial.", swaps="optic"
        ),
        OrderStep("swap", f"Swap {cable}", "Only when nothing else helped. Record the serials.", swaps="cable"),
    ]


def link_ladder(label: str) -> list[OrderStep]:
    """The ladder of a link that loses data: clean, reseat, swap the optic, swap the cable. Measured after each."""
    cable = f"cable {label}" if label else "the cable"
    after = "The rates are measured again after this step."
    return [
        OrderStep("clean", f"Clean both ends of {cable}", f"Plug and optic, with a fibre cleaner. {after}"),
        OrderStep("reseat", f"Reseat {cable} at both ends", f"Pull, look at the plug, push until it clicks. {after}"),
        OrderStep("swap", "Swap the optic", f"Record the new serial. {after}", swaps="optic"),
        OrderStep("swap", f"Swap {cable}", f"Record the serials. {after}", swaps="cable"),
    ]


def steps_of(
    kind: str, where: str, moves: Sequence[Move], checks: Iterable[str], unlit: Sequence[str], *, dark: bool = True
) -> list[OrderStep]:
    """All steps of an order of this kind. `unlit` are labels of cables that stay without light after the moves;
    `dark` false: the links have light and are slow."""
    steps = [OrderStep("scan", f"Check the label: this is {where}", "Scan or read the name before you touch a cable.")]
    if kind != "unlit":  # the ladder below says it in steps of its own
        steps += [OrderStep("check", *_two(check)) for check in checks]
    if kind == "off":
        steps.append(OrderStep("reseat", "Reseat its power cords, then switch it on", "Only when it has no power."))
    steps += [move_step(move) for move in moves]
    if unlit and kind != "off":
        steps += ladder(", ".join(unlit), look_beside=dark)
    verify = "The fabric is discovered again; when that shows it right the ticket closes."
    return [*steps, OrderStep("verify", "Press Done, verify", verify)]


def _two(check: str) -> tuple[str, str]:
    """A check as title and detail."""
    return (check, "") if len(check) <= 200 else (f"{check[:197]}..", check)


# ---- moves ----


def move_step(move: Move) -> OrderStep:
    """A move as a step: the short form as title, the whole sentence below."""
    return OrderStep("move", move_title(move)[:200], str(move.get("text", "")), move)


def move_title(move: Move) -> str:
    """Such as `Move C00164 from leaf-01 cage 11 lower to leaf-01 cage 3 upper`."""
    cable = move.get("cable") or "a cable"
    take, put = _socket(move.get("take_from")), _socket(move.get("put_into"))
    if take and put:
        return f"Move {cable} from {take} to {put}"
    if put:
        return f"Plug {cable}, the one that hangs, into {put}"
    return f"Pull {cable} out of {take}" if take else f"Look at {cable}"


def _socket(end: Any) -> str:
    """What a hand looks for: the cage where it is known, else the number of the port; empty without an end."""
    if not end:
        return ""
    if end.get("cage") is None:
        return f"{end['device']} port {end['port']}"
    return " ".join(str(word) for word in (end["device"], "cage", end["cage"], end.get("half")) if word)


def _words(port: PortName) -> str:
    return f"{port[0]} port {port[1]}"


def port_of(end: Any) -> PortName | None:
    """(device, port number) of one end of a move."""
    return (str(end["device"]), int(end["port"])) if end else None


def signature(move: Move) -> Signature:
    """What makes two moves the same work, whatever their number and words."""
    return (str(move.get("cable") or ""), port_of(move.get("take_from")), port_of(move.get("put_into")))


# ---- order of work ----


def may_not_tick(steps: Sequence[Done], number: int, *, done: bool) -> str:
    """Why a step cannot be ticked (or unticked) now; empty when it can. Only moves have an order: each needs the port
    that the one before it has freed."""
    step = next(step for step in steps if step.number == number)
    if step.kind != "move":
        return ""
    moves = [step for step in steps if step.kind == "move"]
    if done:
        before = [step for step in moves if step.number < number]
        first = next((step for step in before if not step.done), None)
        if first is not None:
            return f"Step {first.number} comes first: its port is needed."
        broken = next((step for step in before if step.failed), None)
        return f"Step {broken.number} was looked at and is not right: see to it first." if broken else ""
    later = next((step for step in reversed(moves) if step.number > number and step.done), None)
    return f"Step {later.number} was done after it: take that back first." if later else ""


# ---- what a look at the ports showed ----


def judge_move(
    move: Move, seen: Mapping[PortName, PortName | None], expected: Mapping[PortName, PortName]
) -> tuple[str, str]:
    """(confirmed | failed | "", words) from the far ends that a look saw. A port that is not in `seen` is not known.

    After a pull the port has to be dark; after an insertion it has to lead to where the cable's other plug is by now,
    as `expected_ends` tells. While that one hangs, nothing can be told.
    """
    take, put = port_of(move.get("take_from")), port_of(move.get("put_into"))
    port = put or take
    if port is None or port not in seen:
        return "", f"{_words(port)} could not be looked at." if port else "It has no port to look at."
    far, right = seen[port], expected.get(port)
    if put is None:
        if far is None:
            return "confirmed", f"{_words(port)} is free."
        return "failed", f"{_words(port)} still leads to {_words(far)}."
    if far is not None and far == right:
        return "confirmed", f"{_words(port)} leads to {_words(far)}."
    if right is None and far is None:
        return "", f"{_words(port)}: the other end of its cable hangs, so there is no light yet."
    if far is None:
        return "failed", f"{_words(port)} has no light."
    return "failed", f"{_words(port)} leads to {_words(far)}" + (f", not to {_words(right)}." if right else ".")


def surprises(moves: Sequence[tuple[Move, bool]], seen: Mapping[PortName, PortName | None]) -> list[str]:
    """What lies otherwise than the moves that were done explain: then the rest has to be planned again.

    `moves` are those of one plan in their order, each with whether it was done; `seen` the far ends now. A dark port is
    no surprise: its plug may hang, or sit badly.
    """
    expected = expected_ends(moves)
    ports = {end for move, _ in moves for side in ("take_from", "put_into") if (end := port_of(move.get(side)))}
    return [
        f"{_words(port)} leads to {_words(far)}"
        for port in sorted(ports)
        if (far := seen.get(port)) is not None and far != expected.get(port)
    ]


def expected_ends(moves: Sequence[tuple[Move, bool]]) -> dict[PortName, PortName]:
    """Far ends by port after the moves that were done. `stays` of a move is where its cable's other plug was found."""
    cables: dict[PortName, dict[PortName, PortName | None]] = {}  # by a port where a plug was found: plug -> where now
    for move, _ in moves:
        take, stays = port_of(move.get("take_from")), port_of(move.get("stays"))
        if take is not None and stays is not None and take not in cables:
            cables[take] = cables[stays] = {take: take, stays: stays}
    for move, done in moves:
        take, stays, put = (port_of(move.get(side)) for side in ("take_from", "stays", "put_into"))
        cable = cables.get(take or stays or ("", 0))
        if not done or cable is None:
            continue
        plug = take if take is not None else next((at for at, now in cable.items() if now is None), None)
        if plug is not None:
            cable[plug] = put
    found: dict[PortName, PortName] = {}
    for cable in cables.values():
        one, other = cable.values()
        if one is not None and other is not None:
            found[one], found[other] = other, one
    return found
