"""What the engines have in common that leave a machine to a service of its site, MAAS or Ironic.

Who the machine is says its BMC first, as with every engine; then the record that the service has of it. What takes long
is ordered once, then looked at again (`provisioning.deployers.decisions`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from drivers.https import ApplianceError, Later, NoSuchRecord, SignInRefused, Unreachable
from provisioning.deployers.decisions import Decision, Lost, Memory, Order, Reached, Remember, Wait
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked, Outcome
from provisioning.engines.redfish import identify, with_client
from provisioning.steps import FailureClass, StepName, Way

REQUEST_TIMEOUT_S = 8
AFTER_AN_ORDER_S = 5.0
UNANSWERED_ORDER_S = 60.0
"""An order that was not answered may still arrive: it is not given again at once."""
Work = Callable[[Any, Job, Any], Awaitable[Looked]]
Decide = Callable[[Any, Memory], Decision]


class DeployerEngine(ABC):
    """`place` is what a site has of it, `login` what opens that; both for people."""

    slug: str
    title: str
    place: str
    login: str
    way: Way
    performs: frozenset[StepName]
    trusts_first_key: bool = False

    # ---- what differs ----

    @abstractmethod
    def has_place(self, site_id: int) -> bool:
        """Whether a site has one that is enabled."""

    @abstractmethod
    def targets(self, machine_ids: Iterable[int], *, hardware: Iterable[int]) -> Mapping[int, Any]:
        """By machine, of those whose site has one; for `hardware` with what is expected of it. `target.client()` asks
        it. A fixed number of queries."""

    @abstractmethod
    def record(self, machine_id: int, target: Any, seen: Any) -> None:
        """Keep its record of a machine (`Looked.met_record`)."""

    @abstractmethod
    def works(self) -> Mapping[StepName, Work]:
        """Who does which step behind `identity`."""

    @abstractmethod
    def known(self, target: Any) -> str:
        """The id of its record of the machine; empty while it is not known."""

    @abstractmethod
    async def read(self, client: Any, target: Any) -> Any:
        """That record now; Broken for one that somebody gave another name meanwhile. Raises NoSuchRecord."""

    @abstractmethod
    async def give(self, client: Any, job: Job, target: Any, operation: Any) -> None:
        """Give an order."""

    async def reason(self, client: Any, seen: Any) -> tuple[str, str]:
        """Why it failed, where the record does not say it: in a few words, and all that was read, for people."""
        return "", ""

    # ---- the contract of engines ----

    def refusal(self) -> str:
        return ""

    def images(self) -> Sequence[str]:
        return ()

    def refuses(self, state: str) -> str:
        return ""

    def refuses_site(self, site_id: int) -> str:
        return "" if self.has_place(site_id) else f"this site has no {self.title} {self.place} that is enabled"

    async def perform(self, step: StepName, job: Job) -> Looked:
        if step is StepName.IDENTITY:
            if not job.bmc.address:
                return Looked(Finished(f"no BMC is known; {self.title}'s record is compared with the inventory"))
            return await with_client(job, identify)
        return await self._asked(job, self.works()[step])

    async def explain_silence(self, job: Job, *, spoke: bool) -> Looked:
        return Looked(Again(f"{self.title} starts it"))

    # ---- a look ----

    async def _asked(self, job: Job, work: Work) -> Looked:
        """What it let us do. It is one service for all machines of a site, so one that is silent is silent for all."""
        target = job.deployer
        if target is None:
            return Looked(Again(f"the site's {self.title} {self.place} is disabled: enable it, or cancel"))
        try:
            async with target.client(REQUEST_TIMEOUT_S, REQUEST_TIMEOUT_S) as client:
                return await work(client, job, target)
        except SignInRefused as error:
            return Looked(Broken(FailureClass.NO_ENGINE, f"{self.title} refuses the {self.login}: {error}"))
        except NoSuchRecord:
            said = f"its record {self.known(target)} in {self.title} was deleted outside of this run"
            return Looked(Broken(FailureClass.RECORD_LOST, said))
        except Later as error:
            return Looked(Again(f"{self.title} cannot now: {error}"))
        except ApplianceError as error:
            silent = isinstance(error, Unreachable) and "in time" in str(error)
            return Looked(Again(f"{self.title} gave no usable answer: {error}"), silent=silent)

    async def recorded(self, client: Any, target: Any) -> Any:
        """Its record of the machine, or Broken."""
        if not self.known(target):
            said = f"the site's {self.title} {self.place} was replaced in the middle of this run"
            return Broken(FailureClass.RECORD_LOST, said)
        return await self.read(client, target)

    def renamed(self, record_id: str, before: str, now: str) -> Broken:
        said = f"its record {record_id} in {self.title} was renamed from {before} to {now} outside of this run"
        return Broken(FailureClass.RECORD_LOST, said)

    async def advance(self, client: Any, job: Job, target: Any, decide: Decide) -> Looked:
        """Read the record, and do the one thing that is decided about it."""
        seen = await self.recorded(client, target)
        if isinstance(seen, Broken):
            return Looked(seen)
        evidence = ""
        match decide(seen, job.data):
            case Order(operation):
                outcome: Outcome = await self._ordered(client, job, target, operation)
            case Remember(memory):
                outcome = Again(f"{self.title}: {seen.said}", {**job.data, **memory}, after_s=0)
            case Wait(text, works):
                # what ran on it runs no more: nothing is asked of it any longer (`steps.may_order_off`)
                outcome = Again(text, {**job.data, "phase": "on"} if works else None)
            case Reached(text):
                outcome = Finished(text)
            case Lost(failure, text, asks):
                why, evidence = await self.reason(client, seen) if asks else ("", "")
                outcome = Broken(failure, f"{text}; {why}" if why else text)
        return Looked(outcome, met_record=seen, seen=evidence)

    async def _ordered(self, client: Any, job: Job, target: Any, operation: StrEnum) -> Outcome:
        try:
            await self.give(client, job, target, operation)
        except Unreachable as error:
            said = f"whether {self.title} took the order to {operation} is not known: {error}"
            return Again(said, after_s=UNANSWERED_ORDER_S)
        return Again(f"{self.title} was ordered to {operation}", after_s=AFTER_AN_ORDER_S)
