"""Which spare machine stands nearest to one that leaves a run: the same leaf, then the pod, then anywhere. Pure.

A collective crosses as few switches as before where the replacement hangs at the same leaf; within a pod it crosses one
tier more. Among equally near ones the golden set goes first: those are known to be as fast as the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Standing(NamedTuple):
    """Where a machine hangs in the fabric. `leaf` is that of its first rail: machines behind it share all others."""

    machine: int
    name: str
    leaf: str = ""
    """Empty: not known."""
    pod: str = ""
    """Names the leaves that share their spines; empty: not known."""
    golden: bool = False
    idle: bool = True
    """The scheduler says that nothing runs there."""


class Spare(NamedTuple):
    standing: Standing
    where: str
    """`leaf`, `pod` or `anywhere`."""


ORDER = ("leaf", "pod", "anywhere")


def where(gone: Standing, spare: Standing) -> str:
    if gone.leaf and spare.leaf == gone.leaf:
        return "leaf"
    return "pod" if gone.pod and spare.pod == gone.pod else "anywhere"


def nearest(gone: Standing, spares: Iterable[Standing]) -> list[Spare]:
    """The spares, the best first; the machine itself is none."""
    found = [Spare(spare, where(gone, spare)) for spare in spares if spare.machine != gone.machine]
    return sorted(found, key=lambda one: (
        ORDER.index(one.where), not one.standing.golden, not one.standing.idle, one.standing.name,
    ))  # fmt: skip


def shortage(gone: Standing, found: list[Spare]) -> str:
    """What is missing nearby, in words; empty where a spare hangs at the same leaf."""
    if not found:
        return "No spare in service is free."
    if found[0].where == "leaf":
        return ""
    if not gone.leaf:
        return f"It is not known at which leaf {gone.name} hangs."
    if found[0].where == "pod":
        return f"No spare at {gone.leaf}: the nearest is in the same pod."
    return f"No spare at {gone.leaf} nor in its pod."
