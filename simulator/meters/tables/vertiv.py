"""Vertiv Geist, GEIST-V5-MIB: tenths of V, hundredths of A, W, tenths of °C."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.heat.answers import OutletNow, PduNow
from simulator.meters.tables.rows import Rows, system, table

BASE = "1.3.6.1.4.1.21239.5.2"
THERE = 1


def rows(now: PduNow) -> Rows:
    return {
        **system("GU2 PDU", "1.3.6.1.4.1.21239.42.1.53", now.name),
        **table(f"{BASE}.3.1.1", {(1,): {4: now.name, 5: THERE, 8: "Total", 9: round(now.watts)}}),
        **table(f"{BASE}.3.2.1", _metered("Phase", now.phases)),
        **table(f"{BASE}.3.3.1", {
            (n,): {2: f"Circuit {n}", 3: f"CB{n}", 4: round(each.amperes * 100)}
            for n, each in enumerate(now.banks, start=1)
        }),
        **table(f"{BASE}.3.6.1", _metered("Outlet", now.outlets)),
        **table(f"{BASE}.9.1", {
            (1,): {3: now.probe, 4: THERE, 5: round(now.probe_c * 10), 6: round(now.humidity_percent)}
        }),
    }  # fmt: skip


def _metered(word: str, parts: Sequence[OutletNow]) -> dict[tuple[int, ...], dict[int, int | str]]:
    return {
        (n,): {2: f"{word} {n}", 3: "", 4: round(each.volts * 10), 8: round(each.amperes * 100), 12: round(each.watts)}
        for n, each in enumerate(parts, start=1)
    }
