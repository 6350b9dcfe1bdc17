"""A shared tablet: who opens it with which PIN, what that session may do, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from core.accounts import tablets
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


def test_it_makes_no_tokens_and_changes_no_pin_without_the_password(tablet: Client, tina: User) -> None:
    opened(tablet, tina)
    assert tablet.post("/api/tokens/", {"name": "mine"}, content_type="application/json").status_code == 403
    assert not ApiToken.objects.exists()
    for path in ("/accounts/pin/", "/accounts/tablets/", "/accounts/2fa/totp/activate/"):
        assert tablet.get(path).headers["Location"].startswith("/accounts/reauthenticate/"), path


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
