"""The state of runs that go on: running, slow, hung, or nothing is known. Done by the clock."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from core.work.queue import after_commit
from runs.measured import is_stalled
from runs.models import RunRank, TrainingRun
from runs.services.intake import announce, change_state
from runs.state import Facts, state_of

LOST_AFTER = timedelta(seconds=30)
FORGOTTEN_S = 24 * 3600.0
"""A run that nobody reported of for so long has ended, nobody knows how."""


def follow() -> int:
    """Bring every live run to the state it is in now; the number of those that changed."""
    live = TrainingRun.objects.filter(ended_at=None).values_list("pk", flat=True)
    changed = sum(_follow_one(pk) for pk in live)
    for pk in _left_unjudged():
        after_commit("runs.tasks.judge_run", pk, robust=True)
    return changed


def _left_unjudged() -> list[int]:
    """Live runs of which a rank failed a while ago: whoever was to judge them was lost in a restart."""
    failed = RunRank.objects.filter(run__ended_at=None, ended_at__lt=timezone.now() - LOST_AFTER).exclude(error="")
    return list(failed.order_by().values_list("run_id", flat=True).distinct())


def _measured_at(run: TrainingRun) -> float | None:
    """Until when the steps of a run are known that nobody reports."""
    measured = run.steps_from == TrainingRun.StepsFrom.PROMETHEUS and run.metrics_at is not None
    return run.metrics_at.timestamp() if measured and run.metrics_at is not None else None


@transaction.atomic
def _follow_one(pk: int) -> bool:
    run = TrainingRun.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=pk, ended_at=None).first()
    if run is None:
        return False
    now = timezone.now()
    facts = Facts(
        now.timestamp(),
        run.started_at.timestamp(),
        run.last_report_at.timestamp(),
        run.last_step_at.timestamp() if run.last_step_at else None,
        run.baseline_s,
        run.recent_s,
        TrainingRun.FoundBy.REPORT in run.found_by,
        is_stalled(run),
        _measured_at(run),
    )
    state = state_of(facts)
    if facts.now - facts.last_report_at > FORGOTTEN_S:
        run.ended_at, run.ended_as = run.last_report_at, TrainingRun.UNSEEN
        state = TrainingRun.State.ENDED
    if state == run.state:
        return False
    change_state(run, state, now)
    run.save(update_fields=["state", "since", "ended_at", "ended_as"])
    announce(run)
    if state in (TrainingRun.State.SLOW, TrainingRun.State.HUNG):
        after_commit("runs.tasks.judge_run", run.pk, robust=True)
    if state == TrainingRun.State.HUNG:
        after_commit("runs.tasks.collect_of_hang", run.pk, robust=True)
    return True
