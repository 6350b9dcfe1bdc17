"""Sessions that share what takes time to build, and nothing else: no agent is asked with the keys of another, and none
disturbs what is asked of another."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pysnmp.smi.error import NoSuchInstanceError

from drivers.meters import snmp_engines
from drivers.meters.snmp import AccessRefused, Community, NoAnswer, SnmpError, SnmpSession, SnmpUser
from facility.tests import agents
from facility.tests.agents import PASSWORD, PRIVACY, USER, Engine

SYSTEM = "1.3.6.1.2.1.1"
RIGHT = SnmpUser(USER, PASSWORD, PRIVACY, context="one")
WRONG = SnmpUser(USER, "another-password", PRIVACY, context="one")
OTHER = SnmpUser(USER, "authpass-of-two", "privpass-of-two", context="two")
"""The same name at another agent."""
SAME_ID = "80004fb805636c6f6e65"
"""Some PDUs leave the factory with one engine id for all."""


def rows(name: str) -> agents.Rows:
    return {agents.DESCR: name, agents.OBJECT_ID: "1.3.6.1.4.1.318.1.3.4.6", agents.UPTIME: 1}


@pytest.fixture(scope="module")
def one() -> Iterator[int]:
    with agents.agent({"one": rows("one")}, Engine(name=SAME_ID, boots=900)) as port:
        yield port


@pytest.fixture(scope="module")
def two() -> Iterator[int]:
    with agents.agent({"two": rows("two")}, Engine(OTHER.password, OTHER.privacy)) as port:
        yield port


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whose tables were built."""
    found: list[str] = []
    real = snmp_engines._built

    def build(login: Community | SnmpUser) -> Any:
        found.append(login.name)
        return real(login)

    monkeypatch.setattr(snmp_engines, "_built", build)
    return found


async def said(port: int, access: Community | SnmpUser, timeout_s: float = 2.0) -> str:
    """What an agent says of itself, or the kind of its refusal."""
    try:
        async with SnmpSession("127.0.0.1", access, port=port, timeout_s=timeout_s) as session:
            told = await session.walk(SYSTEM)
    except SnmpError as error:
        return type(error).__name__
    return str(told[0].value)


def in_turn(*asked: Callable[[], Awaitable[str]]) -> list[str]:
    """One after the other in one event loop."""

    async def ask() -> list[str]:
        return [await each() for each in asked]

    return asyncio.run(ask())


def at_once(*asked: Callable[[], Awaitable[str]]) -> list[str]:
    async def ask() -> list[str]:
        return list(await asyncio.gather(*(each() for each in asked)))

    return asyncio.run(ask())


REFUSED = (AccessRefused.__name__, NoAnswer.__name__)


def test_a_wrong_password_after_the_right_one_is_refused_and_spoils_nothing(one: int) -> None:
    first, wrong, again = in_turn(lambda: said(one, RIGHT), lambda: said(one, WRONG, 0.4), lambda: said(one, RIGHT))
    assert (first, again) == ("one", "one") and wrong in REFUSED


@pytest.mark.parametrize("run", [in_turn, at_once])
def test_the_same_user_name_has_other_passwords_at_another_agent(one: int, two: int, run: Callable[..., Any]) -> None:
    right = [lambda: said(one, RIGHT), lambda: said(two, OTHER)]
    asked = [*right, lambda: said(one, OTHER, 0.4), lambda: said(two, RIGHT, 0.4), *right]
    found = run(*asked)
    assert [*found[:2], *found[4:]] == ["one", "two"] * 2
    assert found[2] in REFUSED and found[3] in REFUSED


def test_a_wrong_privacy_password_beside_the_right_one_reads_nothing(one: int) -> None:
    wrong = SnmpUser(USER, PASSWORD, "another-password", context="one")
    found = at_once(*[lambda: said(one, RIGHT), lambda: said(one, wrong, 0.4)] * 3)
    assert found[::2] == ["one"] * 3 and all(each in REFUSED for each in found[1::2])


def test_agents_with_one_engine_id_and_clocks_apart_are_read_side_by_side(one: int) -> None:
    with agents.agent({"one": rows("clone")}, Engine(name=SAME_ID, boots=2)) as clone:
        found = at_once(*[lambda: said(one, RIGHT), lambda: said(clone, RIGHT)] * 4)
    assert found == ["one", "clone"] * 4


@pytest.mark.parametrize(
    "later", [Engine(name=SAME_ID, boots=41), Engine(name=SAME_ID, boots=1), Engine(name="80004fb8056e6577")],
    ids=["started again", "forgot its boots", "another engine"],
)  # fmt: skip
def test_an_agent_that_began_anew_is_read_in_the_same_event_loop(later: Engine) -> None:
    async def ask() -> list[str]:
        with agents.agent({"one": rows("before")}, Engine(name=SAME_ID, boots=40)) as port:
            found = [await said(port, RIGHT)]
        with agents.agent({"one": rows("after")}, later, port):
            return [*found, await said(port, RIGHT)]

    assert asyncio.run(ask()) == ["before", "after"]


async def replaced(before: Engine, after: Engine) -> list[str]:
    """What a session that is open reads of an agent that is replaced by another."""
    with agents.agent({"one": rows("before")}, before) as port:
        session = SnmpSession("127.0.0.1", RIGHT, port=port, timeout_s=1)
        await session.__aenter__()
        found = [(await session.identity()).description]
    try:
        with agents.agent({"one": rows("after")}, after, port):
            return [*found, (await session.identity()).description]
    finally:
        await session.__aexit__()


def test_an_agent_that_starts_again_in_the_middle_of_a_session_is_read_on() -> None:
    found = asyncio.run(replaced(Engine(name=SAME_ID, boots=40), Engine(name=SAME_ID, boots=41)))
    assert found == ["before", "after"]


def test_an_agent_that_becomes_another_in_the_middle_of_a_session_ends_it_without_blame_of_the_login() -> None:
    with pytest.raises(NoAnswer):
        asyncio.run(replaced(Engine(name=SAME_ID, boots=40), Engine(name="80004fb8056e6577")))


def test_a_wrong_community_beside_the_right_one_is_silence(one: int) -> None:
    found = at_once(*[lambda: said(one, Community("one")), lambda: said(one, Community("nobody"), 0.4)] * 3)
    assert found == ["one", "NoAnswer"] * 3


def test_tables_are_built_once_for_a_login_and_end_with_the_event_loop(one: int, built: list[str]) -> None:
    asked = [lambda: said(one, RIGHT), lambda: said(one, Community("one"))] * 8
    assert at_once(*asked) == ["one"] * 16
    assert sorted(built) == ["one", USER]
    gc.collect()
    assert not list(snmp_engines._known), "keys are kept by nobody who asks no more"
    at_once(*asked)
    assert sorted(built) == ["one", "one", USER, USER]


def test_contexts_of_one_user_share_their_tables(one: int, built: list[str]) -> None:
    other = SnmpUser(USER, PASSWORD, PRIVACY, context="nothing")
    assert at_once(lambda: said(one, RIGHT), lambda: said(one, other, 0.4))[0] == "one"
    assert built == [USER]


def test_one_event_loop_keeps_tables_of_a_bounded_number_of_logins(
    one: int, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snmp_engines, "MOST_LOGINS", 2)
    asked = [functools.partial(said, one, Community(name), 0.5) for name in ("one", "b", "one", "c", "one", "b")]
    assert in_turn(*asked) == ["one", "NoAnswer"] * 3
    assert built == ["one", "b", "c", "b"]


def test_sessions_leave_neither_targets_nor_sockets_behind(one: int) -> None:
    async def ask() -> int:
        before = open_sockets()
        for access in (RIGHT, WRONG) * 3:
            await said(one, access, 0.5)
        await asyncio.sleep(0.1)
        tables = snmp_engines._tables(RIGHT).get_mib_builder()
        (targets,) = tables.import_symbols("SNMP-TARGET-MIB", "snmpTargetAddrTDomain")
        with pytest.raises(NoSuchInstanceError):
            targets.getNextNode(targets.name)
        return open_sockets() - before

    assert asyncio.run(ask()) == 0


def open_sockets() -> int:
    return sum(os.readlink(link).startswith("socket:") for link in Path("/proc/self/fd").iterdir() if link.is_symlink())


def test_a_walk_of_many_agents_costs_a_fraction_of_building_an_engine_for_each(one: int) -> None:
    asked = [lambda: said(one, RIGHT)] * 12
    at_once(*asked)
    began = time.process_time()
    at_once(*asked)
    shared = time.process_time() - began
    began = time.process_time()
    for _ in range(12):
        in_turn(lambda: said(one, RIGHT))
    assert shared < (time.process_time() - began) / 2
