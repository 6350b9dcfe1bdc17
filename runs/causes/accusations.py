"""Which fault of a machine a verdict comes to, if any. Pure; one table.

Only hardware that the verdict names surely enough: a wrong accusation takes a machine out of service. What is software,
the user's, the scheduler's or not known touches no machine. `slurm-nodefail` opens nothing by itself: whether a machine
answers is what sweeps find out.
"""

from __future__ import annotations

from typing import NamedTuple

from runs.causes.classes import HARDWARE
from runs.causes.faults import ENDS, SLOWS

CHECK = "run.verdict"
"""What shows a fault, in the words of checks: not one of the catalogue, a training run."""
SURE = 0.8
"""Below, two causes were about as likely."""

SHOWS: dict[str, str] = {
    "gpu-lost": "gpu.bus",
    "cuda-ecc": "gpu.memory",
    "cuda-unknown": "gpu.suspect",
    "gpu-bad-allocation": "gpu.suspect",
}
"""Class of ending to class of fault (`health/checks/data/fault_classes.csv`), where health saw nothing yet."""


class Said(NamedTuple):
    """Of a verdict, what decides."""

    cause: str
    owner: str | None
    hardware: bool | None
    confidence: float


def fault_class_of(said: Said, known: str | None = None) -> str | None:
    """The class of fault that the verdict shows on its machine; None: it accuses nobody.

    `known`: the class of the fault that health saw there and that the verdict rests on. It is joined, not doubled.
    """
    if said.owner != HARDWARE or said.hardware is not True or said.confidence < SURE:
        return None
    if known is not None:
        return known if said.cause in (ENDS.get(known), SLOWS.get(known)) else None
    return SHOWS.get(said.cause)
