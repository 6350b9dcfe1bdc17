"""A PDU is asked over real SNMP: a community, a user of version 3, and what an agent answers who is not let in."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.meters.snmp import AccessRefused, BadWalk, Community, NoAnswer, SnmpSession, SnmpUser
from facility import from_agent
from facility.tests import agents

ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path(__file__).parent / "recorded"
SYSTEM = "1.3.6.1.2.1.1"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    stranger: agents.Rows = {
        agents.DESCR: "Linux printer",
        agents.OBJECT_ID: "1.3.6.1.4.1.8072.3.2.10",
        agents.UPTIME: 1,
    }
    older: agents.Rows = {**stranger, agents.DESCR: "AP7801", agents.OBJECT_ID: "1.3.6.1.4.1.318.1.3.4.5"}
    nameless: agents.Rows = {agents.DESCR: "nobody", agents.UPTIME: 1}
    walks: dict[str, agents.Rows | Path]
    walks = {path.stem: path for path in RECORDED.glob("*.snmprec")}
    walks |= {"apc": agents.apc(), "raritan": agents.raritan(), "sentry": agents.sentry()}
    walks |= {"eaton": agents.eaton(), "vertiv": agents.vertiv(), "chain": agents.apc_chain()}
    with agents.served(**walks, stranger=stranger, older=older, nameless=nameless) as found:
        yield found


def asked(port: int, community: str, *more: str) -> tuple[int, str, str]:
    """Exit status, output and errors of the command, as a person types it."""
    done = subprocess.run(
        [sys.executable, "manage.py", "facility", "read", "127.0.0.1", f"--port={port}", *more],
        cwd=ROOT, env={"RACKSIDE_SNMP_COMMUNITY": community, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def walked(port: int, access: Community | SnmpUser, base: str = SYSTEM, **more: Any) -> list[Any]:
    async def walk() -> list[Any]:
        async with SnmpSession("127.0.0.1", access, port=port, **{"timeout_s": 0.4, **more}) as agent:
            return list(await agent.walk(base))

    return asyncio.run(walk())


@pytest.mark.parametrize(
    ("community", "said"),
    [
        ("apc", "inlet pdu-d14-a    5790 W, 234568 kWh"),
        ("raritan", "phase L3    current not known: the sensor is not available"),
        ("sentry", "outlet AA1      4.81 A, 1101 W, 500 kWh"),
        ("sentry", "breaker AA:BR1  8.12 A, limit 20 A"),
        ("eaton", "inlet Feed A       16480 W, 59000 kWh"),
        ("vertiv", "outlet hgx-d14-01 PSU1  4.8 A, 1104 W"),
    ],
)
def test_a_pdu_says_what_it_measures_in_its_units(port: int, community: str, said: str) -> None:
    status, text, errors = asked(port, community)
    assert (status, errors) == (0, "")
    assert said in text


@pytest.mark.parametrize(
    ("device", "said", "not_said"),
    [
        ("ap8641", ("1210 W, 1951.6 kWh", "phase L1    6.5 A, 201 V, 1220 W", "outlet 1    163 W, 0.9 A"), "not known"),
        ("ap8932", ("160 W, 642.6 kWh", "phase L1    1.4 A, 121 V, 160 W", "breaker B1    1.3 A"), "not known"),
        ("ap7902b", ("power not known: the device tells no value", "breaker B2    1.1 A"), "0 W"),
    ],
)
def test_what_real_pdus_told_is_read(port: int, device: str, said: tuple[str, ...], not_said: str) -> None:
    """Recorded walks, see recorded/SOURCES.md. A socket without a probe is no probe that is not known."""
    status, text, errors = asked(port, device)
    assert (status, errors) == (0, "")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert all(any(" ".join(each.split()) in line for line in lines) for each in said), text
    assert not_said not in text and "sensor" not in text


def test_of_a_chain_it_is_said_which_pdu_is_meant(port: int) -> None:
    """Values of all of them would be added up as those of one."""
    status, text, errors = asked(port, "chain")
    assert (status, text) == (2, "")
    assert "it speaks for the PDUs 1, 2 of a chain; say which one is meant, as unit" in errors
    status, text, _ = asked(port, "chain", "--unit=2")
    assert status == 0 and "inlet pdu-d14-a2   1000 W" in text and "pdu-d14-a " not in text
    assert "there is no 7" in asked(port, "chain", "--unit=7")[2]


def test_the_same_as_json_has_no_value_where_nothing_is_known(port: int) -> None:
    status, text, _ = asked(port, "raritan", "--json")
    told = json.loads(text)
    assert (status, told["vendor"]) == (0, "Raritan")
    values = {(each["part"], each["name"], each["quantity"]): each for each in told["values"]}
    assert values["inlet", "I1", "power_w"]["value"] == 17_010
    assert values["outlet", "2", "power_w"] | {"value": None} == values["outlet", "2", "power_w"]


@pytest.mark.parametrize(
    ("community", "status", "said"),
    [
        ("stranger", 2, "it answers as 'Linux printer' (1.3.6.1.4.1.8072.3.2.10), no PDU of APC, Eaton, Raritan"),
        ("older", 2, "it answers as a PDU of APC and has no table of values"),
        ("nameless", 1, "it does not say what it is"),
    ],
)
def test_what_is_no_pdu_that_is_known_is_told_as_what_it_is(port: int, community: str, status: int, said: str) -> None:
    found, text, errors = asked(port, community)
    assert (found, text) == (status, "")
    assert said in errors


def test_a_walk_has_all_rows_of_a_subtree_in_order_and_none_beside_it(port: int) -> None:
    rows = walked(port, Community("apc"), f"{agents.APC}.9.4.3")
    assert len(rows) == 42 * 7
    assert rows == sorted(rows)
    assert walked(port, Community("apc"), f"{agents.APC}.77") == []


def test_version_3_signs_and_encrypts(port: int) -> None:
    user = SnmpUser(agents.USER, agents.PASSWORD, agents.PRIVACY, context="apc")
    rows = walked(port, user, agents.APC, timeout_s=5)
    assert rows == walked(port, Community("apc"), agents.APC)


@pytest.mark.parametrize(
    "user",
    [
        SnmpUser("nobody", agents.PASSWORD, agents.PRIVACY, context="apc"),
        SnmpUser(agents.USER, "another-password", agents.PRIVACY, context="apc"),
        SnmpUser(agents.USER, agents.PASSWORD, "another-password", context="apc"),
    ],
)
def test_a_user_or_password_that_is_wrong_is_refused_or_not_answered(port: int, user: SnmpUser) -> None:
    with pytest.raises((AccessRefused, NoAnswer)):
        walked(port, user)


def test_a_wrong_community_is_silence_and_the_password_is_in_no_message(port: int) -> None:
    with pytest.raises(NoAnswer, match=r"no answer within 0\.4 s") as refused:
        walked(port, Community("s3cret"))
    assert "s3cret" not in str(refused.value) and "s3cret" not in repr(Community("s3cret"))


def test_an_address_that_the_gate_refuses_is_not_asked(port: int) -> None:
    class Nowhere:
        def check(self, address: str, port: int) -> None:
            raise OSError(f"{address} is not allowed")

    with pytest.raises(OSError, match="not allowed"):
        walked(port, Community("apc"), gate=Nowhere())


def test_a_walk_that_takes_too_long_ends_without_rows(port: int) -> None:
    with pytest.raises(NoAnswer, match="took longer"):
        walked(port, Community("apc"), agents.APC, total_s=0.01)


@pytest.mark.parametrize(
    ("user", "said"),
    [
        (SnmpUser("a", "password", algorithm="md5"), "the algorithm is one of sha, sha256"),
        (SnmpUser("a", privacy="password"), "a password is missing"),
    ],
)
def test_what_version_3_cannot_be_is_refused_before_anything_is_sent(user: SnmpUser, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SnmpSession("127.0.0.1", user)


def test_the_environment_says_which_version_is_spoken() -> None:
    assert from_agent.access_of({}) == Community("public")
    user = {"RACKSIDE_SNMP_USER": "ops", "RACKSIDE_SNMP_PASSWORD": "p", "RACKSIDE_SNMP_ALGORITHM": "sha256"}
    assert from_agent.access_of(user) == SnmpUser("ops", "p", "", "sha256")


def test_an_agent_that_goes_backwards_is_refused(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some do, and a walk of them never ends."""
    answers = iter([[((1, 3, 2), 1), ((1, 3, 5), 2)], [((1, 3, 5), 2)]])

    async def backwards(self: SnmpSession, request: Any) -> Any:
        request.close()
        return next(answers)

    monkeypatch.setattr(SnmpSession, "_answer", backwards)
    with pytest.raises(BadWalk, match=r"1\.3\.5 again"):
        walked(port, Community("apc"), "1.3")
