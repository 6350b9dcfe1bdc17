"""Messages on their way: over real HTTP and real SMTP, once, and each channel apart from the others."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.instance.state import pause
from tickets.messages import delivery, services
from tickets.messages.models import Channel, Message
from tickets.messages.tests.conftest import Inbox, Receiver, hook, mail
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def message(channel: Channel, ref: str = "change:1", **more: Any) -> Message:
    fields = {"title": "REP-1 P1 opened: GPU 5 is gone", "text": "Xid 79", "priority": "P1", "event": "opened"}
    return Message.objects.create(channel=channel, ref=ref, **(fields | more))


def again(row: Message) -> Message:
    return Message.objects.get(pk=row.pk)


@pytest.mark.parametrize("kind", ["slack", "mattermost", "teams", "ntfy", "webhook"])
def test_a_message_arrives_in_the_form_of_its_channel(receiver: Receiver, kind: str) -> None:
    channel = hook(receiver, kind, "/push/topic")
    row = message(channel)
    assert delivery.send_due(channel.pk) == 1 and delivery.send_due(channel.pk) == 0
    ((path, headers, body),) = receiver.posts
    assert path == ("/push/" if kind == "ntfy" else "/push/topic") and headers["content-type"] == "application/json"
    assert "GPU 5 is gone" in str(body) and again(row).status == "sent" and again(row).sent_at


def test_a_webhook_is_signed_with_the_key_that_was_shown_once(receiver: Receiver) -> None:
    fields = {"name": "signed", "kind": "webhook", "url": receiver.url + "/in"}
    channel, key = services.save_channel(None, fields, by="olga")
    row = message(channel)
    delivery.send_due(channel.pk)
    ((_, headers, body),) = receiver.posts
    given = {name.lower(): value for name, value in headers.items()}
    import orjson

    signed = f"{given['webhook-id']}.{given['webhook-timestamp']}.".encode() + orjson.dumps(body)
    mark = hmac.new(base64.b64decode(key.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    assert given["webhook-signature"] == f"v1,{base64.b64encode(mark).decode()}"
    assert given["webhook-id"] == f"msg_rackside_{row.pk}"


def test_the_address_of_a_hook_is_stored_encrypted_and_stands_in_no_error(settings: Settings) -> None:
    settings.WEBHOOK_LOCAL_ADDRESSES = True
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    channel = hook(Receiver(port), path="/hooks/T0/B0/s3cret?key=k3y")
    assert b"s3cret" not in bytes(channel.secret)
    row = message(channel)
    delivery.send_due(channel.pk)
    assert again(row).error and "s3cret" not in again(row).error and "k3y" not in again(row).error
    assert delivery.without_path("GET /cal/s3cret.ics: no", "https://c.example.org/cal/s3cret.ics") == "GET /…: no"


def test_a_channel_that_fails_is_tried_later_and_given_up_in_the_end(receiver: Receiver) -> None:
    channel = hook(receiver)
    row, second = message(channel), message(channel, "change:2")
    receiver.answers = [(503, "busy")]
    assert delivery.send_due(channel.pk) == 0
    first = again(row)
    assert (first.status, first.attempts, first.error, first.response_status) == ("waiting", 1, "answered 503", 503)
    assert first.next_at > timezone.now() + timedelta(seconds=10)
    assert again(second).attempts == 0, "the next one of a channel that failed is not thrown after it"
    Message.objects.filter(pk=row.pk).update(attempts=7, next_at=timezone.now() - timedelta(hours=1))
    receiver.answers = [(400, "no")]
    delivery.send_due(channel.pk)
    assert again(row).status == "failed"
    services.retry(again(row))
    assert delivery.send_due(channel.pk) == 2 and again(row).status == "sent"


def test_slack_that_says_no_in_words_did_not_take_it(receiver: Receiver) -> None:
    channel = hook(receiver)
    row = message(channel)
    receiver.answers = [(200, "no_service")]
    delivery.send_due(channel.pk)
    assert again(row).status == "waiting" and "no_service" in again(row).error


def test_a_message_whose_worker_was_lost_is_sent_by_the_next_under_the_same_id(receiver: Receiver) -> None:
    channel = hook(receiver, "webhook", "/in")
    row = message(channel)
    assert delivery.WORK.claim(Message.objects.filter(channel=channel))  # and the worker dies
    assert delivery.send_due(channel.pk) == 0, "leased"
    Message.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert delivery.send_due(channel.pk) == 1 and len(receiver.posts) == 1


def test_channels_with_something_due_are_handed_out_each_by_itself(receiver: Receiver) -> None:
    one, two, off = hook(receiver, path="/1"), hook(receiver, path="/2"), hook(receiver, path="/3", active=False)
    for channel in (one, two, off):
        message(channel)
        message(channel, "change:2")
    assert sorted(delivery.WORK.follow()) == [one.pk, two.pk]


def test_an_address_that_nobody_connects_to_is_refused_when_it_is_called(
    receiver: Receiver, settings: Settings
) -> None:
    channel = hook(receiver)
    settings.WEBHOOK_LOCAL_ADDRESSES = False
    row = message(channel)
    delivery.send_due(channel.pk)
    assert receiver.posts == [] and "refused" in again(row).error


# ---- mail ----


def test_mail_arrives_over_smtp_as_one_thread_that_can_be_answered(inbox: Inbox, ticket: Ticket) -> None:
    channel = mail("desk@example.org", "lead@example.org")
    message(channel, ticket=ticket, title="One\nline")
    message(channel, "change:2", ticket=ticket)
    assert delivery.send_due(channel.pk) == 2
    first, second = inbox.mails
    assert first["Subject"] == "One line" and first["To"] == "desk@example.org, lead@example.org"
    assert first["In-Reply-To"] == second["In-Reply-To"] and first["Message-ID"] != second["Message-ID"]
    assert first["Reply-To"].startswith(f"desk+rep-{ticket.number}-") and first["Auto-Submitted"] == "auto-generated"
    assert f"/tickets/{ticket.key}" in first.get_payload()


def test_mail_to_a_server_that_is_away_is_tried_again(settings: Settings, inbox: Inbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        settings.EMAIL_PORT = closed.getsockname()[1]
    channel = mail("desk@example.org")
    row = message(channel)
    delivery.send_due(channel.pk)
    assert again(row).status == "waiting" and "refused" in again(row).error


def test_mail_of_a_paused_instance_is_not_called_sent(inbox: Inbox) -> None:
    pause("restored copy", actor="test")
    channel = mail("desk@example.org")
    row = message(channel)
    delivery.send_due(channel.pk)
    assert inbox.mails == [] and again(row).status == "waiting"
