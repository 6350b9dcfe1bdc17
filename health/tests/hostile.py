"""Hostile texts, and a folder in which real shells run what was made of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SHELLS = [path for path in ("/bin/dash", "/bin/bash") if Path(path).exists()]
CANARY = "canary"
# Refused by every field, whether a command is made of it or only people read it.
ACTIVE = (
    f"x; touch {CANARY}", f"$(touch {CANARY})", f"`touch {CANARY}`", f"x\ntouch {CANARY}", f"x | touch {CANARY}",
    f"x >{CANARY}", "a\\b", "nul\0nul", "${IFS}", "\x1b[2J", "a\u202eb", "\u2028",
)  # fmt: skip
# Harmless to read, so a text for people may hold them; refused where a command is made of it.
ODD = (
    f"x' touch {CANARY} '", f'x" touch {CANARY} "', "-rf", "*", "a b?[c]", "größe", "\u0663", "~root", "#x", "&", "!",
)  # fmt: skip


@pytest.fixture
def sandbox(tmp_path: Path) -> Path:
    """A folder to run in, with tools that write down what they were called with and nothing else in PATH."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in (
        "nvidia-smi", "flint", "curl", "docker", "systemctl", "grep", "nvme", "ibstat", "lspci", "lsmod", "df", "dmesg",
        "cat", "ps", "stat", "dmidecode", "zpool", "scontrol", "hostname", "ipmitool", "lsblk", "chronyc", "dcgmi",
        "nvbandwidth", "all_reduce_perf", "mpirun", "ib_write_bw", "ib_write_lat", "python3", "mount", "mountpoint",
        "modprobe", "sudo", "touch",
    ):  # fmt: skip
        path = tools / name
        path.write_text(
            f'#!/bin/sh\n[ {name} = touch ] && : >"$1"\n'
            f'all={name}; for each; do all="$all\036$each"; done; printf "%s\\035" "$all" >>"$SEEN"\n'
        )
        path.chmod(0o755)
    return tmp_path


def run_in(sandbox: Path, script: str, with_shell: str) -> list[list[str]]:
    """Run a script; the calls of the tools, each its words."""
    seen, place = sandbox / "seen", sandbox / "place"
    place.mkdir(exist_ok=True)
    (place / "bait-file").touch()
    seen.write_text("")
    environment = {"PATH": str(sandbox / "tools"), "SEEN": str(seen), "HOME": str(place)}
    subprocess.run([with_shell, "-c", script], cwd=place, env=environment, capture_output=True, timeout=60, check=False)
    assert not list(place.rglob(f"*{CANARY}*")), script
    calls = sorted(each.split("\036") for each in seen.read_text(errors="replace").split("\035")[:-1])
    assert not [call for call in calls if call[0] == "touch" or "bait-file" in call], script
    return calls


def shapes(calls: list[list[str]]) -> list[tuple[str, int]]:
    """Tool and number of words of each call."""
    return sorted((call[0], len(call)) for call in calls)
