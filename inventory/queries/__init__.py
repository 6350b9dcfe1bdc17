"""Reads that join: where a device stands, what is in it, what is plugged into it. Each a fixed number of queries."""

from inventory.queries.cables import device_cables
from inventory.queries.components import component_history, device_components
from inventory.queries.face import face_of
from inventory.queries.place import (
    place_dict,
    place_line,
    place_of,
    place_text,
    places,
    slot_place_text,
    units_text,
    with_place,
)
from inventory.queries.slots import port_face, printed_label, slot_text_of, slot_texts_by_device, slot_texts_of

__all__ = [
    "component_history",
    "device_cables",
    "device_components",
    "face_of",
    "place_dict",
    "place_line",
    "place_of",
    "place_text",
    "places",
    "port_face",
    "printed_label",
    "slot_place_text",
    "slot_text_of",
    "slot_texts_by_device",
    "slot_texts_of",
    "units_text",
    "with_place",
]
