"""A loss that is no number becomes the verdict of the run, from what the launcher reports."""

from __future__ import annotations

import time

import pytest

from runs.models import StepPiece, TrainingRun
from runs.pace.packed import unpack
from runs.reports import NotReadable, report_of
from runs.services import judgement
from runs.tests.test_reported_runs import KEY_ERROR, body, no_worker, post, steps, token

__all__ = ["no_worker", "token"]


def losses(*values: float | None, nan: list[int], first: int = 1, end: float | None = None) -> dict:
    return steps(first, len(values), end=end or time.time(), loss=list(values), nan=nan)


@pytest.mark.parametrize("nan", ["x", [5], [-1], [0, 1, 2], [True], {"0": 1}])
def test_places_that_are_none_are_refused(nan: object) -> None:
    said = steps(1, 2, end=1000.0, loss=[None, None], nan=nan)
    with pytest.raises(NotReadable, match=r"steps\[0\]\.nan"):
        report_of(body(steps=[said]), 1000.0)


@pytest.mark.django_db
def test_a_run_whose_loss_is_nan_goes_on_and_is_told_so(token: str) -> None:
    post(token, body(steps=[losses(2.5, 2.4, None, None, None, nan=[2, 3, 4])]))
    run = TrainingRun.objects.get()
    assert [step.loss is not None and step.loss != step.loss for step in unpack(bytes(StepPiece.objects.get().packed))] == [
        False, False, True, True, True,
    ]  # fmt: skip

    judgement.judge_run(run.pk)

    run.refresh_from_db()
    assert (run.verdict["class"], run.verdict["owner"], run.verdict["line"], run.ended_at) == (
        "nan-loss",
        "user",
        3,
        None,
    )
    assert "from iteration 3 on" in run.verdict["sentence"]


@pytest.mark.django_db
def test_a_loss_that_is_a_number_again_takes_the_verdict_back(token: str) -> None:
    now = time.time()
    post(token, body(steps=[losses(None, None, None, nan=[0, 1, 2], end=now - 10)]))
    judgement.judge_run(TrainingRun.objects.get().pk)
    assert TrainingRun.objects.get().verdict is not None
    post(token, body(steps=[losses(2.2, nan=[], first=4, end=now)]))
    assert TrainingRun.objects.get().verdict is None


@pytest.mark.django_db
def test_one_step_that_was_skipped_is_no_verdict(token: str) -> None:
    post(token, body(steps=[losses(2.5, 2.4, None, nan=[2])]))
    assert judgement.judge_run(TrainingRun.objects.get().pk) is None
    assert judgement.judge_run(TrainingRun.objects.get().pk) is None


@pytest.mark.django_db
def test_an_exception_that_explains_itself_goes_before_the_loss(token: str) -> None:
    ended = [{"rank": 2, "at": time.time(), "error": KEY_ERROR}]
    post(token, body(steps=[losses(2.5, None, nan=[1])], ended=ended))
    judgement.judge_run(TrainingRun.objects.get().pk)
    assert TrainingRun.objects.get().verdict["class"] == "user-error"


@pytest.mark.django_db
def test_a_run_that_ends_without_a_reason_after_nan_ended_for_it(token: str) -> None:
    ended = [{"rank": 2, "at": time.time(), "error": "stopping\n"}]
    post(token, body(steps=[losses(2.5, None, nan=[1])], ended=ended))
    judgement.judge_run(TrainingRun.objects.get().pk)
    assert TrainingRun.objects.get().verdict["class"] == "nan-loss"
