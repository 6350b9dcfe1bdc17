"""The engines for any machine with a Redfish BMC: the next start from the network or from an image in the virtual CD,
restart, and let it ask. What a vendor does in its own way is the driver's matter (`drivers.dialects`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.utils import timezone

from access.bmc import BmcResult, failed
from drivers.redfish import (
    CertificateChanged,
    RedfishAuthError,
    RedfishClient,
    RedfishError,
    RedfishTimedOut,
)
from drivers.redfish_logs import read_logs
from provisioning.conf import config
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked, Outcome
from provisioning.failures import bmc as seen_by_bmc
from provisioning.identity import same_uuid
from provisioning.steps import INSTALL, FailureClass, Power, StepName, power_phase

REQUEST_TIMEOUT_S = 8
NEVER_ASKED = "the machine is on, but never asked for its boot script"
LAST_ENTRIES = 10
"""Of a BMC's log that are kept with a failure."""
Work = Callable[[RedfishClient, Job], Awaitable[Outcome]]


class RedfishEngine:
    """Redfish and network boot. Certificates met for the first time are pinned, a changed one ends the step."""

    slug = "redfish"
    title = "network boot"
    way = INSTALL
    trusts_first_key = False
    performs = frozenset({StepName.IDENTITY, StepName.BOOT_OVERRIDE, StepName.POWER_ON})

    def refusal(self) -> str:
        return ""

    def images(self) -> Sequence[str]:
        return list(config().installers)

    def refuses(self, state: str) -> str:
        return ""

    def refuses_site(self, site_id: int) -> str:
        return ""

    async def boot(self, client: RedfishClient, job: Job) -> Outcome:
        return await boot_from_network(client, job)

    async def perform(self, step: StepName, job: Job) -> Looked:
        work: dict[StepName, Work] = {
            StepName.IDENTITY: identify,
            StepName.BOOT_OVERRIDE: self.boot,
            StepName.POWER_ON: restart,
        }
        if not job.bmc.address:
            return Looked(Broken(FailureClass.NO_BMC, "no BMC address is known for this machine"))
        return await with_client(job, work[step])

    async def explain_silence(self, job: Job, *, spoke: bool) -> Looked:
        if not job.bmc.address:
            return Looked(Again(NEVER_ASKED))
        found: list[str] = []

        async def work(client: RedfishClient, job: Job) -> Outcome:
            outcome, words = await cause_of_silence(client, job)
            found.append(words)
            return outcome

        looked = await with_client(job, work)
        return replace(looked, seen="".join(found))


async def with_client(job: Job, work: Work) -> Looked:
    """What the BMC let us do; one that lets us wait is silent, one that refuses or is gone answers at once."""
    client = job.bmc.client(REQUEST_TIMEOUT_S)
    try:
        async with client:
            outcome = await work(client, job)
    except CertificateChanged as error:
        return Looked(Broken(FailureClass.NO_BMC, str(error)), met_bmc=failed(job.bmc, client, error))
    except RedfishAuthError as error:
        return Looked(Broken(FailureClass.BMC_REFUSES, str(error)), met_bmc=failed(job.bmc, client, error))
    except RedfishError as error:
        silent = isinstance(error, RedfishTimedOut)
        return Looked(Again(f"the BMC gave no usable answer: {error}"), silent=silent)
    return Looked(outcome, met_bmc=BmcResult(job.bmc, fingerprint=client.fingerprint))


async def identify(client: RedfishClient, job: Job) -> Outcome:
    """The BMC must be that of this machine: its service tag or serial, and its UUID where the inventory has one."""
    system = await client.system()
    return other_machine(system, job) or Finished(f"the BMC is that of {job.serial or system.get('UUID')}")


def other_machine(system: Mapping[str, Any], job: Job) -> Broken | None:
    """Why this is not the machine; None when it is."""
    serials = {str(system.get(key) or "").strip().upper() for key in ("SKU", "SerialNumber")} - {""}
    if job.serial and job.serial.upper() not in serials:
        seen = ", ".join(sorted(serials)) or "none"
        return Broken(FailureClass.WRONG_IDENTITY, f"the inventory has serial {job.serial}, the BMC says {seen}")
    uuid = str(system.get("UUID") or "")
    if job.system_uuid is not None and uuid and not same_uuid(job.system_uuid, uuid):
        return Broken(
            FailureClass.WRONG_IDENTITY, f"the inventory has system UUID {job.system_uuid}, the BMC says {uuid}"
        )
    if not job.serial and (job.system_uuid is None or not uuid):
        return Broken(FailureClass.WRONG_IDENTITY, "neither serial nor system UUID can be compared")
    return None


async def boot_from_network(client: RedfishClient, job: Job) -> Outcome:
    await client.set_boot_once("Pxe")
    target = await client.boot_override()
    if target != "Pxe":
        return Again(f"the boot override reads back as {target}")
    return Finished("the next start is from the network")


async def restart(client: RedfishClient, job: Job) -> Outcome:
    """Off, then on, one order at a look; see `power_phase`."""
    state = await client.power_state()
    phase = str(job.data.get("phase", ""))
    order, next_phase, done = power_phase(phase, state)
    if done:
        return Finished("the machine is on")
    if order is not Power.NOTHING:
        await client.power(order.value)
        # A BMC that takes the order and a machine that stays off are no fault of the BMC.
        failure = FailureClass.NO_POWER if order is Power.ON else None
        return Again(f"the machine is {state}, ordered to go {order}", {"phase": next_phase}, failure=failure)
    return Again(f"the machine is {state}", {"phase": next_phase}, after_s=0)


async def cause_of_silence(client: RedfishClient, job: Job) -> tuple[Outcome, str]:
    """What the BMC shows of a machine that does not speak: broken where it shows a cause; and all in words. It may
    have been swapped, or lost its power, since the run began."""
    system = await client.system()
    if (other := other_machine(system, job)) is not None:
        return replace(other, detail=f"another machine stands there now: {other.detail}"), ""
    interfaces = await client.ethernet_interfaces()
    supplies, entries, manager = await supplies_and_log(client, system)
    found = seen_by_bmc.cause_of_silence(system, interfaces, supplies, job.boot_mac)
    clock = seen_by_bmc.wrong_clock(manager, timezone.now())
    if found is None and clock and settings.PUBLIC_URL.startswith("https:"):
        found = FailureClass.CLOCK_WRONG, clock
    words = "\n".join([seen_by_bmc.words(system, interfaces, supplies, entries), *([clock] if clock else [])])
    return (Broken(*found) if found else Again(NEVER_ASKED)), words


async def supplies_and_log(
    client: RedfishClient, system: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[Mapping[str, Any]], Mapping[str, Any]]:
    """The power supplies, the last entries of the BMC's logs, and the BMC itself, as far as it tells them: no failure
    depends on their being told."""
    supplies: list[dict[str, Any]] = []
    manager: Mapping[str, Any] = {}
    try:
        answers = await client.report()
        manager = answers.manager or {}
        supplies = (answers.power or answers.power_subsystem or {}).get("PowerSupplies") or []
        logs = await read_logs(client, answers.manager, system, {}, wanted=(await client.dialect()).logs)
    except RedfishError:
        return supplies, [], manager
    return supplies, [entry for log in logs for entry in log.rows][-LAST_ENTRIES:], manager
