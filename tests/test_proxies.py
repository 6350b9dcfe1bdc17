"""Whose word counts about where a request comes from."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from config.proxies import TrustedProxies, client_of, networks

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
