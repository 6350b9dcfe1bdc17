"""Whose word counts about where a request comes from."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache

from config.proxies import TrustedProxies, client_of, networks
from tests.test_openapi import connections_kept

TRUSTED = networks(["10.0.0.1", "10.1.0.0/16", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.9.9.9", "1.2.3.4", "10.9.9.9"),  # a neighbour, not a proxy
        ("10.0.0.1", "1.2.3.4", "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),  # what the client wrote stands further left
        ("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.1.7.7", "1.2.3.4"),
        ("10.0.0.1", "1.2.3.4:55123", "1.2.3.4"),
        ("10.0.0.1", "[2001:db8::7]:443", "2001:db8::7"),
        ("::ffff:10.0.0.1", "1.2.3.4", "1.2.3.4"),
        ("fd00::1", "::ffff:1.2.3.4", "1.2.3.4"),
        ("10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1"),
        ("10.0.0.1", "10.1.2.3", "10.1.2.3"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("", "1.2.3.4", ""),
    ],
)
def test_the_right_most_hop_that_is_no_proxy_of_ours_is_the_client(peer: str, forwarded: str, client: str) -> None:
    assert client_of(peer, forwarded, TRUSTED) == client


def test_nobody_is_trusted_by_default(settings: Any) -> None:
    assert settings.TRUSTED_PROXIES == []
    assert client_of("127.0.0.1", "1.2.3.4", networks([])) == "127.0.0.1"


def seen(peer: str, trusted: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        found.update(scope)

    headers = [(b"x-forwarded-for", b"6.6.6.6"), (b"x-real-ip", b"6.6.6.6"), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "client": (peer, 5), "headers": headers}
    asyncio.run(TrustedProxies(app, trusted)(scope, None, None))  # type: ignore[arg-type]
    return found


def test_headers_of_hops_reach_nothing_behind() -> None:
    neighbour, proxied = seen("10.9.9.9", ["10.0.0.1"]), seen("10.0.0.1", ["10.0.0.1"])
    assert (neighbour["client"], proxied["client"]) == (("10.9.9.9", 5), ("6.6.6.6", 5))
    assert not neighbour["headers"], "nor does a neighbour say what was HTTPS"
    assert proxied["headers"] == [(b"x-forwarded-proto", b"https")]


def test_a_setting_that_is_no_network_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="does not appear"):
        TrustedProxies(None, ["proxy.example.org"])


# ---- the whole application ----


def ask(app: Any, method: str, body: bytes = b"", **headers: str) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """One request of the sign-in page over ASGI from 10.9.9.9: what is answered, and its headers."""
    sent: list[Any] = []

    async def run() -> None:
        asked = asyncio.Event()

        async def receive() -> Any:
            if asked.is_set():
                await asyncio.Event().wait()  # the client stays
            asked.set()
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": "/accounts/login/", "query_string": b"", "client": ("10.9.9.9", 5), "server": ("testserver", 80),
            "headers": [(b"host", b"testserver"), *told],
        }  # fmt: skip
        await app(scope, receive, send)

    with connections_kept():
        async_to_sync(run)()
    return b"".join(each.get("body", b"") for each in sent), sent[0]["headers"]


def throttled_after(app: Any, tries: int) -> int | None:
    """Wrong passwords, each of another account and as if from another address; the first try that is refused unread."""
    cache.clear()
    page, headers = ask(app, "GET")
    (cookie,) = [value for name, value in headers if value.startswith(b"csrftoken=")]
    (token,) = re.findall(rb'name="csrfmiddlewaretoken" value="(\w+)"', page)[:1]
    for number in range(1, tries + 1):
        fields = {"login": f"user{number}", "password": "x", "csrfmiddlewaretoken": token.decode()}
        answer, _ = ask(
            app, "POST", urlencode(fields).encode(), cookie=cookie.partition(b";")[0].decode(),
            content_type="application/x-www-form-urlencoded", x_forwarded_for=f"192.0.2.{number}",
        )  # fmt: skip
        if b"Too many" in answer:
            return number
        assert b"not correct" in answer, answer[:500]
    return None


@pytest.mark.django_db
def test_a_neighbour_that_names_another_address_with_each_try_is_throttled_by_his_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RACKSIDE_FREEZE_HEAP", "0")
    from config import asgi

    assert throttled_after(asgi.application, 15) == 11, "ten failed tries in a minute, for one address"
    assert throttled_after(TrustedProxies(asgi.application.app, ["10.9.9.9"]), 15) is None, "a proxy speaks for many"
