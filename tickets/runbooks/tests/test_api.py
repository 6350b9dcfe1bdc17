"""Routes of runbooks: edited by operators of a site, refused with place and reason, in versions with their history."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Role, Site, User
from tickets.models import RunbookVersion
from tickets.runbooks import services
from tickets.runbooks.document import plain
from tickets.runbooks.shipped import shipped
from tickets.tests.conftest import person
from tickets.tests.test_api import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(db: None) -> Site:
    return Site.objects.create(name="Amsterdam", slug="ams1")


def ask(user: User, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    call = getattr(client_of(user), method)
    return call(f"/api/{path}", body, "application/json") if body is not None else call(f"/api/{path}")


def changed(**more: Any) -> dict[str, Any]:
    return plain(shipped()["swap-psu"]) | more


def test_a_site_begins_with_what_is_shipped(site: Site, tina: User) -> None:
    rows = {row["slug"]: row for row in ask(tina, "get", f"runbooks/?site={site.pk}").json()["results"]}
    assert set(rows) == set(shipped()) and not RunbookVersion.objects.exists(), "reading writes nothing"
    row = ask(tina, "get", f"runbooks/swap-psu/?site={site.pk}").json()
    assert row["origin"] == "shipped" and row["number"] is None and row["document"] == changed() and row["shipped"]
    assert ask(tina, "get", "runbooks/of-nobody/").status_code == 404


def test_a_draft_is_published_compared_and_taken_back(site: Site, olga: User) -> None:
    draft = ask(olga, "put", "runbooks/swap-psu/draft/", {"site": site.pk, "document": {"title": "half"}, "version": 0})
    assert draft.status_code == 200, "a draft may be wrong still"
    seen = draft.json()["draft"]["version"]
    late = ask(olga, "put", "runbooks/swap-psu/draft/", {"site": site.pk, "document": {}, "version": 0})
    assert late.status_code == 409 and late.json()["error"]["current"]["draft"]["document"] == {"title": "half"}
    wrong = {"site": site.pk, "document": changed(safety="{{ nobody }}"), "note": "x"}
    refused = ask(olga, "post", "runbooks/swap-psu/publish/", wrong)
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"]["document"][0].startswith("safety line 1, column 1: 'nobody' is no word")
    body = {"site": site.pk, "document": changed(minutes=12), "note": "We are quicker", "draft": seen, "number": 0}
    found = ask(olga, "post", "runbooks/swap-psu/publish/", body)
    assert found.status_code == 201, found.content
    row = found.json()
    assert (row["origin"], row["number"], row["draft"]) == ("site", 2, None)
    assert [(each["number"], each["origin"]) for each in row["versions"]] == [(2, "site"), (1, "shipped")]
    newest, first = (each["id"] for each in row["versions"])
    shown = ask(olga, "get", f"runbook-versions/{newest}/").json()
    assert shown["differences"] == [{"place": "minutes", "before": "20", "after": "12"}]
    assert ask(olga, "get", f"runbook-versions/{newest}/?against={first}").json()["differences"] == shown["differences"]
    same = ask(olga, "post", "runbooks/swap-psu/publish/", body | {"draft": 0, "number": 2})
    assert same.status_code == 409 and same.json()["error"]["code"] == "refused"
    back = ask(olga, "post", "runbooks/swap-psu/restore/", {"site": site.pk, "note": "As the vendor says"})
    assert back.status_code == 201 and back.json()["number"] == 3 and back.json()["origin"] == "shipped"
    assert back.json()["document"] == changed()
    again = ask(olga, "post", "runbooks/swap-psu/restore/", {"site": site.pk, "note": "x"})
    assert again.status_code == 409


@pytest.mark.parametrize("action", ["publish", "restore", "drop-draft"])
def test_the_draft_of_somebody_else_is_not_ended_unread(action: str, site: Site, olga: User) -> None:
    services.publish(site.pk, "swap-psu", changed(minutes=12), note="x", by=olga)
    theirs = services.save_draft(site.pk, "swap-psu", {"title": "of another"}, version=0, by=olga).version
    more: dict[str, dict[str, Any]] = {
        "publish": {"document": changed(minutes=9), "note": "x"},
        "restore": {"note": "x"},
    }
    body: dict[str, Any] = {"site": site.pk, **more.get(action, {})}
    for seen in (0, theirs + 7):
        refused = ask(olga, "post", f"runbooks/swap-psu/{action}/", body | {"draft": seen})
        assert refused.status_code == 409 and "olga saved a draft" in refused.json()["error"]["message"]
        assert refused.json()["error"]["current"]["draft"]["document"] == {"title": "of another"}
    assert ask(olga, "post", f"runbooks/swap-psu/{action}/", body | {"draft": theirs}).status_code in (201, 204)


def test_who_read_a_draft_that_was_discarded_does_not_end_the_next_one(
    site: Site, olga: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = services.save_draft(site.pk, "swap-psu", {"title": "first"}, version=0, by=olga)
    services.drop_draft(site.pk, "swap-psu", version=first.version)
    later = timezone.now() + timedelta(minutes=1)
    monkeypatch.setattr(services, "timezone", SimpleNamespace(now=lambda: later))
    services.save_draft(site.pk, "swap-psu", {"title": "second"}, version=0, by=olga)
    late = ask(olga, "put", "runbooks/swap-psu/draft/", {"site": site.pk, "document": {}, "version": first.version})
    assert late.status_code == 409 and late.json()["error"]["current"]["draft"]["document"] == {"title": "second"}


def test_a_version_that_was_published_meanwhile_is_not_replaced_unread(site: Site, olga: User) -> None:
    body = {"site": site.pk, "document": changed(minutes=12), "note": "x", "number": 0}
    assert ask(olga, "post", "runbooks/swap-psu/publish/", body).status_code == 201
    late = ask(olga, "post", "runbooks/swap-psu/publish/", body | {"document": changed(minutes=9)})
    assert late.status_code == 409 and late.json()["error"]["current"]["number"] == 2
    del body["number"]
    body["document"] = changed(minutes=9)
    assert ask(olga, "post", "runbooks/swap-psu/publish/", body).status_code == 201, "who does not ask replaces any"


def test_what_rackside_ships_anew_reaches_a_site_that_did_not_change_it(site: Site, olga: User) -> None:
    old = services.newest(site.pk, "swap-fan")
    assert old is not None and old.number == 1 and services.newest(site.pk, "swap-fan") == old
    RunbookVersion.objects.filter(pk=old.pk).update(digest="of an older release")
    new = services.newest(site.pk, "swap-fan")
    assert new is not None and new.number == 2 and new.origin == "shipped"
    services.publish(site.pk, "swap-fan", plain(shipped()["swap-fan"]) | {"minutes": 3}, note="x", by=olga)
    RunbookVersion.objects.filter(number=3).update(digest="ours")
    kept = services.newest(site.pk, "swap-fan")
    assert kept is not None and kept.number == 3, "a site's own text stays"


def test_a_site_writes_a_runbook_of_its_own_and_chooses_it(site: Site, olga: User, tina: User) -> None:
    choice = {"site": site.pk, "fault_class": "fan.failed", "slug": "our-fans"}
    refused = ask(olga, "post", "runbook-choices/", choice)
    assert refused.status_code == 400 and "not published" in refused.json()["error"]["fields"]["slug"][0]
    ask(
        olga,
        "post",
        "runbooks/our-fans/publish/",
        {"site": site.pk, "document": changed(title="Our fans"), "note": "n"},
    )
    row = ask(olga, "post", "runbook-choices/", choice)
    assert row.status_code == 201
    assert ask(olga, "post", "runbook-choices/", choice).json()["id"] == row.json()["id"], "a second replaces the first"
    assert ask(tina, "get", f"runbook-choices/?site={site.pk}").json()["count"] == 1
    assert ask(tina, "delete", f"runbook-choices/{row.json()['id']}/").status_code == 403
    assert ask(olga, "delete", f"runbook-choices/{row.json()['id']}/").status_code == 204


def test_only_operators_of_the_site_edit(site: Site, tina: User) -> None:
    elsewhere = person("oskar", Role.OPERATOR, Site.objects.create(name="Oslo", slug="osl1"))
    bodies: dict[str, dict[str, Any]] = {
        "draft": {"document": {}, "version": 0}, "publish": {"document": changed(minutes=1), "note": "x"},
        "restore": {"note": "x"}, "drop-draft": {},
    }  # fmt: skip
    for action, body in bodies.items():
        method = "put" if action == "draft" else "post"
        path = f"runbooks/swap-psu/{action}/"
        assert ask(tina, method, path, {"site": site.pk, **body}).status_code == 403, action
        assert ask(elsewhere, method, path, {"site": site.pk, **body}).status_code == 400, action
    assert ask(elsewhere, "get", f"runbooks/?site={site.pk}").status_code == 400
    version = services.newest(site.pk, "swap-psu")
    assert version is not None
    assert ask(elsewhere, "get", f"runbook-versions/{version.pk}/").status_code == 404


def test_a_preview_shows_the_text_for_a_state_and_what_is_wrong(site: Site, olga: User, tina: User) -> None:
    document = plain(shipped()["swap-gpu"])
    shown = ask(olga, "post", "runbooks/preview/", {"document": document, "states": {"off": True}}).json()
    assert shown["problems"] == [] and "It was seen off." in shown["steps"][0]["html"]
    shown = ask(olga, "post", "runbooks/preview/", {"document": document}).json()
    assert "not seen off yet" in shown["steps"][0]["html"], "not known is not off"
    document["steps"][0]["text"] = "<script>{{ x }}"
    shown = ask(olga, "post", "runbooks/preview/", {"document": document}).json()
    assert shown["problems"][0]["place"] == "steps.1.text line 1, column 9" and shown["steps"] == []
    assert ask(olga, "get", "runbooks/language/").json()["states"]
    assert ask(tina, "post", "runbooks/preview/", {"document": document}).status_code == 403, "who edits previews"


def test_the_database_keeps_one_version_a_number(site: Site) -> None:
    row = services.newest(site.pk, "swap-psu")
    assert row is not None
    row.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
