"""What a machine measures of itself: what its BMC and nvidia-smi told, by part, and nothing that they did not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sushy
from hypothesis import given
from hypothesis import strategies as st

from facility.facts import Measured, Part, Quantity
from health.checks.measured import measured
from health.checks.parsers.bmc import BmcReport, PowerSupply, Sensor, parse_bmc
from health.checks.parsers.gpu_forms import parse_text, parse_xml
from health.checks.parsers.gpu_plight import LOST
from health.checks.parsers.gpus import Gpu, GpuReport
from health.tests.checks.samples import sample

RECORDED = Path(__file__).resolve().parents[3] / "simulator" / "tests" / "recorded"
CALM: dict[str, Any]
CALM = dict.fromkeys(("hw_thermal", "sw_thermal", "sw_power_cap", "hw_power_brake"), "Not Active")
Found = dict[tuple[str, str, str], float]


def of(report: BmcReport | None = None, gpus: GpuReport | None = None) -> Found:
    """What is measured, without what is only said."""
    rows = measured(report, gpus)
    return {
        (part, name, quantity): value for part, name, quantity, value in rows if quantity not in ("works", "absent")
    }


def works(report: BmcReport) -> dict[str, bool]:
    return {name: bool(value) for _, name, quantity, value in measured(report, None) if quantity == "works"}


OFFLINE = {"State": "UnavailableOffline", "Health": "Critical"}


def report(**resources: Any) -> BmcReport:
    return parse_bmc({"PowerState": "On"}, **resources)


def test_the_older_trees_tell_draw_supplies_air_and_fans() -> None:
    power = {
        "PowerControl": [{"PowerConsumedWatts": 7_310}],
        "PowerSupplies": [
            {"Name": "PS1 Status", "MemberId": "PSU.Slot.1", "PowerInputWatts": 1_830},
            {"Name": "PS2 Status", "MemberId": "PSU.Slot.2", "PowerInputWatts": 0},
            {"Name": "PS3 Status", "MemberId": "PSU.Slot.3", "PowerInputWatts": None},
            {"Name": "PS4 Status", "MemberId": "PSU.Slot.4", "PowerInputWatts": 0, "Status": {"State": "Absent"}},
            {"Name": "PS5 Status", "MemberId": "PSU.Slot.5", "PowerInputWatts": 0, "Status": OFFLINE},
            {"Name": "PS6 Status", "MemberId": "PSU.Slot.6", "PowerInputWatts": 940, "Status": OFFLINE},
        ],
    }
    thermal = {
        "Temperatures": [
            {"Name": "System Board Inlet Temp", "PhysicalContext": "SystemBoard", "ReadingCelsius": 22},
            {"Name": "Inlet 2", "PhysicalContext": "Intake", "ReadingCelsius": 24.5},
            {"Name": "PSU1 Inlet Temp", "PhysicalContext": "PowerSupply", "ReadingCelsius": 41},
            {"Name": "System Board Exhaust Temp", "PhysicalContext": "SystemBoard", "ReadingCelsius": 40},
            {"Name": "Rear", "PhysicalContext": "Exhaust", "ReadingCelsius": 43},
            {"Name": "Rear 2", "PhysicalContext": "Exhaust", "ReadingCelsius": None},
        ],
        "Fans": [
            {"Name": "Fan 1", "Reading": 7_200, "ReadingUnits": "RPM"},
            {"Name": "Fan 2", "Reading": 40, "ReadingUnits": "Percent"},
            {"Name": "Fan 3", "Reading": 6_900},
            {"Name": "Fan 4", "Reading": 40},
        ],
    }
    assert of(report(power=power, thermal=thermal)) == {
        ("machine", "", "power_w"): 7_310,
        ("psu", "PSU.1", "power_w"): 1_830,
        ("psu", "PSU.2", "power_w"): 0,  # it is there and carries nothing: that is a zero
        ("psu", "PSU.5", "power_w"): 0,  # its input died; what the sixth says is of before that
        ("sensor", "inlet", "temperature_c"): 24.5,
        ("sensor", "exhaust", "temperature_c"): 41.5,
        ("fan", "Fan 1", "speed_rpm"): 7_200,
        ("fan", "Fan 3", "speed_rpm"): 6_900,
    }


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"Status": {"State": "Enabled", "Health": "OK"}, "LineInputVoltage": 230}, True),
        ({"Status": {"State": "Enabled", "Health": "OK"}, "LineInputVoltage": 0}, False),
        ({"Status": {"State": "Enabled", "Health": "Critical"}}, False),
        ({"Status": {"State": "UnavailableOffline", "Health": "OK"}, "PowerInputWatts": 640}, False),
        ({"Status": {"State": "Absent"}}, None),
        ({"PowerInputWatts": 640}, None),
    ],
)
def test_whether_a_supply_works_is_said_where_its_bmc_tells_its_state(told: dict[str, Any], said: bool | None) -> None:
    supply = {"Name": "PS1 Status", "MemberId": "PSU.Slot.1", **told}
    found = report(power={"PowerSupplies": [supply]})
    assert works(found).get("PSU.1") is said
    absent = supply.get("Status") == {"State": "Absent"}
    assert (("psu", "PSU.1", "absent", 1.0) in measured(found, None)) is absent


def test_the_newer_trees_tell_the_same() -> None:
    supply = "/redfish/v1/Chassis/1/PowerSubsystem/PowerSupplies/{}"
    subsystem = {
        "PowerSupplies": [
            {"@odata.id": supply.format(1), "Id": "1", "Metrics": {"InputPowerWatts": {"Reading": 937.4}}},
            {"@odata.id": supply.format(2), "Id": "2", "Metrics": {}},
            {"@odata.id": supply.format(3), "Id": "3"},
        ]
    }
    second, third = ([{"@odata.id": supply.format(number)}] for number in (2, 3))
    sensors = [
        {"Id": "PS2_Input_Power", "ReadingType": "Power", "Reading": 812, "RelatedItem": second},
        {"Id": "PS3_Output", "ReadingType": "Power", "Reading": 800, "RelatedItem": third},
        {"Id": "Front", "ReadingType": "Temperature", "PhysicalContext": "Intake", "Reading": 21.5},
        {"Id": "Rear", "ReadingType": "Temperature", "PhysicalContext": "Exhaust", "Reading": 38},
    ]  # fmt: skip
    fans = {"Fans": [
        {"Name": "Fan 1", "SpeedPercent": {"Reading": 40, "SpeedRPM": 9_000}, "PowerWatts": {"Reading": 61.5}},
        {"Name": "Fan 2", "SpeedPercent": {"Reading": 40}, "PowerWatts": {"Reading": 58}},
    ]}  # fmt: skip
    said = report(
        power_subsystem=subsystem,
        thermal_subsystem=fans,
        sensors=sensors,
        environment={"PowerWatts": {"Reading": 3_100}},
    )
    assert of(said) == {
        ("machine", "", "power_w"): 3_100,
        ("psu", "PSU.1", "power_w"): 937.4,
        ("psu", "PSU.2", "power_w"): 812,
        ("sensor", "inlet", "temperature_c"): 21.5,
        ("sensor", "exhaust", "temperature_c"): 38,
        ("fan", "Fan 1", "speed_rpm"): 9_000,
        ("fan", "all", "power_w"): 119.5,
    }


@pytest.mark.parametrize("second", [{}, {"PowerWatts": {"Reading": None}}, {"PowerWatts": {"Reading": "58"}}])
def test_what_fans_draw_is_not_known_where_one_of_them_does_not_tell(second: dict[str, Any]) -> None:
    fans = [{"Name": "Fan 1", "PowerWatts": {"Reading": 61.5}}, {"Name": "Fan 2", **second}]
    assert of(report(thermal_subsystem={"Fans": fans})) == {}


def test_intake_and_exhaust_of_a_bmc_without_sensors_are_those_of_its_metrics() -> None:
    summary = {"Intake": {"Reading": 23}, "Exhaust": {"Reading": 39}, "Internal": {"Reading": 60}}
    said = report(thermal_subsystem={"Metrics": {"TemperatureSummaryCelsius": summary}})
    assert of(said) == {("sensor", "inlet", "temperature_c"): 23, ("sensor", "exhaust", "temperature_c"): 39}


def test_resources_that_nobody_here_wrote_are_measured_too() -> None:
    blade = Path(sushy.__file__).parent / "tests" / "unit" / "json_samples"
    told = {name: json.loads((blade / f"{name}.json").read_text()) for name in ("system", "thermal", "power")}
    found = of(parse_bmc(told["system"], None, told["thermal"], told["power"]))
    assert found["fan", "CPU Fan", "speed_rpm"] == 6_000
    assert not {quantity for _, _, quantity in found} & {"power_w"}, "what its supplies give out is not what they take"


def test_a_bmc_that_does_not_answer_measures_nothing() -> None:
    assert measured(BmcReport.unreachable("no answer in 10 s"), None) == ()
    assert measured(None, None) == ()


def test_gpus_tell_heat_power_and_limit_and_how_many_are_held_down_by_what() -> None:
    gpus = (
        Gpu(index=0, temperature_c=64, power_w=698.2, power_limit_w=700.0, **{**CALM, "sw_power_cap": "Active"}),
        Gpu(index=1, temperature_c=87, power_w=512.0, power_limit_w=700.0, **{**CALM, "hw_thermal": "Active"}),
        Gpu(index=2, temperature_c=85, **{**CALM, "sw_thermal": "Active", "hw_power_brake": "Active"}),
        Gpu(index=3, plight=LOST),
    )
    assert of(gpus=GpuReport(gpus)) == {
        ("gpu", "GPU0", "temperature_c"): 64, ("gpu", "GPU0", "power_w"): 698.2, ("gpu", "GPU0", "power_limit_w"): 700,
        ("gpu", "GPU1", "temperature_c"): 87, ("gpu", "GPU1", "power_w"): 512, ("gpu", "GPU1", "power_limit_w"): 700,
        ("gpu", "GPU2", "temperature_c"): 85,
        ("machine", "", "slowed_hot"): 2, ("machine", "", "slowed_capped"): 1, ("machine", "", "slowed_braked"): 1,
    }  # fmt: skip


def test_a_gpu_says_where_its_clocks_fall_by_how_far_it_is_from_its_limit() -> None:
    gpu = Gpu(index=0, temperature_c=64, temperature_tlimit_c=23, slowdown_tlimit_c=-2, **CALM)
    assert of(gpus=GpuReport((gpu,)))["gpu", "GPU0", "slowdown_c"] == 89
    silent = Gpu(index=0, temperature_c=64, slowdown_tlimit_c=-2, **CALM)
    assert ("gpu", "GPU0", "slowdown_c") not in of(gpus=GpuReport((silent,)))


@pytest.mark.parametrize("word", [None, "Unknown Error"])
def test_where_a_gpu_does_not_tell_why_it_is_slow_the_number_is_not_known(word: str | None) -> None:
    gpus = (Gpu(index=0, **CALM), Gpu(index=1, **{**CALM, "hw_power_brake": word}))
    found = of(gpus=GpuReport(gpus))
    assert ("machine", "", "slowed_braked") not in found
    assert found["machine", "", "slowed_hot"] == found["machine", "", "slowed_capped"] == 0


def test_the_tools_own_forms_tell_whether_power_is_capped() -> None:
    text = (RECORDED / "nvidia-smi-q.h100.txt").read_text()
    assert of(gpus=parse_text(text))["machine", "", "slowed_capped"] == 0
    capped = text.replace(
        "SW Power Cap                      : Not Active", "SW Power Cap                      : Active", 1
    )
    assert of(gpus=parse_text(capped))["machine", "", "slowed_capped"] == 1
    name = "clocks_event_reason_sw_thermal_slowdown"
    xml = sample("gpus.xml").replace(
        f"<{name}>", f"<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap><{name}>"
    )
    gpus = parse_xml(xml)
    assert of(gpus=gpus)["machine", "", "slowed_capped"] == len(gpus.gpus)


NUMBERS = st.none() | st.floats(0, 1e6)
WORDS = st.sampled_from(["", "Inlet", "Exhaust Temp", "PSU1 Inlet", "Fan 1"])
SENSORS = st.lists(
    st.builds(Sensor, name=WORDS, reading=NUMBERS, health=st.none(), state=st.sampled_from([None, "Enabled", "Absent"]),
              context=st.sampled_from([None, "Intake", "Exhaust"]), unit=st.sampled_from([None, "RPM", "Percent"])),
    max_size=5,
).map(tuple)  # fmt: skip
SUPPLIES = st.lists(
    st.builds(PowerSupply, name=WORDS, number=st.none() | st.integers(0, 9), health=st.none(), state=st.none(),
              input_w=NUMBERS), max_size=5,
).map(tuple)  # fmt: skip
GPUS = st.lists(
    st.builds(Gpu, index=st.none() | st.integers(0, 7), temperature_c=st.none() | st.integers(0, 120), power_w=NUMBERS,
              sw_power_cap=st.sampled_from([None, "Active", "Not Active", "ERR!"])), max_size=8,
).map(tuple)  # fmt: skip


@given(SENSORS, SENSORS, SUPPLIES, GPUS, NUMBERS)
def test_every_row_is_in_the_words_of_the_facility_and_was_told(
    fans: tuple[Sensor, ...], heat: tuple[Sensor, ...], supplies: tuple[PowerSupply, ...], gpus: tuple[Gpu, ...],
    draw: float | None,
) -> None:  # fmt: skip
    said = BmcReport(supplies=supplies, fans=fans, temperatures=heat, draw_w=draw)
    told = {draw, *(each.reading for each in (*fans, *heat)), *(each.input_w for each in supplies)}
    told |= {value for gpu in gpus for value in (gpu.temperature_c, gpu.power_w)}
    for part, name, quantity, value in measured(said, GpuReport(gpus)):
        row = Measured(Part(part), name, Quantity(quantity), value)
        assert row.value in told or name == "exhaust" or (part == "machine" and 0 <= value <= len(gpus))
