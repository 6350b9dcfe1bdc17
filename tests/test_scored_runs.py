"""Failed runs with a known cause, from the logs of all their ranks and machines: the verdict is scored.

Each run has what real ones have beside the cause: a hundred ranks that end because another one did, ranks that say
nothing, lines without a time, machines whose kernel noted something worse the day before.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from runs.causes.origins import origin_of
from runs.causes.verdict import Verdict
from runs.collection import answer, script
from runs.collection.script import LogFile
from runs.evidence import Files
from runs.explanation import explain, explain_files
from simulator.training.failures import FAILURES, Failure
from simulator.training.run import GPUS, Run

NAMES = [f"hgx-a{1 + number // 16:02d}-{1 + number % 16:02d}" for number in range(511)]


def machine_of(verdict: Verdict) -> str | None:
    return verdict.machine or (NAMES[verdict.rank // GPUS] if verdict.rank is not None else None)


def is_right(run: Run, verdict: Verdict) -> bool:
    if verdict.cause != run.failure.cause:
        return False
    if run.failure.named == "rank":
        return verdict.rank == run.rank
    return run.failure.named == "nobody" or machine_of(verdict) == run.machine


def accuses_wrongly(run: Run, verdict: Verdict) -> bool:
    """Whether a machine is said to be broken, or may be, that has nothing to do with it."""
    blamed = machine_of(verdict) if verdict.hardware is not False else None
    return blamed is not None and (run.failure.named == "nobody" or blamed != run.machine)


@pytest.mark.slow
@pytest.mark.parametrize("failure", FAILURES, ids=[each.name for each in FAILURES])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_first_cause_is_found_among_the_logs_of_sixteen_machines(
    failure: Failure, seed: int, tmp_path: Path
) -> None:
    run = Run(failure, NAMES[:16], seed)
    run.write(tmp_path / "logs")

    verdict = explain([tmp_path / "logs"]).verdict

    assert is_right(run, verdict), f"wanted {failure.cause}, rank {run.rank} of {run.machine}: {verdict.sentence}"
    assert not accuses_wrongly(run, verdict)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exception in the user's code", "gpu lost", "ended as it should"])
def test_logs_searched_on_the_machines_give_the_answer_of_the_whole_logs(name: str, tmp_path: Path) -> None:
    run = Run(next(each for each in FAILURES if each.name == name), NAMES[:4], 3)
    run.write(tmp_path)
    found = Files()
    for machine in run.machines:
        logs = sorted((tmp_path / machine).glob("*.log"))
        asked = [LogFile(str(path), origin_of(Path(path.name)).rank) for path in logs]
        shell = subprocess.run(
            ["sh", "-c", script.files_script(asked, [])], capture_output=True, timeout=60, check=True
        )
        found.add(answer.files_of(machine, answer.read(shell.stdout).pieces, {}, 0.0))

    verdict = explain_files(found).verdict

    assert is_right(run, verdict), verdict.sentence
    assert not accuses_wrongly(run, verdict)


@pytest.mark.slow
def test_of_the_whole_fleet_nineteen_of_twenty_are_right_and_no_machine_is_accused_wrongly(tmp_path: Path) -> None:
    right, wrong = [], []
    for number, failure in enumerate(FAILURES):
        run = Run(failure, NAMES, 100 + number)
        run.write(tmp_path / str(number))
        verdict = explain([tmp_path / str(number)]).verdict
        right.append(is_right(run, verdict))
        if accuses_wrongly(run, verdict):
            wrong.append((failure.name, verdict.sentence))
    assert wrong == []
    assert sum(right) >= 0.95 * len(right)
