"""Step lines and the shape of their curve."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.pace.shapes import step_change
from runs.pace.steps import step_of, waited_s

MEGATRON = (
    " [2025-06-11 03:12:00] iteration     4998/  200000 | consumed samples:      5117952 | elapsed time per iteration (ms): "
    "5805.5 | throughput per GPU (TFLOP/s/GPU): 418.6 | learning rate: 1.482000E-04 | global batch size:  1024 | lm loss: "
    "2.332628E+00 | loss scale: 1.0 | grad norm: 0.198 | number of skipped iterations:   0 |"
)


@pytest.mark.parametrize(
    ("text", "iteration", "cost", "loss", "grad"),
    [
        (MEGATRON, 4998, 5.8055, 2.332628, 0.198),
        (MEGATRON.replace("(ms): 5805.5", "(s): 105.16"), 4998, 105.16, 2.332628, 0.198),
        (MEGATRON.replace(" lm loss: 2.332628E+00 |", "").replace("0.198", "nan"), 4998, 5.8055, None, math.nan),
        (
            "[titan] 2025-08-02 02:07:00,848 - root - INFO - step: 11870  loss:  2.9061  grad_norm:  1.0595  memory: "
            "61.40GiB(77.48%)  tps: 7,280  tflops: 407.47  mfu: 41.20%",
            11870, 1 / 7280, 2.9061, 1.0595,
        ),
        ("Training epoch 0, iteration 3/9 | lr: 1e-5 | global_step: 3 | reduced_train_loss: 8.5 | train_step_timing in s: 1.2",
         3, 1.2, 8.5, None),
        ("{'loss': 1.4117, 'grad_norm': 1.0830, 'learning_rate': 1.8000e-05, 'epoch': 1.12}", None, None, 1.4117, 1.083),
        ("{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.8000e-05, 'epoch': 1.12}", None, None, 0.0, math.nan),
        ("steps: 40 loss: 3.9021 iter time (s): 0.523 samples/sec: 61.185", 40, 0.523, 3.9021, None),
        ("iter 250: loss 2.0314, time 98.71ms, mfu 17.85%", 250, 0.09871, 2.0314, None),
        ("iter 83590: loss 1.3207, time: 4469.65ms, speed: 1760 toks/s/device", 83590, 4.46965, 1.3207, None),
    ],
)  # fmt: skip
def test_steps_of_common_trainers_are_read(
    text: str, iteration: int | None, cost: float | None, loss: float | None, grad: float | None
) -> None:
    step = step_of(1, text)
    assert step is not None
    assert step.iteration == iteration
    for found, wanted in ((step.cost, cost), (step.loss, loss), (step.grad_norm, grad)):
        assert found == pytest.approx(wanted, nan_ok=True) if wanted is not None else found is None
    assert step.is_nan == any(value is not None and math.isnan(value) for value in (loss, grad))


@pytest.mark.parametrize(
    "text", ["", "loss", "iteration 5", "step: x  loss: y tps: ", "{'loss': }", "elapsed time per iteration"]
)
def test_what_only_resembles_a_step_is_none(text: str) -> None:
    assert step_of(1, text) is None


def test_the_wait_for_data_is_read_from_the_timers() -> None:
    assert waited_s(
        "time (ms) | forward-compute: 1188.03 | optimizer: 65.21 | batch-generator: 9410.77"
    ) == pytest.approx(9.41077)
    assert waited_s("time (ms) | load-checkpoint: 0.46") is None


def test_a_step_up_that_stays_is_found_at_its_first_step() -> None:
    change = step_change([105.16, 105.17, 106.25, 110.17, 111.14])
    assert change is not None and change.at == 3
    assert change.ratio == pytest.approx(1.05, abs=0.01)


@pytest.mark.parametrize(
    "costs",
    [
        [],
        [1.0],
        [5.8, 5.82, 5.79, 5.81, 5.8, 5.83],
        [5.8, 5.8, 5.8, 48.0, 5.8, 5.8, 5.8],  # one checkpoint
        [1.0, 1.0, 1.0, 1.0, 9.0] * 8,  # a checkpoint every five steps
        [106.46, 105.9, 106.4, 106.33, 107.53, 106.36, 106.3, 106.13, 106.44, 106.09],
        [10.0, 9.0, 8.0, 7.0, 6.0, 6.0, 6.0],  # it becomes faster
    ],
)
def test_normal_curves_have_no_step_change(costs: list[float]) -> None:
    assert step_change(costs) is None


@given(
    st.integers(20, 200),
    st.integers(20, 200),
    st.floats(1.15, 4.0),
    st.lists(st.floats(0.98, 1.02), min_size=400, max_size=400),
)
def test_a_step_up_above_the_noise_is_found_near_its_place(
    before: int, after: int, ratio: float, noise: list[float]
) -> None:
    costs = [base * wobble for base, wobble in zip([1.0] * before + [ratio] * after, noise, strict=False)]
    change = step_change(costs)
    assert change is not None
    assert abs(change.at - before) <= max(2, (before + after) // 10)
    assert change.ratio == pytest.approx(ratio, rel=0.05)


@pytest.mark.parametrize("at", [5_000, 12_345, 19_990])
def test_the_change_of_a_long_curve_is_found_in_well_under_a_second_of_work(at: int) -> None:
    """A tenth of the steps on either side may be of the other kind, and so far may the place be off."""
    dice = random.Random(at)
    costs = [dice.gauss(1.0 if step < at else 1.2, 0.005) for step in range(20_000)]
    found = step_change(costs)
    assert found is not None and abs(found.at - at) <= 2_000 and found.ratio == pytest.approx(1.2, abs=0.01)
