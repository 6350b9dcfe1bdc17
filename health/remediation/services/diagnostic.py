"""The diagnostic after a remedy, where that is turned on: at which level, and what it says."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings

from health.checks.model import Finding
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services.outcomes import finding_of
from health.diagnostics.services.proofs import DIAGNOSTIC, gpus_of, of_slot
from health.monitoring.hooks import Proof
from health.monitoring.models.faults import Verification
from health.remediation.models import RemediationAction
from health.remediation.remedies import BY_NAME


def level_after(remedy: str, machine_id: int, slots: Collection[str]) -> int:
    """The level of the diagnostic that must be passed after a remedy for faults in these slots; 0: none.

    Only where that is turned on, and where it is about GPUs or, without a slot, about a whole machine that has some.
    """
    if not settings.DIAGNOSE_AFTER_REMEDY:
        return 0
    gpus = gpus_of(machine_id)
    return BY_NAME[remedy].level if gpus and (not slots or gpus & set(slots)) else 0


def diagnosed(verification: Verification, slots: Collection[str]) -> list[Finding]:
    """What the diagnostic after a remedy says of the GPUs among these slots; of all GPUs and whatever else it tested
    where there is no slot, as the remedy was for the whole machine. Unknown until it has ended.
    """
    if not settings.DIAGNOSE_AFTER_REMEDY:
        return []
    action = RemediationAction.objects.filter(verification=verification).first()
    if action is None or not level_after(action.remedy, verification.machine_id, slots):
        return []
    ended = ActiveStep.objects.filter(
        kind=DIAGNOSTIC, machine_ids__contains=[verification.machine_id], status=ActiveStep.Status.DONE,
        started_at__gte=verification.requested_at,
    ).exclude(run__status__in=ActiveRun.OPEN)  # fmt: skip
    newest = ended.order_by("-finished_at", "-id").first()
    said = [finding_of(row) for row in newest.findings] if newest is not None else []
    gpus = gpus_of(verification.machine_id)
    about = gpus & set(slots) if slots else gpus | {finding.part for finding in said}
    return [of_slot(said, slot) for slot in sorted(about)]


PROOF = Proof(since=lambda verification, targets, slots: diagnosed(verification, slots))
