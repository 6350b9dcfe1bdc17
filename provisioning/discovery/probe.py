"""One address asked by Redfish: who is there, before anybody signs in, and then what the machine is made of.

No database in here. Beginnings are spread over time; an address that says nothing waits alone, and what answers is read
a few at a time.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from access.logins import Login
from core.outgoing.gate import Gate
from drivers.discovery.hardware import read_hardware
from drivers.redfish import RedfishClient, RedfishError, RedfishUnreachable, mapping
from drivers.redfish_connection import CertificateChanged, RedfishAuthError, certificate_fingerprint
from provisioning.discovery.hardware import Machine, machine_of, of_root
from provisioning.discovery.states import WORDS, BmcState

MOST_LOGINS = 2
"""Passwords that one address is sent: vendors lock an account after three to five that are wrong."""
READ_AT_ONCE = 16
KNOCK_S = 3.0
REQUEST_S = 8.0
READ_S = 40.0


@dataclass(frozen=True, slots=True)
class Door:
    """An address, and who may sign in there. `why` says why nobody may; `gate` None: it is not asked at all."""

    address: str
    port: int
    mac: str
    gate: Gate | None
    logins: tuple[tuple[int, Login], ...] = ()
    why: str = ""
    pinned: bytes | None = None

    @property
    def url(self) -> str:
        return f"https://{f'[{self.address}]' if ':' in self.address else self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it. `logins` counts the passwords that were sent, `refused` are the credentials it refused."""

    state: BmcState
    reason: str = ""
    machine: Machine | None = None
    logins: int = 0
    refused: tuple[int, ...] = ()
    certificate: str = field(default="")


class Pace:
    """So many beginnings a second at most, none of them in a burst."""

    def __init__(self, per_s: float) -> None:
        self._step_s = 1 / per_s
        self._next = 0.0

    async def turn(self) -> None:
        now = asyncio.get_running_loop().time()
        at = max(now, self._next)
        self._next = at + self._step_s
        await asyncio.sleep(at - now)


async def ask(door: Door, pace: Pace, room: asyncio.Semaphore) -> Answer:
    """Whatever becomes of it is an Answer; never raises for what a BMC does."""
    if door.gate is None:
        return Answer(BmcState.FAILED, door.why)
    await pace.turn()
    try:
        met = await certificate_fingerprint(door.address, door.port, KNOCK_S, door.gate)
    except RedfishUnreachable as error:
        return Answer(BmcState.UNREACHABLE, str(error))
    tried = _Tried()
    async with room:
        try:
            async with asyncio.timeout(READ_S):
                answer = await _asked(door, met, tried)
        except TimeoutError:
            answer = _broken_off(f"not read within {READ_S:g} s", tried)
        except RedfishError as error:
            answer = _broken_off(str(error), tried)
    return replace(answer, logins=tried.sent, refused=tuple(tried.refused), certificate=met.hex())


@dataclass(slots=True)
class _Tried:
    """What is known already when the rest takes too long."""

    machine: Machine | None = None
    sent: int = 0
    refused: list[int] = field(default_factory=list)


def _broken_off(reason: str, tried: _Tried) -> Answer:
    """What takes a connection and then says nothing is no more of a BMC than what takes none."""
    return Answer(BmcState.FAILED if tried.machine else BmcState.UNREACHABLE, reason, tried.machine)


async def _asked(door: Door, met: bytes, tried: _Tried) -> Answer:
    root = await _root(door, met)
    if not (root.get("RedfishVersion") or mapping(root, "Systems")):
        return Answer(BmcState.NOT_BMC, WORDS[BmcState.NOT_BMC])
    tried.machine = of_root(root)
    if door.pinned is not None and door.pinned != met:
        return Answer(BmcState.CHANGED, WORDS[BmcState.CHANGED], tried.machine)
    return await _signed_in(door, met, tried)


async def _root(door: Door, met: bytes) -> dict[str, object]:
    """The service root, without a password; empty where there is none."""
    client = RedfishClient(door.url, "", "", pinned=met, timeout_s=REQUEST_S, gate=door.gate)
    async with client:
        try:
            return await client.root()
        except (RedfishUnreachable, CertificateChanged):
            raise
        except RedfishError:
            return {}


async def _signed_in(door: Door, met: bytes, tried: _Tried) -> Answer:
    """Each password is sent once. A refused one is followed by the next; whatever else goes wrong ends it.

    Raises RedfishError's family.
    """
    for credential, login in door.logins:
        tried.sent += 1
        client = RedfishClient(door.url, login.username, login.secret, pinned=met, timeout_s=REQUEST_S, gate=login.gate)
        try:
            async with client:
                return Answer(BmcState.READ, "", machine_of(await read_hardware(client), lease_mac=door.mac))
        except RedfishAuthError:
            if client.let_in:
                raise
            tried.refused.append(credential)
    if tried.refused:
        return Answer(BmcState.REFUSED, WORDS[BmcState.REFUSED], tried.machine)
    return Answer(BmcState.NO_LOGIN, door.why or WORDS[BmcState.NO_LOGIN], tried.machine)
