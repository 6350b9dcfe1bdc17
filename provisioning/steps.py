"""The way of one machine through a run: a table of steps, the way of each engine through it, and one pure state machine
over any way. No database, no clock.

A position moves by what happens (`Started`, `Done`, `Heard`, `Failed`, `Late`, `Cancelled`, `Retried`). Whatever comes
twice, late or for a step that is not the current one leaves the position as it is, so that a task that runs twice, a
worker that was lost and a machine that asks again are all harmless.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum


class StepName(StrEnum):
    IDENTITY = "identity"
    BMC_SETUP = "bmc_setup"
    MAAS_RECORD = "maas_record"
    COMMISSION = "commission"
    IRONIC_NODE = "ironic_node"
    INSPECT = "inspect"
    HARDWARE = "hardware"
    CLEAN = "clean"
    DEPLOY = "deploy"
    BOOT_OVERRIDE = "boot_override"
    INSERT_MEDIA = "insert_media"
    POWER_ON = "power_on"
    BOOT_SCRIPT = "boot_script"
    INSTALL_DATA = "install_data"
    PHONE_HOME = "phone_home"
    EJECT_MEDIA = "eject_media"
    SSH = "ssh"
    SOFTWARE = "software"
    GPU_TESTS = "gpu_tests"
    FABRIC = "fabric"
    CHECKS = "checks"
    READY = "ready"


class FailureClass(StrEnum):
    """How a boot ends badly, in the words a ticket uses."""

    NO_BMC = "no_bmc"
    BMC_REFUSES = "bmc_refuses"
    WRONG_IDENTITY = "wrong_identity"
    BMC_SETUP_FAILED = "bmc_setup_failed"
    NO_POWER = "no_power"
    NO_POST = "no_post"
    NO_LINK = "no_link"
    WRONG_PORT = "wrong_port"
    NO_PXE_REQUEST = "no_pxe_request"
    DHCP_FAILED = "dhcp_failed"
    SECOND_DHCP = "second_dhcp"
    TFTP_FAILED = "tftp_failed"
    NO_MEDIA = "no_media"
    MEDIA_UNLICENSED = "media_unlicensed"
    MEDIA_IN_USE = "media_in_use"
    MEDIA_STUCK = "media_stuck"
    BOOTED_ELSEWHERE = "booted_elsewhere"
    NO_INSTALLER = "no_installer"
    INSTALL_DISK = "install_disk"
    INSTALL_NETWORK = "install_network"
    INSTALL_PACKAGE = "install_package"
    INSTALL_FAILED = "install_failed"
    NO_PHONE_HOME = "no_phone_home"
    NO_SSH = "no_ssh"
    SOFTWARE_FAILED = "software_failed"
    GPU_TESTS_FAILED = "gpu_tests_failed"
    FABRIC_FAILED = "fabric_failed"
    PART_MISSING = "part_missing"
    DRIVE_FAILED = "drive_failed"
    PCIE_NARROW = "pcie_narrow"
    CLOCK_WRONG = "clock_wrong"
    CHECKS_FAILED = "checks_failed"
    NO_ENGINE = "no_engine"
    RECORD_LOST = "record_lost"
    COMMISSION_FAILED = "commission_failed"
    INSPECTION_FAILED = "inspection_failed"
    CLEANING_FAILED = "cleaning_failed"
    WRONG_HARDWARE = "wrong_hardware"


class Status(StrEnum):
    """Of a machine in a run."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN = (Status.WAITING, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class StepDeclaration:
    """One step: its time limit in seconds, what it means when the time is over, and how often to look again.

    `poll_s` None: the step ends by a request of the machine itself; the looks are spread over its time. Time alone
    ends no step: it passes too while nobody looks, so a step is late only after `looks` looks.
    """

    name: StepName
    title: str
    limit_s: float
    failure: FailureClass
    poll_s: float | None
    looks: int = 4

    def is_late(self, *, time_is_over: bool, looks: int, silent: int = 0) -> bool:
        """Whether a look that found nothing, the `looks`-th of this step, ends it. `silent` are the looks without an
        answer in a row, this one included: a single one says less than what was seen before it, and is repeated."""
        return time_is_over and looks >= self.looks and silent != 1

    def wait_s(self, time_scale: float) -> float:
        """Seconds until the next look when nothing else is known."""
        return self.limit_s * time_scale / self.looks if self.poll_s is None else self.poll_s


_F = FailureClass
STEPS: tuple[StepDeclaration, ...] = (
    StepDeclaration(StepName.IDENTITY, "BMC answers and is the right machine", 120, _F.NO_BMC, 10),
    StepDeclaration(StepName.BMC_SETUP, "BMC is set up", 1800, _F.BMC_SETUP_FAILED, 5),
    StepDeclaration(StepName.MAAS_RECORD, "MAAS has this machine", 600, _F.NO_ENGINE, 10),
    StepDeclaration(StepName.COMMISSION, "MAAS commissions it", 3600, _F.COMMISSION_FAILED, 15),
    StepDeclaration(StepName.IRONIC_NODE, "Ironic has this machine", 600, _F.NO_ENGINE, 10),
    StepDeclaration(StepName.INSPECT, "Ironic inspects it", 3600, _F.INSPECTION_FAILED, 15),
    StepDeclaration(StepName.HARDWARE, "Its hardware is what the inventory says", 600, _F.NO_ENGINE, 10),
    StepDeclaration(StepName.CLEAN, "Ironic cleans its disks", 14_400, _F.CLEANING_FAILED, 15),
    StepDeclaration(StepName.DEPLOY, "It is deployed", 3600, _F.INSTALL_FAILED, 15),
    StepDeclaration(StepName.BOOT_OVERRIDE, "Boot from the network once", 120, _F.NO_BMC, 10),
    StepDeclaration(StepName.INSERT_MEDIA, "Boot medium is in the virtual CD", 120, _F.NO_BMC, 10),
    StepDeclaration(StepName.POWER_ON, "Power on", 180, _F.NO_BMC, 2),
    StepDeclaration(StepName.BOOT_SCRIPT, "Machine asks for its boot script", 900, _F.NO_PXE_REQUEST, None),
    StepDeclaration(StepName.INSTALL_DATA, "Installer fetches its data", 900, _F.NO_INSTALLER, None),
    StepDeclaration(StepName.PHONE_HOME, "Installed machine phones home", 3600, _F.NO_PHONE_HOME, None),
    StepDeclaration(StepName.EJECT_MEDIA, "Boot medium is out of the virtual CD", 300, _F.MEDIA_STUCK, 10),
    StepDeclaration(StepName.SSH, "SSH answers with the expected host key", 600, _F.NO_SSH, 5),
    StepDeclaration(StepName.SOFTWARE, "Base software is installed", 14_400, _F.SOFTWARE_FAILED, 5),
    StepDeclaration(StepName.GPU_TESTS, "Its GPUs pass their tests", 28_800, _F.GPU_TESTS_FAILED, 10),
    StepDeclaration(StepName.FABRIC, "Its InfiniBand links pass under load", 7200, _F.FABRIC_FAILED, 10),
    StepDeclaration(StepName.CHECKS, "All checks pass", 900, _F.CHECKS_FAILED, 15),
    StepDeclaration(StepName.READY, "Ready for service", 120, _F.CHECKS_FAILED, 5),
)
BY_NAME = {step.name: step for step in STEPS}

HEARD_STEPS = (StepName.BOOT_SCRIPT, StepName.INSTALL_DATA, StepName.PHONE_HOME)
"""Steps that end when the machine itself asks or reports."""
LISTENING = (StepName.POWER_ON, StepName.DEPLOY, *HEARD_STEPS)
"""Steps during which the machine may speak: it can ask before its BMC says that it is on, or phone home before its
deployer says that it is done."""
ACCEPTANCE = (StepName.SOFTWARE, StepName.GPU_TESTS, StepName.FABRIC)
"""What a run may ask of an installed machine before its checks; each is done by a run of its own over all who wait."""
KEEPS_INSTALLATION = (StepName.EJECT_MEDIA, StepName.SSH, *ACCEPTANCE, StepName.CHECKS, StepName.READY)
"""After a failure here the installation stands: a retry goes on from SSH instead of installing again."""


@dataclass(frozen=True, slots=True)
class Way:
    """The steps of a machine in a run, in order; which they are says its engine. None comes twice."""

    steps: tuple[StepName, ...]

    @property
    def first_call(self) -> StepName | None:
        """The step at which the machine calls for the first time, started by us; its silence is to be explained."""
        return next((step for step in (StepName.BOOT_SCRIPT, StepName.INSTALL_DATA) if self.has(step)), None)

    def has(self, step: StepName) -> bool:
        return step in self.steps

    def fetches(self, step: StepName) -> bool:
        """Whether a machine at this step still needs the boot server of its site, for kernel, image and packages."""
        return self.first_call is not None and self.number(step) <= self.number(StepName.PHONE_HOME)

    def with_bmc_setup(self) -> Way:
        """The same with the BMC set up as soon as it is known to be that of the machine."""
        first, *others = self.steps
        return Way((first, StepName.BMC_SETUP, *others))

    def with_acceptance(self, wanted: Collection[StepName]) -> Way:
        """The same with these of ACCEPTANCE before the checks, in their order."""
        at = self.number(StepName.CHECKS)
        return Way((*self.steps[:at], *(step for step in ACCEPTANCE if step in wanted), *self.steps[at:]))

    def number(self, step: StepName) -> int:
        return self.steps.index(step)

    def following(self, step: StepName) -> StepName | None:
        number = self.number(step) + 1
        return self.steps[number] if number < len(self.steps) else None


_S = StepName
TO_SERVICE = (_S.SSH, _S.CHECKS, _S.READY)
INSTALL = Way((_S.IDENTITY, _S.BOOT_OVERRIDE, _S.POWER_ON, _S.BOOT_SCRIPT, _S.INSTALL_DATA, _S.PHONE_HOME, *TO_SERVICE))
"""A bare machine is made to ask for its installer, and tells how far it is."""
MEDIA = Way((_S.IDENTITY, _S.INSERT_MEDIA, _S.POWER_ON, _S.INSTALL_DATA, _S.PHONE_HOME, _S.EJECT_MEDIA, *TO_SERVICE))
"""A bare machine starts its installer from a medium that has its data."""
ADOPT = Way((_S.IDENTITY, *TO_SERVICE))
"""A machine runs already: it is only looked at."""
MAAS = Way((_S.IDENTITY, _S.MAAS_RECORD, _S.COMMISSION, _S.HARDWARE, _S.DEPLOY, _S.PHONE_HOME, *TO_SERVICE))
"""A site's MAAS starts, reads and installs it."""
IRONIC = Way((_S.IDENTITY, _S.IRONIC_NODE, _S.INSPECT, _S.HARDWARE, _S.CLEAN, _S.DEPLOY, _S.PHONE_HOME, *TO_SERVICE))
"""A site's Ironic does."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a machine stands. `step` is the current one, or the one to begin with while waiting."""

    status: Status = Status.WAITING
    step: StepName = StepName.IDENTITY
    attempt: int = 0
    failure: FailureClass | None = None
    way: Way = INSTALL


@dataclass(frozen=True, slots=True)
class Started:
    """The run has room for this machine."""


@dataclass(frozen=True, slots=True)
class Done:
    """What the step was to reach is reached."""

    step: StepName


@dataclass(frozen=True, slots=True)
class Heard:
    """The machine itself asked or reported: everything up to this step is behind it."""

    step: StepName


@dataclass(frozen=True, slots=True)
class Failed:
    """The step cannot be reached any more."""

    step: StepName
    failure: FailureClass


@dataclass(frozen=True, slots=True)
class Late:
    """The step's time is over; `failure` overrides the step's own class when more is known."""

    step: StepName
    failure: FailureClass | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Somebody cancelled it. `to_people`: the machine is not bare again, people have to look at it."""

    to_people: bool = False


@dataclass(frozen=True, slots=True)
class Retried:
    """A person wants another attempt."""


Happening = Started | Done | Heard | Failed | Late | Cancelled | Retried


def resume_from(position: Position) -> StepName:
    """The step a new attempt begins with."""
    if position.status is Status.FAILED and position.step in KEEPS_INSTALLATION:
        return StepName.EJECT_MEDIA if position.step is StepName.EJECT_MEDIA else StepName.SSH
    return StepName.IDENTITY


def _passed(position: Position, step: StepName) -> Position:
    after = position.way.following(step)
    if after is None:
        return replace(position, status=Status.DONE, step=step)
    return replace(position, step=after)


def move(position: Position, happening: Happening) -> Position:
    """The position after something happened; the same one when it does not apply."""
    running = position.status is Status.RUNNING
    number = position.way.number
    match happening:
        case Started() if position.status is Status.WAITING:
            return replace(position, status=Status.RUNNING, attempt=position.attempt + 1)
        case Done(step) if running and step is position.step:
            return _passed(position, step)
        case Heard(step) if running and position.step in LISTENING and step in HEARD_STEPS and position.way.has(step):
            return _passed(position, step) if number(position.step) <= number(step) else position
        case Failed(step, failure) if running and step is position.step:
            return replace(position, status=Status.FAILED, failure=failure)
        case Late(step, failure) if running and step is position.step:
            return replace(position, status=Status.FAILED, failure=failure or BY_NAME[step].failure)
        case Cancelled() if position.status in OPEN:
            return replace(position, status=Status.CANCELLED)
        case Retried() if position.status in (Status.FAILED, Status.CANCELLED):
            return replace(position, status=Status.WAITING, step=resume_from(position), failure=None)
    return position


def run_status(statuses: list[Status]) -> Status:
    """What a run is, from its machines: it has ended when all of them have."""
    if all(status is Status.WAITING for status in statuses):
        return Status.WAITING
    if any(status in OPEN for status in statuses):
        return Status.RUNNING
    for ending in (Status.FAILED, Status.CANCELLED):
        if ending in statuses:
            return ending
    return Status.DONE


class Power(StrEnum):
    """What to tell the BMC next."""

    NOTHING = "nothing"
    OFF = "off"
    ON = "on"


def may_order_off(phase: str) -> bool:
    """Whether a look that begins in this phase may switch the machine off, and so stop what runs on it.

    Of an order that was given before nobody knows whether it reached the machine, and minutes may lie between.
    """
    return phase != "on"


def power_phase(phase: str, power_state: str) -> tuple[Power, str, bool]:
    """Restart a machine safely across lost workers: what to order, the phase to remember, and whether it is done.

    A phase is stored before its order is given, and an order is repeated until it shows: a worker lost in between
    costs one more look, never a machine that is on from before and taken for restarted. Phases: "" (not looked yet),
    "off" (is to be off), "on" (was seen off, is to be on).
    """
    is_on = power_state != "off"
    if phase == "on":
        return (Power.NOTHING, "on", True) if power_state == "on" else (Power.ON, "on", False)
    if not is_on:
        return Power.NOTHING, "on", False
    return (Power.OFF if phase == "off" else Power.NOTHING), "off", False
