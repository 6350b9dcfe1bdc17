"""Curves read from logs: common trainers, a site's own expression, and the command over them."""

from __future__ import annotations

import gzip
import io
import json
import random
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import pytest

from runs import from_files
from runs.slowness.from_log import NoPattern, pattern_of, steps_of
from runs.tests.pace_curves import plain


def spans(count: int = 400, at: int = 250) -> list[float]:
    return [2.0 / (speed * (0.7 if index >= at else 1)) for index, speed in enumerate(plain(random.Random(4), count))]


def clock(second: float) -> str:
    return f"2026-03-01 {int(second) // 3600:02}:{int(second) // 60 % 60:02}:{int(second) % 60:02}.{int(second % 1 * 1000):03}"


def written(form: str) -> list[bytes]:
    """A rank's log in the form of a trainer, with other lines between."""
    lines, at = [b"loading checkpoint shards: 100%|xxx| 4/4 [00:03<00:00, 1.1s/it]"], 0.0
    for step, span in enumerate(spans()):
        at += span
        lines.append(form.format(at=clock(at), step=step, s=span, ms=span * 1000, tps=8192 / span).encode())
        lines.append(b"[rank0]: saving nothing")
    return lines


TRAINERS = {
    "megatron": "[default0]: [{at}] iteration {step:8}/  5000 | consumed samples: 1 | elapsed time per iteration (ms): {ms:.1f} | lm loss: 2.3E+00 |",
    "nemo": "[{at}] Training epoch 0, iteration {step}/99 | lr: 1e-5 | global_step: {step} | reduced_train_loss: 8.5 | train_step_timing in s: {s:.4f}",
    "torchtitan": "\x1b[36m[titan] {at} - root - INFO - step: {step:2}  loss:  2.9  grad_norm: 1.0  memory: 61GiB(77%)  tps: {tps:,.0f}  tflops: 400\x1b[0m",
    "nanogpt": "{at} iter {step}: loss 2.0314, time {ms:.2f}ms, mfu 17.85%",
    "deepspeed": "[{at}] [INFO] steps: {step} loss: 3.9 iter time (s): {s:.3f} samples/sec: 61.1",
    "trainer": "{at} {{'loss': 1.41, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 1.12}}",
}


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_step_down_is_found_in_the_log_of_each_trainer(trainer: str, tmp_path: Path) -> None:
    log = tmp_path / "rank_0.log"
    log.write_bytes(b"\n".join(written(TRAINERS[trainer])))
    (answer,) = asked("shape", str(log), "--json")
    assert answer["steps"] >= 399
    assert (answer["shape"], answer["speed"]) == ("step", pytest.approx(0.7, abs=0.02))
    if trainer != "trainer":
        assert answer["step"] == pytest.approx(250, abs=2)
    assert answer["at"].startswith("2026-03-01T00:08")


def asked(*words: str) -> Any:
    parser = ArgumentParser()
    from_files.add_arguments(parser)
    out = io.StringIO()
    from_files.run(parser.parse_args(words), out)
    return json.loads(out.getvalue()) if "--json" in words else out.getvalue()


def test_a_sites_own_lines_are_read_by_its_expression(tmp_path: Path) -> None:
    log = tmp_path / "out.log.gz"
    with gzip.open(log, "wb") as file:
        file.write(b"\n".join(f"it={step} took {span:.4f} sec".encode() for step, span in enumerate(spans())))
    said = asked("shape", str(log), "--pattern", r"it=(?P<step>\d+) took (?P<seconds>{n}) sec")
    assert "A step down that stays since step 25" in said and "1. What changed" in said
    assert "no step line" in asked("shape", str(log))


@pytest.mark.parametrize("text", ["(", "took (.*)", "(?P<loss>{n})", "x" * 501])
def test_an_expression_that_says_nothing_of_steps_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(NoPattern):
        pattern_of(text)
    (tmp_path / "a.log").write_text("x")
    with pytest.raises(from_files.Failed, match="--pattern"):
        asked("shape", str(tmp_path / "a.log"), "--pattern", text)


def test_lines_that_are_no_numbers_or_go_backwards_are_left_out() -> None:
    pattern = pattern_of(r"took (?P<seconds>\S+)")
    assert steps_of([b"took long\n", b"took 1.5\n", b"took -1\n", b"\xff\xfe took"], 2026, pattern)[0].cost == 1.5
    assert len(steps_of([b"took long", b"took 1.5", b"took -1"], 2026, pattern)) == 1


def test_a_slow_run_from_its_start_shows_against_what_is_expected(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("\n".join(f"iter {step}: loss 2.0, time 2900.00ms, mfu 1%" for step in range(200)))
    assert asked("shape", str(log), "--json")[0]["shape"] == "none"
    assert asked("shape", str(log), "--json", "--expected", "2.0")[0]["shape"] == "low-third"
