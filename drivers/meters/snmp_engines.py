"""Engines of SNMP: one for each session, over tables that the sessions of one login share.

The tables of an engine say who asks with which keys. Building them takes pysnmp 80 ms of processor time, so that is
done once for each login and event loop. What is learned of an agent (the id of its engine, its boots and its time), the
questions that are open, and the socket are of one session: an agent that lies disturbs nobody else's walk, and what is
signed with the keys of one login is sent to nobody who is asked with another.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from pysnmp.carrier.asyncio.dgram import udp, udp6
from pysnmp.entity import config
from pysnmp.entity.engine import SnmpEngine
from pysnmp.entity.rfc3413.cmdgen import BulkCommandGenerator, GetCommandGenerator
from pysnmp.proto.rfc1902 import Null, ObjectName
from pysnmp.proto.rfc1905 import EndOfMibView, NoSuchInstance, NoSuchObject
from pysnmp.proto.rfc3412 import MsgAndPduDispatcher
from pysnmp.smi.builder import MibBuilder
from pysnmp.smi.instrum import MibInstrumController

from drivers.meters.oids import Oid
from drivers.meters.snmp_access import ALGORITHMS, Community, SnmpUser

MOST_LOGINS = 32
"""Tables that one event loop keeps; those of the login that was used longest ago go."""
AUTHENTICATION = dict(zip(ALGORITHMS, (config.USM_AUTH_HMAC96_SHA, config.USM_AUTH_HMAC192_SHA256), strict=True))
WHO = "who"
"""Name of the only login in its tables."""


Told = tuple[Any, Any, Any, Any]
"""What pysnmp gives back: why there is no answer, error status, its index, variables."""


class Engine:
    """Asks one agent, at a socket address that was resolved. Of the event loop that it was made in."""

    def __init__(self, access: Community | SnmpUser, where: tuple[Any, ...], *, timeout_s: float, retries: int) -> None:
        self._context = access.context if isinstance(access, SnmpUser) else ""
        self._engine = SnmpEngine(msgAndPduDsp=MsgAndPduDispatcher(_tables(access)))
        self._target = f"agent{next(_numbers)}"
        kind = udp6 if len(where) == 4 else udp
        transport = kind.Udp6AsyncioTransport() if kind is udp6 else kind.UdpAsyncioTransport()
        config.add_transport(self._engine, kind.DOMAIN_NAME, transport.open_client_mode())
        config.add_target_address(
            self._engine, self._target, kind.DOMAIN_NAME, where, WHO, round(timeout_s * 100), retries
        )

    def close(self) -> None:
        self._engine.close_dispatcher()
        config.delete_target_address(self._engine, self._target)

    async def get(self, *oids: Oid) -> Told:
        told = _Told()
        GetCommandGenerator().send_varbinds(self._engine, self._target, None, self._context, _asked(*oids), told)
        return await told.future

    async def next_rows(self, oids: Sequence[Oid], count: int) -> Told:
        """The variables that come after each identifier, in turn, at most so many of each."""
        told = _Told()
        BulkCommandGenerator().send_varbinds(
            self._engine, self._target, None, self._context, 0, count, _asked(*oids), told
        )
        return await told.future

    @staticmethod
    def is_nothing(value: Any) -> bool:
        """Whether the agent has no such variable."""
        return isinstance(value, NoSuchObject | NoSuchInstance)

    @staticmethod
    def is_end(value: Any) -> bool:
        """Whether the agent has no variable after that one."""
        return isinstance(value, EndOfMibView)


class _Told:
    """Takes the answer from pysnmp."""

    def __init__(self) -> None:
        self.future: asyncio.Future[Told] = asyncio.get_running_loop().create_future()

    def __call__(self, _engine: Any, _handle: Any, failed: Any, status: Any, index: Any, rows: Any, _: Any) -> None:
        if not self.future.done():
            self.future.set_result((failed, status, index, rows))


def _asked(*oids: Oid) -> list[tuple[ObjectName, Null]]:
    return [(ObjectName(oid), Null("")) for oid in oids]


# ---- tables ----

_numbers = itertools.count(1)
_known: WeakKeyDictionary[asyncio.AbstractEventLoop, OrderedDict[Community | SnmpUser, MibInstrumController]]
_known = WeakKeyDictionary()


class _Modules(MibBuilder):  # type: ignore[misc]
    """Does not read and compile again what it has: every engine asks for the same modules."""

    def load_modules(self, *names: str, **context: Any) -> MibBuilder:
        missing = [name for name in names if name not in self.mibSymbols]
        return super().load_modules(*missing, **context) if missing else self


def _tables(access: Community | SnmpUser) -> MibInstrumController:
    """Those of a login in this event loop; its keys are in them, and in no others."""
    login = replace(access, context="") if isinstance(access, SnmpUser) else access
    known = _known.setdefault(asyncio.get_running_loop(), OrderedDict())
    if login not in known:
        known[login] = _built(login)
        if len(known) > MOST_LOGINS:
            known.popitem(last=False)
    known.move_to_end(login)
    return known[login]


def _built(login: Community | SnmpUser) -> MibInstrumController:
    tables = MibInstrumController(_Modules())
    engine = SnmpEngine(msgAndPduDsp=MsgAndPduDispatcher(tables))
    if isinstance(login, Community):
        config.add_v1_system(engine, WHO, login.name)
        config.add_target_parameters(engine, WHO, WHO, "noAuthNoPriv", 1)
        return tables
    config.add_v3_user(
        engine, login.name,
        AUTHENTICATION[login.algorithm] if login.password else config.USM_AUTH_NONE, login.password or None,
        config.USM_PRIV_CFB128_AES if login.privacy else config.USM_PRIV_NONE, login.privacy or None,
    )  # fmt: skip
    config.add_target_parameters(engine, WHO, login.name, login.level, 3)
    return tables
