"""Passwords of BMCs in the database: stored before they are sent, kept when they were used, found out after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.bmc import BmcResult
from access.queries import BmcTarget, bmc_targets
from access.services import own_bmc_login, record_bmc_identities
from core.models import cipher
from core.work.kinds import Lease, LostLease, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from live.events import emit
from provisioning.bmc import accounts
from provisioning.bmc.models import BmcPassword
from provisioning.bmc.passwords import MOST_ROUNDS, Verdict, generate
from provisioning.bmc.words import PasswordState

LEASE_S = 180
ACTOR = "bmc set-up"


@transaction.atomic
def _give_up(row: BmcPassword, reason: str, **told: Any) -> bool:
    """The candidate stays: an account that was only locked takes it later."""
    ours = WORK.finish(row, state=PasswordState.REFUSED.value, message=reason[:500])
    if ours:
        _tell(row)
    return ours


WORK = Work(
    name="BMC password",
    model=BmcPassword,
    open=Q(state=PasswordState.CHANGING.value),
    hold=Lease(LEASE_S, column="next_try_at"),
    due="next_try_at",
    attempts="rounds",
    most=MOST_ROUNDS,
    retry=Backoff(120, 1800, factor=4),  # past what a locked account usually waits
    reason="message",
    give_up=_give_up,
    task="provisioning.bmc.tasks.settle_password",
    every_s=60,
)


@transaction.atomic
def prepare(machine_ids: Collection[int], *, actor: str) -> dict[int, BmcPassword]:
    """Store a new password for each of these BMCs before anybody sends it; those that are being changed are left out.

    A candidate that may be in force, since nobody found out, stays the candidate.
    """
    ids = sorted(machine_ids)
    BmcPassword.objects.bulk_create(
        [BmcPassword(machine_id=pk, state=PasswordState.KEPT.value) for pk in ids], ignore_conflicts=True
    )
    rows = BmcPassword.objects.select_for_update().filter(machine_id__in=ids).order_by("machine_id")
    found = {row.machine_id: row for row in rows if row.state != PasswordState.CHANGING}
    for row in found.values():
        row.written = row.candidate is not None
        row.candidate = row.candidate if row.written else cipher().encrypt(generate().encode())
        row.state, row.message, row.rounds = PasswordState.CHANGING.value, "", 0
        row.next_try_at, row.changed_by = timezone.now() + timedelta(seconds=LEASE_S), actor
    changed = ["state", "message", "rounds", "written", "candidate", "next_try_at", "changed_by"]
    BmcPassword.objects.bulk_update(found.values(), changed)
    return found


def secret_of(row: BmcPassword) -> str:
    """The candidate. Raises `cryptography.fernet.InvalidToken` when no configured key fits."""
    return cipher().decrypt(bytes(row.candidate or b"")).decode()


def re_encrypt() -> int:
    """Encrypt every candidate with the first configured key, in the caller's transaction; returns how many."""
    rows = list(BmcPassword.objects.select_for_update().exclude(candidate=None))
    for row in rows:
        row.candidate = cipher().rotate(bytes(row.candidate or b""))
    BmcPassword.objects.bulk_update(rows, ["candidate"])
    return len(rows)


async def change(target: BmcTarget, row: BmcPassword) -> accounts.Changed:
    """Change the password of one BMC, as `prepare` left it. A candidate that may be in force is tried first."""
    if row.written:
        came = await accounts.which(target, secret_of(row), rounds=1)
        if came.verdict is not Verdict.OLD:
            return came
    return await accounts.change(target, secret_of(row))


def record(row: BmcPassword, target: BmcTarget, came: accounts.Changed) -> None:
    """Write down what came of a try; one that another worker took over meanwhile is its matter."""
    if came.fingerprint is not None:
        record_bmc_identities([BmcResult(target, fingerprint=came.fingerprint)], actor=ACTOR)
    try:
        with transaction.atomic():
            _record(WORK.hold_on(row), target, came)
    except LostLease:
        return


def _record(row: BmcPassword, target: BmcTarget, came: accounts.Changed) -> None:
    message = came.message[:500]
    match came.verdict:
        case Verdict.NEW:
            own_bmc_login(row.machine_id, username=target.username, password=secret_of(row))
            WORK.finish(
                row, state=PasswordState.OWN.value, candidate=None, message="", changed_at=timezone.now(), rounds=0
            )
        case Verdict.OLD:
            WORK.finish(row, state=PasswordState.KEPT.value, candidate=None, message=message)
        case Verdict.NEITHER if not came.written:
            kept = row.candidate if row.written else None
            WORK.finish(row, state=PasswordState.REFUSED.value, candidate=kept, message=message)
        case Verdict.NEITHER:
            WORK.fail(row, message, written=True)
            return
        case Verdict.UNKNOWN:
            WORK.put_back(row, message, uncounted=True, after_s=120, written=True)
    _tell(row)


def settle(password_id: int) -> str:
    """Find out which password is in force after a change that nobody saw the end of. Returns the state."""
    row = WORK.take(password_id)
    if row is None:
        return "busy"
    target = next(iter(bmc_targets([row.machine_id])), None)
    if target is None or not target.address:
        WORK.put_back(row, "no BMC address is known for this machine", uncounted=True, after_s=1800)
        return str(row.state)
    try:
        secret = secret_of(row)
    except InvalidToken:
        _give_up(row, "no configured key decrypts the password that was sent: restore the key")
        return PasswordState.REFUSED.value
    record(row, target, asyncio.run(accounts.which(target, secret, rounds=max(1, row.rounds))))
    row.refresh_from_db()
    return str(row.state)


@transaction.atomic
def give(machine_id: int, password: str, *, actor: str) -> BmcPassword | None:
    """A person says what the password of a BMC is: it is tried once, and kept when it opens. None: one is being
    changed now."""
    row, _ = BmcPassword.objects.select_for_update().get_or_create(
        machine_id=machine_id, defaults={"state": PasswordState.KEPT.value}
    )
    if row.state == PasswordState.CHANGING:
        return None
    row.candidate, row.written = cipher().encrypt(password.encode()), True
    row.state, row.message, row.rounds = PasswordState.CHANGING.value, "", MOST_ROUNDS - 1
    row.next_try_at, row.changed_by = None, actor
    row.save()
    after_commit(WORK.task, row.pk, robust=True)
    return row


def _tell(row: BmcPassword) -> None:
    site = row.machine.device.site_id
    data = {"machine": row.machine_id, "state": row.state}
    emit("bmc_password.changed", site_id=site, subject=f"machine:{row.machine_id}", data=data, actor=ACTOR)
