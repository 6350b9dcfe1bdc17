"""The parts that a BMC shows beside the slots of the device model, and the serials that the inventory lacks. Pure.

A kind of which a BMC shows none is not told, and not missing: many BMCs show some kinds only while the machine is on,
or never. Missing is what is fewer than the slots, where it shows some.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.counts import counted
from provisioning.discovery.hardware import Part

WORDS = {"gpu": "GPU", "hca": "HCA", "nvme": "NVMe drive", "psu": "PSU", "dimm": "DIMM", "cpu": "CPU"}
COUNTED_OVER = ("gpu", "psu", "dimm", "cpu")
"""Of these more than the model has slots is told as well; cards and drives are added by many a site."""
MOST_NAMED = 4
_FILLER = re.compile(r"slot|socket|status|location|[^a-z0-9]")
_GPU = re.compile(r"\b(?:[a-z]{1,3}\d{2,4}[a-z]?)\b")


@dataclass(frozen=True, slots=True)
class Slot:
    name: str
    kind: str
    label: str = ""
    pci: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a device model has, and the serials that the inventory knows of one machine's parts, by slot."""

    slots: tuple[Slot, ...] = ()
    gpu_type: str = ""
    installed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Compared:
    """`problems` in words, `write` the parts that acceptance would write, as a device's `parts` take them."""

    problems: tuple[str, ...] = ()
    not_told: tuple[str, ...] = ()
    write: tuple[dict[str, str], ...] = ()


def compared(parts: Sequence[Part], expected: Expected) -> Compared:
    by_kind: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_kind[part.kind].append(part)
    problems: list[str] = []
    not_told: list[str] = []
    for kind, wanted in planned_counts(expected.slots).items():
        found = len(by_kind[kind])
        if not found:
            not_told.append(WORDS[kind])
        elif found < wanted or (found > wanted and kind in COUNTED_OVER):
            problems.append(f"{counted(found, WORDS[kind])} of {wanted}{_where(by_kind[kind], kind, expected)}")
    problems += _other_gpus(by_kind["gpu"], expected.gpu_type)
    placed = _placed(parts, expected.slots)
    problems += _swapped(placed, expected.installed)
    write = tuple(_row(slot, part) for slot, part in placed.items() if part.serial and not expected.installed.get(slot))
    return Compared(tuple(problems), tuple(not_told), write)


def planned_counts(slots: Sequence[Slot]) -> dict[str, int]:
    """Parts of each kind. A card with several ports has a slot for each, and is one part: they share a PCI device."""
    cards = {(slot.kind, slot.pci.rpartition(".")[0] or slot.name) for slot in slots if slot.kind in WORDS}
    return dict(Counter(kind for kind, _ in sorted(cards)))


def _where(found: Sequence[Part], kind: str, expected: Expected) -> str:
    """Which slots are empty, where every part that is there could be placed."""
    slots = [slot for slot in expected.slots if slot.kind == kind]
    placed = _placed(found, slots)
    empty = [slot.name for slot in slots if slot.name not in placed]
    if len(placed) != len(found) or not empty or len(empty) > MOST_NAMED:
        return ""
    return f": none in {', '.join(empty)}"


def _other_gpus(gpus: Sequence[Part], planned: str) -> list[str]:
    """`NVIDIA H100 80GB HBM3` and `H100 SXM5` are one kind, an H200 is another."""
    wanted = set(_GPU.findall(planned.lower()))
    others = Counter(
        gpu.model for gpu in gpus if wanted and (told := set(_GPU.findall(gpu.model.lower()))) and not told & wanted
    )
    return [f"{counted(count, 'GPU')} of another kind: {model}, planned: {planned}" for model, count in others.items()]


def _swapped(placed: Mapping[str, Part], installed: Mapping[str, str]) -> list[str]:
    """An observed identity that differs from the installed one is told, never written over."""
    at = {serial: slot for slot, serial in installed.items() if serial}
    told: dict[str, list[str]] = defaultdict(list)
    for slot, part in placed.items():
        known = installed.get(slot, "")
        if known and part.serial and part.serial.upper() != known.upper():
            there = f", which it has in {at[part.serial]}" if part.serial in at else ""
            told[part.kind].append(f"{slot} has serial {part.serial}{there}; the inventory has {known} there")
    problems = []
    for kind, found in told.items():
        rest = len(found) - MOST_NAMED
        problems += found[:MOST_NAMED] + ([f"{counted(rest, WORDS[kind])} more have other serials"] if rest > 0 else [])
    return problems


def _placed(parts: Sequence[Part], slots: Sequence[Slot]) -> dict[str, Part]:
    """Slots with the part in them, as far as names say so: a name that could mean two slots means none."""
    by_key: dict[tuple[str, str], set[str]] = defaultdict(set)
    for slot in slots:
        for key in _keys(slot.kind, (slot.name, slot.label)):
            by_key[slot.kind, key].add(slot.name)
    claims: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        for key in _keys(part.kind, part.names):
            if len(found := by_key.get((part.kind, key), set())) == 1:
                claims[next(iter(found))].append(part)
                break
    return {slot: claimed[0] for slot, claimed in claims.items() if len(claimed) == 1}


def _keys(kind: str, names: Sequence[str]) -> list[str]:
    """`PSU.Slot.1`, `PSU 1` and `1` are one name of a supply."""
    plain = (_FILLER.sub("", name.lower()) for name in names if name)
    return list(dict.fromkeys(key for text in plain if (key := text.removeprefix(kind) or text)))


def _row(slot: str, part: Part) -> dict[str, str]:
    told = {"vendor": part.vendor, "part_number": part.part_number, "serial": part.serial}
    return {"slot": slot, **{name: value for name, value in told.items() if value}}
