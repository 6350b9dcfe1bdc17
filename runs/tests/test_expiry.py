"""Old training runs are removed, old steps thinned; what goes on stays."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from runs import queries
from runs.models import RunRank, StepPiece, TrainingRun
from runs.services import expiry, pulse
from runs.tests.test_reported_runs import KEY_ERROR, body, no_worker, post, steps, token

__all__ = ["no_worker", "token"]
pytestmark = pytest.mark.django_db


def aged(token: str, days: int, *, ended: bool = True) -> TrainingRun:
    said = body(steps=[steps(1, 20, end=time.time())])
    said["run"] = {"id": f"old-{days}-{ended}"}
    run = TrainingRun.objects.get(pk=post(token, said).json()["run"])
    at = timezone.now() - timedelta(days=days)
    run.started_at, run.last_step_at = at - timedelta(hours=1), at
    if ended:
        run.ended_at, run.state = at, "completed"
    run.save()
    StepPiece.objects.filter(run=run).update(started_at=at, ended_at=at)
    return run


def test_runs_that_ended_long_ago_go_with_their_ranks_and_steps(token: str) -> None:
    old, young, live = aged(token, 731), aged(token, 10), aged(token, 800, ended=False)
    assert expiry.prune() == (1, 1)
    assert set(TrainingRun.objects.values_list("pk", flat=True)) == {young.pk, live.pk}
    assert not RunRank.objects.filter(run_id=old.pk).exists()
    assert not StepPiece.objects.filter(run_id=old.pk).exists()


def test_old_steps_are_thinned_and_the_curve_is_drawn_from_their_figures(token: str) -> None:
    run = aged(token, 400)
    assert expiry.prune() == (0, 1)
    piece = StepPiece.objects.get(run=run)
    assert (bytes(piece.packed), piece.count, piece.median_s) == (b"", 20, 2.0)
    curve = queries.curve(run, None, None, 100)
    assert (curve["median_s"], curve["steps"]) == ([2.0], [20])
    assert queries.sparklines([run]) == {run.pk: [1.0]}
    assert expiry.prune() == (0, 0)


def test_a_run_that_reports_again_after_its_steps_were_thinned_goes_on(token: str) -> None:
    run = aged(token, 400, ended=False)
    expiry.prune()
    said = body(steps=[steps(21, 5, end=time.time())])
    said["run"] = {"id": run.key}
    assert post(token, said).status_code == 200
    assert list(StepPiece.objects.filter(run=run).values_list("count", flat=True)) == [20, 5]


def test_what_a_restart_left_unjudged_is_judged(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(pulse, "after_commit", lambda name, pk, **_: asked.append(pk))
    post(token, body(ended=[{"rank": 4, "at": time.time() - 60, "error": KEY_ERROR}]))
    run = TrainingRun.objects.get()
    pulse.follow()
    assert asked == [run.pk]
    TrainingRun.objects.update(state="failed", ended_at=timezone.now())
    pulse.follow()
    assert asked == [run.pk]
