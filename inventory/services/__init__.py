"""What is done with parts and spares. Records are written by `inventory.kinds`, whole sites by `inventory.fleet`."""

from inventory.services.components import Returned, swap_component
from inventory.services.refusals import Refused
from inventory.services.stock import put_into_stock, take_from_stock

__all__ = [
    "Refused",
    "Returned",
    "put_into_stock",
    "swap_component",
    "take_from_stock",
]
