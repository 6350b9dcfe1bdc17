"""The classes of fault a check can show, in one table: what leads when several stand in one slot, and what to do.

Within one machine and slot the most precedent class leads: a GPU that is gone explains its missing links, never the
other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


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
    title: str
    advice: str


_G, _B, _L, _D = Precedence.GONE, Precedence.BUS, Precedence.LINK, Precedence.DEGRADED

FAULT_CLASSES: dict[str, FaultClass] = {
    "gpu.gone": FaultClass(
        _G, "GPU is gone", "Drain and reboot. Still gone: power cycle once, then reseat or replace it."
    ),
    "gpu.bus": FaultClass(
        _B, "GPU fell off the bus", "Drain and reboot. Again: power cycle once, then reseat or replace it."
    ),
    "gpu.pcie": FaultClass(_L, "PCIe link of a GPU is degraded", "Drain, power cycle, and reseat the GPU if it stays."),
    "gpu.topology": FaultClass(
        _L, "GPU is reached another way", "Drain and reboot; if it stays look at the cards' slots."
    ),
    "gpu.fabric": FaultClass(
        _L, "GPU is not in the NVLink fabric", "Restart the fabric manager; if it stays reset the GPU."
    ),
    "gpu.memory": FaultClass(_D, "GPU memory fault", "Drain and reset the GPU; replace it if the error returns."),
    "gpu.thermal": FaultClass(_D, "GPU is too hot", "Check inlet air, fans and blanking panels; then the heat sink."),
    "gpu.power": FaultClass(
        _D, "GPU lacks power", "Look at the power supplies and the feed, then the power connection."
    ),
    "gpu.hung": FaultClass(_D, "GPU does not work on", "Drain and reset the GPU; when the reset fails power cycle."),
    "gpu.reset": FaultClass(_D, "GPU needs a reset", "Drain and reset the GPU."),
    "gpu.config": FaultClass(_D, "GPU is set up wrongly", "Drain, correct the setting, reboot."),
    "gpu.firmware": FaultClass(_D, "GPU firmware differs", "Drain and bring the GPU to the model's VBIOS."),
    "gpu.identity": FaultClass(
        _D, "Another GPU than installed", "Compare the serial; accept it as a swap or correct the inventory."
    ),
    "gpu.suspect": FaultClass(_D, "GPU is suspect", "Drain and run the extended diagnostic."),
    "nvlink.down": FaultClass(_L, "NVLink is down", "Drain and reset the GPU; if the link stays down replace the GPU."),
    "nvlink.error": FaultClass(_L, "NVLink error", "Drain and reset the GPU; the same link again is hardware."),
    "nvswitch.fatal": FaultClass(
        _L, "NVSwitch error", "Drain and reboot; the same switch again: have the vendor look at the board."
    ),
    "fabricmanager.down": FaultClass(_D, "Fabric manager is down", "Restart nvidia-fabricmanager and read its log."),
    "driver.version": FaultClass(_D, "Driver differs", "Install the model's driver version."),
    "driver.down": FaultClass(
        _G, "GPU driver does not answer", "Read the kernel log; load or reinstall the driver, reboot."
    ),
    "hca.gone": FaultClass(_G, "Network card is gone", "Drain and reboot. Still gone: reseat or replace the card."),
    "hca.pcie": FaultClass(_L, "PCIe link of a network card is degraded", "Reboot; if it stays reseat the card."),
    "hca.link": FaultClass(
        _L, "Network port is down", "Reseat and clean both ends of the cable, then swap cable, then card."
    ),
    "hca.rate": FaultClass(_L, "Network port is slow", "Reseat and clean both ends of the cable, then swap the cable."),
    "hca.fabric": FaultClass(
        _L, "Network port has no subnet manager", "The link is up: look at the subnet manager, leave the cable."
    ),
    "hca.config": FaultClass(
        _D, "Network port is set up wrongly", "Set the port's link type as the model says, reboot."
    ),
    "gdr.off": FaultClass(_D, "GPU-direct is off", "Load nvidia-peermem and have it loaded at every start."),
    "pcie.switch": FaultClass(
        _B, "PCIe switch does not answer", "Drain and power cycle. Still gone: have the vendor look at the board."
    ),
    "hca.slow": FaultClass(
        _D, "Network card is slow under load", "Test it with other partners; then look at PCIe, cable and GPU-direct."
    ),
    "hca.driver": FaultClass(
        _D, "Network card driver has trouble", "Read the kernel log; reload the driver when the machine is idle."
    ),
    "hca.firmware": FaultClass(
        _D, "Network card firmware differs", "Drain and bring the card to the model's firmware."
    ),
    "hca.identity": FaultClass(
        _D, "Another network card than installed", "Accept it as a swap or correct the inventory."
    ),
    "nvme.gone": FaultClass(_G, "Drive is gone", "Reseat the drive; replace it if it stays gone."),
    "nvme.failing": FaultClass(_D, "Drive is failing", "Save its data and replace the drive."),
    "nvme.identity": FaultClass(_D, "Another drive than installed", "Accept it as a swap or correct the inventory."),
    "disk.full": FaultClass(_D, "File system is full", "Free space on this file system."),
    "docker.down": FaultClass(_D, "Docker is down", "Restart docker and read its log."),
    "docker.runtime": FaultClass(
        _D, "Docker has no NVIDIA runtime", "Install the NVIDIA container toolkit and restart docker."
    ),
    "clock.skew": FaultClass(_D, "Clock is wrong", "Look at chrony and its sources."),
    "memory.uncorrectable": FaultClass(
        _D, "Uncorrectable memory error", "Find the DIMM in the BMC's log and replace it."
    ),
    "hca.failing": FaultClass(
        _D, "Network card is failing", "Look at its transceiver and its slot; reset the card, replace it if it returns."
    ),
    "pcie.error": FaultClass(_L, "PCIe link has errors", "Drain, power cycle, and reseat the part if it returns."),
    "disk.readonly": FaultClass(
        _D, "File system is read-only", "Read the kernel log for the cause, check the drive, then repair and remount."
    ),
    "disk.error": FaultClass(_D, "File system is damaged", "Drain, check the drive, then repair or remake it."),
    "disk.mount": FaultClass(_D, "File system is not mounted", "Mount it; read the kernel log when it refuses."),
    "disk.pool": FaultClass(_D, "Storage pool lost a drive", "Replace the drive named and let the pool rebuild."),
    "memory.missing": FaultClass(
        _G, "Memory is missing", "Find the DIMM in the BMC's log; reseat it, replace it if it stays gone."
    ),
    "cpu.missing": FaultClass(_G, "Processors are missing", "Reboot; if they stay away look at the BMC's log."),
    "cpu.throttled": FaultClass(
        _D, "Processor is slowed down", "Check inlet air, fans and the power limit, then the heat sink."
    ),
    "kernel.crash": FaultClass(_D, "The kernel broke", "Drain and reboot; keep the log and the crash dump."),
    "kernel.stuck": FaultClass(_D, "The kernel was stuck", "Drain, look at what it waited for, reboot if it goes on."),
    "kernel.marked": FaultClass(_D, "A kernel line marked as bad", "Follow the reason that was given with the mark."),
    "docker.config": FaultClass(_D, "Docker is set up wrongly", "Bring its settings to the model's and restart it."),
    "docker.gpus": FaultClass(
        _D, "A container does not see the GPUs", "Compare nvidia-smi on the machine; repair the container toolkit."
    ),
    "service.failed": FaultClass(_D, "A service does not run", "Restart it and read its log."),
    "system.version": FaultClass(_D, "Software differs", "Bring it to the model's version."),
    "system.identity": FaultClass(
        _D, "Another machine than installed", "Compare the service tag with the inventory; correct whichever is wrong."
    ),
    "system.limits": FaultClass(_D, "A limit of the system is near", "Find the process that takes so many."),
    "mirror.unreachable": FaultClass(_D, "A mirror does not answer", "Look at the mirror, then at the way to it."),
    "slurm.down": FaultClass(_D, "Slurm cannot use the machine", "Read slurmd's log and the reason Slurm gives."),
    "inlet.hot": FaultClass(_D, "Inlet air is too hot", "Look at the room's cooling and at blanking panels nearby."),
    "power.over": FaultClass(_D, "Draws more power than planned", "Compare the rack's power plan with the draw."),
    "psu.redundancy": FaultClass(
        _D, "Power supplies are not redundant", "Look for a supply without input or failed, and at both feeds."
    ),
    "leak.detected": FaultClass(
        _G, "Coolant leaks", "Call somebody to the rack at once; power off only by the room's rules."
    ),
    "machine.unreachable": FaultClass(_G, "Machine does not answer", "Look at its console and power over the BMC."),
    "bmc.unreachable": FaultClass(
        _G, "BMC does not answer", "Check the management cable; then pull and restore power."
    ),
    "bmc.degraded": FaultClass(_D, "The BMC reports trouble", "Read the BMC's log."),
    "fan.failed": FaultClass(_D, "Fan failed", "Replace the fan."),
    "psu.lost": FaultClass(_D, "Power supply is lost", "Check the power cord and the feed, then replace the supply."),
    "psu.identity": FaultClass(
        _D, "Another power supply than installed", "Accept it as a swap or correct the inventory."
    ),
}
