"""Receivers that are real: an HTTP server that keeps what it is posted, and an SMTP server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from pytest_django.fixtures import Settings

from core.models import Site, User
from tickets.messages import services
from tickets.messages.models import Channel
from tickets.tests.conftest import broken, fresh, no_worker, olga, ticket, tina  # noqa: F401  (fixtures)


@dataclass
class Receiver:
    """What a hook was posted: (path, headers, JSON). `answers` are given in turn, then 200."""

    port: int = 0
    posts: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_LOCAL_ADDRESSES = True
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            kept.posts.append((self.path, dict(self.headers), json.loads(self.rfile.read(length))))
            self.say(*(kept.answers.pop(0) if kept.answers else (200, "ok")))

        def do_GET(self) -> None:
            self.say(*kept.pages.get(self.path, (404, "")))

        def say(self, status: int, text: str) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield kept
        server.shutdown()


class Inbox(MessageHandler):
    def __init__(self) -> None:
        super().__init__(EmailMessage)
        self.mails: list[Any] = []

    def handle_message(self, message: Any) -> None:
        self.mails.append(message)


@pytest.fixture
def inbox(settings: Settings) -> Iterator[Inbox]:
    handler = Inbox()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Controller(handler, hostname="127.0.0.1", port=port, ready_timeout=30)
    server.start()
    settings.EMAIL_BACKEND, settings.EMAIL_SENT_BY = (
        "core.mail.UnlessPaused",
        "django.core.mail.backends.smtp.EmailBackend",
    )
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", port, False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.DEFAULT_FROM_EMAIL, settings.MAIL_REPLY_TO = "Rackside <desk@example.org>", "desk@example.org"
    yield handler
    server.stop()


@pytest.fixture
def writer(tina: User) -> User:  # noqa: F811
    tina.email = "tina@example.org"
    tina.save()
    return tina


def hook(receiver: Receiver, kind: str = "slack", path: str = "/hooks/T0/B0/s3cret", **more: Any) -> Channel:
    fields = {"name": f"{kind} {path}", "kind": kind, "url": receiver.url + path, **more}
    channel, _ = services.save_channel(None, fields, by="olga")
    return channel


def mail(*recipients: str, site: Site | None = None) -> Channel:
    fields = {"name": "desk", "kind": "email", "recipients": list(recipients), "site": site}
    return services.save_channel(None, fields, by="olga")[0]
