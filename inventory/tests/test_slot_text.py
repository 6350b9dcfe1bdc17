"""A part is called the same wherever it is printed: what stands on the chassis first, then as the system counts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory.slot_text import about, slot_text, slot_texts

# The dashboard's own test has the same examples.
EXAMPLES = [
    ("GPU 2", "SXM 1", "SXM 1 (GPU 2)"),
    ("NVMe 3", "Bay 3", "Bay 3 (NVMe 3)"),
    ("HCA mlx5_1", "Slot 31 port 1", "Slot 31 port 1 (HCA mlx5_1)"),
    ("PSU 2", "PSU 2", "PSU 2"),
    ("DIMM A1", "A1", "DIMM A1"),
    ("Fan 4", "", "Fan 4"),
]


@pytest.mark.parametrize(("name", "label", "text"), EXAMPLES)
def test_the_number_on_the_chassis_comes_first(name: str, label: str, text: str) -> None:
    assert slot_text(name, label) == text


def test_the_dashboard_tests_the_same_examples() -> None:
    words = (Path(__file__).resolve().parents[2] / "frontend/src/text.test.ts").read_text()
    for example in EXAMPLES:
        assert json.dumps(list(example), separators=(", ", ": ")) in words


def test_a_model_that_cannot_be_read_names_no_slot_and_raises_nothing() -> None:
    for spec in (None, {}, {"slots": None}, {"slots": [7, {"label": "x"}, {"name": 3}]}):
        assert slot_texts(spec) == {}
    assert slot_texts({"slots": [{"name": "GPU 2", "label": "SXM 1"}, {"name": "PSU 1"}]}) == {
        "GPU 2": "SXM 1 (GPU 2)",
        "PSU 1": "PSU 1",
    }


def test_a_line_has_the_part_before_the_message_unless_the_message_has_it_or_it_is_of_the_whole_machine() -> None:
    assert about("SXM 6 (GPU 5)", "no links") == "SXM 6 (GPU 5): no links"
    assert about("SXM 6 (GPU 5)", "SXM 6 (GPU 5): no links") == "SXM 6 (GPU 5): no links"
    assert about("machine", "docker does not answer") == "docker does not answer"
