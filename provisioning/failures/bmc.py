"""What a BMC shows of a machine that was switched on and never asked for its boot script. Pure.

Sources: DMTF DSP2046 (`BootProgress` of ComputerSystem from 1.13 on, `LinkStatus` of EthernetInterface, `PowerSupplies`
of Power). What a BMC does not tell is no finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from provisioning.steps import FailureClass

Resource = Mapping[str, Any]

IN_POST = frozenset(
    {
        "PrimaryProcessorInitializationStarted",
        "BusInitializationStarted",
        "MemoryInitializationStarted",
        "SecondaryProcessorInitializationStarted",
        "PCIResourceConfigStarted",
    }
)
"""States of `BootProgress` at which the power-on self-test is not over: firmware that stands there for as long as a
machine may take to its boot script does not come out of it."""
CLOCK_MAY_DIFFER = timedelta(days=1)
"""More than a time zone that is not told; certificates are valid for weeks around their day."""
_DOWN = ("LinkDown", "NoLink")


def cause_of_silence(
    system: Resource, interfaces: Sequence[Resource], supplies: Sequence[Resource], boot_mac: str
) -> tuple[FailureClass, str] | None:
    """Why the machine asks for nothing, the most basic cause first; None where the BMC shows nothing wrong."""
    if system.get("PowerState") == "Off":
        return FailureClass.NO_POWER, f"the machine is off although it was switched on{_of_supplies(supplies)}"
    state = progress_of(system)
    if state in IN_POST:
        return FailureClass.NO_POST, f"the power-on self-test stands at {state}"
    return _of_links(interfaces, boot_mac)


def wrong_clock(manager: Resource, now: datetime) -> str:
    """What is wrong with the clock of a BMC, in words; empty where it tells none, or one that TLS can live with.

    `DateTime` of Manager (DSP2046) has an offset; without one it is taken for UTC.
    """
    try:
        told = datetime.fromisoformat(str(manager.get("DateTime") or ""))
    except ValueError:
        return ""
    told = told if told.tzinfo else told.replace(tzinfo=UTC)
    if abs(told - now) <= CLOCK_MAY_DIFFER:
        return ""
    return f"the clock of its BMC says {told:%Y-%m-%d}: with such a clock TLS takes no certificate"


def input_lost(supplies: Sequence[Resource]) -> bool:
    """Whether no supply has input: then it is the feed or the cords, and not the supplies (`LineInputStatus` of
    PowerSupply, `LineInputVoltage` of the older Power). Unknown for one is not lost."""
    return bool(supplies) and all(
        each.get("LineInputStatus") == "LossOfInput" or each.get("LineInputVoltage") == 0 for each in supplies
    )


def progress_of(system: Resource) -> str:
    progress = system.get("BootProgress")
    return str(progress.get("LastState") or "") if isinstance(progress, Mapping) else ""


def _of_supplies(supplies: Sequence[Resource]) -> str:
    if input_lost(supplies):
        return ": none of its power supplies has input, so it is the feed or its cords"
    bad = [_named(supply) for supply in supplies if _is_bad(supply)]
    return f": {', '.join(bad)}" if bad else ""


def _is_bad(supply: Resource) -> bool:
    status = supply.get("Status")
    status = status if isinstance(status, Mapping) else {}
    return status.get("Health") in ("Warning", "Critical") or status.get("State") in ("UnavailableOffline", "Absent")


def _named(supply: Resource) -> str:
    status = supply.get("Status") or {}
    name = supply.get("Name") or supply.get("MemberId") or "a power supply"
    return f"{name} is {status.get('State') or 'in an unknown state'}, health {status.get('Health') or 'not reported'}"


def _of_links(interfaces: Sequence[Resource], boot_mac: str) -> tuple[FailureClass, str] | None:
    wanted = boot_mac.lower()
    mine = next((each for each in interfaces if wanted and wanted in _macs(each)), None)
    if mine is None or mine.get("LinkStatus") not in _DOWN:
        return None
    linked = [each for each in interfaces if each is not mine and each.get("LinkStatus") == "LinkUp"]
    if linked:
        found = ", ".join(str(each.get("Id") or next(iter(_macs(each)), "another port")) for each in linked)
        return FailureClass.WRONG_PORT, f"the boot port {boot_mac} has no link, but {found} has one: wrong port cabled"
    return FailureClass.NO_LINK, f"the boot port {boot_mac} has no link: check its cable"


def _macs(interface: Resource) -> set[str]:
    return {str(interface.get(key) or "").lower() for key in ("MACAddress", "PermanentMACAddress")} - {""}


def words(
    system: Resource, interfaces: Sequence[Resource], supplies: Sequence[Resource], log: Sequence[Resource]
) -> str:
    """What the BMC showed, a line each, for the people who have to act on it; the newest log entries last."""
    lines = [f"Power: {system.get('PowerState') or 'not reported'}"]
    if state := progress_of(system):
        lines.append(f"Boot progress: {state}")
    for each in interfaces:
        lines.append(f"Port {each.get('Id') or '?'} {'/'.join(sorted(_macs(each)))}: {each.get('LinkStatus')}")
    lines += [_named(each) for each in supplies]
    lines += [f"{each.get('Created') or ''} {each.get('Message') or ''}".strip() for each in log]
    return "\n".join(lines)
