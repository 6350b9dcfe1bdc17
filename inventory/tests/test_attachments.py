"""Files on devices, racks and tickets, with the rights of the site they are at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from core import files
from core.models import Role, Site
from core.tests.test_files import SMALL_PDF, from_telephone, picture
from inventory.models import Attachment, Device, Machine, Rack
from tickets.models import Ticket

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
SignIn = Callable[..., APIClient]


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "attachments"
    return tmp_path / "attachments"


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


def ticket_on(machine: Device) -> Ticket:
    return Ticket.objects.create(
        site=machine.site, machine=Machine.objects.get(pk=machine.pk), part="GPU 5", fault_class="gpu.bus", title="t"
    )


def upload(client: APIClient, content: bytes, name: str = "rack.jpg", **fields: Any) -> Any:
    file = SimpleUploadedFile(name, content, content_type="text/html")
    return client.post("/api/attachments/", {"file": file, **fields}, format="multipart")


def test_a_photo_of_a_machine_is_kept_cleaned_and_shown(machine: Device, as_role: SignIn, disk: Path) -> None:
    client = as_role(Role.TECHNICIAN)
    answer = upload(client, from_telephone(), "../../IMG 1.heic", device=machine.pk, caption="burnt pin")
    assert answer.status_code == 201, answer.json()
    body = answer.json()
    assert (body["filename"], body["content_type"], body["width"], body["height"]) == (
        "IMG 1.heic.jpg", "image/jpeg", 20, 40,
    )  # fmt: skip
    assert (body["device"], body["rack"], body["ticket"], body["caption"]) == (machine.pk, None, None, "burnt pin")
    assert body["created_by"] == "technician-all" and body["site"] == machine.site_id
    content = client.get(body["content"])
    assert content.status_code == 200 and len(content.content) == body["size"]
    assert b"SECRET" not in content.content
    assert client.get(body["thumbnail"]).headers["Content-Type"] == "image/jpeg"
    assert client.get("/api/attachments/", {"device": machine.pk}).json()["results"] == [body]
    assert client.get(f"/api/attachments/{body['id']}/").json() == body


def test_a_file_is_only_looked_at_or_saved_never_run(machine: Device, as_role: SignIn) -> None:
    client = as_role(Role.TECHNICIAN)
    body = upload(client, b"<script>alert(1)</script>", 'a".html', device=machine.pk).json()
    answer = client.get(body["content"])
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="a\\".html.txt"'
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    shown = client.get(upload(client, picture(), device=machine.pk).json()["content"])
    assert shown.headers["Content-Disposition"].startswith("inline")
    paper = client.get(upload(client, SMALL_PDF, "a.pdf", device=machine.pk).json()["content"])
    assert paper.headers["Content-Disposition"].startswith("attachment")
    again = client.get(body["content"], HTTP_IF_NONE_MATCH=answer.headers["ETag"])
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [(b"MZ\x00\x00", 400, "invalid"), (b"", 400, "invalid"), (b"a" * (2**20 + 1), 413, "too_large")],
)
def test_what_cannot_be_attached_is_refused_and_leaves_nothing(
    content: bytes, status: int, code: str, machine: Device, as_role: SignIn, disk: Path, settings: Any
) -> None:
    settings.ATTACHMENT_MAX_BYTES = 2**20
    answer = upload(as_role(Role.TECHNICIAN), content, device=machine.pk)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert not Attachment.objects.exists() and not list(disk.glob("??/*"))


def test_a_request_far_over_the_limit_is_refused_before_it_is_read(
    machine: Device, as_role: SignIn, settings: Any
) -> None:
    settings.ATTACHMENT_MAX_BYTES = 1000
    answer = upload(as_role(Role.TECHNICIAN), b"a" * 200_000, device=machine.pk)
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_large"


def test_a_file_is_about_one_thing(machine: Device, as_role: SignIn) -> None:
    client, rack = as_role(Role.TECHNICIAN), Rack.objects.first()
    assert rack is not None
    assert upload(client, picture()).status_code == 400
    assert upload(client, picture(), device=machine.pk, rack=rack.pk).status_code == 400
    assert upload(client, picture(), device=2**40).status_code == 400
    with pytest.raises(IntegrityError, match="attachment_has_one_subject"), transaction.atomic():
        Attachment.objects.create(site=machine.site, device=machine, rack=rack, filename="x", size=1, created_by="x")


def test_files_of_another_site_are_as_good_as_absent(two_sites: Sites, machine: Device, as_role: SignIn) -> None:
    north, south = two_sites
    rack = Rack.objects.filter(room__site=north).first()
    assert rack is not None
    ours, theirs = as_role(Role.ADMIN, site=north), as_role(Role.ADMIN, site=south)
    made = [
        upload(ours, picture(), device=machine.pk).json(),
        upload(ours, picture(), rack=rack.pk).json(),
        upload(ours, picture(), ticket=ticket_on(machine).pk).json(),
    ]
    assert len({body["id"] for body in made}) == 3  # one number space for all tables
    assert [row["id"] for row in ours.get("/api/attachments/").json()["results"]] == [made[i]["id"] for i in (2, 1, 0)]
    assert theirs.get("/api/attachments/").json()["results"] == []
    for body, subject in zip(made, ("device", "rack", "ticket"), strict=True):
        address = f"/api/attachments/{body['id']}/"
        assert ours.get("/api/attachments/", {subject: body[subject]}).json()["count"] == 1
        assert theirs.get("/api/attachments/", {subject: body[subject]}).json()["count"] == 0
        for path in (address, body["content"], body["thumbnail"]):
            assert ours.get(path).status_code == 200
            assert theirs.get(path).status_code == 404
        assert theirs.patch(address, {"caption": "x"}).status_code == 404
        assert theirs.delete(address).status_code == 404
        answer = upload(theirs, picture(), **{subject: body[subject]})
        assert answer.status_code == 400 and subject in answer.json()["error"]["fields"]
    assert upload(as_role(Role.VIEWER, site=north), picture(), device=machine.pk).status_code == 403


def test_only_who_attached_it_or_an_operator_changes_it(machine: Device, as_role: SignIn) -> None:
    tina, olga = as_role(Role.TECHNICIAN), as_role(Role.OPERATOR)
    tom = as_role(Role.TECHNICIAN, site=machine.site)
    address = f"/api/attachments/{upload(tina, picture(), device=machine.pk).json()['id']}/"
    assert tom.patch(address, {"caption": "mine now"}).status_code == 403
    assert tom.delete(address).status_code == 403
    assert tina.patch(address, {"caption": "left fan"}).json()["caption"] == "left fan"
    assert olga.delete(address).status_code == 204
    assert tina.get(address).status_code == 404


def test_a_removed_file_stays_while_another_row_has_the_same_content(
    machine: Device, as_role: SignIn, disk: Path
) -> None:
    client = as_role(Role.OPERATOR)
    first, second = (upload(client, SMALL_PDF, device=machine.pk).json() for _ in range(2))
    client.delete(f"/api/attachments/{first['id']}/")
    for now in (0.0, 90_000.0):
        assert files.remove_orphans(now) == 0
    assert client.get(second["content"]).content == SMALL_PDF
    client.delete(f"/api/attachments/{second['id']}/")
    assert [files.remove_orphans(now) for now in (100_000.0, 190_000.0)] == [0, 1]


def upload_all(client: APIClient, contents: dict[str, bytes], **fields: Any) -> Any:
    made = [SimpleUploadedFile(name, content) for name, content in contents.items()]
    return client.post("/api/attachments/", {"file": made, **fields}, format="multipart")


def test_several_files_are_attached_in_one_request_all_or_none(machine: Device, as_role: SignIn, disk: Path) -> None:
    client = as_role(Role.TECHNICIAN)
    three = {"a.pdf": SMALL_PDF, "b.jpg": picture(), "c.txt": b"notes"}
    made = upload_all(client, three, device=machine.pk, caption=["one", "", "three"])
    assert made.status_code == 201
    assert [(row["filename"], row["caption"]) for row in made.json()] == [
        ("a.pdf", "one"), ("b.jpg", ""), ("c.txt", "three"),
    ]  # fmt: skip
    assert {row["caption"] for row in upload_all(client, three, device=machine.pk, caption="all").json()} == {"all"}
    assert upload_all(client, three, device=machine.pk, caption=["x", "y"]).status_code == 400
    there, on_disk = Attachment.objects.count(), len(list(disk.rglob("*")))
    refused = upload_all(client, three | {"d.bin": b"MZ\x00", "e.txt": b"other notes"}, device=machine.pk)
    assert refused.status_code == 400
    assert [(row["row"], row["key"]) for row in refused.json()["error"]["rows"]] == [(4, "d.bin")]
    assert (Attachment.objects.count(), len(list(disk.rglob("*")))) == (there, on_disk)
    too_many = {f"{number}.txt": b"x" for number in range(21)}
    assert upload_all(client, too_many, device=machine.pk).status_code == 400


def test_captions_of_many_are_changed_and_many_removed_in_one_request(machine: Device, as_role: SignIn) -> None:
    tina, olga = as_role(Role.TECHNICIAN), as_role(Role.OPERATOR)
    ids = [row["id"] for row in upload_all(tina, {"a.txt": b"1", "b.txt": b"2"}, device=machine.pk).json()]
    ids.append(upload(tina, b"3", "c.txt", ticket=ticket_on(machine).pk).json()["id"])
    theirs = upload(olga, b"4", "d.txt", device=machine.pk).json()["id"]
    lines = [{"id": pk, "caption": f"no {pk}"} for pk in ids]
    address = "/api/attachments/"
    told = tina.patch(f"{address}?dry_run=true", lines, format="json").json()
    assert told["counts"]["changed"] == 3 and told["rows"][0]["changes"] == {"caption": ["", f"no {ids[0]}"]}
    assert tina.get(f"{address}{ids[0]}/").json()["caption"] == ""
    changed = tina.patch(address, lines, format="json").json()
    assert [(row["id"], row["caption"]) for row in changed] == [(pk, f"no {pk}") for pk in ids]
    for bad, code in (([*lines, {"id": theirs, "caption": "x"}], 403), ([*lines, lines[0]], 400), ([{"id": 1}], 400),
                      ([{"id": 2**40, "caption": ""}], 400), ({"id": 1}, 400)):  # fmt: skip
        assert tina.patch(address, bad, format="json").status_code == code
    assert tina.delete(address, [*ids, theirs], format="json").status_code == 403
    assert tina.get(address).json()["count"] == 4
    assert tina.delete(address, ids, format="json").status_code == 204
    assert [row["id"] for row in tina.get(address).json()["results"]] == [theirs]


def test_many_captions_take_the_statements_of_few(machine: Device, as_role: SignIn) -> None:
    client, counts = as_role(Role.TECHNICIAN), set()
    for several in (2, 15):
        contents = {f"{number}.txt": b"%d" % number for number in range(several)}
        made = upload_all(client, contents, device=machine.pk).json()
        lines = [{"id": row["id"], "caption": "x"} for row in made]
        with CaptureQueriesContext(connection) as captured:
            assert client.patch("/api/attachments/", lines, format="json").status_code == 200
        counts.add(len(captured))
    assert len(counts) == 1


def test_the_list_takes_lookups_and_orders_and_refuses_what_there_is_not(machine: Device, as_role: SignIn) -> None:
    client = as_role(Role.TECHNICIAN)
    upload_all(client, {"a.txt": b"22", "b.txt": b"1", "c.pdf": SMALL_PDF}, device=machine.pk, caption=["x", "y", ""])

    def names(query: str) -> list[str]:
        return [row["filename"] for row in client.get(f"/api/attachments/?{query}").json()["results"]]

    assert names("filename__endswith=.txt&ordering=size") == ["b.txt", "a.txt"]
    assert names("caption__in=x,y&ordering=-caption") == ["b.txt", "a.txt"]
    assert names("size__gt=2") == names("content_type=application/pdf") == names("caption__isnull=true") == ["c.pdf"]
    assert names(f"site={machine.site_id}&created_by=technician-all&ordering=filename")[0] == "a.txt"
    assert names("created_at__gt=2200-01-01T00:00:00Z") == names("site=1000000") == []
    assert client.get("/api/attachments/?fields=id,size").json()["results"][0].keys() == {"id", "size"}
    for query, field in (("flename=a", "flename"), ("size=big", "size"), ("ordering=colour", "ordering")):
        refused = client.get(f"/api/attachments/?{query}")
        assert refused.status_code == 400 and field in refused.json()["error"]["fields"]


def test_a_caption_is_changed_only_where_it_is_as_it_was_seen(machine: Device, as_role: SignIn) -> None:
    client = as_role(Role.TECHNICIAN)
    address = f"/api/attachments/{upload(client, b'x', 'a.txt', device=machine.pk).json()['id']}/"
    seen = client.get(address).headers["ETag"]
    done = client.patch(address, {"caption": "y"}, format="json", HTTP_IF_MATCH=seen)
    assert done.status_code == 200 and done.headers["ETag"] == client.get(address).headers["ETag"]
    late = client.delete(address, HTTP_IF_MATCH=seen)
    assert (late.status_code, late.json()["error"]["current"]["caption"]) == (412, "y")


def test_the_list_takes_the_same_queries_for_one_file_and_for_many(
    machine: Device, as_role: SignIn, django_assert_num_queries: Any
) -> None:
    client = as_role(Role.TECHNICIAN)
    upload(client, SMALL_PDF, device=machine.pk)
    for count in (1, 6):
        while client.get("/api/attachments/").json()["count"] < count:
            upload(client, SMALL_PDF, ticket=ticket_on(machine).pk) if count % 2 else upload(
                client, SMALL_PDF, device=machine.pk
            )
        with django_assert_num_queries(2):
            client.get("/api/attachments/")
