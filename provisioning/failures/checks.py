"""Which kind of failure it is when a machine that was installed does not pass its checks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from provisioning.steps import FailureClass

_F = FailureClass
CLASSES: Mapping[str, FailureClass] = {
    "gpu.count": _F.PART_MISSING,
    "gpu.identity": _F.PART_MISSING,
    "hca.identity": _F.PART_MISSING,
    "hca.place": _F.PART_MISSING,
    "memory.dimms": _F.PART_MISSING,
    "memory.size": _F.PART_MISSING,
    "cpu.count": _F.PART_MISSING,
    "pcie.devices": _F.PART_MISSING,
    "pcie.slots": _F.PART_MISSING,
    "bmc.psu": _F.PART_MISSING,
    "nvme.count": _F.DRIVE_FAILED,
    "disk.nvme": _F.DRIVE_FAILED,
    "nvme.pcie_link": _F.PCIE_NARROW,
    "gpu.pcie": _F.PCIE_NARROW,
    "hca.pcie": _F.PCIE_NARROW,
    "hca.pcie_link": _F.PCIE_NARROW,
    "pcie.links": _F.PCIE_NARROW,
    "clock.offset": _F.CLOCK_WRONG,
    "clock.source": _F.CLOCK_WRONG,
}
_LEADS = (_F.WRONG_IDENTITY, _F.PART_MISSING, _F.DRIVE_FAILED, _F.PCIE_NARROW)
"""Of another machine nothing else is said. A part that is not there explains what else is wrong with it; a wrong clock
explains nothing."""


def class_of(results: Iterable[Mapping[str, Any]]) -> FailureClass:
    """`results` as a verification keeps them: `{check, part, verdict, message}`."""
    results = list(results)
    if kind := leading(results):
        return kind
    return _F.CLOCK_WRONG if _classes(results) == {_F.CLOCK_WRONG} else _F.CHECKS_FAILED


def leading(results: Iterable[Mapping[str, Any]]) -> FailureClass | None:
    """The class that explains whatever else fails, if one was seen."""
    found = _classes(results)
    return next((kind for kind in _LEADS if kind in found), None)


def _classes(results: Iterable[Mapping[str, Any]]) -> set[FailureClass]:
    return {_class_of(row) for row in results if row["verdict"] == "fail"}


def _class_of(row: Mapping[str, Any]) -> FailureClass:
    """A check that compares versions and the service tag says by its message which of them it was."""
    if row["check"] == "system.firmware" and str(row["message"]).startswith("service tag "):
        return _F.WRONG_IDENTITY
    return CLASSES.get(str(row["check"]), _F.CHECKS_FAILED)


def words(results: Iterable[Mapping[str, Any]]) -> str:
    """What failed and what was not told, a line each."""
    return "\n".join(
        f"{row['check']} of {row['part']}: {row['message']}" for row in results if row["verdict"] in ("fail", "unknown")
    )
