"""A code of an app or of the list beside the password, and what of it lies in the database."""

from __future__ import annotations

import base64
import hmac
import json
import re
import struct
import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.cache import cache
from django.test import Client

from core.models import ApiToken, AuditEntry, Role, User
from core.services import ensure_user, rotate_credentials

pytestmark = pytest.mark.django_db
PASSWORD = "quiet-cold-aisle-17"


def code_of(secret: str, at: float) -> str:
    """RFC 6238 with SHA-1, six digits and 30 s, as the apps reckon it."""
    digest = hmac.digest(base64.b32decode(secret), struct.pack(">Q", int(at) // 30), "sha1")
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


def code_now(secret: str) -> str:
    """The code of these seconds, as if none had been given in them."""
    cache.clear()
    if (left := 30 - time.time() % 30) < 3:
        time.sleep(left)
    return code_of(secret, time.time())


@pytest.fixture(autouse=True)
def fresh_rate_limits() -> None:
    cache.clear()


@pytest.fixture
def ada() -> User:
    return ensure_user("ada", role=Role.TECHNICIAN, password=PASSWORD)[0]


def post(client: Client, path: str, **fields: str) -> int:
    return client.post(path, fields).status_code


@pytest.fixture
def secret(ada: User, client: Client) -> str:
    """Of an app that ada added."""
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert client.get("/accounts/2fa/totp/activate/").headers["Location"].startswith("/accounts/reauthenticate/")
    post(client, "/accounts/reauthenticate/", password=PASSWORD)
    page = client.get("/accounts/2fa/totp/activate/").content.decode()
    found = re.search(r'value="([A-Z2-7]{32})"', page)
    assert found
    assert post(client, "/accounts/2fa/totp/activate/", code=code_now(found[1])) == 302
    return found[1]


def new_visit() -> Client:
    """Somebody who gave ada's password, and no more."""
    client = Client()
    answer = client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    return client


def test_the_password_alone_opens_nothing_and_the_code_of_the_app_does(secret: str) -> None:
    visit = new_visit()
    assert visit.get("/api/me/").status_code in (401, 403)
    assert post(visit, "/accounts/2fa/authenticate/", code=code_of(secret, time.time() - 600)) == 200
    assert visit.get("/api/me/").status_code in (401, 403)
    assert post(visit, "/accounts/2fa/authenticate/", code=code_now(secret)) == 302
    assert visit.get("/api/me/").json()["username"] == "ada"


def test_a_code_that_was_used_opens_nothing(secret: str) -> None:
    code = code_now(secret)
    assert post(new_visit(), "/accounts/2fa/authenticate/", code=code) == 302
    assert post(new_visit(), "/accounts/2fa/authenticate/", code=code) == 200


def test_a_one_time_password_adds_no_second_factor(ada: User, client: Client) -> None:
    User.objects.filter(pk=ada.pk).update(must_change_password=True)
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    for path in ("/accounts/2fa/", "/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/"):
        assert client.get(path).headers["Location"] == "/accounts/password/change/"


def test_a_role_that_needs_a_second_factor_opens_only_the_pages_that_add_one(
    ada: User, client: Client, settings: Any
) -> None:
    client.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    settings.SECOND_FACTOR_FROM = "operator"
    assert client.get("/api/me/").status_code == 200  # she is a technician
    settings.SECOND_FACTOR_FROM = "technician"
    refused = client.get("/api/me/")
    assert refused.status_code == 403 and refused.json()["error"]["code"] == "second_factor_required"
    for path in ("/", "/tickets", "/admin/"):
        assert client.get(path).headers["Location"] == "/accounts/2fa/"
    assert "Your role needs a second factor" in client.get("/accounts/2fa/").content.decode()
    assert client.get("/accounts/2fa/totp/activate/").headers["Location"].startswith("/accounts/reauthenticate/")
    Authenticator.objects.create(user=ada, type="recovery_codes", data={"seed": "", "used_mask": 0})
    assert client.get("/api/me/").status_code == 403, "recovery codes only stand in for a factor"


@pytest.mark.django_db(transaction=True)  # allauth tells of the factor when it is committed
def test_a_session_from_before_the_factor_was_added_elsewhere_signs_in_again(
    ada: User, client: Client, secret: str, settings: Any
) -> None:
    """The password was stolen and used before ada had a factor; `secret` is what she adds in her own session."""
    Authenticator.objects.all().delete()
    thief = Client()
    thief.post("/accounts/login/", {"login": "ada", "password": PASSWORD})
    settings.SECOND_FACTOR_FROM = "technician"
    assert thief.get("/").headers["Location"] == "/accounts/2fa/"
    Authenticator.objects.create(user=ada, type="webauthn", data={})
    assert client.get("/api/me/").status_code == 200, "the session that added one has shown it"
    assert thief.get("/api/me/").json()["error"]["code"] == "second_factor_required"
    assert thief.get("/").headers["Location"] == "/accounts/login/"
    assert thief.get("/api/me/").status_code in (401, 403) and "_auth_user_id" not in thief.session


def test_who_signed_in_with_the_code_stays_in(secret: str, settings: Any) -> None:
    visit = new_visit()
    assert post(visit, "/accounts/2fa/authenticate/", code=code_now(secret)) == 302
    settings.SECOND_FACTOR_FROM = "technician"
    assert visit.get("/api/me/").status_code == 200


def test_an_administrator_of_django_needs_one_whatever_the_roles(ada: User, client: Client, settings: Any) -> None:
    User.objects.filter(pk=ada.pk).update(is_staff=True)
    settings.SECOND_FACTOR_FROM = "admin"
    client.force_login(ada)
    assert client.get("/admin/").headers["Location"] == "/accounts/2fa/"


def test_tokens_and_people_of_the_single_sign_on_are_not_asked_for_a_second_factor(
    ada: User, client: Client, settings: Any
) -> None:
    settings.SECOND_FACTOR_FROM = "viewer"
    _, secret = ApiToken.objects.create(user=ada)
    assert Client().get("/api/me/", headers={"Authorization": f"Token {secret}"}).status_code == 200
    client.force_login(ada)
    assert client.get("/api/me/").status_code == 403
    session = client.session
    session["account_authentication_methods"] = [{"method": "socialaccount", "provider": "oidc"}]
    session.save()
    assert client.get("/api/me/").status_code == 200


def test_a_code_of_the_list_opens_once(secret: str, client: Client) -> None:
    (first, *_) = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    visit = new_visit()
    assert post(visit, "/accounts/2fa/authenticate/", code=first) == 302
    assert visit.get("/api/me/").status_code == 200
    again = new_visit()
    assert post(again, "/accounts/2fa/authenticate/", code=first) == 200
    assert again.get("/api/me/").status_code in (401, 403)


def test_no_secret_of_it_lies_readable_in_the_database_or_the_log(secret: str) -> None:
    rows = json.dumps(list(Authenticator.objects.values_list("data", flat=True)))
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    told = json.dumps(list(AuditEntry.objects.values("rows", "about")), default=str)
    assert all(plain not in rows + told for plain in (secret, *codes))
    kept = Authenticator.objects.get(type="totp").data["secret"]
    assert kept not in told, "nor what is encrypted"
    assert AuditEntry.objects.filter(table_name="mfa_authenticator").exists()


def test_it_goes_on_with_a_new_key(secret: str, settings: Any) -> None:
    old = list(settings.CREDENTIAL_KEYS)
    settings.CREDENTIAL_KEYS = [Fernet.generate_key().decode(), *old]
    assert rotate_credentials() >= 2
    settings.CREDENTIAL_KEYS = settings.CREDENTIAL_KEYS[:1]
    assert post(new_visit(), "/accounts/2fa/authenticate/", code=code_now(secret)) == 302


def test_an_administrator_ends_a_lost_one_and_sees_nothing_of_it(secret: str) -> None:
    admin = Client()
    admin.force_login(ensure_user("boss", role=Role.ADMIN)[0])
    row = Authenticator.objects.get(type="totp")
    page = admin.get(f"/admin/mfa/authenticator/{row.pk}/change/").content.decode()
    assert "ada" in page and row.data["secret"] not in page
    assert post(admin, f"/admin/mfa/authenticator/{row.pk}/delete/", post="yes") == 302
    assert not Authenticator.objects.exists(), "nor does a list of codes of the lost one open anything"
