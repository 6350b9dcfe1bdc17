"""Jobs under a real shell: begun once, asked for, ended with everything they began; what is gone is never killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from health.diagnostics import jobs
from health.diagnostics.commands import Command, of_machine, of_pair

pytestmark = pytest.mark.skipif(shutil.which("setsid") is None, reason="setsid is not here")


def sh(script: str) -> str:
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=30, check=False).stdout


def wait(name: str, folder: Path, most_s: int = 10) -> jobs.Look:
    for _ in range(10 * most_s):
        seen = jobs.read(sh(jobs.look(name, folder=str(folder))))
        if seen.state != "running":
            return seen
        time.sleep(0.1)
    raise AssertionError("it never ended")


def test_a_job_outlives_its_session_and_tells_what_it_printed(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    command = Command("sh say.sh hello", {"say.sh": 'echo "$1 it\'s <<done>>"; echo trouble >&2; exit 7'})
    assert jobs.began(sh(jobs.start("1.2.1", command, 20, folder=str(folder))))
    seen = wait("1.2.1", folder)
    assert (seen.state, seen.exit_status, seen.text, seen.trouble) == ("done", 7, "hello it's <<done>>\n", "trouble")
    sh(jobs.tidy("1.2.1", folder=str(folder)))
    assert list(folder.iterdir()) == [] and (folder.stat().st_mode & 0o077) == 0


def test_a_start_that_is_sent_twice_begins_one_job(tmp_path: Path) -> None:
    command = Command(f"sh -c 'echo once >>{tmp_path}/count; sleep 0.3'", {})
    answers = [sh(jobs.start("1.2.1", command, 20, folder=str(tmp_path / "jobs"))) for _ in range(3)]
    assert [jobs.began(each) for each in answers] == [True, True, True] and "known" in answers[1]
    assert wait("1.2.1", tmp_path / "jobs").state == "done"
    assert (tmp_path / "count").read_text() == "once\n"


def test_a_job_ends_by_itself_at_its_limit(tmp_path: Path) -> None:
    sh(jobs.start("1.2.1", Command("sleep 60", {}), 1, folder=str(tmp_path)))
    assert wait("1.2.1", tmp_path).exit_status == 124


@pytest.mark.slow
def test_stopping_ends_all_that_a_job_began(tmp_path: Path) -> None:
    command = Command(f"sh -c 'sleep 61 & echo $! >{tmp_path}/child; wait'", {})
    sh(jobs.start("1.2.1", command, 60, folder=str(tmp_path / "jobs")))
    for _ in range(50):
        if (tmp_path / "child").exists() and (tmp_path / "child").read_text().strip():
            break
        time.sleep(0.1)
    child = int((tmp_path / "child").read_text())
    sh(jobs.stop("1.2.1", folder=str(tmp_path / "jobs")))
    time.sleep(0.2)
    assert not _alive(child)
    assert jobs.read(sh(jobs.look("1.2.1", folder=str(tmp_path / "jobs")))).state == "lost"


def test_a_number_from_before_a_reboot_is_not_asked_for_nor_killed(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "30"], start_new_session=True)
    try:
        place = tmp_path / "1.2.1"
        place.mkdir()
        (place / "boot").write_text("another-boot\n")
        (place / "pid").write_text(f"{stranger.pid}\n")
        seen = jobs.read(sh(jobs.look("1.2.1", folder=str(tmp_path))))
        assert (seen.state, seen.trouble) == ("lost", "the machine was rebooted")
        sh(jobs.stop("1.2.1", folder=str(tmp_path)))
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_what_was_never_begun_is_lost_and_what_breaks_off_is_unknown(tmp_path: Path) -> None:
    assert jobs.read(sh(jobs.look("9.9.9", folder=str(tmp_path)))).trouble == "never begun here"
    assert jobs.read("").state == "unknown"
    assert jobs.read("bash: cannot fork\n").state == "unknown"
    assert jobs.read("rackside-job done 0\nhalf of the out").state == "unknown"


@pytest.mark.parametrize("name", ["", "1", "../1.2", "1.2;ls", "1.2.1-$x"])
def test_only_names_of_jobs_become_folders(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a job"):
        jobs.look(name)


def test_names_that_a_shell_would_read_otherwise_are_refused() -> None:
    options = {"port": 18515, "seconds": 10, "gpu_direct": True, "latency": True}
    for adapter, server in (("mlx5_0;reboot", "a"), ("mlx5_0", "a b"), ("$(x)", "a")):
        with pytest.raises(ValueError, match="no names"):
            of_pair(adapter, 0, options, server=server)
    assert of_pair("mlx5_3", 3, options, server="10.0.0.9").line == (
        "ib_write_bw -d mlx5_3 -p 18518 -D 10 -b -F --report_gbits --use_cuda=3 10.0.0.9"
    )
    assert of_machine("diagnostic", {"level": 3}, 8).line == "dcgmi diag -r 3 -j"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return status != "Z"
