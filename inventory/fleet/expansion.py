"""A fleet file on its way to rows: what has been read and made so far, shared by the steps of the expansion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from inventory.fleet.document import Document, read_csv
from inventory.fleet.format import ComponentLine, FleetFile, SiteSection
from inventory.fleet.patterns import PatternError, expand_all
from inventory.fleet.problems import Origin, Problems
from inventory.fleet.rows import FleetRows, RackRow
from inventory.fleet.sections.derive import Deriver
from inventory.specs.device_model import DeviceModelSpec

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


def validated(kind: type[Line], data: Any, problems: Problems, origin_of: Callable[..., Origin]) -> Line | None:
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


def csv_lines(expansion: Expansion, section: str) -> list[tuple[Origin, dict[str, str]]]:
    """The rows of the CSV files a section names; their names are relative to the fleet file."""
    named: str | list[str] = getattr(expansion.file, section)
    rows: list[tuple[Origin, dict[str, str]]] = []
    for name in [named] if isinstance(named, str) else named:
        rows += read_csv(expansion.folder / name)[1]
    return rows


def validated_line(expansion: Expansion, kind: type[Line], values: dict[str, Any], origin: Origin) -> Line | None:
    return validated(kind, values, expansion.problems, lambda *_loc: origin)
