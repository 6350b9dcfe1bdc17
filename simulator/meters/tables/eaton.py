"""Eaton EATON-EPDU-MIB: mA, mV, W, Wh. The first unit of a chain has number 0."""

from __future__ import annotations

from simulator.heat.answers import PduNow
from simulator.meters.tables.rows import Rows, system, table

BASE = "1.3.6.1.4.1.534.6.6.7"
WHOLE_INPUT = 4


def rows(now: PduNow) -> Rows:
    phases = list(enumerate(now.phases, start=1))
    outlets = list(enumerate(now.outlets, start=1))
    powers = {(0, 1, n): {2: n, 4: round(each.watts), 5: round(each.energy_kwh * 1000)} for n, each in phases}
    powers[0, 1, WHOLE_INPUT] = {2: WHOLE_INPUT, 4: round(now.watts), 5: round(now.energy_kwh * 1000)}
    return {
        **system("Eaton ePDU MA 3P IN:CS8365 35A OUT:36xC13 12xC19", BASE, now.name),
        **table(f"{BASE}.3.1.1", {(0, 1): {10: now.name}}),
        **table(f"{BASE}.3.2.1", {(0, 1, n): {2: n + 1, 3: round(each.volts * 1000)} for n, each in phases}),
        **table(f"{BASE}.3.3.1", {(0, 1, n): {2: n + 2, 4: round(each.amperes * 1000)} for n, each in phases}),
        **table(f"{BASE}.3.4.1", powers),
        **table(f"{BASE}.5.1.1", {(0, n): {3: f"Section {each.name}"} for n, each in enumerate(now.banks, start=1)}),
        **table(f"{BASE}.5.3.1", {
            (0, n): {3: round(each.amperes * 1000)} for n, each in enumerate(now.banks, start=1)
        }),
        **table(f"{BASE}.6.1.1", {(0, n): {6: f"A{n}"} for n, _ in outlets}),
        **table(f"{BASE}.6.4.1", {(0, n): {3: round(each.amperes * 1000)} for n, each in outlets}),
        **table(f"{BASE}.6.5.1", {
            (0, n): {3: round(each.watts), 4: round(each.energy_kwh * 1000)} for n, each in outlets
        }),
    }  # fmt: skip
