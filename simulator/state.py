"""What a machine of the virtual hall is doing now, and every way that may change.

Pure: no clock, no network, no disk. Callers give the time (epoch seconds) and, where a boot begins, the new boot id;
the hall keeps the result on disk. `Machine` joins a plan with its state and is what the tools' outputs are made from.
"""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from simulator.heat import answers
from simulator.plan import (
    GpuPlan,
    HcaPlan,
    MachinePlan,
    NvmePlan,
    PsuPlan,
    new_gpu_serial,
    new_gpu_uuid,
    new_part_serial,
)

if TYPE_CHECKING:
    from simulator.fabric.wiring import Wiring
    from simulator.heat.room import Room

Phase = Literal["off", "booting", "installing", "no_os", "up"]


@dataclass
class Fault:
    """One fault that is there now. `until` are the happenings that end it (see faults.py)."""

    name: str
    slot: str
    params: dict[str, Any]
    until: list[str]
    since: float


@dataclass
class PartState:
    """What differs from the plan in one slot: another part after a swap, and the part's own counters.

    `uuid` is what the tools call it by: a GPU's UUID, an HCA's node GUID.
    """

    serial: str
    uuid: str = ""
    swaps: int = 0
    volatile_uncorrectable: int = 0
    aggregate_uncorrectable: int = 0
    remapped_rows: int = 0


@dataclass
class BootOverride:
    enabled: str = "Disabled"
    target: str = "None"
    mode: str = "UEFI"
    http_uri: str = ""


@dataclass
class Setup:
    """What was set up at the BMC: what differs from how it was delivered, and what waits for the next start."""

    password: str = ""
    wrong_logins: int = 0
    locked_until: float = 0.0
    bios: dict[str, Any] = field(default_factory=dict)
    bios_pending: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    ntp: dict[str, Any] = field(default_factory=dict)
    power_restore: str = "LastState"
    boot_order: list[str] = field(default_factory=list)
    firmware: dict[str, str] = field(default_factory=dict)  # component -> version
    firmware_pending: dict[str, str] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class MachineState:
    """The kept state of one machine; `asdict` of it is what stands on disk."""

    power: Literal["on", "off"] = "on"
    boot_id: str = ""
    booted_at: float = 0.0
    up_at: float = 0.0
    installed: bool = True
    installing: bool = False
    boot_uri: str = ""
    led: Literal["Off", "Lit", "Blinking"] = "Off"
    boot_override: BootOverride = field(default_factory=BootOverride)
    media: dict[str, str] = field(default_factory=dict)  # virtual medium -> the image in it
    faults: list[Fault] = field(default_factory=list)
    parts: dict[str, PartState] = field(default_factory=dict)
    dmesg: list[tuple[float, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # made under /run, gone with the next start
    gpu_limits_w: dict[str, float] = field(default_factory=dict)  # slot -> watts, as set; gone with the next start
    images: dict[str, str] = field(default_factory=dict)  # engine, place and name -> digest; empty: removed
    sel: list[dict[str, str]] = field(default_factory=list)
    lifecycle_log: list[dict[str, str]] = field(default_factory=list)
    host_key: str = ""
    authorized_keys: list[str] = field(default_factory=list)
    hostname: str = ""
    ssh_port: int = 0
    redfish_port: int = 0
    revision: int = 0
    setup: Setup = field(default_factory=Setup)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MachineState:
        data = dict(data)
        data["boot_override"] = BootOverride(**data["boot_override"])
        data["faults"] = [Fault(**row) for row in data["faults"]]
        data["parts"] = {slot: PartState(**row) for slot, row in data["parts"].items()}
        data["setup"] = Setup(**data.get("setup", {}))
        data["dmesg"] = [(stamp, text) for stamp, text in data["dmesg"]]
        return cls(**data)


def _identifier(part: GpuPlan | HcaPlan | NvmePlan | PsuPlan) -> str:
    if isinstance(part, GpuPlan):
        return part.uuid
    return part.guid if isinstance(part, HcaPlan) else ""


def first_state(plan: MachinePlan, now: float, boot_id: str) -> MachineState:
    """A machine that has been up for some weeks, or a bare one that is off."""
    if plan.bare:
        return MachineState(power="off", installed=False)
    uptime_s = 86400.0 * (3 + plan.seed % 60) + plan.seed % 86400
    return MachineState(boot_id=boot_id, booted_at=now - uptime_s, up_at=now - uptime_s + 90)


class Machine:
    """A plan and its state together: questions the outputs ask, and the transitions."""

    def __init__(self, plan: MachinePlan, state: MachineState) -> None:
        self.plan = plan
        self.state = state
        # Command -> (revision, good until, packed output), kept by the shell for the probe.
        self.kept_outputs: dict[str, tuple[int, float, str]] = {}
        self.wiring: Wiring | None = None  # the fabric this machine's adapters are plugged into
        self.room: Room | None = None  # the racks and cords that it stands among

    # ---- questions ----

    def phase(self, now: float) -> Phase:
        state = self.state
        if state.power == "off":
            return "off"
        if state.installing:
            return "installing"
        if now < state.up_at:
            return "booting"
        return "up" if state.installed else "no_os"

    def fault(self, name: str, slot: str = "") -> Fault | None:
        """The fault of that name, on that slot when one is given."""
        for fault in self.state.faults:
            if fault.name == name and slot in ("", fault.slot):
                return fault
        return None

    def measured(self, now: float) -> answers.MachineNow | None:
        """Its powers and temperatures; None in a hall that knows no racks."""
        return answers.machine(self.room, self.plan.name, now) if self.room is not None else None

    def dead_supplies(self, now: float) -> set[str]:
        """Those that failed, and those without input."""
        failed = {fault.slot for fault in self.state.faults if fault.name == "psu_lost"}
        measured = self.measured(now)
        return (
            failed | {slot for slot, supply in measured.supplies.items() if supply.input_v == 0} if measured else failed
        )

    def listed_gpus(self) -> list[GpuPlan]:
        """The GPUs the driver still lists, in PCI order; one off the bus is not among them."""
        return [gpu for gpu in self.plan.gpus if not self.fault("gpu_off_bus", gpu.slot)]

    def part(self, slot: str) -> PartState:
        """The part in a slot now. Raises KeyError for a slot this machine does not have."""
        if slot in self.state.parts:
            return self.state.parts[slot]
        for part in self.plan.parts:
            if part.slot == slot:
                return PartState(part.serial, _identifier(part))
        raise KeyError(slot)

    def jobs(self) -> int:
        """Processes that compute on the GPUs."""
        busy = self.fault("gpu_busy")
        return int(busy.params["processes"]) if busy else 0

    def people(self) -> list[str]:
        """Who is logged in at a terminal."""
        there = self.fault("somebody_logged_in")
        return [str(there.params["name"])] if there else []

    def uptime_s(self, now: float) -> float:
        return max(0.0, now - self.state.booted_at)

    def wall_clock(self, now: float) -> float:
        """The machine's own idea of the time, wrong while its clock is skewed."""
        skew = self.fault("clock_skew")
        return now + float(skew.params["seconds"]) if skew else now

    @property
    def hostname(self) -> str:
        return self.state.hostname or self.plan.name

    # ---- transitions ----

    def touch(self) -> None:
        self.state.revision += 1

    def log_kernel(self, now: float, *lines: str) -> None:
        """Add kernel lines with this boot's monotonic stamps, a few microseconds apart."""
        stamp = self.uptime_s(now)
        self.state.dmesg.extend((round(stamp + 9e-6 * n, 6), line) for n, line in enumerate(lines))
        self.touch()

    def end_faults(self, happening: str, slots: set[str] | None = None) -> list[Fault]:
        """End every fault this happening ends (on those slots), and return them."""
        ended = [
            fault for fault in self.state.faults if happening in fault.until and (slots is None or fault.slot in slots)
        ]
        self.state.faults = [fault for fault in self.state.faults if fault not in ended]
        self.touch()
        return ended

    def power_off(self, *, dark: bool = True) -> None:
        """Stop the machine; `dark` when its power really goes, as it does not in a restart."""
        self.state.power = "off"
        self.state.installing = False
        if dark:
            self.end_faults("power_off")

    def boot(self, now: float, boot_id: str, boot_s: float) -> None:
        """Start the operating system afresh: new boot id, empty kernel log, no hangs, reset GPUs."""
        state = self.state
        state.power, state.boot_id, state.booted_at, state.up_at = "on", boot_id, now, now + boot_s
        state.installing = False
        state.dmesg, state.folders, state.gpu_limits_w = [], [], {}
        self.end_faults("boot")
        self._reset_counters(self.plan.slots("gpu"))

    def reset_gpus(self, slots: set[str]) -> None:
        """`nvidia-smi --gpu-reset`: applies a pending remap and zeroes volatile counters; not for a GPU off the bus."""
        reachable = {gpu.slot for gpu in self.listed_gpus()} & slots
        self.end_faults("gpu_reset", reachable)
        self._reset_counters(tuple(reachable))

    def _reset_counters(self, slots: tuple[str, ...]) -> None:
        for slot in slots:
            if slot in self.state.parts:
                self.state.parts[slot].volatile_uncorrectable = 0

    def count_uncorrectable(self, slot: str, errors: int, rows: int) -> None:
        """Memory errors of a GPU: volatile until its next reset, aggregate and remapped rows for its life."""
        part = self.part(slot)
        part.volatile_uncorrectable += errors
        part.aggregate_uncorrectable += errors
        part.remapped_rows += rows
        self.state.parts[slot] = part
        self.touch()

    def replace_part(self, slot: str, serial: str = "", uuid: str = "") -> PartState:
        """Put another part into a slot: its faults leave with the old one. Serial and UUID are made up unless given."""
        old = self.part(slot)
        rng = random.Random(f"{self.plan.serial}/{slot}/{old.swaps + 1}")
        kind = slot.split(" ")[0]
        if kind == "GPU":
            new = PartState(serial or new_gpu_serial(rng), uuid or new_gpu_uuid(rng))
        else:
            uuid = uuid or (f"0x{0x946DAE0400000000 + rng.randrange(1 << 28) * 4:016x}" if kind == "HCA" else "")
            prefix = {"HCA": "MT24", "NVMe": "S6CK", "PSU": "CNLOD"}.get(kind, "RS")
            new = PartState(serial or new_part_serial(rng, prefix, 14 if kind == "PSU" else 12), uuid)
        new.swaps = old.swaps + 1
        self.state.parts[slot] = new
        self.end_faults("replace", {slot})
        return new
