"""Entity tags and conditional writes, against real routes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from core.http.etags import match, none_match
from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Room

JSON = "application/json"


@pytest.fixture
def site(db: Any) -> Site:
    return Site.objects.create(slug="north", name="North")


@pytest.fixture
def room(site: Site) -> Room:
    return Room.objects.create(site=site, name="R1", width_mm=10000, depth_mm=8000)


@pytest.fixture
def sign_in(db: Any) -> Callable[[], Client]:
    user, _ = ensure_user("olga", role=Role.OPERATOR)

    def client() -> Client:
        fresh = Client()
        fresh.force_login(user)
        return fresh

    return client


@pytest.fixture
def client(sign_in: Callable[[], Client]) -> Client:
    return sign_in()


def address(room: Room) -> str:
    return f"/api/rooms/{room.pk}/"


def test_the_tag_of_an_answer_gives_304_until_the_record_changes(client: Client, room: Room) -> None:
    for path in ("/api/rooms/", address(room)):
        tag = client.get(path).headers["ETag"]
        unchanged = client.get(path, headers={"If-None-Match": f'"other", W/{tag}'})
        assert (unchanged.status_code, unchanged.content, unchanged.headers["ETag"]) == (304, b"", tag)
        assert client.get(path, headers={"If-None-Match": "*"}).status_code == 304
        Room.objects.filter(pk=room.pk).update(door=path)
        changed = client.get(path, headers={"If-None-Match": tag})
        assert changed.status_code == 200 and changed.headers["ETag"] != tag


def test_a_cache_asks_each_time_and_keeps_each_signed_in_person_apart(client: Client, room: Room) -> None:
    headers = client.get(address(room)).headers
    assert headers["Cache-Control"] == "private, no-cache"
    assert {"Accept", "Authorization", "Cookie"} <= {name.strip() for name in headers["Vary"].split(",")}


def test_errors_pages_and_metrics_have_no_tag(client: Client, room: Room) -> None:
    for path, accept in (("/api/rooms/0/", JSON), (address(room), "text/html"), ("/metrics", "*/*")):
        assert "ETag" not in client.get(path, headers={"Accept": accept}).headers


def test_a_change_of_what_was_seen_goes_through_and_answers_with_the_next_tag(client: Client, room: Room) -> None:
    tag = client.get(address(room)).headers["ETag"]
    for door in ("west", "east"):
        done = client.patch(address(room), {"door": door}, JSON, headers={"If-Match": tag})
        assert done.status_code == 200
        tag = done.headers["ETag"]
        assert tag == client.get(address(room)).headers["ETag"]


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_a_write_to_something_older_is_412_with_the_record_as_it_is(method: str, client: Client, room: Room) -> None:
    tag = client.get(address(room)).headers["ETag"]
    Room.objects.filter(pk=room.pk).update(door="north")
    refused = getattr(client, method)(address(room), {"door": "south"}, JSON, headers={"If-Match": tag})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (412, "precondition_failed")
    assert error["current"] == client.get(address(room)).json()
    assert Room.objects.get().door == "north"


def test_the_tag_of_chosen_fields_guards_a_write_at_the_same_address(client: Client, room: Room) -> None:
    path = address(room) + "?fields=name,door"
    tag = client.get(path).headers["ETag"]
    Room.objects.filter(pk=room.pk).update(width_mm=9000)  # not among them
    assert client.patch(path, {"door": "a"}, JSON, headers={"If-Match": tag}).status_code == 200
    assert client.patch(path, {"door": "b"}, JSON, headers={"If-Match": tag}).status_code == 412


def test_a_star_asks_only_that_the_record_is_there(client: Client, room: Room) -> None:
    assert client.patch(address(room), {"door": "a"}, JSON, headers={"If-Match": "*"}).status_code == 200
    assert client.delete(address(room), headers={"If-Match": "*"}).status_code == 204
    assert client.delete(address(room), headers={"If-Match": "*"}).status_code == 404


def test_a_refused_change_under_a_tag_changes_nothing(client: Client, room: Room, site: Site) -> None:
    Room.objects.create(site=site, name="R2", width_mm=1, depth_mm=1)
    tag = client.get(address(room)).headers["ETag"]
    refused = client.patch(address(room), {"name": "R2"}, JSON, headers={"If-Match": tag})
    assert refused.status_code == 400 and "name" in refused.json()["error"]["fields"]
    assert client.get(address(room)).headers["ETag"] == tag


def test_the_tag_of_a_compressed_answer_names_the_same_record_and_a_weak_one_of_ours_none() -> None:
    assert not none_match('W/"a"', '"a"') and none_match('"b"', '"a"')
    assert match('"a", "b"', '"b"') and match('W/"a"', '"a"') and not match('W/"a"', '"b"')
    assert not match('"a"', 'W/"a"') and not match('W/"a"', 'W/"a"')


@pytest.mark.django_db(transaction=True)
def test_of_two_that_saw_the_same_record_one_writes_and_the_other_hears_of_it(
    sign_in: Callable[[], Client], room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first stops between its comparison and its write until the second waits for the row's lock."""
    from inventory.api.kinds import KindViewSet

    tag = sign_in().get(address(room)).headers["ETag"]
    compared, second_waits = threading.Event(), threading.Event()
    answers: dict[str, Any] = {}
    write = KindViewSet.written

    def slow_write(self: Any, rows: Any, *args: Any, **kwargs: Any) -> Any:
        if rows[0]["door"] == "first":
            compared.set()
            assert second_waits.wait(20)
        return write(self, rows, *args, **kwargs)

    monkeypatch.setattr(KindViewSet, "written", slow_write)

    def patch(client: Client, door: str) -> None:
        try:
            answers[door] = client.patch(address(room), {"door": door}, JSON, headers={"If-Match": tag})
        finally:
            connection.close()

    threads = [threading.Thread(target=patch, args=(sign_in(), door)) for door in ("first", "second")]
    threads[0].start()
    assert compared.wait(20)
    threads[1].start()
    wait_until_something_waits_for_a_lock()
    second_waits.set()
    for thread in threads:
        thread.join(20)
    assert (answers["first"].status_code, answers["second"].status_code) == (200, 412)
    assert answers["second"].json()["error"]["current"]["door"] == "first"
    assert Room.objects.get().door == "first"


def wait_until_something_waits_for_a_lock() -> None:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()"
    for _ in range(400):
        with connection.cursor() as cursor:
            cursor.execute(query)
            if cursor.fetchone()[0]:
                return
            cursor.execute("SELECT pg_sleep(0.05)")
    raise AssertionError("the second writer never waited: the row was not locked")
