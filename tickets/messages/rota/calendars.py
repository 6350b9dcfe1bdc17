"""Reads the calendars of rotas at a bounded rate. The last good copy stays in use, with its age."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from core.outgoing.permits import open_gate
from core.work.kinds import Lease, Work
from core.work.rules import Backoff
from drivers.https import ApplianceError, HttpsSession, Raw, trust_of
from tickets.messages.delivery import without_path
from tickets.messages.models import Rota
from tickets.messages.rota import shifts

TIMEOUT_S, TOTAL_S = 10.0, 30.0
STALE_PERIODS = 4
"""A copy that is older than so many periods is called stale."""

WORK = Work(
    name="on-call calendar",
    model=Rota,
    open=Q(),
    hold=Lease(60, column="lease_until"),
    due="tried_at",
    period="period_s",
    retry=Backoff(60, 3600),
    task="tickets.messages.tasks.read_calendar",
    every_s=30,
)


def read(rota_id: int) -> bool:
    """Read one calendar that is due; whether the copy in use is of now."""
    rota = WORK.take(rota_id)
    if rota is None:
        return False
    now, url = timezone.now(), ""
    try:
        url = rota.unsealed()
        answer = asyncio.run(fetch(url, rota.etag))
        if answer.status == 304 and rota.calendar:
            return WORK.finish(rota, tried_at=now, read_at=now, status=Rota.Status.OK, message="")
        if answer.status != 200:
            return _failed(rota, Rota.Status.UNREACHABLE, f"answered {answer.status}")
        text = answer.body.decode("utf-8", "replace").replace("\0", "")
        shifts.check(text)
    except (ApplianceError, InvalidToken, ValueError, OSError) as error:
        unreadable = isinstance(error, shifts.Unreadable)
        status = Rota.Status.UNREADABLE if unreadable else Rota.Status.UNREACHABLE
        gone = isinstance(error, InvalidToken)
        reason = "its address was encrypted with a key that is gone" if gone else without_path(str(error), url)
        return _failed(rota, status, reason)
    etag = answer.headers.get("ETag", "")[:200]
    return WORK.finish(rota, tried_at=now, read_at=now, status=Rota.Status.OK, message="", calendar=text, etag=etag)


def _failed(rota: Rota, status: str, reason: str) -> bool:
    """The copy stays in use."""
    WORK.finish(rota, tried_at=timezone.now(), status=status, message=reason[:300])
    return False


async def fetch(url: str, etag: str = "") -> Raw:
    """The calendar as it came. Raises ApplianceError's family."""
    gate = open_gate(local=settings.WEBHOOK_LOCAL_ADDRESSES)
    headers = {"Accept": "text/calendar, */*"} | ({"If-None-Match": etag} if etag else {})
    async with HttpsSession(
        url, gate=gate, trust=trust_of(""), timeout_s=TIMEOUT_S, total_s=TOTAL_S, most_bytes=shifts.MOST_LETTERS
    ) as session:
        return await session.fetch(url, headers=headers)


def is_stale(rota: Rota) -> bool:
    """Whether the copy in use is older than the calendar should ever be."""
    return rota.read_at is None or timezone.now() - rota.read_at > STALE_PERIODS * timedelta(seconds=rota.period_s)
