"""Traces out of the database: the same ways as the pure walk finds, in a fixed number of statements, fast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Site
from inventory.cabling.facts import read
from inventory.cabling.tests.networks import chain, random_plant
from inventory.cabling.trace import trace_ports
from inventory.cabling.walk import Path as Way
from inventory.cabling.walk import trace
from inventory.fleet.load import load
from inventory.models import Cable, Port

pytestmark = pytest.mark.django_db


def renumbered(way: Way | None, ids: dict[int, int]) -> Any:
    if way is None:
        return None
    steps = [(s.kind, s.id if s.kind == "cable" else ids[s.id], s.number) for s in way.steps]
    return steps, way.why, [renumbered(branch, ids) for branch in way.branches]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_read_leads_to_the_same_ways_as_the_whole_plant(seed: int, django_assert_max_num_queries: Any) -> None:
    plant = random_plant(seed)
    ids = plant.store()
    same = {pk: pk for pk in ids.values()}
    with django_assert_max_num_queries(5):
        together = read(list(ids.values()))
    for number, pk in ids.items():
        pure, alone = trace(number, plant.facts()), read([pk])
        for found in (trace(pk, together.facts), trace(pk, alone.facts)):
            assert renumbered(found.out, same) == renumbered(pure.out, ids), (seed, number)
            assert renumbered(found.back, same) == renumbered(pure.back, ids), (seed, number)


def test_a_long_way_takes_no_more_statements(django_assert_num_queries: Any) -> None:
    plant, start, end = chain(6, [12] * 6, [5] * 6)
    ids = plant.store()
    with django_assert_num_queries(5):
        (found,) = trace_ports([ids[start]])
    assert found["complete"] and [port["id"] for port in found["ends"]] == [ids[end]]
    assert len(found["hops"]) == 1 + 2 * 13 + 12 * 2  # the port; 13 cables and ports; 12 panels and ports
    assert found["length_m"] is None


def test_only_what_can_be_reached_is_read() -> None:
    plant, start, _ = chain(1, [12], [5])
    others = [port for port, kind in plant.kinds.items() if kind == "front" and port not in plant.facts().links]
    for front in others:
        (machine,) = plant.device("infiniband")
        plant.cable(front, machine)
    ids = plant.store()
    assert len(read([ids[start]]).facts.links) == 3


PANELS = """\
rackside_fleet: 1
site: {slug: west, name: West}
device_models:
  - model: panel-12
    vendor: Example
    name: Panel
    kind: panel
    u_height: 1
    full_depth: false
    ports:
      - {name: R1, kind: rear, positions: 12, face: rear}
      - {range: "F{1..12}", kind: front, rear: R1, rear_position: "{n}", face: front}
rooms:
  - name: Hall 1
    width_mm: 6000
    depth_mm: 6000
    rows:
      - {name: A, racks: "A{01..02}", x_mm: 1200, y_mm: 1200, facing: down}
devices:
  - {name: leaf-1, model: nvidia-qm9700, racks: A01, u: 10, fabric: infiniband, tier: leaf}
  - {name: "hgx-{i}", model: dell-xe9680-h100, racks: A02, u: [20, 26]}
  - {name: "panel-{i}", model: panel-12, racks: "A{01..02}", u: 40}
cables:
  - {type: LC, label: "L-{n}", a: "leaf-1 3/1", b: panel-1 F7, length_m: 2}
  - {type: MPO trunk, label: "R-{n}", a: panel-1 R1, b: panel-2 R1, length_m: 10, status: planned}
  - {type: LC, label: "M-{n}", a: panel-2 F7, b: hgx-1 mlx5_0, length_m: 3.5}
  - {type: OSFP breakout, label: "Y-{n}", connectors_b: 2, a: "leaf-1 1/1", b: "hgx-{1..2} mlx5_3"}
"""


@pytest.fixture
def west(tmp_path: Path) -> Site:
    path = tmp_path / "west.yaml"
    path.write_text(PANELS)
    load(path)
    return Site.objects.get(slug="west")


def port(device: str, name: str) -> int:
    return Port.objects.get(device__name=device, name=name).pk


def told(answer: dict[str, Any]) -> list[str]:
    return [
        f"{hop['device']['name']} {hop['name']}" if hop["kind"] == "port" else hop["name"] for hop in answer["hops"]
    ]


def test_the_whole_way_is_told_with_places_and_planned_cables(west: Site, as_role: Callable[..., APIClient]) -> None:
    answer = as_role().get(f"/api/trace/{port('hgx-1', 'mlx5_0')}/").json()
    assert told(answer) == [
        "hgx-1 mlx5_0", "M-1", "panel-2 F7", "panel-2", "panel-2 R1", "R-1", "panel-1 R1", "panel-1", "panel-1 F7",
        "L-1", "leaf-1 3/1",
    ]  # fmt: skip
    assert answer["complete"] and answer["planned"] and answer["length_m"] == 15.5 and answer["why"] is None
    first, trunk, panel = answer["hops"][0], answer["hops"][5], answer["hops"][3]
    assert first["place"]["text"] == "Hall 1 › Row A › Rack A02 › U20–25 rear"
    assert (trunk["cable"]["status"], trunk["cable"]["length_m"], panel["position"]) == ("planned", 10, 7)
    (end,) = answer["ends"]
    assert (end["device"]["name"], end["port"]["cage"], end["port"]["lane"]) == ("leaf-1", 3, 1)


def test_a_removed_trunk_is_a_dead_end_that_says_so(west: Site, as_role: Callable[..., APIClient]) -> None:
    Cable.objects.get(label="R-1").delete()
    answer = as_role().get(f"/api/trace/{port('hgx-1', 'mlx5_0')}/").json()
    assert not answer["complete"] and answer["ends"] == []
    assert answer["why"] == {"code": "no_cable", "text": "panel-2 R1 has no cable.", "port": port("panel-2", "R1")}


def test_a_breakout_is_told_in_branches(west: Site, as_role: Callable[..., APIClient]) -> None:
    answer = as_role().get(f"/api/trace/{port('leaf-1', '1/1')}/").json()
    assert told(answer) == ["leaf-1 1/1", "Y-1"]
    assert [told(branch) for branch in answer["branches"]] == [["hgx-1 mlx5_3"], ["hgx-2 mlx5_3"]]
    assert len(answer["ends"]) == 2


def test_the_ports_of_a_device_are_traced_at_once(west: Site, as_role: Callable[..., APIClient]) -> None:
    client = as_role()
    device = Port.objects.get(pk=port("hgx-1", "mlx5_0")).device_id
    rails = client.get(f"/api/trace/?device={device}&kind=infiniband").json()["results"]
    assert len(rails) == 8
    assert [rail["complete"] for rail in rails[:3]] == [True, True, False]
    everything = client.get(f"/api/trace/?device={device}").json()["results"]
    assert len(everything) == Port.objects.filter(device=device).count()
    wanted = [port("leaf-1", "1/1"), port("hgx-1", "mlx5_0")]
    some = client.get(f"/api/trace/?port={wanted[0]},{wanted[1]}").json()["results"]
    assert [row["port"]["id"] for row in some] == wanted


@pytest.mark.parametrize(
    "query", ["", "port=1&device=1", "port=x", "port=", "device=1,2", "device=999999999", "port=" + "1," * 1001 + "1"]
)
def test_a_question_that_makes_no_sense_is_refused(west: Site, as_role: Callable[..., APIClient], query: str) -> None:
    assert as_role().get(f"/api/trace/?{query}").status_code == 400


def test_ports_of_a_site_one_may_not_see_are_not_there(
    two_sites: tuple[Site, Site], as_role: Callable[..., APIClient]
) -> None:
    north, south = two_sites
    there = Port.objects.filter(device__site=south, kind="infiniband").values_list("pk", flat=True)[0]
    client = as_role(site=north)
    assert client.get(f"/api/trace/{there}/").status_code == 404
    assert client.get(f"/api/trace/?port={there}").json()["results"] == []
    assert as_role(site=south).get(f"/api/trace/{there}/").status_code == 200
