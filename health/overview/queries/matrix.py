"""Machines by checks: of each machine one character per check, the worst of its parts, from packed reports.

`f` fail, `u` unknown, `w` warn, `i` info, `o` ok, `.` does not apply. Of a machine that is late or silent everything
but a failure is unknown, except for what other systems report of it. The number of queries does not depend on the
number of machines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from health.checks import CheckDeclaration, catalogue, layout
from health.checks.reported import is_reported
from health.external import queries
from health.machines.models.machines import MachineHealth
from health.machines.specs import usable
from health.monitoring.merge import CODES, WHY
from health.monitoring.models.verdicts import CurrentVerdict, MachineReport
from health.monitoring.services.sweeps.stored import read_layouts
from inventory.models import DeviceModel

NOT_APPLIED = "."
LETTERS = {"fail": "f", "unknown": "u", "warn": "w", "info": "i", "ok": "o"}
BAD = frozenset("fuw")
_OF_CODE = {code: LETTERS[word] for word, code in CODES.items()}
_RANK = {NOT_APPLIED: -1} | {letter: code for code, letter in _OF_CODE.items()}


@dataclass(frozen=True)
class Line:
    """One machine of the matrix; `cells` in the order of the checks asked for."""

    machine_id: int
    name: str
    state: str
    cells: str


def machines(site_ids: Sequence[int] | None, *, site: int | None = None, states: Sequence[str] = ()) -> QuerySet:
    """Machines of these sites (None: of all), by name."""
    rows = MachineHealth.objects.order_by("machine__device__name", "machine_id")
    if site_ids is not None:
        rows = rows.filter(machine__device__site__in=site_ids)
    if site is not None:
        rows = rows.filter(machine__device__site=site)
    return rows.filter(state__in=states) if states else rows


def checks_of(
    family: str = "", *, site_ids: Sequence[int] | None = None, site: int | None = None
) -> list[CheckDeclaration]:
    """Checks of a family by its name, in whatever case; all of them without one. Those that others report at these
    sites (None: at any) come last."""
    every = [*catalogue(), *queries.checks_of(site_ids, site=site)]
    return [each for each in every if not family or each.family.lower() == family.lower()]


def lines(rows: QuerySet, checks: Sequence[CheckDeclaration]) -> list[Line]:
    """The matrix of these machines. Seven queries at most."""
    columns = ("machine_id", "machine__device__name", "state", "reachability", "machine__device__model_id")
    known = list(rows.values_list(*columns))
    ids = [row[0] for row in known]
    wanted = {each.id: place for place, each in enumerate(checks) if not is_reported(each.id)}
    others = [each.id for each in checks[len(wanted) :]]
    said = queries.said_of(ids, others)
    letters = _letters(ids, wanted)
    silent = {row[4] for row in known if row[0] not in letters}
    unheard = _of_models(silent, wanted) if silent else {}
    return [
        Line(
            pk,
            name,
            state,
            "".join(
                [
                    *_aged(letters[pk] if pk in letters else unheard[model_id], reachability),
                    *_said(said.get(pk, {}), others),
                ]
            ),
        )
        for pk, name, state, reachability, model_id in known
    ]


def _letters(machine_ids: Sequence[int], wanted: Mapping[str, int]) -> dict[int, list[str]]:
    """The worst of every check's parts, by machine that was ever looked at."""
    reports = list(
        MachineReport.objects.filter(machine_id__in=machine_ids).values_list("machine_id", "layout_id", "verdicts")
    )
    used = {layout_id for _, layout_id, _ in reports}
    layouts = read_layouts(used)
    columns = {layout_id: [wanted.get(check, -1) for check, _ in layouts[layout_id]] for layout_id in used}
    found: dict[int, list[str]] = {}
    same: dict[tuple[int, bytes], list[str]] = {}  # most machines say the same
    for machine_id, layout_id, packed in reports:
        report = (layout_id, bytes(packed))
        if report not in same:
            same[report] = _of_report(columns[layout_id], report[1], len(wanted))
        found[machine_id] = list(same[report])
    # What is not in a slot of the layout, such as another mount, stands in rows only.
    rows = CurrentVerdict.objects.filter(machine_id__in=machine_ids, check_id__in=list(wanted))
    for machine_id, check, verdict in rows.values_list("machine_id", "check_id", "verdict"):
        if machine_id in found:
            place = wanted[check]
            found[machine_id][place] = _worst(found[machine_id][place], LETTERS[verdict])
    return found


def _of_report(columns: Sequence[int], packed: bytes, width: int) -> list[str]:
    """The worst of every check's parts in one packed report; `columns` has the check's place of each entry, or -1."""
    cells = [NOT_APPLIED] * width
    for column in set(columns[: len(packed)]) - {-1}:
        cells[column] = LETTERS["ok"]
    for column, code in zip(columns, packed, strict=False):
        if code and column >= 0:  # most are ok
            cells[column] = _worst(cells[column], _OF_CODE[code])
    return cells


def _said(codes: Mapping[str, int], checks: Sequence[str]) -> list[str]:
    """Cells of checks that others report, which age by themselves."""
    return [_OF_CODE[codes[check]] if check in codes else NOT_APPLIED for check in checks]


def _worst(one: str, other: str) -> str:
    return one if _RANK[one] >= _RANK[other] else other


def _of_models(model_ids: set[int], wanted: Mapping[str, int]) -> dict[int, list[str]]:
    """Machines that were never looked at: unknown, wherever a check applies to their model."""
    found = {}
    for pk, stored in DeviceModel.objects.filter(pk__in=model_ids).values_list("pk", "spec"):
        spec = usable(stored)
        applied = {check for check, _ in layout(spec)} if spec is not None else {WHY[0]}
        found[pk] = ["u" if check in applied else NOT_APPLIED for check in wanted]
    return found


def _aged(cells: Sequence[str], reachability: str) -> Sequence[str]:
    if reachability == MachineHealth.Reachability.REACHABLE:
        return cells
    return [cell if cell in ("f", NOT_APPLIED) else "u" for cell in cells]


def only_bad(found: Sequence[Line]) -> list[Line]:
    return [line for line in found if BAD & set(line.cells)]


def counts(found: Sequence[Line], checks: Sequence[CheckDeclaration]) -> dict[str, dict[str, int]]:
    """Machines that fail each check, and those of which it is unknown: {check: {failing, unknown}}."""
    totals = {each.id: {"failing": 0, "unknown": 0} for each in checks}
    for line in found:
        for each, cell in zip(checks, line.cells, strict=True):
            if cell == "f":
                totals[each.id]["failing"] += 1
            elif cell == "u":
                totals[each.id]["unknown"] += 1
    return totals


def titles(checks: Sequence[CheckDeclaration]) -> list[dict[str, Any]]:
    return [{"id": each.id, "title": each.title, "family": each.family} for each in checks]
