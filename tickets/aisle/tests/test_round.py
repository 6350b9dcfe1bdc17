"""The walking round: room after room, and no shorter order by turning any stretch of it round."""

from __future__ import annotations

import itertools
import random

import pytest

from tickets.aisle.round import Block, Stop, distance, length, shortest, standing

ROW_A = [Block("1", x, 2_000, 600, 1_200) for x in range(1_000, 13_000, 600)]
ROW_B = [Block("1", x, 4_400, 600, 1_200) for x in range(1_000, 13_000, 600)]
BLOCKS = [*ROW_A, *ROW_B]
DOOR = Stop(-1, "1", 500, 3_800)


def before(key: int, block: Block, *, looks_up: bool) -> Stop:
    return standing(key, block.room, block.x_mm, block.y_mm, block.width_mm, block.depth_mm, looks_up=looks_up)


def test_facing_rows_share_an_aisle() -> None:
    a, b = before(1, ROW_A[3], looks_up=True), before(2, ROW_B[3], looks_up=False)
    assert distance(a, b, BLOCKS) < 1_000


def test_the_other_side_of_a_row_is_round_its_end() -> None:
    a, b = before(1, ROW_A[3], looks_up=True), before(2, ROW_A[3], looks_up=False)
    assert distance(a, b, BLOCKS) > 2 * (ROW_A[3].x_mm - ROW_A[0].x_mm)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_within_a_tenth_of_the_shortest_of_all_orders(seed: int) -> None:
    pick = random.Random(seed)
    stops = [before(key, pick.choice(BLOCKS), looks_up=pick.random() < 0.5) for key in range(6)]
    found = length([DOOR, *shortest(stops, [DOOR], BLOCKS)], BLOCKS)
    best = min(length([DOOR, *order], BLOCKS) for order in itertools.permutations(stops))
    assert found <= best * 1.1


def test_every_stop_is_visited_once_and_rooms_are_not_mixed() -> None:
    other = [Stop(key, "2", key * 500.0, 0) for key in range(10, 14)]
    stops = [before(key, ROW_A[key], looks_up=True) for key in (9, 1, 5)]
    walk = shortest([stops[0], other[0], stops[1], *other[1:], stops[2]], [DOOR], BLOCKS)
    assert [stop.room for stop in walk] == ["2"] * 4 + ["1"] * 3
    assert sorted(stop.key for stop in walk) == [1, 5, 9, 10, 11, 12, 13]
    assert [stop.key for stop in walk if stop.room == "1"] == [1, 5, 9]


def test_nothing_to_do_is_no_walk() -> None:
    assert shortest([], [], []) == []


def test_a_hundred_stops_are_ordered_at_once() -> None:
    pick = random.Random(4)
    stops = [before(key, pick.choice(BLOCKS), looks_up=pick.random() < 0.5) for key in range(100)]
    assert len(shortest(stops, [DOOR], BLOCKS)) == 100
