"""Names from places and back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inventory.naming import CannotName, Pattern, PatternError, Place, Places, RackPlace
from tests.effort import examples

HALL = [RackPlace("Hall 1", row, f"{row}{number:02}", 48) for row in "ABC" for number in range(1, 26)]
SITE = Places(HALL)
LEAF = Place("Hall 1", "A", "A07", 41, 1, "", "leaf")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("{tier}-{rack}-u{u:02}", "leaf-a07-u41"),
        ("{tier}-{row}{rack:02}-u{u:02}", "leaf-a07-u41"),
        ("T3-{row:upper}{rack:02}-{room:01}-U{u}", "T3-A07-1-U41"),
        ("{room}.{rack:upper}.{n:03}", "hall-1.A07.001"),
    ],
)
def test_a_place_gives_the_name_and_the_name_the_place(pattern: str, name: str) -> None:
    made = Pattern(pattern)
    assert made.name(LEAF) == name
    found = SITE.place(made, name)
    assert found is not None and found[:3] == LEAF[:3]
    for field in ("u", "n", "tier"):
        assert getattr(found, field) == (getattr(LEAF, field) if made.has(field) else Place()._asdict()[field])


def test_sides_and_feeds_are_said_in_words_and_in_short() -> None:
    pdu = Place("Hall 1", "A", "A07", None, 1, "rear-left", "", "A")
    assert Pattern("pdu-{rack}-{side}").name(pdu) == "pdu-a07-rear-left"
    assert Pattern("pdu-{rack}-{side:short}").name(pdu) == "pdu-a07-rl"
    assert Pattern("pdu-{rack}-{feed}").name(pdu) == "pdu-a07-a"
    found = SITE.place(Pattern("pdu-{rack}-{side:short}"), "pdu-a07-rl")
    assert found and found.side == "rear-left"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("{tier}-u{u}", "no {rack}"),
        ("{rack}-{rack}", "twice"),
        ("{rack}-{tower}", "no field {tower}"),
        ("{rack", "opens or closes no field"),
        ("{rack}}", "opens or closes no field"),
        ("{rack} {u}", "no blank"),
        ("{rack}/{u}", "no slash"),
        ("{rack:02}{u}", "between the numbers"),
        ("{rack}-{u:02}{n:02}", "between the numbers"),
        ("{rack}-{u}1", "between {u} and the digits"),
        ("{u:upper}-{rack}", "a width such as 02"),
        ("{rack:0}", "1 to 6 digits"),
        ("{rack:007}x{u:9}", "1 to 6 digits"),
        ("", "no {rack}"),
    ],
)
def test_a_pattern_that_nobody_could_take_apart_is_refused_with_its_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason.replace("{", r"\{").replace("}", r"\}")):
        Pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "racks", "reason"),
    [
        # the number of a rack alone is the same in every row
        ("{rack:02}-u{u}", HALL, "could be"),
        # rack 1 in row A1 or rack 11 in row A
        ("{row}{rack}-u{u}", [RackPlace("H", "A", "11"), RackPlace("H", "A1", "1")], "a11-u1 could be"),
        # U1 of rack A11 or U11 of rack A1
        ("{rack}{u}", [RackPlace("H", "A", "A1"), RackPlace("H", "A", "A11")], "a111 could be"),
        # two rooms with a rack of one name
        ("{rack}-u{u}", [RackPlace("Hall 1", "A", "A01"), RackPlace("Hall 2", "A", "A01")], "Hall 2"),
        # small letters make two racks one
        ("{rack}-u{u}", [RackPlace("H", "", "a1"), RackPlace("H", "", "A1")], "could be"),
        # a zero that the number ends with, or the rack begins with
        ("{n:03}{rack}", [RackPlace("H", "", "01"), RackPlace("H", "", "1")], "10001 could be"),
        # the tier and the rack run into each other
        ("{tier}{rack}", [RackPlace("H", "", "1"), RackPlace("H", "", "e1")], None),
    ],
)
def test_a_pattern_that_gives_two_places_one_name_is_refused(
    pattern: str, racks: list[RackPlace], reason: str | None
) -> None:
    site = Places(racks, tiers=["leaf", "lea"])
    if reason is None:
        site.check(Pattern(pattern))
        return
    with pytest.raises(PatternError, match=reason):
        site.check(Pattern(pattern))


def test_the_room_tells_racks_of_one_name_apart() -> None:
    site = Places([RackPlace("Hall 1", "A", "A01"), RackPlace("Hall 2", "A", "A01")])
    site.check(Pattern("{room}-{rack}-u{u}"))
    found = site.place(Pattern("{room}-{rack}-u{u}"), "hall-2-a01-u7")
    assert found and (found.room, found.u) == ("Hall 2", 7)


@pytest.mark.parametrize(
    "name",
    ["leaf-a07", "leaf-a07-u", "leaf-a07-u1", "leaf-a07-u001", "leaf-a07-u00", "leaf-a07-u49", "leaf-z07-u01", "x", "",
     "leaf-a07-u01 ", "LEAF-a07-u01", "leaf-a07-u٠١", "leaf-a07-u²1"],
)  # fmt: skip
def test_a_name_that_is_not_of_the_pattern_leads_nowhere(name: str) -> None:
    assert SITE.read(Pattern("{tier}-{rack}-u{u:02}"), name) == []


@pytest.mark.parametrize(
    ("pattern", "place", "reason"),
    [
        ("{rack}-u{u}", LEAF._replace(u=None), "has no u"),
        ("{tier}-{rack}", LEAF._replace(tier=""), "has no tier"),
        ("{rack:02}", LEAF._replace(rack="Cage"), "ends with no number"),
        ("{rack}", LEAF._replace(rack="☃"), "no letter"),
        ("x" * 63 + "{rack}", LEAF, "longer than 64"),
    ],
)
def test_what_a_pattern_cannot_name_is_said(pattern: str, place: Place, reason: str) -> None:
    with pytest.raises(CannotName, match=reason):
        Pattern(pattern).name(place)


FIELDS = st.sampled_from(
    ["{tier}", "{room}", "{row}", "{row:01}", "{u}", "{u:02}", "{n}", "{n:03}", "{side}",
     "{side:short}", "{feed}", "-", "-", ".", "u", "x1"]
)  # fmt: skip
RACK_FIELD = st.sampled_from(["{rack}", "{rack:02}", "{rack:upper}"])
RACKS = st.lists(
    st.builds(
        RackPlace,
        st.sampled_from(["Hall 1", "Hall 2", "H"]),
        st.sampled_from(["A", "B", "A1", ""]),
        st.sampled_from(["1", "01", "11", "A1", "A01", "A11", "a-1", "u1"]),
        st.sampled_from([12, 48]),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda rack: (rack.room, rack.rack),
)


@given(
    st.lists(FIELDS, max_size=5),
    st.integers(0, 5),
    st.sampled_from(["{rack}", "{rack:02}", "{rack:upper}"]),
    RACKS,
    st.data(),
)
@settings(
    deadline=None, max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
def test_whatever_the_pattern_a_name_that_leads_to_a_place_is_the_name_of_that_place(
    parts: list[str], at: int, rack_field: str, racks: list[RackPlace], data: st.DataObject
) -> None:
    """And a checked pattern leads from every name it makes back to the one place it was made of."""
    site = Places(racks)
    try:
        pattern = Pattern("".join([*parts[:at], rack_field, *parts[at:]]))
    except PatternError:
        assume(False)
    rack = data.draw(st.sampled_from(racks))
    place = Place(
        *rack[:3],
        data.draw(st.integers(1, rack.height_u)),
        data.draw(st.integers(1, 200)),
        data.draw(st.sampled_from(["rear-left", "rear-right"])),
        data.draw(st.sampled_from(["leaf", "spine", "core", "tor"])),
        data.draw(st.sampled_from(["A", "B"])),
    )
    try:
        name = pattern.name(place)
    except CannotName:
        assume(False)
    read = site.read(pattern, name)
    assert all(pattern.name(each) == name for each in read)
    fields = [field for field in ("u", "n", "side", "tier", "feed") if pattern.has(field)]
    meant = [*place[:3], *(getattr(place, field) for field in fields)]
    assert meant in [[*each[:3], *(getattr(each, field) for field in fields)] for each in read]
    try:
        site.check(pattern)
    except PatternError:
        return
    assert len(read) == 1
