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


async def pdu(agent: SnmpSession, unit: int | None = None) -> Answer:
    """Everything that a PDU measures; `unit` is its number in a chain that one agent speaks for. Raises SnmpError, and
    NotKnown for an agent that is no PDU, tells nothing, or speaks for several while it is not said which is meant."""
    identity = await agent.identity()
    vendor = vendor_of(identity.object_id)
    if vendor is None:
        known = ", ".join(each.name for each in VENDORS)
        raise NotKnown(f"it answers as {_as(identity)}, no PDU of {known}")
    pdus = vendor.pdus(Walk([row for table in vendor.tables.items() for row in await agent.table(*table)]))
    if not pdus:
        raise NotKnown(f"it answers as a PDU of {vendor.name} and has no table of values")
    if unit is None and len(pdus) == 1:
        unit = next(iter(pdus))
    if unit not in pdus:
        numbers = ", ".join(map(str, sorted(pdus)))
        meant = "say which one is meant, as unit" if unit is None else f"there is no {unit}"
        raise NotKnown(f"it speaks for the PDUs {numbers} of a chain; {meant}")
    return Answer(identity.description, pdus[unit], vendor.name)


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
