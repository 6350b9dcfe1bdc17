"""Rounds of reading: meters that are due, many at a time. One that hangs or lies costs its own reading alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.logins import opened
from core.outgoing import addresses
from core.outgoing.binding import Purpose, Refused
from core.outgoing.gate import Gate
from core.outgoing.permits import permit
from core.work.alone import alone
from core.work.kinds import Lease, Work
from drivers.meters.snmp import Community, SnmpUser
from facility import plausible, readers
from facility.facts import Measured
from facility.meters import services
from facility.meters.models import Meter, MeterState
from facility.readers.answers import Access, AccessRefused, Answer, Login, MeterError, Web

log = structlog.get_logger(__name__)

AT_ONCE = 32
"""More would wait for the processor of whoever asks, and be given up for the time that it takes."""
TOTAL_S = 25.0
"""Of one meter, whatever it does."""
STALE_PERIODS = 3
"""What is older than so many periods is not known any more."""

WORK = Work(
    name="meter",
    model=Meter,
    open=Q(enabled=True, kind__in=Meter.ASKED),
    hold=Lease(60),
    due="tried_at",
    period="period_s",
)


@dataclass(frozen=True)
class Question:
    """What is asked of one meter; `refusal` says why it is not asked."""

    meter: Meter
    host: str = ""
    port: int = 0
    access: Access = None
    gate: Gate | None = None
    refusal: str = ""


def read_due() -> int:
    """Read every meter that is due; returns how many. The network is never inside a transaction."""
    count = 0
    while batch := WORK.claim(limit=AT_ONCE):
        memories = dict(MeterState.objects.filter(meter__in=batch).values_list("meter_id", "memory"))
        for question, outcome in asyncio.run(_ask_all([question_of(meter) for meter in batch])):
            with alone("meter_not_stored", meter=question.meter.pk):
                keep(question.meter, outcome, memories.get(question.meter.pk, {}))
        count += len(batch)
    return count


def question_of(meter: Meter) -> Question:
    """Where a meter is asked and with what; a login that may not be used is its refusal."""
    try:
        host, port = addresses.split(meter.address, 0)
        purpose = Purpose.PROMETHEUS if meter.kind == Meter.Kind.PROMETHEUS else Purpose.METER
        if meter.credential is None:
            gate = permit(None, purpose, meter.address, site=meter.site_id)
            return Question(meter, host, port, _access(meter, "", ""), gate)
        login = opened(meter.credential, purpose, site=meter.site_id).at(meter.address)
        return Question(meter, host, port, _access(meter, login.username, login.secret), login.gate)
    except (Refused, ValueError) as error:
        return Question(meter, refusal=str(error))


def _access(meter: Meter, username: str, secret: str) -> Access:
    """What a kind is let in with. Of SNMP 3 the secret has two lines: the password, and that of the encryption."""
    kind = meter.kind
    if kind in (Meter.Kind.SNMP_PDU, Meter.Kind.SNMP_SENSORS):
        if not username:
            return Community(secret or "public")
        password, _, privacy = secret.partition("\n")
        told = {name: str(meter.options.get(name, "")) for name in ("algorithm", "context")}
        return SnmpUser(username, password, privacy, told["algorithm"] or "sha", told["context"])
    if kind == Meter.Kind.MODBUS:
        return None
    if kind == Meter.Kind.PROMETHEUS:
        return Web(f"Bearer {secret}" if secret else "")
    return Login(username, secret, bytes.fromhex(meter.identity) if meter.identity else None)


async def _ask_all(questions: Sequence[Question]) -> list[tuple[Question, Answer | MeterError]]:
    return list(zip(questions, await asyncio.gather(*map(_ask, questions)), strict=True))


async def _ask(question: Question) -> Answer | MeterError:
    if question.refusal:
        return AccessRefused(question.refusal)
    meter = question.meter
    options = {name: value for name, value in meter.options.items() if name not in services.OWN_OPTIONS}
    try:
        return await readers.read(
            meter.kind, question.host, question.port, question.access, options, gate=question.gate, total_s=TOTAL_S
        )
    except MeterError as error:
        return error
    except Exception as error:  # a reader that trips over an answer must not take the other meters with it
        log.exception("meter_reader_failed", meter=meter.pk)
        return MeterError(f"its answer could not be read: {type(error).__name__}")


def keep(meter: Meter, outcome: Answer | MeterError, memory: dict[str, Any]) -> bool:
    """Write down what a meter told, or why it told nothing; False when another worker has it by now."""
    now = timezone.now()
    if isinstance(outcome, MeterError):
        refused = isinstance(outcome, AccessRefused)
        state = Meter.State.REFUSED if refused else Meter.State.FAILED
        return WORK.finish(meter, tried_at=now, state=state, message=str(outcome)[:300])
    values, remembered = plausible.judge(outcome.values, memory, now)
    unknown = [each for each in values if each.value is None]
    fields: dict[str, Any] = {"state": Meter.State.PARTIAL if unknown else Meter.State.OK}
    if outcome.fingerprint and not meter.identity:
        fields["identity"] = outcome.fingerprint.hex()
    with transaction.atomic():
        if not WORK.finish(meter, tried_at=now, message=_summary(unknown), **fields):
            return False
        services.store([services.Told(meter.pk, now, values, meter.period_s, outcome.description, remembered)])
    return True


def _summary(unknown: Sequence[Measured]) -> str:
    if not unknown:
        return ""
    first = unknown[0]
    where = " ".join(filter(None, (first.part, first.name)))
    more = f", and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    return f"not known: {first.quantity} of {where} ({first.reason}){more}"[:300]


def shown_state(meter: Meter, now: datetime) -> str:
    """Its state as it is shown: one that told all is late, when that is too old to say what is now."""
    told = getattr(meter, "told", None)
    late = told is not None and not is_fresh(told.at, meter.period_s, now)
    return "late" if late and meter.state in (Meter.State.OK, Meter.State.PARTIAL) else meter.state


def is_fresh(at: datetime, period_s: int, now: datetime) -> bool:
    """Whether what was told then still says what is now."""
    return (now - at).total_seconds() <= STALE_PERIODS * period_s
