"""What PostgreSQL refuses, in words. The constraints are the judge; this only says what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

# Constraint -> (field, what it means).
MEANINGS = {
    "one_device_per_place": ("u", "Something is mounted or reserved there already."),
    "one_device_per_side_slot": ("side", "Something hangs in that side slot already."),
    "device_fits_its_rack": ("u", "It would stand outside the rack."),
    "placement_knows_its_racks_height": ("rack", "The rack changed meanwhile."),
    "one_device_per_bay": ("bay", "Something sits in that bay already."),
    "device_name_in_site": ("name", "The site has a device of that name."),
    "rack_name_in_room": ("name", "The room has a rack of that name."),
    "row_name_in_room": ("name", "The room has a row of that name."),
    "room_name_in_site": ("name", "The site has a room of that name."),
    "aisle_name_in_room": ("name", "The room has an aisle of that name."),
    "rack_height_is_sane": ("height_u", "A rack has 1 to 60 units."),
    "boot_mac_is_unique": ("boot_mac", "Another machine boots from that MAC."),
    "bmc_mac_is_unique": ("bmc_mac", "Another machine's BMC has that MAC."),
    "switch_guid_is_unique": ("node_guid", "Another switch has that GUID."),
    "cable_label_in_site": ("label", "The site has a cable of that label."),
    "one_cable_per_port": ("ports", "A port takes one cable, and a cable two different ports."),
    "port_name_in_device": ("name", "The device has a port of that name."),
    "component_serial_is_unique": ("serial", "That part is known already."),
    "one_place_per_component": ("serial", "That part is installed somewhere else."),
    "one_component_per_slot": ("slot", "The slot was filled meanwhile."),
    "address_is_unique_in_site": ("address", "Another device of the site has that address."),
    "address_vlan_is_sane": ("vlan", "A VLAN is a number from 1 to 4094."),
    "port_vlan_is_sane": ("vlan", "A VLAN is a number from 1 to 4094."),
    "prefix_length_is_sane": ("prefix_length", "A prefix has at most 128 bits."),
    "port_has_positions": ("positions", "A port has at least one position."),
    "one_front_port_per_position": ("position", "Another front port takes that position of the rear port."),
    "inventory_passthrough_front_id_key": ("front", "That front port passes to the rear already."),
    "position_counts_from_one": ("position", "Positions count from 1."),
    "pass_through_joins_two_ports": ("rear", "A port does not pass through to itself."),
    "front_port_is_on_the_panel": ("front", "The port is on another device."),
    "rear_port_is_on_the_panel": ("rear", "The port is on another device."),
    "storage_place_name_in_site": ("name", "The site has a storage place of that name."),
    "one_stock_row_per_part": ("part_number", "The storage place counts that part already."),
    "attachment_has_one_subject": ("device", "A file is about one device or one rack."),
    "comment_has_one_subject": ("device", "A comment is about one device or one rack."),
    "comment_says_something": ("text", "The comment is empty."),
    "one_place_takes_removed_parts": ("takes_removed", "Another storage place of the site takes removed parts."),
    "inventory_stock_quantity_check": ("quantity", "There are not that many."),
    "installed_part_lies_nowhere": ("storage", "The part is installed: take it out first."),
    "power_panel_name_in_site": ("name", "The site has a power panel of that name."),
    "power_feed_name_in_site": ("name", "The site has a feed of that name."),
    "power_feed_has_one_or_three_phases": ("phases", "A feed has one phase or three."),
    "derating_is_a_share": ("derating_percent", "A share from 1 to 100 percent."),
    "contact_name_in_site": ("name", "The site has a contact of that name."),
    "one_rule_per_kind": ("kind", "The site has a rule for that kind and tier."),
    "inventory_tag_name_key": ("name", "There is a tag of that name."),
    "inventory_customfield_name_key": ("name", "There is a custom field of that name."),
    "core_site_slug_key": ("slug", "There is a site of that name."),
}


class Refused(Exception):
    """A write that would break a promise of the inventory; `field` is the field to blame."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field, self.reason = field, reason


@contextmanager
def refusing() -> Iterator[None]:
    """A transaction whose broken constraints come out as Refused; nothing of it is written then."""
    try:
        with transaction.atomic():
            yield
    except ProtectedError as error:
        kinds = sorted({str(row._meta.verbose_name_plural) for row in error.protected_objects})
        raise Refused("non_field_errors", f"It is still used by {', '.join(kinds)}.") from error
    except IntegrityError as error:
        diagnosis = getattr(error.__cause__, "diag", None)
        name = getattr(diagnosis, "constraint_name", None) or ""
        field, reason = MEANINGS.get(name, ("non_field_errors", f"The database refuses it ({name or error})."))
        raise Refused(field, reason) from error
