"""Sensors of a room are read from any agent with ENTITY-SENSOR-MIB, over real SNMP."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.meters.snmp import Community
from facility.facts import LIMITS, Measured, Part, Quantity
from facility.readers import Answer, BadSettings, NotKnown, Unreachable, read
from facility.readers.entity_sensors import ENTITIES, SENSORS
from facility.readers.entity_sensors import read as parse
from facility.tests import agents
from facility.tests.agents import DESCR, OBJECT_ID, UPTIME, Rows, parsed, table
from facility.walks import Walk

pytestmark = pytest.mark.filterwarnings("ignore:add:DeprecationWarning")  # pysnmp calls pysmi, which only tests have
T, H = Quantity.TEMPERATURE_C, Quantity.HUMIDITY_PERCENT


def room() -> Rows:
    """A thermometer in tenths, one in thousandths by its scale, a hygrometer; one that failed, one that is not there,
    a voltmeter, and one whose value is from long ago."""
    return {
        DESCR: "Contoso EnviroMon 4",
        OBJECT_ID: "1.3.6.1.4.1.99999.1",
        UPTIME: 1_000_000,
        **table(ENTITIES, {
            "1": {2: "Temperature", 7: "T1", 14: "Row B cold aisle"}, "2": {2: "Temperature", 7: "T2"},
            "3": {2: "Humidity", 7: "T2"}, "4": {2: "Probe"}, "5": {2: "Probe"}, "6": {7: "V"}, "7": {7: "Late"},
        }),
        **table(SENSORS, {
            "1": {1: 8, 2: 9, 3: 1, 4: 225, 5: 1, 7: 999_000}, "2": {1: 8, 2: 8, 3: 0, 4: 24_125, 5: 1, 7: 0},
            "3": {1: 9, 2: 9, 3: 0, 4: 44, 5: 1, 7: 999_000}, "4": {1: 8, 2: 9, 3: 0, 4: 0, 5: 2, 7: 1},
            "5": {1: 8, 2: 9, 3: 0, 4: 0, 5: 3, 7: 1}, "6": {1: 3, 2: 9, 3: 0, 4: 230, 5: 1, 7: 1},
            "7": {1: 8, 2: 9, 3: 0, 4: 22, 5: 1, 7: 100_000},
        }),
    }  # fmt: skip


def switch() -> Rows:
    """A switch with three supplies: of the first both sides are told, of the second one that says neither, of the third
    what it gives alone; a fourth is known by the name of its sensor. One sensor of watts is in no supply."""
    watts = {1: 6, 2: 9, 3: 0, 5: 1, 7: 1}
    return {
        DESCR: "Contoso Switch OS 3.11",
        OBJECT_ID: "1.3.6.1.4.1.99999.2",
        UPTIME: 100,
        **table(ENTITIES, {
            "1": {5: 3, 7: "chassis"}, "10": {4: 1, 5: 6, 7: "PSU1"}, "20": {4: 1, 5: 6, 7: "PSU2"},
            "30": {4: 1, 5: 6, 7: "PSU3"}, "11": {4: 10, 5: 8, 7: "PSU1 Input Power"},
            "12": {4: 10, 5: 8, 7: "PSU1 Output Power"}, "21": {4: 20, 5: 8, 7: "power-mon"},
            "31": {4: 30, 5: 8, 7: "PSU3 Output Power"}, "41": {4: 1, 5: 8, 7: "Power supply 4 input power"},
            "51": {4: 1, 5: 8, 7: "ASIC power"}, "61": {4: 1, 5: 8, 7: "ASIC temperature"},
        }),
        **table(SENSORS, {
            "11": watts | {4: 412}, "12": watts | {4: 380}, "21": watts | {4: 3_905, 3: 1}, "31": watts | {4: 370},
            "41": watts | {4: 0}, "51": watts | {4: 250}, "61": watts | {1: 8, 4: 61},
        }),
    }  # fmt: skip


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    printer: Rows = {DESCR: "Linux printer", OBJECT_ID: "1.3.6.1.4.1.8072.3.2.10", UPTIME: 1}
    with agents.served(room=room(), switch=switch(), printer=printer, raritan=agents.raritan()) as found:
        yield found


def asked(port: int, community: str, kind: str = "snmp_sensors") -> Answer:
    return asyncio.run(read(kind, "127.0.0.1", port, Community(community), {}))


def test_sensors_are_told_with_their_names_scales_and_digits(port: int) -> None:
    answer = asked(port, "room")
    assert answer.description == "Contoso EnviroMon 4"
    assert answer.values == [
        Measured(Part.SENSOR, "Row B cold aisle", T, 22.5),
        Measured(Part.SENSOR, "T2", T, 24.125),
        Measured(Part.SENSOR, "T2", H, 44),
        Measured(Part.SENSOR, "Probe (4)", T, None, "the sensor is not available"),
        Measured(Part.SENSOR, "Probe (5)", T, None, "the sensor does not work"),
        Measured(Part.SENSOR, "Late", T, None, "it was measured 9000 s ago"),
    ]


def test_what_the_supplies_of_a_switch_take_is_told_and_what_they_give_is_not_taken_for_it(port: int) -> None:
    watts = Quantity.POWER_W
    assert asked(port, "switch").values == [
        Measured(Part.SENSOR, "ASIC temperature", T, 61),
        Measured(Part.SUPPLY, "PSU1", watts, 412),
        Measured(Part.SUPPLY, "PSU2", watts, 390.5),
        Measured(Part.SUPPLY, "PSU3", watts, None, "it tells what it gives, not what it takes"),
        Measured(Part.SUPPLY, "PSU 4", watts, 0),
    ]


def test_an_agent_without_that_mib_is_told_as_what_it_is(port: int) -> None:
    with pytest.raises(
        NotKnown, match=r"answers as 'Linux printer' .* no sensor of the air or of a power supply in ENTITY"
    ):
        asked(port, "printer")
    with pytest.raises(NotKnown, match="no PDU of APC"):
        asked(port, "room", "snmp_pdu")


def test_a_pdu_is_read_by_the_same_entry(port: int) -> None:
    answer = asked(port, "raritan", "snmp_pdu")
    assert answer.vendor == "Raritan"
    assert Measured(Part.OUTLET, "1", Quantity.POWER_W, 1_150) in answer.values


def test_a_kind_or_access_that_cannot_be_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(BadSettings, match="kind: one of snmp_pdu"):
        asyncio.run(read("telnet", "127.0.0.1", 1, None, {}))
    with pytest.raises(BadSettings, match="access: a PDU by SNMP is let in with Community or SnmpUser"):
        asyncio.run(read("snmp_pdu", "127.0.0.1", 1, None, {}))
    with pytest.raises(BadSettings, match="colour"):
        asyncio.run(read("snmp_pdu", "127.0.0.1", 1, Community("public"), {"colour": "red"}))


def test_a_meter_that_takes_too_long_is_unreachable(port: int) -> None:
    with pytest.raises(Unreachable, match=r"took longer than 0\.05 s"):
        asyncio.run(read("snmp_pdu", "127.0.0.1", port, Community("nobody"), {}, total_s=0.05))


def one(**columns: int) -> Measured:
    names = {"kind": 1, "scale": 2, "precision": 3, "value": 4, "status": 5, "stamp": 7}
    row = {1: 8, 2: 9, 3: 0, 4: 20, 5: 1} | {names[name]: value for name, value in columns.items()}
    (found,) = parse(Walk(parsed({UPTIME: 500, **table(SENSORS, {"1": row})})))
    return found


@pytest.mark.parametrize(
    ("columns", "value", "reason"),
    [
        ({"value": 215, "precision": 1}, 21.5, ""),
        ({"value": 21, "precision": -2}, 21, ""),  # accurate digits, and none behind the point
        ({"value": 1_000_000_000}, None, "the device tells no value"),
        ({"value": -1_000_000_000}, None, "the device tells no value"),
        ({"value": 2_150}, None, "2150 cannot be: temperature_c is from -40 to 125"),
        ({"scale": 0}, None, "the device does not tell how many decimal digits it has"),
        ({"precision": 40}, None, "the device does not tell how many decimal digits it has"),
        ({"status": 0}, None, "the sensor does not tell whether it works"),
        ({"stamp": 2**32 - 100}, 20, ""),  # measured before its clock of ticks began again
    ],
)
def test_a_value_that_cannot_be_read_has_a_reason(columns: dict[str, int], value: float | None, reason: str) -> None:
    found = one(**columns)
    assert (found.value, found.reason) == (value, reason)


@given(st.data())
def test_no_walk_makes_it_fail_or_invent_a_number(data: st.DataObject) -> None:
    rows = room()
    changed = data.draw(st.lists(st.sampled_from(sorted(rows)), max_size=12, unique=True))
    value = st.one_of(st.integers(-(2**31), 2**32), st.text(max_size=8))
    for found in parse(Walk(parsed(rows | {oid: data.draw(value) for oid in changed}))):
        low, high = LIMITS[found.quantity]
        assert (found.value is None and found.reason) or (found.value is not None and low <= found.value <= high)
