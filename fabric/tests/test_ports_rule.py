"""What must remain of a switch's paths, whoever asks for what in which order."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.ports.rule import PathLink, needed, room_in_budget, shortages

LEAVES, SPINES = ("leaf-1", "leaf-2", "leaf-3"), ("spine-1", "spine-2", "spine-3", "spine-4")


def between(leaf: str, spine: str, *, usable: bool = True) -> PathLink:
    return PathLink(f"{leaf}-{spine}", leaf, spine, "spine", "leaf", usable)


FABRIC = [between(leaf, spine) for leaf in LEAVES for spine in SPINES]


def test_the_last_allowed_path_may_go_and_the_next_may_not() -> None:
    assert shortages(FABRIC, taken=(), wanted={"leaf-1-spine-1"}, floor=0.66) == []
    short = shortages(FABRIC, taken={"leaf-1-spine-1"}, wanted={"leaf-1-spine-2"}, floor=0.66)
    assert [str(s) for s in short] == ["leaf-1 would keep 2 of 4 links to spine switches, 3 needed"]


def test_paths_that_are_down_already_do_not_count_as_remaining() -> None:
    fabric = [between("leaf-1", spine, usable=spine not in ("spine-3", "spine-4")) for spine in SPINES]
    assert shortages(fabric, taken=(), wanted={"leaf-1-spine-1"}, floor=0.5)
    assert shortages(fabric, taken=(), wanted={"leaf-1-spine-3"}, floor=0.5) == [], "it carries nothing anyway"


def test_one_path_always_remains_whatever_the_floor() -> None:
    single = [between("leaf-1", "spine-1")]
    assert shortages(single, taken=(), wanted={"leaf-1-spine-1"}, floor=0)


def test_links_upwards_do_not_make_up_for_links_downwards() -> None:
    spine = [PathLink(f"d{n}", f"leaf-{n}", "spine-1", "spine", "leaf", True) for n in range(4)]
    spine += [PathLink(f"u{n}", "spine-1", f"core-{n}", "core", "spine", True) for n in range(4)]
    found = shortages(spine, taken={"u0", "u1"}, wanted={"u2"}, floor=0.5)
    assert ("spine-1", "core", 1) in [(s.switch, s.to, s.left) for s in found]
    assert ("spine-1", "leaf") not in [(s.switch, s.to) for s in found]


def test_a_link_to_a_machine_is_no_path() -> None:
    assert shortages([PathLink("c", "gpu-1", "leaf-1", "", "", True)], taken=(), wanted={"c"}, floor=1.0) == []


def test_a_link_to_where_none_was_planned_is_no_path() -> None:
    odd = [*FABRIC, PathLink("x", "leaf-1", "leaf-2", "leaf", "leaf", True, planned=False)]
    assert shortages(odd, taken=(), wanted={"x"}, floor=1.0) == []


def test_a_link_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        shortages(FABRIC, taken=(), wanted={"nowhere"}, floor=0.5)


def test_shares_do_not_suffer_from_binary_fractions() -> None:
    assert needed(100, 0.29) == 29 and needed(10, 0.7) == 7 and needed(3, 0.5) == 2
    assert room_in_budget(8, 3) == 5 and room_in_budget(2, 5) == 0


@given(
    asked=st.lists(st.sampled_from([link.key for link in FABRIC]), unique=True),
    floor=st.floats(0, 1),
    down=st.sets(st.sampled_from([link.key for link in FABRIC])),
)
def test_whatever_is_asked_in_whatever_order_no_switch_falls_below_the_floor(
    asked: list[str], floor: float, down: set[str]
) -> None:
    fabric = [between(link.a, link.b, usable=link.key not in down) for link in FABRIC]
    taken: set[str] = set()
    for key in asked:
        if not shortages(fabric, taken=taken, wanted={key}, floor=floor):
            taken.add(key)
    for switch in (*LEAVES, *SPINES):
        mine = [link for link in fabric if switch in (link.a, link.b)]
        before = sum(link.usable for link in mine)
        left = sum(link.usable and link.key not in taken for link in mine)
        assert left == before or left >= max(1, ceil(floor * len(mine) - 1e-9))


@given(wanted=st.sets(st.sampled_from([link.key for link in FABRIC]), min_size=2), floor=st.floats(0, 1))
def test_what_may_go_together_may_go_in_part(wanted: set[str], floor: float) -> None:
    if not shortages(FABRIC, taken=(), wanted=wanted, floor=floor):
        for key in wanted:
            assert not shortages(FABRIC, taken=(), wanted=wanted - {key}, floor=floor)
