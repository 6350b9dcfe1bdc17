"""What a BMC says, read from resources that nobody here wrote: those of the sushy library's own tests.

They are a blade of DMTF's mockups and a Dell system. All are healthy: what is wrong is made by changing one value.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sushy

from health.checks.parsers.bmc import BmcReport, parse_bmc

SAMPLES = Path(sushy.__file__).parent / "tests"
BLADE = SAMPLES / "unit" / "json_samples"


def sample(name: str, folder: Path = BLADE) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return answer


def report(**changed: dict[str, Any]) -> BmcReport:
    names = ("system", "chassis", "thermal", "power")
    return parse_bmc(*(changed.get(name) or sample(name) for name in names))


def test_sensors_and_supplies_of_a_blade_are_read_with_their_limits() -> None:
    said = report()
    assert said.power == "on"
    assert said.system_health == said.chassis_health == "OK"
    assert said.temperatures is not None and said.fans is not None and said.supplies is not None
    [cpu] = said.temperatures
    assert (cpu.name, cpu.reading, cpu.upper_critical, cpu.health) == ("CPU Temp", 62, 90, "OK")
    [fan] = said.fans
    assert (fan.name, fan.reading, fan.health) == ("CPU Fan", 6000, "OK")
    assert [(supply.serial, supply.input_volts) for supply in said.supplies] == [("1S0000523", 220), ("1S0000524", 222)]


@pytest.mark.parametrize("word", ["Warning", "Critical", None])
def test_a_supply_that_is_not_ok_is_told_apart_from_its_neighbour(word: str | None) -> None:
    power = sample("power")
    power["PowerSupplies"][1]["Status"]["Health"] = word
    supplies = report(power=power).supplies
    assert supplies is not None
    assert [supply.health for supply in supplies] == ["OK", word]


def test_a_dell_system_gives_its_service_tag_and_its_power() -> None:
    system = sample("system", SAMPLES / "oem" / "dell" / "unit" / "json_samples")
    said = parse_bmc(system, None, None, None)
    assert (said.serial, said.power) == (system["SKU"], system["PowerState"].lower())
    assert said.fans is None and said.supplies is None, "not asked for is not none"
