"""The engine for a site with MAAS: MAAS starts, commissions and installs the machine, with our user-data.

Who the machine is says its BMC first, as with every engine; MAAS's record of it is then found by MAC address, by name,
or by its UUID and serial. What takes long is ordered once, then looked at again (`provisioning.maas.decisions`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from drivers.https import ApplianceError, SignInRefused, Unreachable
from drivers.maas.client import Later, MaasClient, NoSuchRecord
from drivers.maas.shapes import Machine
from drivers.maas.states import Means
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked, Outcome
from provisioning.engines.redfish import identify, with_client
from provisioning.maas import decisions, hardware, queries
from provisioning.maas.decisions import Lost, Operation, Order, Reached, Remember, Wait
from provisioning.maas.queries import MaasTarget
from provisioning.steps import MAAS, FailureClass, StepName

REQUEST_TIMEOUT_S = 8
AFTER_AN_ORDER_S = 5.0
UNANSWERED_ORDER_S = 60.0
"""An order that was not answered may still arrive: it is not given again at once."""
Work = Callable[[MaasClient, Job, MaasTarget], Awaitable[Looked]]
Decide = Callable[[Machine, decisions.Memory], decisions.Decision]


class MaasEngine:
    slug = "maas"
    title = "MAAS"
    way = MAAS
    trusts_first_key = False
    performs = frozenset(
        {StepName.IDENTITY, StepName.MAAS_RECORD, StepName.COMMISSION, StepName.HARDWARE, StepName.DEPLOY}
    )

    def refusal(self) -> str:
        return ""

    def images(self) -> Sequence[str]:
        return ()

    def refuses(self, state: str) -> str:
        return ""

    def refuses_site(self, site_id: int) -> str:
        return "" if queries.has_region(site_id) else "this site has no MAAS region that is enabled"

    async def perform(self, step: StepName, job: Job) -> Looked:
        if step is StepName.IDENTITY:
            if not job.bmc.address:
                return Looked(Finished("no BMC is known; MAAS's record is compared with the inventory"))
            return await with_client(job, identify)
        work: dict[StepName, Work] = {
            StepName.MAAS_RECORD: find_or_enlist,
            StepName.COMMISSION: commission,
            StepName.HARDWARE: compare_hardware,
            StepName.DEPLOY: deploy,
        }
        return await with_region(job, work[step])

    async def explain_silence(self, job: Job) -> Looked:
        return Looked(Again("MAAS starts it"))


async def with_region(job: Job, work: Work) -> Looked:
    """What MAAS let us do. It is one service for all machines of a site, so one that is silent is silent for all."""
    target = job.maas
    if target is None:
        return Looked(Again("the site's MAAS region is disabled: enable it, or cancel"))
    try:
        async with target.client(REQUEST_TIMEOUT_S, REQUEST_TIMEOUT_S) as client:
            return await work(client, job, target)
    except SignInRefused as error:
        return Looked(Broken(FailureClass.NO_ENGINE, f"MAAS refuses the API key: {error}"))
    except NoSuchRecord:
        said = f"its record {target.system_id} in MAAS was deleted outside of this run"
        return Looked(Broken(FailureClass.RECORD_LOST, said))
    except Later as error:
        return Looked(Again(f"MAAS cannot now: {error}"))
    except ApplianceError as error:
        silent = isinstance(error, Unreachable) and "in time" in str(error)
        return Looked(Again(f"MAAS gave no usable answer: {error}"), silent=silent)


# ---- its record ----


async def find_or_enlist(client: MaasClient, job: Job, target: MaasTarget) -> Looked:
    found = await _find(client, job)
    if len(found) > 1:
        names = ", ".join(sorted(f"{each.hostname} ({each.system_id})" for each in found))
        return Looked(Broken(FailureClass.WRONG_IDENTITY, f"several records of MAAS are of this machine: {names}"))
    if found:
        return await _take_record(client, job, found[0])
    if why := _not_enlisted(job, target):
        return Looked(Broken(FailureClass.RECORD_LOST, f"MAAS does not have this machine, and {why}"))
    power = {
        "power_address": f"https://{job.bmc.address}:{job.bmc.port}",
        "power_user": job.bmc.username,
        "power_pass": job.bmc.password,
    }
    made = await client.enlist(hostname=job.name, mac=job.boot_mac, power=power)
    return Looked(Finished(f"enlisted as {made.hostname} ({made.system_id})"), met_maas=made)


async def _find(client: MaasClient, job: Job) -> list[Machine]:
    """Records of this machine. Only a machine without a known MAC address is looked for among all of the region's."""
    found = await client.machines(mac_address=job.boot_mac) if job.boot_mac else []
    found = found or await client.machines(hostname=job.name)
    if found or job.boot_mac:
        return found
    return [each for each in await client.machines() if _is_of(each, job)]


def _is_of(machine: Machine, job: Job) -> bool:
    known = bool(job.serial and machine.serial) or bool(job.system_uuid and machine.hardware_uuid)
    return known and not decisions.difference(machine, serial=job.serial, uuid=job.system_uuid)


def _not_enlisted(job: Job, target: MaasTarget) -> str:
    if not target.enlists:
        return "the site does not let Rackside enlist machines"
    if not job.boot_mac:
        return "no boot MAC address is known to enlist it with"
    return "" if job.bmc.address else "no BMC is known to enlist it with"


async def _take_record(client: MaasClient, job: Job, machine: Machine) -> Looked:
    if differs := decisions.difference(machine, serial=job.serial, uuid=job.system_uuid):
        return Looked(Broken(FailureClass.WRONG_IDENTITY, f"{machine.hostname} ({machine.system_id}): {differs}"))
    if machine.means is Means.GONE:
        return Looked(Broken(FailureClass.RECORD_LOST, f"MAAS has it as {machine.said}"))
    if machine.hostname == job.name:
        return Looked(Finished(f"MAAS has it as {machine.hostname} ({machine.system_id})"), met_maas=machine)
    await client.rename(machine.system_id, job.name)
    return Looked(Again(f"MAAS calls it {machine.hostname}; it is renamed there", after_s=0))


# ---- commissioning and deploying ----


async def _recorded(client: MaasClient, target: MaasTarget) -> Machine | Broken:
    """MAAS's record of the machine; Broken for one that somebody gave another name meanwhile."""
    if not target.system_id:
        return Broken(FailureClass.RECORD_LOST, "the site's region was replaced in the middle of this run")
    machine = await client.machine(target.system_id)
    if machine.hostname != target.hostname:
        said = f"its record {target.system_id} in MAAS was renamed from {target.hostname} to {machine.hostname}"
        return Broken(FailureClass.RECORD_LOST, f"{said} outside of this run")
    return machine


async def _advance(client: MaasClient, job: Job, target: MaasTarget, decide: Decide) -> Looked:
    machine = await _recorded(client, target)
    if isinstance(machine, Broken):
        return Looked(machine)
    match decide(machine, job.data):
        case Order(operation):
            outcome: Outcome = await _ordered(client, job, target, operation)
        case Remember(memory):
            outcome = Again(f"MAAS: {machine.said}", {**job.data, **memory}, after_s=0)
        case Wait(text):
            outcome = Again(text, _restarted(job.data) if machine.means is Means.WORKING else None)
        case Reached(text):
            outcome = Finished(text)
        case Lost(failure, text, scripts):
            failed = await client.failed_scripts(machine.system_id, machine.commissioned) if scripts else []
            outcome = Broken(failure, f"{text}; {', '.join(failed)}" if failed else text)
    return Looked(outcome, met_maas=machine)


def _restarted(data: Mapping[str, Any]) -> dict[str, Any]:
    """What ran on it runs no more: nothing is asked of it any longer (`steps.may_order_off`)."""
    return {**data, "phase": "on"}


async def commission(client: MaasClient, job: Job, target: MaasTarget) -> Looked:
    return await _advance(client, job, target, decisions.commission)


async def deploy(client: MaasClient, job: Job, target: MaasTarget) -> Looked:
    return await _advance(client, job, target, decisions.deploy)


async def _ordered(client: MaasClient, job: Job, target: MaasTarget, operation: Operation) -> Outcome:
    system_id, comment = target.system_id, f"Rackside: {job.name}"
    try:
        match operation:
            case Operation.COMMISSION:
                await client.commission(system_id, target.scripts)
            case Operation.ALLOCATE:
                await client.allocate(system_id, comment)
            case Operation.DEPLOY:
                assert job.install_data is not None
                data = await job.install_data()
                await client.deploy(system_id, series=target.series, user_data=data, comment=comment)
            case Operation.RELEASE:
                await client.release(system_id, erase=target.erase, comment=comment)
            case Operation.MARK_FIXED:
                await client.mark_fixed(system_id, comment)
            case Operation.EXIT_RESCUE:
                await client.exit_rescue_mode(system_id)
    except Unreachable as error:
        return Again(f"whether MAAS took the order to {operation} is not known: {error}", after_s=UNANSWERED_ORDER_S)
    return Again(f"MAAS was ordered to {operation}", after_s=AFTER_AN_ORDER_S)


async def compare_hardware(client: MaasClient, job: Job, target: MaasTarget) -> Looked:
    machine = await _recorded(client, target)
    if isinstance(machine, Broken):
        return Looked(machine)
    if differs := decisions.difference(machine, serial=job.serial, uuid=job.system_uuid):
        return Looked(Broken(FailureClass.WRONG_IDENTITY, differs), met_maas=machine)
    if wrong := hardware.mismatches(target.expected, machine):
        return Looked(Broken(FailureClass.WRONG_HARDWARE, f"MAAS found {'; '.join(wrong)}"), met_maas=machine)
    return Looked(Finished(hardware.compared(target.expected)), met_maas=machine)
