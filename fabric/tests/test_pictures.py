"""The picture of a front: what is marked is shown large, told in words, and never by colour alone."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from fabric.facts import PlannedPort
from fabric.reconcile.moves import Move, plan_moves
from fabric.tests.test_moves import FoundCable, WantedCable, twin
from fabric.wiring.pictures import Front, Mark, front_svg, move_pictures
from inventory.cabling.faceplate import faceplate
from inventory.specs.device_model import DeviceModelSpec

SVG = "{http://www.w3.org/2000/svg}"
CAGES = faceplate(DeviceModelSpec.load("nvidia-qm9700"))


def two_to_a_cage(port: int) -> str:
    """Port 22 is 11/2: the names of the QM9700's ports."""
    return f"{(port + 1) // 2}/{1 if port % 2 else 2}"


def front(device: str = "leaf-1") -> Front:
    return Front(device, CAGES)


def drawn(svg: str) -> tuple[ElementTree.Element, list[str]]:
    root = ElementTree.fromstring(svg)
    return root, [text.text or "" for text in root.iter(f"{SVG}text")]


def test_port_22_is_cage_11_lower_and_port_5_cage_3_upper() -> None:
    root, texts = drawn(front_svg(front(), {two_to_a_cage(22): Mark.PULL, two_to_a_cage(5): Mark.PLUG}))
    assert root.find(f"{SVG}title").text == "Front of leaf-1"
    said = root.findtext(f"{SVG}desc") or ""
    assert "Pull from cage 11 lower (11/2)." in said and "Plug into cage 3 upper (3/1)." in said
    assert texts.count("▲ PULL") == 1 and texts.count("▼ PLUG") == 1
    assert {"3", "11"} <= set(texts)


@pytest.mark.parametrize("one", range(1, 65, 5))
@pytest.mark.parametrize("other", [1, 2, 22, 63, 64])
def test_both_marks_are_always_shown_large_and_inside_the_picture(one: int, other: int) -> None:
    if one == other:
        return
    root, texts = drawn(front_svg(front(), {two_to_a_cage(one): Mark.PULL, two_to_a_cage(other): Mark.PLUG}))
    assert texts.count("▲ PULL") == 1 and texts.count("▼ PLUG") == 1
    width, height = map(float, root.get("viewBox").split()[2:])
    for box in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + w <= width + 0.1 and y + h <= height + 0.1


def test_it_fits_a_phone_and_either_theme() -> None:
    root, _ = drawn(front_svg(front(), {"11/2": Mark.PULL}))
    assert root.get("width") == "100%" and root.get("viewBox").startswith("0 0 360 ")
    large = [text for text in root.iter(f"{SVG}text") if len(text.text or "") > 1]
    assert all(float(text.attrib["font-size"]) >= 11 for text in large)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', ElementTree.tostring(root, encoding="unicode")))
    assert colours == {"none", "currentColor", "#fff", "#d93036"}


def test_names_cannot_break_out_of_the_picture() -> None:
    root, _ = drawn(front_svg(front('<b>"&'), {"1/1": Mark.PLUG}, key='a"b'))
    assert root.find(f"{SVG}title").text == 'Front of <b>"&'


def test_a_port_that_is_not_on_the_faceplate_has_no_picture() -> None:
    assert front_svg(front(), {"99/1": Mark.PULL}) == ""


def one_move(into: str) -> Move:
    planned = [WantedCable("C1", (PlannedPort("m", 1), PlannedPort(into, 5)))]
    return plan_moves([FoundCable("f", (PlannedPort("m", 1), PlannedPort("s", 22)))], planned).moves[0]


def pictured(move: Move, *switches: str) -> list[tuple[str, str]]:
    marks: dict[str, dict[str, Mark]] = {}
    for ports, mark in ((move.takes, Mark.PULL), (move.puts, Mark.PLUG)):
        for port in ports:
            marks.setdefault(port.device, {})[two_to_a_cage(port.port)] = mark
    pictures = move_pictures(move.n, marks, {switch: front(switch) for switch in switches})
    return [(known.device, svg) for known, svg in pictures]


def test_a_move_between_two_switches_has_two_pictures() -> None:
    pictures = pictured(one_move("t"), "s", "t")
    assert [device for device, _ in pictures] == ["s", "t"]
    assert "PULL" in pictures[0][1] and "PLUG" not in pictures[0][1] and "PLUG" in pictures[1][1]
    assert len({ElementTree.fromstring(svg).get("aria-labelledby") for _, svg in pictures}) == 2
    assert len(pictured(one_move("s"), "s", "t")) == 1
    assert pictured(one_move("s")) == []


def test_a_twin_marks_both_halves_of_its_cage() -> None:
    found = [FoundCable("1", (PlannedPort("s", 1), PlannedPort("t", 3)))]
    found.append(FoundCable("2", (PlannedPort("s", 2), PlannedPort("t", 4))))
    move = plan_moves(found, twin(WantedCable, "W", "s1/s2", "t1/t2")).moves[0]
    svg = pictured(move, "t")[0][1]
    assert svg.count("▲ PULL") == 2 and svg.count("▼ PLUG") == 2
