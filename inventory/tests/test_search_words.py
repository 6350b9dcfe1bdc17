"""What several words mean together: the part of a device, a room, a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models import Site
from inventory.models import Room
from inventory.search import search
from inventory.search.words import machine_and_part, matches


@pytest.mark.parametrize(
    ("query", "device", "part"),
    [
        ("a05-01 GPU", "a05-01", ("gpu",)),
        ("gpu 4 hgx-a17-03", "hgx-a17-03", ("gpu", "4")),
        ("hgx-a01-01 psu 2", "hgx-a01-01", ("psu", "2")),
    ],
)
def test_the_longest_word_with_a_digit_names_the_device(query: str, device: str, part: tuple[str, ...]) -> None:
    assert machine_and_part(query) == (device, part)


@pytest.mark.parametrize("query", ["hall 1", "hgx-a01-01", "gpu", "", "row a"])
def test_without_a_name_or_a_part_it_is_no_part_of_a_device(query: str) -> None:
    assert machine_and_part(query) is None


def test_a_number_is_meant_in_full_and_other_words_may_go_on() -> None:
    assert matches(("gpu", "1"), "gpu", "SXM 3 (GPU 1)") == 0
    assert matches(("gpu", "1"), "gpu", "SXM 3 (GPU 10)") is None
    assert matches(("nv",), "nvme", "Bay 1 (NVMe 1)") == 1
    assert matches(("psu",), "gpu", "SXM 3 (GPU 1)") is None


@pytest.mark.django_db
def test_a_machine_and_gpu_find_its_gpus_in_the_order_of_their_numbers(small: Path) -> None:
    found = [row for row in search("a01-01 GPU", None) if row["kind"] == "component"]
    assert [row["title"].split("GPU ")[1].rstrip(")") for row in found] == [str(n) for n in range(8)]
    assert all(row["title"].startswith("hgx-a01-01 · ") for row in found)
    (one,) = [row for row in search("gpu 5 hgx-a01-01", None) if row["kind"] == "component"]
    assert "(GPU 5)" in one["title"]


@pytest.mark.django_db
def test_a_room_is_found_by_its_name_and_comes_first(small: Path) -> None:
    room = Room.objects.get()
    found = search(room.name.lower(), None)
    assert (found[0]["kind"], found[0]["url"]) == ("room", f"/?room={room.pk}")


@pytest.mark.django_db
def test_a_row_is_found_by_its_letter_with_the_word(small: Path) -> None:
    row = Room.objects.get().rows.get(name="A")
    assert ("row", f"/rows/{row.pk}") in [(each["kind"], each["url"]) for each in search("row a", None)]


@pytest.mark.django_db
def test_rooms_and_parts_of_other_sites_are_not_found(two_sites: tuple[Site, Site]) -> None:
    north, south = two_sites
    room = Room.objects.filter(site=south)[0]
    Room.objects.filter(pk=room.pk).update(name="Cellar 9")
    assert search("cellar 9", [north.pk]) == []
    assert search("cellar 9", [south.pk])[0]["id"] == room.pk
