"""From the file to plain rows. Reads files, knows nothing of the database."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from inventory.fleet.derive import Deriver
from inventory.fleet.document import Document, read_csv, read_yaml
from inventory.fleet.format import ComponentLine, DeviceGroup, FleetFile, SiteSection
from inventory.fleet.patterns import PatternError, expand_all
from inventory.fleet.problems import Origin, Problems
from inventory.fleet.rows import AisleRow, FleetRows, ModelRow, RackRow, RoomRow, RowRow
from inventory.spec import DeviceModelError, DeviceModelSpec

Line = TypeVar("Line", bound=BaseModel)


@dataclass
class Expansion:
    """A fleet file on its way to rows, and, when done, the rows with the line of each (`origins`)."""

    document: Document
    file: FleetFile
    problems: Problems = field(default_factory=Problems)
    rows: FleetRows = field(default_factory=FleetRows)
    origins: dict[tuple[str, Any], Origin] = field(default_factory=dict)
    specs: dict[str, DeviceModelSpec] = field(default_factory=dict)
    listed: dict[str, list[tuple[Origin, ComponentLine]]] = field(default_factory=lambda: defaultdict(list))
    racks_named: dict[str, list[RackRow]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.folder = Path(self.document.file).parent
        self.deriver = Deriver(self.file.seed, self.file.site.slug)

    @property
    def site(self) -> SiteSection:
        return self.file.site

    def add(self, table: str, key: Any, row: Any, origin: Origin, what: str) -> bool:
        """Keep a row; a key that is already there is a problem told with both lines."""
        rows: dict[Any, Any] = getattr(self.rows, table)
        if key in rows:
            self.problems.add(origin, f"{what} stands in the file twice, first at {self.origins[table, key]}")
            return False
        rows[key] = row
        self.origins[table, key] = origin
        return True

    def rack(self, name: str, room: str | None, origin: Origin) -> RackRow | None:
        """The rack of this name, which must be the only one unless a room is given."""
        found = [rack for rack in self.racks_named.get(name, []) if room in (None, rack.room)]
        if len(found) == 1:
            return found[0]
        where = f" in room {room!r}" if room else ""
        if found:
            rooms = ", ".join(rack.room for rack in found)
            self.problems.add(origin, f"rack {name!r} stands in several rooms ({rooms}): give the room")
        else:
            self.problems.add(origin, f"there is no rack {name!r}{where}")
        return None

    def names(self, patterns: str | list[str], origin: Origin) -> list[str]:
        try:
            return expand_all(patterns)
        except PatternError as error:
            self.problems.add(origin, str(error))
            return []


def expand_file(path: Path) -> Expansion:
    """Read a fleet file with its CSV files and expand it. Raises FleetError with every problem and its line."""
    from inventory.fleet.cabling import expand_cables
    from inventory.fleet.check import check_rows
    from inventory.fleet.devices import expand_devices

    document = read_yaml(path)
    problems = Problems()
    file = _validated(FleetFile, document.data, problems, document.origin)
    problems.stop_if_any()
    assert file is not None
    expansion = Expansion(document, file, problems)
    _expand_places(expansion)
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


def _validated(kind: type[Line], data: Any, problems: Problems, origin_of: Any) -> Line | None:
    """Validate with pydantic; each complaint becomes a problem at the line of its field."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        for item in error.errors():
            loc = tuple(part for part in item["loc"] if not _is_union_branch(part))
            reason = item["msg"].removeprefix("Value error, ")
            name = ".".join(str(part) for part in loc if isinstance(part, str))
            if item["type"] == "extra_forbidden":
                reason = "is not a field of the fleet file here"
            problems.add(origin_of(*loc), f"{name}: {reason}" if name else reason)
        return None


def _is_union_branch(part: str | int) -> bool:
    """Pydantic names the branch of a union it tried; that is no field of the file."""
    return isinstance(part, str) and (
        part in {"str", "int", "float"} or "[" in part or part.startswith(("constrained", "function-"))
    )


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
            roles = dict.fromkeys(expansion.names(section.network, here), "network")
            roles |= dict.fromkeys(expansion.names(section.storage, here), "storage")
            for lost in sorted(roles.keys() - set(names)):
                expansion.problems.add(here, f"row {section.name!r} has no rack {lost!r}")
            for place, name in enumerate(names):
                if name != "-":
                    x_mm = section.x_mm + place * section.pitch_mm
                    role = roles.get(name, "compute")
                    _add_rack(expansion, (room.name, name, section.name, role, x_mm), section, here)
        for number, single in enumerate(room.racks):
            here = expansion.document.origin("rooms", at, "racks", number)
            _add_rack(expansion, (room.name, single.name, "", single.role, single.x_mm), single, here)
        for number, aisle in enumerate(room.aisles):
            here = expansion.document.origin("rooms", at, "aisles", number)
            aisle_row = AisleRow(room.name, *aisle.model_dump().values())
            expansion.add("aisles", (room.name, aisle.name), aisle_row, here, f"aisle {aisle.name!r}")


def _add_rack(expansion: Expansion, head: tuple[str, str, str, str, int], section: Any, origin: Origin) -> None:
    rack = RackRow(
        *head,
        section.y_mm,
        section.width_mm,
        section.depth_mm,
        section.facing,
        section.height_u,
        section.power_limit_w,
    )
    if expansion.add("racks", (rack.room, rack.name), rack, origin, f"rack {rack.name!r}"):
        expansion.racks_named[rack.name].append(rack)


# ---- device models ----


def _load_models(expansion: Expansion) -> None:
    for at, name in enumerate(expansion.file.device_models):
        try:
            spec = DeviceModelSpec.load(expansion.folder / name)
        except DeviceModelError as error:
            expansion.problems.add(expansion.document.origin("device_models", at), str(error))
        else:
            expansion.specs[spec.model] = spec


def model_row(spec: DeviceModelSpec) -> ModelRow:
    return ModelRow(
        spec.model,
        spec.vendor,
        spec.name,
        spec.kind,
        int(spec.u_height * 2),
        spec.full_depth,
        spec.airflow,
        spec.power_w,
        spec.gpu.count if spec.gpu else 0,
        spec.gpu.type if spec.gpu else "",
        spec.psu_count,
        spec.model_dump(mode="json"),
    )


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


def csv_lines(expansion: Expansion, section: str) -> list[tuple[Origin, dict[str, str]]]:
    """The rows of the CSV files a section names; their names are relative to the fleet file."""
    named: str | list[str] = getattr(expansion.file, section)
    rows: list[tuple[Origin, dict[str, str]]] = []
    for name in [named] if isinstance(named, str) else named:
        rows += read_csv(expansion.folder / name)[1]
    return rows


def validated_line(expansion: Expansion, kind: type[Line], values: dict[str, Any], origin: Origin) -> Line | None:
    return _validated(kind, values, expansion.problems, lambda *_loc: origin)
