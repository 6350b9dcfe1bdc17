"""A fault that a training run showed is verified by the checks of its slot; the run itself has nothing more to say,
unless another one failed there since."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from health.checks import Finding
from health.checks.verdicts import Verdict
from health.models import FaultEvidence, Verification
from health.monitoring.hooks import Proof
from health.monitoring.judgement import Target
from runs.causes.accusations import CHECK


def since(verification: Verification, targets: Sequence[Target], slots: Collection[str] = ()) -> list[Any]:
    """What training runs say of these targets after the request. One query, where one of them was shown by a run."""
    wanted = sorted({target.slot for target in targets if CHECK in target.checks})
    if not wanted:
        return []
    again = FaultEvidence.objects.filter(
        fault__machine_id=verification.machine_id, check_id=CHECK, at__gt=verification.requested_at, part__in=wanted
    )
    failed = dict(again.order_by("pk").values_list("part", "message"))
    return [
        Finding(CHECK, slot, Verdict.FAIL, failed[slot])
        if slot in failed
        else Finding(CHECK, slot, Verdict.OK, "no training run failed on it since")
        for slot in wanted
    ]


PROOF = Proof(since=since)
