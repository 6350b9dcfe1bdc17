"""Adapters that stand in their place and report another number, `ibp11s0f0` for `ibp11s0f1`. Pure.

One finding for all machines on which the same names are mixed up. Nothing is moved for it: the names come first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fabric.facts import DeviceRole
from fabric.reconcile.clean import Book, Net, adapter_of
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.misnamed import reported_group
from fabric.reconcile.naming import Naming

SLOT = "Compare the card's GUID, or its slot, with its name: names follow the slots, the kernel and the firmware."
RENAME = "Set the names, or the plan, right first. No cable is moved for it."
PHOTO = "Only if the names are right: the cables are crossed on all of them. Ask for a photo before any is moved."
OTHER_PORT = "Check which port of the card the cable sits in: {reported} or {planned}."
_DIGITS = re.compile(r"\d+")

Pair = tuple[str, str]  # reported, planned


def adapter_findings(net: Net, book: Book, naming: Naming, recorded: Mapping[str, str]) -> list[Finding]:
    """One for each set of names that are mixed up with one another, or on the same machines."""
    nodes: dict[Pair, dict[str, str]] = {}  # to the GUID by planned device
    for guid, device in naming.names.items():
        description = net.nodes[guid].description
        if description != device and book.plan.devices[device].role is DeviceRole.ADAPTER:
            reported, planned = adapter_of(description), adapter_of(device)
            if _is_other(reported, planned) and reported_group(net, book, guid) == book.group[device]:
                nodes.setdefault((reported, planned), {})[device] = guid
    alike: dict[frozenset[str], list[Pair]] = {}  # what is mixed up on the same machines has one cause
    for pairs in _together(nodes):
        alike.setdefault(frozenset(book.group[device] for pair in pairs for device in nodes[pair]), []).extend(pairs)
    found = []
    for pairs in alike.values():
        guids = {device: guid for pair in pairs for device, guid in nodes[pair].items()}
        found.append(_finding(book, pairs, guids, recorded))
    return found


def _is_other(reported: str, planned: str) -> bool:
    """Another number of the same kind of name; `mlx5_0` and `ib0` are two ways of calling one thing."""
    return bool(reported) and reported != planned and _DIGITS.sub("0", reported) == _DIGITS.sub("0", planned)


def _together(pairs: Mapping[Pair, object]) -> list[list[Pair]]:
    """Pairs that share a name, and those that share one with them."""
    sets: list[tuple[set[str], list[Pair]]] = []
    for pair in sorted(pairs):
        names, mine = set(pair), [pair]
        rest = []
        for other, theirs in sets:
            if names.isdisjoint(other):
                rest.append((other, theirs))
            else:
                names, mine = names | other, [*theirs, *mine]
        sets = [*rest, (names, mine)]
    return [sorted(mine) for _, mine in sets]


def _finding(book: Book, pairs: list[Pair], guids: Mapping[str, str], recorded: Mapping[str, str]) -> Finding:
    machines = list(dict.fromkeys(book.group[device] for device in guids))
    said = "; ".join(f"{reported} stands at the place of {planned}" for reported, planned in pairs)
    known = [device for device, guid in guids.items() if recorded.get(guid) == device]
    reported, planned = pairs[0]
    single = len(pairs) == 1 and len(machines) == 1
    where = machines[0] if len(machines) == 1 else f"{len(machines)} machines"
    text = f"On {where} {said}."
    if known:
        text += f" By the recorded GUIDs of {len(known)} of {len(guids)} the cards are in their places: rename them."
    elif single:
        text += " Either the cable sits in the other port of the card, or one of the two names is wrong."
    else:
        text += " The same on several adapters at once is no hand's work: they were given other numbers."
    checks = (OTHER_PORT.format(reported=reported, planned=planned),) if single and not known else ()
    return Finding(
        Kind.ADAPTER_NAMES,
        key("adapters", *sorted({name for pair in pairs for name in pair}), *(machines if single else ())),
        Severity.LOW,
        f"Adapters of {where} report other numbers than planned: {said}"[:300],
        text,
        tuple(guids),
        evidence={
            "machines": machines,
            "pairs": [list(pair) for pair in pairs],
            "recorded": known,
        },
        checks=(*checks, RENAME) if known or single else (SLOT, RENAME, PHOTO),
    )
