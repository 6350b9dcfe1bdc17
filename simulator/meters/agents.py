"""SNMP agents of the hall, version 2c and 3: one socket each, one engine for all, tables made when somebody asks.

The engine and its MIBs take a moment and some megabytes: they come with the first question.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.carrier.base import AbstractTransport, AbstractTransportDispatcher
from pysnmp.entity import config
from pysnmp.entity.engine import SnmpEngine
from pysnmp.entity.rfc3413 import cmdrsp, context
from pysnmp.error import PySnmpError
from pysnmp.proto.api import v2c

from simulator.machine.doors import DoorError
from simulator.meters.tables.rows import UPTIME, Oid, Rows, Value

log = logging.getLogger("simulator.meters")
KEEP_S = 2.0
"""A walk of many questions sees one state."""
LARGEST_SIGNED = 2**31 - 1


@dataclass(frozen=True)
class SnmpAccess:
    """Who may ask: a community of version 2c, and a user of version 3 (SHA, AES-128)."""

    community: str = field(default="metering", repr=False)
    user: str = "rackside"
    password: str = field(default="hall-measures", repr=False)
    privacy: str = field(default="hall-measures", repr=False)


class _Agent(NamedTuple):
    name: str
    sock: socket.socket
    rows: Callable[[], Rows]
    silent: Callable[[], bool]


class _Dispatcher(AbstractTransportDispatcher):
    """Sends nothing by itself: questions come in through `Agents`."""


class _Transport(AbstractTransport):
    """Hands an answer to whoever is answering now."""

    PROTO_TRANSPORT_DISPATCHER = _Dispatcher

    def __init__(self, send: Callable[[bytes, Any], None]) -> None:
        self._send = send

    def send_message(self, outgoingMessage: Any, transportAddress: Any) -> None:
        self._send(bytes(outgoingMessage), transportAddress)


class Agents:
    """`rows` of an agent returns what it tells now, `silent` whether it does not answer."""

    def __init__(self, access: SnmpAccess, clock: Callable[[], float]) -> None:
        self._access, self._clock = access, clock
        self._began = clock()
        self._agents: list[_Agent] = []
        self._kept: dict[str, tuple[float, Rows, list[Oid]]] = {}
        self._asked: _Agent | None = None
        self._transport: _Transport | None = None
        self._engine: Any = None
        self.questions = 0

    def open(
        self, name: str, address: str, port: int, rows: Callable[[], Rows], silent: Callable[[], bool] = lambda: False
    ) -> int:
        """Listen there; returns the port. Raises DoorError."""
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setblocking(False)
        try:
            sock.bind((address, port))
        except OSError as error:
            sock.close()
            said = f"SNMP at {address} port {port}: {error.strerror}: is another hall on this slice?"
            raise DoorError(said) from error
        agent = _Agent(name, sock, rows, silent)
        self._agents.append(agent)
        asyncio.get_running_loop().add_reader(sock.fileno(), self._readable, agent)
        return int(sock.getsockname()[1])

    def close(self) -> None:
        for agent in self._agents:
            asyncio.get_running_loop().remove_reader(agent.sock.fileno())
            agent.sock.close()
        self._agents.clear()

    def forget(self) -> None:
        """Tables are made anew at the next question: something changed."""
        self._kept.clear()

    # ---- questions ----

    def _readable(self, agent: _Agent) -> None:
        while True:
            try:
                message, asker = agent.sock.recvfrom(65_507)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:  # such as the answer to somebody who left
                log.debug("%s: %s", agent.name, error)
                return
            if not agent.silent():
                self._answer(agent, message, asker)

    def _answer(self, agent: _Agent, message: bytes, asker: Any) -> None:
        self.questions += 1
        self._asked = agent
        transport = self._ready()
        try:
            transport._callback_function(transport, asker, message)  # type: ignore[misc]
        except (PySnmpError, ValueError) as error:  # not SNMP, or not for us: an agent stays silent
            log.debug("%s: %s", agent.name, error)
        finally:
            self._asked = None

    def _send(self, message: bytes, asker: Any) -> None:
        if self._asked is not None:
            self._asked.sock.sendto(message, asker)

    def _ready(self) -> _Transport:
        """The engine, made at the first question."""
        if self._transport is not None:
            return self._transport
        engine, dispatcher, transport = SnmpEngine(), _Dispatcher(), _Transport(self._send)
        dispatcher.register_transport(udp.DOMAIN_NAME, transport)
        engine.register_transport_dispatcher(dispatcher)
        access = self._access
        config.add_v1_system(engine, "hall", access.community)
        config.add_v3_user(
            engine, access.user, config.USM_AUTH_HMAC96_SHA, access.password,
            config.USM_PRIV_CFB128_AES, access.privacy,
        )  # fmt: skip
        known = context.SnmpContext(engine)
        known.unregister_context_name(b"")
        known.register_context_name(b"", _Tables(self))
        for responder in (cmdrsp.GetCommandResponder, cmdrsp.NextCommandResponder, cmdrsp.BulkCommandResponder):
            responder(engine, known)
        self._engine, self._transport = engine, transport
        return transport

    def tables(self) -> tuple[Rows, list[Oid]]:
        """Those of the agent that is asked now, with their identifiers in order."""
        assert self._asked is not None
        now, name = self._clock(), self._asked.name
        kept = self._kept.get(name)
        if kept is None or not 0 <= now - kept[0] < KEEP_S:
            rows = {**self._asked.rows(), UPTIME: int((now - self._began) * 100) % 2**32}
            kept = self._kept[name] = (now, rows, sorted(rows))
        return kept[1], kept[2]


class _Tables:
    """What pysnmp's responders ask for variables."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    def read_variables(self, *asked: Any, **_: Any) -> list[tuple[Any, Any]]:
        rows, _order = self._agents.tables()
        told = ((name, rows.get(tuple(name))) for name, _ in asked)
        return [(name, v2c.NoSuchInstance() if value is None else _typed(tuple(name), value)) for name, value in told]

    def read_next_variables(self, *asked: Any, **_: Any) -> list[tuple[Any, Any]]:
        rows, order = self._agents.tables()
        found: list[tuple[Any, Any]] = []
        for name, _value in asked:
            at = bisect_right(order, tuple(name))
            if at == len(order):
                found.append((name, v2c.EndOfMibView()))
            else:
                found.append((v2c.ObjectIdentifier(order[at]), _typed(order[at], rows[order[at]])))
        return found


def _typed(name: Oid, value: Value) -> Any:
    if name == UPTIME:
        return v2c.TimeTicks(value)
    if isinstance(value, tuple):
        return v2c.ObjectIdentifier(value)
    if isinstance(value, str):
        return v2c.OctetString(value.encode())
    return v2c.Integer32(value) if -LARGEST_SIGNED <= value <= LARGEST_SIGNED else v2c.Gauge32(value % 2**32)
