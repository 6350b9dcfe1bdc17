"""What a work order says and in which order it is done: steps by kind of finding, in a technician's words. Pure.

A move is a dict as `/api/fabric/findings/` shows it: {n, cable, take_from, put_into, text, ..}, its ports
{device, port, cage, lane, place, ..} or None.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from fabric.reconcile.kept import Kept
from fabric.reconcile.replan import LinksNow, StepState, check_steps

Move = Mapping[str, Any]
PortName = tuple[str, int]
Signature = tuple[str, PortName | None, PortName | None]

NO_HANDS = frozenset({"misnamed", "unnamed", "stale_ends", "adapter_names", "plan_error"})
"""Findings that nobody goes to the room for: names are proposed and written, stale data is read again, plans put
right."""
CAUSES = frozenset({"exchanged_devices", "device_at_other_place", "duplicate_name", "stranger", "crossed_lanes"})
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
    if finding_kind in ("device_off", "area_off"):
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
        f"A connector that hangs or sits in the port next to it is often {cable} itself.",
    )
    return [
        *([first] if look_beside else []),
        OrderStep("reseat", f"Reseat {cable} at both ends", "Pull, inspect the connector, push until it clicks."),
        OrderStep(
            "clean", f"Clean both ends of {cable}", "Connector and optic, with a fibre cleaner. A DAC needs none."
        ),
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
        OrderStep("clean", f"Clean both ends of {cable}", f"Connector and optic, with a fibre cleaner. {after}"),
        OrderStep(
            "reseat", f"Reseat {cable} at both ends", f"Pull, inspect the connector, push until it clicks. {after}"
        ),
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
    return [*steps, OrderStep("verify", "Press Resolve and verify", verify)]


def _two(check: str) -> tuple[str, str]:
    """A check as title and detail."""
    return (check, "") if len(check) <= 200 else (f"{check[:197]}..", check)


# ---- moves ----


def move_step(move: Move) -> OrderStep:
    """A move as a step: the short form as title, the whole sentence below."""
    return OrderStep("move", move_title(move)[:200], str(move.get("text", "")), move)


def move_title(move: Move) -> str:
    """Such as `Move C00164 from leaf-01 cage 11 lower to leaf-01 cage 3 upper`."""
    cable = " or ".join(move.get("printed") or ()) or move.get("cable") or "a cable"
    take, put = _socket(move.get("take_from")), _socket(move.get("put_into"))
    if take and put:
        return f"Move {cable} from {take} to {put}"
    if put:
        return f"Plug {cable}, the one that hangs, into {put}"
    return f"Pull {cable} out of {take}" if take else f"Check {cable}"


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
        return f"Step {broken.number} was checked and is not right: fix it first." if broken else ""
    later = next((step for step in reversed(moves) if step.number > number and step.done), None)
    return f"Step {later.number} was done after it: take that back first." if later else ""


class Touching(Protocol):
    """A step as far as hands go; `move` is None for what is no move."""

    kind: str
    move: Mapping[str, Any] | None


def touches(step: Touching) -> bool:
    """Whether hands are on a cable or a card in this step."""
    return step.move is not None or step.kind in ("clean", "reseat", "swap")


def drains_of(step: Touching) -> list[Any] | None:
    """The live links that it takes down; None: all of its ticket."""
    return None if step.move is None else step.move.get("drains", [])


# ---- what a look at the ports showed ----


def judge_move(plan: Kept, done: Collection[int], number: int, seen: LinksNow) -> tuple[str, str]:
    """(confirmed | failed | "", words) of one move from the far ends that a look saw; a port that is not in `seen` is
    not known. `done` are the moves that were ticked.

    After a pull its port must not lead where it did; after an insertion, to where the cable's other plug is by now, on
    every lane. While that one hangs, nothing can be told.
    """
    move = next((each for each in plan.moves if each.n == number), None)
    if move is None:
        return "", "It is of an earlier plan."
    ports = move.puts or move.takes
    hidden = [_words(port) for port in ports if port not in seen]
    if hidden:
        return "", f"{', '.join(hidden)} could not be checked."
    check = check_steps(plan.found, plan.wanted, plan.moves, done, seen).steps[number]
    words = "; ".join(
        f"{_words(port)} leads to {_words(far)}" if (far := seen[port]) else f"{_words(port)} has no light"
        for port in ports
    )
    if check.state is StepState.DONE and any(seen[port] for port in ports):
        return "failed", f"{words}; the other end of its cable should hang."
    if check.state is StepState.DONE:
        return "", f"{words}: the other end of its cable hangs."
    outcome = check.state.value if check.state in (StepState.CONFIRMED, StepState.FAILED) else ""
    return outcome, f"{check.reason or words}."
