"""The newer trees of a BMC in a hall with racks: sensors, environment metrics, thermal and power subsystems."""

from __future__ import annotations

from typing import Any

from simulator.heat.answers import MachineNow
from simulator.redfish.hardware import OK, Rows, collection_of, rows_of
from simulator.redfish.styles import Style
from simulator.state import Machine

FANS = 16
LOST = {"Health": "Critical", "State": "UnavailableOffline"}
PARTS = ("Sensors", "EnvironmentMetrics", "ThermalSubsystem", "PowerSubsystem")


def links(own: Style) -> dict[str, Any]:
    """What the chassis says of where they are."""
    return {name: {"@odata.id": f"{own.chassis}/{name}"} for name in PARTS}


def resource_at(machine: Machine, own: Style, path: str, now: float, *, expand: bool) -> dict[str, Any] | None:
    """The resource, collection or member at a path; None where there is none, or the hall knows no racks."""
    if not path.startswith(f"{own.chassis}/") or (measured := machine.measured(now)) is None:
        return None
    on = machine.state.power == "on"
    single = _single(own, measured, on)
    if path in single:
        return {"@odata.id": path, "Id": path.rpartition("/")[2], **single[path]}
    for base, (kind, members) in _collections(machine, own, measured, now, on).items():
        if path == base:
            return collection_of(base, kind, members, expand=expand)
        parent, _, name = path.rpartition("/")
        if parent == base and name in members:
            return members[name]
    return _metrics(own, measured, path)


def _reading(value: float, digits: int = 1) -> dict[str, Any]:
    return {"Reading": round(value, digits)}


def _single(own: Style, measured: MachineNow, on: bool) -> dict[str, dict[str, Any]]:
    at = own.chassis
    celsius = [{"DeviceName": "Intake", **_reading(measured.inlet_c)}]
    if on:
        celsius.append({"DeviceName": "Exhaust", **_reading(measured.exhaust_c)})
    return {
        f"{at}/EnvironmentMetrics": {
            "@odata.type": "#EnvironmentMetrics.v1_3_2.EnvironmentMetrics", "Name": "Environment metrics",
            "PowerWatts": _reading(measured.watts, 0), "TemperatureCelsius": _reading(measured.inlet_c),
            "FanSpeedsPercent": [
                {"DeviceName": f"Fan {n}", **_reading(measured.fan_percent, 0)} for n in range(1, FANS + 1) if on
            ],
        },
        f"{at}/ThermalSubsystem": {
            "@odata.type": "#ThermalSubsystem.v1_3_2.ThermalSubsystem", "Name": "Thermal subsystem", "Status": OK,
            "Fans": {"@odata.id": f"{at}/ThermalSubsystem/Fans"},
            "ThermalMetrics": {"@odata.id": f"{at}/ThermalSubsystem/ThermalMetrics"},
        },
        f"{at}/ThermalSubsystem/ThermalMetrics": {
            "@odata.type": "#ThermalMetrics.v1_3_1.ThermalMetrics", "Name": "Thermal metrics",
            "TemperatureSummaryCelsius": {
                "Intake": _reading(measured.inlet_c), **({"Exhaust": _reading(measured.exhaust_c)} if on else {}),
            },
            "TemperatureReadingsCelsius": celsius,
        },
        f"{at}/PowerSubsystem": {
            "@odata.type": "#PowerSubsystem.v1_1_2.PowerSubsystem", "Name": "Power subsystem", "Status": OK,
            "CapacityWatts": 16800, "PowerSupplies": {"@odata.id": f"{at}/PowerSubsystem/PowerSupplies"},
        },
    }  # fmt: skip


def _collections(
    machine: Machine, own: Style, measured: MachineNow, now: float, on: bool
) -> dict[str, tuple[str, Rows]]:
    sensors, fans = f"{own.chassis}/Sensors", f"{own.chassis}/ThermalSubsystem/Fans"
    supplies = f"{own.chassis}/PowerSubsystem/PowerSupplies"
    dead = machine.dead_supplies(now)
    return {
        sensors: ("Sensor", rows_of(sensors, "Sensor.v1_9_1.Sensor", _sensors(measured, on))),
        fans: ("Fan", rows_of(fans, "Fan.v1_5_2.Fan", {
            f"Fan{n}": {"Name": f"System Board Fan{n}", "Status": OK if on else {"State": "Disabled"},
                        "SpeedPercent": {**_reading(measured.fan_percent if on else 0, 0),
                                         "SpeedRPM": measured.fan_rpm if on else 0}}
            for n in range(1, FANS + 1)
        })),
        supplies: ("PowerSupply", rows_of(supplies, "PowerSupply.v1_6_0.PowerSupply", {
            f"PSU.Slot.{slot.split(' ')[1]}": {
                "Name": slot, "SerialNumber": machine.part(slot).serial, "PowerCapacityWatts": 2800,
                "Status": LOST if slot in dead else OK,
                "Metrics": {"@odata.id": f"{supplies}/PSU.Slot.{slot.split(' ')[1]}/Metrics"},
            }
            for slot in machine.plan.slots("psu")
        })),
    }  # fmt: skip


def _sensors(measured: MachineNow, on: bool) -> Rows:
    def sensor(name: str, kind: str, unit: str, value: float, context: str) -> dict[str, Any]:
        return {"Name": name, "ReadingType": kind, "ReadingUnits": unit, "PhysicalContext": context, "Status": OK,
                **_reading(value)}  # fmt: skip

    found = {
        "InletTemp": sensor("System Board Inlet Temp", "Temperature", "Cel", measured.inlet_c, "Intake")
        | {"Thresholds": {"UpperCaution": _reading(42), "UpperCritical": _reading(47)}},
        "TotalPower": sensor("System Power Consumption", "Power", "W", measured.watts, "Chassis"),
    }
    if on:
        found["ExhaustTemp"] = sensor("System Board Exhaust Temp", "Temperature", "Cel", measured.exhaust_c, "Exhaust")
        found |= {
            f"GPU{n}Temp": sensor(f"GPU {n} Temp", "Temperature", "Cel", gpu.celsius, "GPU")
            for n, gpu in enumerate(measured.gpus)
        }
    return found


def _metrics(own: Style, measured: MachineNow, path: str) -> dict[str, Any] | None:
    """Of one power supply."""
    for slot, supply in measured.supplies.items():
        if path == f"{own.chassis}/PowerSubsystem/PowerSupplies/PSU.Slot.{slot.split(' ')[1]}/Metrics":
            return {
                "@odata.id": path, "@odata.type": "#PowerSupplyMetrics.v1_1_2.PowerSupplyMetrics", "Id": "Metrics",
                "Name": f"Metrics of {slot}", "InputVoltage": _reading(supply.input_v),
                "InputPowerWatts": _reading(supply.watts, 0),
            }  # fmt: skip
    return None
