"""The private folder of one play: keys, known hosts, inventory. It is removed with the play.

One that a killed worker left is removed when the next one is made: nobody holds its lock any more.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from drivers.shell import line
from provisioning.software.plays.hosts import Host, inventory_of, known_hosts_of

PREFIX = "rackside-software-"
LOCK = "lock"
FORGOTTEN_S = 3600
SITE_VARIABLES = "vars.yml"
"""Variables for all machines, in the site's folder of roles."""
PROGRAM = Path(__file__).with_name("program.py")
CONFIGURATION = """\
[defaults]
home = {folder}/home
local_tmp = {folder}/home/tmp
roles_path = {roles}
forks = {forks}
timeout = 15
host_key_checking = True
retry_files_enabled = False
interpreter_python = /usr/bin/python3
display_args_to_stdout = False
any_errors_fatal = False
stdin_timeout = 0

[ssh_connection]
pipelining = True
control_path_dir = {folder}/cp
ssh_args = -F /dev/null -o StrictHostKeyChecking=yes -o UserKnownHostsFile={folder}/known_hosts \
-o GlobalKnownHostsFile=/dev/null -o UpdateHostKeys=no -o IdentitiesOnly=yes -o IdentityAgent=none \
-o PreferredAuthentications=publickey -o ServerAliveInterval=15 -o ServerAliveCountMax=4 \
-o ControlMaster=auto -o ControlPersist=20s
"""


@dataclass(frozen=True, slots=True)
class Workspace:
    folder: Path

    @property
    def playbook(self) -> Path:
        return self.folder / "play.yml"

    @property
    def inventory(self) -> Path:
        return self.folder / "inventory"

    @property
    def program(self) -> Path:
        """What is started, found by the path: `ansible-playbook` of this virtual environment, guarded."""
        return self.folder / "bin" / "ansible-playbook"

    @property
    def configuration(self) -> Path:
        return self.folder / "ansible.cfg"


@contextmanager
def workspace(
    hosts: Sequence[Host], role: str, *, role_paths: Sequence[Path], forks: int, root: Path | None = None
) -> Iterator[Workspace]:
    """A folder that only this user may read, filled for one role on these machines."""
    root = root or Path(tempfile.gettempdir())
    remove_left(root)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))  # 0700
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        space = Workspace(folder)
        _fill(space, hosts, role, role_paths, forks)
        yield space
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_left(root: Path) -> int:
    """Remove folders of workers that are gone; returns how many."""
    removed = 0
    for folder in root.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not (folder / LOCK).exists():  # just made, or written again by a task of an Ansible that was stopped
                if time.time() - folder.stat().st_mtime > FORGOTTEN_S:
                    shutil.rmtree(folder, ignore_errors=True)
                    removed += 1
                continue
            handle = os.open(folder / LOCK, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
            finally:
                os.close(handle)
    return removed


def _fill(space: Workspace, hosts: Sequence[Host], role: str, role_paths: Sequence[Path], forks: int) -> None:
    folder = space.folder
    for name in ("runner", "bin", "home", "home/tmp", "cp", "keys", "inventory", "inventory/group_vars"):
        (folder / name).mkdir(mode=0o700)
    keys = {key: folder / "keys" / str(number) for number, key in enumerate(dict.fromkeys(host.key for host in hosts))}
    for key, path in keys.items():
        _write(path, key.rstrip("\n") + "\n")
    _write(folder / "known_hosts", known_hosts_of(hosts))
    _write(space.inventory / "hosts.yml", inventory_of(hosts, {key: str(path) for key, path in keys.items()}))
    for own in role_paths:
        if (own / SITE_VARIABLES).is_file():
            _write(space.inventory / "group_vars" / "all.yml", (own / SITE_VARIABLES).read_text())
            break
    play = {"name": role, "hosts": "all", "gather_facts": True, "roles": [{"role": role}]}
    _write(space.playbook, yaml.safe_dump([play], sort_keys=False))
    roles = ":".join(str(path.absolute()) for path in role_paths)
    _write(space.configuration, CONFIGURATION.format(folder=folder, roles=roles, forks=forks))
    real = Path(sys.executable).with_name("ansible-playbook")
    words = line([sys.executable, "-I", str(PROGRAM), str(real), str(os.getpid())])
    _write(space.program, f'#!/bin/sh\nexec {words} "$@"\n', mode=0o700)


def _write(path: Path, text: str, mode: int = 0o600) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w") as file:
        file.write(text)
