"""The routes: what they answer, who may write, which site is seen, and how many queries a list costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from core.models import Site
from inventory.fleet.load import load
from inventory.fleet.reference import fleet_file
from inventory.models import Cable, Component, Device, Installation, Port, Rack, Room, Row

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
AsRole = Callable[..., APIClient]

LISTS = (
    "sites", "rooms", "rows", "aisles", "racks", "device-models", "devices", "switches", "pdus", "ports", "cables",
    "components",
)  # fmt: skip

# Queries of one page, whatever its size: the count, the rows, and what is prefetched. Rights cost one more.
QUERIES = dict.fromkeys(LISTS, 2) | {"ports": 3, "components": 3, "cables": 6}


@pytest.fixture
def operator(as_role: AsRole) -> APIClient:
    return as_role("operator")


def rows(client: APIClient, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/api/{path}/", query)
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def refused(answer: Any, *fields: str) -> None:
    assert answer.status_code == 400, answer.content
    error = answer.json()["error"]
    assert error["code"] == "invalid"
    assert set(fields) <= set(error["fields"]), error


# ---- reading ----


@pytest.mark.parametrize("path", LISTS)
def test_every_list_and_its_rows_can_be_read_by_a_viewer(path: str, small: Path, as_role: AsRole) -> None:
    client = as_role("viewer")
    answer = client.get(f"/api/{path}/", {"page_size": 2})
    body = answer.json()
    assert set(body) == {"count", "next", "previous", "results"}
    assert body["count"] >= 1
    row = body["results"][0]
    one = client.get(f"/api/{path}/{row['slug'] if path == 'device-models' else row['id']}/")
    assert one.status_code == 200
    assert one.json() == row


def costs(client: APIClient, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(f"/api/{path}/", {"page_size": 500}).status_code == 200
    return len(captured)


def test_the_queries_of_every_list_are_pinned_whatever_the_size_of_the_fleet(tmp_path: Path, as_role: AsRole) -> None:
    client = as_role("viewer")
    client.get("/api/sites/")  # reads the roles of the user, who stays the same object here
    for machines in (1, 40):
        path = tmp_path / f"{machines}.yaml"
        path.write_text(fleet_file(machines).replace("slug: north", f"slug: s{machines}"))
        load(path)
        assert {path: costs(client, path) for path in LISTS} == QUERIES


def test_details_cost_a_fixed_number_of_queries(small: Path, as_role: AsRole) -> None:
    client, machine = as_role("viewer"), Device.objects.get(name="hgx-a01-01")
    for path, most in (("", 2), ("components/", 3), ("cables/", 5), ("place/?slot=GPU 5", 6)):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/api/devices/{machine.pk}/{path}").status_code == 200
        assert len(captured) <= most, path


def test_a_device_tells_its_place_model_and_what_its_kind_has(small: Path, as_role: AsRole) -> None:
    (row,) = rows(as_role("viewer"), "devices", name="hgx-a02-03")
    assert row["place"]["text"] == "Hall 1 › Row A › Rack A02 › U17–22 front"
    assert row["model"] == {"slug": "dell-xe9680-h100", "name": "PowerEdge XE9680 (8x H100 SXM)", "vendor": "Dell"}
    assert row["machine"]["primary_ip"] == "10.10.0.7"
    assert (row["switch"], row["pdu"]) == (None, None)
    (leaf,) = rows(as_role("viewer"), "switches", name="leaf-a01-r1")
    assert leaf["switch"]["tier"] == "leaf"


@pytest.mark.parametrize(
    ("path", "query", "count"),
    [
        ("devices", {"kind": "machine"}, 24), ("devices", {"status": "planned"}, 4),
        ("devices", {"search": "a01-0"}, 4),
        ("switches", {"tier": "leaf", "fabric": "infiniband"}, 8), ("switches", {"model": "nvidia-sn2201"}, 7),
        ("pdus", {"feed": "a01-a"}, 1), ("racks", {"role": "network"}, 1), ("racks", {"name": "A03"}, 1),
        ("ports", {"device_name": "hgx-a01-01", "kind": "infiniband"}, 8),
        ("ports", {"device_name": "hgx-a01-01", "cabled": "false"}, 2),
        ("cables", {"type": "MPO-12 OM4", "colour": "aqua"}, 160), ("cables", {"label": "C-00001"}, 1),
        ("components", {"kind": "gpu"}, 192), ("components", {"in_stock": "true"}, 0), ("rooms", {"name": "Hall 1"}, 1),
        ("device-models", {"kind": "switch"}, 3),
    ],
)  # fmt: skip
def test_lists_can_be_filtered(path: str, query: dict[str, str], count: int, small: Path, as_role: AsRole) -> None:
    answer = as_role("viewer").get(f"/api/{path}/", query)
    assert answer.json()["count"] == count


def test_lists_can_be_ordered_and_junk_in_a_filter_is_told(small: Path, as_role: AsRole) -> None:
    client = as_role("viewer")
    names = [row["name"] for row in rows(client, "devices", ordering="-name", kind="machine")]
    assert names == sorted(names, reverse=True)
    refused(client.get("/api/devices/", {"rack": "x"}), "rack")
    refused(client.get("/api/devices/", {"kind": "toaster"}), "kind")
    refused(client.get("/api/ports/", {"name": "\x00"}), "name")


def test_cables_of_a_device_are_found_from_either_end(small: Path, as_role: AsRole) -> None:
    client, leaf = as_role("viewer"), Device.objects.get(name="leaf-a01-r1")
    answer = client.get("/api/cables/", {"device": leaf.pk}).json()
    assert answer["count"] == 20 + 32 + 1 + 2
    ends = answer["results"][0]["ends"]
    assert [end["side"] for end in ends] == ["A", "B"]
    assert ends[1]["device"] == {"id": leaf.pk, "name": "leaf-a01-r1"}


def test_search_answers_what_the_box_shows(small: Path, as_role: AsRole) -> None:
    results = as_role("viewer").get("/api/search/", {"q": "hgx-a02-03"}).json()["results"]
    assert set(results[0]) == {"kind", "id", "title", "subtitle", "url"}
    assert as_role("viewer").get("/api/search/").json() == {"results": []}


# ---- sites ----


def test_another_site_does_not_exist(two_sites: Sites, as_role: AsRole) -> None:
    north, south = two_sites
    client = as_role("admin", site=north)
    for path, theirs in (
        ("rooms", Room.objects.get(site=south)), ("racks", Rack.objects.get(name="K01")),
        ("rows", Row.objects.get(name="K")), ("devices", Device.objects.get(name="dgx-k01-1")),
        ("switches", Device.objects.get(name="spare-switch")), ("cables", Cable.objects.get(label="S-0001")),
        ("ports", Port.objects.filter(device__site=south)[0]), ("components", Component.objects.filter(site=south)[0]),
        ("sites", south),
    ):  # fmt: skip
        assert client.get(f"/api/{path}/{theirs.pk}/").status_code == 404, path
        assert client.patch(f"/api/{path}/{theirs.pk}/", {}).status_code == 404, path
        assert client.delete(f"/api/{path}/{theirs.pk}/").status_code == 404, path
        assert theirs.pk not in {row["id"] for row in rows(client, path, page_size=500)}, path
    assert client.get("/api/search/", {"q": "dgx-k01-1"}).json()["results"] == []


def test_nothing_is_written_into_another_site(two_sites: Sites, as_role: AsRole) -> None:
    north, south = two_sites
    client = as_role("admin", site=north)
    refused(client.post("/api/rooms/", {"site": south.pk, "name": "X", "width_mm": 1, "depth_mm": 1}), "site")
    theirs = Rack.objects.get(name="K01")
    device = {
        "site": north.pk,
        "model": "nvidia-qm9700",
        "name": "x",
        "switch": {"fabric": "infiniband", "tier": "leaf"},
    }
    refused(client.post("/api/devices/", device | {"place": {"rack": theirs.pk, "u": 40}}), "place")
    port = Port.objects.filter(device__site=south)[0]
    own = Port.objects.get(device__name="leaf-1", name="20/1")
    cable = {"site": north.pk, "label": "X", "type": "DAC", "a": {"port": own.pk}, "b": {"port": port.pk}}
    refused(client.post("/api/cables/", cable), "b")


def test_a_record_stays_at_its_site(two_sites: Sites, operator: APIClient) -> None:
    south = two_sites[1]
    machine = Device.objects.get(name="hgx-a01-01")
    refused(operator.patch(f"/api/devices/{machine.pk}/", {"site": south.pk}), "site")
    rack = Rack.objects.get(name="S01")
    refused(operator.patch(f"/api/racks/{rack.pk}/", {"room": Room.objects.get(site=south).pk}), "site")


@pytest.mark.parametrize("role", ["viewer", "technician"])
def test_only_operators_write(role: str, two_sites: Sites, as_role: AsRole) -> None:
    client, machine = as_role(role), Device.objects.get(name="hgx-a01-01")
    assert client.patch(f"/api/devices/{machine.pk}/", {"asset_tag": "1"}).status_code == 403
    assert client.delete(f"/api/devices/{machine.pk}/").status_code == 403
    for path in LISTS[:5]:
        assert client.post(f"/api/{path}/", {}).status_code == 403


def test_a_role_on_one_site_is_none_on_the_other(two_sites: Sites, as_role: AsRole) -> None:
    from core.models import Role, RoleGrant

    north, south = two_sites
    client = as_role("operator", site=north)
    RoleGrant.objects.create(user=client.handler._force_user, site=south, role=Role.VIEWER)
    assert client.get(f"/api/rooms/{Room.objects.get(site=south).pk}/").status_code == 200
    answer = client.post("/api/rooms/", {"site": south.pk, "name": "X", "width_mm": 1, "depth_mm": 1})
    assert answer.status_code == 403


def test_sites_are_made_by_admins_of_everything(two_sites: Sites, as_role: AsRole) -> None:
    new = {"slug": "west", "name": "West"}
    assert as_role("operator").post("/api/sites/", new).status_code == 403
    assert as_role("admin", site=two_sites[0]).post("/api/sites/", new).status_code == 403
    assert as_role("admin").post("/api/sites/", new).status_code == 201
    refused(as_role("admin").post("/api/sites/", new), "slug")


# ---- writing ----


def test_a_place_is_built_up_changed_and_taken_down(two_sites: Sites, operator: APIClient) -> None:
    site = two_sites[0]
    room = operator.post("/api/rooms/", {"site": site.pk, "name": "New", "width_mm": 9000, "depth_mm": 9000}).json()
    row = operator.post("/api/rows/", {"room": room["id"], "name": "Z", "position": 0}).json()
    rack = {"room": room["id"], "row": row["id"], "name": "Z01", "x_mm": 0, "y_mm": 0, "height_u": 42}
    made = operator.post("/api/racks/", rack).json()
    refused(operator.post("/api/racks/", rack), "name")
    changed = operator.patch(f"/api/racks/{made['id']}/", {"power_limit_w": 30000})
    assert changed.json()["power_limit_w"] == 30000
    refused(operator.delete(f"/api/rooms/{room['id']}/"))
    for path, pk in (("racks", made["id"]), ("rows", row["id"]), ("rooms", room["id"])):
        assert operator.delete(f"/api/{path}/{pk}/").status_code == 204


def test_a_machine_is_entered_moved_and_retired(two_sites: Sites, operator: APIClient) -> None:
    rack = Rack.objects.get(name="B02")
    new = {
        "site": two_sites[0].pk, "model": "dell-xe9680-h100", "name": "hgx-b02-09", "serial": "ABC1234",
        "place": {"rack": rack.pk, "u": 30}, "machine": {"boot_mac": "02-00-00-00-00-0A", "primary_ip": "10.1.2.3"},
    }  # fmt: skip
    made = operator.post("/api/devices/", new)
    assert made.status_code == 201, made.content
    body = made.json()
    assert (body["place"]["u"], body["machine"]["boot_mac"]) == (30, "02:00:00:00:00:0a")
    assert len(rows(operator, "ports", device=body["id"])) == 19
    refused(operator.post("/api/devices/", new), "name")
    refused(operator.post("/api/devices/", new | {"name": "x", "machine": {}}), "u")
    refused(operator.patch(f"/api/devices/{body['id']}/", {"place": {"rack": rack.pk, "u": 46}}), "u")
    moved = operator.patch(
        f"/api/devices/{body['id']}/", {"place": {"rack": rack.pk, "u": 36}, "asset_tag": "T"}
    ).json()
    assert (moved["place"]["u"], moved["asset_tag"]) == (36, "T")
    assert operator.delete(f"/api/devices/{body['id']}/").status_code == 204
    assert Device.objects.get(pk=body["id"]).status == "retired"


def test_a_wrong_device_is_refused_field_by_field(two_sites: Sites, operator: APIClient) -> None:
    site, rack = two_sites[0].pk, Rack.objects.get(name="B02").pk
    base = {"site": site, "model": "nvidia-qm9700", "name": "x", "switch": {"fabric": "infiniband", "tier": "leaf"}}
    for change, field in (
        ({"model": "toaster"}, "model"), ({"name": "a b"}, "name"), ({"switch": {"fabric": "wifi"}}, "switch"),
        ({"pdu": {"limit_w": 1}}, "pdu"), ({"place": {"rack": rack, "u": 1.25}}, "place"),
        ({"place": {"rack": rack}}, "u"), ({"place": {"rack": rack, "u": 21}}, "u"), ({"status": "retired"}, "status"),
        ({"switch": {"fabric": "infiniband", "tier": "leaf", "node_guid": "xyz"}}, "switch"),
    ):  # fmt: skip
        refused(operator.post("/api/devices/", base | change), field)
    without = {key: value for key, value in base.items() if key != "switch"}
    refused(operator.post("/api/devices/", without), "switch")
    refused(operator.post("/api/pdus/", base), "model")
    machine = Device.objects.get(name="hgx-a01-01")
    refused(operator.patch(f"/api/devices/{machine.pk}/", {"model": "nvidia-qm9700"}), "model")


def test_a_device_may_sit_in_a_bay(two_sites: Sites, operator: APIClient) -> None:
    parent = Device.objects.get(name="hgx-a01-01")
    base = {"site": two_sites[0].pk, "model": "nvidia-qm9700", "switch": {"fabric": "infiniband", "tier": "leaf"}}
    bay = base | {"parent": parent.pk, "bay": "1"}
    assert operator.post("/api/devices/", bay | {"name": "x"}).json()["place"]["text"].endswith("bay 1 of hgx-a01-01")
    refused(operator.post("/api/devices/", bay | {"name": "y"}), "bay")
    refused(operator.post("/api/devices/", base | {"name": "y", "parent": parent.pk}), "parent")


def test_a_cable_is_laid_by_names_or_ids_moved_and_removed(two_sites: Sites, operator: APIClient) -> None:
    def plug(name: str) -> dict[str, str]:
        return {"device": "leaf-1", "port": name}

    site = two_sites[0].pk
    cable = {"site": site, "label": "X-1", "type": "DAC", "length_m": "1.50", "a": plug("20/1"), "b": plug("20/2")}
    made = operator.post("/api/cables/", cable)
    assert made.status_code == 201, made.content
    body = made.json()
    assert [end["port"]["name"] for end in body["ends"]] == ["20/1", "20/2"]
    refused(operator.post("/api/cables/", cable | {"label": "X-2"}), "ports")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("1/1"), "b": plug("21/1")}), "ports")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("21/1"), "b": plug("21/1")}), "b")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("99/1"), "b": plug("21/1")}), "a")
    refused(operator.patch(f"/api/cables/{body['id']}/", {"a": plug("21/1")}), "b")
    other = Port.objects.get(device__name="leaf-2", name="9/1")
    moved = operator.patch(f"/api/cables/{body['id']}/", {"a": plug("20/1"), "b": {"port": other.pk}}).json()
    assert moved["ends"][1]["device"]["name"] == "leaf-2"
    assert operator.patch(f"/api/cables/{body['id']}/", {"colour": "red"}).json()["colour"] == "red"
    assert operator.delete(f"/api/cables/{body['id']}/").status_code == 204


def test_a_port_with_a_cable_is_not_removed(two_sites: Sites, operator: APIClient) -> None:
    device = Device.objects.get(name="mgmt-1")
    made = operator.post(
        "/api/ports/", {"device": device.pk, "name": "usb", "kind": "ethernet", "mac": "0200.0000.00FF"}
    )
    assert (made.status_code, made.json()["mac"], made.json()["cable"]) == (201, "02:00:00:00:00:ff", None)
    assert operator.delete(f"/api/ports/{made.json()['id']}/").status_code == 204
    used = Port.objects.get(device=device, name="swp1")
    assert operator.get(f"/api/ports/{used.pk}/").json()["cable"]["label"] == "M-00001"
    refused(operator.delete(f"/api/ports/{used.pk}/"))


def test_a_part_goes_into_stock_and_one_with_a_past_stays(two_sites: Sites, operator: APIClient) -> None:
    part = {"site": two_sites[0].pk, "kind": "gpu", "vendor": "NVIDIA", "part_number": "P", "serial": "S1"}
    made = operator.post("/api/components/", part)
    assert (made.status_code, made.json()["installed"], made.json()["attributes"]) == (201, None, {})
    refused(operator.post("/api/components/", part), "serial")
    assert operator.delete(f"/api/components/{made.json()['id']}/").status_code == 204
    used = Installation.objects.filter(slot="GPU 0")[0].component
    refused(operator.delete(f"/api/components/{used.pk}/"))
    history = operator.get(f"/api/components/{used.pk}/history/").json()
    assert history[0]["slot"] == "GPU 0"
