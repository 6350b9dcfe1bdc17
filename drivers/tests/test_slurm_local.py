"""`scontrol` run right here: a command that is given up leaves no process and no pipe behind."""

from __future__ import annotations

import asyncio
import gc
import logging
from pathlib import Path

import pytest

from drivers.scheduler import SchedulerError
from drivers.slurm.commands import LocalShell


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_command_that_is_given_up_because_another_failed_is_ended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shell, pid_file = LocalShell(), tmp_path / "pid"

    async def failing() -> None:
        while not pid_file.exists() or not pid_file.read_text():
            await asyncio.sleep(0.01)
        raise SchedulerError("the other one")

    async def both() -> None:
        await asyncio.gather(shell.run(("sh", "-c", f"echo $$ > {pid_file}; exec sleep 60")), failing())

    with pytest.raises(SchedulerError, match="the other one"):
        asyncio.run(both())
    gc.collect()
    assert not Path("/proc", pid_file.read_text().strip()).exists()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_command_that_takes_too_long_is_ended_and_said() -> None:
    with pytest.raises(SchedulerError, match=r"sleep did not end within 0\.1 s"):
        asyncio.run(LocalShell(timeout_s=0.1).run(("sleep", "60")))
