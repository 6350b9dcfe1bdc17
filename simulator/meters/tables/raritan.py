"""Raritan PDU2-MIB: each value is a sensor with a number of its kind, and its decimal digits in another table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.heat.answers import OutletNow, PduNow
from simulator.meters.tables.rows import Rows, system, table

BASE = "1.3.6.1.4.1.13742.6"
CURRENT, VOLTAGE, POWER, ENERGY = 1, 4, 5, 8
DIGITS = {CURRENT: 3, VOLTAGE: 0, POWER: 0, ENERGY: 0}
AVAILABLE, NORMAL = 1, 4


def rows(now: PduNow) -> Rows:
    amperes = sum(each.amperes for each in now.phases) / len(now.phases)
    inlet = OutletNow("I1", now.phases[0].volts, amperes, now.watts, now.energy_kwh)
    poles = {(1, 1, n): each for n, each in enumerate(now.phases, start=1)}
    breakers = {(1, n): each for n, each in enumerate(now.banks, start=1)}
    outlets = {(1, n): each for n, each in enumerate(now.outlets, start=1)}
    everything = (CURRENT, VOLTAGE, POWER, ENERGY)
    return {
        **system("PX3 040002", BASE, now.name),
        **table(f"{BASE}.3.3.3.1", {(1, 1): {2: "I1"}}),
        **_sensors("3.3.4", "5.2.3", {(1, 1): inlet}, everything),
        **table(f"{BASE}.3.3.5.1", {index: {2: index[-1]} for index in poles}),
        **_sensors("3.3.6", "5.2.4", poles, (CURRENT, VOLTAGE, POWER)),
        **table(f"{BASE}.3.4.3.1", {index: {2: f"C{index[-1]}"} for index in breakers}),
        **_sensors("3.4.4", "5.3.3", breakers, (CURRENT,)),
        **table(f"{BASE}.3.5.3.1", {index: {2: str(index[-1])} for index in outlets}),
        **_sensors("3.5.4", "5.4.3", outlets, everything),
    }


def _sensors(digits: str, values: str, parts: Mapping[Any, OutletNow], kinds: tuple[int, ...]) -> Rows:
    known = {(*index, kind): _value(part, kind) for index, part in parts.items() for kind in kinds}
    return {
        **table(f"{BASE}.{digits}.1", {index: {7: DIGITS[index[-1]]} for index in known}),
        **table(f"{BASE}.{values}.1", {index: {2: AVAILABLE, 3: NORMAL, 4: value} for index, value in known.items()}),
    }


def _value(part: OutletNow, kind: int) -> int:
    told = {CURRENT: part.amperes, VOLTAGE: part.volts, POWER: part.watts, ENERGY: part.energy_kwh * 1000}
    return round(told[kind] * 10 ** DIGITS[kind])
