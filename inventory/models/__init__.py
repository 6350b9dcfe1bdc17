"""What is planned and owned: places, device models, devices, components by serial, ports and cables."""

from core.models import Site
from inventory.models.cables import Cable, ChangeSet, Connector, Port, StrandEnd
from inventory.models.components import Component, Installation
from inventory.models.devices import Device, DeviceModel, Machine, Pdu, Placement, Switch
from inventory.models.places import Aisle, Rack, Room, Row

__all__ = [
    "Aisle",
    "Cable",
    "ChangeSet",
    "Component",
    "Connector",
    "Device",
    "DeviceModel",
    "Installation",
    "Machine",
    "Pdu",
    "Placement",
    "Port",
    "Rack",
    "Room",
    "Row",
    "Site",
    "StrandEnd",
    "Switch",
]
