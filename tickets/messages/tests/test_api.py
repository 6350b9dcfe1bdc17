"""Settings, deliveries and one's own page over the API: who may what, and what never comes back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.models import Role, Site, User
from tickets.messages import delivery, rounds, services
from tickets.messages.models import Channel, Message, MessageRule, Rota
from tickets.messages.rota import calendars
from tickets.messages.tests.conftest import Receiver, hook
from tickets.messages.tests.test_oncall import calendar, event
from tickets.models import Ticket
from tickets.tests.conftest import person

pytestmark = pytest.mark.django_db
HOOK = {"name": "repair chat", "kind": "slack", "url": "https://hooks.example.org/services/T0/B0/s3cret"}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def site() -> Site:
    return Site.objects.create(slug="ams1", name="Amsterdam")


@pytest.fixture
def ada() -> Client:
    return signed_in(person("ada", Role.ADMIN))


def send(client: Client, method: str, path: str, body: Any = None) -> Any:
    return getattr(client, method)(f"/api/{path}", body or {}, content_type="application/json")


def test_the_address_of_a_hook_is_in_no_answer(ada: Client) -> None:
    made = send(ada, "post", "message-channels/", HOOK)
    assert made.status_code == 201 and made.json()["host"] == "hooks.example.org"
    answers = [made, ada.get("/api/message-channels/"), ada.get(f"/api/message-channels/{made.json()['id']}/")]
    assert all("s3cret" not in answer.content.decode() for answer in answers)


def test_a_test_message_is_sent_and_its_delivery_listed(ada: Client, receiver: Receiver) -> None:
    channel = hook(receiver)
    assert send(ada, "post", f"message-channels/{channel.pk}/test/").status_code == 202
    delivery.send_due(channel.pk)
    (row,) = ada.get("/api/messages/").json()["results"]
    assert (row["status"], row["channel_name"], row["key"]) == ("sent", channel.name, "") and len(receiver.posts) == 1


def test_a_failed_message_is_sent_again_by_the_button(ada: Client, receiver: Receiver) -> None:
    channel = hook(receiver)
    row = Message.objects.create(channel=channel, ref="change:1", title="t", status="failed", attempts=8)
    assert send(ada, "post", f"messages/{row.pk}/retry/").json()["status"] == "waiting"
    assert delivery.send_due(channel.pk) == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "a", "kind": "slack"}, "url"),
        ({"name": "a", "kind": "email"}, "recipients"),
        ({"name": "a", "kind": "ntfy", "url": "https://ntfy.example.org/"}, "url"),
        ({"name": "a", "kind": "slack", "url": "http://169.254.169.254/latest"}, "url"),
        ({"name": "a", "kind": "slack", "url": "ftp://x/"}, "url"),
        ({"name": "a", "kind": "pigeon", "url": "https://x.example.org/"}, "kind"),
    ],
)
def test_a_channel_that_could_reach_nobody_is_refused(ada: Client, body: dict[str, Any], field: str) -> None:
    answer = send(ada, "post", "message-channels/", body)
    assert answer.status_code == 400 and field in answer.json()["error"]["fields"]


def test_an_administrator_of_one_site_keeps_that_site_only(site: Site) -> None:
    other = Site.objects.create(slug="osl1", name="Oslo")
    far, _ = services.save_channel(None, HOOK | {"name": "far", "site": other}, by="x")
    everywhere, _ = services.save_channel(None, HOOK | {"name": "all"}, by="x")
    client = signed_in(person("sid", Role.ADMIN, site))
    assert send(client, "post", "message-channels/", HOOK | {"site": site.pk}).status_code == 201
    assert send(client, "post", "message-channels/", HOOK).status_code == 403, "every site"
    assert [row["name"] for row in client.get("/api/message-channels/").json()["results"]] == ["repair chat"]
    for channel in (far, everywhere):
        assert send(client, "patch", f"message-channels/{channel.pk}/", {"active": False}).status_code == 404
        assert send(client, "post", "message-rules/", {"site": site.pk, "channel": far.pk}).status_code == 400
    assert client.get("/api/messages/").json()["count"] == 0


@pytest.mark.parametrize("role", [Role.VIEWER, Role.TECHNICIAN, Role.OPERATOR])
def test_others_see_who_is_on_call_and_no_settings(site: Site, role: str) -> None:
    Rota.objects.create(name="hands", site=site)
    client = signed_in(person("vera", role, site))
    assert client.get("/api/rotas/").json()["count"] == 1
    for path in ("message-channels/", "message-rules/", "escalation-policies/"):
        assert client.get(f"/api/{path}").status_code == 403
    assert send(client, "post", "rotas/", {"name": "x", "url": "https://c.example.org/a.ics"}).status_code == 403


# ---- on call ----


def test_a_calendar_is_read_its_copy_outlives_a_failure_and_says_its_age(
    ada: Client, receiver: Receiver, settings: Settings
) -> None:
    ann = person("ann")
    receiver.pages["/s3cret.ics"] = (
        200, calendar(event("DTSTART:20200101T000000Z", "DTEND:20990101T000000Z", "SUMMARY:ann")),
    )  # fmt: skip
    made = send(ada, "post", "rotas/", {"name": "hands", "url": f"{receiver.url}/s3cret.ics"}).json()
    assert made["status"] == "never" and made["stale"] and "never read" in made["on_call"]["problem"]
    assert calendars.read(made["id"])
    shown = ada.get(f"/api/rotas/{made['id']}/").json()
    assert shown["on_call"]["people"] == [{"id": ann.pk, "name": "Ann"}] and shown["status"] == "ok"
    assert not calendars.read(made["id"]), "not before its period is over"
    for page, status in (((200, "<html>sign in</html>"), "unreadable"), ((503, ""), "unreachable")):
        receiver.pages["/s3cret.ics"] = page
        Rota.objects.update(tried_at=None)
        assert not calendars.read(made["id"])
        shown = ada.get(f"/api/rotas/{made['id']}/").json()
        assert shown["status"] == status and shown["message"] and "s3cret" not in str(shown)
        assert shown["on_call"]["people"] and shown["read_at"], "the last good copy is in use"
    Rota.objects.update(read_at=timezone.now() - timedelta(hours=2))
    assert ada.get(f"/api/rotas/{made['id']}/").json()["stale"]


def test_who_reads_the_old_address_does_not_keep_the_new_one_unread(ada: Client, receiver: Receiver) -> None:
    receiver.pages["/new.ics"] = (200, calendar(event("DTSTART:20200101T000000Z", "DTEND:20990101T000000Z")))
    made = send(ada, "post", "rotas/", {"name": "hands", "url": f"{receiver.url}/old.ics"}).json()
    reader = calendars.WORK.take(made["id"])
    assert reader is not None
    send(ada, "patch", f"rotas/{made['id']}/", {"url": f"{receiver.url}/new.ics"})
    assert not calendars.WORK.finish(reader, tried_at=timezone.now(), status="unreachable")
    assert calendars.read(made["id"])


def test_how_many_statements_the_list_of_rotas_needs_does_not_grow(
    ada: Client, site: Site, django_assert_max_num_queries: Any
) -> None:
    text = calendar(event("DTSTART:20200101T000000Z", "DTEND:20990101T000000Z", "SUMMARY:ada"))
    for n in range(10):
        Rota.objects.create(name=str(n), site=site, calendar=text)
    with django_assert_max_num_queries(12):
        assert ada.get("/api/rotas/").json()["count"] == 10


# ---- escalation ----


def test_levels_are_saved_in_order_and_each_comes_later(ada: Client) -> None:
    channel, _ = services.save_channel(None, HOOK, by="x")
    rota = Rota.objects.create(name="hands")
    levels = [{"after_min": 5, "target": "first", "rota": rota.pk},
              {"after_min": 20, "target": "channel", "channel": channel.pk}]  # fmt: skip
    made = send(ada, "post", "escalation-policies/", {"name": "night", "levels": levels})
    assert made.status_code == 201 and made.json()["active"] is False and len(made.json()["levels"]) == 2
    pk = made.json()["id"]
    on = send(ada, "patch", f"escalation-policies/{pk}/", {"active": True}).json()
    assert on["active_since"] and len(on["levels"]) == 2, "levels that are not named stay"
    for wrong in (list(reversed(levels)), [{"after_min": 5, "target": "first"}]):
        assert send(ada, "patch", f"escalation-policies/{pk}/", {"levels": wrong}).status_code == 400


# ---- one's own ----

MINE = {"timezone": "Europe/Amsterdam", "starts_at": "22:00", "ends_at": "07:00", "p1_breaks": True, "mail": True,
        "ntfy": None, "topic": "", "rules": [{"events": ["opened"], "priorities": ["P1"]}]}  # fmt: skip


def test_a_person_keeps_quiet_hours_and_rules_of_their_own(ticket: Ticket) -> None:
    ann = person("ann")
    client = signed_in(ann)
    saved = send(client, "put", "me/messages/", MINE)
    assert saved.status_code == 200 and saved.json()["rules"][0]["priorities"] == ["P1"]
    assert client.get("/api/me/messages/").json() == saved.json()
    assert MessageRule.objects.filter(channel__owner=ann, channel__active=True).count() == 1
    send(client, "put", "me/messages/", MINE | {"mail": False})
    assert not Channel.objects.filter(owner=ann, active=True).exists()


@pytest.mark.slow
def test_a_topic_of_ntfy_is_one_of_a_server_that_an_administrator_named(
    ticket: Ticket, tina: User, receiver: Receiver
) -> None:
    from tickets import services as desk

    server = hook(receiver, "ntfy", "/team-topic")
    ann = signed_in(person("ann"))
    wanted = MINE | {"mail": False, "ntfy": server.pk, "topic": "anns-phone-77", "starts_at": None, "ends_at": None,
                     "rules": [{}]}  # fmt: skip
    saved = send(ann, "put", "me/messages/", wanted)
    assert saved.status_code == 200 and saved.json()["topic_set"] and "anns-phone" not in saved.content.decode()
    desk.take(ticket.number, by=tina)
    rounds.run()
    (message,) = Message.objects.all()
    delivery.send_due(message.channel_id)
    assert receiver.posts[0][2]["topic"] == "anns-phone-77"
    assert send(ann, "put", "me/messages/", wanted | {"topic": ""}).status_code == 200, "it stays"
    server.seal(f"{server.unsealed()}?auth=new")
    server.save()
    assert send(ann, "put", "me/messages/", wanted | {"topic": ""}).status_code == 200
    assert Channel.objects.get(pk=message.channel_id).unsealed().endswith("/anns-phone-77?auth=new")
    assert send(ann, "put", "me/messages/", wanted | {"ntfy": 99_999}).status_code == 400
    other = signed_in(person("bob"))
    assert send(other, "put", "me/messages/", wanted | {"topic": ""}).status_code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"timezone": "Mars/Olympus"},
        {"ends_at": None},
        {"ends_at": "22:00"},
        {"topic": "x y"},
        {"rules": [{"events": ["x"]}]},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    assert send(signed_in(person("ann")), "put", "me/messages/", MINE | wrong).status_code == 400


def test_a_person_sees_deliveries_of_their_own_channels_only(ticket: Ticket) -> None:
    ann, bob = person("ann"), person("bob")
    for user in (ann, bob):
        services.save_personal(user, {"timezone": "UTC", "starts_at": None, "ends_at": None, "p1_breaks": True,
                                      "mail": True, "ntfy": None, "topic": "", "rules": []})  # fmt: skip
        channel = Channel.objects.get(owner=user, kind="email")
        Message.objects.create(channel=channel, ref="change:1", title=user.username)
    assert [row["title"] for row in signed_in(ann).get("/api/messages/").json()["results"]] == ["ann"]
    assert send(signed_in(ann), "post", f"messages/{Message.objects.get(title='bob').pk}/retry/").status_code == 404


def test_keys_can_be_rotated_and_every_secret_is_still_read(receiver: Receiver, settings: Settings) -> None:
    from cryptography.fernet import Fernet

    channel = hook(receiver, "webhook")
    settings.CREDENTIAL_KEYS = [Fernet.generate_key().decode(), *settings.CREDENTIAL_KEYS]
    assert services.rotate_secrets() == 1
    settings.CREDENTIAL_KEYS = settings.CREDENTIAL_KEYS[:1]
    fresh = Channel.objects.get(pk=channel.pk)
    assert fresh.unsealed().startswith(receiver.url) and fresh.signing().startswith("whsec_")
