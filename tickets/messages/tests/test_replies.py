"""Answers by mail become comments: of whom, on what, with which text and files, and once."""

from __future__ import annotations

import io
from email.message import EmailMessage
from email.mime.base import MIMEBase
from typing import Any

import pytest
from django.test import Client
from PIL import Image
from pytest_django.fixtures import Settings

from core.models import Role, Site, User
from tickets.messages import delivery
from tickets.messages.mail import letters, replies, tokens
from tickets.messages.models import InboundMail, Message
from tickets.messages.tests.conftest import Inbox, mail
from tickets.models import Attachment, Comment, Ticket
from tickets.tests.conftest import person

ANSWER = """The module is warm.
I swap it at two.

Kind regards,
Tina

On Mon, Mar 2, 2026 at 12:01 PM Rackside <desk@example.org> wrote:
> -- Answer above this line to comment on the ticket --
> REP-1 P1 opened: GPU 5 is gone
"""


def answer(ticket: Ticket, text: str = ANSWER, **headers: str) -> EmailMessage:
    letter = EmailMessage()
    given = {
        "From": "Tina <Tina@Example.org>", "Message-ID": "<1@phone>", "Subject": "Re: REP-1",
        "To": f"desk+{tokens.token_of(ticket.number)}@example.org",
    }  # fmt: skip
    for name, value in (given | {name.replace("_", "-"): value for name, value in headers.items()}).items():
        letter[name] = value
    letter.set_content(text)
    return letter


# ---- taken apart ----


@pytest.mark.parametrize(
    "header",
    [
        "tina@example.org <eve@evil.example>",
        "<tina@example.org> <eve@evil.example>",
        "tina@example.org, eve@evil.example",
        "=?utf-8?q?tina=40example=2Eorg?=",
        "Tina <tina>",
        "",
    ],
)
def test_a_sender_that_two_readers_read_differently_is_refused(header: str) -> None:
    raw = f"From: {header}\r\nTo: desk@example.org\r\nSubject: x\r\n\r\nwarm\r\n".encode()
    with pytest.raises(ValueError, match="no sender that can be told"):
        letters.read(raw)


@pytest.mark.parametrize(
    "header",
    [
        "Tina <Tina@Example.org>",
        "tina@example.org",
        '"Tina, the first" <tina@example.org>',
        "Dr. Tina <tina@example.org>",
    ],
)
def test_a_sender_with_a_name_or_without_is_read(header: str) -> None:
    raw = f"From: {header}\r\nTo: desk@example.org\r\nSubject: x\r\n\r\nwarm\r\n".encode()
    assert letters.read(raw).sender == "tina@example.org"


@pytest.mark.parametrize(
    ("body", "new"),
    [
        (ANSWER, "The module is warm.\nI swap it at two."),
        (
            "Ja, getauscht.\n\nAm Mo., 2. März 2026 um 12:01 schrieb Rackside <d@example.org>:\n> alt\n",
            "Ja, getauscht.",
        ),
        ("Done\n\n-----Original Message-----\nFrom: Rackside\nSent: Monday\n\nold\n", "Done"),
        ("Fine\n-- Answer above this line to comment on the ticket --\n\nold", "Fine"),
    ],
)
def test_only_what_is_new_is_kept(body: str, new: str) -> None:
    assert letters.new_text(body) == new


def test_a_page_is_read_as_text_without_what_it_quotes() -> None:
    page = (
        "<html><head><title>x</title></head><body><p>It is <b>warm</b>.</p><blockquote>old</blockquote></body></html>"
    )
    assert letters.text_of_html(page).strip() == "It is warm."


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\x00", b"no headers at all"])
def test_what_is_no_mail_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="sender"):
        letters.read(raw)


# ---- and taken in ----


@pytest.mark.django_db
def test_an_answer_to_a_mail_that_was_sent_is_a_comment_of_its_writer(
    inbox: Inbox, ticket: Ticket, writer: User
) -> None:
    channel = mail("tina@example.org")
    Message.objects.create(channel=channel, ref="change:1", title="opened", ticket=ticket)
    delivery.send_due(channel.pk)
    (sent,) = inbox.mails
    reply = answer(ticket, To=sent["Reply-To"], In_Reply_To=sent["Message-ID"])
    row = replies.receive(reply.as_bytes())
    (comment,) = Comment.objects.filter(ticket=ticket)
    assert row.status == "comment" and comment.author == writer
    assert comment.text == "The module is warm.\nI swap it at two.\n\n(by mail)"


@pytest.mark.django_db
def test_a_program_that_does_not_keep_reply_to_answers_by_the_thread(ticket: Ticket, writer: User) -> None:
    thread = f"<rackside.{tokens.token_of(ticket.number)}.7@example.org>"
    assert replies.receive(answer(ticket, To="desk@example.org", References=thread).as_bytes()).status == "comment"


@pytest.mark.django_db
def test_the_same_mail_twice_is_one_comment(ticket: Ticket, writer: User) -> None:
    raw = answer(ticket).as_bytes()
    assert replies.receive(raw).pk == replies.receive(raw).pk and Comment.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"From": "mallory@example.org"}, "No account"),
        ({"To": "desk+rep-1-0123456789abcdef@example.org"}, "no mail about a ticket"),
        ({"To": "desk@example.org", "Subject": "Re: REP-1"}, "no mail about a ticket"),
        ({"Auto-Submitted": "auto-replied"}, "program"),
        ({"Precedence": "bulk"}, "program"),
    ],
)
def test_what_is_no_answer_of_a_person_is_kept_with_the_reason(
    ticket: Ticket, writer: User, headers: dict[str, str], reason: str
) -> None:
    row = replies.receive(answer(ticket, **headers).as_bytes())
    assert row.status == "refused" and reason in row.reason and not Comment.objects.exists()


@pytest.mark.django_db
def test_the_token_of_one_ticket_opens_no_other(ticket: Ticket, writer: User) -> None:
    token = tokens.token_of(ticket.number).replace(f"rep-{ticket.number}-", f"rep-{ticket.number + 1}-")
    assert tokens.number_in(token) is None and tokens.number_in(tokens.token_of(ticket.number)) == ticket.number


@pytest.mark.django_db
def test_who_may_not_comment_there_does_not_by_mail(ticket: Ticket) -> None:
    vera = person("vera", Role.VIEWER)
    far = person("far", Role.TECHNICIAN, Site.objects.create(slug="osl1", name="Oslo"))
    for user in (vera, far):
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
        raw = answer(ticket, From=f"{user.username}@example.org", Message_ID=f"<{user.username}@x>").as_bytes()
        assert "may not comment" in replies.receive(raw).reason


@pytest.mark.django_db
def test_files_are_attached_cleaned_and_what_is_no_photo_or_paper_is_left_out_by_name(
    ticket: Ticket, writer: User, settings: Settings, tmp_path: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path
    picture = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "JPEG")
    letter = answer(ticket)
    letter.add_attachment(picture.getvalue(), maintype="image", subtype="jpeg", filename="slot 5.jpg")
    letter.add_attachment(b"MZ\x00\x01", maintype="application", subtype="octet-stream", filename="run.exe")
    assert replies.receive(letter.as_bytes()).status == "comment"
    assert [row.filename for row in Attachment.objects.all()] == ["slot 5.jpg"]
    assert "run.exe was left out" in Comment.objects.get().text


def test_an_encoding_that_nobody_has_does_not_lose_the_text() -> None:
    part = MIMEBase("text", "plain", charset="x-nobody")
    part.set_payload("It is warm.")
    part["From"] = "tina@example.org"
    assert letters.read(part.as_bytes()).text == "It is warm."


@pytest.mark.django_db
def test_only_an_administrator_of_every_site_hands_mail_over(ticket: Ticket, writer: User) -> None:
    def post(user: User) -> Any:
        client = Client()
        client.force_login(user)
        body = {"mail": answer(ticket).as_string()}
        return client.post("/api/inbound-mails/", body, content_type="application/json")

    assert post(person("sid", Role.ADMIN, ticket.site)).status_code == 403
    assert post(person("olga", Role.OPERATOR)).status_code == 403
    answered = post(person("ada", Role.ADMIN))
    assert answered.status_code == 200 and answered.json()["status"] == "comment"
    assert InboundMail.objects.count() == 1
