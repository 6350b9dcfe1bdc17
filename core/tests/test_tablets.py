"""A shared tablet: who opens it with which PIN, what that session may do, and how it ends."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client, RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from core.accounts import tablets
from core.audit.actor import request_actor
from core.feed.api import still_allowed_of
from core.models import ApiToken, AuditEntry, Pin, Role, RoleGrant, Site, Tablet, User
from core.services import ensure_user, rotate_credentials

pytestmark = pytest.mark.django_db
PASSWORD, PIN = "quiet-cold-aisle-17", "4071"


@given(st.text(max_size=12))
def test_a_pin_has_four_to_eight_digits_that_are_not_guessed_at_once(text: str) -> None:
    good = tablets.wrong_with(text) == ""
    assert not good or (text.isdigit() and 4 <= len(text) <= 8 and len(set(text)) > 1)


@pytest.mark.parametrize("pin", ["123", "123456789", "1111", "2345", "98765", "12a4", "١٢٣٥", ""])
def test_digits_that_are_no_pin_are_told_why(pin: str) -> None:
    assert tablets.wrong_with(pin)


@pytest.fixture
def site() -> Site:
    return Site.objects.create(slug="ams1", name="Amsterdam")


def person(name: str, role: Role, site: Site) -> User:
    user = User.objects.create_user(name, password=PASSWORD)
    RoleGrant.objects.create(user=user, site=site, role=role)
    return user


@pytest.fixture
def tina(site: Site) -> User:
    user = person("tina", Role.OPERATOR, site)
    tablets.set_pin(user, PIN)
    return user


@pytest.fixture
def tablet(site: Site, tina: User) -> Client:
    """A browser of which an operator made a tablet."""
    cache.clear()
    client = signed_in("tina")
    answer = client.post("/accounts/tablets/", {"site": site.pk, "name": "Aisle A"})
    assert answer.headers["Location"] == "/accounts/tablet/"
    assert client.get("/api/me/").status_code == 401, "who shared it is signed out"
    return client


def signed_in(name: str) -> Client:
    client = Client()
    assert client.post("/accounts/login/", {"login": name, "password": PASSWORD}).status_code == 302
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})  # as before every page about signing in
    return client


def opened(client: Client, user: User, pin: str = PIN) -> Any:
    return client.post("/accounts/tablet/", {"user": user.pk, "pin": pin, "next": "/tickets"})


def test_at_a_tablet_one_says_who_one_is_and_types_the_pin(tablet: Client, tina: User) -> None:
    assert tablet.get("/accounts/login/?next=/tickets").headers["Location"].startswith("/accounts/tablet/?next=")
    assert b"tina" in tablet.get("/accounts/tablet/").content
    assert b'name="pin"' in tablet.post("/accounts/tablet/", {"user": tina.pk}).content
    assert opened(tablet, tina).headers["Location"] == "/tickets"
    assert tablet.get("/api/me/").json()["tablet"] is True
    tablet.post("/accounts/logout/")
    assert tablet.get("/accounts/login/").headers["Location"].startswith("/accounts/tablet/"), "locked again"
    assert tablet.get("/accounts/login/?password").status_code == 200, "and a password opens it all the same"


def test_elsewhere_there_is_no_lock_screen(tina: User) -> None:
    assert Client().get("/accounts/login/").status_code == 200
    assert Client().get("/accounts/tablet/").headers["Location"] == "/accounts/login/"
    assert opened(Client(), tina).headers["Location"] == "/accounts/login/"


def test_a_session_of_a_tablet_is_a_technicians_of_its_site_whatever_the_person_may_elsewhere(
    tablet: Client, tina: User, site: Site
) -> None:
    other = Site.objects.create(slug="osl1", name="Oslo")
    RoleGrant.objects.create(user=tina, site=other, role=Role.ADMIN)
    opened(tablet, tina)
    me = tablet.get("/api/me/").json()
    assert me["roles"] == [{"site": site.pk, "role": "technician"}]
    assert [each["id"] for each in me["sites"]] == [site.pk]


def test_it_makes_no_tokens_and_reaches_no_page_about_signing_in(tablet: Client, tina: User) -> None:
    """An address, a passkey or another account that were added there would outlive the session, without its limit."""
    opened(tablet, tina)
    assert tablet.post("/api/tokens/", {"name": "mine"}, content_type="application/json").status_code == 403
    assert not ApiToken.objects.exists()
    pages = (
        "pin/",
        "tablets/",
        "email/",
        "password/change/",
        "password/set/",
        "2fa/",
        "2fa/webauthn/add/",
        "3rdparty/",
    )
    for page in (*pages, "reauthenticate/", "oidc/sso/login/"):
        assert tablet.get(f"/accounts/{page}").headers["Location"] == "/accounts/tablet/", page
    added = tablet.post("/accounts/email/", {"action_add": "", "email": "thief@example.org"})
    assert added.headers["Location"] == "/accounts/tablet/" and not EmailAddress.objects.exists()


def test_who_signs_in_there_with_a_password_keeps_all_rights_and_is_locked_out_too(
    tablet: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tablet.post("/accounts/login/", {"login": "tina", "password": PASSWORD, "remember": "on"})
    me = tablet.get("/api/me/").json()
    assert me["tablet"] is True and me["roles"] == [{"site": site.pk, "role": "operator"}]
    later = time.time() + tablets.SIGNED_IN_S
    monkeypatch.setattr("core.accounts.tablets.time.time", lambda: later)
    assert tablet.get("/api/me/").status_code == 401, "after a shift, whatever the form said of staying"
    assert signed_in("tina").get("/api/me/").json()["tablet"] is False, "at her desk she is not"


@pytest.mark.parametrize("how", ["changed", "removed", "missed", "over"])
def test_a_session_ends_with_its_pin_and_its_shift(
    how: str, tablet: Client, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tablet, tina)
    if how == "changed":
        tablets.set_pin(tina, "8520")
    elif how == "removed":
        tablets.forget_pin(tina)
    elif how == "missed":
        Pin.objects.update(misses=tablets.MOST_MISSES)
    else:
        later = time.time() + tablets.SIGNED_IN_S
        monkeypatch.setattr("core.accounts.tablets.time.time", lambda: later)
    assert tablet.get("/api/me/").status_code == 401


def test_a_stream_of_a_session_ends_with_the_tablet(tablet: Client, tina: User, site: Site) -> None:
    opened(tablet, tina)
    request = SimpleNamespace(user=tina, auth=None, _request=SimpleNamespace(session=tablet.session))
    may = still_allowed_of(cast(Any, request), site.pk)
    assert may()
    Tablet.objects.all().delete()
    assert not may()


def test_a_tablet_takes_no_pins_for_a_while_after_twenty_wrong_ones_of_anybody(
    tablet: Client, tina: User, site: Site
) -> None:
    for number in range(5):
        other = person(f"other{number}", Role.TECHNICIAN, site)
        tablets.set_pin(other, PIN)
        for _ in range(4):
            opened(tablet, other, "9999")
    answer = opened(tablet, tina)
    assert answer.status_code == 403 and b"at this tablet" in answer.content


def test_a_form_that_holds_nonsense_is_refused_in_words(tablet: Client, tina: User) -> None:
    assert tablet.post("/accounts/tablet/", {"user": "x" * 40, "pin": PIN}).status_code == 403
    assert tablet.post("/accounts/tablet/", {"user": "9" * 40, "pin": "\0"}).status_code == 403
    client = signed_in("tina")
    for fields in ({"end": "abc"}, {"site": "", "name": "A"}, {"site": "9" * 30, "name": "A"}):
        assert client.post("/accounts/tablets/", fields).status_code == 404, fields
    assert client.post("/accounts/tablets/", {"site": Site.objects.get().pk, "name": "\0"}).status_code == 400


def test_a_service_without_keys_says_so(tablet: Client, tina: User, settings: Any) -> None:
    settings.CREDENTIAL_KEYS = []
    assert b"set another" in opened(tablet, tina).content
    with pytest.raises(tablets.Refused, match="RACKSIDE_CREDENTIAL_KEYS"):
        tablets.set_pin(tina, PIN)


def test_the_history_says_that_it_was_done_with_a_pin(tablet: Client, tina: User) -> None:
    opened(tablet, tina)
    request = RequestFactory().post("/api/tickets/")
    request.user, request.session = tina, tablet.session
    assert request_actor(request).source == "POST /api/tickets/ with a PIN at a shared tablet"


def test_after_five_wrong_ones_a_pin_opens_nothing_until_another_is_set(tablet: Client, tina: User) -> None:
    for left in (4, 3, 2, 1, 0):
        answer = opened(tablet, tina, "9999")
        assert answer.status_code == 403 and (f"{left} more" in answer.content.decode()) == (left > 0)
    assert opened(tablet, tina).status_code == 403
    assert b"tina" not in tablet.get("/accounts/tablet/").content
    tablets.set_pin(tina, "8520")
    assert opened(tablet, tina, "8520").status_code == 302


def test_a_right_one_forgets_the_wrong_ones_before_it(tablet: Client, tina: User) -> None:
    for _ in range(3):
        for _ in range(4):
            opened(tablet, tina, "9999")
        assert opened(tablet, tina).status_code == 302


def test_who_administers_or_has_no_role_there_is_not_on_the_lock_screen(tablet: Client, tina: User, site: Site) -> None:
    reader = person("vera", Role.VIEWER, site)
    tablets.set_pin(reader, PIN)
    root, _ = ensure_user("root", role=Role.ADMIN, password=PASSWORD)
    User.objects.filter(pk=root.pk).update(is_staff=True)
    root.refresh_from_db()
    with pytest.raises(tablets.Refused, match="administers"):
        tablets.set_pin(root, PIN)
    assert opened(tablet, reader).status_code == opened(tablet, root).status_code == 403
    User.objects.filter(pk=tina.pk).update(is_active=False)
    assert opened(tablet, tina).status_code == 403


def test_a_tablet_that_is_shared_no_more_signs_out_who_is_there(tablet: Client, tina: User) -> None:
    opened(tablet, tina)
    desk = signed_in("tina")
    assert b"Aisle A" in desk.get("/accounts/tablets/").content
    desk.post("/accounts/tablets/", {"end": Tablet.objects.get().pk})
    assert tablet.get("/api/me/").status_code == 401
    assert tablet.get("/accounts/login/").status_code == 200, "it is a browser like any other"


def test_only_who_operates_a_site_shares_and_ends_its_tablets(tablet: Client, site: Site) -> None:
    person("mark", Role.TECHNICIAN, site)
    client = signed_in("mark")
    assert b"Aisle A" not in client.get("/accounts/tablets/").content
    assert client.post("/accounts/tablets/", {"site": site.pk, "name": "Mine"}).status_code == 404
    assert client.post("/accounts/tablets/", {"end": Tablet.objects.get().pk}).status_code == 404
    assert Tablet.objects.count() == 1


def test_a_name_is_given_once_at_a_site(tablet: Client, site: Site) -> None:
    client = signed_in("tina")
    answer = client.post("/accounts/tablets/", {"site": site.pk, "name": " Aisle A "})
    assert answer.status_code == 400 and b"already" in answer.content
    assert client.post("/accounts/tablets/", {"site": site.pk, "name": " "}).status_code == 400


def test_a_pin_is_set_by_typing_it_twice_and_removed(tina: User) -> None:
    client = signed_in("tina")
    assert client.post("/accounts/pin/", {"pin": "7350", "again": "7351"}).status_code == 400
    assert client.post("/accounts/pin/", {"pin": "1234", "again": "1234"}).status_code == 400
    before = bytes(Pin.objects.get().secret)
    assert client.post("/accounts/pin/", {"pin": "7350", "again": "7350"}).status_code == 302
    assert bytes(Pin.objects.get().secret) != before
    client.post("/accounts/pin/", {"remove": "1"})
    assert not Pin.objects.exists()


def test_neither_pin_nor_cookie_is_readable_in_the_database_or_its_history(tablet: Client, tina: User) -> None:
    secret = tablet.cookies[tablets.COOKIE].value
    told = str([(entry.rows, entry.about) for entry in AuditEntry.objects.all()]) + Tablet.objects.get().digest
    hidden = bytes(Pin.objects.get().secret)
    assert secret not in told and PIN.encode() not in hidden and not hidden.startswith(b"pbkdf2")
    assert hidden.hex() not in told


def test_keys_are_rotated_with_those_of_the_credentials(tina: User) -> None:
    before = bytes(Pin.objects.get().secret)
    rotate_credentials()
    assert bytes(Pin.objects.get().secret) != before
    assert tablets.open_with(Tablet(site=Site.objects.get()), tina.pk, PIN) == tina


def test_a_second_factor_that_technicians_need_is_the_tablet(tablet: Client, tina: User, settings: Any) -> None:
    settings.SECOND_FACTOR_FROM = "technician"
    opened(tablet, tina)
    assert tablet.get("/api/me/").status_code == 200
