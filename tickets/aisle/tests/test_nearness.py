"""Which machine was scanned instead, and where the right one is from there: what a technician reads at a rack."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tickets.aisle.nearness import Spot, nearness

RIGHT = Spot("Hall 1", "A", "A17", 17, rack_at=16, at=33, facing="down")
IN_RACK = (17, 33, 49, 65)


@pytest.mark.parametrize(
    ("at", "words"), [(49, "one below"), (65, "two below"), (17, "one above"), (33, "at the same unit")]
)
def test_in_the_same_rack_machines_are_counted_not_units(at: int, words: str) -> None:
    assert nearness(RIGHT, replace(RIGHT, at=at), IN_RACK) == words


def test_half_width_machines_stand_beside_each_other() -> None:
    assert nearness(replace(RIGHT, column="left"), replace(RIGHT, column="right"), IN_RACK) == "beside it, the left one"


@pytest.mark.parametrize(
    ("rack_at", "facing", "words"),
    [
        (15, "down", "in the next rack to the right, A17"),
        (17, "down", "in the next rack to the left, A17"),
        (15, "up", "in the next rack to the left, A17"),
        (11, "down", "five racks to the right, A17"),
        (2, "up", "14 racks to the left, A17"),
    ],
)
def test_left_and_right_are_those_of_who_stands_before_the_rack(rack_at: int, facing: str, words: str) -> None:
    seen = replace(RIGHT, rack="X", rack_id=99, rack_at=rack_at, facing=facing)
    assert nearness(RIGHT, seen, ()) == words


def test_further_away_the_rack_is_named() -> None:
    assert nearness(RIGHT, replace(RIGHT, rack_id=1, row="B", rack_at=16), ()) == "in row A, rack A17"
    assert nearness(RIGHT, replace(RIGHT, rack_id=1, room="Hall 2"), ()) == "in Hall 1, rack A17"


def test_what_hangs_at_a_side_of_the_rack_has_no_unit() -> None:
    assert nearness(RIGHT, replace(RIGHT, at=None), IN_RACK) == "in the same rack"
