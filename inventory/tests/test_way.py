"""The way to a rack in words: from the nearest door, past what one recognises, to the hand it stands on."""

from __future__ import annotations

import pytest

from inventory.way import Mark, RowRack, aisle_words, ordinal, way

ROW = [RowRack(f"A{n:02}", 1_000 + 600 * n, 600, network=n == 8) for n in range(1, 23)]
NEAR, FAR = Mark("Door 2", 800, 3_000), Mark("Door 7", 15_500, 3_000)


def test_from_the_door_past_the_network_rack() -> None:
    found = way(ROW, 16, stand_y_mm=3_000, looks_up=True, aisle="cold aisle A·B", doors=[NEAR])
    assert found.text == "Door 2, cold aisle A·B, 9th rack past NET A08, left side"
    assert (found.from_end, found.nth, found.passed_position) == ("low", 9, 7)


def test_from_the_other_end_the_hand_and_the_count_turn() -> None:
    found = way(ROW, 16, stand_y_mm=3_000, looks_up=True, doors=[FAR])
    assert found.text == "Door 7, 6th rack, right side"
    assert found.from_end == "high" and found.passed == ""


def test_the_landmark_passed_last_is_named() -> None:
    pillar, other_aisle = Mark("fire panel", 1_000 + 600 * 14, 3_400), Mark("pillar", 1_000 + 600 * 16, 9_000)
    found = way(ROW, 16, stand_y_mm=3_000, looks_up=False, doors=[NEAR], landmarks=[pillar, other_aisle])
    assert found.text == "Door 2, 4th rack past fire panel, right side"


def test_a_room_without_doors_on_the_plan_is_entered_at_the_low_end() -> None:
    assert way(ROW, 0, stand_y_mm=3_000, looks_up=True, door_name="Door 1").text == "Door 1, 1st rack, left side"


def test_a_rack_alone_is_a_row() -> None:
    assert way([ROW[4]], 0, stand_y_mm=0, looks_up=True).text == "1st rack, left side"


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [("A·B", "cold", "cold aisle A·B"), ("cold A·B", "cold", "cold aisle A·B"), ("hot aisle 3", "hot", "hot aisle 3"),
     ("Cold", "cold", "cold aisle"), ("", "", "")],
)  # fmt: skip
def test_an_aisle_is_named_once(name: str, kind: str, words: str) -> None:
    assert aisle_words(name, kind) == words


@pytest.mark.parametrize(
    ("number", "word"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (21, "21st"), (113, "113th")]
)
def test_ordinals(number: int, word: str) -> None:
    assert ordinal(number) == word
