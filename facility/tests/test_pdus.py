"""What the PDUs of five vendors tell becomes values with units; what cannot be has a reason instead of a number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.meters.oids import oid_of
from facility.facts import LIMITS, Measured, Part, Quantity, measured
from facility.pdus import VENDORS, Vendor, apc, eaton, raritan, sentry, vendor_of, vertiv
from facility.tests import agents
from facility.tests.agents import APC, EATON, RARITAN, SENTRY, Rows, parsed
from facility.walks import Units, Walk, number

Q = Quantity
WALKS = {
    "APC": agents.apc, "Eaton": agents.eaton, "Raritan": agents.raritan, "Server Technology": agents.sentry,
    "Vertiv": agents.vertiv,
}  # fmt: skip


Found = dict[tuple[str, str, str], Measured]


def read(reader: Callable[[Walk], Units], rows: Rows) -> Found:
    """Of a PDU that is alone."""
    return by_part(*reader(Walk(parsed(rows))).values())


def by_part(values: list[Measured]) -> Found:
    return {(each.part, each.name, each.quantity): each for each in values}


def chain(vendor: str, rows: Rows) -> dict[int, Found]:
    pdus = next(each for each in VENDORS if each.name == vendor).pdus(Walk(parsed(rows)))
    return {number: by_part(values) for number, values in pdus.items()}


def test_an_apc_tells_hundredths_of_kilowatts_and_tenths_of_amperes() -> None:
    found = read(apc.read, agents.apc())
    assert found[Part.INLET, "pdu-d14-a", Q.POWER_W].value == 5_790
    assert found[Part.INLET, "pdu-d14-a", Q.ENERGY_KWH].value == pytest.approx(234_567.8)
    assert found[Part.PHASE, "L2", Q.CURRENT_A].value == pytest.approx(8.5)
    assert found[Part.PHASE, "L2", Q.POWER_W].value == 1_920
    assert found[Part.BREAKER, "B6", Q.CURRENT_A].value == pytest.approx(4.6)
    assert found[Part.OUTLET, "42", Q.POWER_W].value == 522
    assert found[Part.SENSOR, "Top of D14", Q.TEMPERATURE_C].value == pytest.approx(25.1)
    assert (Part.SENSOR, "Top of D14", Q.HUMIDITY_PERCENT) not in found  # it has no such probe


def test_apcs_in_a_chain_are_told_apart_by_their_number() -> None:
    found = chain("APC", agents.apc_chain())
    assert found[1][Part.INLET, "pdu-d14-a", Q.POWER_W].value == 5_790
    assert found[1][Part.OUTLET, "1", Q.POWER_W].value == 481
    assert found[2][Part.INLET, "pdu-d14-a2", Q.POWER_W].value == 1_000
    assert found[2][Part.OUTLET, "1", Q.POWER_W].value == 60
    assert [found[unit][Part.SENSOR, "Top of D14", Q.TEMPERATURE_C].value for unit in (1, 2)] == pytest.approx(
        [25.1, 26.2]
    )
    assert set(found) == {1, 2}


def test_a_raritan_tells_how_many_digits_each_sensor_has() -> None:
    found = read(raritan.read, agents.raritan())
    assert found[Part.INLET, "I1", Q.CURRENT_A].value == pytest.approx(24.87)
    assert found[Part.INLET, "I1", Q.ENERGY_KWH].value == pytest.approx(123_456.789)
    assert found[Part.PHASE, "L2", Q.CURRENT_A].value == pytest.approx(25.9)
    assert found[Part.BREAKER, "C1", Q.CURRENT_A].value == pytest.approx(8.4)
    assert found[Part.OUTLET, "1", Q.POWER_W].value == 1_150
    assert len(found) == 11, "a power factor is none of our quantities"


def test_the_poles_of_two_inlets_are_told_apart() -> None:
    rows = agents.raritan() | agents.table(f"{RARITAN}.5.2.4.1", {"1.2.1.1": {2: 1, 3: 4, 4: 900}})
    rows |= agents.table(f"{RARITAN}.3.3.5.1", {"1.2.1": {2: 1}})
    rows |= agents.table(f"{RARITAN}.3.3.6.1", {"1.2.1.1": {7: 3}})
    found = read(raritan.read, rows)
    assert found[Part.PHASE, "I1:L1", Q.CURRENT_A].value == pytest.approx(24.1)
    assert found[Part.PHASE, "I2:L1", Q.CURRENT_A].value == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("part", "name", "quantity", "reason"),
    [
        (Part.PHASE, "L3", Q.CURRENT_A, "the sensor is not available"),
        (Part.OUTLET, "2", Q.POWER_W, "the sensor failed"),
        (Part.OUTLET, "3", Q.POWER_W, "the device does not tell how many decimal digits it has"),
    ],
)
def test_a_sensor_of_a_raritan_that_tells_nothing_is_no_zero(
    part: Part, name: str, quantity: Quantity, reason: str
) -> None:
    found = read(raritan.read, agents.raritan())[part, name, quantity]
    assert (found.value, found.reason) == (None, reason)


def test_a_sentry_calls_its_parts_and_counts_in_hundredths_and_tenths() -> None:
    found = read(sentry.read, agents.sentry())
    assert found[Part.INLET, "AA", Q.POWER_W].value == 16_240
    assert found[Part.PHASE, "AA:L3", Q.CURRENT_A].value == pytest.approx(23.03)
    assert found[Part.PHASE, "AA:L1-L2", Q.VOLTAGE_V].value == pytest.approx(407.9)
    assert found[Part.PHASE, "AA:L1-L2", Q.POWER_W].value == 5_410
    assert found[Part.BREAKER, "AA:BR1", Q.CURRENT_A].value == pytest.approx(8.12)
    assert found[Part.BREAKER, "AA:BR1", Q.CURRENT_LIMIT_A].value == 20
    assert (Part.BREAKER, "AA:BR2", Q.CURRENT_LIMIT_A) not in found, "of which it does not tell the size"
    assert found[Part.OUTLET, "AA3", Q.ENERGY_KWH].value == 500
    assert found[Part.BREAKER, "AA:BR2", Q.CURRENT_A].value is None
    assert found[Part.OUTLET, "AA3", Q.POWER_W].value == 1_103
    assert found[Part.SENSOR, "A1", Q.TEMPERATURE_C].value == 25, "it was told in degrees Fahrenheit"
    assert found[Part.SENSOR, "A2", Q.TEMPERATURE_C].reason == "no sensor is connected"
    celsius = agents.sentry() | {f"{SENTRY}.9.1.10.0": 0}
    assert read(sentry.read, celsius)[Part.SENSOR, "A1", Q.TEMPERATURE_C].value == 77


def test_an_eaton_says_which_pole_a_row_is_about_and_counts_in_thousandths() -> None:
    found = read(eaton.read, agents.eaton())
    assert found[Part.INLET, "Feed A", Q.POWER_W].value == 16_480
    assert found[Part.PHASE, "L1", Q.POWER_W].value == 5_560
    assert found[Part.PHASE, "L1", Q.CURRENT_A].value == pytest.approx(24.106)
    assert found[Part.PHASE, "N", Q.CURRENT_A].value == pytest.approx(0.31)
    assert found[Part.PHASE, "L1-L2", Q.VOLTAGE_V].value == pytest.approx(400.1)
    assert found[Part.BREAKER, "Section A", Q.CURRENT_A].value == pytest.approx(8.2)
    assert found[Part.BREAKER, "B2", Q.CURRENT_A].value is None
    assert found[Part.OUTLET, "A1", Q.ENERGY_KWH].value == 7
    assert found[Part.OUTLET, "A2", Q.POWER_W].value == 0, "nothing hangs on it: that is a zero"
    assert found[Part.OUTLET, "3", Q.CURRENT_A].value is None


def test_eatons_in_a_chain_are_told_apart_by_their_number() -> None:
    rows = agents.eaton() | agents.table(f"{EATON}.3.1.1", {"1.1": {10: "Feed B"}})
    rows |= agents.table(f"{EATON}.6.5.1", {"1.1": {3: 70, 4: 5}})
    rows |= agents.table(f"{EATON}.3.4.1", {"1.1.1": {2: 4, 4: 70, 5: 5}})
    found = chain("Eaton", rows)
    assert found[0][Part.OUTLET, "A1", Q.POWER_W].value == 1_140
    assert found[1][Part.OUTLET, "1", Q.POWER_W].value == 70
    assert found[1][Part.INLET, "Feed B", Q.POWER_W].value == 70


def test_linked_raritans_and_sentries_are_told_apart_by_their_number() -> None:
    pole = {"2.1.1.1": {2: 1, 3: 4, 4: 900}}
    rows = agents.raritan() | agents.table(f"{RARITAN}.5.2.4.1", pole) | agents.table(f"{RARITAN}.5.2.3.1", pole)
    rows |= agents.table(f"{RARITAN}.3.3.6.1", {"2.1.1.1": {7: 3}})
    found = chain("Raritan", rows)
    assert found[1][Part.PHASE, "L1", Q.CURRENT_A].value == pytest.approx(24.1)
    assert found[2][Part.PHASE, "L1", Q.CURRENT_A].value == pytest.approx(0.9)
    linked = agents.sentry() | agents.table(f"{SENTRY}.3.3.1", {"2.1": {3: 740, 10: 8}})
    linked |= agents.table(f"{SENTRY}.3.2.1", {"2.1": {2: "BA"}})
    units = chain("Server Technology", linked)
    assert units[2][Part.INLET, "BA", Q.POWER_W].value == 740
    assert (Part.INLET, "BA", Q.POWER_W) not in units[1]


def test_a_row_of_a_number_that_is_no_pdu_is_one_of_the_only_pdu() -> None:
    rows = agents.apc() | agents.table(f"{APC}.10.2.2.1", {"2": {2: 4, 3: "Door", 8: 240, 10: -1}})
    found = chain("APC", rows)
    assert found[1][Part.SENSOR, "Door", Q.TEMPERATURE_C].value == 24 and set(found) == {1}


def test_a_vertiv_goes_by_the_labels_that_people_gave() -> None:
    found = read(vertiv.read, agents.vertiv())
    assert found[Part.INLET, "Total", Q.POWER_W].value == 16_506
    assert found[Part.PHASE, "Phase 2", Q.CURRENT_A].value == pytest.approx(24.12)
    assert found[Part.PHASE, "Phase 2", Q.VOLTAGE_V].value == pytest.approx(230.1)
    assert found[Part.BREAKER, "CB1", Q.CURRENT_A].value == pytest.approx(8.12)
    assert found[Part.OUTLET, "hgx-d14-01 PSU1", Q.POWER_W].value == 1_104
    assert found[Part.SENSOR, "Top front", Q.TEMPERATURE_C].value == pytest.approx(24.8)
    gone = found[Part.SENSOR, "Bottom front", Q.TEMPERATURE_C]
    assert (gone.value, gone.reason) == (None, "the probe is not there any more")


def test_a_part_without_a_name_goes_by_its_index() -> None:
    rows = {oid: value for oid, value in agents.sentry().items() if not oid.startswith(f"{SENTRY}.8.2.")}
    assert (Part.OUTLET, "1.1.2", Q.POWER_W) in read(sentry.read, rows)


@pytest.mark.parametrize(
    ("object_id", "name"),
    [
        ("1.3.6.1.4.1.318.1.3.4.6", "APC"),
        ("1.3.6.1.4.1.13742.6", "Raritan"),
        ("1.3.6.1.4.1.1718.4", "Server Technology"),
        ("1.3.6.1.4.1.534.6.6.7", "Eaton"),
        ("1.3.6.1.4.1.21239.42.1.53", "Vertiv"),
        ("1.3.6.1.4.1.318.1.3.27", None),  # an APC that is a UPS
        ("1.3.6.1.4.1.8072.3.2.10", None),
    ],
)
def test_a_pdu_is_known_by_what_its_agent_says_it_is(object_id: str, name: str | None) -> None:
    vendor = vendor_of(oid_of(object_id))
    assert (vendor.name if vendor else None) == name


@given(st.sampled_from(list(Quantity)), st.floats(allow_nan=True, allow_infinity=True))
def test_a_value_is_within_what_can_be_or_has_a_reason(quantity: Quantity, value: float) -> None:
    found = measured(Part.OUTLET, "1", quantity, value)
    low, high = LIMITS[quantity]
    if found.value is None:
        assert math.isnan(value) or not low <= value <= high
        assert found.reason
    else:
        assert low <= found.value <= high


@given(st.sampled_from(VENDORS), st.data())
def test_no_reader_fails_or_invents_a_number_on_any_walk(vendor: Vendor, data: st.DataObject) -> None:
    """Rows of the right tables with any values, such as a firmware may tell them."""
    rows = WALKS[vendor.name]()
    changed = data.draw(st.lists(st.sampled_from(sorted(rows)), max_size=12, unique=True))
    value = st.one_of(st.integers(-(2**31), 2**32), st.text(max_size=8))
    rows = rows | {oid: data.draw(value) for oid in changed}
    for found in itertools.chain(*vendor.pdus(Walk(parsed(rows))).values()):
        low, high = LIMITS[found.quantity]
        assert (found.value is None and found.reason) or (found.value is not None and low <= found.value <= high)


def test_minus_one_and_no_number_are_not_known() -> None:
    assert number({"a": -1}, "a") is None
    assert number({"a": "n/a"}, "a") is None
    assert number({"a": "12"}, "a", 0.1) == pytest.approx(1.2)
    assert number({}, "a") is None


def test_tables_of_other_vendors_are_left_alone() -> None:
    assert not raritan.read(Walk(parsed(agents.apc())))
    assert not sentry.read(Walk(parsed(agents.raritan())))
    assert RARITAN not in "".join(agents.apc())


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda each: each.name)
def test_the_columns_that_are_walked_are_all_that_the_reader_looks_at(vendor: Vendor) -> None:
    """With the rows of other columns gone, the same values come out."""
    rows = parsed(WALKS[vendor.name]())
    wanted = [(*oid_of(entry), column) for entry, columns in vendor.tables.items() for column in columns]
    kept = [(oid, value) for oid, value in rows if any(oid[: len(each)] == each for each in wanted)]
    assert vendor.read(Walk(kept)) == vendor.read(Walk(rows)) != {}
