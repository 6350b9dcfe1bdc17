"""Every write of the inventory but the fleet file's, which is `inventory.fleet`."""

from inventory.services.cables import create_cable, remove_cable, update_cable
from inventory.services.components import swap_component
from inventory.services.devices import create_device, place_device, retire_device, update_device
from inventory.services.places import remove, save
from inventory.services.refusals import Refused

__all__ = [
    "Refused",
    "create_cable",
    "create_device",
    "place_device",
    "remove",
    "remove_cable",
    "retire_device",
    "save",
    "swap_component",
    "update_cable",
    "update_device",
]
