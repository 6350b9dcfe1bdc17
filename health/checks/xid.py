"""What GPU and NVSwitch error codes mean: the tables of `data`, and the decisions a single line carries itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from health.checks.levels import Rung
from health.checks.nvlink5 import look_up
from health.checks.parsers.kernel_log import SXid, Xid
from health.checks.tables import rows_of
from health.checks.verdicts import Verdict

RECOVERY_CHANGED = 154
FELL_OFF_BUS = 79
_TO_VALUE = re.compile(r"\bto\s+(?:0x)?([0-9a-fA-F]+)\s*(?:\(([^)]*)\))?")
# What to do about an NVLink 5 error that returns, by the word of nvlink5.csv.
_INVESTIGATE = {
    "ignore": "",
    "support": "When it returns ask the vendor.",
    "nvlink": "When it returns check the NVLink and the device at its other end.",
    "alone": "When it comes without any other error ask the vendor.",
    "repeated": "More than once a day: ask the vendor.",
    "signal": "When it returns check the link's signal quality.",
    "user": "Find out what took the link down: software or an operator.",
    "user_signal": "Find out what took the link down; if nobody did, check its signal quality.",
    "peer": "When it returns check the device at the other end of the link.",
    "host": "When it returns check the software of the machine.",
    "cable": "When it returns check the link's signal quality and its cable.",
}
# The values of Xid 154: what the driver now asks for.
RECOVERY_ACTIONS = {
    0: (Verdict.INFO, "no action is needed any more", "", Rung.NOTE),
    1: (Verdict.FAIL, "the GPU must be reset", "Drain and reset this GPU.", Rung.GPU_RESET),
    2: (Verdict.FAIL, "the machine must be rebooted", "Drain and reboot the machine.", Rung.REBOOT),
    3: (
        Verdict.FAIL,
        "peer-to-peer work must be drained",
        "Drain this GPU and all work that reaches it over NVLink or PCIe, then reset it.",
        Rung.GPU_RESET,
    ),
    4: (Verdict.FAIL, "the GPU must be drained and reset", "Drain and reset this GPU.", Rung.GPU_RESET),
}
# The same values as nvidia-smi and Xid 154 name them.
_RECOVERY_NAMES = {
    "gpu reset": 1, "gpu reset required": 1, "reset": 1, "reset required": 1, "reboot": 2, "node reboot": 2,
    "node reboot required": 2, "drain p2p": 3, "drain and reset": 4,
}  # fmt: skip
# The words of xid.csv.
_RUNGS = {
    "": Rung.NOTE,
    "reset_gpu": Rung.GPU_RESET,
    "reboot": Rung.REBOOT,
    "power_cycle": Rung.POWER_CYCLE,
    "ticket": Rung.TICKET,
}


@dataclass(frozen=True)
class Meaning:
    """A decoded report: what happened, how bad, and what to do. `burst` marks an application's own kind of fault.

    `rung`: where remediation starts, unless the fault class says higher.
    """

    verdict: Verdict
    text: str
    action: str
    fault_class: str | None
    burst: bool = False
    rung: Rung = Rung.NOTE


@dataclass(frozen=True)
class XidRow:
    """A row of xid.csv; `verdict` None means that the line decides."""

    verdict: Verdict | None
    fault_class: str | None
    burst: bool
    rung: Rung
    meaning: str
    action: str


@cache
def xid_table() -> dict[int, XidRow]:
    return {
        int(row["code"]): XidRow(
            verdict=None if row["verdict"] == "rule" else Verdict(row["verdict"]),
            fault_class=row["fault_class"] or None,
            burst=row["burst"] == "yes",
            rung=_RUNGS[row["rung"]],
            meaning=row["meaning"],
            action=row["action"],
        )
        for row in rows_of("xid.csv")
    }


@cache
def sxid_table() -> dict[int, tuple[bool, str]]:
    """Code to (fatal, meaning)."""
    return {int(row["code"]): (row["fatal"] == "yes", row["meaning"]) for row in rows_of("sxid.csv")}


def recovery_value(xid: Xid) -> int | None:
    """The value that Xid 154 changed to."""
    found = _TO_VALUE.search(xid.detail) if xid.code == RECOVERY_CHANGED else None
    return int(found.group(1), 16) if found and len(found.group(1)) < 9 else None


def recovery_advice(name: str) -> tuple[str, Rung]:
    """What to do about a recovery action by its name in nvidia-smi; one that is not known is for the vendor."""
    value = _RECOVERY_NAMES.get(" ".join(name.lower().split()))
    if value is None:
        return "Drain this GPU and ask the vendor what its recovery action asks for.", Rung.GPU_RESET
    _, _, action, rung = RECOVERY_ACTIONS[value]
    return action, rung


def decode(xid: Xid) -> Meaning:
    """The meaning of one line. A code that no table lists is a warning for the vendor, never ok."""
    row = xid_table().get(xid.code)
    if row is None:
        return Meaning(
            Verdict.WARN, "a code that is not in the catalogue", "Ask the vendor what this code means.", None
        )
    if row.verdict is not None:
        return Meaning(row.verdict, row.meaning, row.action, row.fault_class, row.burst, row.rung)
    if xid.code == RECOVERY_CHANGED:
        value = recovery_value(xid)
        if value not in RECOVERY_ACTIONS:
            return Meaning(Verdict.WARN, row.meaning, row.action, row.fault_class)
        verdict, text, action, rung = RECOVERY_ACTIONS[value]
        return Meaning(verdict, f"{row.meaning}: {text}", action, row.fault_class, rung=rung)
    return _nvlink5(xid, row)


def _nvlink5(xid: Xid, row: XidRow) -> Meaning:
    """An NVLink 5 error as NVIDIA's table says; what is not in it is for a person, whatever its words."""
    said = look_up(xid.code, xid.detail)
    if said is None:
        return Meaning(Verdict.WARN, f"{row.meaning}, not in NVIDIA's table", row.action, row.fault_class)
    again = _INVESTIGATE[said.investigate]
    text = f"{row.meaning}: {said.unit}, {said.severity}"
    if said.resolution == "reset_gpu":
        action = f"Drain and reset this GPU. {again}".strip()
        return Meaning(Verdict.FAIL, text, action, row.fault_class, rung=Rung.GPU_RESET)
    if said.resolution == "xid_154":
        action = f"Do what Xid 154 of this GPU asks for; where there is none restart the application. {again}".strip()
        return Meaning(Verdict.WARN, text, action, row.fault_class)
    return Meaning(Verdict.INFO, f"{text}, to be ignored", f"Nothing to do now. {again}".strip(), None)


def decode_sxid(sxid: SXid) -> Meaning:
    """The word in the line, else the table; a code neither knows is a warning."""
    known = sxid_table().get(sxid.code)
    fatal = sxid.fatal if sxid.fatal is not None else known[0] if known else None
    text = known[1] if known else "a code that is not in the catalogue"
    if fatal is None:
        return Meaning(Verdict.WARN, text, "Ask the vendor what this code means.", None)
    if fatal:
        advice = "Drain and reboot; the same switch again: have the vendor check the board."
        return Meaning(Verdict.FAIL, f"fatal: {text}" if known else "fatal", advice, "nvswitch.fatal")
    return Meaning(Verdict.INFO, f"not fatal: {text}" if known else "not fatal", "", None)
