"""The engine for a site with MAAS: MAAS starts, commissions and installs the machine, with our user-data.

MAAS's record of a machine is found by MAC address, by name, or by its UUID and serial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drivers.maas.client import MaasClient
from drivers.maas.shapes import Machine
from drivers.maas.states import Means
from provisioning.deployers.hardware import compared, mismatches
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked
from provisioning.engines.deployer import DeployerEngine, Work
from provisioning.maas import decisions, hardware, queries, services
from provisioning.maas.decisions import Operation
from provisioning.maas.queries import MaasTarget
from provisioning.steps import MAAS, FailureClass, StepName


class MaasEngine(DeployerEngine):
    slug = "maas"
    title = "MAAS"
    place = "region"
    login = "API key"
    way = MAAS
    performs = frozenset(
        {StepName.IDENTITY, StepName.MAAS_RECORD, StepName.COMMISSION, StepName.HARDWARE, StepName.DEPLOY}
    )

    def has_place(self, site_id: int) -> bool:
        return queries.has_region(site_id)

    def targets(self, machine_ids: Iterable[int], *, hardware: Iterable[int]) -> Mapping[int, MaasTarget]:
        return queries.targets(machine_ids, hardware=hardware)

    def record(self, machine_id: int, target: MaasTarget, seen: Machine) -> None:
        services.record(machine_id, target.region, seen)

    def works(self) -> Mapping[StepName, Work]:
        return {
            StepName.MAAS_RECORD: find_or_enlist,
            StepName.COMMISSION: self.commission,
            StepName.HARDWARE: self.compare,
            StepName.DEPLOY: self.deploy,
        }

    def known(self, target: MaasTarget) -> str:
        return target.system_id

    async def read(self, client: MaasClient, target: MaasTarget) -> Machine | Broken:
        machine = await client.machine(target.system_id)
        if machine.hostname != target.hostname:
            return self.renamed(target.system_id, target.hostname, machine.hostname)
        return machine

    async def reason(self, client: MaasClient, seen: Machine) -> tuple[str, str]:
        return ", ".join(await client.failed_scripts(seen.system_id, seen.commissioned)), ""

    async def commission(self, client: MaasClient, job: Job, target: MaasTarget) -> Looked:
        return await self.advance(client, job, target, decisions.commission)

    async def deploy(self, client: MaasClient, job: Job, target: MaasTarget) -> Looked:
        return await self.advance(client, job, target, decisions.deploy)

    async def compare(self, client: MaasClient, job: Job, target: MaasTarget) -> Looked:
        machine = await self.recorded(client, target)
        if isinstance(machine, Broken):
            return Looked(machine)
        if differs := decisions.difference(machine, serial=job.serial, uuid=job.system_uuid):
            return Looked(Broken(FailureClass.WRONG_IDENTITY, differs), met_record=machine)
        if wrong := mismatches(target.expected, hardware.seen(machine)):
            return Looked(Broken(FailureClass.WRONG_HARDWARE, f"MAAS found {'; '.join(wrong)}"), met_record=machine)
        return Looked(Finished(compared(target.expected)), met_record=machine)

    async def give(self, client: MaasClient, job: Job, target: MaasTarget, operation: Operation) -> None:
        system_id, comment = target.system_id, f"Rackside: {job.name}"
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
    return Looked(Finished(f"enlisted as {made.hostname} ({made.system_id})"), met_record=made)


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
        return Looked(Finished(f"MAAS has it as {machine.hostname} ({machine.system_id})"), met_record=machine)
    await client.rename(machine.system_id, job.name)
    return Looked(Again(f"MAAS calls it {machine.hostname}; it is renamed there", after_s=0))
