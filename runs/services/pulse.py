"""The state of runs that go on: running, slow, hung, or nothing is known. Done by the clock."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from core.work.queue import after_commit
from runs.measured import is_stalled
from runs.models import TrainingRun
from runs.services.intake import announce, change_state
from runs.state import Facts, state_of

FORGOTTEN_S = 24 * 3600.0
"""A run that nobody reported of for so long has ended, nobody knows how."""


def follow() -> int:
    """Bring every live run to the state it is in now; the number of those that changed."""
    live = TrainingRun.objects.filter(ended_at=None).values_list("pk", flat=True)
    return sum(_follow_one(pk) for pk in live)


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
        is_stalled(run),
    )
    state = state_of(facts)
    if facts.now - facts.last_report_at > FORGOTTEN_S:
        run.ended_at = run.last_report_at
        state = TrainingRun.State.ENDED
    if state == run.state:
        return False
    change_state(run, state, now)
    run.save(update_fields=["state", "since", "ended_at"])
    announce(run)
    if state in (TrainingRun.State.SLOW, TrainingRun.State.HUNG):
        after_commit("runs.tasks.judge_run", run.pk, robust=True)
    if state == TrainingRun.State.HUNG:
        after_commit("runs.tasks.collect_of_hang", run.pk, robust=True)
    return True
