"""One role on some machines, played by Ansible over SSH, with each task's result as it comes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ansible_runner

from provisioning.software.plays.hosts import Host, aliases
from provisioning.software.plays.results import TaskResult, result_of, shortened, without_secrets
from provisioning.software.plays.workspace import Workspace, workspace

TICK_S = 1
"""How often is asked whether it goes on."""
MOST_FORKS = 50
LAST_LINES = 20


@dataclass(frozen=True, slots=True)
class Played:
    """How a play ended. `complete`: Ansible came to its end and summed up. Where it did not, every machine that had not
    failed before counts as failed."""

    complete: bool
    cancelled: bool
    text: str
    """What Ansible said where it broke off; empty when it did not."""


def play(
    hosts: Sequence[Host],
    role: str,
    *,
    role_paths: Sequence[Path],
    check: bool,
    timeout_s: int,
    on_result: Callable[[Host, TaskResult], None],
    goes_on: Callable[[], bool],
) -> Played:
    """Carry a role out; with `check` Ansible only says what it would change. Never raises for a machine.

    `goes_on` is asked every second; after the first no Ansible is stopped, and what a task has begun may still end.
    What the two callbacks raise comes through, and Ansible is stopped.
    """
    by_alias = aliases(hosts)
    seen: dict[str, Any] = {"complete": False, "lines": []}

    def heard(event: Mapping[str, Any]) -> bool:
        seen["complete"] |= event.get("event") == "playbook_on_stats"
        result = result_of(event)
        if result is not None and result.host in by_alias:
            on_result(by_alias[result.host], result)
        elif event.get("event") in ("verbose", "error", "warning", "system_warning") and event.get("stdout"):
            seen["lines"] = [*seen["lines"], str(event["stdout"])][-LAST_LINES:]
        return False  # no file is kept of it

    forks = min(len(hosts), MOST_FORKS)
    with workspace(hosts, role, role_paths=role_paths, forks=forks) as space:
        runner = ansible_runner.interface.init_runner(
            private_data_dir=str(space.folder / "runner"),
            playbook=str(space.playbook),
            inventory=str(space.inventory),
            cmdline="--check" if check else None,
            envvars=_environment(space),
            settings={"pexpect_timeout": TICK_S, "suppress_output_file": True},
            suppress_env_files=True,
            quiet=True,
            timeout=timeout_s,
            event_handler=heard,
            cancel_callback=lambda: not goes_on(),
        )
        status, _ = runner.run()
    complete = seen["complete"] and status in ("successful", "failed")
    if complete:
        return Played(complete=True, cancelled=False, text="")
    text = f"no end within {timeout_s} s" if status == "timeout" else "\n".join(seen["lines"])
    return Played(complete=False, cancelled=status == "canceled", text=shortened(without_secrets(text)))


def _environment(space: Workspace) -> dict[str, str]:
    home = str(space.folder / "home")
    folders = [str(space.program.parent), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return {
        "ANSIBLE_CONFIG": str(space.configuration), "ANSIBLE_HOST_KEY_CHECKING": "True", "ANSIBLE_NOCOWS": "1",
        "ANSIBLE_HOME": home, "HOME": home, "PATH": os.pathsep.join(folders), "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8",
    }  # fmt: skip
