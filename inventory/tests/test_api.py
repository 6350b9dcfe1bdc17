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
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.kinds import KINDS
from inventory.models import Cable, Component, Device, Installation, Port, Rack, Room, Row

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
AsRole = Callable[..., APIClient]

LISTS = (
    "sites", "rooms", "rows", "aisles", "racks", "device-models", "devices", "switches", "pdus", "ports", "cables",
    "components",
)  # fmt: skip

# Queries of one page, whatever its size: the count, the rows, and what is prefetched. Rights cost one more.
QUERIES = (
    dict.fromkeys(LISTS, 2) | dict.fromkeys(("ports", "devices", "switches", "pdus", "cables"), 3) | {"components": 4}
)


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


@pytest.mark.slow
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
    assert client.get(f"/api/{path}/{row['id']}/").json() == row


def costs(client: APIClient, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(f"/api/{path}/", {"page_size": 500}).status_code == 200
    return len(captured)


@pytest.mark.slow
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
    for path, most in (("", 3), ("components/", 3), ("cables/", 5), ("place/?slot=GPU 5", 6)):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/api/devices/{machine.pk}/{path}").status_code == 200
        assert len(captured) <= most, path


def test_a_device_tells_its_place_model_and_what_its_kind_has(small: Path, as_role: AsRole) -> None:
    (row,) = rows(as_role("viewer"), "devices", name="hgx-a02-03")
    assert row["place"]["text"] == "Hall 1 › Row A › Rack A02 › U17–22 front"
    assert (row["model_name"], row["kind"]) == ("dell-xe9680-h100", "machine")
    assert (row["rack_name"], row["u"], row["face"], row["primary_ip"]) == ("A02", 17, "both", "10.10.0.7")
    assert (row["tier"], row["feed"]) == (None, None)
    (leaf,) = rows(as_role("viewer"), "switches", name="leaf-a01-r1")
    assert leaf["tier"] == "leaf"


@pytest.mark.slow
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
        ("device-models", {"kind": "switch"}, 3), ("devices", {"name__istartswith": "HGX-A02"}, 4),
        ("devices", {"u__gte": "40", "kind": "machine"}, 0),
        ("devices", {"rack_name__in": "A01,A02", "kind": "machine"}, 8),
        ("devices", {"asset_tag__isnull": "true", "kind": "machine"}, 24), ("racks", {"height_u__gte": "49"}, 0),
        ("devices", {"model__ne": "dell-xe9680-h100", "kind": "machine"}, 0), ("cables", {"length_m__lt": "0.1"}, 0),
        ("devices", {"name": ["hgx-a01-01", "hgx-a01-02"]}, 2), ("devices", {"boot_mac": "ff-ff-ff-ff-ff-ff"}, 0),
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
    refused(client.get("/api/devices/", {"height": "1"}), "height")
    refused(client.get("/api/devices/", {"ordering": "colour"}), "ordering")
    refused(client.get("/api/racks/", {"height_u__gte": "tall"}), "height_u__gte")
    refused(client.get("/api/racks/", {"id": "9" * 30}), "id")
    assert "did you mean name__startswith?" in str(client.get("/api/racks/", {"name__startwith": "A"}).json())
    refused(client.get("/api/ports/", {"name": "\x00"}), "name")


def test_cables_of_a_device_are_found_from_either_end(small: Path, as_role: AsRole) -> None:
    client, leaf = as_role("viewer"), Device.objects.get(name="leaf-a01-r1")
    answer = client.get("/api/cables/", {"device": leaf.pk}).json()
    assert answer["count"] == 20 + 32 + 1 + 2
    (end,) = answer["results"][0]["b"]
    assert (end["device"], end["device_name"]) == (leaf.pk, "leaf-a01-r1")


def test_search_answers_what_the_box_shows(small: Path, as_role: AsRole) -> None:
    results = as_role("viewer").get("/api/search/", {"q": "hgx-a02-03"}).json()["results"]
    assert set(results[0]) == {"kind", "id", "title", "subtitle", "url"}
    assert as_role("viewer").get("/api/search/").json()["results"] == []


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
        "fabric": "infiniband",
        "tier": "leaf",
    }
    refused(client.post("/api/devices/", device | {"rack": theirs.pk, "u": 40}), "rack")
    port = Port.objects.filter(device__site=south)[0]
    own = Port.objects.get(device__name="leaf-1", name="20/1")
    cable = {"site": north.pk, "label": "X", "type": "DAC", "a": {"port": own.pk}, "b": {"port": port.pk}}
    refused(client.post("/api/cables/", cable), "b")


def test_a_record_stays_at_its_site(two_sites: Sites, operator: APIClient) -> None:
    south = two_sites[1]
    machine = Device.objects.get(name="hgx-a01-01")
    refused(operator.patch(f"/api/devices/{machine.pk}/", {"site": south.pk}), "site")
    rack = Rack.objects.get(name="S01")
    refused(operator.patch(f"/api/racks/{rack.pk}/", {"room": Room.objects.get(site=south).pk}), "room")


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
    RoleGrant.objects.create(
        user=client.handler._force_user,  # type: ignore[attr-defined]
        site=south,
        role=Role.VIEWER,
    )
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
    kept = operator.delete(f"/api/rooms/{room['id']}/")
    assert (kept.status_code, kept.json()["error"]["rows"][0]["fields"]["row"][0]["code"]) == (409, "in_use")
    for path, pk in (("racks", made["id"]), ("rows", row["id"]), ("rooms", room["id"])):
        assert operator.delete(f"/api/{path}/{pk}/").status_code == 204


def test_a_machine_is_entered_moved_and_retired(two_sites: Sites, operator: APIClient) -> None:
    rack = Rack.objects.get(name="B02")
    new = {
        "site": two_sites[0].pk, "model": "dell-xe9680-h100", "name": "hgx-b02-09", "serial": "ABC1234",
        "rack": rack.pk, "u": 30, "boot_mac": "02-00-00-00-00-0A", "primary_ip": "10.1.2.3",
    }  # fmt: skip
    made = operator.post("/api/devices/", new)
    assert made.status_code == 201, made.content
    body = made.json()
    assert (body["place"]["u"], body["u"], body["boot_mac"]) == (30, 30, "02:00:00:00:00:0a")
    assert len(rows(operator, "ports", device=body["id"])) == 19
    refused(operator.post("/api/devices/", new), "name")
    refused(operator.post("/api/devices/", new | {"name": "x", "boot_mac": ""}), "u")
    refused(operator.patch(f"/api/devices/{body['id']}/", {"u": 46}), "u")
    moved = operator.patch(f"/api/devices/{body['id']}/", {"u": 36, "asset_tag": "T"}).json()
    assert (moved["place"]["u"], moved["asset_tag"]) == (36, "T")
    assert operator.delete(f"/api/devices/{body['id']}/").status_code == 204
    assert Device.objects.get(pk=body["id"]).status == "retired"


def test_a_wrong_device_is_refused_field_by_field(two_sites: Sites, operator: APIClient) -> None:
    site, rack = two_sites[0].pk, Rack.objects.get(name="B02").pk
    base = {"site": site, "model": "nvidia-qm9700", "name": "x", "fabric": "infiniband", "tier": "leaf"}
    for change, field in (
        ({"model": "toaster"}, "model"), ({"name": "a b"}, "name"), ({"fabric": "wifi"}, "fabric"),
        ({"limit_w": 5}, "limit_w"), ({"rack": rack, "u": 1.25}, "u"), ({"rack": rack}, "u"),
        ({"rack": rack, "u": 21}, "u"), ({"status": "gone"}, "status"), ({"node_guid": "xyz"}, "node_guid"),
        ({"switch": {"fabric": "infiniband"}}, "switch"),
    ):  # fmt: skip
        refused(operator.post("/api/devices/", base | change), field)
    without = {key: value for key, value in base.items() if key != "fabric"}
    refused(operator.post("/api/devices/", without), "fabric")
    refused(operator.post("/api/pdus/", base), "model")
    machine = Device.objects.get(name="hgx-a01-01")
    refused(operator.patch(f"/api/devices/{machine.pk}/", {"model": "nvidia-qm9700"}), "model")


def test_a_device_may_sit_in_a_bay(two_sites: Sites, operator: APIClient) -> None:
    parent = Device.objects.get(name="hgx-a01-01")
    base = {"site": two_sites[0].pk, "model": "nvidia-qm9700", "fabric": "infiniband", "tier": "leaf"}
    bay = base | {"parent": parent.pk, "bay": "1"}
    assert operator.post("/api/devices/", bay | {"name": "x"}).json()["place"]["text"].endswith("bay 1 of hgx-a01-01")
    refused(operator.post("/api/devices/", bay | {"name": "y"}), "bay")
    refused(operator.post("/api/devices/", base | {"name": "y", "parent": parent.pk}), "bay")


def test_a_cable_is_laid_by_names_or_ids_moved_and_removed(two_sites: Sites, operator: APIClient) -> None:
    def plug(name: str) -> dict[str, str]:
        return {"device": "leaf-1", "port": name}

    site = two_sites[0].pk
    cable = {"site": site, "label": "X-1", "type": "DAC", "length_m": "1.50", "a": plug("20/1"), "b": plug("20/2")}
    made = operator.post("/api/cables/", cable)
    assert made.status_code == 201, made.content
    body = made.json()
    assert [end["port_name"] for end in body["a"] + body["b"]] == ["20/1", "20/2"]
    refused(operator.post("/api/cables/", cable | {"label": "X-2"}), "a")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("1/1"), "b": plug("21/1")}), "a")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("21/1"), "b": plug("21/1")}), "b")
    refused(operator.post("/api/cables/", cable | {"label": "X-2", "a": plug("99/1"), "b": plug("21/1")}), "a")
    other = Port.objects.get(device__name="leaf-2", name="9/1")
    moved = operator.patch(f"/api/cables/{body['id']}/", {"a": plug("20/1"), "b": {"port": other.pk}}).json()
    assert moved["b"][0]["device_name"] == "leaf-2"
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
    assert operator.delete(f"/api/ports/{used.pk}/").status_code == 409


def test_a_part_goes_into_stock_and_one_with_a_past_stays(two_sites: Sites, operator: APIClient) -> None:
    part = {"site": two_sites[0].pk, "kind": "gpu", "vendor": "NVIDIA", "part_number": "P", "serial": "S1"}
    made = operator.post("/api/components/", part)
    assert (made.status_code, made.json()["installed"], made.json()["attributes"]) == (201, None, {})
    refused(operator.post("/api/components/", part), "serial")
    assert operator.delete(f"/api/components/{made.json()['id']}/").status_code == 204
    used = Installation.objects.filter(slot="GPU 0")[0].component
    assert operator.delete(f"/api/components/{used.pk}/").status_code == 409
    history = operator.get(f"/api/components/{used.pk}/history/").json()["results"]
    assert history[0]["slot"] == "GPU 0"


# ---- many at once ----


def racks(room: Room, count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"room": room.pk, "name": f"N{n:03}", "x_mm": 600 * n, "y_mm": 0, **more} for n in range(count)]


def test_records_are_created_changed_and_removed_in_bulk(two_sites: Sites, operator: APIClient) -> None:
    room = Room.objects.get(site=two_sites[0], name="Hall 1")
    made = operator.post("/api/racks/", racks(room, 30))
    assert (made.status_code, len(made.json()), made.json()[3]["name"]) == (201, 30, "N003")
    changes = [{"id": row["id"], "height_u": 42} for row in made.json()[:10]]
    changes += [{"room": "Hall 1", "site": "north", "name": "N020", "height_u": 42}]
    changed = operator.patch("/api/racks/?fields=name,height_u", changes)
    assert changed.status_code == 200, changed.content
    assert changed.json()[0] == {"name": "N000", "height_u": 42}
    both = operator.put("/api/racks/", racks(room, 31, height_u=40))
    assert (both.status_code, Rack.objects.filter(name__startswith="N0", height_u=40).count()) == (200, 31)
    assert operator.delete("/api/racks/", [row["id"] for row in both.json()]).status_code == 204
    assert not Rack.objects.filter(name__startswith="N0").exists()


def test_one_bad_row_of_a_bulk_request_refuses_all_and_is_told_by_number(two_sites: Sites, operator: APIClient) -> None:
    room = Room.objects.get(site=two_sites[0], name="Hall 1")
    answer = operator.post("/api/racks/", [*racks(room, 5), {"room": room.pk, "name": "X", "hight_u": 5}])
    assert answer.status_code == 400
    (bad,) = answer.json()["error"]["rows"]
    assert (bad["row"], bad["fields"]["hight_u"][0]["code"]) == (6, "unknown_field")
    assert bad["fields"]["x_mm"] == [{"code": "required", "reason": "Field required"}]
    assert not Rack.objects.filter(name="N001").exists()


def test_a_dry_run_tells_what_a_request_would_do(two_sites: Sites, operator: APIClient) -> None:
    rack = Rack.objects.get(name="B02")
    told = operator.patch(f"/api/racks/{rack.pk}/?dry_run=true", {"power_limit_w": 5}).json()
    assert told["counts"]["changed"] == 1
    assert told["rows"][0]["changes"]["power_limit_w"][1] == 5
    rack.refresh_from_db()
    assert rack.power_limit_w != 5


def test_put_replaces_and_patch_changes_only_what_it_says(two_sites: Sites, operator: APIClient) -> None:
    rack = Rack.objects.get(name="B02")
    path = f"/api/racks/{rack.pk}/"
    operator.patch(path, {"power_limit_w": 5, "asset_tag": "T"})
    whole = {"room": rack.room_id, "name": "B02", "x_mm": 1, "y_mm": 2, "asset_tag": "U"}
    body = operator.put(path, whole).json()
    assert (body["power_limit_w"], body["asset_tag"], body["row"]) == (None, "U", None)
    refused(operator.put(path, {"name": "B02"}), "room", "x_mm")


def test_two_people_who_change_different_fields_both_keep_their_change(two_sites: Sites, operator: APIClient) -> None:
    from inventory.kinds import Scope, write

    machine = Device.objects.get(name="hgx-a01-01")
    stale = Device.objects.get(pk=machine.pk)
    operator.patch(f"/api/devices/{machine.pk}/", {"asset_tag": "A"})
    assert stale.asset_tag != "A"
    write("devices", [{"id": machine.pk, "serial": "S"}], "update", scope=Scope.everything(), actor="x")
    machine.refresh_from_db()
    assert (machine.asset_tag, machine.serial) == ("A", "S")


def test_bulk_writes_of_any_size_cost_the_same_queries(two_sites: Sites, operator: APIClient) -> None:
    room = Room.objects.get(site=two_sites[0], name="Hall 1")
    operator.get("/api/sites/")

    def cost(call: Callable[[], Any]) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert call().status_code in (200, 201)
        return len(captured)

    rows_ = racks(room, 200)
    assert cost(lambda: operator.post("/api/racks/", rows_[:2])) == cost(
        lambda: operator.post("/api/racks/", rows_[2:])
    )


def test_only_chosen_fields_are_answered(two_sites: Sites, operator: APIClient) -> None:
    (row,) = rows(operator, "devices", name="hgx-a01-01", fields="name,u")
    assert row == {"name": "hgx-a01-01", "u": 5}
    assert "spec" not in rows(operator, "device-models", omit="spec")[0]
    refused(operator.get("/api/devices/", {"fields": "nmae"}), "fields")


def test_bodies_of_the_wrong_shape_are_refused(two_sites: Sites, operator: APIClient) -> None:
    for method, path, body in (
        ("post", "/api/racks/", "x"), ("post", "/api/racks/", [1]), ("patch", "/api/racks/", {}),
        ("patch", "/api/racks/", [{}]), ("delete", "/api/racks/", ["x"]), ("delete", "/api/racks/", {"id": 1}),
        ("put", "/api/racks/", [None]), ("post", "/api/racks/", {"room": True, "name": "\x00"}),
        ("post", "/api/components/", {"site": 1, "kind": "gpu", "attributes": {"a": "\x00"}}),
        ("post", "/api/racks/", {"room": [1], "name": "x"}),
    ):  # fmt: skip
        answer = getattr(operator, method)(path, body)
        assert answer.status_code == 400, (method, body, answer.content)
    assert operator.patch("/api/racks/999999999/", {}).status_code == 404
    assert operator.get("/api/racks/999999999999999999999/").status_code == 400


def test_the_kinds_tell_their_fields(two_sites: Sites, as_role: AsRole) -> None:
    from inventory.models import CustomField

    CustomField.objects.create(name="zone", title="Zone", type="choice", kinds=["racks"], choices=["a", "b"])
    told = {kind["name"]: kind for kind in as_role("operator").get("/api/kinds/").json()["results"]}
    assert told["racks"]["key"] == ["room", "name"]
    fields = {field["name"]: field for field in told["racks"]["fields"]}
    assert fields["room"] | {"help": ""} == {
        "name": "room", "type": "reference", "title": "room", "help": "", "required": True, "read_only": False,
        "nullable": False, "references": "rooms", "lookups": ["", "ne", "in", "isnull"], "ordered": True,
    }  # fmt: skip
    assert fields["devices"]["lookups"] == fields["custom"]["lookups"] == []  # a sum, and an object
    assert (fields["devices"]["ordered"], fields["tags"]["ordered"], fields["cf_zone"]["ordered"]) == (
        True,
        False,
        False,
    )


def test_lists_take_the_lookups_and_orders_that_the_kinds_tell(two_sites: Sites, as_role: AsRole) -> None:
    from inventory.models import CustomField

    CustomField.objects.create(name="zone", title="Zone", type="choice", kinds=["racks"], choices=["a", "b"])
    client = as_role("operator")
    values = {"integer": "1", "number": "1", "boolean": "true", "choice": "", "date": "2026-01-01"}
    made = client.post("/api/contacts/", {"name": "NOC", "site": "north"})
    assert made.status_code == 201  # a filter by what is not there is refused
    (racks,) = [kind for kind in client.get("/api/kinds/").json()["results"] if kind["name"] == "racks"]
    for field in racks["fields"]:
        for lookup in field["lookups"]:
            name = f"{field['name']}__{lookup}".removesuffix("__")
            value = "true" if lookup == "isnull" else values.get(field["type"]) or field.get("choices", ["x"])[0]
            if "references" in field and lookup != "isnull":
                value = str(KINDS[field["references"]].queryset()[0].pk)
            assert client.get("/api/racks/", {name: value}).status_code == 200, name
        if field["ordered"]:
            assert client.get("/api/racks/", {"ordering": field["name"]}).status_code == 200, field["name"]


def test_the_kinds_tell_units_and_choices_and_who_may_write(two_sites: Sites, as_role: AsRole) -> None:
    from inventory.models import CustomField

    CustomField.objects.create(name="zone", title="Zone", type="choice", kinds=["racks"], choices=["a", "b"])
    told = {kind["name"]: kind for kind in as_role("operator").get("/api/kinds/").json()["results"]}
    fields = {field["name"]: field for field in told["racks"]["fields"]}
    assert (fields["height_u"]["unit"], fields["width_mm"]["unit"], fields["facing"]["choices"]) == (
        "U", "mm", ["up", "down"],
    )  # fmt: skip
    assert (fields["devices"]["read_only"], fields["cf_zone"]["choices"]) == (True, ["a", "b"])
    viewer = {kind["name"]: kind for kind in as_role("viewer").get("/api/kinds/").json()["results"]}
    assert not any(kind["may_write"] for kind in viewer.values())
    local = {kind["name"]: kind for kind in as_role("operator", site=two_sites[0]).get("/api/kinds/").json()["results"]}
    assert (local["racks"]["may_write"], local["tags"]["may_write"]) == (True, False)


def test_custom_fields_are_filters(two_sites: Sites, operator: APIClient) -> None:
    from inventory.models import CustomField

    CustomField.objects.create(name="price", title="Price", type="number", kinds=["racks"])
    rack = Rack.objects.get(name="B02")
    assert operator.patch(f"/api/racks/{rack.pk}/", {"custom": {"price": 12.5}}).status_code == 200
    assert [row["name"] for row in rows(operator, "racks", cf_price="12.5")] == ["B02"]
    assert [row["name"] for row in rows(operator, "racks", cf_price__gte="12")] == ["B02"]
    assert rows(operator, "racks", cf_price__gt="13") == []
    refused(operator.get("/api/racks/", {"cf_prise": "1"}), "cf_prise")
    refused(operator.get("/api/racks/", {"cf_price": "x"}), "cf_price")
