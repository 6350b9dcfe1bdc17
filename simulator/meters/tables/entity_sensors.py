"""The agent of a room's sensors: ENTITY-SENSOR-MIB (RFC 3433), named in ENTITY-MIB. Tenths of °C, whole percent."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.meters.tables.rows import Rows, system, table

SENSORS, ENTITIES = "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.47.1.1.1.1"
CELSIUS, PERCENT_RH = 8, 9
UNITS, WORKS = 9, 1
KIND = "1.3.6.1.4.1.21239.42.1.32"


def rows(name: str, told: Sequence[tuple[str, float, float]]) -> Rows:
    """Label, temperature and humidity of each probe: two sensors each."""
    sensors, entities = {}, {}
    for n, (label, celsius, humidity) in enumerate(told):
        of_both = ((CELSIUS, 1, round(celsius * 10), "degrees C"), (PERCENT_RH, 0, round(humidity), "percent RH"))
        for index, (kind, precision, value, unit) in enumerate(of_both, start=2 * n + 1):
            sensors[index,] = {1: kind, 2: UNITS, 3: precision, 4: value, 5: WORKS, 6: unit}
            entities[index,] = {2: f"Probe {n + 1}", 7: label}
    return system("Environment monitor", KIND, name) | table(SENSORS, sensors) | table(ENTITIES, entities)
