"""A delivery in which some machines have a defect: one of each kind in turn, and how its first boot must end.

The names of the ends are those of `provisioning.steps.FailureClass`; the hall itself never imports the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Defect:
    """A fault of the hall and the class of failure in which a run must find it. `slot` of a part that has it."""

    fault: str
    ends_as: str
    params: Mapping[str, Any] = field(default_factory=dict)
    slot: str = ""


DEFECTS: tuple[Defect, ...] = (
    Defect("bmc_dead", "no_bmc"),
    Defect("no_power", "no_power"),
    Defect("install_fails", "install_disk", {"at": "disk"}),
    Defect("gpu_off_bus", "part_missing", slot="GPU 5"),
    Defect("no_link", "no_link"),
    Defect("wrong_identity", "wrong_identity"),
    Defect("install_fails", "install_network", {"at": "network"}),
    Defect("nvme_failing", "drive_failed", slot="NVMe 1"),
    Defect("no_post", "no_post"),
    Defect("bmc_password", "bmc_refuses"),
    Defect("install_fails", "install_package", {"at": "package"}),
    Defect("nvme_narrow", "pcie_narrow", slot="NVMe 2"),
    Defect("wrong_port", "wrong_port"),
    Defect("bmc_stalls", "no_bmc", {"at": "tcp"}),
    Defect("no_image", "no_installer"),
    Defect("clock_skew", "clock_wrong"),
    Defect("no_pxe_request", "no_pxe_request"),
    Defect("no_ssh_after_install", "no_ssh"),
    Defect("install_fails", "no_phone_home", {"at": ""}),
    Defect("wrong_vbios", "checks_failed", slot="GPU 1"),
)
"""Every way in which the hall can spoil a first boot; spread, so that a small delivery has some of each stage."""


def end_of(defect: Defect | None) -> tuple[str, str]:
    """Status and class of failure in which a machine with this defect, or without one, must end."""
    return ("failed", defect.ends_as) if defect else ("done", "")


def defects_of(names: Sequence[str], every: int = 10) -> dict[str, Defect]:
    """Which machines of a delivery have which defect: each `every`-th one, the kinds in turn."""
    return {name: DEFECTS[number % len(DEFECTS)] for number, name in enumerate(names[::every])}
