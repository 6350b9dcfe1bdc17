"""The power cycle by the BMC: off now, and on again once it was off for as long as the site wants.

Both orders may be repeated: a machine that is off is not switched off again, and one that is on stays on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from access.bmc import BmcResult, failed, known_by
from access.queries import BmcTarget, bmc_targets
from access.services import record_bmc_identities
from drivers.redfish import RedfishClient, RedfishError, RedfishStatus
from health.machines.calls import AUTOMATION, Report
from health.remediation.executors import Answer, Job, Simple, not_sent

TIMEOUT_S = 8
TOTAL_S = 30


def power_of(machine_id: int) -> str:
    """`on`, `off`, or `unknown` when its BMC does not tell."""
    try:
        state = _with_client(machine_id, _state)
    except (RedfishError, TimeoutError, LookupError):
        return "unknown"
    return state if state in ("on", "off") else "unknown"


async def _state(client: RedfishClient) -> str:
    return await client.power_state()


def _with_client(machine_id: int, work: Callable[[RedfishClient], Awaitable[Any]]) -> Any:
    """Raises LookupError without a BMC address, else RedfishError or TimeoutError."""
    target: BmcTarget | None = next(iter(bmc_targets([machine_id])), None)
    if target is None or not target.address:
        raise LookupError("no BMC address is known for this machine")
    client = target.client(TIMEOUT_S)

    async def within_time() -> Any:
        async with asyncio.timeout(TOTAL_S), client:
            return await work(client)

    met = None
    try:
        return asyncio.run(within_time())
    except RedfishError as error:
        met = failed(target, client, error)
        raise
    finally:
        met = met or BmcResult(target, fingerprint=known_by(client))
        record_bmc_identities([met], actor=AUTOMATION)


def _order(machine_id: int, wanted: str) -> Answer:
    """Bring the power to `on` or `off`. What failed before the order was given never began."""

    async def work(client: RedfishClient) -> tuple[Report, str]:
        try:
            state = await client.power_state()
        except (RedfishError, TimeoutError) as error:
            return Report.REFUSED, f"the BMC did not report the power state: {error}"
        if state == wanted:
            return Report.ACCEPTED, f"the machine is {wanted} already"
        try:
            await client.power(wanted)
        except RedfishStatus as error:
            return (Report.REFUSED if error.status < 500 else Report.NONE), str(error)
        except (RedfishError, TimeoutError) as error:
            return Report.NONE, f"not known whether the BMC took the order: {error}"
        return Report.ACCEPTED, f"the BMC was ordered to switch {wanted}"

    try:
        report, text = _with_client(machine_id, work)
    except LookupError as error:
        return Answer(Report.IMPOSSIBLE, str(error))
    except RedfishError as error:
        return Answer(Report.REFUSED, f"the BMC could not be reached: {error}")
    except TimeoutError:
        return Answer(Report.NONE, "the BMC took too long")
    return Answer(report, text)


class PowerCycle(Simple):
    """Off with `send`, on with `finish`."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        return {}

    def send(self, job: Job) -> Answer:
        refusal = job.refusal()
        return not_sent(refusal) if refusal else _order(job.machine_id, "off")

    def finish(self, job: Job) -> Answer:
        refusal = job.refusal()
        return not_sent(refusal) if refusal else _order(job.machine_id, "on")
