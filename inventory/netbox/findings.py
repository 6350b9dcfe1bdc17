"""What an import could not do, or did differently: one line for each thing, to look at and to download."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from core.spreadsheets import safe_cell

Sort = Literal["left", "changed", "refused", "conflict", "kept"]
SORTS: dict[str, str] = {
    "left": "stays behind in NetBox: there is no home for it here",
    "changed": "imported, but not as it stands in NetBox",
    "refused": "not imported: it breaks a rule",
    "conflict": "changed here and in NetBox since the last import",
    "kept": "changed here since the last import, or there before the first one; NetBox says otherwise",
}
COLUMNS = ("sort", "kind", "netbox_id", "name", "field", "why", "url")


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind` is NetBox's list, such as dcim/devices; `netbox_id` is 0 for a whole list."""

    sort: Sort
    kind: str
    netbox_id: int
    name: str
    field: str
    why: str
    url: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Findings:
    """Collects findings about rows of NetBox."""

    def __init__(self) -> None:
        self.found: list[Finding] = []

    def add(self, sort: Sort, kind: str, row: dict[str, Any], why: str, field: str = "") -> None:
        name = row.get("name") or row.get("label") or row.get("address") or row.get("display") or ""
        url = str(row.get("display_url") or row.get("url") or "")
        self.found.append(Finding(sort, kind, int(row.get("id") or 0), str(name), field, why, url))

    def left(self, kind: str, row: dict[str, Any], why: str, field: str = "") -> None:
        self.add("left", kind, row, why, field)

    def changed(self, kind: str, row: dict[str, Any], why: str, field: str = "") -> None:
        self.add("changed", kind, row, why, field)

    def counts(self) -> dict[str, int]:
        return dict(Counter(each.sort for each in self.found))


def as_csv(findings: Iterable[Finding]) -> str:
    """All findings as CSV with a header. Cells that a spreadsheet would compute begin with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for each in findings:
        writer.writerow([safe_cell(str(value)) for value in (asdict(each)[name] for name in COLUMNS)])
    return out.getvalue()
