"""PDUs of the vendors of `facility.pdus`, and sensors of a room, asked by SNMP."""

from __future__ import annotations

from drivers.gate import Gate
from drivers.meters.oids import dotted
from drivers.meters.snmp import Community, Identity, SnmpSession, SnmpUser
from facility.pdus import VENDORS, vendor_of
from facility.readers import entity_sensors
from facility.readers.answers import Answer, NotKnown
from facility.walks import Walk


def of(host: str, access: Community | SnmpUser, port: int, gate: Gate | None) -> SnmpSession:
    return SnmpSession(host, access, port=port, gate=gate)


async def pdu(agent: SnmpSession) -> Answer:
    """Everything that a PDU measures. Raises SnmpError, and NotKnown for an agent that is no PDU, or tells nothing."""
    identity = await agent.identity()
    vendor = vendor_of(identity.object_id)
    if vendor is None:
        known = ", ".join(each.name for each in VENDORS)
        raise NotKnown(f"it answers as {_as(identity)}, no PDU of {known}")
    values = vendor.read(Walk([row for table in vendor.tables.items() for row in await agent.table(*table)]))
    if not values:
        raise NotKnown(f"it answers as a PDU of {vendor.name} and has no table of values")
    return Answer(identity.description, values, vendor.name)


async def sensors(agent: SnmpSession) -> Answer:
    """The sensors of the air and the power supplies of any agent with ENTITY-SENSOR-MIB. Raises what `pdu` does."""
    identity = await agent.identity()
    values = entity_sensors.read(Walk([row for tree in entity_sensors.TREES for row in await agent.walk(tree)]))
    if not values:
        raise NotKnown(
            f"it answers as {_as(identity)} and has no sensor of the air or of a power supply in ENTITY-SENSOR-MIB"
        )
    return Answer(identity.description, values)


def _as(identity: Identity) -> str:
    return f"{identity.description!r} ({dotted(identity.object_id)})"
