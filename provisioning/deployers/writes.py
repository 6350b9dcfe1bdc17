"""What is written to MAAS or Ironic because of the state of a machine here: broken, fixed, released. Each is a row that
is worked on until the service shows it, or that says why it was not sent.

Planned by comparing states, not by events, so a restart loses nothing. The machine's record is read right before each
write, and what is not right any more is dropped. What the site has not turned on is a dry run: it is said and not sent.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import connections, transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from core.work.kinds import Lease, Work
from core.work.rules import Backoff
from drivers.https import ApplianceError, NoSuchRecord, SignInRefused
from health.machines.lifecycle import State
from health.machines.services import kill_switch
from health.models import MachineHealth
from provisioning.deployers.decisions import IN_REPAIR, Due, Kind, Verdict, wish
from provisioning.deployers.models import DeployerWrite
from provisioning.models import RunMachine
from provisioning.steps import Status

WRITE_S = 25.0
STOPPED_S = 15.0
LATER_S = 30.0
MOST = 500
MOST_AT_ONCE = 16
CONCERNED = [*IN_REPAIR, State.READY, State.RETIRED, State.NEW]
WriteStatus = DeployerWrite.Status


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one write. `status` waiting: it is tried again."""

    status: str
    message: str
    comment: str = ""
    seen: Any = None
    gone: bool = False
    after_s: float | None = None


class Writer(ABC):
    """One kind of service. `owner` is the column of its records that leads to it, `related` that of a machine to its
    record."""

    slug: ClassVar[str]
    title: ClassVar[str]
    owner: ClassVar[str]
    related: ClassVar[str]
    deployers: ClassVar[Any]
    records: ClassVar[Any]
    writes: ClassVar[Any]

    @classmethod
    def work(cls) -> Work:
        return Work(
            name=f"write to {cls.title}",
            model=cls.writes,
            open=Q(status=WriteStatus.WAITING),
            hold=Lease(60),
            due="next_try_at",
            attempts="attempts",
            retry=Backoff(15, 600),
            reason="message",
        )

    def __init__(self) -> None:
        self.WORK = self.work()

    # ---- what differs ----

    @abstractmethod
    def target(self, deployer: Any) -> Any:
        """What its client needs; `target.client()` is one."""

    @abstractmethod
    def record_id(self, record: Any) -> str: ...

    @abstractmethod
    async def look(self, client: Any, record_id: str) -> Any:
        """Raises NoSuchRecord."""

    @abstractmethod
    def due(self, deployer: Any, kind: Kind, state: str, seen: Any) -> Due: ...

    @abstractmethod
    def is_on(self, deployer: Any, kind: Kind) -> bool: ...

    @abstractmethod
    async def send(self, client: Any, target: Any, kind: Kind, record_id: str, comment: str) -> None: ...

    @abstractmethod
    def record(self, machine_id: int, deployer_id: int, seen: Any) -> None: ...

    # ---- what is to be written ----

    @transaction.atomic
    def plan(self, deployer_id: int) -> int:
        """Write down what it should be told of the machines of a site now; returns how many. A write of before that
        still waits is dropped."""
        newest = RunMachine.objects.filter(machine_id=OuterRef("machine_id")).order_by("-pk")
        rows = (
            self.records._default_manager.select_for_update(of=("self",))
            .filter(**{f"{self.owner}_id": deployer_id}, machine__health__state__in=CONCERNED)
            .annotate(
                run_status=Subquery(newest.values("status")[:1]), run_engine=Subquery(newest.values("run__engine")[:1])
            )
            .select_related("machine__health")
            .order_by("pk")
        )
        planned = []
        for row in rows[: MOST * 10]:
            cancelled = row.run_status == Status.CANCELLED and row.run_engine == self.slug
            kind = wish(row.machine.health.state, row.wanted, cancelled=cancelled)
            if kind is not None:
                row.wanted = kind.value
                planned.append(row)
        ids = [row.pk for row in planned]
        if ids:
            writes = self.writes._default_manager
            waiting = writes.filter(machine_id__in=ids, status=WriteStatus.WAITING)
            waiting.update(status=WriteStatus.DROPPED, message="overtaken by the next one", done_at=timezone.now())
            self.records._default_manager.bulk_update(planned, ["wanted"])
            writes.bulk_create(self.writes(machine_id=row.pk, kind=row.wanted) for row in planned)
        self._forget(deployer_id)
        return len(planned)

    def _forget(self, deployer_id: int) -> None:
        """A machine that a run has begins anew: what is told of it afterwards is news again."""
        begun = self.records._default_manager.filter(
            **{f"{self.owner}_id": deployer_id}, machine__health__state=State.PROVISIONING
        )
        begun.exclude(wanted="").update(wanted="")

    # ---- writing ----

    def deliver(self, deployer_id: int) -> int:
        """Write what is due at a site; returns how many are done. Safe to run at any time, and twice."""
        deployer = self.deployers._default_manager.select_related("credential").get(pk=deployer_id)
        rows = self.writes._default_manager.filter(**{f"machine__{self.related}__{self.owner}_id": deployer_id})
        writes = self.WORK.claim(rows.select_related(f"machine__{self.related}"), limit=MOST_AT_ONCE)
        if not writes:
            return 0
        healths = MachineHealth.objects.in_bulk([write.machine_id for write in writes])
        answers = asyncio.run(self._write_all(deployer, writes, healths))
        return sum(self._keep(deployer_id, write, said) for write, said in zip(writes, answers, strict=True))

    async def _write_all(
        self, deployer: Any, writes: Sequence[Any], healths: Mapping[int, MachineHealth]
    ) -> list[Written]:
        """Together, so that none outlives its lease behind the others."""
        target = self.target(deployer)
        states = [(healths[write.machine_id].state, healths[write.machine_id].ticket_key or "") for write in writes]
        calls = (self._write(deployer, target, each, *state) for each, state in zip(writes, states, strict=True))
        return list(await asyncio.gather(*calls))

    async def _write(self, deployer: Any, target: Any, write: Any, state: str, ticket: str) -> Written:
        """One write, and the record read again after it; never raises."""
        kind, record_id = Kind(write.kind), self.record_id(getattr(write.machine, self.related))
        try:
            async with asyncio.timeout(WRITE_S), target.client() as client:
                seen = await self.look(client, record_id)
                comment = f"Rackside: {ticket}, {state}" if ticket else f"Rackside: {state}"
                verdict, why = self.due(deployer, kind, state, seen)
                match verdict:
                    case Verdict.NEEDLESS:
                        return Written(WriteStatus.DROPPED, why, seen=seen)
                    case Verdict.LATER:
                        return Written(WriteStatus.WAITING, why, seen=seen, after_s=LATER_S)
                    case Verdict.HELD_BACK:
                        return Written(WriteStatus.DRY_RUN, f"not sent: {why}", comment, seen)
                if not self.is_on(deployer, kind):
                    return Written(WriteStatus.DRY_RUN, "not sent: this site has it off", comment, seen)
                if why := await asyncio.to_thread(_why_stopped, deployer.pk):
                    return Written(WriteStatus.WAITING, why, seen=seen, after_s=STOPPED_S)
                await self.send(client, target, kind, record_id, comment)
                after = await self.look(client, record_id)
                return Written(WriteStatus.DONE, f"{self.title}: {after.said}", comment, after)
        except NoSuchRecord:
            return Written(WriteStatus.DROPPED, f"its record {record_id} in {self.title} is gone", gone=True)
        except TimeoutError:
            return Written(WriteStatus.WAITING, f"no answer within {WRITE_S:g} s")
        except SignInRefused as error:
            return Written(WriteStatus.WAITING, f"{self.title} refuses the login: {error}")
        except ApplianceError as error:
            return Written(WriteStatus.WAITING, str(error))

    def _keep(self, deployer_id: int, write: Any, said: Written) -> bool:
        if said.seen is not None:
            self.record(write.machine_id, deployer_id, said.seen)
        if said.status == WriteStatus.WAITING:
            self.WORK.put_back(write, said.message, after_s=said.after_s, uncounted=said.after_s is not None)
            return False
        ended = {"status": said.status, "message": said.message[:500], "comment": said.comment[:300]}
        ours = self.WORK.finish(write, done_at=timezone.now(), **ended)
        if said.gone:
            self.records._default_manager.filter(pk=write.machine_id).delete()
        return ours and said.status == WriteStatus.DONE


def _why_stopped(site_id: int) -> str:
    try:
        return kill_switch.why_stopped(site_id)
    finally:
        connections.close_all()  # those of this thread
