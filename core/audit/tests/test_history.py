"""Reading the log over HTTP: who sees what, in how many statements, and how it is said."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from core.audit.actor import Actor, acting
from core.models import AuditChange, Role, Site
from core.services import ensure_user
from inventory.kinds import Scope, write
from inventory.models import Cable, Connector, Device, DeviceModel, Installation, Placement, Port, Rack, Room, StrandEnd

pytestmark = pytest.mark.django_db
As = Callable[..., APIClient]
_number = iter(range(1_000_000))


def by(name: str) -> Any:
    """Write as this person in a request of its own."""
    return acting(Actor(name, "person", "PATCH /api/x/", f"req-{next(_number)}"))


@pytest.fixture
def as_role(db: Any) -> As:
    def sign_in(role: str = Role.VIEWER, site: Site | None = None) -> APIClient:
        user, _ = ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)
        client = APIClient()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def room() -> Room:
    site = Site.objects.create(slug="ams1", name="Amsterdam")
    return Room.objects.create(site=site, name="Hall 1", width_mm=20_000, depth_mm=20_000)


@pytest.fixture
def rack(room: Room) -> Rack:
    return Rack.objects.create(room=room, name="A01", x_mm=0, y_mm=0)


@pytest.fixture
def switch(rack: Rack) -> Device:
    model = DeviceModel.objects.create(
        slug="qm9700", vendor="NVIDIA", name="QM9700", kind="switch", half_u_height=2,
        spec={"ports": [{"name": f"1/{n}", "kind": "infiniband", "cage": n} for n in range(1, 5)]},
    )  # fmt: skip
    row = {"site": rack.room.site_id, "name": "leaf-01", "model": model.pk, "rack": rack.pk, "u": 9}
    with by("alice"):
        written = write("devices", [row | {"fabric": "infiniband"}], "create", scope=Scope.everything(), actor="alice")
    assert written.ok
    return Device.objects.get(name="leaf-01")


def results(client: APIClient, **query: Any) -> list[dict[str, Any]]:
    answer = client.get("/api/history/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_a_change_says_who_what_before_and_after(room: Room, as_role: As) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3")
    newest = results(as_role(), kind="rooms", object=room.pk)[0]
    assert (newest["actor"], newest["actor_kind"], newest["site"], newest["more_entries"]) == (
        "alice", "person", room.site_id, 0,
    )  # fmt: skip
    assert newest["entries"] == [
        {"kind": "rooms", "object": room.pk, "name": "Hall 1", "action": "changed",
         "fields": {"door": {"before": "", "after": "Door 3"}}}
    ]  # fmt: skip


def test_a_device_shows_its_ports_place_and_own_row(switch: Device, as_role: As) -> None:
    change = results(as_role(), kind="devices", object=switch.pk)[0]
    kinds = [entry["kind"] for entry in change["entries"]]
    assert sorted(set(kinds)) == ["devices", "placements", "ports", "switches"]
    assert kinds.count("ports") == 4
    place = next(entry for entry in change["entries"] if entry["kind"] == "placements")
    assert place["name"] == "leaf-01 A01"
    assert place["fields"]["units"] == {"before": None, "after": "U9"}
    assert place["fields"]["faces"]["after"] == "front and rear"
    assert place["fields"]["rack"] == {
        "before": None, "after": "A01", "before_id": None, "after_id": switch.placement.rack_id,
    }  # fmt: skip
    port = next(entry for entry in change["entries"] if entry["kind"] == "ports")
    assert port["name"] == "leaf-01 1/1"


def test_of_a_large_change_a_record_shows_only_its_own_rows(rack: Rack, as_role: As) -> None:
    with by("alice"):
        made = Rack.objects.bulk_create([Rack(room=rack.room, name=f"B{n:03}", x_mm=n, y_mm=9) for n in range(600)])
    (change,) = results(as_role(), kind="racks", object=made[550].pk)
    assert [entry["name"] for entry in change["entries"]] == ["B550"]
    assert change["more_entries"] == 0
    (whole,) = [found for found in results(as_role()) if found["id"] == change["id"]]
    assert (len(whole["entries"]), whole["more_entries"]) == (20, 580)


def cable(switch: Device, label: str, first: str, second: str) -> Cable:
    made = Cable.objects.create(site=switch.site, label=label, type="DAC")
    for side, port in (("A", first), ("B", second)):
        plug = Connector.objects.create(cable=made, side=side)
        StrandEnd.objects.create(connector=plug, port=Port.objects.get(device=switch, name=port))
    return made


def test_a_cable_shows_its_ends_also_those_it_no_longer_has(switch: Device, as_role: As) -> None:
    with by("bob"):
        made = cable(switch, "C-1", "1/1", "1/2")
        other = cable(switch, "C-2", "1/3", "1/4")
    with by("carol"):
        StrandEnd.objects.filter(connector__cable__in=[made, other]).delete()
        Connector.objects.filter(cable__in=[made, other]).delete()
    unplugged, plugged = results(as_role(), kind="cables", object=made.pk)
    assert [entry["kind"] for entry in plugged["entries"]].count("cable-ends") == 2
    assert [(entry["kind"], entry["action"]) for entry in unplugged["entries"]].count(("cable-ends", "deleted")) == 2
    assert any("1/1" in entry["name"] for entry in unplugged["entries"])
    assert any(found["actor"] == "carol" for found in results(as_role(), kind="devices", object=switch.pk))


def test_a_part_keeps_its_history_when_it_moves(switch: Device, as_role: As) -> None:
    from django.utils import timezone
    from psycopg.types.range import TimestamptzRange

    from inventory.models import Component

    part = Component.objects.create(site=switch.site, kind="psu", vendor="v", part_number="p", serial="S1")
    with by("dave"):
        Installation.objects.create(
            component=part, device=switch, slot="PSU 1", during=TimestamptzRange(timezone.now(), None)
        )
    newest = results(as_role(), kind="components", object=part.pk)[0]
    assert newest["entries"][0]["name"] == "psu S1 leaf-01 PSU 1"
    assert newest["entries"][0]["fields"]["during"]["after"].startswith("since 20")
    assert results(as_role(), kind="devices", object=switch.pk)[0]["id"] == newest["id"]


def test_names_of_deleted_records_come_from_the_log(switch: Device, as_role: As) -> None:
    name, pk = switch.name, switch.pk
    with by("alice"):
        Placement.objects.filter(device=switch).delete()
    with by("bob"):
        switch.delete()
    gone, unplaced, made = results(as_role(), kind="devices", object=pk)
    assert {entry["name"] for entry in gone["entries"]} >= {name, f"{name} 1/1"}
    assert unplaced["entries"][0]["name"] == f"{name} A01"
    assert made["actor"] == "alice"


def test_filters(room: Room, as_role: As) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3")
    with by("bob"):
        Rack.objects.create(room=room, name="Z99", x_mm=0, y_mm=0)
    client = as_role()
    request = AuditChange.objects.get(actor="bob").request_id
    assert {found["actor"] for found in results(client, actor="alice")} == {"alice"}
    assert [found["actor"] for found in results(client, request_id=request)] == ["bob"]
    assert [found["actor"] for found in results(client, kind="racks", action="created")] == ["bob"]
    assert results(client, kind="racks", action="deleted") == []
    assert [found["actor"] for found in results(client, search="Z99")] == ["bob"]
    assert [found["actor"] for found in results(client, search="door 3")] == ["alice"]
    assert results(client, until="2020-01-01T00:00:00Z") == []
    assert len(results(client, since="2020-01-01T00:00:00Z", site=room.site_id)) >= 2


@pytest.mark.parametrize(
    ("query", "field"),
    [({"kind": "unicorns"}, "kind"), ({"object": 1}, "object"), ({"object": "x", "kind": "racks"}, "object"),
     ({"action": "burnt"}, "action"), ({"since": "yesterday"}, "since")],
)  # fmt: skip
def test_a_wrong_filter_is_refused_with_its_field(query: dict[str, Any], field: str, as_role: As) -> None:
    for path in ("/api/history/", "/api/history/export.csv"):
        answer = as_role().get(path, query)
        assert answer.status_code == 400
        assert field in answer.json()["error"]["fields"]


def test_the_list_takes_the_same_number_of_statements_however_much_it_shows(rack: Rack, as_role: As) -> None:
    client = as_role()
    counts = []
    for number in (1, 40):
        for _ in range(number):
            with by("alice"):
                Rack.objects.bulk_create(
                    [Rack(room=rack.room, name=f"N{next(_number)}", x_mm=0, y_mm=0) for _ in range(5)]
                )
        with CaptureQueriesContext(connection) as captured:
            results(client)
        counts.append(len(captured))
    # session, user, roles; count, changes, index, rows, names, what may be undone, what was undone
    assert counts == [10, 10]


def test_every_row_of_a_change_page_by_page(rack: Rack, as_role: As) -> None:
    with by("alice"):
        Rack.objects.bulk_create([Rack(room=rack.room, name=f"P{n:04}", x_mm=0, y_mm=0) for n in range(1100)])
    change = AuditChange.objects.get(actor="alice")
    client = as_role()
    answer = client.get(f"/api/history/{change.pk}/entries/", {"page": 2, "page_size": 500}).json()
    assert answer["count"] == 1100
    assert [row["name"] for row in answer["results"]] == [f"P{n:04}" for n in range(500, 1000)]
    third = client.get(f"/api/history/{change.pk}/entries/", {"page": 8, "page_size": 150}).json()
    assert [row["name"] for row in third["results"]] == [f"P{n:04}" for n in range(1050, 1100)]


# ---- who may read ----
def test_another_site_is_not_shown(room: Room, as_role: As) -> None:
    other = Site.objects.create(slug="fra1", name="Frankfurt")
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="x")
        Room.objects.create(site=other, name="Secret hall", width_mm=1, depth_mm=1)
    local = as_role(Role.ADMIN, room.site)
    mixed = next(found for found in results(local) if found["actor"] == "alice")
    assert [entry["name"] for entry in mixed["entries"]] == ["Hall 1"]
    assert (mixed["more_entries"], mixed["undoable"]) == (0, False)
    only_there = as_role(Role.ADMIN, Site.objects.create(slug="x", name="x"))
    assert "Hall" not in str(results(only_there))
    assert only_there.get(f"/api/history/{mixed['id']}/").status_code == 404
    assert only_there.post(f"/api/history/{mixed['id']}/undo/").status_code == 404
    text = b"".join(local.get("/api/history/export.jsonl")).decode()
    assert "Hall 1" in text
    assert "Secret hall" not in text


def test_shared_records_are_shown_to_everybody_and_accounts_to_administrators_of_every_site(
    room: Room, as_role: As
) -> None:
    with by("alice"):
        DeviceModel.objects.create(slug="shared-model", vendor="v", name="n", kind="shelf", half_u_height=2)
    with by("alice"):
        ensure_user("newcomer", role=Role.VIEWER, site=room.site)
    for client, sees in (
        (as_role(Role.VIEWER, room.site), False), (as_role(Role.ADMIN, room.site), False),
        (as_role(Role.OPERATOR), False), (as_role(Role.ADMIN), True),
    ):  # fmt: skip
        text = json.dumps(results(client, actor="alice"))
        assert "device-models" in text
        assert ("newcomer" in text) is sees


# ---- export ----
def test_the_csv_has_a_line_for_each_field_and_no_formula(room: Room, as_role: As) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="=HYPERLINK(1)", name="Hall 2")
    answer = as_role().get("/api/history/export.csv", {"kind": "rooms", "object": str(room.pk), "actor": "alice"})
    assert answer["Content-Type"] == "text/csv"
    lines = list(csv.DictReader(io.StringIO(b"".join(answer).decode())))
    assert [(line["actor"], line["name"], line["field"], line["before"], line["after"]) for line in lines] == [
        ("alice", "Hall 2", "door", "", "'=HYPERLINK(1)"),
        ("alice", "Hall 2", "name", "Hall 1", "Hall 2"),
    ]


def test_the_json_lines_hold_every_row_of_a_large_log(rack: Rack, as_role: As) -> None:
    with by("alice"):
        for _ in range(25):
            Rack.objects.bulk_create([Rack(room=rack.room, name=f"E{next(_number)}", x_mm=0, y_mm=0) for _ in range(9)])
    answer = as_role().get("/api/history/export.jsonl", {"kind": "racks", "action": "created"})
    rows = [json.loads(line) for line in b"".join(answer).splitlines()]
    assert len(rows) == 226
    assert {row["fields"]["room"]["after"] for row in rows} == {"Hall 1"}
