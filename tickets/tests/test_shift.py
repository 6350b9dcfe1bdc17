"""Pages that people keep, and the hand-over from shift to shift."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Role, Site, User
from core.services import ensure_user
from health.models import LifecycleChange, LifecycleTransition
from health.tests import factories as make
from tickets.models import Bookmark, ShiftNote, Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def north() -> Site:
    return Site.objects.create(slug="north", name="North")


@pytest.fixture
def south() -> Site:
    return Site.objects.create(slug="south", name="South")


def signed_in(name: str, role: Role = Role.VIEWER, site: Site | None = None) -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


def send(client: Client, path: str, **body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def names(client: Client) -> set[str]:
    return {row["name"] for row in client.get("/api/me/bookmarks/").json()["results"]}


# ---- pages that people keep ----


def test_a_favourite_is_kept_once_and_seen_by_its_owner_alone(north: Site) -> None:
    vera, olga = signed_in("vera", site=north), signed_in("olga", Role.ADMIN)
    page = {"kind": "favourite", "url": "/machines/7", "name": "hgx-a01-01"}
    kept = send(vera, "/api/me/bookmarks/", **page)
    assert kept.status_code == 201 and kept.json()["mine"] is True
    again = send(vera, "/api/me/bookmarks/", **page | {"name": "the bad one"})
    assert again.json()["id"] == kept.json()["id"]
    assert (names(vera), names(olga)) == ({"the bad one"}, set())
    mine = f"/api/me/bookmarks/{kept.json()['id']}/"
    assert olga.delete(mine).status_code == 404
    assert vera.delete(mine).status_code == 204
    assert names(vera) == set()


def test_a_view_is_shared_with_who_sees_its_site_and_nobody_else(north: Site, south: Site) -> None:
    tina = signed_in("tina", Role.TECHNICIAN, north)
    view = {"kind": "view", "url": "/tickets?status=open", "name": "Open", "site": north.pk}
    assert send(tina, "/api/me/bookmarks/", **view).status_code == 201
    other = signed_in("vera", site=north)
    (row,) = other.get("/api/me/bookmarks/").json()["results"]
    assert (row["name"], row["mine"], row["owner"]) == ("Open", False, "tina")
    far = signed_in("sam", site=south)
    assert names(far) == set()
    assert send(other, "/api/me/bookmarks/", **view).status_code == 403, "a viewer shares nothing"
    assert send(tina, "/api/me/bookmarks/", **view | {"site": south.pk}).status_code == 400
    assert send(tina, "/api/me/bookmarks/", **view | {"kind": "favourite"}).status_code == 400
    path = f"/api/me/bookmarks/{row['id']}/"
    assert (far.delete(path).status_code, other.delete(path).status_code) == (404, 403)
    assert signed_in("oscar", Role.OPERATOR, north).delete(path).status_code == 204 and names(tina) == set()


@pytest.mark.parametrize(
    "url", ["https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere", "machines", "", "/a b"]
)
def test_only_pages_of_ours_are_kept(url: str, north: Site) -> None:
    vera = signed_in("vera", site=north)
    assert send(vera, "/api/me/bookmarks/", kind="view", url=url, name="x").status_code == 400
    owner = User.objects.get(username="vera")
    with pytest.raises(IntegrityError), transaction.atomic():
        Bookmark.objects.create(owner=owner, kind="view", url=url, name="x")


# ---- from shift to shift ----


def test_a_note_stays_until_somebody_acknowledges_it_and_the_first_stands_in_it(north: Site) -> None:
    tina, tom = signed_in("tina", Role.TECHNICIAN, north), signed_in("tom", Role.TECHNICIAN, north)
    written = send(tina, "/api/hand-over/notes/", site=north.pk, text="Do not reboot B06 before PSU 2 is in.")
    assert written.status_code == 201
    ShiftNote.objects.update(at=timezone.now() - timedelta(days=3))

    def notes() -> list[dict[str, Any]]:
        return tom.get("/api/hand-over/", {"site": north.pk}).json()["notes"]

    assert [row["acknowledged_by"] for row in notes()] == [""], "however old it is"
    path = f"/api/hand-over/notes/{written.json()['id']}/acknowledge/"
    assert tom.post(path).json()["acknowledged_by"] == "tom"
    assert tina.post(path).json()["acknowledged_by"] == "tom"
    assert notes() == []


def test_a_viewer_and_another_site_write_and_acknowledge_nothing(north: Site, south: Site) -> None:
    note = ShiftNote.objects.create(site=north, author=ensure_user("tina", role=Role.TECHNICIAN)[0], text="x")
    path = f"/api/hand-over/notes/{note.pk}/acknowledge/"
    viewer, stranger = signed_in("vera", site=north), signed_in("sam", Role.TECHNICIAN, south)
    assert viewer.post(path).status_code == 403
    assert send(viewer, "/api/hand-over/notes/", site=north.pk, text="x").status_code == 403
    assert stranger.post(path).status_code == 404
    assert send(stranger, "/api/hand-over/notes/", site=north.pk, text="x").status_code == 400
    assert stranger.get("/api/hand-over/", {"site": north.pk}).status_code == 404
    both = signed_in("mixed", Role.VIEWER, north)
    ensure_user("mixed", role=Role.TECHNICIAN, site=south)
    assert both.post(path).status_code == 403, "a technician elsewhere is none here"


def ticket(machine: Any, part: str, opened_h: float, closed_h: float | None = None) -> Ticket:
    now = timezone.now()
    return Ticket.objects.create(
        site=machine.device.site, machine=machine, part=part, fault_class="gpu.gone", title=f"Replace {part}",
        opened_at=now - timedelta(hours=opened_h), status="open" if closed_h is None else "closed",
        closed_at=None if closed_h is None else now - timedelta(hours=closed_h),
    )  # fmt: skip


def test_the_page_tells_what_happened_since_the_shift_began() -> None:
    one, two = make.make_machines(2)
    client = signed_in("vera")
    since = timezone.now() - timedelta(hours=8)
    old, new, done, before = (
        ticket(one, "GPU 1", 20), ticket(one, "GPU 2", 2), ticket(two, "GPU 3", 30, 1), ticket(two, "GPU 4", 30, 9),
    )  # fmt: skip
    LifecycleChange.objects.all().delete()
    for machine, state, event, hours in (
        (one, "ready", "drain", 3),
        (one, "drained", "return", 1),
        (two, "ready", "drain", 9),
    ):
        LifecycleChange.objects.create(
            machine=machine, transition=LifecycleTransition.objects.get(from_state=state, event=event),
            at=timezone.now() - timedelta(hours=hours), actor="ada", reason="test",
        )  # fmt: skip
    found = client.get("/api/hand-over/", {"since": since.isoformat()}).json()
    assert found["counts"] == {
        "opened": 1,
        "closed": 1,
        "waiting": 2,
        "in_work": 0,
        "out": 1,
        "back": 1,
        "incidents": 0,
    }
    told = {row["key"]: (row["opened"], row["closed"]) for row in found["tickets"]}
    assert told == {old.key: (False, False), new.key: (True, False), done.key: (False, True)}
    assert before.key not in told
    assert [(row["name"], row["out"]) for row in found["machines"]] == [
        (one.device.name, False), (one.device.name, True),
    ]  # fmt: skip


def test_the_number_of_statements_does_not_grow_with_what_happened() -> None:
    machines = make.make_machines(2)
    client = signed_in("vera")
    counts = []
    for part in ("GPU 1", "GPU 2"):
        for machine in machines:
            ticket(machine, part, 1)
        author = ensure_user(f"author of {part}", role=Role.TECHNICIAN)[0]
        ShiftNote.objects.create(site=machines[0].device.site, author=author, text="x")
        client.get("/api/hand-over/")
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/api/hand-over/").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
