"""Redfish resources saved as JSON: which of a machine's it is, and several of them as one report of its BMC."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError
from health.checks.parsers.bmc import BmcReport, parse_bmc

WHERE = "Redfish"
_KINDS = ("system", "chassis", "thermal", "power", "thermal_subsystem", "power_subsystem", "environment", "sensors")
_BY_TYPE = {
    "ComputerSystem": "system", "Chassis": "chassis", "Thermal": "thermal", "Power": "power",
    "ThermalSubsystem": "thermal_subsystem", "PowerSubsystem": "power_subsystem",
    "EnvironmentMetrics": "environment", "SensorCollection": "sensors",
}  # fmt: skip
# Collections saved with their members, and what the resource above them calls them.
_COLLECTIONS = {
    "PowerSupplyCollection": ("power_subsystem", "PowerSupplies"),
    "FanCollection": ("thermal_subsystem", "Fans"),
}
_BY_KEY = (
    ("thermal", ("Temperatures", "Fans")),
    ("power", ("PowerSupplies", "PowerControl")),
    ("chassis", ("ChassisType",)),
    ("system", ("SystemType", "PowerState", "ProcessorSummary")),
)


@dataclass(frozen=True)
class RedfishResources:
    """Resources by kind: system, chassis, thermal, power, and those of the newer trees (`_KINDS`)."""

    by_kind: Mapping[str, Any]


def parse_redfish(text: str) -> RedfishResources:
    """One resource, or an object with several, each under its kind."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(WHERE, "not JSON, or cut off") from error
    if not isinstance(data, Mapping):
        raise ParseError(WHERE, "not a JSON object")
    if isinstance(data.get("error"), Mapping):
        raise ParseError(WHERE, f"the BMC answered with an error: {str(data['error'].get('message', ''))[:200]}")
    several = {kind: data[kind] for kind in _KINDS if isinstance(data.get(kind), Mapping | list)}
    if several:
        return RedfishResources(several)
    if (whole := _COLLECTIONS.get(_type(data))) and isinstance(data.get("Members"), list):
        above, called = whole
        return RedfishResources({above: {called: data["Members"]}})
    kind = _kind(data)
    if kind is None:
        raise ParseError(WHERE, f"no system, chassis, thermal or power: {str(data.get('@odata.type', ''))[:100]}")
    return RedfishResources({kind: data})


def _type(data: Mapping[str, Any]) -> str:
    return str(data.get("@odata.type", "")).removeprefix("#").partition(".")[0]


def _kind(data: Mapping[str, Any]) -> str | None:
    told = _type(data)
    if told:
        return _BY_TYPE.get(told)
    return next((kind for kind, keys in _BY_KEY if any(key in data for key in keys)), None)


def report_of(resources: Iterable[RedfishResources]) -> BmcReport:
    """One machine's resources as its BMC's report; what was not saved is not told."""
    found: dict[str, Any] = {}
    for each in resources:
        for kind, resource in each.by_kind.items():
            before = found.get(kind)
            if isinstance(before, Mapping) and isinstance(resource, Mapping):
                found[kind] = {**before, **resource}
            else:
                found[kind] = resource
    system = found.get("system") or {"Status": None}
    return parse_bmc(**{**found, "system": system})
