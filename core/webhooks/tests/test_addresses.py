"""Where webhooks do not go."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from core.outgoing.addresses import problem_of_url
from core.webhooks import dispatch, services
from core.webhooks.models import Delivery
from core.webhooks.tests.conftest import Receiver


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "example.org", "http://", "https://user:secret@example.org/", "http://exa mple.org",
        "http://example.org:99999/", "http://[::1", "https://example.org/#part",
    ],
)  # fmt: skip
def test_a_url_that_cannot_be_a_receiver_is_refused(url: str) -> None:
    assert problem_of_url(url)
    assert not problem_of_url("https://hooks.example.org/x?y=1")


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1", "0x7f.1"])
def test_a_name_that_leads_to_this_machine_is_refused_at_the_connection(
    host: str, receiver: Receiver, settings: Any, sites: Any
) -> None:
    settings.WEBHOOK_LOCAL_ADDRESSES = False
    fields = {"name": "sly", "url": receiver.url(host=host), "events": ["*"]}
    made, _ = services.create(fields, by="tests")
    services.ping(made, by="tests")
    dispatch.run()
    row = Delivery.objects.get()
    assert row.status == "pending" and not receiver.heard
    assert "refused: address of this machine itself" in row.error or "not a canonical IPv4 address" in row.error


@pytest.mark.django_db
def test_the_address_that_was_checked_is_the_one_connected_to(
    receiver: Receiver, settings: Any, sites: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that answers with a public address first and with this machine's next gains nothing."""
    settings.WEBHOOK_LOCAL_ADDRESSES = False
    asked: list[str] = []
    real = socket.getaddrinfo

    def lying(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if host != "rebind.test":
            return real(host, port, *args, **more)
        asked.append(host)
        address = "192.0.2.1" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", lying)
    made, _ = services.create(
        {"name": "s", "url": receiver.url(host="rebind.test"), "events": ["*"], "timeout_s": 1}, by="t"
    )
    for _ in range(2):
        services.ping(made, by="tests")
        dispatch.run()
    assert asked and not receiver.heard
    assert "refused: address of this machine itself" in Delivery.objects.order_by("-id")[0].error
