"""`scontrol` run right here: a question that failed leaves no process and no pipe of the others behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from pathlib import Path

import pytest

from drivers.scheduler import SchedulerError
from drivers.slurm.commands import LocalShell, SlurmCommands

SCONTROL = """#!/bin/sh
[ "$2" = job ] && exit 1
sleep 0.2
echo done > "{place}/$2"
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_when_one_question_fails_the_others_are_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    program = tmp_path / "scontrol"
    program.write_text(SCONTROL.format(place=tmp_path))
    program.chmod(0o755)
    scheduler = SlurmCommands(LocalShell(environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"}))
    gc.collect()  # what tests before it left pending is not meant
    caplog.clear()
    for _ in range(5):
        with pytest.raises(SchedulerError):
            asyncio.run(scheduler.read())
        for asked in ("node", "reservation"):
            (tmp_path / asked).unlink()  # it came to its end
    gc.collect()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_command_that_takes_too_long_is_ended_and_said() -> None:
    with pytest.raises(SchedulerError, match=r"sleep did not end within 0\.1 s"):
        asyncio.run(LocalShell(timeout_s=0.1).run(("sleep", "60")))
