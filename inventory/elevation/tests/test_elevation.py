"""What the API tells of racks, and the page it draws."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rest_framework.test import APIClient

from core.models import Site
from inventory.fleet.load import load
from inventory.models import Device, Rack

pytestmark = pytest.mark.django_db

NASTY = "<b>&\"'"
HALL = """\
rackside_fleet: 1
site: {slug: west, name: "West <&>"}
device_models:
  - {model: half-box, vendor: X, name: Half, kind: switch, u_height: 1, half_width: true, weight_kg: 3, power_w: 40}
  - {model: tray, vendor: X, name: Tray, kind: shelf, u_height: 1, full_depth: false}
  - {model: riddle, vendor: X, name: Riddle, kind: machine, u_height: 2}
rooms:
  - name: Hall 1
    width_mm: 6000
    depth_mm: 6000
    rows:
      - {name: A, racks: "A{01..02}", x_mm: 1200, y_mm: 1200, facing: down, height_u: 24, weight_limit_kg: 200, power_limit_w: 12000}
      - {name: B, racks: B01, x_mm: 1200, y_mm: 3600, height_u: 12, numbering: down}
devices:
  - {name: hgx-1, model: dell-xe9680-h100, racks: A01, u: 1}
  - {name: leaf-1, model: nvidia-qm9700, racks: A01, u: 10, fabric: infiniband, tier: leaf}
  - {name: half-l, model: half-box, racks: A01, u: 12, column: left, fabric: management}
  - {name: '<b>&"', model: tray, racks: A01, u: 14, face: rear}
  - {name: pdu-a, model: pdu-zero-u-36c13-12c19, racks: A01, side: rear-left, feed: A}
  - {name: riddle-1, model: riddle, racks: B01, u: 3, status: planned}
reserved:
  - {rack: A01, u: "16..18", reason: "kept <i>&", owner: Network team}
  - {rack: A01, u: "19..24", kind: blanking, face: front}
cables:
  - {type: AOC, label: "C-{n}", a: hgx-1 mlx5_0, b: "leaf-1 1/1", status: planned}
"""  # noqa: E501


@pytest.fixture
def west(tmp_path: Path) -> Site:
    path = tmp_path / "west.yaml"
    path.write_text(HALL)
    load(path)
    return Site.objects.get(slug="west")


def rack(name: str) -> int:
    return Rack.objects.get(name=name).pk


def told(client: APIClient, name: str) -> Any:
    answer = client.get(f"/api/racks/{rack(name)}/elevation/")
    assert answer.status_code == 200
    return answer.json()


def spans(rows: list[dict[str, Any]]) -> list[tuple[str, str, float, float]]:
    return [(row["face"], row["column"], row["u"], row["height_u"]) for row in rows]


def test_both_faces_and_the_sides_are_told_with_kept_units_and_why(west: Site, as_role: Any) -> None:
    answer = told(as_role(), "A01")
    front = {item["name"]: item for item in answer["front"]}
    assert list(front) == ["", "kept <i>&", "half-l", "leaf-1", "hgx-1"]  # from the top
    assert (front["kept <i>&"]["kind"], front["kept <i>&"]["owner"]) == ("reserved", "Network team")
    assert front[""]["kind"] == "blanking"
    assert [item["name"] for item in answer["rear"]] == ["kept <i>&", '<b>&"', "half-l", "leaf-1", "hgx-1"]
    assert (front["half-l"]["column"], front["half-l"]["height_u"]) == ("left", 1)
    (side,) = answer["sides"]
    assert (side["slot"], side["name"], len(side["ports"])) == ("rear-left", "pdu-a", 49)


def test_ports_stand_on_their_face_with_their_cable(west: Site, as_role: Any) -> None:
    answer = told(as_role(), "A01")
    rear = {item["name"]: {port["name"]: port for port in item["ports"]} for item in answer["rear"]}
    front = {item["name"]: {port["name"]: port for port in item["ports"]} for item in answer["front"]}
    port = rear["leaf-1"]["1/1"]
    assert (port["cage"], port["lane"], port["cable"]["label"], port["cable"]["status"]) == (1, 1, "C-1", "planned")
    assert rear["leaf-1"]["1/2"]["cable"] is None
    assert "1/1" not in front["leaf-1"] and "PSU 1" in front["leaf-1"]
    assert rear["hgx-1"]["mlx5_0"]["cable"] == port["cable"]


def test_free_boxes_and_open_gaps_are_told(west: Site, as_role: Any) -> None:
    answer = told(as_role(), "A01")
    assert set(spans(answer["free"])) == {
        ("both", "full", 7, 3), ("both", "full", 11, 1), ("front", "right", 11, 5), ("both", "right", 11, 3),
        ("front", "full", 13, 3), ("both", "full", 13, 1), ("both", "full", 15, 1), ("rear", "full", 19, 6),
    }  # fmt: skip
    assert spans(answer["open_gaps"]) == [
        ("front", "full", 7, 3), ("front", "full", 11, 1), ("front", "right", 12, 1), ("front", "full", 13, 6),
    ]  # fmt: skip


def test_sums_stand_against_limits_and_what_is_not_known_is_said(west: Site, as_role: Any) -> None:
    answer = told(as_role(), "A01")
    assert answer["weight"] == {"limit_kg": 200, "planned_kg": 142.5, "unknown": ['<b>&"'], "over": False}
    assert answer["power"] == {"limit_w": 12000, "planned_w": 11960, "unknown": [], "over": False}
    assert answer["rack"]["planned_w"] == 11960
    other = told(as_role(), "B01")
    assert other["weight"] == {"limit_kg": None, "planned_kg": 0, "unknown": ["riddle-1"], "over": None}
    assert other["power"]["unknown"] == ["riddle-1"]


def test_numbers_may_run_down(west: Site, as_role: Any) -> None:
    (item,) = told(as_role(), "B01")["front"]
    assert (item["u"], item["from_top_u"], item["status"]) == (3, 2, "planned")
    (up,) = [item for item in told(as_role(), "A01")["front"] if item["name"] == "hgx-1"]
    assert (up["u"], up["from_top_u"]) == (1, 18)


def test_what_sits_in_bays_is_told_and_weighs(west: Site, as_role: Any) -> None:
    parent, child = Device.objects.get(name="hgx-1"), Device.objects.get(name="half-l")
    child.placement.delete()
    child.parent, child.bay = parent, "1"
    child.save()
    answer = told(as_role(), "A01")
    (item,) = [item for item in answer["front"] if item["name"] == "hgx-1"]
    assert [(inside["name"], inside["bay"]) for inside in item["children"]] == [("half-l", "1")]
    assert answer["weight"]["planned_kg"] == 142.5


# ---- many ----


def test_all_racks_come_in_one_request_in_a_fixed_number_of_statements(
    west: Site, as_role: Any, django_assert_max_num_queries: Any
) -> None:
    client = as_role()
    with django_assert_max_num_queries(10):
        racks = client.get("/api/racks/elevations/").json()["racks"]
    assert [each["rack"]["name"] for each in racks] == ["A01", "A02", "B01"]
    first = racks[0]
    assert [item["name"] for item in first["front"]] == [item["name"] for item in told(client, "A01")["front"]]
    assert (first["rack"]["free_u"], first["rack"]["open_gap_u"], first["rack"]["weight_unknown"]) == (6, 11, 1)
    assert (
        first["front"][-1]["cell"] == "no_signal"
        and first["front"][-2]["cell"] is None
        and first["sides"][0]["slot"] == "rear-left"
    )


def test_racks_are_chosen_by_row_room_or_site(west: Site, as_role: Any) -> None:
    client, row = as_role(), Rack.objects.get(name="B01").row_id

    def names(query: str) -> list[str]:
        return [each["rack"]["name"] for each in client.get(f"/api/racks/elevations/?{query}").json()["racks"]]

    assert names(f"row={row}") == ["B01"]
    assert names(f"room={Rack.objects.get(name='B01').room_id}") == ["A01", "A02", "B01"]
    assert names(f"site={west.pk}") == ["A01", "A02", "B01"]
    assert names("row=999999") == []
    assert client.get("/api/racks/elevations/?row=x").status_code == 400


def test_racks_of_other_sites_are_not_told(two_sites: tuple[Site, Site], as_role: Any) -> None:
    north, south = two_sites
    there = Rack.objects.filter(room__site=south).values_list("pk", flat=True)[0]
    client = as_role(site=north)
    assert {each["rack"]["site"] for each in client.get("/api/racks/elevations/").json()["racks"]} == {north.name}
    for path in ("elevation/", "elevation/?as=svg", "free/?model=nvidia-qm9700"):
        assert client.get(f"/api/racks/{there}/{path}").status_code == 404


# ---- to print ----


def svg(client: APIClient, name: str, **headers: Any) -> ElementTree.Element:
    answer = client.get(f"/api/racks/{rack(name)}/elevation/?as=svg", **headers)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("image/svg+xml")
    return ElementTree.fromstring(answer.content)


def texts(page: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in page.iter("{http://www.w3.org/2000/svg}text")]


def test_the_page_is_well_formed_whatever_things_are_called(west: Site, as_role: Any) -> None:
    Device.objects.filter(name="leaf-1").update(name="bad\x07 ]]> <script>alert(1)</script>")
    page = svg(as_role(), "A01")
    assert not list(page.iter("{http://www.w3.org/2000/svg}script"))
    assert '<b>&"' in texts(page)
    assert any("kept <i>& · Network team" in text for text in texts(page))
    assert any("<script>alert(1)</script>" in text for text in texts(page))
    assert "Row A · Hall 1 · West <&>" in texts(page)


def test_the_page_is_a4_and_nothing_is_drawn_outside_it(west: Site, as_role: Any) -> None:
    for name in ("A01", "B01"):
        page = svg(as_role(), name)
        assert (page.get("width"), page.get("height"), page.get("viewBox")) == ("210mm", "297mm", "0 0 210 297")
        for box in page.iter("{http://www.w3.org/2000/svg}rect"):
            if box.get("x") is None:
                continue
            x, y, w, h = (float(box.get(key) or 0) for key in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and x + w <= 210 and y + h <= 297


def test_every_unit_has_its_number_on_both_sides_and_names_are_large_enough_to_read(west: Site, as_role: Any) -> None:
    page = svg(as_role(), "A01")
    assert all(texts(page).count(str(number)) == 2 for number in range(1, 25))
    (size,) = {e.get("font-size") for e in page.iter() if e.text == "hgx-1"}
    assert float(size or 0) >= 2.5


def test_blanking_is_hatched_reserved_is_dotted_and_rear_mirrors_the_halves(west: Site, as_role: Any) -> None:
    page = svg(as_role(), "A01")
    ns = "{http://www.w3.org/2000/svg}"
    assert any((box.get("fill") or "").startswith("url(#hatch-") for box in page.iter(f"{ns}rect"))
    assert any(box.get("stroke-dasharray") == "0.3 0.9" for box in page.iter(f"{ns}rect"))
    halves = {}
    for group in page.iter(f"{ns}g"):
        for box in group.findall(f"{ns}rect"):
            title = box.find(f"{ns}title")
            if title is not None and (title.text or "").startswith("half-l"):
                frame = group.findall(f"{ns}rect")[1]
                halves[(group.get("id") or "").split("-")[0]] = float(box.get("x") or 0) - float(frame.get("x") or 0)
    assert halves["front"] < 1 and halves["rear"] > 30


def test_an_accept_header_asks_for_the_page_too(west: Site, as_role: Any) -> None:
    client = as_role()
    path = f"/api/racks/{rack('A01')}/elevation/"
    assert client.get(path, HTTP_ACCEPT="image/svg+xml")["Content-Type"].startswith("image/svg+xml")
    assert client.get(path, HTTP_ACCEPT="application/json")["Content-Type"] == "application/json"
    assert client.get(path + "?as=png").status_code == 400
    refused = client.get("/api/racks/999999/elevation/", HTTP_ACCEPT="image/svg+xml")
    assert (refused.status_code, refused["Content-Type"]) == (404, "application/json")


# ---- places ----


def test_places_are_offered_for_a_model(west: Site, as_role: Callable[..., APIClient]) -> None:
    client = as_role()
    answer = client.get(f"/api/racks/{rack('A01')}/free/?model=nvidia-qm9700").json()
    assert spans(answer["spans"]) == [
        ("both", "full", 7, 3), ("both", "full", 11, 1), ("both", "full", 13, 1), ("both", "full", 15, 1),
    ]  # fmt: skip
    assert [place["u"] for place in answer["suggestions"]] == [11, 13, 15, 7, 9]
    assert answer["weight"]["fits"] is None  # a shelf of unknown weight stands there
    assert answer["power"] == {"limit": 12000, "planned": 11960, "model": 1720, "after": 13680, "fits": False}


def test_halves_rears_and_side_slots_are_offered(west: Site, as_role: Callable[..., APIClient]) -> None:
    client, path = as_role(), f"/api/racks/{rack('A01')}/free/"
    half = client.get(f"{path}?model=half-box").json()["spans"]
    assert ("both", "right", 11, 3) in spans(half) and ("both", "left", 11, 1) in spans(half)
    rear = client.get(f"{path}?model=tray&face=rear").json()["spans"]
    assert ("rear", "full", 19, 6) in spans(rear)
    sides = client.get(f"{path}?model=pdu-zero-u-36c13-12c19").json()
    assert (sides["sides"], sides["spans"]) == (["rear-right"], [])
    assert client.get(f"{path}?model=dell-xe9680-h100").json()["suggestions"] == []


@pytest.mark.parametrize("query", ["", "model=nothing", "model=tray&face=top"])
def test_a_question_for_a_place_that_makes_no_sense_is_refused(west: Site, as_role: Any, query: str) -> None:
    assert as_role().get(f"/api/racks/{rack('A01')}/free/?{query}").status_code == 400
