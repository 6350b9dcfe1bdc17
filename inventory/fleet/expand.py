"""From the file to plain rows. Reads files, knows nothing of the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inventory.fleet.check import check_rows
from inventory.fleet.document import Document, read_yaml
from inventory.fleet.expansion import Expansion, csv_lines, validated, validated_line
from inventory.fleet.format import ComponentLine, DeviceGroup, FleetFile, RackSection
from inventory.fleet.problems import Origin, Problems
from inventory.fleet.rows import AisleRow, RackRow, RoomRow, RowRow
from inventory.fleet.sections.cabling import expand_cables
from inventory.fleet.sections.devices import expand_devices
from inventory.fleet.sections.power import expand_power
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec


def expand_file(path: Path) -> list[Expansion]:
    """Read a fleet file with its CSV files and expand each of its sites. Raises FleetError with lines and reasons."""
    expansions = [expand_document(document) for document in read_yaml(path)]
    slugs = [expansion.site.slug for expansion in expansions]
    for number, expansion in enumerate(expansions):
        if slugs.index(expansion.site.slug) != number:
            expansion.problems.add(expansion.document.origin("site"), f"site {expansion.site.slug} stands here twice")
            expansion.problems.stop_if_any()
    return expansions


def expand_document(document: Document) -> Expansion:
    """Expand one site. Raises FleetError with every problem and its line."""
    problems = Problems()
    file = validated(FleetFile, document.data, problems, document.origin)
    problems.stop_if_any()
    assert file is not None
    expansion = Expansion(document, file, problems)
    _expand_places(expansion)
    expand_power(expansion)
    problems.stop_if_any()
    _load_models(expansion)
    groups = _device_groups(expansion)
    _listed_components(expansion)
    expand_devices(expansion, groups)
    problems.stop_if_any()
    expand_cables(expansion)
    check_rows(expansion)
    problems.stop_if_any()
    return expansion


# ---- places ----


def _expand_places(expansion: Expansion) -> None:
    for at, room in enumerate(expansion.file.rooms):
        origin = expansion.document.origin("rooms", at)
        row = RoomRow(room.name, room.width_mm, room.depth_mm, room.door)
        expansion.add("rooms", room.name, row, origin, f"room {room.name!r}")
        for position, section in enumerate(room.rows):
            here = expansion.document.origin("rooms", at, "rows", position)
            key = (room.name, section.name)
            if not expansion.add("rows", key, RowRow(*key, position), here, f"row {section.name!r}"):
                continue
            names = expansion.names(section.racks, here)
            for lost in sorted((section.serials.keys() | section.asset_tags.keys()) - set(names)):
                expansion.problems.add(here, f"row {section.name!r} has no rack {lost!r}")
            roles = dict.fromkeys(expansion.names(section.network, here), "network")
            roles |= dict.fromkeys(expansion.names(section.storage, here), "storage")
            for lost in sorted(roles.keys() - set(names)):
                expansion.problems.add(here, f"row {section.name!r} has no rack {lost!r}")
            for place, name in enumerate(names):
                if name != "-":
                    x_mm = section.x_mm + place * section.pitch_mm
                    role = roles.get(name, "compute")
                    printed = (section.serials.get(name, ""), section.asset_tags.get(name, ""))
                    _add_rack(expansion, (room.name, name, section.name, role, x_mm), section, printed, here)
        for number, single in enumerate(room.racks):
            here = expansion.document.origin("rooms", at, "racks", number)
            head = (room.name, single.name, "", single.role, single.x_mm)
            _add_rack(expansion, head, single, (single.serial, single.asset_tag), here)
        for number, aisle in enumerate(room.aisles):
            here = expansion.document.origin("rooms", at, "aisles", number)
            aisle_row = AisleRow(room.name, *aisle.model_dump().values())
            expansion.add("aisles", (room.name, aisle.name), aisle_row, here, f"aisle {aisle.name!r}")


def _add_rack(
    expansion: Expansion,
    head: tuple[str, str, str, str, int],
    section: RackSection,
    printed: tuple[str, str],
    origin: Origin,
) -> None:
    rack = RackRow(
        *head,
        section.y_mm,
        section.width_mm,
        section.depth_mm,
        section.facing,
        section.height_u,
        section.power_limit_w,
        section.numbering,
        section.outer_height_mm,
        section.weight_limit_kg,
        *printed,
    )
    if expansion.add("racks", (rack.room, rack.name), rack, origin, f"rack {rack.name!r}"):
        expansion.racks_named[rack.name].append(rack)


# ---- device models ----


def _load_models(expansion: Expansion) -> None:
    for at, model in enumerate(expansion.file.device_models):
        try:
            if isinstance(model, str):
                spec = DeviceModelSpec.load(expansion.folder / model)
            else:
                spec = DeviceModelSpec.from_dict(model, source="device model")
        except DeviceModelError as error:
            expansion.problems.add(expansion.document.origin("device_models", at), str(error))
        else:
            expansion.specs[spec.model] = spec


# ---- lines of the CSV files ----

COMPONENT_COLUMNS = ("device", "slot", "vendor", "part_number", "serial")


def _device_groups(expansion: Expansion) -> list[tuple[Origin, DeviceGroup]]:
    groups = [(expansion.document.origin("devices", at), group) for at, group in enumerate(expansion.file.devices)]
    for origin, cells in csv_lines(expansion, "devices_csv"):
        values: dict[str, Any] = dict(cells)
        if "rack" in values:
            values["racks"] = values.pop("rack")
        line = validated_line(expansion, DeviceGroup, values, origin)
        if line is not None:
            groups.append((origin, line))
    return groups


def _listed_components(expansion: Expansion) -> None:
    lines = [(expansion.document.origin("components", at), line) for at, line in enumerate(expansion.file.components)]
    for origin, cells in csv_lines(expansion, "components_csv"):
        values: dict[str, Any] = {name: cells[name] for name in COMPONENT_COLUMNS if name in cells}
        values["attributes"] = {name: value for name, value in cells.items() if name not in COMPONENT_COLUMNS}
        line = validated_line(expansion, ComponentLine, values, origin)
        if line is not None:
            lines.append((origin, line))
    for origin, line in lines:
        expansion.listed[line.device].append((origin, line))
