"""Signing in: throttled, resettable, never self-made; tokens and credentials never leak."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import ApiToken, Credential, Role, User
from core.services import ensure_user, make_token, rotate_credentials, set_credential

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_rate_limits() -> None:
    cache.clear()


def sign_in(client: Client, password: str) -> int:
    return client.post("/accounts/login/", {"login": "tina", "password": password}).status_code


def test_pages_send_a_stranger_to_the_sign_in_page(client: Client) -> None:
    answer = client.get("/machines/7")
    assert answer.status_code == 302 and answer["Location"] == "/accounts/login/?next=/machines/7"
    assert b"Sign in to Rackside" in client.get("/accounts/login/").content


def test_the_api_answers_a_stranger_with_an_error_and_a_request_id(client: Client) -> None:
    answer = client.get("/api/me/")
    error = answer.json()["error"]
    assert answer.status_code in (401, 403)
    assert error["code"] == "not_authenticated" and error["request_id"]
    assert answer["X-Request-ID"] == error["request_id"]


def test_guessing_a_password_is_throttled(client: Client) -> None:
    ensure_user("tina", role=Role.TECHNICIAN, password="right-horse-1")
    for _ in range(5):
        sign_in(client, "wrong")
    assert b"Too many failed" in client.post("/accounts/login/", {"login": "tina", "password": "right-horse-1"}).content


def test_nobody_can_make_an_account_for_himself(client: Client) -> None:
    client.post(
        "/accounts/signup/", {"username": "x", "email": "x@x.example", "password1": "a-long-1", "password2": "a-long-1"}
    )
    assert not User.objects.exists()


def test_a_forgotten_password_is_reset_by_mail(client: Client) -> None:
    user, _ = ensure_user("tina", role=Role.TECHNICIAN, password="old-password-1")
    user.email = "tina@example.org"
    user.save()
    client.post("/accounts/password/reset/", {"email": "tina@example.org"})
    link = re.search(r"http://\S+(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert link
    form = client.get(link[1], follow=True)
    path = form.redirect_chain[-1][0]
    client.post(path, {"password1": "brand-new-horse-7", "password2": "brand-new-horse-7"})
    assert Client().login(username="tina", password="brand-new-horse-7")


def test_an_address_is_added_only_with_the_password_once_more(client: Client) -> None:
    """A reset of the password would go there: who finds a browser open must not keep the account."""
    ensure_user("tina", role=Role.VIEWER, password="first-password-1")
    sign_in(client, "first-password-1")
    answer = client.post("/accounts/email/", {"action_add": "", "email": "thief@example.org"})
    assert answer["Location"].startswith("/accounts/reauthenticate/") and not EmailAddress.objects.exists()


def test_a_one_time_password_opens_only_the_page_that_replaces_it(
    client: Client, capsys: pytest.CaptureFixture
) -> None:
    call_command("create_admin", "--one-time")
    assert '"login": "admin"' in capsys.readouterr().out
    admin = User.objects.get(username="admin")
    client.force_login(admin)
    assert client.get("/api/me/").json()["error"]["code"] == "password_change_required"
    assert client.get("/")["Location"] == "/accounts/password/change/"
    admin.set_password("one-time-password")
    admin.save()
    client.force_login(admin)
    change = {"oldpassword": "one-time-password", "password1": "brand-new-horse-7", "password2": "brand-new-horse-7"}
    client.post("/accounts/password/change/", change)
    assert client.get("/api/me/").status_code == 200
    call_command("create_admin", "--one-time")
    assert '"login": null' in capsys.readouterr().out


def test_a_token_is_shown_once_and_kept_as_a_hash(client: Client) -> None:
    user, _ = ensure_user("scripty", role=Role.OPERATOR)
    client.force_login(user)
    made = client.post("/api/tokens/", {"name": "ansible", "role": "viewer"}, content_type="application/json").json()
    script = Client(headers={"Authorization": f"Token {made['token']}"})
    assert script.get("/api/me/").json()["roles"] == [{"site": None, "role": "viewer"}]
    assert made["token"] not in client.get("/api/tokens/").content.decode()
    assert client.delete(f"/api/tokens/{made['id']}/").status_code == 204
    assert script.get("/api/me/").status_code == 401


@pytest.mark.parametrize("scheme", ["Token", "Bearer", "bearer"])
def test_a_token_is_sent_as_token_or_as_bearer(scheme: str, client: Client) -> None:
    client.force_login(ensure_user("scripty", role=Role.OPERATOR)[0])
    token = client.post("/api/tokens/", {"name": "ansible"}, content_type="application/json").json()["token"]
    assert Client(headers={"Authorization": f"{scheme} {token}"}).get("/api/me/").status_code == 200
    for wrong in (scheme, f"{scheme} {token} {token}", f"{scheme} {token[:-1]}x"):
        assert Client(headers={"Authorization": wrong}).get("/api/me/").status_code == 401
    assert Client(headers={"Authorization": f"Basic {token}"}).get("/api/me/").status_code == 401


def test_a_stored_secret_is_unreadable_in_the_database_and_survives_a_key_rotation(settings: object) -> None:
    from cryptography.fernet import Fernet, InvalidToken

    set_credential("bmc", kind="password", username="root", secret="calvin-the-second", hosts=["10.0.0.0/8"])
    row = Credential.objects.get()
    assert b"calvin" not in bytes(row.secret) and "calvin" not in repr(row.__dict__)
    old, new = settings.CREDENTIAL_KEYS[0], Fernet.generate_key().decode()  # type: ignore[attr-defined]
    settings.CREDENTIAL_KEYS = [new, old]  # type: ignore[attr-defined]
    assert rotate_credentials() == 1
    settings.CREDENTIAL_KEYS = [new]  # type: ignore[attr-defined]
    assert Credential.objects.get().reveal() == "calvin-the-second"
    settings.CREDENTIAL_KEYS = [old]  # type: ignore[attr-defined]
    with pytest.raises(InvalidToken):
        Credential.objects.get().reveal()


def test_pages_carry_a_policy_that_runs_no_foreign_script(client: Client) -> None:
    policy = client.get("/accounts/login/")["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "script-src 'self';" in policy


def test_metrics_need_a_role_on_every_site(client: Client) -> None:
    assert client.get("/metrics").status_code == 401
    user, _ = ensure_user("prom", role=Role.VIEWER)
    client.force_login(user)
    assert b"rackside_feed_lag_seconds" in client.get("/metrics").content


def test_readiness_names_what_does_not_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/readyz").json() == {"ready": True, "problems": {}}

    class Dead:
        def ping(self) -> None:
            raise ConnectionError("refused")

    monkeypatch.setattr("live.stream.shared", Dead)
    answer = client.get("/readyz")
    assert answer.status_code == 503 and answer.json()["problems"] == {"event_stream": "ConnectionError"}


def test_a_one_time_password_cannot_be_chosen_again(client: Client) -> None:
    user, _ = ensure_user("tina", role=Role.TECHNICIAN, password="one-time-horse-1")
    User.objects.filter(pk=user.pk).update(must_change_password=True)
    client.login(username="tina", password="one-time-horse-1")
    same = {"oldpassword": "one-time-horse-1", "password1": "one-time-horse-1", "password2": "one-time-horse-1"}
    assert b"another password" in client.post("/accounts/password/change/", same).content
    assert User.objects.get().must_change_password


def test_the_answer_to_a_one_time_password_carries_the_request_id(client: Client) -> None:
    user, _ = ensure_user("tina", role=Role.TECHNICIAN)
    User.objects.filter(pk=user.pk).update(must_change_password=True)
    client.force_login(user)
    answer = client.get("/api/me/")
    assert answer.status_code == 403 and answer["X-Request-ID"] == answer.json()["error"]["request_id"] != ""


def test_the_admin_pages_have_no_sign_in_of_their_own_that_is_not_throttled(client: Client) -> None:
    ensure_user("root", role=Role.ADMIN, password="right-horse-1")
    answer = client.post("/admin/login/", {"username": "root", "password": "right-horse-1"})
    assert answer.status_code == 302 and answer["Location"].startswith("/accounts/login/?next=")
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("limit", [{"role": "viewer"}, {"expiry": "2099-01-01T00:00:00Z"}], ids=str)
def test_a_limited_token_makes_and_removes_no_tokens(limit: dict[str, str], client: Client) -> None:
    user, _ = ensure_user("scripty", role=Role.ADMIN)
    client.force_login(user)
    made = client.post("/api/tokens/", limit, content_type="application/json").json()
    script = Client(headers={"Authorization": f"Token {made['token']}"})
    assert script.post("/api/tokens/", {"role": "admin"}, content_type="application/json").status_code == 403
    assert script.delete(f"/api/tokens/{made['id']}/").status_code == 403
    assert user.auth_token_set.count() == 1


def test_a_token_costs_one_query_and_an_expired_one_is_refused_and_goes() -> None:
    user, _ = ensure_user("scripty", role=Role.ADMIN)
    fresh, late = (make_token(user) for _ in range(2))
    ApiToken.objects.filter(pk=late[0].pk).update(expiry=timezone.now() - timedelta(seconds=1))
    scripts = [Client(headers={"Authorization": f"Token {text}"}) for _, text in (fresh, late)]
    with CaptureQueriesContext(connection) as captured:
        assert scripts[0].get("/api/me/").status_code == 200
    texts = [query["sql"] for query in captured.captured_queries]
    assert sum(text is None or "core_apitoken" in text for text in texts) == 1, "a prepared statement is told as None"
    assert scripts[1].get("/api/me/").status_code == 401
    assert list(user.auth_token_set.all()) == [fresh[0]]


def test_two_roles_for_one_site_are_refused_in_words(client: Client) -> None:
    admin, _ = ensure_user("root", role=Role.ADMIN)
    client.force_login(admin)
    grants = [{"site": None, "role": "viewer"}, {"site": None, "role": "admin"}]
    answer = client.post("/api/users/", {"username": "x", "grants": grants}, content_type="application/json")
    assert answer.status_code == 400 and "grants" in answer.json()["error"]["fields"]


def test_an_unexpected_error_tells_its_request_id_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    admin, _ = ensure_user("root", role=Role.ADMIN)
    client = Client(raise_request_exception=False)
    client.force_login(admin)

    def broken(*_: object) -> None:
        raise RuntimeError("the inner secret")

    monkeypatch.setattr("core.accounts.api.visible_sites", broken)
    answer = client.get("/api/me/")
    error = answer.json()["error"]
    assert answer.status_code == 500 and error["code"] == "server_error"
    assert error["request_id"] == answer["X-Request-ID"] and "secret" not in answer.content.decode()
    monkeypatch.setattr("config.pages.stream.shared", broken)
    assert client.get("/readyz").json()["problems"] == {"event_stream": "RuntimeError"}
