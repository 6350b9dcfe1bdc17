"""Faults that other systems reported are verified by what they report next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Max

from health.checks.reported import is_reported
from health.external.models import ReportedMachine, ReportSource
from health.external.services import reconciliation
from health.monitoring.hooks import Proof
from health.monitoring.judgement import Target
from health.monitoring.models.faults import Fault, Verification
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.services.sweeps.stored import row_of


def reported_since(verification: Verification, targets: Sequence[Target], slots: Collection[str] = ()) -> list[Any]:
    """What other systems said of these targets' checks after the request; unknown where they said nothing yet.

    An alert says once that it is over, perhaps before the request: that stands until it fires again.
    """
    wanted = {(check, target.slot) for target in targets for check in target.checks if is_reported(check)}
    if not wanted:
        return []
    rows = [row_of(verdict) for verdict in CurrentVerdict.objects.filter(machine_id=verification.machine_id)]
    said = ReportedMachine.objects.filter(machine_id=verification.machine_id).select_related("source")
    asked_at = verification.requested_at
    found = {(f.check, f.part): f for f in reconciliation.findings(said, rows, asked_at)}
    alerts = {each.source.name for each in said if each.source.kind == ReportSource.Kind.ALERTMANAGER}
    fresh = {
        place: finding
        for place, finding in found.items()
        if finding.at > asked_at or (finding.verdict == "ok" and place[0].partition("/")[0] in alerts)
    }
    silent = "not reported since the request"
    return [
        fresh.get(place) or reconciliation.Reported(*place, "unknown", asked_at, silent) for place in sorted(wanted)
    ]


def patience(machine_id: int, faults: Sequence[Fault], diagnostic: int) -> timedelta:
    """How long after the request the systems that reported these faults may take to say something of them."""
    names = {check.partition("/")[0] for fault in faults for check in fault.checks if is_reported(check)}
    if not names:
        return timedelta()
    sources = ReportedMachine.objects.filter(machine_id=machine_id, source__name__in=names)
    return timedelta(seconds=sources.aggregate(longest=Max("source__stale_after_s"))["longest"] or 0)


PROOF = Proof(since=reported_since, patience=patience)
