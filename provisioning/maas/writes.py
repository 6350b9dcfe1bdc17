"""What is written to MAAS because of the state of a machine here: broken, fixed, released. Each is a row that is worked
on until MAAS shows it, or that says why it was not sent.

Planned by comparing states, not by events, so a restart loses nothing. MAAS is read right before each write, and what
is not right any more is dropped. What the site has not turned on is a dry run: it is said and not sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connections, transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from core.work.kinds import Lease, Work
from core.work.rules import Backoff
from drivers.https import ApplianceError, SignInRefused
from drivers.maas.client import MaasClient, NoSuchRecord
from drivers.maas.shapes import Machine
from health.machines.lifecycle import State
from health.machines.services import kill_switch
from health.models import MachineHealth
from provisioning.maas.decisions import IN_REPAIR, Kind, Verdict, due, wish
from provisioning.maas.models import MaasMachine, MaasRegion, MaasWrite
from provisioning.maas.queries import MaasTarget, target_of
from provisioning.maas.services import record
from provisioning.models import RunMachine
from provisioning.steps import Status

WRITE_S = 25.0
STOPPED_S = 15.0
LATER_S = 30.0
MOST = 500
MOST_AT_ONCE = 16
CONCERNED = [*IN_REPAIR, State.READY, State.RETIRED, State.NEW]

WORK = Work(
    name="write to MAAS",
    model=MaasWrite,
    open=Q(status=MaasWrite.Status.WAITING),
    hold=Lease(60),
    due="next_try_at",
    attempts="attempts",
    retry=Backoff(15, 600),
    reason="message",
)


# ---- what is to be written ----


@transaction.atomic
def plan(region_id: int) -> int:
    """Write down what MAAS should be told of the machines of a site now; returns how many. A write of before that still
    waits is dropped."""
    newest = RunMachine.objects.filter(machine_id=OuterRef("machine_id")).order_by("-pk")
    rows = (
        MaasMachine.objects.select_for_update(of=("self",))
        .filter(region_id=region_id, machine__health__state__in=CONCERNED)
        .annotate(
            run_status=Subquery(newest.values("status")[:1]), run_engine=Subquery(newest.values("run__engine")[:1])
        )
        .select_related("machine__health")
        .order_by("pk")
    )
    planned = []
    for row in rows[: MOST * 10]:
        cancelled = row.run_status == Status.CANCELLED and row.run_engine == "maas"
        kind = wish(row.machine.health.state, row.wanted, cancelled=cancelled)
        if kind is not None:
            row.wanted = kind.value
            planned.append(row)
    ids = [row.pk for row in planned]
    if ids:
        waiting = MaasWrite.objects.filter(machine_id__in=ids, status=MaasWrite.Status.WAITING)
        waiting.update(status=MaasWrite.Status.DROPPED, message="overtaken by the next one", done_at=timezone.now())
        MaasMachine.objects.bulk_update(planned, ["wanted"])
        MaasWrite.objects.bulk_create(MaasWrite(machine_id=row.pk, kind=row.wanted) for row in planned)
    _forget(region_id)
    return len(planned)


def _forget(region_id: int) -> None:
    """A machine that a run has begins anew: what is told of it afterwards is news again."""
    begun = MaasMachine.objects.filter(region_id=region_id, machine__health__state=State.PROVISIONING)
    begun.exclude(wanted="").update(wanted="")


# ---- writing ----


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one write. `status` waiting: it is tried again."""

    status: str
    message: str
    comment: str = ""
    seen: Machine | None = None
    gone: bool = False
    after_s: float | None = None


def deliver(region_id: int) -> int:
    """Write what is due at a site; returns how many are done. Safe to run at any time, and twice."""
    region = MaasRegion.objects.select_related("credential").get(pk=region_id)
    rows = MaasWrite.objects.filter(machine__maas__region_id=region_id).select_related("machine__maas")
    writes = WORK.claim(rows, limit=MOST_AT_ONCE)
    if not writes:
        return 0
    healths = MachineHealth.objects.in_bulk([write.machine_id for write in writes])
    answers = asyncio.run(_write_all(region, target_of(region), writes, healths))
    return sum(_keep(region, write, said) for write, said in zip(writes, answers, strict=True))


async def _write_all(
    region: MaasRegion, target: MaasTarget, writes: Sequence[MaasWrite], healths: Mapping[int, MachineHealth]
) -> list[Written]:
    """Together, so that none outlives its lease behind the others."""
    states = [(healths[write.machine_id].state, healths[write.machine_id].ticket_key or "") for write in writes]
    calls = (_write(region, target, write, *state) for write, state in zip(writes, states, strict=True))
    return list(await asyncio.gather(*calls))


async def _write(region: MaasRegion, target: MaasTarget, write: MaasWrite, state: str, ticket: str) -> Written:
    """One write, and MAAS read again after it; never raises."""
    kind, system_id = Kind(write.kind), write.machine.maas.system_id
    try:
        async with asyncio.timeout(WRITE_S), target.client() as client:
            machine = await client.machine(system_id)
            comment = _comment(state, ticket)
            verdict, why = due(kind, state, machine.means, also_in_use=region.mark_broken == MaasRegion.MarkBroken.ALL)
            match verdict:
                case Verdict.NEEDLESS:
                    return Written(MaasWrite.Status.DROPPED, why, seen=machine)
                case Verdict.LATER:
                    return Written(MaasWrite.Status.WAITING, why, seen=machine, after_s=LATER_S)
                case Verdict.HELD_BACK:
                    return Written(MaasWrite.Status.DRY_RUN, f"not sent: {why}", comment, machine)
            if not _is_on(region, kind):
                return Written(MaasWrite.Status.DRY_RUN, "not sent: this site has it off", comment, machine)
            if why := await asyncio.to_thread(_why_stopped, region.pk):
                return Written(MaasWrite.Status.WAITING, why, seen=machine, after_s=STOPPED_S)
            await _send(client, target, kind, system_id, comment)
            after = await client.machine(system_id)
            return Written(MaasWrite.Status.DONE, f"MAAS: {after.said}", comment, after)
    except NoSuchRecord:
        return Written(MaasWrite.Status.DROPPED, f"its record {system_id} in MAAS is gone", gone=True)
    except TimeoutError:
        return Written(MaasWrite.Status.WAITING, f"no answer within {WRITE_S:g} s")
    except SignInRefused as error:
        return Written(MaasWrite.Status.WAITING, f"MAAS refuses the API key: {error}")
    except ApplianceError as error:
        return Written(MaasWrite.Status.WAITING, str(error))


def _is_on(region: MaasRegion, kind: Kind) -> bool:
    return region.release if kind is Kind.RELEASE else region.mark_broken != MaasRegion.MarkBroken.OFF


def _why_stopped(site_id: int) -> str:
    try:
        return kill_switch.why_stopped(site_id)
    finally:
        connections.close_all()  # those of this thread


def _comment(state: str, ticket: str) -> str:
    return f"Rackside: {ticket}, {state}" if ticket else f"Rackside: {state}"


async def _send(client: MaasClient, target: MaasTarget, kind: Kind, system_id: str, comment: str) -> None:
    match kind:
        case Kind.MARK_BROKEN:
            await client.mark_broken(system_id, comment)
        case Kind.MARK_FIXED:
            await client.mark_fixed(system_id, comment)
        case Kind.RELEASE:
            await client.release(system_id, erase=target.erase, comment=comment)


def _keep(region: MaasRegion, write: MaasWrite, said: Written) -> bool:
    if said.seen is not None:
        record(write.machine_id, region.pk, said.seen)
    if said.status == MaasWrite.Status.WAITING:
        WORK.put_back(write, said.message, after_s=said.after_s, uncounted=said.after_s is not None)
        return False
    ended = {"status": said.status, "message": said.message[:500], "comment": said.comment[:300]}
    ours = WORK.finish(write, done_at=timezone.now(), **ended)
    if said.gone:
        MaasMachine.objects.filter(pk=write.machine_id).delete()
    return ours and said.status == MaasWrite.Status.DONE
