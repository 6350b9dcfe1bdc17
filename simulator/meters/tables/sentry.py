"""Server Technology Sentry4-MIB: hundredths of A, tenths of V, W, tenths of kWh of cords and Wh of outlets, °C."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.heat.answers import PduNow
from simulator.meters.tables.rows import Rows, oid, system, table

BASE = "1.3.6.1.4.1.1718.4.1"
ON, NORMAL = 1, 0
CELSIUS = 0


def rows(now: PduNow) -> Rows:
    """One unit with one cord, `AA`."""
    phases = {(1, 1, n): each for n, each in enumerate(now.phases, start=1)}
    banks = {(1, 1, n): each for n, each in enumerate(now.banks, start=1)}
    outlets = {(1, 1, n): each for n, each in enumerate(now.outlets, start=1)}
    cord = {3: round(now.watts), 10: round(now.energy_kwh * 10)}
    return {
        **system("Sentry Switched PDU", "1.3.6.1.4.1.1718.4", now.name),
        **_group(3, {(1, 1): (2, "AA")}, {(1, 1): cord}),
        **_group(4, {index: (4, f"AA:L{index[-1]}") for index in phases},
                 {index: {3: round(each.amperes * 100)} for index, each in phases.items()}),
        **_group(5, {index: (4, f"AA:L{index[-1]}-N") for index in phases},
                 {index: {3: round(each.volts * 10), 8: round(each.watts)} for index, each in phases.items()}),
        **_group(7, {index: (4, f"AA:BR{index[-1]}") for index in banks},
                 {index: {3: round(each.amperes * 100)} for index, each in banks.items()}),
        **table(f"{BASE}.7.2.1", {index: {6: round(now.bank_a)} for index in banks}),
        **_group(8, {index: (2, f"AA{index[-1]}") for index in outlets}, {
            index: {3: round(each.amperes * 100), 7: round(each.watts), 14: round(each.energy_kwh * 1000)}
            for index, each in outlets.items()
        }),
        oid(f"{BASE}.9.1.10.0"): CELSIUS,
        **table(f"{BASE}.9.2.1", {(1, 1): {2: now.probe}}),
        **table(f"{BASE}.9.3.1", {(1, 1): {1: round(now.probe_c * 10)}}),
        **table(f"{BASE}.10.2.1", {(1, 1): {2: now.probe}}),
        **table(f"{BASE}.10.3.1", {(1, 1): {1: round(now.humidity_percent)}}),
    }  # fmt: skip


def _group(
    number: int, names: Mapping[tuple[int, ...], tuple[int, str]], values: Mapping[tuple[int, ...], Mapping[int, int]]
) -> Rows:
    """What the parts of a group are called, and what they measure."""
    return {
        **table(f"{BASE}.{number}.2.1", {index: {column: name} for index, (column, name) in names.items()}),
        **table(f"{BASE}.{number}.3.1", {index: {1: ON, 2: NORMAL, **row} for index, row in values.items()}),
    }
