"""The engine for any machine with a Redfish BMC: boot override to the network, restart, and let it ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

from access.bmc import BmcResult
from access.services import record_bmc_identities
from drivers.redfish import CertificateChanged, RedfishAuthError, RedfishClient, RedfishError, mapping
from provisioning.engines.contract import Again, Broken, Finished, Job, Outcome
from provisioning.steps import FailureClass, Power, StepName, power_phase

REQUEST_TIMEOUT_S = 8


class RedfishEngine:
    """Redfish and network boot. Certificates met for the first time are pinned, a changed one ends the step."""

    slug = "redfish"
    performs = frozenset({StepName.IDENTITY, StepName.BOOT_OVERRIDE, StepName.POWER_ON})

    def perform(self, step: StepName, job: Job, *, timeout_s: float) -> Outcome:
        work: dict[StepName, Callable[[RedfishClient, Job], Awaitable[Outcome]]] = {
            StepName.IDENTITY: identify,
            StepName.BOOT_OVERRIDE: boot_from_network,
            StepName.POWER_ON: restart,
        }
        if not job.bmc.address:
            return Broken(FailureClass.NO_BMC, "no BMC address is known for this machine")
        return self._with_client(job, work[step], timeout_s)

    def explain_silence(self, job: Job, *, timeout_s: float) -> tuple[FailureClass, str] | None:
        async def look(client: RedfishClient, job: Job) -> Outcome:
            return await link_of_boot_port(client, job)

        outcome = self._with_client(job, look, timeout_s)
        return (outcome.failure, outcome.detail) if isinstance(outcome, Broken) else None

    def _with_client(
        self, job: Job, work: Callable[[RedfishClient, Job], Awaitable[Outcome]], timeout_s: float
    ) -> Outcome:
        client = job.bmc.client(REQUEST_TIMEOUT_S)

        async def within_time() -> Outcome:
            async with asyncio.timeout(timeout_s), client:
                return await work(client, job)

        try:
            outcome = asyncio.run(within_time())
        except CertificateChanged as error:
            record_bmc_identities([BmcResult(job.bmc, changed_to=error.presented)], actor="provisioning")
            return Broken(FailureClass.NO_BMC, str(error))
        except RedfishAuthError as error:
            return Broken(FailureClass.NO_BMC, str(error))
        except (RedfishError, TimeoutError) as error:
            return Again(f"the BMC gave no usable answer: {str(error) or 'no answer in time'}")
        record_bmc_identities([BmcResult(job.bmc, fingerprint=client.fingerprint)], actor="provisioning")
        return outcome


async def identify(client: RedfishClient, job: Job) -> Outcome:
    """The BMC must be that of this machine: its service tag or serial, and its UUID where the inventory has one."""
    system = await client.system()
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
    return Finished(f"the BMC is that of {job.serial or uuid}")


def same_uuid(known: UUID, seen: str) -> bool:
    """Equal, or equal with the first three fields in the other byte order, as some firmware prints them."""
    try:
        other = UUID(seen)
    except ValueError:
        return False
    return known in (other, UUID(bytes=other.bytes_le))


async def boot_from_network(client: RedfishClient, job: Job) -> Outcome:
    await client.set_boot_once("Pxe")
    target = mapping(await client.system(), "Boot").get("BootSourceOverrideTarget")
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
        return Again(f"the machine is {state}, told to go {order}", {"phase": next_phase})
    return Again(f"the machine is {state}", {"phase": next_phase}, after_s=0)


async def link_of_boot_port(client: RedfishClient, job: Job) -> Outcome:
    """Broken(no_link) when the BMC shows the boot port without a link."""
    for interface in await client.ethernet_interfaces():
        addresses = {str(interface.get(key) or "").lower() for key in ("MACAddress", "PermanentMACAddress")}
        if job.boot_mac.lower() in addresses and interface.get("LinkStatus") in ("LinkDown", "NoLink"):
            return Broken(FailureClass.NO_LINK, f"the boot port {job.boot_mac} has no link: look at its cable")
    return Finished("no port without a link is known")
