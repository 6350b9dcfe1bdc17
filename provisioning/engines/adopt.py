"""The engine for a machine that runs already: nothing is installed and nothing is written, it is looked at and checked.

Its host key is recorded at the first contact; who it is says its BMC where one is known, and the check of its service
tag (`system.identity`) in any case. The checks compare what runs on it with what its device model expects.
"""

from __future__ import annotations

from collections.abc import Sequence

from health.machines.lifecycle import State
from provisioning.engines.contract import Again, Finished, Job, Looked
from provisioning.engines.redfish import identify, with_client
from provisioning.steps import ADOPT, StepName


class AdoptEngine:
    slug = "adopt"
    title = "adopt"
    way = ADOPT
    trusts_first_key = True
    performs = frozenset({StepName.IDENTITY})

    def refusal(self) -> str:
        return ""

    def images(self) -> Sequence[str]:
        return ()

    def refuses(self, state: str) -> str:
        """A machine that was in service once is known already; whoever repaired it has it checked there."""
        return "" if state == State.NEW else f"only a new machine is adopted, this one is {state}"

    def refuses_site(self, site_id: int) -> str:
        return ""

    async def perform(self, step: StepName, job: Job) -> Looked:
        if not job.bmc.address:
            return Looked(Finished("no BMC is known; the checks compare its service tag"))
        return await with_client(job, identify)

    async def explain_silence(self, job: Job, *, spoke: bool) -> Looked:
        return Looked(Again("it is not asked to start"))
