"""Roles: which sites a user sees and what each role allows."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from core.accounts.scope import allows, granted_roles, visible_sites
from core.models import ApiToken, Role, Site, User
from core.openapi.vocabulary import vocabularies
from core.services import ensure_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def sites() -> tuple[Site, Site]:
    return Site.objects.create(slug="north", name="North"), Site.objects.create(slug="south", name="South")


def test_a_role_on_one_site_says_nothing_about_another(sites: tuple[Site, Site]) -> None:
    north, south = sites
    user, _ = ensure_user("tina", role=Role.TECHNICIAN, site=north)
    roles = granted_roles(user)
    assert allows(roles, north.pk, Role.TECHNICIAN) and not allows(roles, north.pk, Role.OPERATOR)
    assert not allows(roles, south.pk, Role.VIEWER)
    assert list(visible_sites(roles)) == [north]


def test_a_role_on_every_site_holds_on_sites_made_later(sites: tuple[Site, Site]) -> None:
    user, _ = ensure_user("olga", role=Role.OPERATOR)
    later = Site.objects.create(slug="later", name="Later")
    assert allows(granted_roles(user), later.pk, Role.OPERATOR)


def test_the_words_of_roles_stand_in_the_order_of_their_rights() -> None:
    """The dashboard compares roles by that order."""
    assert list(vocabularies()["RoleName"]) == sorted(Role, key=lambda role: role.rank)


def test_nobody_and_a_closed_account_have_no_roles(sites: tuple[Site, Site]) -> None:
    user, _ = ensure_user("gone", role=Role.ADMIN)
    user.is_active = False
    assert granted_roles(user) == {} == granted_roles(AnonymousUser())


def test_a_token_never_gives_more_than_its_own_role(sites: tuple[Site, Site]) -> None:
    user, _ = ensure_user("root", role=Role.ADMIN)
    token, _ = ApiToken.objects.create(user=user)
    token.role = Role.VIEWER
    assert not allows(granted_roles(user, token), sites[0].pk, Role.TECHNICIAN)
    token.role = Role.ADMIN
    weak, _ = ensure_user("weak", role=Role.VIEWER)
    token, _ = ApiToken.objects.create(user=weak)
    assert not allows(granted_roles(weak, token), sites[0].pk, Role.TECHNICIAN)


def test_me_lists_roles_and_visible_sites(sites: tuple[Site, Site], client: Client) -> None:
    user, _ = ensure_user("vera", role=Role.VIEWER, site=sites[1])
    client.force_login(user)
    body = client.get("/api/me/").json()
    assert body["roles"] == [{"site": sites[1].pk, "role": "viewer"}]
    assert [site["slug"] for site in body["sites"]] == ["south"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.TECHNICIAN, Role.OPERATOR])
def test_only_an_administrator_of_every_site_manages_users(
    role: Role, sites: tuple[Site, Site], client: Client
) -> None:
    user, _ = ensure_user("someone", role=role)
    client.force_login(user)
    assert client.get("/api/users/").status_code == 403
    local, _ = ensure_user("local", role=Role.ADMIN, site=sites[0])
    client.force_login(local)
    assert client.get("/api/users/").status_code == 403


def test_an_administrator_makes_an_account_that_can_sign_in_and_closes_it_again(client: Client) -> None:
    admin, _ = ensure_user("root", role=Role.ADMIN)
    client.force_login(admin)
    fields = {"username": "newbie", "password": "a-long-enough-1", "grants": [{"site": None, "role": "technician"}]}
    made = client.post("/api/users/", fields, content_type="application/json")
    assert made.status_code == 201 and "password" not in made.json()
    other = Client()
    assert other.login(username="newbie", password="a-long-enough-1")
    assert other.get("/api/me/").json()["roles"] == [{"site": None, "role": "technician"}]
    assert client.delete(f"/api/users/{made.json()['id']}/").status_code == 204
    assert User.objects.get(username="newbie").is_active is False
    assert other.get("/api/me/").status_code in (401, 403)


def test_a_refusal_says_that_it_is_about_the_role(client: Client) -> None:
    user, _ = ensure_user("vera", role=Role.VIEWER)
    client.force_login(user)
    error = client.get("/api/users/").json()["error"]
    assert (error["code"], error["message"]) == ("permission_denied", "Your role does not allow this.")
