"""What a ticket says: title, priority and steps by class of fault, in a technician's words. Pure.

The steps for a part come from `health.repair_steps`; the ones every visit has (right machine, right label,
verification) are added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class StepText:
    """One step; `kind` is check, scan, swap, reseat or verify."""

    kind: str
    title: str
    detail: str = ""


# First matching class or family wins; {part} and {machine} are filled in.
TITLES: dict[str, str] = {
    "gpu.gone": "Replace {part} in {machine}",
    "gpu.bus": "Replace {part} in {machine}",
    "gpu.memory": "Replace {part} in {machine}",
    "gpu.hung": "Replace {part} in {machine}",
    "gpu.pcie": "Reseat {part} in {machine}",
    "gpu.thermal": "Find out why {part} in {machine} is too hot",
    "gpu.power": "Check the power of {part} in {machine}",
    "gpu.firmware": "Bring the firmware of {part} in {machine} to the fleet's version",
    "gpu.identity": "Another {part} than recorded sits in {machine}",
    "gpu.": "Look at {part} in {machine}",
    "nvlink.": "Restore the NVLinks of {part} in {machine}",
    "nvswitch.": "Look at the NVSwitches of {machine}",
    "fabricmanager.": "Restart the fabric manager of {machine}",
    "driver.": "Repair the GPU driver of {machine}",
    "hca.gone": "Reseat or replace {part} in {machine}",
    "hca.link": "Clean or replace the cable on {part} of {machine}",
    "hca.rate": "Clean or replace the cable on {part} of {machine}",
    "hca.pcie": "Reseat {part} in {machine}",
    "hca.firmware": "Bring the firmware of {part} in {machine} to the fleet's version",
    "hca.identity": "Another {part} than recorded sits in {machine}",
    "hca.slow": "Find out why {part} of {machine} is slow",
    "hca.": "Look at {part} of {machine}",
    "gdr.": "Turn GPU-direct on again on {machine}",
    "pcie.": "Look at the PCIe tree of {machine}",
    "nvme.gone": "Reseat or replace {part} in {machine}",
    "nvme.failing": "Replace {part} in {machine}",
    "nvme.": "Look at {part} in {machine}",
    "psu.lost": "Replace {part} in {machine}, or restore its feed",
    "psu.redundancy": "Restore the second power path of {machine}",
    "psu.": "Look at {part} in {machine}",
    "power.": "Find out why {machine} draws more than planned",
    "inlet.": "Find out why the air before {machine} is too warm",
    "leak.": "Stop the leak at {machine}",
    "memory.missing": "Reseat or replace the missing DIMM of {machine}",
    "memory.": "Replace the failing DIMM in {machine}",
    "cpu.": "Look at the processors of {machine}",
    "fan.": "Replace {part} in {machine}",
    "disk.full": "Free space on {part} of {machine}",
    "disk.": "Repair the storage at {part} of {machine}",
    "kernel.": "Find out what the kernel of {machine} ran into",
    "service.": "Bring the services of {machine} back",
    "slurm.": "Bring the Slurm daemon of {machine} back",
    "system.": "Bring the system of {machine} to the fleet's configuration",
    "mirror.": "Find out why {machine} does not reach its mirrors",
    "docker.": "Bring docker back on {machine}",
    "clock.": "Set the clock of {machine} right",
    "machine.unreachable": "Find out why {machine} does not answer",
    "bmc.unreachable": "Find out why the BMC of {machine} does not answer",
    "bmc.": "Look into what the BMC of {machine} reports",
    "person.": "Look into a report about {part} of {machine}",
    "provisioning.no_bmc": "Bring up the BMC of {machine}",
    "provisioning.wrong_identity": "Find out which machine stands at the place of {machine}",
    "provisioning.no_link": "Connect the boot network port of {machine}",
    "provisioning.no_pxe_request": "Find out why {machine} does not boot from the network",
    "provisioning.install_failed": "Find out why the installation of {machine} fails",
    "provisioning.no_ssh": "Find out why {machine} does not answer after its installation",
    "provisioning.checks_failed": "Repair what the checks found on the new machine {machine}",
    "": "Repair {part} in {machine}",
}
# A whole machine or all its GPUs are lost: P1. One part is lost: P2. It works, but not as it should: P3.
PRIORITIES: dict[str, str] = {
    "machine.unreachable": "P1",
    "driver.down": "P1",
    "nvswitch.": "P1",
    "gpu.gone": "P2",
    "gpu.bus": "P2",
    "gpu.memory": "P2",
    "gpu.thermal": "P2",
    "gpu.power": "P2",
    "gpu.hung": "P2",
    "gpu.pcie": "P2",
    "gpu.": "P3",
    "nvlink.": "P2",
    "hca.gone": "P2",
    "hca.link": "P2",
    "hca.rate": "P2",
    "hca.pcie": "P2",
    "hca.": "P3",
    "pcie.": "P2",
    "nvme.gone": "P2",
    "nvme.failing": "P2",
    "psu.lost": "P2",
    "psu.redundancy": "P2",
    "power.": "P2",
    "inlet.": "P2",
    "leak.": "P1",
    "cpu.missing": "P2",
    "kernel.": "P2",
    "slurm.": "P2",
    "memory.": "P2",
    "fan.": "P2",
    "docker.": "P2",
    "disk.": "P2",
    "provisioning.": "P3",
    "person.": "P3",
    "": "P3",
}
PROVISIONING_STEPS: dict[str, tuple[StepText, ...]] = {
    "no_bmc": (
        StepText("check", "Look at the BMC's port", "Link light on? Right port of the management switch?"),
        StepText("reseat", "Reseat the management cable at both ends"),
    ),
    "wrong_identity": (StepText("check", "Compare the serial on the label with the one in the inventory"),),
    "no_link": (StepText("reseat", "Reseat the cable of the boot network port", "Look for the link light."),),
    "no_pxe_request": (
        StepText("check", "Look at the console while it starts", "Network boot on, in UEFI mode, on the right port?"),
        StepText("reseat", "Reseat the cable of the boot network port"),
    ),
    "install_failed": (StepText("check", "Read the installer's last lines on the console", "Are its disks there?"),),
    "no_ssh": (StepText("check", "Log in on the console", "Are address, gateway and SSH service right?"),),
    "checks_failed": (StepText("check", "Read the evidence and repair the part that it names"),),
}
# Where many machines fail alike: what to look at first, by the kind of their common cause.
INCIDENT_STEPS: dict[str, StepText] = {
    "switch": StepText(
        "check", "Check switch {cause}", "Power, fans, console, uplinks, and what was changed on it last."
    ),
    "management": StepText(
        "check", "Check management switch {cause}", "Power, uplinks, and what was changed on it last."
    ),
    "feed": StepText("check", "Check power feed {cause}", "Its breaker, the PDUs on it, and work on the panel."),
    "rack": StepText("check", "Check rack {cause}", "Its PDUs, its switches and their uplinks, doors and cooling."),
    "row": StepText("check", "Check row {cause}", "Its busway, its end-of-row switches and its cooling."),
    "room": StepText("check", "Check room {cause}", "Power, cooling, and the network into the room."),
    "rollout": StepText(
        "check", "Check the roll-out of {cause}", "Stop it; go back to the version before on one machine."
    ),
    "site": StepText(
        "check",
        "Find what the machines have in common",
        "Recent changes, the network between Rackside and the machines, then the rule of the check itself.",
    ),
}
STANDARD_KINDS = ("scan", "verify")
STANDARD_TITLES = ("Find the machine",)


def _first(table: dict[str, str], fault_class: str) -> str:
    family = fault_class.partition(".")[0] + "."
    return table.get(fault_class) or table.get(family) or table[""]


def title(fault_class: str, part: str, machine: str) -> str:
    """Such as `Replace GPU 4 in hgx-a17-03`."""
    return _first(TITLES, fault_class).format(part=part, machine=machine)


def priority(fault_class: str) -> str:
    """P1, P2 or P3."""
    return _first(PRIORITIES, fault_class)


def summary(message: str, action: str) -> str:
    """What was seen and what is advised, as sentences."""
    return " ".join(_sentence(text) for text in (message, action) if text.strip())


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def steps(specific: Sequence[StepText], machine: str, label: str) -> list[StepText]:
    """All steps of a visit: the right machine, what to do about the part, the verification.

    What the steps for the part say about these themselves is left out. The serials of a swap are recorded with the swap
    step, so scanning always means the machine's own label.
    """
    where = f"{label} in {machine}" if label else machine
    own = (step for step in specific if step.kind not in STANDARD_KINDS and step.title not in STANDARD_TITLES)
    return [
        StepText("check", "The machine is out of service, its locating LED is lit", f"Look for {machine}."),
        StepText("scan", f"Check the label: this is {machine}", "Scan or read its name, serial or asset tag."),
        *own,
        StepText("verify", "Press Done, verify", f"{where} is looked at again; if all is well the ticket closes."),
    ]


# ---- many machines at once ----


def incident_steps(cause_kind: str, cause: str) -> list[StepText]:
    """The steps of the ticket of many machines that fail alike."""
    first = INCIDENT_STEPS.get(cause_kind, INCIDENT_STEPS["site"])
    return [
        StepText(first.kind, first.title.format(cause=cause), first.detail),
        StepText("check", "Mend the cause", "Write down here what it was."),
        StepText(
            "verify", "Press Done, verify", "Every machine of it is looked at again; if all pass the ticket closes."
        ),
    ]


def machines_by_rack(racks: Mapping[str, Sequence[str]], most: int) -> list[str]:
    """A line for each rack with its machines; at most `most` machines are named."""
    lines, left = [], most
    for rack, machines in sorted(racks.items()):
        if left <= 0:
            lines.append(f"and {sum(map(len, racks.values())) - most} more machines")
            break
        lines.append(f"{rack}: {names(machines, left)}")
        left -= len(machines)
    return lines


def names(machines: Sequence[str], most: int) -> str:
    """Such as `a, b and 3 more`."""
    shown = ", ".join(machines[:most])
    return f"{shown} and {len(machines) - most} more" if len(machines) > most else shown
