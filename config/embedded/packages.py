"""The Debian packages that the tests need, and installing them where that is allowed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from config.embedded.progress import LaunchError, Progress

# What is looked for -> the package that brings it. Nothing here is started as a service.
NEEDED = {
    "/usr/bin/chromium": "chromium",
    "/usr/bin/ssh": "openssh-client",
    "/usr/sbin/sshd": "openssh-server",
    "/usr/bin/xmllint": "libxml2-utils",
    "/usr/bin/jq": "jq",
    "/usr/bin/setpriv": "util-linux",
    "/usr/bin/ibsim": "ibsim-utils",
    "/usr/sbin/ibnetdiscover": "infiniband-diags",
    "/usr/sbin/opensm": "opensm",
    "/usr/sbin/munged": "munge",
    "/usr/sbin/slurmctld": "slurm-wlm",
    "/usr/sbin/slurmrestd": "slurmrestd",
    "/var/lib/dpkg/info/slurm-wlm-jwt-plugin.list": "slurm-wlm-jwt-plugin",  # its path varies by CPU
    "/usr/bin/curl": "curl",
}

POLICY = Path("/usr/sbin/policy-rc.d")


def missing() -> list[str]:
    return sorted({package for path, package in NEEDED.items() if not os.path.exists(path)})


def ensure(progress: Progress) -> None:
    """Install what is missing by apt-get as root; otherwise list it and stop (LaunchError)."""
    wanted = missing()
    if not wanted:
        return
    command = f"apt-get install --no-install-recommends {' '.join(wanted)}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise LaunchError(f"The tests need: {', '.join(wanted)}.", f"As root: {command}")
    with progress.step("Debian packages") as step, no_service_starts():
        step.note(", ".join(wanted))
        for words in (["apt-get", "update", "-q"], [*command.split(), "-y", "-q"]):
            run_apt(words)
            step.tick()
        left = missing()
        if left:
            raise LaunchError(f"After installing, still missing: {', '.join(left)}.", f"As root: {command}")


@contextlib.contextmanager
def no_service_starts() -> Iterator[None]:
    """Debian asks this policy file before a package starts its service; one that a person wrote is left alone."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)


def run_apt(words: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise LaunchError(f"{' '.join(words[:2])} failed:\n{(done.stderr or done.stdout).strip()[-1500:]}")
