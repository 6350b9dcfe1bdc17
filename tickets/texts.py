"""What a ticket says: title, priority and steps, in a technician's words. Pure.

The steps for a part come from its runbook (`tickets.runbooks`); the ones every visit has (right machine, right label,
verification) are added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from health.checks.faults import FAULT_CLASSES
from health.checks.responses import Response
from tickets.runbooks.steps import LED, VISIT_LABEL, VISIT_STATE, VISIT_VERIFY, StepText

# What is no class of fault of a check; those have both in their table. The first that is a class or its family wins.
TITLES: dict[str, str] = {
    "person.": "Investigate a report about {part} of {machine}",
    "provisioning.no_bmc": "Bring up the BMC of {machine}",
    "provisioning.wrong_identity": "Find out which machine stands at the place of {machine}",
    "provisioning.bmc_refuses": "Set the BMC password of {machine}",
    "provisioning.no_power": "Find out why {machine} does not switch on",
    "provisioning.no_post": "Find out why the self-test of {machine} hangs",
    "provisioning.wrong_port": "Move the boot network cable of {machine} to its boot port",
    "provisioning.no_media": "Find out why the BMC of {machine} does not take its boot medium",
    "provisioning.media_unlicensed": "License virtual media of the BMC of {machine}",
    "provisioning.media_in_use": "Find out who uses the virtual CD of {machine}",
    "provisioning.media_stuck": "Take the boot medium out of the virtual CD of {machine}",
    "provisioning.booted_elsewhere": "Find out what {machine} started in the place of its boot medium",
    "provisioning.no_installer": "Find out why the installer of {machine} does not start",
    "provisioning.install_disk": "Find out why {machine} cannot be installed on its disks",
    "provisioning.install_network": "Find out why the installer of {machine} has no network",
    "provisioning.install_package": "Find out which package {machine} cannot install",
    "provisioning.no_phone_home": "Find out why {machine} does not phone home",
    "provisioning.part_missing": "Find the missing part of the new machine {machine}",
    "provisioning.drive_failed": "Replace the drive of the new machine {machine}",
    "provisioning.pcie_narrow": "Reseat what has a narrow PCIe link in the new machine {machine}",
    "provisioning.clock_wrong": "Set the clock of {machine}",
    "provisioning.no_link": "Connect the boot network port of {machine}",
    "provisioning.no_pxe_request": "Find out why {machine} does not boot from the network",
    "provisioning.dhcp_failed": "Find out why {machine} gets no address on the boot network",
    "provisioning.second_dhcp": "Find the second DHCP server on the boot network of {machine}",
    "provisioning.tftp_failed": "Find out why {machine} cannot load its boot loader by TFTP",
    "provisioning.install_failed": "Find out why the installation of {machine} fails",
    "provisioning.no_ssh": "Find out why {machine} does not answer by SSH",
    "provisioning.software_failed": "Find out why the base software of {machine} cannot be installed",
    "provisioning.gpu_tests_failed": "Find out why the GPUs of the new machine {machine} fail their tests",
    "provisioning.fabric_failed": "Repair the InfiniBand links of the new machine {machine}",
    "provisioning.no_engine": "Find out why the site's MAAS or Ironic does not take {machine}",
    "provisioning.record_lost": "Find out who changed the record of {machine} in MAAS or Ironic",
    "provisioning.commission_failed": "Find out why MAAS cannot commission {machine}",
    "provisioning.inspection_failed": "Find out why Ironic cannot inspect {machine}",
    "provisioning.cleaning_failed": "Find out why Ironic cannot clean the disks of {machine}",
    "provisioning.wrong_hardware": "Put in what is missing or wrong in {machine}",
    "provisioning.bmc_setup_failed": "Find out why the BMC of {machine} cannot be set up",
    "provisioning.checks_failed": "Repair what the checks found on the new machine {machine}",
    "": "Repair {part} in {machine}",
}
# Of what is no class of our table, by what it asks for; what asks for no more than a ticket can wait.
PRIORITY_BY_RESPONSE: dict[Response, str] = {Response.CORDON: "P2", Response.DRAIN: "P2", Response.DRAIN_NOW: "P1"}
OTHER_PRIORITY = "P3"
PROVISIONING_STEPS: dict[str, tuple[StepText, ...]] = {
    "no_bmc": (
        StepText("check", "Check the BMC's port", "Link light on? Right port of the management switch?"),
        StepText("reseat", "Reseat the management cable at both ends"),
    ),
    "wrong_identity": (StepText("check", "Compare the serial on the label with the one in the inventory"),),
    "no_link": (StepText("reseat", "Reseat the cable of the boot network port", "Look for the link light."),),
    "no_pxe_request": (
        StepText("check", "Check the console while it starts", "Network boot on, in UEFI mode, on the right port?"),
        StepText("reseat", "Reseat the cable of the boot network port"),
    ),
    "dhcp_failed": (
        StepText("check", "Read the DHCP server's log in the evidence", "No host entry, or a lost offer?"),
        StepText("check", "Check VLAN, DHCP relay and DHCP snooping of its switch port"),
    ),
    "second_dhcp": (
        StepText("check", "List the DHCP servers of the boot network", "manage.py dhcp_servers, on the boot server."),
        StepText("check", "Find its switch port by its MAC address and take it off this network", "Then retry."),
    ),
    "tftp_failed": (
        StepText("check", "Read the DHCP server's log in the evidence", "Not found, aborted, or never asked?"),
        StepText("check", "Load the file by TFTP from the boot network by hand", "Port 69, and those of its answers."),
    ),
    "bmc_refuses": (
        StepText("check", "Read the BMC password on the pull-out tag", "Store it with the machine's BMC, then retry."),
        StepText("check", "Otherwise reset the BMC to its default password", "In the BIOS set-up, or by its button."),
    ),
    "bmc_setup_failed": (
        StepText("check", "Read the BMC run that the evidence names", "Which setting or password does the BMC refuse?"),
        StepText("check", "Compare firmware and model of the BMC with the profile", "Another version has other names."),
    ),
    "no_power": (
        StepText("check", "Check the power supplies", "LEDs green? Both cords in? Breaker of the PDU outlet on?"),
        StepText("reseat", "Reseat the power supplies and their cords"),
        StepText("check", "Switch it on by its button"),
    ),
    "no_post": (
        StepText("check", "Read the console", "At which device or which memory slot does it stand?"),
        StepText("reseat", "Reseat the part that it names, without one the DIMMs", "Power off, cords out, 30 seconds."),
    ),
    "wrong_port": (
        StepText("check", "Find the boot port by its MAC address on the label", "The evidence names the linked port."),
        StepText("reseat", "Move the cable to the boot port", "Look for the link light."),
    ),
    "no_media": (
        StepText("check", "Fetch the address of Rackside from the BMC's network", "Name, route, firewall, and TLS."),
        StepText("check", "Look for a virtual CD on the BMC's page", "Some have none, or only for images on a share."),
    ),
    "media_unlicensed": (
        StepText("check", "Read which licence the BMC has", "Enterprise, Advanced or SFT-OOB-LIC, by vendor."),
        StepText("check", "Order it, or install this machine by network boot"),
    ),
    "media_in_use": (
        StepText("check", "Read which image the virtual CD holds and who inserted it", "The BMC's log names the user."),
        StepText("check", "Have it ejected, then retry"),
    ),
    "media_stuck": (
        StepText("check", "Eject it on the BMC's page", "Close consoles that have it attached."),
        StepText("check", "Restart the BMC, then retry", "The installation stands; a retry goes on from here."),
    ),
    "booted_elsewhere": (
        StepText("check", "Read the console", "Did the old system start, or the installer without a network?"),
        StepText("check", "Compare boot mode and boot order with a machine that works", "UEFI, virtual CD allowed."),
    ),
    "no_installer": (
        StepText("check", "Read the console", "Were kernel and initrd loaded? Did the installer get an address?"),
        StepText("check", "Fetch kernel and initrd from the image server by hand", "From the boot network."),
    ),
    "install_disk": (
        StepText("check", "Read the installer's log in the evidence", "Which disk did it want, and what was there?"),
        StepText("check", "Check that every drive is seated and its light is on"),
    ),
    "install_network": (
        StepText("check", "Read the installer's log in the evidence", "No address, no route, or no name server?"),
        StepText("check", "Check VLAN and DHCP of its switch port"),
    ),
    "install_package": (StepText("check", "Read the installer's log in the evidence", "Does the mirror have it?"),),
    "no_phone_home": (
        StepText("check", "Read the console", "Did it start from the right disk? Has it an address?"),
        StepText("check", "Call Rackside's address from the machine", "By curl, from the console."),
    ),
    "part_missing": (
        StepText("check", "Compare what is seated with what the evidence misses", "Seated? Its light on?"),
        StepText("reseat", "Reseat it", "Power off first."),
    ),
    "drive_failed": (
        StepText("check", "Compare the drives with the evidence", "Missing, or failing by its own report?"),
        StepText("reseat", "Reseat the drive"),
    ),
    "pcie_narrow": (StepText("reseat", "Reseat the part and its riser", "Power off, cords out first."),),
    "clock_wrong": (StepText("check", "Set the clock in the BIOS set-up and the time source of the BMC"),),
    "install_failed": (StepText("check", "Read the installer's last lines on the console", "Are its disks there?"),),
    "no_ssh": (StepText("check", "Log in on the console", "Are address, gateway and SSH service right?"),),
    "software_failed": (
        StepText("check", "Read the software run that the evidence names", "Which role, which task, which package?"),
        StepText("check", "Fetch that package from the machine", "Does its mirror have it?"),
    ),
    "gpu_tests_failed": (
        StepText("check", "Read the active run that the evidence names", "Which GPU, and in which test?"),
        StepText("check", "Compare its temperatures under load with a neighbour's", "Fans, blanking panels, cold air."),
        StepText("reseat", "Reseat the GPU or its tray", "Power off, cords out first; a vendor may have to be there."),
    ),
    "fabric_failed": (
        StepText("check", "Read the active run that the evidence names", "Which adapter is slow, and to whom?"),
        StepText("reseat", "Clean and reseat its transceiver at both ends", "Then the next machine behind the leaf."),
    ),
    "no_engine": (StepText("check", "Read what it answers", "MAAS or Ironic: its login, its controllers."),),
    "record_lost": (StepText("check", "Look for the machine in MAAS or Ironic, by its serial"),),
    "commission_failed": (
        StepText("check", "Read the output of the commissioning scripts in MAAS"),
        StepText("check", "Check the console while it starts", "Network boot on, in UEFI mode, on the right port?"),
    ),
    "inspection_failed": (StepText("check", "Read the evidence, and the history of its node in Ironic"),),
    "cleaning_failed": (
        StepText("check", "Read the evidence: which disk, which step?"),
        StepText("check", "Check the console while it cleans", "Does the agent boot, and reach Ironic?"),
    ),
    "wrong_hardware": (StepText("check", "Compare its parts with the device model", "The evidence names them."),),
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
    "cooling": StepText("check", "Check cooling unit {cause}", "Its pumps, valves, filters and alarms; leaks first."),
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


def title(fault_class: str, part: str, machine: str) -> str:
    """Such as `Replace GPU 4 in hgx-a17-03`."""
    known = FAULT_CLASSES.get(fault_class)
    family = fault_class.partition(".")[0] + "."
    text = known.ticket if known else TITLES.get(fault_class) or TITLES.get(family) or TITLES[""]
    return text.format(part=part, machine=machine)


def priority(fault_class: str, response: Response = Response.TICKET) -> str:
    """By the severity of its class. P1: no work is possible, or danger; P2: work suffers; P3: it can wait.

    What is no class of our table, such as one that another system reported, follows the response to its fault.
    """
    known = FAULT_CLASSES.get(fault_class)
    return known.priority if known else PRIORITY_BY_RESPONSE.get(response, OTHER_PRIORITY)


def summary(message: str, action: str) -> str:
    """What was seen and what is advised, as sentences."""
    return " ".join(_sentence(text) for text in (message, action) if text.strip())


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def is_hot(fault_class: str) -> bool:
    """Whether the repair can be done while jobs run; of what is no known class it cannot."""
    known = FAULT_CLASSES.get(fault_class)
    return known is not None and known.hot


def in_service(fault_class: str) -> str:
    """What a ticket says of a machine that goes on working, and of what the repair needs."""
    if is_hot(fault_class):
        return "The machine stays in service: this can be repaired while jobs run."
    return "The machine stays in service: have it drained before you begin, the repair needs it out."


def steps(specific: Sequence[StepText], machine: str, label: str, in_service: str = "") -> list[StepText]:
    """All steps of a visit: the right machine, what to do about the part, the verification.

    The serials of a swap are recorded with the swap step, so scanning always means the machine's own label.
    `in_service`: what to mind where jobs run on it.
    """
    where = f"{label} in {machine}" if label else machine
    first = StepText("check", "The machine is out of service", f"Look for {machine}. {LED}", VISIT_STATE)
    if in_service:
        first = StepText("check", "The machine is in service", f"{in_service} It is {machine}. {LED}", VISIT_STATE)
    return [
        first,
        StepText(
            "scan", f"Check the label: this is {machine}", "Scan or read its name, serial or asset tag.", VISIT_LABEL
        ),
        *specific,
        StepText(
            "verify",
            "Press Resolve and verify",
            f"{where} is checked again; if all is well the ticket closes.",
            VISIT_VERIFY,
        ),
    ]


# ---- many machines at once ----


def incident_steps(cause_kind: str, cause: str) -> list[StepText]:
    """The steps of the ticket of many machines that fail alike."""
    first = INCIDENT_STEPS.get(cause_kind, INCIDENT_STEPS["site"])
    return [
        StepText(first.kind, first.title.format(cause=cause), first.detail),
        StepText("check", "Mend the cause", "Write down here what it was."),
        StepText(
            "verify", "Press Resolve and verify", "Every machine of it is checked again; if all pass the ticket closes."
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
