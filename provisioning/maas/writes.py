"""What is written to MAAS because of the state of a machine here; see `provisioning.deployers.writes`."""

from __future__ import annotations

from drivers.maas.client import MaasClient
from drivers.maas.shapes import Machine
from provisioning.deployers.decisions import Due, Kind
from provisioning.deployers.writes import Writer
from provisioning.maas import decisions, services
from provisioning.maas.models import MaasMachine, MaasRegion, MaasWrite
from provisioning.maas.queries import MaasTarget, target_of


class MaasWriter(Writer):
    slug, title, owner, related = "maas", "MAAS", "region", "maas"
    deployers, records, writes = MaasRegion, MaasMachine, MaasWrite

    def target(self, deployer: MaasRegion) -> MaasTarget:
        return target_of(deployer)

    def record_id(self, record: MaasMachine) -> str:
        return record.system_id

    async def look(self, client: MaasClient, record_id: str) -> Machine:
        return await client.machine(record_id)

    def due(self, deployer: MaasRegion, kind: Kind, state: str, seen: Machine) -> Due:
        also_in_use = deployer.mark_broken == MaasRegion.MarkBroken.ALL
        return decisions.due(kind, state, seen.means, also_in_use=also_in_use)

    def is_on(self, deployer: MaasRegion, kind: Kind) -> bool:
        return deployer.release if kind is Kind.RELEASE else deployer.mark_broken != MaasRegion.MarkBroken.OFF

    async def send(self, client: MaasClient, target: MaasTarget, kind: Kind, record_id: str, comment: str) -> None:
        match kind:
            case Kind.MARK_BROKEN:
                await client.mark_broken(record_id, comment)
            case Kind.MARK_FIXED:
                await client.mark_fixed(record_id, comment)
            case Kind.RELEASE:
                await client.release(record_id, erase=target.erase, comment=comment)

    def record(self, machine_id: int, deployer_id: int, seen: Machine) -> None:
        services.record(machine_id, deployer_id, seen)


WRITER = MaasWriter()
WORK, plan, deliver = WRITER.WORK, WRITER.plan, WRITER.deliver
