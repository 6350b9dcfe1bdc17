"""What a reader gives back, what it needs to be let in, and why there is no answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from drivers.meters.snmp import Community, SnmpUser
from facility.facts import Measured


class Answer(NamedTuple):
    """What a meter said of itself, whose it is where that is known, and what it measures."""

    description: str
    values: list[Measured]
    vendor: str = ""
    fingerprint: bytes | None = None
    """SHA-256 of the certificate of a Redfish service that let us in, to be pinned."""


@dataclass(frozen=True)
class Login:
    """Of a Redfish service: `pinned` is the SHA-256 of its certificate, once it is known."""

    username: str
    password: str = field(repr=False)
    pinned: bytes | None = None


@dataclass(frozen=True)
class Web:
    """Of a Prometheus server: the whole `Authorization` header where it wants one, and whom to trust (PEM) beside the
    system's authorities."""

    authorization: str = field(default="", repr=False)
    authorities: str = ""


Access = Community | SnmpUser | Login | Web | None


class MeterError(Exception):
    """There is no answer; the text says why."""


class Unreachable(MeterError):
    """Nothing came in time, or nothing may be asked at that address."""


class AccessRefused(MeterError):
    """It does not take this login, or it shows another certificate than the pinned one: `presented`."""

    def __init__(self, reason: str, presented: bytes | None = None) -> None:
        super().__init__(reason)
        self.presented = presented


class NotKnown(MeterError):
    """It answers, and is no meter of this kind."""


class BadAnswer(MeterError):
    """It answers what cannot be: out of order, endless, not of its protocol."""


class BadSettings(MeterError):
    """The settings or the access cannot be; `place` is where: `registers.3.type`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place, self.reason = place, reason
