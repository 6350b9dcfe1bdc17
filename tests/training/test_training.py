"""The scripts of active checks with the real torch: two processes on the CPU over gloo. See README.md beside this."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from health.checks import Expectation
from health.checks.parsers.load_tests import parse_stress, parse_training
from health.diagnostics import scripts
from health.diagnostics.judgement import Printed, findings_of
from health.diagnostics.scripts import train
from health.tests.checks.samples import MODEL

TOP = Path(__file__).resolve().parents[2]
PLACE = TOP / ".venv-torch"
PACKAGES = ("torch==2.13.0", "numpy")
INSTALL_WITHIN_S = 300
pytestmark = [pytest.mark.services, pytest.mark.slow]


def skip(reason: str) -> None:
    """Nothing of the service is wrong then. An expected failure: a skip is a failure in CI, and this one is meant."""
    pytest.xfail(f"no torch to train with: {reason}")


def pulls_cuda(pip: Path) -> str:
    """Why the resolution is not to be installed; empty when it is small."""
    report = PLACE / "report.json"
    asked = [str(pip), "install", "--quiet", "--dry-run", "--report", str(report), *PACKAGES]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=INSTALL_WITHIN_S, check=False)
    if done.returncode:
        return f"pip cannot resolve it: {done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else ''}"
    names = [each["metadata"]["name"].lower() for each in json.loads(report.read_text())["install"]]
    heavy = [name for name in names if name.startswith(("nvidia-", "cuda-", "triton"))]
    if heavy and os.environ.get("RACKSIDE_TEST_TORCH") != "1":
        return f"it would pull in {len(heavy)} CUDA packages; RACKSIDE_TEST_TORCH=1 installs them"
    return ""


@pytest.fixture(scope="module")
def python() -> Iterator[Path]:
    """The interpreter of the environment with torch, made at first use."""
    if os.environ.get("RACKSIDE_TEST_TORCH") == "0":
        skip("RACKSIDE_TEST_TORCH is 0")
    found, ready = PLACE / "bin" / "python", PLACE / f"ready-{PACKAGES[0]}"
    PLACE.mkdir(exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            try:
                subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=True, timeout=INSTALL_WITHIN_S)
                if why := pulls_cuda(PLACE / "bin" / "pip"):
                    skip(why)
                install = [str(PLACE / "bin" / "pip"), "install", "--quiet", *PACKAGES]
                subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_WITHIN_S)
            except (OSError, subprocess.SubprocessError) as error:
                skip(f"it cannot be installed ({type(error).__name__})")
            ready.touch()
    yield found


def ran(python: Path, *arguments: str, where: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(where), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [str(python), *arguments], cwd=where, env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def train_on_two(python: Path, where: Path, *more: str) -> str:
    (where / "train.py").write_text(scripts.source("train.py"))
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py", "--device", "cpu"]
    small = ["--width", "64", "--layers", "2", "--sequence", "32", "--batch", "4", "--vocabulary", "64"]
    return ran(python, *start, *small, *more, where=where)


def test_two_ranks_learn_and_agree_on_their_weights(python: Path, tmp_path: Path) -> None:
    said = train_on_two(python, tmp_path, "--steps", "8")
    found = parse_training(said)
    assert (found.world, found.device, len(found.losses)) == (2, "cpu", 8)
    assert found.losses[-1] < found.losses[0] and len(set(found.checksums)) == 1
    assert all(value is not None and value > 0 for value in found.tflops)
    printed = [Printed("torchrun train.py", 0, said)]
    (finding,) = [
        each for each in findings_of(("machine.training",), printed, Expectation(MODEL)) if each.part == "machine"
    ]
    assert (finding.verdict, finding.message) == ("unknown", "it ran on cpu, not on GPUs")


def test_a_rate_that_breaks_the_training_is_a_failure(python: Path, tmp_path: Path) -> None:
    said = train_on_two(python, tmp_path, "--steps", "6", "--rate", "1e30")
    found = findings_of(("machine.training",), [Printed("torchrun train.py", 0, said)], Expectation(MODEL))
    assert [str(each.verdict) for each in found if each.part == "machine"] == ["fail"]
    assert "loss" in next(each.message for each in found if each.part == "machine")


def test_two_workers_of_the_stress_get_the_same_results(python: Path, tmp_path: Path) -> None:
    (tmp_path / "gpu_stress.py").write_text(scripts.source("gpu_stress.py"))
    said = ran(python, "gpu_stress.py", "--cpu", "2", "--seconds", "1", "--side", "64", where=tmp_path)
    found = parse_stress(said)
    assert [gpu.index for gpu in found.gpus] == [0, 1]
    assert found.gpus[0].checksums.keys() == {"bfloat16", "float16", "float32"}
    assert all(len(sums) == 1 for gpu in found.gpus for sums in gpu.checksums.values())
    ok = findings_of(("gpu.stress",), [Printed("gpu_stress.py", 0, said)], Expectation(MODEL))
    assert not [each for each in ok if "result" in each.message and each.verdict == "fail"]


def test_without_torch_both_scripts_refuse_and_nothing_reads_as_ok(tmp_path: Path) -> None:
    for name, check in (("gpu_stress.py", "gpu.stress"), ("train.py", "machine.training")):
        (tmp_path / name).write_text(scripts.source(name))
        bare = [sys.executable, "-S", "-I", str(tmp_path / name)]
        done = subprocess.run(bare, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 3 and "torch cannot be imported" in done.stdout
        found = findings_of((check,), [Printed(name, 3, done.stdout)], Expectation(MODEL))
        assert found and {str(each.verdict) for each in found} == {"unknown"}


def test_the_work_of_a_step_and_losses_that_are_not_finite() -> None:
    """Without torch: 6 operations a weight and token, attention on top; `nan` is a word, as JSON has no number."""
    assert train.flops_of_step(64, 2, 128, 32, 64) == 6.0 * 128 * (2 * 12 * 64 * 64 + 64 * 64 + 2 * 2 * 32 * 64)
    asked = train.arguments(["--steps", "2"])
    told = train.summary([1.0, float("nan")], [{"rank": 0, "tflops": 1.0, "checksum": "a"}], "cuda", asked)
    again = parse_training(json.dumps(told))
    assert again.losses[1] != again.losses[1] and again.world == 1
