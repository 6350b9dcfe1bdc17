"""What a technician does about a fault, step by step, in the words on the machine.

Every step here is a step of a ticket. What each visit has besides (the right machine, its label, the verification) adds
`tickets.texts`. Which procedure a class of fault has is in its line of `health/checks/data/fault_classes.csv`.
"""

from __future__ import annotations

from dataclasses import dataclass

from health.checks.faults import FAULT_CLASSES
from inventory.slot_text import slot_text


@dataclass(frozen=True)
class StepText:
    """One step of a ticket; `kind` is check, scan, reseat, swap (another part goes in, whose serial is recorded with
    this step) or verify."""

    kind: str
    title: str
    detail: str = ""


_POWER_OFF = (
    "check",
    "Power the machine off",
    "Wait until it is off and pull its power cords; keep the order in which they were plugged.",
)
_POWER_ON = ("check", "Power the machine on", "Plug the cords back as they were and wait until it has started.")


def _gpu_swap(why: str) -> tuple[tuple[str, str, str], ...]:
    return (
        _POWER_OFF,
        ("reseat", "Reseat {where}", f"{why} Look for bent pins, dirt and a loose heat sink."),
        (
            "swap",
            "Replace {where} if it was reseated before",
            "Same part number; new thermal pads, bolts in the order shown.",
        ),
        _POWER_ON,
    )


_LINK = (
    (
        "check",
        "Check both ends of the cable at {where}",
        "The light at the card and at the switch: off, blinking or on.",
    ),
    ("reseat", "Reseat and clean both ends", "Pull it, clean connector and cage, push until it clicks; wait a minute."),
    ("reseat", "Swap the cable if the port stays down", "Same length and colour; put its label on the new one."),
    ("swap", "Swap the card if a new cable does not help", "Power the machine off first."),
)
_RESET = (
    ("check", "Check whether the machine is empty", "It is drained; no job may run on it."),
    ("check", "Reset {part}", "nvidia-smi --gpu-reset on that GPU; when it is refused reboot the machine."),
    ("check", "Check whether the error returns", "Returns within a day: ask for a replacement of {where}."),
)
_SOFTWARE = (("check", "Correct {part}", "{advice}"),)

_DRIVE = (
    ("reseat", "Reseat the drive in {where}", "Only when the system no longer uses it."),
    ("swap", "Replace the drive in {where}", "Keep the old one for erasure; its data may still be on it."),
)
_DRIVE_HOT = (
    ("check", "Check the air at {where}", "All fans turning, a blank in each empty bay, no cable before the inlet."),
    ("reseat", "Reseat the drive in {where}", "Only when the system no longer uses it; its heat sink must sit flat."),
)
_RESEAT = (
    _POWER_OFF,
    ("reseat", "Reseat {where}", "Check its contacts, its riser and its backplane cable."),
    ("swap", "Replace {where} if its link stays narrow", "Same part number."),
    _POWER_ON,
)
PROCEDURES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "software": _SOFTWARE,
    "reset": _RESET,
    "link": _LINK,
    "drive": _DRIVE,
    "drive_hot": _DRIVE_HOT,
    "reseat": _RESEAT,
    "gpu_off_bus": _gpu_swap("A GPU that left the bus often lost contact."),
    "gpu_pcie": _gpu_swap("A narrow link is most often a contact."),
    "gpu_memory": (*_RESET[:2], *_gpu_swap("Replace it when its row remap failed or its SRAM threshold is exceeded.")),
    "gpu_thermal": (
        (
            "check",
            "Check the air",
            "Blanking panels in place, no cable before the inlet, all fans turning, door closed.",
        ),
        ("reseat", "Check the heat sink of {where}", "Power off first. Bolts tight, pads whole, no dust."),
        ("swap", "Replace {where} if it stays hot", "Same part number."),
    ),
    "gpu_power": (
        ("check", "Check every power supply", "All lights green, all cords in, both feeds live."),
        *_gpu_swap("A GPU without power often has a loose connection."),
    ),
    "nvlink_down": (*_RESET[:2], *_gpu_swap("A link that stays down after a reset is hardware.")),
    "nvlink_error": (*_RESET[:2], *_gpu_swap("The same link again is hardware.")),
    "hca_gone": (
        _POWER_OFF,
        ("reseat", "Reseat the card in {where}", "Check its contacts and its riser."),
        ("swap", "Replace the card if it stays gone", "Same part number and firmware."),
        _POWER_ON,
    ),
    "hca_fabric": (("check", "Check the subnet manager", "The link at {where} is up; leave cable and card alone."),),
    "dimm": (
        ("check", "Read which DIMM failed", "The BMC's log names it; the kernel names only controller and channel."),
        _POWER_OFF,
        ("swap", "Replace that DIMM", "Same part number and size."),
        _POWER_ON,
    ),
    "inlet_hot": (
        ("check", "Check the air before it", "Blanking panels in place, no hot air coming round, the cooling on."),
    ),
    "psu": (
        ("check", "Check the cord and the feed of {where}", "Cord in at both ends, the outlet live, its breaker on."),
        ("reseat", "Reseat {where}", "Pull the supply out and push it back until it locks; one at a time."),
        ("swap", "Replace {where} if its light stays off", "Same part number; the machine may stay on."),
    ),
    "leak_detected": (
        ("check", "Power the machine off at once", "By its BMC, or at its feeds; keep away from wet contacts."),
        ("check", "Find where it is wet", "Hoses, couplings, the tray below; dry it before power comes back."),
    ),
    "machine_unreachable": (
        ("check", "Check its console and its lights", "A picture of the console helps whoever comes next."),
        ("reseat", "Reseat the network cable it is managed over", "Both ends."),
        ("check", "Power cycle it", "Off, two minutes, on."),
    ),
    "bmc_unreachable": (
        ("reseat", "Reseat the management cable", "Both ends; the light beside it blinks when it works."),
        ("check", "Take all power away for two minutes", "A BMC starts only when the machine had no power at all."),
    ),
    "bmc_password": (
        (
            "check",
            "Ask who changed the BMC's password",
            "Who knows it enters it on the machine's page, under BMC.",
        ),
        ("check", "Otherwise reset the BMC to its default password", "In the BIOS set-up, or by its button."),
    ),
    "fan_failed": (("swap", "Replace the fan the ticket names", "The machine may stay on; be quick."),),
}


_NOT_KNOWN = "Check it against what this ticket shows; ask whoever reported it what mends it."


def steps_for(fault_class: str, part: str, label: str = "") -> list[StepText]:
    """The steps for a fault on a part; `label` is what is printed at the slot. A class that nobody knows is
    looked into by what its ticket shows."""
    known = FAULT_CLASSES.get(fault_class)
    words = {
        "{part}": slot_text(part, label),
        "{where}": slot_text(part, label),
        "{advice}": known.advice if known else _NOT_KNOWN,
    }
    return [
        StepText(kind, _fill(title, words), _fill(detail, words))
        for kind, title, detail in PROCEDURES[known.steps if known else "software"]
    ]


def _fill(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text
