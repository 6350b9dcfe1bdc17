"""What tests of several ways to launch need."""

from __future__ import annotations

import subprocess

import pytest


@pytest.fixture(scope="session")
def torch() -> None:
    """Debian's python3-torch, which trains over gloo without a GPU."""
    if subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True, check=False).returncode:
        pytest.xfail("no torch to launch: apt-get install python3-torch")
