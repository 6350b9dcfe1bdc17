"""Every write of the inventory but the fleet file's, which is `inventory.fleet`."""

from inventory.services.cables import create_cable, remove_cable, update_cable
from inventory.services.components import Returned, swap_component
from inventory.services.devices import create_device, place_device, retire_device, update_device
from inventory.services.places import remove, save
from inventory.services.refusals import Refused
from inventory.services.stock import put_into_stock, take_from_stock

__all__ = [
    "Refused",
    "Returned",
    "create_cable",
    "create_device",
    "place_device",
    "put_into_stock",
    "remove",
    "remove_cable",
    "retire_device",
    "save",
    "swap_component",
    "take_from_stock",
    "update_cable",
    "update_device",
]
