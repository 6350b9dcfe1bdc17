"""Checks of other systems: which there are, as rows of the catalogue, and what they say of machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import connection
from django.db.models import Q

from health.checks import CheckDeclaration
from health.checks.levels import Rung, Severity
from health.external import reports
from health.external.models import ReportedMachine, ReportSource
from health.external.services.intake import ACTION
from health.monitoring.merge import CODES
from health.monitoring.models.verdicts import CurrentVerdict

FAMILY = "Reported"
TAB = "\t"


def checks_of(site_ids: Sequence[int] | None, *, site: int | None = None) -> list[CheckDeclaration]:
    """Checks that the sources of these sites (None: of all) reported or are held to, by id. One query.

    Sources of one name at several sites have their checks in common.
    """
    sources = ReportSource.objects.all()
    if site_ids is not None:
        sources = sources.filter(site__in=site_ids)
    if site is not None:
        sources = sources.filter(site=site)
    found: dict[str, CheckDeclaration] = {}
    for name, kind, held_to, known in sources.values_list("name", "kind", "checks", "known"):
        for check in {*held_to, *known}:
            found.setdefault(f"{name}/{check}", _declared(name, kind, check))
    return [found[check_id] for check_id in sorted(found)]


def check_of(check_id: str, site_ids: Sequence[int] | None) -> CheckDeclaration | None:
    """One of them by its id; None where no source of these sites reports it. One query."""
    source, _, check = check_id.partition("/")
    rows = ReportSource.objects.filter(Q(checks__contains=[check]) | Q(known__contains=[check]), name=source)
    if site_ids is not None:
        rows = rows.filter(site__in=site_ids)
    kind = rows.values_list("kind", flat=True).first()
    return None if kind is None else _declared(source, kind, check)


def _declared(source: str, kind: str, check: str) -> CheckDeclaration:
    return CheckDeclaration(
        id=f"{source}/{check}",
        family=FAMILY,
        title=f"{check}, as {source} reports it",
        part=reports.MACHINE,
        needs="reports",
        kind="level",
        fault_classes=(reports.fault_class(check),),
        advice=ACTION,
        source=f"report source {source} ({kind})",
        severity=Severity.MINOR,
        start_rung=Rung.TICKET,
    )


def said_of(machine_ids: Sequence[int], checks: Iterable[str]) -> dict[int, dict[str, int]]:
    """What these checks say of machines: {machine: {check: code of the worst part, as it is shown}}. Two queries.

    A check that says nothing of a machine is missing there. What is silenced is shown as information.
    """
    wanted = set(checks)
    if not wanted:
        return {}
    names = {check.partition("/")[0] for check in wanted}
    said = ReportedMachine.objects.filter(machine_id__in=machine_ids, source__name__in=names)
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for machine_id, name, entries in said.values_list("machine_id", "source__name", "entries"):
        for key in entries:
            check = f"{name}/{key.partition(TAB)[0]}"
            if check in wanted:
                found[machine_id][check] = reports.OK
    rows = CurrentVerdict.objects.filter(machine_id__in=machine_ids, check_id__in=list(wanted))
    for machine_id, check, word in rows.values_list("machine_id", "check_id", "verdict"):
        held = found[machine_id].get(check, reports.OK)
        found[machine_id][check] = max(held, CODES[word])
    return dict(found)


PARTS = """
SELECT DISTINCT substr(entry.key, %(start)s) FROM health_reportedmachine said
JOIN health_reportsource source ON source.id = said.source_id AND source.name = %(source)s
JOIN inventory_device device ON device.id = said.machine_id, json_object_keys(said.entries::json) AS entry (key)
WHERE starts_with(entry.key, %(check)s) AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
    AND (%(model)s::bigint IS NULL OR device.model_id = %(model)s)
    AND (%(machine)s::bigint IS NULL OR device.id = %(machine)s)
"""


def parts_of(check_id: str, where: Mapping[str, int | None]) -> set[str]:
    """Parts that a check was reported of, on machines of a scope: `where` has site, model and machine. One query."""
    source, _, check = check_id.partition("/")
    prefix = f"{check}{TAB}"
    with connection.cursor() as cursor:
        cursor.execute(PARTS, {"source": source, "check": prefix, "start": len(prefix) + 1, **where})
        return {part for (part,) in cursor.fetchall()}
