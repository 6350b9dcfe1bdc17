"""APC rPDU2 of PowerNet-MIB: hundredths of kW, tenths of A, tenths of kWh; outlets in W."""

from __future__ import annotations

from simulator.heat.answers import PduNow
from simulator.meters.tables.rows import Rows, system, table

BASE = "1.3.6.1.4.1.318.1.1.26"
ON = 1


def rows(now: PduNow) -> Rows:
    return {
        **system("APC Web/SNMP Management Card (MB:v4.3.6 PF:v7.0.8 MN:AP8886)", "1.3.6.1.4.1.318.1.3.4.6", now.name),
        **table(f"{BASE}.4.3.1", {(1,): {1: 1, 2: 1, 3: now.name, 5: round(now.watts / 10),
                                         9: round(now.energy_kwh * 10)}}),
        **table(f"{BASE}.6.3.1", {
            (n,): {2: 1, 3: n, 4: 2, 5: round(each.amperes * 10), 6: round(each.volts), 7: round(each.watts / 10)}
            for n, each in enumerate(now.phases, start=1)
        }),
        **table(f"{BASE}.8.3.1", {
            (n,): {2: 1, 3: n, 4: 2, 5: round(each.amperes * 10)} for n, each in enumerate(now.banks, start=1)
        }),
        **table(f"{BASE}.9.4.3.1", {
            (n,): {2: 1, 3: f"Outlet {n}", 4: n, 5: ON, 6: round(each.amperes * 10), 7: round(each.watts),
                   11: round(each.energy_kwh * 10)}
            for n, each in enumerate(now.outlets, start=1)
        }),
        **table(f"{BASE}.10.2.2.1", {(1,): {
            2: 1, 3: now.probe, 4: 1, 7: round(now.probe_c * 18 + 320), 8: round(now.probe_c * 10),
            10: round(now.humidity_percent),
        }}),
    }  # fmt: skip
