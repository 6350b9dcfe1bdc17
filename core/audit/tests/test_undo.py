"""Taking changes back: where it is safe, and only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.audit import undo, undo_jobs
from core.audit.actor import Actor, acting
from core.audit.api import DifferenceSerializer
from core.jobs.models import Job
from core.models import AuditChange, AuditEntry, Role, Site, User
from core.services import ensure_user, make_token
from inventory.kinds import Scope, write
from inventory.models import Cable, Connector, Device, DeviceModel, Placement, Port, Rack, Room, StrandEnd
from live.models import Event

pytestmark = pytest.mark.django_db
_number = iter(range(1_000_000))


def by(name: str) -> Any:
    return acting(Actor(name, "person", "PATCH /api/x/", f"undo-{next(_number)}"))


def newest() -> AuditChange:
    return AuditChange.objects.latest("id")


@pytest.fixture
def room() -> Room:
    site = Site.objects.create(slug="ams1", name="Amsterdam")
    return Room.objects.create(site=site, name="Hall 1", width_mm=20_000, depth_mm=20_000)


@pytest.fixture
def as_role(db: Any) -> Callable[..., APIClient]:
    def sign_in(role: str = Role.OPERATOR, site: Site | None = None) -> APIClient:
        user, _ = ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)
        client = APIClient()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def operator(as_role: Callable[..., APIClient], room: Room) -> APIClient:
    return as_role(Role.OPERATOR, room.site)


def take_back(client: APIClient, change: AuditChange, expected: int = 200) -> dict[str, Any]:
    answer = client.post(f"/api/history/{change.pk}/undo/")
    assert answer.status_code == expected, answer.content
    return answer.json()


def switch(room: Room) -> Device:
    rack, _ = Rack.objects.get_or_create(room=room, name="A01", defaults={"x_mm": 0, "y_mm": 0})
    model = DeviceModel.objects.create(
        slug="qm9700", vendor="NVIDIA", name="QM9700", kind="switch", half_u_height=2,
        spec={"ports": [{"name": f"1/{n}", "kind": "infiniband"} for n in (1, 2)]},
    )  # fmt: skip
    row = {"site": room.site_id, "name": "leaf-01", "model": model.pk, "rack": rack.pk, "u": 9, "fabric": "infiniband"}
    assert write("devices", [row], "create", scope=Scope.everything(), actor="alice").ok
    return Device.objects.get(name="leaf-01")


def move(device: Device, **place: Any) -> None:
    assert write("devices", [{"id": device.pk, **place}], "update", scope=Scope.everything(), actor="alice").ok


def test_a_changed_record_is_set_back_and_redone(room: Room, operator: APIClient) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3", width_mm=1)
    change = newest()
    undone = take_back(operator, change)
    room.refresh_from_db()
    assert (room.door, room.width_mm) == ("", 20_000)
    assert undone["undoes"] == change.pk
    assert undone["actor"] == "operator-ams1"
    listed = {found["id"]: found for found in operator.get("/api/history/").json()["results"]}
    assert (listed[change.pk]["undone_by"], listed[change.pk]["undoable"]) == (undone["id"], False)
    redone = take_back(operator, AuditChange.objects.get(pk=undone["id"]))
    room.refresh_from_db()
    assert (room.door, room.width_mm) == ("Door 3", 1)
    listed = {found["id"]: found for found in operator.get("/api/history/").json()["results"]}
    assert listed[change.pk]["undone_by"] is None
    assert listed[undone["id"]]["undone_by"] == redone["id"]
    take_back(operator, change)  # and once more, since the first undo was itself undone
    room.refresh_from_db()
    assert room.door == ""


def test_a_bulk_write_is_taken_back_as_one(room: Room, operator: APIClient) -> None:
    Rack.objects.bulk_create([Rack(room=room, name=f"B{n:03}", x_mm=n, y_mm=0) for n in range(700)])
    with by("alice"):
        Rack.objects.update(power_limit_w=40_000)
    take_back(operator, newest())
    assert set(Rack.objects.values_list("power_limit_w", flat=True)) == {None}


def test_a_device_moved_by_mistake_is_back_in_its_place(room: Room, operator: APIClient) -> None:
    """The move deletes one placement and makes another: both are reversed, in reverse order."""
    device = switch(room)
    before = Placement.objects.values().get(device=device)
    with by("alice"):
        move(device, u=20)
    take_back(operator, newest())
    assert Placement.objects.values().get(device=device) == before


def test_a_deleted_cable_is_back_with_its_ends(room: Room, operator: APIClient) -> None:
    device = switch(room)
    cable = Cable.objects.create(site=room.site, label="C-1", type="DAC", length_m="12.50", custom={"a": [1.5, None]})
    for side, name in (("A", "1/1"), ("B", "1/2")):
        plug = Connector.objects.create(cable=cable, side=side)
        StrandEnd.objects.create(connector=plug, port=Port.objects.get(device=device, name=name))
    before = [list(model.objects.order_by("pk").values()) for model in (Cable, Connector, StrandEnd)]
    with by("alice"):
        cable.delete()
    take_back(operator, newest())
    assert [list(model.objects.order_by("pk").values()) for model in (Cable, Connector, StrandEnd)] == before


def test_a_created_device_is_removed_again(room: Room, operator: APIClient) -> None:
    with by("alice"):
        device = switch(room)
    change = newest()
    take_back(operator, change, 409)  # it made a device model too, which all sites share
    root = APIClient()
    root.force_login(ensure_user("root", role=Role.ADMIN)[0])
    take_back(root, change)
    assert not Device.objects.filter(pk=device.pk).exists()
    assert not Port.objects.exists()


def test_the_news_of_an_undo_is_that_of_any_write(room: Room, operator: APIClient) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3")
    take_back(operator, newest())
    event = Event.objects.filter(kind="inventory.reloaded").latest("id")
    assert (event.site_id, event.actor, event.data["scope"]["slug"]) == (room.site_id, "operator-ams1", "ams1")


# ---- where it is not safe ----
def test_what_somebody_changed_since_is_not_overwritten(room: Room, operator: APIClient) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3", width_mm=1)
    change = newest()
    with by("bob"):
        Room.objects.filter(pk=room.pk).update(door="Door 4")
    error = take_back(operator, change, 409)["error"]
    (difference,) = error["current"]
    assert difference.keys() == DifferenceSerializer().fields.keys()  # as OpenAPI has it
    assert (difference["kind"], difference["name"], difference["field"]) == ("rooms", "Hall 1", "door")
    assert (difference["expected"], difference["current"], difference["by"]) == ("Door 3", "Door 4", "bob")
    room.refresh_from_db()
    assert (room.door, room.width_mm) == ("Door 4", 1)


def test_of_many_rows_one_that_changed_since_keeps_all_as_they_are(room: Room, operator: APIClient) -> None:
    made = Rack.objects.bulk_create([Rack(room=room, name=f"B{n:03}", x_mm=n, y_mm=0) for n in range(50)])
    with by("alice"):
        Rack.objects.update(power_limit_w=40_000)
    change = newest()
    with by("bob"):
        Rack.objects.filter(pk=made[7].pk).delete()
    (difference,) = take_back(operator, change, 409)["error"]["current"]
    assert (difference["object"], difference["current"], difference["by"]) == (made[7].pk, "deleted", "bob")
    assert set(Rack.objects.values_list("power_limit_w", flat=True)) == {40_000}


def test_a_record_in_use_since_cannot_be_undone_away(room: Room, operator: APIClient) -> None:
    with by("alice"):
        rack = Rack.objects.create(room=room, name="A01", x_mm=0, y_mm=0)
    change = newest()
    with by("bob"):
        Placement.objects.create(
            kind="blanking", rack=rack, rack_height_u=48, half_units=(1, 3), faces=(0, 2), columns=(0, 2)
        )
    error = take_back(operator, change, 409)["error"]
    assert error["message"] == "Something happened since: A01 has placements."
    (difference,) = error["current"]
    assert (difference["kind"], difference["object"], difference["by"]) == ("racks", rack.pk, "")
    assert (difference["field"], difference["expected"], difference["current"]) == ("placements", 0, 1)
    assert Rack.objects.filter(pk=rack.pk).exists()


def test_a_place_taken_since_is_not_taken_back(room: Room, operator: APIClient) -> None:
    device = switch(room)
    rack = Rack.objects.get(name="A01")
    with by("alice"):
        move(device, rack=None)
    change = newest()
    Placement.objects.create(
        kind="reserved", rack=rack, rack_height_u=48, half_units=(17, 19), faces=(0, 2), columns=(0, 2), reason="new"
    )
    assert "one_device_per_place" in take_back(operator, change, 409)["error"]["message"]
    assert not Placement.objects.filter(device=device).exists()


def test_a_height_that_its_placements_follow_is_set_back_with_them(room: Room, operator: APIClient) -> None:
    switch(room)
    with by("alice"):
        Rack.objects.update(height_u=40)
    take_back(operator, newest())
    assert set(Rack.objects.values_list("height_u", flat=True)) == {48}
    assert set(Placement.objects.values_list("rack_height_u", flat=True)) == {48}


def test_an_undo_is_for_those_who_may_write(room: Room, as_role: Callable[..., APIClient]) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3")
    change = newest()
    other = Site.objects.create(slug="fra1", name="Frankfurt")
    assert as_role(Role.VIEWER).post(f"/api/history/{change.pk}/undo/").status_code == 403
    assert as_role(Role.TECHNICIAN, room.site).post(f"/api/history/{change.pk}/undo/").status_code == 403
    assert as_role(Role.OPERATOR, other).post(f"/api/history/{change.pk}/undo/").status_code == 404
    both = as_role(Role.OPERATOR, other)
    both_user = User.objects.get(username="operator-fra1")
    both_user.grants.create(site=room.site, role=Role.VIEWER)
    take_back(both, change, 409)
    room.refresh_from_db()
    assert room.door == "Door 3"


def test_roles_are_set_back_by_an_administrator_of_every_site_only(
    room: Room, as_role: Callable[..., APIClient]
) -> None:
    user, _ = ensure_user("eve", role=Role.VIEWER, site=room.site)
    with by("alice"):
        user.grants.update(role=Role.ADMIN)
    change = newest()
    assert as_role(Role.ADMIN, room.site).post(f"/api/history/{change.pk}/undo/").status_code == 404
    take_back(as_role(Role.ADMIN), change)
    assert user.grants.get().role == Role.VIEWER


def test_passwords_tokens_and_what_has_its_own_way_back_are_not_undone(
    room: Room, as_role: Callable[..., APIClient]
) -> None:
    root = as_role(Role.ADMIN)
    user, _ = ensure_user("eve", role=Role.VIEWER)
    with by("alice"):
        user.set_password("another horse battery")
        user.save()
    assert "secret" in take_back(root, newest(), 409)["error"]["message"]
    with by("alice"):
        make_token(user, name="ci")
    assert "own ways" in take_back(root, newest(), 409)["error"]["message"]
    with by("alice"):
        User.objects.filter(pk=user.pk).update(email="eve@example.org")
    take_back(root, newest())
    user.refresh_from_db()
    assert user.email == ""
    assert user.check_password("another horse battery")


# ---- more rows than a request takes back ----
@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Job]:
    """Does the queued undo when asked, as a worker for whoever pressed."""
    queued: list[int] = []
    monkeypatch.setattr("core.tasks.undo_change.apply_async", lambda args: queued.append(*args))
    monkeypatch.setattr("core.jobs.work.BEAT_S", 0.05)
    monkeypatch.setattr(undo, "AT_ONCE", 9)
    monkeypatch.setattr(undo, "READ_ROWS", 4)

    def work() -> Job:
        (job,) = queued  # one, however often somebody pressed
        queued.clear()
        with acting(Actor("operator-ams1", "task", "core.tasks.undo_change", "undo-large")):
            return undo_jobs.run_undo(job)

    return work


@pytest.fixture
def press(operator: APIClient, django_capture_on_commit_callbacks: Any) -> Callable[[AuditChange], dict[str, Any]]:
    def pressed(change: AuditChange) -> dict[str, Any]:
        with django_capture_on_commit_callbacks(execute=True):
            return take_back(operator, change, 202)

    return pressed


def many_racks(room: Room) -> AuditChange:
    with by("alice"):
        Rack.objects.bulk_create([Rack(room=room, name=f"B{n}", x_mm=0, y_mm=0) for n in range(30)])
    return newest()


def test_a_change_of_many_rows_is_taken_back_in_the_background_and_its_progress_is_seen(
    room: Room, operator: APIClient, worker: Callable[[], Job], press: Callable[[AuditChange], dict[str, Any]]
) -> None:
    change = many_racks(room)
    asked = press(change)
    assert (asked["status"], asked["change"], asked["progress"]["total"]) == ("queued", change.pk, 30)
    assert take_back(operator, change, 202)["job"] == asked["job"]  # pressed twice, done once
    (listed,) = operator.get("/api/history/", {"kind": "racks"}).json()["results"]
    assert listed["undoing"] == {"status": "queued", "done": 0, "total": 30, "message": ""}
    assert Rack.objects.count() == 30
    assert worker().status == "done"
    told = operator.get(f"/api/history/{change.pk}/undo/").json()
    assert (told["status"], told["undone_by"]) == ("done", newest().pk)
    assert not Rack.objects.exists()
    done = newest()
    assert (done.undoes_id, done.actor) == (change.pk, "operator-ams1")
    listed = {found["id"]: found for found in operator.get("/api/history/").json()["results"]}
    assert (listed[change.pk]["undone_by"], listed[change.pk]["undoing"]) == (done.pk, None)


def test_an_undo_of_many_rows_tells_how_far_it_is(room: Room) -> None:
    change = many_racks(room)
    heard: list[tuple[int, int]] = []
    with by("bob"):
        undo.undo(change, {None: Role.ADMIN}, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (30, 30)


def test_one_row_that_changed_since_refuses_a_large_undo_with_who_did_it(
    room: Room, operator: APIClient, worker: Callable[[], Job], press: Callable[[AuditChange], dict[str, Any]]
) -> None:
    change = many_racks(room)
    press(change)
    with by("bob"):
        Rack.objects.filter(name="B7").update(power_limit_w=1)
    assert worker().status == "refused"
    told = operator.get(f"/api/history/{change.pk}/undo/").json()
    (difference,) = told["differences"]
    assert (told["message"], difference["name"], difference["by"]) == ("Something changed since.", "B7", "bob")
    assert Rack.objects.count() == 30
    listed = {found["id"]: found for found in operator.get("/api/history/").json()["results"]}
    assert listed[change.pk]["undoing"]["status"] == "refused"
    assert listed[change.pk]["undoable"]  # once the other change is out of the way


def test_a_large_undo_has_the_rights_that_its_person_has_when_it_is_done(
    room: Room, worker: Callable[[], Job], press: Callable[[AuditChange], dict[str, Any]]
) -> None:
    press(many_racks(room))
    User.objects.get(username="operator-ams1").grants.update(role=Role.VIEWER)
    assert (worker().message, Rack.objects.count()) == ("Your role does not allow it.", 30)


def test_there_is_no_progress_of_an_undo_that_nobody_asked_for(room: Room, operator: APIClient) -> None:
    assert operator.get(f"/api/history/{many_racks(room).pk}/undo/").status_code == 404


def test_a_second_undo_is_refused_and_says_by_what_it_was_undone(room: Room, operator: APIClient) -> None:
    with by("alice"):
        Room.objects.filter(pk=room.pk).update(door="Door 3")
    change = newest()
    first = take_back(operator, change)
    assert f"change {first['id']}" in take_back(operator, change, 409)["error"]["message"]
    assert AuditEntry.objects.filter(change__undoes_id=change.pk).count() == 1


def test_a_record_that_went_to_another_site_is_shown_and_given_back_by_nobody_of_one_site(
    operator: APIClient, as_role: Callable[..., APIClient], room: Room
) -> None:
    elsewhere = Site.objects.create(slug="ber1", name="Berlin")
    moved = Room.objects.create(site=elsewhere, name="Cage", door="secret door", width_mm=1, depth_mm=1)
    with by("mo"):
        Room.objects.filter(pk=moved.pk).update(site=room.site, door="")
    change = newest()
    for client in (operator, as_role(Role.OPERATOR, elsewhere)):
        assert client.get(f"/api/history/{change.pk}/").status_code == 404
        assert client.post(f"/api/history/{change.pk}/undo/").status_code == 404
    assert as_role(Role.OPERATOR).post(f"/api/history/{change.pk}/undo/").status_code == 200
    moved.refresh_from_db()
    assert (moved.site, moved.door) == (elsewhere, "secret door")
