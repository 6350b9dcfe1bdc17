"""The look of a verification: in a hurry where good machines wait for the same worker, patient where none does."""

from __future__ import annotations

from health.monitoring.models.faults import Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation, slow_lane
from health.monitoring.services.sweeps.sessions import PATIENT, Pace

IN_A_HURRY = Pace(first_s=10)


def look(verification: Verification) -> bool:
    """Look and decide; False when the machine keeps us waiting, now or at its last look: nothing is decided then."""
    if slow_lane.slow_among([verification.machine_id]):
        return False
    return _decided(verification, IN_A_HURRY)


def look_patiently(verification_id: int) -> None:
    """Look until every question was answered or ran into its limit. A verification that is over is left alone."""
    running = Verification.objects.filter(pk=verification_id, status=Verification.Status.RUNNING).first()
    if running is not None and verifications.WORK.renew(running):  # it may have waited for its turn
        _decided(running, PATIENT)


def _decided(verification: Verification, pace: Pace) -> bool:
    watch = observation.Watch([verification.machine_id], pace=pace, actor="verification", afresh=True)
    for seen in watch:
        for each in seen:
            verifications.decide(verification, each.observation)
    return not watch.unanswered
