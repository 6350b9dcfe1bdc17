"""What is planned and owned: places, device models, devices, components by serial, ports, cables and power."""

from core.models import Site
from inventory.models.addresses import AddressClaim, IpAddress
from inventory.models.cables import Cable, ChangeSet, Connector, PassThrough, Port, StrandEnd
from inventory.models.components import Component, Installation, Stock, StoragePlace
from inventory.models.devices import Device, DeviceModel, Machine, Pdu, Placement, Switch
from inventory.models.labels import Contact, CustomField, Tag
from inventory.models.naming import NamingRule
from inventory.models.netbox import NetBoxLink, NetBoxRow, NetBoxRun
from inventory.models.notes import Annotation, Attachment, Comment
from inventory.models.places import Aisle, Landmark, Rack, Room, Row
from inventory.models.power import PowerFeed, PowerPanel, PowerReading

__all__ = [
    "AddressClaim",
    "Aisle",
    "Annotation",
    "Attachment",
    "Cable",
    "ChangeSet",
    "Comment",
    "Component",
    "Connector",
    "Contact",
    "CustomField",
    "Device",
    "DeviceModel",
    "Installation",
    "IpAddress",
    "Landmark",
    "Machine",
    "NamingRule",
    "NetBoxLink",
    "NetBoxRow",
    "NetBoxRun",
    "PassThrough",
    "Pdu",
    "Placement",
    "Port",
    "PowerFeed",
    "PowerPanel",
    "PowerReading",
    "Rack",
    "Room",
    "Row",
    "Site",
    "Stock",
    "StoragePlace",
    "StrandEnd",
    "Switch",
    "Tag",
]
