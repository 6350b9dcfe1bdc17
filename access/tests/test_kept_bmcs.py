"""Clients of BMCs that stay open between two rounds: used while they live, renewed without a word when they do not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from access.bmc import BmcFailureKind, BmcResult, KeptBmc, ask, kept_bmc
from access.queries import BmcTarget
from core.outgoing.gate import Gate
from drivers.redfish_connection import RedfishConnection
from drivers.tests.bmc import FakeBmc, self_signed, serving

pytestmark = pytest.mark.asyncio
HERE = Gate(local=True)


@asynccontextmanager
async def room(most: int = 8) -> AsyncIterator[KeptBmc]:
    kept = kept_bmc(most)
    try:
        yield kept
    finally:
        await kept.close_all()


def target(port: int, pinned: bytes | None, **changes: Any) -> BmcTarget:
    return replace(BmcTarget(1, "node", "127.0.0.1", port, "root", "secret", pinned, HERE), **changes)


async def asked(where: BmcTarget, kept: KeptBmc, **changes: Any) -> BmcResult:
    options: dict[str, Any] = {"timeout_s": 2, "total_s": 5, "kept": kept}
    return await ask(where, **(options | changes))


@pytest.fixture
def handshakes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each client that was opened."""
    seen: list[str] = []
    opened = RedfishConnection.open

    async def counted(self: RedfishConnection) -> None:
        seen.append(self.base_url)
        await opened(self)

    monkeypatch.setattr(RedfishConnection, "open", counted)
    return seen


async def test_the_second_round_asks_over_the_connection_of_the_first_and_less(
    tmp_path: Path, handshakes: list[str]
) -> None:
    pem, digest = self_signed(tmp_path)
    fake = FakeBmc()
    async with serving(fake, pem) as port, room() as kept:
        first = await asked(target(port, None), kept)
        asked_first = len(fake.requests)
        again = await asked(target(port, digest), kept)
        assert first.fingerprint == digest and again.answers == first.answers
        assert len(handshakes) == 1 and len(fake.requests) - asked_first < asked_first
        assert len(kept) == 1


async def test_another_state_of_the_machine_shows_over_the_kept_connection(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    fake = FakeBmc()
    async with serving(fake, pem) as port, room() as kept:
        await asked(target(port, digest), kept)
        fake.power = "On"
        answers = (await asked(target(port, digest), kept)).answers
        assert answers is not None and answers.system["PowerState"] == "On"


async def test_a_bmc_that_started_again_is_asked_anew_who_it_is(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    fake = FakeBmc()
    async with room() as kept:
        async with serving(fake, pem) as port:
            await asked(target(port, digest), kept)
        other = FakeBmc(serial="NEW0001")
        async with serving(other, pem, port) as port:
            result = await asked(target(port, digest), kept)
        assert result.answers is not None and result.answers.system["SKU"] == "NEW0001"
        assert "/redfish/v1/" in [path for _, path, _ in other.requests]


async def test_another_certificate_behind_a_kept_client_is_refused_before_the_password_is_sent(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    async with room() as kept:
        async with serving(FakeBmc(), pem) as port:
            await asked(target(port, digest), kept)
        stranger, (other, _) = FakeBmc(), self_signed(tmp_path, "other")
        async with serving(stranger, other, port) as port:
            result = await asked(target(port, digest), kept)
        assert result.failure is not None and result.failure.kind is BmcFailureKind.CERTIFICATE_CHANGED
        assert stranger.requests == [] and len(kept) == 0


async def test_a_bmc_that_is_gone_is_told_as_one_that_was_never_connected(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    async with room() as kept:
        async with serving(FakeBmc(), pem) as port:
            await asked(target(port, digest), kept)
        result = await asked(target(port, digest), kept)
        assert result.failure is not None and result.failure.kind is BmcFailureKind.UNREACHABLE


async def test_a_password_that_is_refused_is_not_tried_twice(tmp_path: Path, handshakes: list[str]) -> None:
    """BMCs lock an account out after a few."""
    pem, digest = self_signed(tmp_path)
    async with serving(FakeBmc(), pem) as port, room() as kept:
        await asked(target(port, digest), kept)
        result = await asked(target(port, digest, password="wrong"), kept)
        assert result.failure is not None and result.failure.kind is BmcFailureKind.AUTH_DENIED
        assert len(handshakes) == 2, "another password is another client, and it is asked once"


async def test_a_gate_that_was_closed_meanwhile_is_asked_again(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    async with serving(FakeBmc(), pem) as port, room() as kept:
        await asked(target(port, digest), kept)
        result = await asked(target(port, digest, gate=Gate(refusal="not for this host")), kept)
        assert result.answers is None and "not for this host" in str(result.failure)


async def test_a_session_of_a_bmc_is_not_kept(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    fake = FakeBmc(basic=False)
    async with serving(fake, pem) as port, room() as kept:
        assert (await asked(target(port, digest), kept)).answers is not None
        assert len(kept) == 0 and fake.sessions == 0


async def test_a_bmc_that_hangs_on_a_kept_connection_is_waited_for_no_longer_than_its_time(tmp_path: Path) -> None:
    pem, digest = self_signed(tmp_path)
    fake = FakeBmc()
    async with serving(fake, pem) as port, room() as kept:
        await asked(target(port, digest), kept)
        fake.slow_s = 3.0
        began = asyncio.get_running_loop().time()
        result = await asked(target(port, digest), kept, timeout_s=0.3, total_s=1.0)
        assert result.timed_out and asyncio.get_running_loop().time() - began < 2.9 and len(kept) == 0
