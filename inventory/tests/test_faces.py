"""Front and rear of one thing agree on every page: pictures, places, traces, ends of cables and tickets."""

from __future__ import annotations

import pytest

from inventory.faces import face_of_port, face_of_slot


@pytest.mark.parametrize(
    ("said", "device", "face"),
    [("", "both", "rear"), ("front", "both", "front"), ("rear", "front", "rear"), ("", "front", "front"),
     ("", "rear", "rear")],
)  # fmt: skip
def test_a_port_that_says_no_face_is_at_the_rear_or_on_the_only_face(said: str, device: str, face: str) -> None:
    assert face_of_port(said, device) == face
    assert face_of_slot(said, device) == face, "a part is where its port is"


def test_a_part_without_a_port_is_reached_from_the_front_or_the_only_face() -> None:
    assert [face_of_slot(None, device) for device in ("both", "front", "rear")] == ["front", "front", "rear"]
