"""A real receiver on a real port, and hooks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.db import transaction

from core.models import Role, Site
from core.services import ensure_user
from core.webhooks import services
from core.webhooks.models import Webhook
from live import events


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers by path: /ok 200, /fail 500, /hang late, /redirect to /ok, /gone 410, /busy 503 with Retry-After."""

    port: int = 0
    heard: list[Request] = field(default_factory=list)
    broken: bool = False
    most_at_once: int = 0
    now: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str = "/ok", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.heard]


class Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def do_POST(self) -> None:
        receiver = self.receiver
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with receiver.lock:
            receiver.heard.append(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            receiver.now += 1
            receiver.most_at_once = max(receiver.most_at_once, receiver.now)
        try:
            self.answer()
        except OSError:
            pass  # the client gave up waiting
        finally:
            with receiver.lock:
                receiver.now -= 1

    def do_GET(self) -> None:
        raise AssertionError("a redirect was followed")

    def answer(self) -> None:
        status = {"/fail": 500, "/redirect": 302, "/gone": 410, "/busy": 503}.get(self.path, 200)
        if self.receiver.broken:
            status = 500
        if self.path == "/hang":
            time.sleep(3)
        self.send_response(status)
        if self.path == "/redirect":
            self.send_header("Location", self.receiver.url("/ok"))
        if self.path == "/busy":
            self.send_header("Retry-After", "3600")
        text = b"x" * 5000 if self.path == "/chatty" else b"thanks"
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        return


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # of five, some connections of a burst would wait a second
    daemon_threads = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    state = Receiver()
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"receiver": state}))
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def local_receivers_allowed(settings: Any) -> None:
    settings.WEBHOOK_LOCAL_ADDRESSES = True


@pytest.fixture
def sites(db: Any) -> tuple[Site, Site]:
    return Site.objects.create(slug="north", name="North"), Site.objects.create(slug="south", name="South")


@pytest.fixture
def hook(sites: tuple[Site, Site], receiver: Receiver) -> Callable[..., Webhook]:
    """`hook("/ok", site=None)`: a hook on the receiver that hears everything unless told otherwise."""

    def make(path: str = "/ok", **fields: Any) -> Webhook:
        given = {"name": f"hook {Webhook.objects.count()}", "url": receiver.url(path), "events": ["*"], "timeout_s": 1}
        made, plain = services.create({**given, **fields}, by="tests")
        made.plain = plain  # type: ignore[attr-defined]
        return made

    return make


@pytest.fixture
def happens(sites: tuple[Site, Site]) -> Callable[..., Any]:
    """`happens("ticket.changed", site)`: an event, committed or in the test's transaction."""

    def emit(kind: str = "machine.changed", site: Site | None = None, **data: Any) -> Any:
        with transaction.atomic():
            return events.emit(kind, site_id=(site or sites[0]).pk, subject="machine:1", data=data, actor="tina")

    return emit


@pytest.fixture
def admin(db: Any) -> Any:
    return ensure_user("root", role=Role.ADMIN)[0]
