"""Idempotency keys: the same request twice is done once, whatever happened between."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from core.http.idempotency import prune
from core.http.models import IdempotencyKey
from core.models import ApiToken, Role, Site
from core.services import ensure_user, make_token
from inventory.models import Room

JSON = "application/json"
ROOM = {"name": "R1", "width_mm": 10000, "depth_mm": 8000}


@pytest.fixture
def site(db: Any) -> Site:
    return Site.objects.create(slug="north", name="North")


def signed_in(name: str = "olga", role: Role = Role.OPERATOR) -> Client:
    user, _ = ensure_user(name, role=role)
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def make(client: Client, site: Site, key: str = "k1", **changed: Any) -> Any:
    body = {"site": site.pk, **ROOM, **changed}
    return client.post("/api/rooms/", body, JSON, headers={"Idempotency-Key": key})


def test_the_same_key_and_body_give_the_same_answer_and_one_record(site: Site) -> None:
    client = signed_in()
    first, second = make(client, site), make(client, site)
    assert first.status_code == second.status_code == 201
    assert first.content == second.content and first.headers["Content-Type"] == second.headers["Content-Type"]
    assert "Idempotent-Replayed" not in first.headers and second.headers["Idempotent-Replayed"] == "true"
    assert Room.objects.count() == 1


def test_another_body_under_the_key_is_refused(site: Site) -> None:
    client = signed_in()
    make(client, site)
    refused = make(client, site, name="R2")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "idempotency_mismatch")
    assert Room.objects.count() == 1


def test_keys_of_two_people_have_nothing_to_do_with_each_other(site: Site) -> None:
    make(signed_in("one"), site)
    assert make(signed_in("two"), site, name="R2").status_code == 201
    assert Room.objects.count() == 2


def test_a_refusal_is_not_kept(site: Site) -> None:
    client = signed_in()
    assert make(client, site, width_mm="wide").status_code == 400
    assert not IdempotencyKey.objects.exists()
    assert make(client, site).status_code == 201


def test_a_weaker_token_is_not_told_a_stronger_ones_answer(site: Site) -> None:
    make(signed_in(), site)
    user, _ = ensure_user("olga", role=Role.OPERATOR)
    _, plain = make_token(user, role=Role.VIEWER)
    refused = Client(headers={"Authorization": f"Token {plain}"})
    assert make(refused, site).status_code in (403, 422)


def test_a_stranger_is_told_to_sign_in(site: Site) -> None:
    assert make(Client(), site).status_code in (401, 403)


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "é"])
def test_a_key_that_is_none_is_refused(key: str, site: Site) -> None:
    refused = make(signed_in(), site, key=key)
    assert refused.status_code == 400 and "Idempotency-Key" in refused.json()["error"]["fields"]


def test_an_answer_that_shows_a_secret_is_kept_encrypted(db: Any) -> None:
    client = signed_in()
    send: dict[str, Any] = {
        "path": "/api/tokens/",
        "data": {"name": "t"},
        "content_type": JSON,
        "headers": {"Idempotency-Key": "t"},
    }
    first, second = client.post(**send), client.post(**send)
    assert first.json()["token"] == second.json()["token"] and ApiToken.objects.count() == 1
    assert first.json()["token"].encode() not in bytes(IdempotencyKey.objects.get().body)


def test_a_form_with_a_file_is_the_same_request_whatever_its_boundary(rf: Any) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from core.http.fingerprint import fingerprint

    def upload(content: bytes, boundary: str) -> bytes:
        from django.test.client import encode_multipart

        body = encode_multipart(boundary, {"kind": "racks", "file": SimpleUploadedFile("r.csv", content)})
        return fingerprint(rf.generic("POST", "/api/x/", body, f"multipart/form-data; boundary={boundary}"), {})

    assert upload(b"a,b", "one") == upload(b"a,b", "two") != upload(b"a,c", "one")


def test_a_key_lives_for_the_days_of_the_settings(site: Site) -> None:
    client = signed_in()
    make(client, site)
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(days=13, hours=23))
    assert prune() == 0
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(days=14, hours=1))
    assert make(client, site, name="R2").status_code == 201  # already before the periodic task came by
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(days=14, hours=1))
    assert prune() == 1


@pytest.mark.django_db(transaction=True)
def test_a_crash_before_the_commit_leaves_neither_record_nor_key(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The view has written; then keeping the answer fails, as a lost connection would."""
    from core.http import idempotency

    client = signed_in()
    with monkeypatch.context() as broken:
        broken.setattr(idempotency, "keep", lambda *args, **more: 1 / 0)
        assert make(client, site).status_code == 500
    assert not Room.objects.exists() and not IdempotencyKey.objects.exists()
    assert make(client, site).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_crash_between_the_commit_and_the_answer_is_repaired_by_the_retry(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in()
    with monkeypatch.context() as broken:
        broken.setattr("core.middleware.PasswordChangeMiddleware.__call__", lose)
        assert make(client, site).status_code == 500
    assert Room.objects.count() == 1
    again = make(client, site)
    assert again.status_code == 201 and again.headers["Idempotent-Replayed"] == "true"
    assert again.json()["id"] == Room.objects.get().pk


def lose(middleware: Any, request: Any) -> Any:
    """Everything further in, the commit included, was done; then this process dies."""
    middleware.get_response(request)
    raise ConnectionError


@pytest.mark.django_db(transaction=True)
def test_a_failure_of_the_view_writes_nothing_at_all(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from inventory.api.kinds import KindViewSet

    client = signed_in()
    write = KindViewSet.written

    def write_then_fail(self: Any, *args: Any, **kwargs: Any) -> None:
        write(self, *args, **kwargs)
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(KindViewSet, "written", write_then_fail)
        assert make(client, site).status_code == 500
    assert not Room.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_while_a_request_runs_its_retry_is_told_to_wait(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    from inventory.api.kinds import KindViewSet

    running, go_on = threading.Event(), threading.Event()
    write, answers = KindViewSet.written, {}

    def slow(self: Any, *args: Any, **kwargs: Any) -> Any:
        running.set()
        assert go_on.wait(20)
        return write(self, *args, **kwargs)

    monkeypatch.setattr(KindViewSet, "written", slow)

    def first(client: Client) -> None:
        try:
            answers["first"] = make(client, site)
        finally:
            connection.close()

    thread = threading.Thread(target=first, args=(signed_in(),))
    thread.start()
    assert running.wait(20)
    busy = make(signed_in(), site)
    assert (busy.status_code, busy.json()["error"]["code"], busy.headers["Retry-After"]) == (409, "busy", "1")
    go_on.set()
    thread.join(20)
    assert answers["first"].status_code == 201
    assert make(signed_in(), site).headers["Idempotent-Replayed"] == "true"
    assert Room.objects.count() == 1
