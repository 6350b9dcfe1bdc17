"""Checks of what other tools of the host keep: the BMC's sensors over IPMI, and rasdaemon's database."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.counts import counted
from health.checks.context import Context
from health.checks.engine import lead
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.host_reports import RasEvents, Sensor

_CRITICAL = frozenset({"cr", "nr", "lcr", "lnr", "ucr", "unr"})
_BEYOND = frozenset({"nc", "lnc", "unc"})
# What `sdr elist` says of a sensor without a limit, as its state now; `Predictive Failure Deasserted` is none.
# The words are ipmitool's (ipmi_sel.h); `Low` is of a battery.
_BAD_STATE = re.compile(
    r"(?i)\b(?:lost|failure|failed|fault|fault status|uncorrectable|ierr|thermal trip|critical stop|hard reset"
    r"|insufficient|config(?:uration)? error|mismatch|aborted|parity|bus timeout|in critical array|fatal|[sp]err|nmi"
    r"|overtemperature|memory device disabled|out-of-range|uncorrectable machine check exception"
    r"|transition to (?:critical|non-recoverable))\b(?! deasserted)(?<!parity check)(?! check in progress)"
)
_LESSER_STATE = re.compile(
    r"(?i)\b(?:redundancy (?:lost|degraded)|non-redundant: sufficient|predictive failure|logging limit reached"
    r"|bus degraded|degraded or unavailable|off-line|controller unavailable|incompatibility detected|slot is disabled"
    r"|log full|limit exceeded|out-of-range, but present|throttled|transition to non-critical)\b(?! deasserted)|^low$"
)
_BY_NAME = ((r"\bfan|rpm|tach", "fan.failed"), (r"inlet|ambient", "inlet.hot"), (r"redundan", "psu.redundancy"))
_SUPPLY = re.compile(r"^(?:ps|psu|pwr|power)[ _]?(?:supply|unit)?[ _#]?(\d+)\b.*(?:status|input|fail)", re.IGNORECASE)


@check(
    "bmc.sensors",
    family="BMC",
    title="The BMC's sensors are within their limits (ipmitool)",
    needs="sensors",
    each=False,
    classes=("sensor.failed", "fan.failed", "inlet.hot", "psu.lost", "psu.redundancy"),
    source="IPMI 2.0, sensor data records; ipmitool: nc is beyond a limit, cr critical, nr beyond repair",
    optional=True,
)
def sensors(found: Sequence[Sensor], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Each sensor is compared with the limits the vendor gave it. One without a reading is of a part that is absent.
    That of a power supply is told in its slot, as the BMC's own word is."""
    said: dict[str, list[Outcome]] = {MACHINE: []}
    for sensor in found:
        shown = f"{sensor.name}: {sensor.value} ({sensor.state})"
        part = said.setdefault(_part_of(sensor.name, x), [])
        if sensor.state in _CRITICAL:
            part.append(fail(f"{sensor.name} at {sensor.value} is critical", _class_of(sensor.name), excerpt=shown))
        elif sensor.state in _BEYOND:
            said_ = f"{sensor.name} at {sensor.value} is beyond a limit"
            part.append(warn(said_, _class_of(sensor.name), excerpt=shown))
        elif _LESSER_STATE.search(sensor.value):
            part.append(warn(f"{sensor.name}: {sensor.value}", _class_of(sensor.name), excerpt=shown))
        elif _BAD_STATE.search(sensor.value):
            part.append(fail(f"{sensor.name}: {sensor.value}", _class_of(sensor.name), excerpt=shown))
    read = [sensor for sensor in found if sensor.state == "ok"]
    if not read:
        said[MACHINE].append(unknown("no sensor has a reading"))
    well = ok(
        f"{counted(len(read), 'sensor is within its limits', 'sensors are within their limits')}", value=len(read)
    )
    for part_name, outcomes in said.items():
        yield part_name, lead([*outcomes, well])


def _part_of(name: str, x: Context) -> str:
    supply = _SUPPLY.search(name)
    slot = x.spec.slot(f"PSU {int(supply.group(1))}") if supply else None
    return slot.name if slot else MACHINE


def _class_of(name: str) -> str:
    if _SUPPLY.search(name):
        return "psu.lost"
    return next((known for pattern, known in _BY_NAME if re.search(pattern, name, re.IGNORECASE)), "sensor.failed")


@check(
    "memory.rasdaemon",
    family="memory",
    title="rasdaemon has recorded no uncorrected error",
    needs="ras_events",
    classes=("memory.uncorrectable", "pcie.error", "disk.error"),
    source="rasdaemon, ras-mc-ctl --summary and --errors",
    optional=True,
)
def rasdaemon(found: RasEvents, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Its database is kept over restarts: an error may have been dealt with since. Corrected ones are told."""
    for kind, line in found.uncorrected:
        yield fail(f"{kind}: {line}", _ras_class(kind), excerpt=line,
                   action="See when it was (ras-mc-ctl --errors) and whether the part was replaced since.")  # fmt: skip
    if not any(re.search(r"\bMCE\b|ARM|memory failure", kind, re.IGNORECASE) for kind in found.kinds):
        yield unknown("the summary ends before its last part")
    if found.corrected:
        shown = "\n".join(line for _, line in found.corrected)
        yield info(
            f"{counted(len(found.corrected), 'kind of corrected errors is', 'kinds of corrected errors are')} recorded",
            excerpt=shown,
        )
    yield ok(f"no errors of: {', '.join(found.kinds)}")


def _ras_class(kind: str) -> str:
    lowered = kind.lower()
    if "pcie" in lowered or "aer" in lowered:
        return "pcie.error"
    return "disk.error" if "disk" in lowered else "memory.uncorrectable"
