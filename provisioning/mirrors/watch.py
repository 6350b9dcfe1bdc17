"""Each source is asked every minute or so by a worker, and a few machines a minute where they fetch from."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.work.kinds import Lease, Work
from drivers.https import ApplianceError
from drivers.registry.client import RegistryClient
from drivers.ssh import SshResult
from health.diagnostics.services import sessions
from health.machines.lifecycle import NOT_SWEPT
from inventory.models import Machine
from live.events import emit
from provisioning.mirrors import outside, usage
from provisioning.mirrors.models import MachineSources, Mirror
from provisioning.mirrors.outside import Answered
from provisioning.mirrors.registries import client_of, gate_of

FAILED_AFTER = 2
"""One lost answer is none."""
STRIP = 60
"""Latencies that are kept."""
MACHINES_A_MINUTE = 20
MACHINE_EVERY = timedelta(hours=1)
ACTOR = "mirrors"
WORK = Work(
    name="mirror watch",
    model=Mirror,
    open=Q(enabled=True),
    hold=Lease(60),
    due="asked_at",
    period="every_s",
    task="provisioning.mirrors.tasks.watch",
    every_s=15,
)


def watch(mirror_id: int) -> str:
    """Ask one source. Returns its state, or `busy`."""
    row = WORK.take(mirror_id)
    if row is None:
        return "busy"
    answered = asyncio.run(_ask(row, client_of(row) if row.credential is not None else None))
    return keep(row, answered, timezone.now())


async def _ask(row: Mirror, signed_in: RegistryClient | None) -> Answered:
    """How it answers anybody; where a login is kept, also whether it takes that one."""
    answered = await outside.ask(row.kind, row.url, authorities=row.authorities, gate=gate_of(row))
    if answered.problem or signed_in is None:
        return answered
    try:
        async with asyncio.timeout(outside.TOTAL_S), signed_in:
            await signed_in.check()
    except (ApplianceError, TimeoutError) as error:
        return replace(answered, problem=f"its login: {error or f'no answer within {outside.TOTAL_S:g} s'}")
    return answered


@transaction.atomic
def keep(row: Mirror, answered: Answered, now: datetime) -> str:
    """Write down how a source that is ours answered, and say when it stopped or began to."""
    before = row.state
    failures = row.failures + 1 if answered.problem else 0
    state = state_of(answered, failures, before)
    latencies = [*row.latencies, [int(now.timestamp()), None if answered.problem else answered.ms]][-STRIP:]
    told: dict[str, Any] = {} if answered.problem else {
        "version": answered.version, "certificate_until": answered.certificate_until, "good_at": now,
    }  # fmt: skip
    ours = WORK.finish(
        row, state=state, failures=failures, latencies=latencies, asked_at=now, message=answered.problem[:500], **told
    )
    failed, was_failed = state == Mirror.State.FAILED, before == Mirror.State.FAILED
    if ours and failed != was_failed:
        data = {"id": row.pk, "name": row.name, "kind": row.kind, "text": answered.problem[:300]}
        kind = "mirror.failed" if failed else "mirror.good"
        emit(kind, site_id=row.site_id, subject=f"mirror:{row.pk}", data=data, actor=ACTOR)
    return state


def state_of(answered: Answered, failures: int, before: str) -> str:
    """One lost answer changes nothing of what is known."""
    if answered.problem:
        return Mirror.State.FAILED if failures >= FAILED_AFTER else before
    return Mirror.State.SLOW if (answered.ms or 0) > outside.SLOW_MS else Mirror.State.GOOD


# ---- from the machines' side ----


def ask_machines() -> int:
    """Ask those that were asked longest ago where they fetch from; returns how many. Idle where no site has sources."""
    sources = list(Mirror.objects.filter(enabled=True).order_by("pk"))
    now = timezone.now()
    due = (
        Machine.objects.filter(device__site_id__in={each.site_id for each in sources})
        .exclude(health__state__in=[state.value for state in NOT_SWEPT])
        .filter(Q(sources=None) | Q(sources__asked_at=None) | Q(sources__asked_at__lte=now - MACHINE_EVERY))
        .order_by(F("sources__asked_at").asc(nulls_first=True), "pk")
    )
    chosen = list(due.values_list("pk", "device__site_id")[:MACHINES_A_MINUTE])
    scripts = {
        site: usage.script(
            {each.pk: outside.asked_url(each.kind, each.url) for each in sources if each.site_id == site}
        )
        for site in {site for _, site in chosen}
    }
    answers = sessions.ask([(pk, scripts[site]) for pk, site in chosen], actor=ACTOR)
    told, untold = [], []
    for (pk, _), answer in zip(chosen, answers, strict=True):
        row = MachineSources(machine_id=pk, asked_at=now)
        try:
            found = usage.read(_text_of(answer))
        except usage.Untold as error:
            row.message = str(error)[:500]
            untold.append(row)
            continue
        row.told_at, row.urls = now, usage.without_login(found.urls)
        row.reached = {str(key): [each.answers, each.ms, each.text] for key, each in found.reached.items()}
        told.append(row)
    _write(told, ["told_at", "asked_at", "message", "urls", "reached"])
    _write(untold, ["asked_at", "message"])  # what they told before stays, beside why they say nothing now
    return len(chosen)


def _text_of(answer: SshResult | None) -> str:
    """Raises Untold for a machine that did not answer."""
    if answer is None or answer.failure is not None:
        raise usage.Untold(str(answer.failure) if answer is not None else "no address is known for it")
    return answer.stdout.decode("utf-8", "replace")


def _write(rows: list[MachineSources], fields: list[str]) -> None:
    MachineSources.objects.bulk_create(rows, update_conflicts=True, unique_fields=["machine"], update_fields=fields)
