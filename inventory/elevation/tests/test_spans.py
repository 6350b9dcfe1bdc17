"""Free boxes, open gaps and places, against counting cell by cell."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.elevation.spans import (
    COLUMNS,
    FACES,
    Box,
    Taken,
    free_boxes,
    free_runs,
    occupied,
    open_gaps,
    places,
)

HEIGHT = 8
SPANS = st.tuples(st.integers(1, 2 * HEIGHT), st.integers(1, 6)).map(lambda s: (s[0], min(s[0] + s[1], 2 * HEIGHT + 1)))
SIDES = st.sampled_from([(0, 2), (0, 1), (1, 2)])
RACKS = st.lists(st.builds(Taken, SPANS, SIDES, SIDES, st.booleans()), max_size=6)


def cells(box: Box) -> set[tuple[int, int, int]]:
    return set(product(range(box.low, box.high), range(*FACES[box.face]), range(*COLUMNS[box.column])))


def filled(taken: list[Taken]) -> set[tuple[int, int, int]]:
    return {cell for item in taken for cell in product(range(*item.units), range(*item.faces), range(*item.columns))}


ALL = set(product(range(1, 2 * HEIGHT + 1), range(2), range(2)))


@given(RACKS)
@settings(deadline=None)
def test_free_boxes_cover_exactly_what_is_free_and_none_lies_in_another(taken: list[Taken]) -> None:
    boxes = free_boxes(HEIGHT, taken)
    assert set().union(*(cells(box) for box in boxes)) == ALL - filled(taken)
    for one, other in product(boxes, boxes):
        assert one is other or not cells(one) <= cells(other)


@given(RACKS)
@settings(deadline=None)
def test_open_gaps_are_the_parts_of_the_front_that_nothing_closes(taken: list[Taken]) -> None:
    gaps = open_gaps(HEIGHT, taken)
    closing = [item for item in taken if item.closes]
    front = {cell for cell in ALL - filled(closing) if cell[1] == 0} if closing else set()
    counted = [cell for gap in gaps for cell in cells(gap)]
    assert sorted(counted) == sorted(front)  # each once


@given(RACKS, st.integers(1, 6), st.sampled_from(["up", "down"]))
@settings(deadline=None)
def test_a_place_that_is_offered_is_free_and_on_a_whole_unit_where_the_model_is(
    taken: list[Taken], half_height: int, numbering: str
) -> None:
    runs = free_runs(HEIGHT, occupied(taken), "both", "full")
    offered = places([Box("both", "full", *run) for run in runs], half_height, numbering)
    for box in offered:
        assert box.high - box.low == half_height
        assert cells(box) <= ALL - filled(taken)
        assert half_height % 2 or box.low % 2
    fits = any(
        set(product(range(low, low + half_height), range(2), range(2))) <= ALL - filled(taken)
        for low in range(1, 2 * HEIGHT + 2 - half_height, 1 if half_height % 2 else 2)
    )
    assert bool(offered) == fits


def test_a_place_it_fills_exactly_comes_first_then_the_nearest_to_the_floor() -> None:
    spans = [Box("both", "full", 1, 9), Box("both", "full", 13, 17)]
    assert [box.low for box in places(spans, 4, "up")] == [13, 1, 5]
    assert [box.low for box in places(spans, 4, "down")] == [13, 5, 1]


def test_a_reservation_takes_its_units_and_stops_no_air() -> None:
    taken = [Taken((1, 5), (0, 2), (0, 2)), Taken((5, 9), (0, 2), (0, 2), closes=False)]
    assert free_boxes(4, taken) == []
    assert open_gaps(4, taken) == [Box("front", "full", 5, 9)]


def test_an_empty_rack_has_no_open_gaps() -> None:
    assert open_gaps(4, []) == []
    assert free_boxes(4, []) == [Box("both", "full", 1, 9)]
