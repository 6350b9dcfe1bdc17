"""Readers of everything that measures power and cooling: one entry, a kind of meter each.

    answer = await read("redfish_cooling", "10.4.0.40", 443, Login("rackside", password, pinned), {}, gate=gate)

The table of kinds says what each is let in with and what is set for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from drivers import https
from drivers.gate import Gate
from drivers.https import ApplianceError, trust_of
from drivers.meters import modbus
from drivers.meters import snmp as snmp_driver
from drivers.meters.modbus import ModbusError, ModbusSession
from drivers.meters.snmp import Community, SnmpError, SnmpUser
from drivers.prometheus.client import PrometheusClient
from drivers.redfish_connection import CertificateChanged, RedfishAuthError, RedfishError, RedfishUnreachable
from facility.readers import expressions, redfish, registers, settings, snmp
from facility.readers.answers import (
    Access,
    AccessRefused,
    Answer,
    BadAnswer,
    BadSettings,
    Login,
    MeterError,
    NotKnown,
    Unreachable,
    Web,
)

__all__ = [
    "KINDS",
    "Access",
    "AccessRefused",
    "Answer",
    "BadAnswer",
    "BadSettings",
    "Kind",
    "Login",
    "MeterError",
    "NotKnown",
    "Unreachable",
    "Web",
    "check",
    "read",
]

TOTAL_S = 60.0
PROMETHEUS_S = 20.0


class Question(NamedTuple):
    """One reading. `now`: our own time in seconds since 1970."""

    host: str
    port: int
    access: Any
    settings: Any
    gate: Gate | None
    now: float


class Kind(NamedTuple):
    """`needs`: the access that it takes; empty where it asks for none."""

    title: str
    port: int
    needs: tuple[type, ...]
    settings: type[BaseModel]
    ask: Callable[[Question], Awaitable[Answer]]


async def _snmp_pdu(asked: Question) -> Answer:
    async with snmp.of(asked.host, asked.access, asked.port, asked.gate) as agent:
        return await snmp.pdu(agent, asked.settings.unit)


async def _snmp_sensors(asked: Question) -> Answer:
    async with snmp.of(asked.host, asked.access, asked.port, asked.gate) as agent:
        return await snmp.sensors(agent)


def _redfish(shape: redfish.Shape) -> Callable[[Question], Awaitable[Answer]]:
    async def ask(asked: Question) -> Answer:
        async with redfish.of(asked.host, asked.access, asked.port, asked.gate) as service:
            return await redfish.read(service, shape, asked.settings.path, asked.now)

    return ask


async def _modbus(asked: Question) -> Answer:
    unit = asked.settings.unit
    async with ModbusSession(asked.host, port=asked.port, unit=unit, gate=asked.gate) as meter:
        return await registers.read(meter, asked.settings)


async def _prometheus(asked: Question) -> Answer:
    told, web = asked.settings, asked.access or Web()
    host = f"[{asked.host}]" if ":" in asked.host else asked.host
    url = f"{told.scheme}://{host}:{asked.port}{told.path}"
    trust = trust_of(web.authorities)
    async with PrometheusClient(
        url, authorization=web.authorization, trust=trust, total_s=PROMETHEUS_S, gate=asked.gate
    ) as server:
        return await expressions.read(server, told, asked.now)


_SNMP = (Community, SnmpUser)
KINDS: dict[str, Kind] = {
    "snmp_pdu": Kind("PDU by SNMP", snmp_driver.PORT, _SNMP, settings.SnmpPdu, _snmp_pdu),
    "snmp_sensors": Kind("sensors by SNMP", snmp_driver.PORT, _SNMP, settings.Nothing, _snmp_sensors),
    "redfish_pdu": Kind("PDU by Redfish", 443, (Login,), settings.Redfish, _redfish(redfish.PDU)),
    "redfish_cooling": Kind("cooling unit by Redfish", 443, (Login,), settings.Redfish, _redfish(redfish.COOLING)),
    "redfish_sensors": Kind("sensors by Redfish", 443, (Login,), settings.Redfish, _redfish(redfish.SENSORS)),
    "modbus": Kind("meter by Modbus/TCP", modbus.PORT, (), settings.Modbus, _modbus),
    "prometheus": Kind("meter by Prometheus", 9090, (Web,), settings.Prometheus, _prometheus),
}


def check(kind: str, told: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a meter with what was not told filled in, as JSON. Raises BadSettings with place and reason."""
    if kind not in KINDS:
        raise BadSettings("kind", f"one of {', '.join(KINDS)}")
    return settings.checked(KINDS[kind].settings, told).model_dump(mode="json")


async def read(
    kind: str, host: str, port: int, access: Access, told: Mapping[str, Any], *, gate: Gate | None = None,
    total_s: float = TOTAL_S, now: float | None = None,
) -> Answer:  # fmt: skip
    """Everything that a meter measures. Port 0 is the usual one of its kind. Raises MeterError's family only."""
    if kind not in KINDS:
        raise BadSettings("kind", f"one of {', '.join(KINDS)}")
    what = KINDS[kind]
    if what.needs and not isinstance(access, what.needs) and not (access is None and Web in what.needs):
        raise BadSettings(
            "access", f"a {what.title} is let in with {' or '.join(each.__name__ for each in what.needs)}"
        )
    asked = Question(
        host,
        port or what.port,
        access,
        settings.checked(what.settings, told),
        gate,
        time.time() if now is None else now,
    )
    try:
        async with asyncio.timeout(total_s):
            return await what.ask(asked)
    except MeterError:
        raise
    except TimeoutError as error:
        raise Unreachable(f"it took longer than {total_s:g} s") from error
    except Exception as error:
        raise _as_meter_error(error) from error


def _as_meter_error(error: Exception) -> Exception:
    """What an error of a driver says of the meter; one that is no driver's stays what it is."""
    text = _said(error)
    if isinstance(error, CertificateChanged | https.CertificateChanged):
        return AccessRefused(text, error.presented)
    if isinstance(error, snmp_driver.AccessRefused | RedfishAuthError | https.SignInRefused):
        return AccessRefused(text)
    unreachable = (OSError, snmp_driver.NoAnswer, RedfishUnreachable, https.Unreachable, modbus.Unreachable)
    if isinstance(error, unreachable):
        return Unreachable(text)
    if isinstance(error, SnmpError | RedfishError | ApplianceError | ModbusError):
        return BadAnswer(text)
    return BadSettings("access", text) if isinstance(error, ValueError) else error


def _said(error: Exception) -> str:
    """The error in words. aiohttp shows only the number of an OSError, and a gate that refuses has none."""
    refusal = getattr(error.__cause__, "os_error", None)
    if isinstance(refusal, OSError) and refusal.errno is None:
        return str(refusal)
    return str(error) or type(error).__name__
