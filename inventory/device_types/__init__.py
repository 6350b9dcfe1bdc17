"""Device types in the format of the NetBox community library, turned into device models of ours.

`device_model_from_netbox_type(mapping)` is all that others need: it takes one file's YAML as read and gives the device
model, what is wrong with the file, and what it says that has no home here. No Django, no database.
"""

from inventory.device_types.convert import Conversion, Remark, device_model_from_netbox_type, looks_like_netbox_type
from inventory.device_types.files import TypeFile, read_type_files

__all__ = [
    "Conversion",
    "Remark",
    "TypeFile",
    "device_model_from_netbox_type",
    "looks_like_netbox_type",
    "read_type_files",
]
