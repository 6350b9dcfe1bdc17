"""A stack of an ordinary user, which no trial breaks for good."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.account import Account, closed_parent
from config.embedded.instance import free_port
from tests.launcher.conftest import open_up
from tests.trials.stack import Stack

ORDINARY = next(pwd.getpwnam(name) for name in ("games", "daemon", "bin", "nobody"))  # initdb wants one with a name


def as_nobody_special() -> list[str]:
    """What runs a command as an ordinary user; nothing where the tests themselves run as one.

    Where Python itself lies below a closed folder such as /root, the user may read and enter everything, as through a
    group of his own; what he may write is not changed by that.
    """
    if os.geteuid() != 0:
        return []
    user, group = ORDINARY.pw_uid, ORDINARY.pw_gid
    command = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs"]
    if closed_parent(Path(sys.executable), Account(ORDINARY.pw_name, user, group)):
        command += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return command


def folder_of_theirs(place: Path) -> Path:
    """A folder that the ordinary user owns and reaches."""
    place.mkdir(parents=True, exist_ok=True)
    open_up(place)
    if os.geteuid() == 0:
        os.chown(place, ORDINARY.pw_uid, ORDINARY.pw_gid)
    return place


@pytest.fixture(scope="session")
def unprivileged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """`./rackside run` of an ordinary user with a few racks, and a token of its administrator."""
    place = folder_of_theirs(tmp_path_factory.mktemp("unprivileged"))
    port = free_port("127.0.0.1", 18300)
    stack = Stack(place / "site", "run", port=port, prefix=as_nobody_special())
    try:
        stack.start()
        fleet = str(place / "fleet.yaml")
        stack.manage("reference_fleet", "--machines", "4", "--bare", "0", "--output", fleet)
        stack.manage("load_fleet", fleet)
        stack.sign_in()
        yield stack
    finally:
        stack.close()
