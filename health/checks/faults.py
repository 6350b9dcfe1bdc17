"""The classes of fault a check can show, in one table: what leads when several stand in one slot, and what to do.

Within one machine and slot the most precedent class leads: a GPU that is gone explains its missing links, never the
other way round. The rung is the first step of the remediation ladder that can help: a finding may name a higher one.
What only hands or a decision can mend, and what is known by silence alone, starts at a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from health.remediation.types import Rung, Severity


class Precedence(IntEnum):
    """0 leads."""

    GONE = 0
    BUS = 1
    LINK = 2
    DEGRADED = 3


@dataclass(frozen=True)
class FaultClass:
    """`advice` is the action of a finding that names no better one."""

    precedence: Precedence
    start_rung: Rung
    severity: Severity
    title: str
    advice: str


_G, _B, _L, _D = Precedence.GONE, Precedence.BUS, Precedence.LINK, Precedence.DEGRADED
_SERVICE, _RESET, _REBOOT, _CYCLE = Rung.SERVICE, Rung.GPU_RESET, Rung.REBOOT, Rung.POWER_CYCLE
_REIMAGE, _TICKET, _SWAP = Rung.REIMAGE, Rung.TICKET, Rung.SWAP
_CRITICAL, _MAJOR, _MINOR = Severity.CRITICAL, Severity.MAJOR, Severity.MINOR

FAULT_CLASSES: dict[str, FaultClass] = {
    "gpu.gone": FaultClass(
        _G,
        _REBOOT,
        _CRITICAL,
        "GPU is gone",
        "Drain and reboot. Still gone: power cycle once, then reseat or replace it.",
    ),
    "gpu.bus": FaultClass(
        _B,
        _REBOOT,
        _CRITICAL,
        "GPU fell off the bus",
        "Drain and reboot. Again: power cycle once, then reseat or replace it.",
    ),
    "gpu.pcie": FaultClass(
        _L, _CYCLE, _MAJOR, "PCIe link of a GPU is degraded", "Drain, power cycle, and reseat the GPU if it stays."
    ),
    "gpu.topology": FaultClass(
        _L, _REBOOT, _MAJOR, "GPU is reached another way", "Drain and reboot; if it stays look at the cards' slots."
    ),
    "gpu.fabric": FaultClass(
        _L,
        _SERVICE,
        _CRITICAL,
        "GPU is not in the NVLink fabric",
        "Restart the fabric manager; if it stays reset the GPU.",
    ),
    "gpu.memory": FaultClass(
        _D, _RESET, _CRITICAL, "GPU memory fault", "Drain and reset the GPU; replace it if the error returns."
    ),
    "gpu.thermal": FaultClass(
        _D, _TICKET, _MAJOR, "GPU is too hot", "Check inlet air, fans and blanking panels; then the heat sink."
    ),
    "gpu.power": FaultClass(
        _D, _TICKET, _MAJOR, "GPU lacks power", "Look at the power supplies and the feed, then the power connection."
    ),
    "gpu.hung": FaultClass(
        _D, _RESET, _CRITICAL, "GPU does not work on", "Drain and reset the GPU; when the reset fails power cycle."
    ),
    "gpu.reset": FaultClass(_D, _RESET, _MAJOR, "GPU needs a reset", "Drain and reset the GPU."),
    "gpu.config": FaultClass(_D, _REBOOT, _MAJOR, "GPU is set up wrongly", "Drain, correct the setting, reboot."),
    "gpu.firmware": FaultClass(
        _D, _REIMAGE, _MINOR, "GPU firmware differs", "Drain and bring the GPU to the model's VBIOS."
    ),
    "gpu.identity": FaultClass(
        _D,
        _TICKET,
        _MINOR,
        "Another GPU than installed",
        "Compare the serial; accept it as a swap or correct the inventory.",
    ),
    "gpu.suspect": FaultClass(_D, _TICKET, _MAJOR, "GPU is suspect", "Drain and run the extended diagnostic."),
    "nvlink.down": FaultClass(
        _L, _RESET, _CRITICAL, "NVLink is down", "Drain and reset the GPU; if the link stays down replace the GPU."
    ),
    "nvlink.error": FaultClass(
        _L, _RESET, _MAJOR, "NVLink error", "Drain and reset the GPU; the same link again is hardware."
    ),
    "nvswitch.fatal": FaultClass(
        _L,
        _REBOOT,
        _CRITICAL,
        "NVSwitch error",
        "Drain and reboot; the same switch again: have the vendor look at the board.",
    ),
    "fabricmanager.down": FaultClass(
        _D, _SERVICE, _CRITICAL, "Fabric manager is down", "Restart nvidia-fabricmanager and read its log."
    ),
    "driver.version": FaultClass(_D, _REIMAGE, _MINOR, "Driver differs", "Install the model's driver version."),
    "driver.down": FaultClass(
        _G,
        _REBOOT,
        _CRITICAL,
        "GPU driver does not answer",
        "Read the kernel log; load or reinstall the driver, reboot.",
    ),
    "hca.gone": FaultClass(
        _G, _REBOOT, _CRITICAL, "Network card is gone", "Drain and reboot. Still gone: reseat or replace the card."
    ),
    "hca.pcie": FaultClass(
        _L, _REBOOT, _MAJOR, "PCIe link of a network card is degraded", "Reboot; if it stays reseat the card."
    ),
    "hca.link": FaultClass(
        _L,
        _TICKET,
        _MAJOR,
        "Network port is down",
        "Reseat and clean both ends of the cable, then swap cable, then card.",
    ),
    "hca.rate": FaultClass(
        _L, _TICKET, _MAJOR, "Network port is slow", "Reseat and clean both ends of the cable, then swap the cable."
    ),
    "hca.fabric": FaultClass(
        _L,
        _TICKET,
        _MAJOR,
        "Network port has no subnet manager",
        "The link is up: look at the subnet manager, leave the cable.",
    ),
    "hca.config": FaultClass(
        _D, _REBOOT, _MAJOR, "Network port is set up wrongly", "Set the port's link type as the model says, reboot."
    ),
    "gdr.off": FaultClass(
        _D, _SERVICE, _MAJOR, "GPU-direct is off", "Load nvidia-peermem and have it loaded at every start."
    ),
    "pcie.switch": FaultClass(
        _B,
        _CYCLE,
        _CRITICAL,
        "PCIe switch does not answer",
        "Drain and power cycle. Still gone: have the vendor look at the board.",
    ),
    "hca.slow": FaultClass(
        _D,
        _TICKET,
        _MAJOR,
        "Network card is slow under load",
        "Test it with other partners; then look at PCIe, cable and GPU-direct.",
    ),
    "hca.driver": FaultClass(
        _D,
        _REBOOT,
        _MAJOR,
        "Network card driver has trouble",
        "Read the kernel log; reload the driver when the machine is idle.",
    ),
    "hca.firmware": FaultClass(
        _D, _REIMAGE, _MINOR, "Network card firmware differs", "Drain and bring the card to the model's firmware."
    ),
    "hca.identity": FaultClass(
        _D, _TICKET, _MINOR, "Another network card than installed", "Accept it as a swap or correct the inventory."
    ),
    "nvme.gone": FaultClass(_G, _TICKET, _MAJOR, "Drive is gone", "Reseat the drive; replace it if it stays gone."),
    "nvme.failing": FaultClass(_D, _SWAP, _MAJOR, "Drive is failing", "Save its data and replace the drive."),
    "nvme.identity": FaultClass(
        _D, _TICKET, _MINOR, "Another drive than installed", "Accept it as a swap or correct the inventory."
    ),
    "disk.full": FaultClass(_D, _TICKET, _MAJOR, "File system is full", "Free space on this file system."),
    "docker.down": FaultClass(_D, _SERVICE, _MAJOR, "Docker is down", "Restart docker and read its log."),
    "docker.runtime": FaultClass(
        _D, _SERVICE, _MAJOR, "Docker has no NVIDIA runtime", "Install the NVIDIA container toolkit and restart docker."
    ),
    "clock.skew": FaultClass(_D, _SERVICE, _MINOR, "Clock is wrong", "Look at chrony and its sources."),
    "memory.uncorrectable": FaultClass(
        _D, _SWAP, _CRITICAL, "Uncorrectable memory error", "Find the DIMM in the BMC's log and replace it."
    ),
    "hca.failing": FaultClass(
        _D,
        _TICKET,
        _MAJOR,
        "Network card is failing",
        "Look at its transceiver and its slot; reset the card, replace it if it returns.",
    ),
    "pcie.error": FaultClass(
        _L, _CYCLE, _MAJOR, "PCIe link has errors", "Drain, power cycle, and reseat the part if it returns."
    ),
    "disk.readonly": FaultClass(
        _D,
        _TICKET,
        _CRITICAL,
        "File system is read-only",
        "Read the kernel log for the cause, check the drive, then repair and remount.",
    ),
    "disk.error": FaultClass(
        _D, _TICKET, _MAJOR, "File system is damaged", "Drain, check the drive, then repair or remake it."
    ),
    "disk.mount": FaultClass(
        _D, _SERVICE, _MAJOR, "File system is not mounted", "Mount it; read the kernel log when it refuses."
    ),
    "disk.pool": FaultClass(
        _D, _SWAP, _MAJOR, "Storage pool lost a drive", "Replace the drive named and let the pool rebuild."
    ),
    "memory.missing": FaultClass(
        _G,
        _TICKET,
        _MAJOR,
        "Memory is missing",
        "Find the DIMM in the BMC's log; reseat it, replace it if it stays gone.",
    ),
    "cpu.missing": FaultClass(
        _G, _REBOOT, _MAJOR, "Processors are missing", "Reboot; if they stay away look at the BMC's log."
    ),
    "cpu.throttled": FaultClass(
        _D,
        _TICKET,
        _MAJOR,
        "Processor is slowed down",
        "Check inlet air, fans and the power limit, then the heat sink.",
    ),
    "kernel.crash": FaultClass(
        _D, _REBOOT, _CRITICAL, "The kernel broke", "Drain and reboot; keep the log and the crash dump."
    ),
    "kernel.stuck": FaultClass(
        _D, _REBOOT, _MAJOR, "The kernel was stuck", "Drain, look at what it waited for, reboot if it goes on."
    ),
    "kernel.marked": FaultClass(
        _D, _TICKET, _MAJOR, "A kernel line marked as bad", "Follow the reason that was given with the mark."
    ),
    "docker.config": FaultClass(
        _D, _REIMAGE, _MINOR, "Docker is set up wrongly", "Bring its settings to the model's and restart it."
    ),
    "docker.gpus": FaultClass(
        _D,
        _SERVICE,
        _MAJOR,
        "A container does not see the GPUs",
        "Compare nvidia-smi on the machine; repair the container toolkit.",
    ),
    "service.failed": FaultClass(_D, _SERVICE, _MAJOR, "A service does not run", "Restart it and read its log."),
    "system.version": FaultClass(_D, _REIMAGE, _MINOR, "Software differs", "Bring it to the model's version."),
    "system.identity": FaultClass(
        _D,
        _TICKET,
        _MINOR,
        "Another machine than installed",
        "Compare the service tag with the inventory; correct whichever is wrong.",
    ),
    "system.limits": FaultClass(
        _D, _TICKET, _MINOR, "A limit of the system is near", "Find the process that takes so many."
    ),
    "mirror.unreachable": FaultClass(
        _D, _TICKET, _MINOR, "A mirror does not answer", "Look at the mirror, then at the way to it."
    ),
    "slurm.down": FaultClass(
        _D, _SERVICE, _MAJOR, "Slurm cannot use the machine", "Read slurmd's log and the reason Slurm gives."
    ),
    "inlet.hot": FaultClass(
        _D, _TICKET, _MAJOR, "Inlet air is too hot", "Look at the room's cooling and at blanking panels nearby."
    ),
    "power.over": FaultClass(
        _D, _TICKET, _MINOR, "Draws more power than planned", "Compare the rack's power plan with the draw."
    ),
    "psu.redundancy": FaultClass(
        _D,
        _TICKET,
        _MAJOR,
        "Power supplies are not redundant",
        "Look for a supply without input or failed, and at both feeds.",
    ),
    "leak.detected": FaultClass(
        _G,
        _TICKET,
        _CRITICAL,
        "Coolant leaks",
        "Call somebody to the rack at once; power off only by the room's rules.",
    ),
    "machine.unreachable": FaultClass(
        _G, _TICKET, _CRITICAL, "Machine does not answer", "Look at its console and power over the BMC."
    ),
    "bmc.unreachable": FaultClass(
        _G, _TICKET, _MAJOR, "BMC does not answer", "Check the management cable; then pull and restore power."
    ),
    "bmc.degraded": FaultClass(_D, _TICKET, _MINOR, "The BMC reports trouble", "Read the BMC's log."),
    "fan.failed": FaultClass(_D, _SWAP, _MAJOR, "Fan failed", "Replace the fan."),
    "psu.lost": FaultClass(
        _D, _TICKET, _MAJOR, "Power supply is lost", "Check the power cord and the feed, then replace the supply."
    ),
    "psu.identity": FaultClass(
        _D, _TICKET, _MINOR, "Another power supply than installed", "Accept it as a swap or correct the inventory."
    ),
}
