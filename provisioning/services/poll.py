"""Looks at the machines of runs: claim all that are due, ask them together, record what came of each as it comes.

Machines that kept their last look waiting are asked apart, by other workers: however many of them there are, a machine
that answers goes on as if it were alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.services import record_bmc_identities, record_identities
from health.models import Verification
from provisioning.acceptance import step as acceptance
from provisioning.bmc import step as bmc_setup
from provisioning.conf import config
from provisioning.engines import DEPLOYERS
from provisioning.engines.contract import Again, Broken, Finished, Looked, Outcome, Waits
from provisioning.failures import checks
from provisioning.models import FailureEvidence, RunMachine, Step
from provisioning.services import leases, probes, wanted
from provisioning.services.evidence import keep
from provisioning.services.installer import gave_up, reported_failure
from provisioning.services.leases import WORK, Claim
from provisioning.services.progress import Progress, changing, look_again
from provisioning.services.runs import fill, has_room, lock_starts
from provisioning.steps import ACCEPTANCE, BY_NAME, Done, Failed, FailureClass, Late, Status, StepName

AT_ONCE = 256
LOOK_S = {False: 10.0, True: 40.0}
"""What one look may take in the lane of those that answer, and in the slow one; shorter than the lease."""
GOES_ON_S = 15.0
"""A worker takes what becomes due meanwhile for so long; then others of its queue have their turn."""
WAITS_ON_S = 10.0
TICK_S = 0.5
CLAIMS_EVERY_S = 0.25
"""While looks are under way: each of them that ends would else ask the database who is due."""
WAIT_S = 15
GRACE = timedelta(seconds=5)
ROOM_AGAIN_S = 10.0
ENDED_BADLY = ("failed", "late")
SEEN_AT = dict.fromkeys((StepName.CHECKS, *ACCEPTANCE), FailureEvidence.Kind.CHECKS)
"""What a look that ends badly has seen, by step; at every other one it is the BMC that showed it."""


def look(*, slow: bool = False, early: Sequence[int] = ()) -> bool:
    """Look at the machines of one lane that are due, and at those that become due meanwhile.

    `early` are machines of which something was heard. Returns whether some are still due when the time is over. Safe
    to run twice and in two places.
    """
    leases.wake(early)
    ends = time.monotonic() + GOES_ON_S
    claims_at = 0.0
    with asyncio.Runner() as runner:
        flight = probes.Flight(runner, LOOK_S[slow])
        while True:
            now = time.monotonic()
            # Who is still waited for keeps this worker anyway: what is due meanwhile need not wait for them.
            goes_on = now < ends or (len(flight) > 0 and now - ends < WAITS_ON_S)
            claims = []
            if goes_on and not flight and (suspects := _claim(slow, 1, alone=True)):
                _begin(flight, suspects[0])
                while flight:
                    _store_landed(flight)
                continue
            if goes_on and (now >= claims_at or not flight):
                claims = _claim(slow, AT_ONCE - len(flight))
                claims_at = now + CLAIMS_EVERY_S
            for claim in claims:
                _begin(flight, claim)
            if not claims and not flight:
                return _is_due(slow)
            _store_landed(flight)


def _claim(slow: bool, most: int, *, alone: bool = False) -> list[Claim]:
    suspects = Q(lost_workers__gte=leases.ALONE_FROM)
    rows = RunMachine.objects.filter(leases.lane_of(slow), suspects if alone else ~suspects)
    return leases.take(rows, most) if most > 0 else []


def _store_landed(flight: probes.Flight) -> None:
    for claim, looked in flight.landed(TICK_S):
        store(claim, looked)


def _is_due(slow: bool) -> bool:
    return WORK.due_rows().filter(leases.lane_of(slow)).exists()


def _begin(flight: probes.Flight, claim: Claim) -> None:
    """Ask, where somebody must be asked; the rest is known."""
    if WORK.policy.is_last(claim.lost_workers):
        store(claim, Looked(Broken(BY_NAME[claim.step].failure, WORK.lost.format(claim.lost_workers))))
    elif probes.needs_network(claim, time_is_over=timezone.now() >= claim.deadline_at):
        flight.start(claim)
    else:
        store(claim, known(claim))


def known(claim: Claim) -> Looked:
    """What came of a step at which nobody is asked."""
    if claim.step is StepName.CHECKS:
        return checks_pass(claim.verification_id)
    if claim.step in ACCEPTANCE:
        return acceptance.look(claim.step, claim.run_machine_id)
    if claim.step is StepName.BMC_SETUP:
        return bmc_setup.look(claim.run_machine_id, claim.job.machine_id, claim.job.data)
    if claim.step is StepName.READY:
        return Looked(Finished("provisioned and checked"))
    if (ended := gave_up(claim.job.data)) is not None:
        return Looked(ended)
    return Looked(Again("waiting for the machine", failure=reported_failure(claim.job.data)))


def checks_pass(verification_id: int | None) -> Looked:
    verification = Verification.objects.filter(pk=verification_id or 0).first()
    if verification is None:
        gone = "the verification that was asked for does not exist any more"
        return Looked(Broken(FailureClass.CHECKS_FAILED, gone))
    if verification.status == Verification.Status.PASSED:
        return Looked(Finished("every check passed"))
    if verification.status == Verification.Status.FAILED:
        failed = Broken(checks.class_of(verification.results), verification.reason or "checks failed")
        return Looked(failed, seen=checks.words(verification.results))
    return Looked(Again("the checks are running"))


# ---- what came of it ----


def store(claim: Claim, looked: Looked) -> str:
    """Write down what came of a look; returns it in one word. The room it left in its run is filled at once."""
    if looked.met_bmc is not None:
        record_bmc_identities([looked.met_bmc], actor="provisioning")
    if looked.met_host is not None:
        record_identities([looked.met_host], actor="provisioning")
    if looked.met_record is not None:
        DEPLOYERS[claim.engine].record(claim.job.machine_id, claim.job.deployer, looked.met_record)
    comes_back = claim.silent_looks > 0 and not looked.silent
    with transaction.atomic():
        if comes_back:
            lock_starts()  # before the run, as whoever starts machines does
        word = record(claim, looked)
    if word in ENDED_BADLY or (looked.silent and not claim.silent_looks):
        fill()
    return word


def record(claim: Claim, looked: Looked) -> str:
    """The outcome of a look, unless the machine was taken away meanwhile."""
    if (word := _nothing_new(claim, looked)) is not None:
        return word
    with changing(claim.run_machine_id, lock_run=_may_end(claim, looked.outcome)) as progress:
        row = progress.row
        if row.lease != claim.lease:
            return "overtaken"
        row.lease = row.lease_until = None
        if _has_no_room(progress, claim, looked):
            _wait_for_room(progress)
            return "again"
        row.silent_looks = claim.silent_looks + 1 if looked.silent else 0
        word = _apply(progress, claim, looked.outcome)
        if word in ENDED_BADLY:
            keep(progress, SEEN_AT.get(claim.step, FailureEvidence.Kind.BMC), looked.seen)
            keep(progress, FailureEvidence.Kind.DHCP, looked.dhcp_log)
        return word


def _may_end(claim: Claim, outcome: Outcome) -> bool:
    """Whether what came of a look may end the machine's way, which changes its run."""
    match outcome:
        case Broken():
            return True
        case Finished():
            return claim.step is StepName.READY
        case Again():
            return timezone.now() >= claim.deadline_at
    return False


def _nothing_new(claim: Claim, looked: Looked) -> str | None:
    """Most looks only find that it takes longer: they count, and lock no run. None: there is more to write."""
    outcome, now = looked.outcome, timezone.now()
    if not isinstance(outcome, Again) or now >= claim.deadline_at or looked.silent != (claim.silent_looks > 0):
        return None
    if outcome.detail[:500] != claim.detail or outcome.data not in (None, claim.job.data):
        return None
    next_at = _next_at(claim, outcome, now)
    ours = RunMachine.objects.filter(pk=claim.run_machine_id, lease=claim.lease)
    with transaction.atomic():
        silent_looks = claim.silent_looks + 1 if looked.silent else 0
        if not ours.update(lease=None, lease_until=None, silent_looks=silent_looks, next_at=next_at):
            return "overtaken"
        Step.objects.filter(run_machine=claim.run_machine_id, name=claim.step.value).update(looks=claim.looks + 1)
        look_again(next_at, slow=looked.silent)
    return "again"


def _apply(progress: Progress, claim: Claim, outcome: Outcome) -> str:
    step = progress.current
    step.looks = claim.looks + 1
    match outcome:
        case Waits(detail):
            _wait(progress, claim, detail)
            return "again"
        case Finished(detail):
            progress.apply(Done(claim.step), detail)
            return "done"
        case Broken(failure, detail):
            progress.apply(Failed(claim.step, failure), detail)
            return "failed"
    time_is_over = progress.now >= claim.deadline_at
    silent = progress.row.silent_looks
    if BY_NAME[claim.step].is_late(time_is_over=time_is_over, looks=step.looks, silent=silent):
        progress.apply(Late(claim.step, outcome.failure), f"not within {_limit_text(step)}: {outcome.detail}")
        return "late"
    _look_again(progress, claim, outcome)
    return "again"


def _limit_text(step: Step) -> str:
    if step.deadline_at is None or step.started_at is None:
        return "its time"
    seconds = round((step.deadline_at - step.started_at).total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} minutes"


def _wait(progress: Progress, claim: Claim, detail: str) -> None:
    """Not now: the step keeps what it has, says why, and its time and its looks begin anew."""
    step = progress.current
    step.deadline_at = progress.now + timedelta(seconds=BY_NAME[claim.step].limit_s * config().time_scale)
    step.looks = 0
    _look_again(progress, replace(claim, deadline_at=step.deadline_at), Again(f"waits: {detail}", after_s=WAIT_S))
    progress.touch(step)


def _look_again(progress: Progress, claim: Claim, again: Again) -> None:
    step = progress.current
    if again.data is not None and again.data != step.data:
        step.data = again.data
        progress.touch(step)
    _say(progress, again.detail)
    if step.number not in progress.touched:  # a look that tells nothing new is counted, and is no news
        Step.objects.filter(pk=step.pk).update(looks=step.looks)
    progress.row.next_at = _next_at(claim, again, progress.now)


def _next_at(claim: Claim, again: Again, now: datetime) -> datetime:
    wait_s = BY_NAME[claim.step].wait_s(config().time_scale) if again.after_s is None else again.after_s
    later = now + timedelta(seconds=wait_s)
    return min(later, claim.deadline_at) if claim.deadline_at > now else later


def _say(progress: Progress, detail: str) -> None:
    step = progress.current
    if detail[:500] != step.detail:
        step.detail = detail[:500]
        progress.touch(step)
        progress.log(detail)


def _has_no_room(progress: Progress, claim: Claim, looked: Looked) -> bool:
    """Whether a machine answers whose room in the run another has now: it was silent from the first step on."""
    if claim.step is not StepName.IDENTITY or not claim.silent_looks or looked.silent:
        return False
    return not isinstance(looked.outcome, Broken) and not has_room(progress.row)


def _wait_for_room(progress: Progress) -> None:
    """It is no fault of this machine, so its time does not pass meanwhile."""
    step = progress.touch(progress.current)
    limit_s = BY_NAME[StepName.IDENTITY].limit_s * config().time_scale
    step.deadline_at = progress.now + timedelta(seconds=limit_s)
    _say(progress, "it answers again, and waits for room in the run")
    progress.row.next_at = progress.now + timedelta(seconds=ROOM_AGAIN_S)


def reap() -> tuple[list[bool], bool]:
    """Lanes with machines whose worker was lost or whose next look is overdue, and whether machines wait for room.

    What nobody wants any more is cancelled first.
    """
    wanted.cancel_unwanted()
    now = timezone.now()
    overdue = WORK.due_rows(now).filter(Q(lease_until__isnull=False) | Q(next_at=None) | Q(next_at__lte=now - GRACE))
    lanes = {silent_looks > 0 for silent_looks in overdue.values_list("silent_looks", flat=True)}
    return sorted(lanes), RunMachine.objects.filter(status=Status.WAITING.value).exists()
