"""What a BMC says of its machine, from Redfish resources as a driver collected them.

report = parse_bmc(system, chassis, thermal, power)      # dictionaries, None where the BMC has no such resource
report = parse_bmc(system, chassis, thermal_subsystem=..., power_subsystem=..., sensors=[...], environment=...)
report = BmcReport.unreachable("no answer in 10 s")      # asked, and no answer
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers.dialects import DIALECTS, STANDARD, dialect_of, vendor_of
from health.checks.parsers import ParseError
from health.checks.parsers.bmc_subsystems import as_power, as_thermal, fan_watts

WHERE = "Redfish"


@dataclass(frozen=True)
class PowerSupply:
    """`number` is the one printed on it (from `PSU.Slot.4` or `PS4 Status`), None when it has none; `input_w` what it
    takes in now."""

    name: str
    number: int | None
    health: str | None
    state: str | None
    serial: str | None = None
    input_volts: float | None = None
    input_status: str | None = None
    input_w: float | None = None


@dataclass(frozen=True)
class Sensor:
    """A fan (rpm, or percent where `unit` says so) or a temperature (Celsius) with its upper limit; `context` is
    Redfish's word for where it is."""

    name: str
    reading: float | None
    health: str | None
    state: str | None
    upper_critical: float | None = None
    context: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class BmcReport:
    """Health words are Redfish's (OK, Warning, Critical); `power` is on, off, or the BMC's word in lower case.

    `bmc` is what the vendor calls such a BMC; of a vendor that has no dialect, that plain Redfish is spoken to it.
    `board_firmware` is that of the GPU board's own BMC. `draw_w` is what the whole machine draws, `fans_w` what all its
    fans do; `redundancy` is the BMC's word on its supplies together. A None instead of a tuple means that the BMC has
    no such resource. `error` is set when the BMC did not answer.
    """

    power: str = "unknown"
    system_health: str | None = None
    chassis_health: str | None = None
    supplies: tuple[PowerSupply, ...] | None = None
    fans: tuple[Sensor, ...] | None = None
    temperatures: tuple[Sensor, ...] | None = None
    indicator: str | None = None
    serial: str | None = None
    draw_w: float | None = None
    fans_w: float | None = None
    redundancy: str | None = None
    firmware: str | None = None
    bmc: str | None = None
    board_firmware: str | None = None
    error: str | None = None
    refused: bool = False
    """With `error`: it refuses the password on record."""

    @classmethod
    def unreachable(cls, reason: str, *, refused: bool = False) -> BmcReport:
        return cls(error=reason or "no answer", refused=refused)


def parse_bmc(
    system: Any,
    chassis: Any = None,
    thermal: Any = None,
    power: Any = None,
    manager: Any = None,
    *,
    thermal_subsystem: Any = None,
    power_subsystem: Any = None,
    environment: Any = None,
    sensors: Any = None,
    board: Any = None,
    dialect: str = "",
    vendor: str = "",
) -> BmcReport:
    """Raises ParseError when `system` is no computer system. Fields of a wrong type are as if absent. What Thermal and
    Power tell goes before what the newer trees tell. `dialect` is the slug the driver found; none: by the resources."""
    # The manager's own health says nothing of the machine.
    if not isinstance(system, Mapping) or not ({"PowerState", "Status"} & system.keys()):
        raise ParseError(WHERE, "the answer is no computer system")
    thermal = _filled(thermal, as_thermal(thermal_subsystem, sensors))
    power = _filled(power, as_power(power_subsystem, environment, sensors))
    told = manager if isinstance(manager, Mapping) else {}
    spoken = next((each for each in DIALECTS if each.slug == dialect), None) or dialect_of({}, system, told)
    of_vendor = vendor or vendor_of({}, system, told)
    return BmcReport(
        power=str(system.get("PowerState") or "unknown").lower(),
        system_health=_health(system),
        chassis_health=_health(chassis),
        supplies=_rows(power, "PowerSupplies", _supply),
        fans=_rows(thermal, "Fans", _sensor),
        temperatures=_rows(thermal, "Temperatures", _sensor),
        indicator=_indicator(system) or _indicator(chassis),
        serial=spoken.serial_of(system) or None,
        draw_w=_draw(power),
        fans_w=_fans_w(thermal_subsystem),
        redundancy=_redundancy(power),
        firmware=_text(told, "FirmwareVersion"),
        bmc=f"plain Redfish: no dialect for {of_vendor or 'its vendor'}"
        if spoken is STANDARD
        else spoken.name_of(told),
        board_firmware=_text(board, "FirmwareVersion") if isinstance(board, Mapping) else None,
    )


def _filled(old: Any, new: Mapping[str, Any]) -> Any:
    """The older resource with what it does not tell (absent, or an empty list) taken from the newer."""
    if not new:
        return old
    told = {name: value for name, value in old.items() if value} if isinstance(old, Mapping) else {}
    return {**new, **told}


def _rows(resource: Any, name: str, read: Any) -> tuple[Any, ...] | None:
    rows = resource.get(name) if isinstance(resource, Mapping) else None
    return tuple(read(row) for row in rows if isinstance(row, Mapping)) if isinstance(rows, list) else None


def _draw(power: Any) -> float | None:
    """What the whole machine draws: the first power control that tells; those after it are parts of it."""
    controls = _rows(power, "PowerControl", lambda row: _number(row.get("PowerConsumedWatts"))) or ()
    return next((watts for watts in controls if watts is not None and watts >= 0), None)


def _fans_w(subsystem: Any) -> float | None:
    """What all fans draw together; None where one of them does not tell."""
    watts = [_number(each) for each in fan_watts(subsystem)]
    known = [each for each in watts if each is not None]
    return sum(known) if known and len(known) == len(watts) else None


def _redundancy(power: Any) -> str | None:
    """The worst word of the groups of power supplies that are there."""
    words = _rows(power, "Redundancy", lambda row: _health(row) or _status(row, "State")) or ()
    told = [word for word in words if word and word not in ("Disabled", "Absent")]
    return next((word for word in told if word not in ("OK", "Enabled")), told[0] if told else None)


def _supply(row: Mapping[str, Any]) -> PowerSupply:
    name = _text(row, "Name") or _text(row, "MemberId") or "power supply"
    digits = [_last_number(_text(row, key) or "") for key in ("MemberId", "Name")]
    return PowerSupply(
        name=name,
        number=next((number for number in digits if number is not None), None),
        health=_health(row),
        state=_status(row, "State"),
        serial=_text(row, "SerialNumber"),
        input_volts=_number(row.get("LineInputVoltage")),
        input_status=_text(row, "LineInputStatus"),
        input_w=_number(row.get("PowerInputWatts")),
    )


def _sensor(row: Mapping[str, Any]) -> Sensor:
    reading = row.get("ReadingCelsius", row.get("Reading"))
    return Sensor(
        name=_text(row, "Name") or _text(row, "MemberId") or "sensor",
        reading=_number(reading),
        health=_health(row),
        state=_status(row, "State"),
        upper_critical=_number(row.get("UpperThresholdCritical")),
        context=_text(row, "PhysicalContext"),
        unit=_text(row, "ReadingUnits"),
    )


def _last_number(text: str) -> int | None:
    digits = "".join(character if character.isdecimal() else " " for character in text).split()
    return int(digits[-1]) if digits and len(digits[-1]) < 5 else None


def _status(resource: Any, key: str) -> str | None:
    status = resource.get("Status") if isinstance(resource, Mapping) else None
    word = status.get(key) if isinstance(status, Mapping) else None
    return word if isinstance(word, str) else None


def _health(resource: Any) -> str | None:
    return _status(resource, "HealthRollup") or _status(resource, "Health")


def _indicator(resource: Any) -> str | None:
    if not isinstance(resource, Mapping):
        return None
    active = resource.get("LocationIndicatorActive")
    if isinstance(active, bool):
        return "on" if active else "off"
    word = resource.get("IndicatorLED")
    return None if not isinstance(word, str) else "off" if word == "Off" else "on"


def _text(resource: Mapping[str, Any], key: str) -> str | None:
    value = resource.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _number(value: Any) -> float | None:
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None
    )
