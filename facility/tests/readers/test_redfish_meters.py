"""PDUs, cooling units and a room's sensors are read over real HTTPS; what cannot be has a reason, not a number."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.tests.bmc import self_signed
from facility.facts import LIMITS, Health, Measured, Part, Quantity
from facility.readers import AccessRefused, Answer, BadAnswer, Login, NotKnown, Unreachable, read
from facility.readers import redfish_tree as tree_of
from facility.readers.redfish import COOLING, PDU, SENSORS, Shape
from facility.readers.redfish_readings import Source
from facility.readers.redfish_tree import Tree
from facility.tests.readers import redfish_trees as trees
from facility.tests.readers.redfish_trees import Resources, Service, at, excerpt, serving

Q = Quantity
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
Found = dict[tuple[str, str, str], Measured]


def by_key(values: list[Measured]) -> Found:
    return {(each.part, each.name, each.quantity): each for each in values}


def asked(kind: str, service: Service, folder: Path, told: dict[str, Any] | None = None, **more: Any) -> Answer:
    async def run() -> Answer:
        pem, fingerprint = self_signed(folder)
        login = more.pop("login", Login("rackside", trees.PASSWORD, fingerprint))
        async with serving(service, pem) as port:
            return await read(kind, "127.0.0.1", port, login, told or {}, now=NOW.timestamp(), **more)

    return asyncio.run(run())


def parsed(shape: Shape, resources: Resources, clock: float | None = None) -> Found:
    """What the pure part says of resources that were fetched whole."""
    whole = {path.rstrip("/"): {"@odata.id": path, **each} for path, each in resources.items()}
    return by_key(shape.read(Source(Tree(whole, clock), NOW.timestamp()), whole[trees.ROOT]))


@pytest.mark.parametrize("expands", [True, False], ids=["expands", "one by one"])
def test_a_pdu_tells_its_inlet_phases_branches_outlets_and_probes(expands: bool, tmp_path: Path) -> None:
    service = Service(trees.power_equipment(trees.pdu()), expands=expands)
    answer = asked("redfish_pdu", service, tmp_path)
    found = by_key(answer.values)
    assert answer.description == "Contoso PDU"
    assert found[Part.INLET, "AC1", Q.POWER_W].value == 16_480
    assert found[Part.INLET, "AC1", Q.ENERGY_KWH].value == 325_675
    assert found[Part.PHASE, "L1", Q.CURRENT_A].value == 24.1
    assert found[Part.PHASE, "N", Q.CURRENT_A].value == 0.3
    assert found[Part.PHASE, "L1", Q.VOLTAGE_V].value == 231.3
    assert found[Part.PHASE, "L1-L2", Q.VOLTAGE_V].value == 400.1
    assert found[Part.PHASE, "L1", Q.POWER_W].value == 5_560
    assert found[Part.BREAKER, "A", Q.CURRENT_A].value == pytest.approx(8.2), "its sensor tells mA where it was read"
    assert found[Part.BREAKER, "B", Q.CURRENT_A].value is None
    assert found[Part.OUTLET, "A3", Q.POWER_W].value == 1_103
    assert found[Part.OUTLET, "A3", Q.VOLTAGE_V].value == 230.5
    assert found[Part.SENSOR, "Top front", Q.TEMPERATURE_C].value == pytest.approx(25), "it was told in °F"
    assert found[Part.SENSOR, "Top front", Q.HUMIDITY_PERCENT].value == 41
    gone = found[Part.SENSOR, "Bottom", Q.TEMPERATURE_C]
    assert (gone.value, gone.reason) == (None, "it is not there")
    # The total of its metrics is the same load again.
    assert [name for part, name, quantity in found if part == Part.INLET and quantity == Q.POWER_W] == ["AC1"]


def test_sensors_whose_readings_are_known_are_not_asked_for_one_by_one(tmp_path: Path) -> None:
    service = Service(trees.power_equipment(trees.pdu(count=20)))
    found = by_key(asked("redfish_pdu", service, tmp_path).values)
    assert len([path for path in service.requests if "/Sensors/" in path]) == 3
    assert len(service.requests) < 40
    assert (Part.SENSOR, "Top front", Q.TEMPERATURE_C) in found


def test_sensors_of_a_pdu_that_stand_at_its_chassis_are_read(tmp_path: Path) -> None:
    chassis, resources = f"{trees.ROOT}/Chassis/PDU", {}
    for path, each in trees.power_equipment(trees.pdu()).items():
        resources[path.replace(f"{trees.PDU}/Sensors", f"{chassis}/Sensors")] = each
    resources[f"{chassis}/Sensors"]["Members"] = [at(path) for path in resources if f"{chassis}/Sensors/" in path]
    del resources[trees.PDU]["Sensors"]
    resources |= {chassis: {"Id": "PDU", "Sensors": at(f"{chassis}/Sensors")}}
    resources[trees.PDU]["Links"] = {"Chassis": [at(chassis)]}
    service = Service(resources)
    found = by_key(asked("redfish_pdu", service, tmp_path).values)
    assert found[Part.SENSOR, "Top front", Q.TEMPERATURE_C].value == pytest.approx(25)
    assert found[Part.SENSOR, "Top front", Q.HUMIDITY_PERCENT].value == 41


def test_several_pdus_of_one_service_are_told_apart_and_one_can_be_named(tmp_path: Path) -> None:
    second = f"{trees.ROOT}/PowerEquipment/RackPDUs/2"
    service = Service(trees.power_equipment(trees.pdu(), trees.pdu(second)))
    found = by_key(asked("redfish_pdu", service, tmp_path).values)
    assert {name for part, name, _ in found if part == Part.INLET} == {"1:AC1", "2:AC1"}
    one = asked("redfish_pdu", service, tmp_path, {"path": second})
    assert one.description == "Contoso ZAP4000 RackPDU1"
    assert {each.name for each in one.values if each.part == Part.INLET} == {"AC1"}


@pytest.mark.parametrize("expands", [True, False], ids=["expands", "one by one"])
def test_a_cooling_unit_tells_its_loops_pumps_valve_filter_air_and_leaks(expands: bool, tmp_path: Path) -> None:
    found = by_key(asked("redfish_cooling", Service(trees.cdu(), expands=expands), tmp_path).values)
    assert found[Part.LOOP, "primary", Q.SUPPLY_C].value == 17
    assert found[Part.LOOP, "primary", Q.RETURN_C].value == 24
    assert found[Part.LOOP, "secondary 2", Q.SUPPLY_C].value == 30.1, "two manifolds are told apart"
    assert found[Part.LOOP, "secondary 1", Q.FLOW_LPM].value == 410.5
    assert found[Part.LOOP, "secondary 1", Q.PRESSURE_KPA].value == 220
    assert found[Part.PUMP, "1", Q.SPEED_PERCENT].value == 62
    assert found[Part.PUMP, "1", Q.SPEED_RPM].value == 3_100
    assert found[Part.PUMP, "2", Q.SPEED_PERCENT].reason == "it is disabled", "a pump that stands by is no stop"
    assert (Part.PUMP, "2", Q.SPEED_RPM) not in found
    assert found[Part.LEAK, "Base", Q.WET].value == 0
    assert found[Part.LEAK, "Rope", Q.WET].value == 1
    assert found[Part.LEAK, "Tray", Q.WET].value is None
    assert found[Part.LEAK, "Tray", Q.WET].reason == "the detector says 'Unavailable'"
    assert found[Part.SENSOR, "ambient", Q.DEW_POINT_C].value == 11.4
    assert found[Part.MACHINE, "", Q.POWER_W].value == 7_900
    assert found[Part.FILTER, "Filter 1", Q.PRESSURE_KPA].value == pytest.approx(42), "it was told in bar"
    assert found[Part.VALVE, "Primary valve", Q.OPEN_PERCENT].value == 48


def test_a_branch_tells_what_its_breaker_is_made_for_where_that_is_a_size() -> None:
    resources = trees.power_equipment(trees.pdu())
    for branch, rated in (("A", 16), ("B", None)):
        resources[f"{trees.PDU}/Branches/{branch}"]["RatedCurrentAmps"] = rated
    resources[f"{trees.PDU}/Outlets/A1"]["RatedCurrentAmps"] = 20
    found = parsed(PDU, resources)
    sizes = {key[:2]: each.value for key, each in found.items() if key[2] == Q.CURRENT_LIMIT_A}
    assert sizes == {(Part.BREAKER, "A"): 16}


def test_what_an_outlet_or_a_branch_tells_as_a_whole_its_lines_do_not_tell_again() -> None:
    resources = trees.power_equipment(trees.pdu())
    for path in (f"{trees.PDU}/Outlets/A1", f"{trees.PDU}/Branches/A"):
        resources[path] |= {
            "PolyPhaseCurrentAmps": {"Line1": excerpt(1.68)},
            "PolyPhasePowerWatts": {"Line1ToNeutral": excerpt(197.4), "Line2ToNeutral": excerpt(190.0)},
        }
    del resources[f"{trees.PDU}/Outlets/A1"]["PowerWatts"]
    found = parsed(PDU, resources)
    lines = {
        key[1:]: each.value for key, each in found.items() if key[0] in (Part.OUTLET, Part.BREAKER) and ":" in key[1]
    }
    assert lines == {
        ("A1:L1", Q.POWER_W): 197.4, ("A1:L2", Q.POWER_W): 190.0,
        ("A:L1", Q.POWER_W): 197.4, ("A:L2", Q.POWER_W): 190.0,
    }  # fmt: skip


def test_leak_detectors_of_a_unit_that_stand_at_its_chassis_alone_are_read(tmp_path: Path) -> None:
    """As the schemas have it since 2025.4."""
    resources, chassis = trees.cdu(), f"{trees.ROOT}/Chassis/CDU"
    for path in [path for path in resources if path.startswith(f"{trees.CDU}/LeakDetection/")]:
        del resources[path]
    resources[f"{trees.CDU}/LeakDetection"] = {"Id": "LeakDetection"}
    resources[chassis] = {**resources[chassis], "LeakDetectors": at(f"{chassis}/LeakDetectors")}
    resources |= trees.collection(f"{chassis}/LeakDetectors", [{"Id": "Rope", "DetectorState": "Critical"}])
    found = by_key(asked("redfish_cooling", Service(resources), tmp_path).values)
    assert [(name, each.value) for (part, name, _), each in found.items() if part == Part.LEAK] == [("Rope", 1)]


def test_a_sensor_that_does_not_tell_its_type_is_a_thermometer_by_its_unit(tmp_path: Path) -> None:
    resources = trees.room()
    for name, told in {"T1": "Cel", "H1": "%", "X1": "lx", "X2": None}.items():
        sensor = resources[f"{trees.ROOM}/Sensors/{name}"]
        del sensor["ReadingType"]
        sensor["ReadingUnits"] = told
    resources[f"{trees.ROOM}/Sensors/T1"] |= {"Reading": 24.8, "PhysicalContext": "Intake"}
    found = by_key(asked("redfish_sensors", Service(resources), tmp_path).values)
    assert found[Part.SENSOR, "Row B cold aisle", Q.TEMPERATURE_C].value == 24.8
    names = {name for part, name, _ in found if part == Part.SENSOR}
    assert names == {"Row B cold aisle", "Row B dew point"}, "percent may be of anything"


def test_manifolds_go_by_their_names_beside_the_whole_side_and_each_has_its_valve() -> None:
    resources = trees.cdu()
    at_side = f"{trees.CDU}/SecondaryCoolantConnectors"
    whole = resources.pop(f"{at_side}/2")
    resources[f"{at_side}/B01"] = {**whole, "Id": "B01", "ValvePositionPercent": excerpt(0)}
    resources[at_side]["Members"][1] = at(f"{at_side}/B01")
    about = [at(f"{at_side}/B01")]
    resources[f"{trees.ROOT}/Chassis/CDU/Sensors/Valve"]["RelatedItem"] = about
    found = parsed(COOLING, resources)
    assert {name for part, name, _ in found if part == Part.LOOP} == {"primary", "secondary", "B01"}
    valves = {name: each.value for (part, name, _), each in found.items() if part == Part.VALVE}
    assert valves == {"B01": 0}, "its sensor is the same valve"


def test_the_pressure_over_a_filter_goes_by_the_filter_that_its_sensor_is_about() -> None:
    resources = trees.cdu()
    sensor = resources[f"{trees.ROOT}/Chassis/CDU/Sensors/FilterDP"]
    sensor |= {"Name": "Differential pressure", "PhysicalContext": None, "RelatedItem": [at(f"{trees.CDU}/Filters/F1")]}
    resources[f"{trees.CDU}/Filters/F1"] = {"Id": "F1", "@odata.type": "#Filter.v1_0_2.Filter"}
    assert parsed(COOLING, resources)[Part.FILTER, "F1", Q.PRESSURE_KPA].value == pytest.approx(42)


def test_a_filter_tells_its_health_and_hours_and_one_that_tells_nothing_is_there_and_unknown() -> None:
    resources = trees.cdu()
    well = {"Id": "F1", "Status": {"State": "Enabled", "Health": "OK"}, "ServiceHours": 120, "RatedServiceHours": 8_760}
    others: list[dict[str, Any]] = [
        {"Id": "F2", "Status": {"State": "Enabled", "Health": "Warning"}},
        {"Id": "F3", "Status": {"State": "Absent", "Health": "Critical"}, "ServiceHours": 7},
        {"Id": "F4", "RatedServiceHours": 8_760, "ServiceHours": True},
        {"Id": "F5", "ServiceHours": None},
        {"Id": "F6", "ServiceHours": 120, "RatedServiceHours": 8_760},
    ]
    resources |= trees.collection(f"{trees.CDU}/Filters", [well, *others])
    resources[trees.CDU]["Filters"] = at(f"{trees.CDU}/Filters")
    found = parsed(COOLING, resources)
    told = {key[1:]: each.value if each.value is not None else each.reason for key, each in found.items()
            if key[0] == Part.FILTER and key[1] != "Filter 1"}  # fmt: skip
    assert told == {
        ("F1", Q.HEALTH): Health.OK, ("F1", Q.SERVICE_H): 120, ("F1", Q.RATED_H): 8_760,
        ("F2", Q.HEALTH): Health.WARNING,
        ("F3", Q.HEALTH): "it is not there",
        ("F4", Q.RATED_H): 8_760, ("F4", Q.HEALTH): "the device tells no value",
        ("F5", Q.HEALTH): "the device tells no value",
        ("F6", Q.SERVICE_H): 120, ("F6", Q.RATED_H): 8_760,
    }  # fmt: skip
    sensor = resources[f"{trees.ROOT}/Chassis/CDU/Sensors/FilterDP"]
    sensor["RelatedItem"] = [at(f"{trees.CDU}/Filters/F5")]
    resources[f"{trees.CDU}/Filters/F5"]["@odata.type"] = "#Filter.v1_0_2.Filter"
    found = parsed(COOLING, resources)
    assert found[Part.FILTER, "F5", Q.PRESSURE_KPA].value == pytest.approx(42)
    assert (Part.FILTER, "F5", Q.HEALTH) not in found, "its pressure is known"


def test_a_pump_tells_its_health_also_where_it_is_disabled_and_one_that_failed_tells_that_it_stands() -> None:
    resources = trees.cdu()
    resources[f"{trees.CDU}/Pumps/1"] |= {
        "Status": {"State": "UnavailableOffline", "Health": "Critical"}, "PumpSpeedPercent": excerpt(0)
    }  # fmt: skip
    resources[f"{trees.CDU}/Pumps/2"]["Status"] = {"State": "Disabled", "Health": "Critical"}
    found = parsed(COOLING, resources)
    assert [found[Part.PUMP, name, Q.HEALTH].value for name in "12"] == [Health.CRITICAL, Health.CRITICAL]
    assert found[Part.PUMP, "1", Q.SPEED_PERCENT].value == 0
    resources[f"{trees.CDU}/Pumps/2"]["Status"] = {"State": "Absent", "Health": "Critical"}
    assert (Part.PUMP, "2", Q.HEALTH) not in parsed(COOLING, resources)


def test_leaks_are_read_from_the_groups_of_a_unit_without_a_collection() -> None:
    resources = trees.cdu()
    rows = [{"DeviceName": "Moisture", "DetectorState": "Warning"}, {"DetectorState": None}, 7]
    resources[f"{trees.CDU}/LeakDetection"] = {"LeakDetectorGroups": [{"Detectors": rows}, {"Detectors": 3}, "x"]}
    found = parsed(COOLING, resources)
    assert found[Part.LEAK, "Moisture", Q.WET].value == 1
    assert found[Part.LEAK, "2", Q.WET].value is None


def test_sensors_of_a_room_tell_air_dew_point_and_leaks_and_no_value_in_a_strange_unit(tmp_path: Path) -> None:
    found = by_key(asked("redfish_sensors", Service(trees.room()), tmp_path).values)
    assert found[Part.SENSOR, "Row B cold aisle", Q.TEMPERATURE_C].value == 22.5
    assert found[Part.SENSOR, "Row B cold aisle", Q.HUMIDITY_PERCENT].value == 45.5
    assert found[Part.SENSOR, "Row B dew point", Q.DEW_POINT_C].value == 10.1
    assert found[Part.LEAK, "Rope", Q.WET].value == 0
    assert (
        found[Part.SENSOR, "Row C", Q.TEMPERATURE_C].reason
        == "it is reported in 'lx', which is no unit of temperature_c"
    )
    assert found[Part.SENSOR, "Row D", Q.TEMPERATURE_C].reason == "the sensor does not tell its unit"
    assert not [name for _, name, _ in found if name == "Door"]


def test_an_outlet_that_is_listed_and_cannot_be_read_is_there_and_unknown(tmp_path: Path) -> None:
    resources = trees.power_equipment(trees.pdu())
    del resources[f"{trees.PDU}/Outlets/A2"]
    found = by_key(asked("redfish_pdu", Service(resources), tmp_path).values)
    lost = found[Part.OUTLET, "A2", Q.POWER_W]
    assert (lost.value, lost.reason) == (None, "it is listed and cannot be read")


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (None, "the device tells no value"),
        (-3, "-3 cannot be"),
        (float("nan"), "nan cannot be"),
        (999_999, "999999 cannot be"),
        ("n/a", "reported as 'n/a', which is no number"),
        (True, "reported as 'True', which is no number"),
        ({"a": 1}, "which is no number"),
    ],
)
def test_a_reading_that_cannot_be_is_unknown_with_its_reason(reading: Any, said: str) -> None:
    resources = trees.power_equipment(trees.pdu())
    resources[f"{trees.PDU}/Outlets/A1"]["PowerWatts"] = excerpt(reading)
    found = parsed(PDU, resources)[Part.OUTLET, "A1", Q.POWER_W]
    assert found.value is None and said in found.reason


@pytest.mark.parametrize(
    ("measured_ago_s", "clock_ahead_s", "said"),
    [
        (20, None, ""),
        (3_600, None, "it was measured 3600 s ago"),
        (-3_600, None, "the clocks are apart: it is reported as of 3600 s from now"),
        (-3_600, 3_600, ""),  # its clock is wrong, and by that clock the value is of now
        (20, 3_600, "it was measured 3620 s ago"),
    ],
)
def test_a_value_is_as_old_as_the_clock_of_its_device_says(
    measured_ago_s: float, clock_ahead_s: float | None, said: str
) -> None:
    resources = trees.power_equipment(trees.pdu())
    sensor = resources[f"{trees.PDU}/Sensors/PowerA1"]
    sensor["ReadingTime"] = (NOW - timedelta(seconds=measured_ago_s)).isoformat().replace("+00:00", "Z")
    clock = None if clock_ahead_s is None else NOW.timestamp() + clock_ahead_s
    found = parsed(PDU, resources, clock)[Part.OUTLET, "A1", Q.POWER_W]
    assert found.reason == said
    assert (found.value is None) == bool(said)


def test_the_clock_of_a_service_is_the_date_of_its_answers(tmp_path: Path) -> None:
    resources = trees.power_equipment(trees.pdu())
    resources[f"{trees.PDU}/Sensors/Top"]["ReadingTime"] = "2026-05-04T13:00:00Z"
    service = Service(resources, date="Mon, 04 May 2026 13:00:05 GMT")
    found = by_key(asked("redfish_pdu", service, tmp_path).values)
    assert found[Part.SENSOR, "Top front", Q.TEMPERATURE_C].value == pytest.approx(25)


def test_a_password_that_is_wrong_and_a_certificate_that_changed_are_refusals(tmp_path: Path) -> None:
    service = Service(trees.room())
    with pytest.raises(AccessRefused, match="refused the user name or password") as wrong:
        asked("redfish_sensors", service, tmp_path, login=Login("rackside", "s3cret"))
    assert "s3cret" not in str(wrong.value) and "s3cret" not in repr(Login("rackside", "s3cret"))
    with pytest.raises(AccessRefused, match="certificate changed") as changed:
        asked("redfish_sensors", service, tmp_path, login=Login("rackside", trees.PASSWORD, bytes(32)))
    assert changed.value.presented is not None and len(changed.value.presented) == 32


def test_the_certificate_that_was_met_first_is_told_to_be_pinned(tmp_path: Path) -> None:
    answer = asked("redfish_sensors", Service(trees.room()), tmp_path, login=Login("rackside", trees.PASSWORD))
    assert answer.fingerprint is not None and len(answer.fingerprint) == 32


def test_a_service_without_such_a_meter_is_told_as_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(NotKnown, match="answers as Contoso and has no cooling unit in ThermalEquipment"):
        asked("redfish_cooling", Service(trees.room()), tmp_path)


def test_a_service_with_more_than_the_bound_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_of, "MOST_RESOURCES", 12)
    with pytest.raises(BadAnswer, match="more than 12 resources"):
        asked("redfish_pdu", Service(trees.power_equipment(trees.pdu())), tmp_path)
    monkeypatch.setattr(tree_of, "MOST_RESOURCES", 600)
    monkeypatch.setattr(tree_of, "MOST_BYTES", 1)
    with pytest.raises(BadAnswer, match="larger than"):
        asked("redfish_pdu", Service(trees.power_equipment(trees.pdu())), tmp_path)


def test_pages_of_a_collection_are_read_to_the_end_and_a_circle_of_pages_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resources = trees.power_equipment(trees.pdu())
    outlets = f"{trees.PDU}/Outlets"
    first, second, third = resources[outlets]["Members"]
    resources[outlets] = {"Members": [first, second], "Members@odata.nextLink": f"{outlets}/more"}
    resources[f"{outlets}/more"] = {"Members": [third]}
    found = by_key(asked("redfish_pdu", Service(resources), tmp_path).values)
    assert (Part.OUTLET, "A3", Q.POWER_W) in found
    resources[f"{outlets}/more"]["Members@odata.nextLink"] = f"{outlets}/more"
    monkeypatch.setattr(tree_of, "MOST_RESOURCES", 40)
    with pytest.raises(BadAnswer, match="more than 40 resources"):
        asked("redfish_pdu", Service(resources), tmp_path)


def test_an_address_that_the_gate_refuses_is_not_asked(tmp_path: Path) -> None:
    class Nowhere:
        def check(self, address: str, port: int) -> None:
            raise OSError(f"{address} is not allowed")

    service = Service(trees.room())
    with pytest.raises(Unreachable, match="not allowed"):
        asked("redfish_sensors", service, tmp_path, gate=Nowhere())
    assert service.requests == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["Reading", "@odata.id"]), inner),
    max_leaves=6,
)


@given(st.sampled_from([(PDU, "pdu"), (COOLING, "cdu"), (SENSORS, "room")]), st.data())
def test_no_reader_fails_or_invents_a_number_on_any_tree(kind: tuple[Shape, str], data: st.DataObject) -> None:
    """Resources of the right shape in which any property holds anything."""
    shape, name = kind
    made = {"pdu": lambda: trees.power_equipment(trees.pdu()), "cdu": trees.cdu, "room": trees.room}
    resources = made[name]()
    paths = data.draw(st.lists(st.sampled_from(sorted(resources)), max_size=6, unique=True))
    for path in paths:
        keys = sorted(resources[path])
        for key in data.draw(st.lists(st.sampled_from(keys), max_size=3)) if keys else ():
            resources[path] = {**resources[path], key: data.draw(JSON)}
    for (_, _, quantity), found in parsed(shape, resources).items():
        low, high = LIMITS[Quantity(quantity)]
        assert (found.value is None and found.reason) or (found.value is not None and low <= found.value <= high)


def test_a_member_elsewhere_is_not_followed_to_another_host(tmp_path: Path) -> None:
    resources = trees.power_equipment(trees.pdu())
    resources[f"{trees.PDU}/Outlets"]["Members"].append(at("https://203.0.113.9/redfish/v1/Outlets/1"))
    with pytest.raises(Unreachable, match="not a path at this address"):
        asked("redfish_pdu", Service(resources), tmp_path)
