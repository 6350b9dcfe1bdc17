"""Machines of runs that fail or hang alike: many at one step at the same time are one cause, not as many. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from provisioning.steps import FailureClass, StepName

LEAST = 3
"""So many alike are no coincidence."""

COMMON: dict[FailureClass, str] = {
    FailureClass.NO_BMC: "the management network, or the BMCs' password",
    FailureClass.BMC_REFUSES: "the BMCs' password",
    FailureClass.WRONG_IDENTITY: "the inventory: serials or addresses of another delivery",
    FailureClass.NO_POWER: "the power feed, its breakers and PDUs",
    FailureClass.NO_POST: "the firmware of this delivery",
    FailureClass.NO_LINK: "the switch of the boot network",
    FailureClass.WRONG_PORT: "the cabling plan of the boot network",
    FailureClass.NO_PXE_REQUEST: "DHCP or TFTP of the boot network",
    FailureClass.DHCP_FAILED: "the DHCP server of the boot network: its hosts, its relay, the VLAN of the ports",
    FailureClass.SECOND_DHCP: "the second DHCP server of the boot network",
    FailureClass.TFTP_FAILED: "TFTP of the boot server: its files, a firewall, packets lost on the way",
    FailureClass.NO_MEDIA: "the way from the BMCs to Rackside, or the prepared boot image",
    FailureClass.MEDIA_UNLICENSED: "the licences that this delivery was ordered with",
    FailureClass.MEDIA_IN_USE: "whoever else inserts images into these BMCs",
    FailureClass.MEDIA_STUCK: "the firmware of the BMCs",
    FailureClass.BOOTED_ELSEWHERE: "the boot settings or the BMC firmware of this delivery",
    FailureClass.NO_INSTALLER: "the image server, or the network of the installer",
    FailureClass.INSTALL_DISK: "the storage part of the site's autoinstall file",
    FailureClass.INSTALL_NETWORK: "the network of the installer: its gateway, its name servers",
    FailureClass.INSTALL_PACKAGE: "the package mirror",
    FailureClass.INSTALL_FAILED: "the image server, or the site's autoinstall file",
    FailureClass.NO_PHONE_HOME: "the way from the installed system to Rackside",
    FailureClass.NO_SSH: "the network of the installed system, or its SSH key",
    FailureClass.PART_MISSING: "what this delivery was ordered with, or the device model",
    FailureClass.DRIVE_FAILED: "the drives of this delivery, or the device model",
    FailureClass.PCIE_NARROW: "the risers or the firmware of this delivery",
    FailureClass.CLOCK_WRONG: "the time source",
    FailureClass.BMC_SETUP_FAILED: "the profile of the model, or the firmware of its BMCs",
    FailureClass.NO_ENGINE: "the site's MAAS or Ironic: its login, its controllers, its free addresses",
    FailureClass.RECORD_LOST: "whoever works in the site's MAAS or Ironic",
    FailureClass.COMMISSION_FAILED: "the commissioning scripts, or the boot network of MAAS",
    FailureClass.INSPECTION_FAILED: "the BMCs of this delivery, or what Ironic boots to inspect",
    FailureClass.CLEANING_FAILED: "what Ironic boots to clean, or the drives of this delivery",
    FailureClass.WRONG_HARDWARE: "the device model, or another delivery",
    FailureClass.CHECKS_FAILED: "the installed image, or a check that is wrong",
}
"""What machines that fail so have in common, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A machine of a run that failed at a step, or hangs there. `rack` is empty where it is not mounted; `feeds` are
    the power feeds that its cords lead to."""

    run_machine: int
    machine_id: int
    name: str
    step: StepName
    failure: FailureClass
    rack: str = ""
    feeds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Alike:
    """Troubles of one kind, by name, and where to look first. `feed`: the power feed that all of them hang on."""

    step: StepName
    failure: FailureClass
    troubles: tuple[Trouble, ...]
    feed: str = ""

    @property
    def names(self) -> list[str]:
        return [trouble.name for trouble in self.troubles]

    @property
    def cause(self) -> str:
        """The likely common cause, in words."""
        if self.feed:
            return f"all hang on the power feed {self.feed}: its breaker, then the PDUs on it"
        racks = {trouble.rack for trouble in self.troubles}
        if len(racks) == 1 and (rack := racks.pop()):
            return f"all are in rack {rack}: its management switch or its power, then {COMMON[self.failure]}"
        return COMMON[self.failure]

    @property
    def text(self) -> str:
        """One sentence for a log, a ticket and a screen."""
        shown = ", ".join(self.names[:8]) + (f" and {len(self.names) - 8} more" if len(self.names) > 8 else "")
        return f"{len(self.names)} machines fail alike at {self.step}: {shown}. First check {self.cause}."


def groups(troubles: Iterable[Trouble]) -> list[Alike]:
    """Those that LEAST or more machines have alike, the largest first."""
    found: dict[tuple[StepName, FailureClass], dict[int, Trouble]] = defaultdict(dict)
    for trouble in troubles:
        found[trouble.step, trouble.failure].setdefault(trouble.machine_id, trouble)
    alike = [
        Alike(step, failure, tuple(sorted(some, key=lambda trouble: trouble.name)), feed)
        for (step, failure), those in found.items()
        for feed, some in _causes(failure, list(those.values()))
        if len(some) >= LEAST
    ]
    return sorted(alike, key=lambda each: (-len(each.troubles), each.step, each.troubles[0].name))


def _causes(failure: FailureClass, troubles: Sequence[Trouble]) -> Iterator[tuple[str, Sequence[Trouble]]]:
    """Troubles of one kind by what they have in common: a feed that is dark, a rack, and what is left.

    A rack is a cause of its own as long as few are: so many of them alike have one above them.
    """
    if failure is FailureClass.NO_POWER and (feed := _dark_feed(troubles)):
        yield feed, [trouble for trouble in troubles if feed in trouble.feeds]
        yield from _causes(failure, [trouble for trouble in troubles if feed not in trouble.feeds])
        return
    by_rack = Counter(trouble.rack for trouble in troubles if trouble.rack)
    racks = [rack for rack, count in by_rack.items() if count >= LEAST]
    racks = racks if len(racks) < LEAST else []
    for rack in racks:
        yield "", [trouble for trouble in troubles if trouble.rack == rack]
    yield "", [trouble for trouble in troubles if trouble.rack not in racks]


def _dark_feed(troubles: Sequence[Trouble]) -> str:
    """The feed that most of them hang on, where that is no coincidence."""
    counts = Counter(feed for trouble in troubles for feed in sorted(trouble.feeds))
    feed, most = max(counts.items(), key=lambda each: each[1], default=("", 0))
    return feed if most >= LEAST else ""
