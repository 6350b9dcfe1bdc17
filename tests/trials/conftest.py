"""A stack of an ordinary user, which no trial breaks for good."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.instance import free_port
from tests.launcher.conftest import open_up
from tests.trials.stack import Stack

NOT_ROOT = 54_321  # any number that is nobody's


def as_nobody_special() -> list[str]:
    """What runs a command without any privilege; nothing where the tests themselves have none."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOT_ROOT}", f"--regid={NOT_ROOT}", "--clear-groups", "--no-new-privs"]


def folder_of_theirs(place: Path) -> Path:
    """A folder that the ordinary user owns and reaches."""
    place.mkdir(parents=True, exist_ok=True)
    open_up(place)
    if os.geteuid() == 0:
        os.chown(place, NOT_ROOT, NOT_ROOT)
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
