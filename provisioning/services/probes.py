"""Many claimed machines looked at in one event loop: none waits for another's BMC.

No database in here: what is asked of it before a write is asked in a thread (`provisioning.services.permits`).
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from drivers.ssh import Limits, SshFailureKind, run_one
from provisioning.engines import ENGINES
from provisioning.engines.contract import Again, Broken, Finished, Looked, Waits
from provisioning.services import boot_log, permits
from provisioning.services.installer import reported_failure
from provisioning.services.leases import Claim
from provisioning.steps import HEARD_STEPS, FailureClass, StepName, may_order_off

log = structlog.get_logger(__name__)

BY_NETWORK = (StepName.BOOT_SCRIPT, StepName.INSTALL_DATA)
"""Steps at which a machine that is silent may have failed at the DHCP server."""
SSH_LIMITS = Limits(connect_timeout_s=5, login_timeout_s=10, command_timeout_s=10)


def needs_network(claim: Claim, *, time_is_over: bool) -> bool:
    """Whether somebody must be asked; at the other steps the machine itself calls, or the database knows."""
    engine = ENGINES[claim.engine]
    explains = claim.step in HEARD_STEPS and time_is_over and engine.way.first_call is not None
    return claim.step in engine.performs or claim.step is StepName.SSH or explains


class Flight:
    """Looks that are under way. The loop stands still while what came of some of them is stored."""

    def __init__(self, runner: asyncio.Runner, limit_s: float) -> None:
        self._runner = runner
        self._limit_s = limit_s
        self._tasks: dict[asyncio.Task[Looked], Claim] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, claim: Claim) -> None:
        async def begin() -> asyncio.Task[Looked]:
            # From now on, not from its first turn: the loop may stand still before that, and the lease runs out.
            ends = asyncio.get_running_loop().time() + self._limit_s
            return asyncio.create_task(_within(claim, self._limit_s, ends))

        self._tasks[self._runner.run(begin())] = claim

    def landed(self, wait_s: float) -> list[tuple[Claim, Looked]]:
        """The looks that are over; waits until one is, `wait_s` at most."""

        async def some() -> set[asyncio.Task[Looked]]:
            done, _ = await asyncio.wait(self._tasks, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
            return done

        done = self._runner.run(some()) if self._tasks else set()
        return [(self._tasks.pop(task), task.result()) for task in done]


async def _within(claim: Claim, limit_s: float, ends: float) -> Looked:
    """One look, whatever becomes of it: a fault of one machine must not end the looks at the others."""
    try:
        async with asyncio.timeout_at(ends):
            return await look_at(claim)
    except TimeoutError:
        return Looked(Again(f"no answer within {limit_s:g} s"), silent=True)
    except Exception as error:
        log.exception("provisioning_look_failed", run_machine=claim.run_machine_id, step=claim.step.value)
        return Looked(Again(f"the check failed: {type(error).__name__}: {error}"))


async def look_at(claim: Claim) -> Looked:
    """Do what the step needs, without a limit."""
    engine = ENGINES[claim.engine]
    if claim.step is StepName.SSH:
        return await answers_by_ssh(claim)
    if claim.step in HEARD_STEPS:
        return await why_silent(claim)
    may_stop = may_order_off(str(claim.job.data.get("phase", "")))
    if why := await permits.why_waits(claim.run_machine_id, claim.step, may_stop=may_stop):
        return Looked(Waits(why))
    return await engine.perform(claim.step, claim.job)


async def why_silent(claim: Claim) -> Looked:
    """Why a machine does not speak, where that can be seen from outside: at each of these steps it may have lost its
    power, its link, or its place to another one."""
    engine = ENGINES[claim.engine]
    spoke = claim.step is not engine.way.first_call
    looked = await engine.explain_silence(claim.job, spoke=spoke)
    if isinstance(looked.outcome, Again) and engine.way.has(StepName.BOOT_SCRIPT) and claim.step in BY_NETWORK:
        told = await permits.in_thread(boot_log.told, claim.run_machine_id, claim.step)
        if told.failure is not None:
            return replace(looked, outcome=Again(told.detail, failure=told.failure), dhcp_log=told.text)
    if isinstance(looked.outcome, Again) and spoke:
        reported = reported_failure(claim.job.data)
        waits = "waiting for the machine; its BMC shows nothing wrong"
        return replace(looked, outcome=Again(waits, failure=reported))
    return looked


async def answers_by_ssh(claim: Claim) -> Looked:
    """SSH must answer with the host key that is known; another key counts as no answer."""
    if claim.ssh is None or (claim.ssh.known_host is None and not ENGINES[claim.engine].trusts_first_key):
        return Looked(Broken(FailureClass.NO_SSH, "no host key is known for this machine"))
    result = await run_one(claim.ssh, "true", SSH_LIMITS)
    if result.failure is None:
        if result.first_contact:
            return Looked(Finished("SSH answers; its host key is recorded at this first contact"), met_host=result)
        return Looked(Finished("SSH answers with the expected host key"))
    changed = result if result.failure.kind is SshFailureKind.HOST_KEY_CHANGED else None
    return Looked(Again(f"SSH: {result.failure}"), silent=result.failure.timed_out is not None, met_host=changed)
