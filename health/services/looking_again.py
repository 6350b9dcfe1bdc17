"""The look of a verification: in a hurry where good machines wait for the same worker, patient where none does."""

from __future__ import annotations

from health.models import Verification
from health.services import lanes, observing, verifying
from health.services.asking import PATIENT, Pace

IN_A_HURRY = Pace(first_s=10)


def look(verification: Verification) -> bool:
    """Look and decide; False when the machine keeps us waiting, now or at its last look: nothing is decided then."""
    if lanes.slow_among([verification.machine_id]):
        return False
    return _decided(verification, IN_A_HURRY)


def look_patiently(verification_id: int) -> None:
    """Look until every question was answered or ran into its limit. A verification that is over is left alone."""
    running = Verification.objects.filter(pk=verification_id, status=Verification.Status.RUNNING).first()
    if running is not None:
        _decided(running, PATIENT)


def _decided(verification: Verification, pace: Pace) -> bool:
    watch = observing.Watch([verification.machine_id], pace=pace, actor="verification", afresh=True)
    for seen in watch:
        for each in seen:
            verifying.decide(verification, each.observation)
    return not watch.unanswered
