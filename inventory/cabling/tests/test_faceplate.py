"""Cages on the faceplate: inside it, apart from one another, each port in its cage."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from inventory.cabling.faceplate import faceplate
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec

SWITCHES = ("nvidia-qm9700", "nvidia-sn4600c", "nvidia-sn2201")


def apart(a: Any, b: Any) -> bool:
    return (
        a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"] or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
    )


@pytest.mark.parametrize("model", SWITCHES)
def test_every_data_port_of_a_shipped_switch_is_drawn_once_and_apart_from_the_others(model: str) -> None:
    spec = DeviceModelSpec.load(model)
    cages = faceplate(spec)
    drawn = [lane["port"] for cage in cages for lane in cage["lanes"]]
    wanted = [port.name for port in spec.ports if port.kind in ("infiniband", "ethernet")]
    assert sorted(drawn) == sorted(name for name in wanted if name not in ("eth0", "mgmt0"))
    assert all(apart(a, b) for a, b in combinations(cages, 2))
    assert all(c["x"] >= 0 and c["x"] + c["w"] <= 1 and c["y"] >= 0 and c["y"] + c["h"] <= 1 for c in cages)


def test_cage_one_stands_above_cage_two_and_cage_three_beside_it() -> None:
    one, two, three, *_ = faceplate(DeviceModelSpec.load("nvidia-qm9700"))
    assert [cage["cage"] for cage in (one, two, three)] == [1, 2, 3]
    assert one["x"] == two["x"] and one["y"] < two["y"]
    assert three["y"] == one["y"] and three["x"] > one["x"]


def test_the_upper_port_of_a_cage_is_lane_one() -> None:
    cage = faceplate(DeviceModelSpec.load("nvidia-qm9700"))[10]
    upper, lower = cage["lanes"]
    assert (upper["lane"], upper["port"], lower["port"]) == (1, "11/1", "11/2")
    assert lower["y"] > upper["y"] and lower["h"] == upper["h"]
    assert cage["y"] <= upper["y"] and lower["y"] + lower["h"] <= cage["y"] + cage["h"] + 1e-4


def model(**fields: Any) -> DeviceModelSpec:
    basics = {"model": "box", "vendor": "X", "name": "Box", "kind": "switch", "u_height": 1}
    ports = [{"range": "{1..8}/{1..4}", "kind": "ethernet", "cage": "{n}", "lane": "{m}"}]
    return DeviceModelSpec.from_dict(basics | {"ports": ports} | fields)


def test_a_model_that_says_nothing_has_its_cages_in_two_rows_a_unit() -> None:
    cages = faceplate(model())
    assert len({cage["y"] for cage in cages}) == 2 and len({cage["x"] for cage in cages}) == 4
    assert [lane["lane"] for lane in cages[0]["lanes"]] == [1, 2, 3, 4]
    assert len({lane["x"] for lane in cages[0]["lanes"]}) == 4


def test_cages_may_be_counted_along_the_rows() -> None:
    cages = faceplate(model(faceplate=[{"first": 1, "last": 8, "rows": 2, "order": "across"}]))
    assert cages[0]["y"] == cages[3]["y"] < cages[4]["y"]
    assert cages[0]["x"] == cages[4]["x"]


def test_a_model_without_cages_has_none() -> None:
    assert faceplate(DeviceModelSpec.load("pdu-zero-u-36c13-12c19")) == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"faceplate": [{"first": 1, "last": 9}]}, "no port is in cage 9"),
        ({"faceplate": [{"rows": 2}]}, "either first and last"),
        ({"faceplate": [{"first": 1, "last": 8, "ports": "1/1"}]}, "either first and last"),
        ({"faceplate": [{"first": 1, "last": 8, "x": 0.5, "width": 0.6}]}, "beyond the faceplate"),
        ({"slots": [{"name": "Optic 9", "kind": "optic", "cage": 9}]}, "no port is in cage 9"),
        ({"slots": [{"name": f"Optic {n}", "kind": "optic", "cage": 1} for n in (1, 2)]}, "both in cage 1"),
    ],
)
def test_a_faceplate_that_cannot_be_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(DeviceModelError, match=reason):
        model(**fields)
