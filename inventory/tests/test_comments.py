"""Comments on devices and racks: a kind of record like the others, with an author."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Role, Site, User
from inventory.kinds import KINDS, Scope, write
from inventory.models import Comment, Device, Rack
from inventory.tests.full_inventory import stream
from inventory.transfer.export import export

pytestmark = pytest.mark.django_db
SignIn = Callable[..., APIClient]
Sites = tuple[Site, Site]


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


@pytest.fixture
def rack(two_sites: Sites) -> Rack:
    return Rack.objects.get(name="A01", room__site=two_sites[0])


def post(client: APIClient, body: Any, expected: int = 201) -> Any:
    answer = client.post("/api/comments/", body, format="json")
    assert answer.status_code == expected, answer.json()
    return answer.json()


def test_comments_are_kept_with_who_said_them_and_changed_only_by_them(machine: Device, as_role: SignIn) -> None:
    tina, olga = as_role(Role.TECHNICIAN), as_role(Role.OPERATOR)
    User.objects.filter(username="technician-all").update(first_name="Tina", last_name="Turner")
    body = post(tina, {"device": machine.pk, "text": "Rail kit is bent."})
    assert (body["text"], body["author"], body["author_name"], body["edited_at"], body["site"]) == (
        "Rail kit is bent.", "technician-all", "Tina Turner", None, machine.site_id,
    )  # fmt: skip
    address = f"/api/comments/{body['id']}/"
    refused = olga.patch(address, {"text": "no"}, format="json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "permission_denied")
    changed = tina.patch(address, {"text": "Left rail kit is bent."}, format="json").json()
    assert changed["text"] == "Left rail kit is bent." and changed["edited_at"] and changed["at"] == body["at"]
    assert tina.put(address, {"device": machine.pk, "text": "Both."}, format="json").json()["author"] == body["author"]
    assert as_role(Role.TECHNICIAN, site=machine.site).delete(address).status_code == 403
    assert olga.delete(address).status_code == 204 and not Comment.objects.exists()


def test_comments_of_another_site_are_as_good_as_absent(two_sites: Sites, rack: Rack, as_role: SignIn) -> None:
    north, south = two_sites
    ours, theirs = as_role(Role.TECHNICIAN, site=north), as_role(Role.ADMIN, site=south)
    made = post(ours, {"rack": rack.pk, "text": "Door squeaks."})
    assert theirs.get("/api/comments/").json()["count"] == 0
    assert theirs.get(f"/api/comments/{made['id']}/").status_code == 404
    post(theirs, {"rack": rack.pk, "text": "x"}, 400)
    post(as_role(Role.VIEWER, site=north), {"rack": rack.pk, "text": "x"}, 403)


@pytest.mark.parametrize(
    ("row", "field", "code"),
    [
        ({"text": "x"}, "device", "required"),
        ({"text": "x", "device": "hgx-a01-01", "rack": "A01"}, "device", "required"),
        ({"text": "  ", "device": "hgx-a01-01"}, "text", "invalid"),
        ({"text": "x", "device": "nobody"}, "device", "unknown_reference"),
        ({"text": "x", "rack": "Z99"}, "rack", "unknown_reference"),
        ({"text": "x", "device": "hgx-a01-01", "txet": "y"}, "txet", "unknown_field"),
        ({"text": "x", "device": "hgx-a01-01", "author": "nobody"}, "author", "unknown_reference"),
    ],
)
def test_what_is_no_comment_is_refused_with_its_row(
    row: dict[str, Any], field: str, code: str, machine: Device, as_role: SignIn
) -> None:
    site = {"site": "north"}
    error = post(as_role(Role.ADMIN), [site | {"device": machine.pk, "text": "fine"}, site | row], 400)["error"]
    (bad,) = error["rows"]
    assert (bad["row"], {name: each[0]["code"] for name, each in bad["fields"].items()}) == (2, {field: code})
    assert not Comment.objects.exists()


def test_many_are_written_changed_and_removed_in_one_request(machine: Device, rack: Rack, as_role: SignIn) -> None:
    tina = as_role(Role.TECHNICIAN)
    said = [
        {"device": machine.pk, "text": "one"},
        {"rack": rack.pk, "text": "two"},
        {"device": machine.pk, "text": "3"},
    ]
    made = post(tina, said)
    assert [row["text"] for row in made] == ["one", "two", "3"] and made[0]["at"] < made[2]["at"]
    lines = [{"id": row["id"], "text": f"{row['text']}!"} for row in made]
    told = tina.patch("/api/comments/?dry_run=true", lines, format="json").json()
    assert told["counts"]["changed"] == 3 and not Comment.objects.filter(text__endswith="!").exists()
    changed = tina.patch("/api/comments/", lines, format="json").json()
    assert [row["text"] for row in changed] == ["one!", "two!", "3!"]
    others = post(as_role(Role.OPERATOR), {"device": machine.pk, "text": "theirs"})
    ids = [row["id"] for row in made]
    assert tina.delete("/api/comments/", [*ids, others["id"]], format="json").status_code == 403
    assert Comment.objects.count() == 4
    assert tina.delete("/api/comments/", ids, format="json").status_code == 204
    assert Comment.objects.get().pk == others["id"]


def test_words_stay_with_whom_and_what_they_were_about(machine: Device, rack: Rack, as_role: SignIn) -> None:
    admin = as_role(Role.ADMIN)
    address = f"/api/comments/{post(admin, {'device': machine.pk, 'text': 'x'})['id']}/"
    for change in ({"device": None, "rack": rack.pk}, {"at": "2026-01-01T00:00:00Z"}, {"author": "technician-all"}):
        assert admin.patch(address, change, format="json").status_code == 400


def test_only_an_administrator_of_every_site_brings_in_words_of_others(machine: Device, as_role: SignIn) -> None:
    tina, admin = as_role(Role.TECHNICIAN), as_role(Role.ADMIN)
    row = {"device": machine.pk, "text": "x", "author": "technician-all", "at": "2026-01-01T00:00:00Z"}
    for client in (tina, as_role(Role.ADMIN, site=machine.site)):
        assert post(client, row, 403)["error"]["code"] == "permission_denied"
    assert post(admin, row)["author"] == "technician-all"


def test_lists_take_filters_orders_and_fields_and_refuse_what_there_is_not(
    machine: Device, rack: Rack, as_role: SignIn
) -> None:
    tina = as_role(Role.TECHNICIAN)
    post(tina, [{"device": machine.pk, "text": "fan"}, {"rack": rack.pk, "text": "door"}])

    def texts(query: str) -> list[str]:
        return [row["text"] for row in tina.get(f"/api/comments/?{query}").json()["results"]]

    assert texts(f"device={machine.pk}") == texts("device=hgx-a01-01") == texts("text__icontains=FA") == ["fan"]
    assert texts("rack__isnull=false") == texts("room=Hall 1") == ["door"]
    assert texts("ordering=-at") == ["door", "fan"] and texts("at__gt=2200-01-01") == []
    assert texts("author=technician-all&search=door") == ["door"]
    assert tina.get("/api/comments/?fields=text").json()["results"][0] == {"text": "fan"}
    assert tina.get("/api/comments/?devise=1").status_code == 400


def test_a_comment_is_written_once_a_key_and_only_to_what_was_seen(machine: Device, as_role: SignIn) -> None:
    tina, body = as_role(Role.TECHNICIAN), {"device": machine.pk, "text": "x"}
    for _ in range(2):
        made = tina.post("/api/comments/", body, format="json", HTTP_IDEMPOTENCY_KEY="k1").json()
    assert Comment.objects.count() == 1
    address = f"/api/comments/{made['id']}/"
    seen = tina.get(address).headers["ETag"]
    assert tina.get(address, HTTP_IF_NONE_MATCH=seen).status_code == 304
    assert tina.patch(address, {"text": "y"}, format="json", HTTP_IF_MATCH=seen).status_code == 200
    late = tina.patch(address, {"text": "z"}, format="json", HTTP_IF_MATCH=seen)
    assert (late.status_code, late.json()["error"]["current"]["text"]) == (412, "y")


def test_an_export_names_things_and_people_and_comes_back_with_their_times(
    machine: Device, rack: Rack, as_role: SignIn
) -> None:
    post(as_role(Role.TECHNICIAN), [{"device": machine.pk, "text": "=1+1"}, {"rack": rack.pk, "text": "a\nb"}])
    client = as_role(Role.VIEWER, site=machine.site)
    (first, second) = csv.DictReader(io.StringIO(stream(client.get("/api/export/comments.csv")).decode()))
    assert (first["site"], first["device"], first["author"], first["text"]) == (
        "north", "hgx-a01-01", "technician-all", "'=1+1",
    )  # fmt: skip
    assert (second["room"], second["rack"], second["text"]) == ("Hall 1", "A01", "a\nb")
    rows = [dict(first, text="=1+1"), second]
    rows = [{name: value or None for name, value in row.items()} for row in rows]
    before = b"".join(export("comments", "json"))
    assert write("comments", rows, scope=Scope.everything(), actor="mk").unchanged == 2
    Comment.objects.all().delete()
    assert write("comments", rows, scope=Scope.everything(), actor="mk").created == 2
    assert b"".join(export(KINDS["comments"], "json")) == before
