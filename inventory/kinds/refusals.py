"""What PostgreSQL refuses, in words. The constraints are the judge; this only says what they mean."""

from __future__ import annotations

import re
from typing import Any

from inventory.kinds.batch import WHOLE_ROW
from inventory.kinds.report import FieldError

# Constraint -> (field, what it means, code).
MEANINGS: dict[str, tuple[str, str, str]] = {
    "one_device_per_place": ("u", "something is mounted or reserved there already", "overlap"),
    "one_device_per_side_slot": ("side", "something hangs in that side slot already", "overlap"),
    "device_fits_its_rack": ("u", "it would stand outside the rack", "overlap"),
    "placement_knows_its_racks_height": ("rack", "the rack changed meanwhile", "conflict"),
    "one_device_per_bay": ("bay", "something sits in that bay already", "overlap"),
    "device_name_in_site": ("name", "the site has a device of that name (a retired one keeps its own)", "duplicate"),
    "rack_name_in_room": ("name", "the room has a rack of that name", "duplicate"),
    "row_name_in_room": ("name", "the room has a row of that name", "duplicate"),
    "room_name_in_site": ("name", "the site has a room of that name", "duplicate"),
    "landmark_name_in_room": ("name", "the room has a landmark of that name", "duplicate"),
    "aisle_name_in_room": ("name", "the room has an aisle of that name", "duplicate"),
    "rack_height_is_sane": ("height_u", "a rack has 1 to 60 units", "invalid"),
    "boot_mac_is_unique": ("boot_mac", "another machine boots from that MAC", "duplicate"),
    "bmc_mac_is_unique": ("bmc_mac", "another machine's BMC has that MAC", "duplicate"),
    "switch_guid_is_unique": ("node_guid", "another switch has that GUID", "duplicate"),
    "cable_label_in_site": ("label", "the site has a cable of that label", "duplicate"),
    "one_cable_per_port": ("a", "a port takes one cable, and a cable two different ports", "port_in_use"),
    "port_name_in_device": ("name", "the device has a port of that name", "duplicate"),
    "component_serial_is_unique": ("serial", "that part is known already", "duplicate"),
    "one_place_per_component": ("serial", "that part is installed somewhere else", "overlap"),
    "one_component_per_slot": ("slot", "something sits in that slot already", "overlap"),
    "core_site_slug_key": ("slug", "there is a site of that name", "duplicate"),
    "address_is_unique_in_site": ("address", "another device of the site has that address", "duplicate"),
    "power_panel_name_in_site": ("name", "the site has a power panel of that name", "duplicate"),
    "power_feed_name_in_site": ("name", "the site has a feed of that name", "duplicate"),
    "storage_place_name_in_site": ("name", "the site has a storage place of that name", "duplicate"),
    "one_stock_row_per_part": ("part_number", "that part is counted there already", "duplicate"),
    "one_rule_per_kind": ("kind", "the site has a naming rule for that kind and tier", "duplicate"),
    "contact_name_in_site": ("name", "the site has a contact of that name", "duplicate"),
    "one_front_port_per_position": ("position", "that position of the rear port comes out elsewhere", "overlap"),
    "front_port_is_on_the_panel": ("front", "both ports are on one device", "invalid"),
    "rear_port_is_on_the_panel": ("rear", "both ports are on one device", "invalid"),
    "change_set_name_in_site": ("name", "the site has a change set of that name", "duplicate"),
    "address_vlan_is_sane": ("vlan", "a VLAN is a number from 1 to 4094", "invalid"),
    "port_vlan_is_sane": ("vlan", "a VLAN is a number from 1 to 4094", "invalid"),
    "prefix_length_is_sane": ("prefix_length", "a prefix has at most 128 bits", "invalid"),
    "port_has_positions": ("positions", "a port has at least one position", "invalid"),
    "inventory_passthrough_front_id_key": ("front", "that front port passes to the rear already", "duplicate"),
    "position_counts_from_one": ("position", "positions count from 1", "invalid"),
    "pass_through_joins_two_ports": ("rear", "a port does not pass through to itself", "invalid"),
    "attachment_has_one_subject": ("device", "a file is about one device or one rack", "invalid"),
    "comment_has_one_subject": ("device", "a comment is about one device or one rack", "invalid"),
    "comment_says_something": ("text", "the comment is empty", "invalid"),
    "annotation_says_something": ("text", "the annotation is empty", "invalid"),
    "annotation_ends_later": ("until", "it ends before it begins", "invalid"),
    "annotation_said_once": ("text", "this was said of that time already", "duplicate"),
    "one_place_takes_removed_parts": (
        "takes_removed",
        "another storage place of the site takes removed parts",
        "duplicate",
    ),
    "inventory_stock_quantity_check": ("quantity", "there are not that many", "invalid"),
    "installed_part_lies_nowhere": ("storage", "the part is installed: take it out first", "invalid"),
    "power_feed_has_one_or_three_phases": ("phases", "a feed has one phase or three", "invalid"),
    "power_panel_has_one_or_three_phases": ("phases", "a panel has one phase or three", "invalid"),
    "panel_derating_is_a_share": ("derating_percent", "a share from 1 to 100 percent", "invalid"),
    "row_is_in_its_racks_room": ("row", "the row is in another room", "invalid"),
    "port_is_on_its_device": ("port", "the port is of another device", "invalid"),
    "pdu_feed_is_of_its_site": ("feed", "the feed is at another site", "other_site"),
    "one_port_per_lane": ("a", "two ports on the same lane of one connector", "duplicate"),
    "derating_is_a_share": ("derating_percent", "a share from 1 to 100 percent", "invalid"),
    "inventory_tag_name_key": ("name", "there is a tag of that name", "duplicate"),
    "inventory_customfield_name_key": ("name", "there is a custom field of that name", "duplicate"),
}
LOCKED_STATES = ("55P03", "40P01", "40001")  # lock not available, deadlock, serialization failure


def explain(error: Exception) -> FieldError:
    """An IntegrityError or DataError as an error of a field."""
    diagnosis = getattr(error.__cause__, "diag", None)
    name = getattr(diagnosis, "constraint_name", None) or ""
    if name in MEANINGS:
        return FieldError(*MEANINGS[name])
    column = getattr(diagnosis, "column_name", None)
    if column:
        return FieldError(column.removesuffix("_id"), "this is needed", "required")
    state = getattr(diagnosis, "sqlstate", "") or ""
    if state == "23505":  # a unique constraint without words of its own
        return FieldError(_column_of(diagnosis), "there is one already", "duplicate")
    if state == "23503":
        return FieldError(WHOLE_ROW, "something it refers to, or that refers to it, changed meanwhile", "conflict")
    return FieldError(WHOLE_ROW, f"the database refuses it ({name or error})".strip(), "invalid")


def _column_of(diagnosis: Any) -> str:
    found = re.match(r"Key \((.+?)\)=", getattr(diagnosis, "message_detail", "") or "")
    return found.group(1).split(", ")[-1].removesuffix("_id") if found else WHOLE_ROW


def is_busy(error: Exception) -> bool:
    """Somebody else held a lock for too long."""
    return getattr(error.__cause__, "sqlstate", None) in LOCKED_STATES
