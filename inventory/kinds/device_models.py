"""Device models come as their file; the columns that are searched by are taken from it."""

from __future__ import annotations

from typing import Any

from inventory.fleet.sections.devices import model_row
from inventory.kinds.batch import Line
from inventory.kinds.writer import Writer
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec


class DeviceModelWriter(Writer):
    """Checks the file and stores it expanded, so that one that says the same is unchanged."""

    def prepare(self) -> None:
        """Before rows are looked up by their key: a file's own name is its natural key."""
        for line in self.batch.good:
            spec = line.given.get("spec")
            if spec is None:
                continue
            try:
                model = DeviceModelSpec.from_dict(spec, source="spec")
            except DeviceModelError as error:
                line.refuse("spec", str(error).removeprefix("spec: "), "invalid")
                continue
            slug = line.given.get("slug") or model.model
            if slug != model.model:
                line.refuse("slug", f"the file is named {model.model}", "invalid")
            line.given["slug"] = line.key = slug
            row = model_row(model)
            line.extra["row"] = row
            line.given["spec"] = row.spec

    def row(self, line: Line) -> dict[str, Any]:
        made = line.extra.get("row")
        derived = {name: value for name, value in made._asdict().items() if name != "spec"} if made else {}
        return super().row(line) | derived

    def defaults(self) -> dict[str, Any]:
        return {}

    def update_columns(self, changed: set[str]) -> list[str]:
        columns = super().update_columns(changed)
        return [*columns, *self.kind.now_columns] if "spec" in changed else columns
