"""The engine for a site with Ironic: Ironic inspects, cleans and installs the machine, with our user-data on its config
drive.

Ironic's node of a machine is found by the MAC address of its boot port, by name, or by the address of its BMC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from drivers.https import NoSuchRecord
from drivers.ironic.client import IronicClient, Target
from drivers.ironic.shapes import Node
from provisioning.deployers.decisions import contradiction
from provisioning.deployers.hardware import compared, mismatches
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked
from provisioning.engines.deployer import DeployerEngine, Work
from provisioning.ironic import decisions, hardware, queries, services
from provisioning.ironic.decisions import Operation
from provisioning.ironic.queries import IronicTarget
from provisioning.steps import IRONIC, FailureClass, StepName

LAST_EVENTS = 10
"""Of a node's history that are kept with a failure."""


class IronicEngine(DeployerEngine):
    slug = "ironic"
    title = "Ironic"
    place = "server"
    login = "name or password"
    way = IRONIC
    performs = frozenset(
        {
            StepName.IDENTITY,
            StepName.IRONIC_NODE,
            StepName.INSPECT,
            StepName.HARDWARE,
            StepName.CLEAN,
            StepName.DEPLOY,
        }
    )

    def has_place(self, site_id: int) -> bool:
        return queries.has_server(site_id)

    def targets(self, machine_ids: Iterable[int], *, hardware: Iterable[int]) -> Mapping[int, IronicTarget]:
        return queries.targets(machine_ids, hardware=hardware)

    def record(self, machine_id: int, target: IronicTarget, seen: Node) -> None:
        services.record(machine_id, target.server, seen)

    def works(self) -> Mapping[StepName, Work]:
        return {
            StepName.IRONIC_NODE: find_or_enroll,
            StepName.INSPECT: self.inspect,
            StepName.HARDWARE: self.compare,
            StepName.CLEAN: self.clean,
            StepName.DEPLOY: self.deploy,
        }

    def known(self, target: IronicTarget) -> str:
        return target.uuid

    async def read(self, client: IronicClient, target: IronicTarget) -> Node | Broken:
        node = await client.node(target.uuid)
        return self.renamed(node.uuid, target.name, node.name) if node.name != target.name else node

    async def reason(self, client: IronicClient, seen: Node) -> tuple[str, str]:
        """The newest error of its history where the node does not show it: the next sync of its power clears that."""
        events = await client.history(seen.uuid)
        errors = [event.text for event in events if event.severity == "ERROR"]
        why = errors[-1] if errors and not seen.last_error else ""
        return why, "\n".join(f"{each.at} {each.severity} {each.text}" for each in events[-LAST_EVENTS:])

    async def inspect(self, client: IronicClient, job: Job, target: IronicTarget) -> Looked:
        return await self.advance(client, job, target, partial(decisions.inspect, reads=target.inspects))

    async def clean(self, client: IronicClient, job: Job, target: IronicTarget) -> Looked:
        return await self.advance(client, job, target, partial(decisions.clean, erases=bool(target.erases)))

    async def deploy(self, client: IronicClient, job: Job, target: IronicTarget) -> Looked:
        return await self.advance(client, job, target, decisions.deploy)

    async def compare(self, client: IronicClient, job: Job, target: IronicTarget) -> Looked:
        node = await self.recorded(client, target)
        if isinstance(node, Broken):
            return Looked(node)
        read = await client.hardware(node)
        if differs := contradiction("Ironic", read.serial, read.uuid, serial=job.serial, uuid=job.system_uuid):
            return Looked(Broken(FailureClass.WRONG_IDENTITY, differs), met_record=node)
        if not read.read or not target.inspects:
            return Looked(Finished("Ironic did not inspect it: its parts are left to the checks"), met_record=node)
        seen = hardware.seen(read)
        if wrong := mismatches(target.expected, seen):
            return Looked(Broken(FailureClass.WRONG_HARDWARE, f"Ironic found {'; '.join(wrong)}"), met_record=node)
        return Looked(Finished(compared(target.expected, drives=seen.nvme is not None)), met_record=node)

    async def give(self, client: IronicClient, job: Job, target: IronicTarget, operation: Operation) -> None:
        match operation:
            case Operation.MANAGE:
                await client.provision(target.uuid, Target.MANAGE)
            case Operation.INSPECT:
                await client.provision(target.uuid, Target.INSPECT)
            case Operation.ERASE:
                await client.run_clean_steps(target.uuid, target.erases)
            case Operation.CLEAN | Operation.UNDEPLOY:
                # What was erased by order in this run, or is about to be, is not erased a second time.
                automated = False if target.erases else target.automated_clean
                if automated is not None:
                    await client.change(target.uuid, {"automated_clean": automated})
                to = Target.PROVIDE if operation is Operation.CLEAN else Target.DELETED
                await client.provision(target.uuid, to)
            case Operation.DEPLOY:
                assert job.install_data is not None
                told: dict[str, Any] = {"instance_info": target.instance_info}
                if target.deploy_interface:
                    told["deploy_interface"] = target.deploy_interface
                await client.change(target.uuid, told)
                data = await job.install_data()
                meta = {"uuid": target.uuid, "name": job.name, "hostname": job.name}
                await client.deploy(target.uuid, user_data=data, meta_data=meta)
            case Operation.UNSET_MAINTENANCE:
                await client.unset_maintenance(target.uuid)


# ---- its node ----


async def find_or_enroll(client: IronicClient, job: Job, target: IronicTarget) -> Looked:
    owners = await client.owners(job.boot_mac) if job.boot_mac else []
    if len(owners) > 1:
        said = f"several nodes of Ironic have the boot MAC {job.boot_mac}: {', '.join(sorted(owners))}"
        return Looked(Broken(FailureClass.WRONG_IDENTITY, said))
    node = await _find(client, job, owners)
    if node is not None:
        return await _take(client, job, node, has_port=bool(owners) or not job.boot_mac)
    if why := _not_enrolled(job, target):
        return Looked(Broken(FailureClass.RECORD_LOST, f"Ironic does not have this machine, and {why}"))
    info = {
        "redfish_address": f"https://{job.bmc.address}:{job.bmc.port}",
        "redfish_username": job.bmc.username,
        "redfish_password": job.bmc.password,
        "redfish_verify_ca": target.verifies_bmc,
    }
    more = {"deploy_interface": target.deploy_interface} if target.deploy_interface else {}
    made = await client.enroll(name=job.name, driver_info=info, more=more)
    return Looked(Again(f"enrolled as {made.name} ({made.uuid})", after_s=0), met_record=made)


async def _find(client: IronicClient, job: Job, owners: list[str]) -> Node | None:
    """The node of this machine. Only a machine without a known MAC address is looked for among all of them."""
    if owners:
        return await client.node(owners[0])
    try:
        return await client.node(job.name)
    except NoSuchRecord:
        pass
    if job.boot_mac or not job.bmc.address:
        return None
    ours = [each for each in await client.nodes() if decisions.same_bmc(each, job.bmc.address)]
    return ours[0] if len(ours) == 1 else None


def _not_enrolled(job: Job, target: IronicTarget) -> str:
    if not target.enrolls:
        return "the site does not let Rackside enroll machines"
    return "" if job.bmc.address else "no BMC is known to enroll it with"


async def _take(client: IronicClient, job: Job, node: Node, *, has_port: bool) -> Looked:
    read = await client.hardware(node)
    differs = contradiction("Ironic", read.serial, read.uuid, serial=job.serial, uuid=job.system_uuid)
    if decisions.same_bmc(node, job.bmc.address) is False:
        differs = f"the inventory has BMC {job.bmc.address}, Ironic switches {node.bmc}"
    if differs:
        return Looked(Broken(FailureClass.WRONG_IDENTITY, f"{node.name} ({node.uuid}): {differs}"))
    if node.retired:
        return Looked(Broken(FailureClass.RECORD_LOST, "it is retired in Ironic"))
    if not has_port:
        await client.add_port(node.uuid, job.boot_mac)
        return Looked(Again(f"its node {node.name} is given the port {job.boot_mac}", after_s=0))
    if node.name != job.name:
        await client.change(node.uuid, {"name": job.name})
        return Looked(Again(f"Ironic calls it {node.name or node.uuid}; it is renamed there", after_s=0))
    return Looked(Finished(f"Ironic has it as {node.name} ({node.uuid})"), met_record=node)
