"""What is written to Ironic because of the state of a machine here; see `provisioning.deployers.writes`."""

from __future__ import annotations

from drivers.ironic.client import IronicClient, Target
from drivers.ironic.shapes import Node
from provisioning.deployers.decisions import Due, Kind
from provisioning.deployers.writes import Writer
from provisioning.ironic import decisions, services
from provisioning.ironic.models import IronicNode, IronicServer, IronicWrite
from provisioning.ironic.queries import IronicTarget, target_of

OURS = "Rackside: "
"""How the reason of a maintenance begins that we set."""


class IronicWriter(Writer):
    slug, title, owner, related = "ironic", "Ironic", "server", "ironic"
    deployers, records, writes = IronicServer, IronicNode, IronicWrite

    def target(self, deployer: IronicServer) -> IronicTarget:
        return target_of(deployer)

    def record_id(self, record: IronicNode) -> str:
        return str(record.uuid)

    async def look(self, client: IronicClient, record_id: str) -> Node:
        return await client.node(record_id)

    def due(self, deployer: IronicServer, kind: Kind, state: str, seen: Node) -> Due:
        return decisions.due(kind, state, seen, ours=seen.maintenance_reason.startswith(OURS))

    def is_on(self, deployer: IronicServer, kind: Kind) -> bool:
        return deployer.release if kind is Kind.RELEASE else deployer.maintenance

    async def send(self, client: IronicClient, target: IronicTarget, kind: Kind, record_id: str, comment: str) -> None:
        match kind:
            case Kind.MARK_BROKEN:
                await client.set_maintenance(record_id, comment)
            case Kind.MARK_FIXED:
                await client.unset_maintenance(record_id)
            case Kind.RELEASE:
                if target.automated_clean is not None:
                    await client.change(record_id, {"automated_clean": target.automated_clean})
                await client.provision(record_id, Target.DELETED)

    def record(self, machine_id: int, deployer_id: int, seen: Node) -> None:
        services.record(machine_id, deployer_id, seen)


WRITER = IronicWriter()
WORK, plan, deliver = WRITER.WORK, WRITER.plan, WRITER.deliver
