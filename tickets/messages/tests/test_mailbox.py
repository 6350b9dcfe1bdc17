"""Answers in a mailbox: read from a real IMAP server, once, and what cannot be taken in is left for a person."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from imapclient import FLAGGED, SEEN, IMAPClient
from imapclient.exceptions import IMAPClientError
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from core.instance import state
from core.models import Role, User
from tickets.messages import tasks
from tickets.messages.mail import letters, mailbox, replies
from tickets.messages.models import InboundMail
from tickets.messages.tests.test_replies import answer
from tickets.models import Comment, Ticket
from tickets.tests.conftest import person

DOVECOT = """
base_dir = {folder}/run
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{folder}/mail
passdb {{
  driver = static
  args = password=s3c%ret
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={folder}/mail
}}
namespace inbox {{
  inbox = yes
  separator = /
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
}}
service anvil {{
  chroot =
}}
"""


@dataclass
class Server:
    port: int
    url: str

    def client(self) -> IMAPClient:
        client = IMAPClient("127.0.0.1", self.port, ssl=False)
        client.login("desk@example.org", "s3c%ret")
        return client

    def put(self, *mails: bytes, folder: str = "INBOX") -> None:
        with self.client() as client:
            if not client.folder_exists(folder):
                client.create_folder(folder)
            for mail in mails:
                client.append(folder, mail)

    def flags(self, folder: str = "INBOX") -> list[set[bytes]]:
        """Of each mail, without whether it is new to this connection."""
        with self.client() as client:
            client.select_folder(folder, readonly=True)
            found = client.get_flags(client.search())
        return [set(found[number]) - {rb"\Recent"} for number in sorted(found)]


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="dovecot-"))
    folder.chmod(0o755)
    (folder / "mail").mkdir()
    shutil.chown(folder / "mail", "nobody", "nogroup")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = folder / "dovecot.conf"
    settings.write_text(DOVECOT.format(folder=folder, port=port).replace("s3c%ret", "s3c%%ret"))
    process = subprocess.Popen(["/usr/sbin/dovecot", "-F", "-c", str(settings)], env={"PATH": os.environ["PATH"]})
    server = Server(port, f"imap://desk%40example.org:s3c%25ret@127.0.0.1:{port}")
    try:
        ends = time.monotonic() + 20
        while not _answers(port):
            assert time.monotonic() < ends, (folder / "log").read_text()
            time.sleep(0.02)
        yield server
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            return connection.recv(4) == b"* OK"
    except OSError:
        return False


@pytest.fixture
def desk(dovecot: Server, settings: Settings) -> Iterator[Server]:
    settings.MAIL_IMAP_URL = dovecot.url
    cache.delete(mailbox.STATE)
    yield dovecot
    with dovecot.client() as client:
        client.select_folder("INBOX")
        client.delete_messages(client.search())
        client.expunge()
    cache.delete(mailbox.STATE)


def test_an_answer_in_the_mailbox_becomes_a_comment_once(desk: Server, ticket: Ticket, writer: User) -> None:
    desk.put(answer(ticket).as_bytes())
    assert mailbox.fetch() == 1
    assert mailbox.fetch() == 0
    [comment] = Comment.objects.filter(ticket=ticket, author=writer)
    assert comment.text.startswith("The module is warm.")
    assert desk.flags() == [{SEEN}]
    assert mailbox.standing().read_at is not None
    assert mailbox.standing().message == ""


def test_what_was_read_elsewhere_is_left_alone(desk: Server, ticket: Ticket, writer: User) -> None:
    desk.put(answer(ticket).as_bytes())
    with desk.client() as client:
        client.select_folder("INBOX")
        client.add_flags(client.search(), [SEEN])
    assert mailbox.fetch() == 0


def test_a_refused_answer_is_seen_and_its_reason_is_kept(desk: Server, ticket: Ticket) -> None:
    desk.put(answer(ticket, From="eve@example.org").as_bytes())
    assert mailbox.fetch() == 1
    assert InboundMail.objects.get().reason == "No account has this address."
    assert desk.flags() == [{SEEN}]


def test_what_is_no_mail_is_flagged_for_a_person_and_holds_up_no_other(
    desk: Server, ticket: Ticket, writer: User
) -> None:
    desk.put(b"Subject: no sender\r\n\r\nhello\r\n", answer(ticket).as_bytes())
    assert mailbox.fetch() == 1
    assert mailbox.fetch() == 0
    assert desk.flags() == [{FLAGGED}, {SEEN}]


def test_a_mail_that_is_too_large_is_not_fetched(
    desk: Server, ticket: Ticket, writer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters, "MOST_BYTES", 100)
    desk.put(answer(ticket).as_bytes())
    assert mailbox.fetch() == 0
    assert desk.flags() == [{FLAGGED}]


def test_a_mail_that_the_server_cannot_hand_over_holds_up_no_other(
    desk: Server, ticket: Ticket, writer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over = IMAPClient.fetch

    def broken_first(self: IMAPClient, numbers: list[int], what: list[str]) -> Any:
        if what == ["BODY.PEEK[]"] and numbers == broken:
            raise IMAPClientError("NO [SERVERBUG] internal error")
        return handed_over(self, numbers, what)

    desk.put(answer(ticket).as_bytes(), answer(ticket, Message_ID="<2@phone>").as_bytes())
    with desk.client() as client:
        client.select_folder("INBOX", readonly=True)
        broken = client.search()[:1]
    monkeypatch.setattr(IMAPClient, "fetch", broken_first)
    assert mailbox.fetch() == 1
    monkeypatch.undo()
    assert desk.flags() == [{FLAGGED}, {SEEN}]


def test_a_mail_stays_as_it_is_while_the_database_is_away(
    desk: Server, ticket: Ticket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(raw: bytes) -> InboundMail:
        raise OperationalError

    monkeypatch.setattr(replies, "receive", away)
    desk.put(answer(ticket).as_bytes())
    with pytest.raises(OperationalError):
        mailbox.fetch()
    assert desk.flags() == [set()]


def test_another_folder_is_read_where_the_address_names_one(
    desk: Server, ticket: Ticket, writer: User, settings: Settings
) -> None:
    settings.MAIL_IMAP_URL = f"{desk.url}/Desk/Answers%202"
    desk.put(answer(ticket).as_bytes(), folder="Desk/Answers 2")
    assert mailbox.fetch() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("imap://desk%40example.org:wrong@127.0.0.1:{port}", "AUTHENTICATIONFAILED"),
        ("imap://desk%40example.org:s3c%25ret@127.0.0.1:1", "refused"),
        ("imap://desk%40example.org:s3c%25ret@127.0.0.1:{port}/Nothing", "doesn't exist"),
        ("imap+tls://desk%40example.org:s3c%25ret@127.0.0.1:{port}", "could not be read"),
        ("https://desk:s3c%25ret@mail", "it begins with none of imaps://"),
        ("imaps://mail.example.org/INBOX", "it needs a user, a password and a host"),
        ("imaps://desk:s3c%25ret@mail:port/INBOX", "its host or port cannot be read"),
        ("imaps://desk:s3c%C3%A9ret@mail/INBOX", "in ASCII letters only"),
    ],
)
def test_a_mailbox_that_cannot_be_read_says_why_and_shows_no_password(
    desk: Server, settings: Settings, wrong: str, told: str
) -> None:
    settings.MAIL_IMAP_URL = wrong.format(port=desk.port)
    assert mailbox.fetch() == 0
    client = APIClient()
    client.force_authenticate(person("adam", Role.ADMIN))
    answered = client.get("/api/inbound-mails/mailbox/").json()
    assert told in answered["message"]
    assert "s3c" not in answered["message"]
    assert answered["read_at"] is None
    assert answered["tried_at"]


def test_a_copy_leaves_the_mail_to_the_original(desk: Server, ticket: Ticket, writer: User) -> None:
    desk.put(answer(ticket).as_bytes())
    state.pause("a copy", actor="test")
    tasks.fetch_mail()
    assert desk.flags() == [set()]
    assert mailbox.standing() == mailbox.Standing(host="127.0.0.1")
