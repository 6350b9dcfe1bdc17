"""The Debian packages that the tests need, and installing them where that is allowed.

Standard library only, because `./rackside` has them installed while it makes the virtual environment.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from config.embedded.progress import LaunchError, Progress, errors_as_exit_status

# What is looked for -> the package that brings it. Nothing here is started as a service.
NEEDED = {
    "/usr/bin/chromium-headless-shell": "chromium-headless-shell",
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
    "/usr/sbin/slurmdbd": "slurmdbd",
    "/usr/sbin/mariadbd": "mariadb-server-core",
    "/usr/bin/mpirun.openmpi": "openmpi-bin",
    "/usr/bin/curl": "curl",
    "/usr/bin/prometheus": "prometheus",
    "/usr/lib/python3/dist-packages/torch/__init__.py": "python3-torch",
    "/usr/sbin/dockerd": "docker.io",
    "/usr/bin/containerd": "containerd",
    "/usr/bin/docker-registry": "docker-registry",
    "/usr/sbin/dnsmasq": "dnsmasq-base",
    "/usr/bin/xorriso": "xorriso",
    "/usr/lib/dovecot/imap": "dovecot-imapd",
}

OF_THE_WHOLE_RUN = {
    "/usr/bin/qemu-system-x86_64": "qemu-system-x86",
    "/usr/lib/ipxe/qemu/pxe-virtio.rom": "ipxe-qemu",
    "/usr/lib/ipxe/ipxe.efi": "ipxe",
    "/usr/share/OVMF/OVMF_CODE.fd": "ovmf",
    "/usr/bin/busybox": "busybox-static",
    "/usr/sbin/iptables": "iptables",
    "/usr/bin/grub-mkrescue": "grub-common",
    "/usr/lib/grub/i386-pc/cdboot.img": "grub-pc-bin",
    "/usr/lib/grub/x86_64-efi/kernel.img": "grub-efi-amd64-bin",
    "/usr/bin/mformat": "mtools",
    "/usr/bin/skopeo": "skopeo",
    "/usr/lib/x86_64-linux-gnu/qemu/block-curl.so": "qemu-block-extra",
}
"""What only slow tests need, and is large."""

POLICY = Path("/usr/sbin/policy-rc.d")


def missing(*, everything: bool = False) -> list[str]:
    """The packages that are not there yet."""
    needed = NEEDED | OF_THE_WHOLE_RUN if everything else NEEDED
    return sorted({package for path, package in needed.items() if not os.path.exists(path)})


def may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def ensure(progress: Progress, *, everything: bool = False) -> None:
    """Install what is missing by apt-get as root; otherwise list it and stop (LaunchError)."""
    wanted = missing(everything=everything)
    if not wanted:
        return
    command = f"apt-get install --no-install-recommends {' '.join(wanted)}"
    if not may_install():
        raise LaunchError(f"The tests need: {', '.join(wanted)}.", f"As root: {command}")
    with progress.step("Debian packages") as step, no_service_starts():
        step.note(", ".join(wanted))
        for words in (["apt-get", "update", "-q"], [*command.split(), "-y", "-q"]):
            run_apt(words)
            step.tick()
        left = missing(everything=everything)
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


if __name__ == "__main__":
    with errors_as_exit_status(Progress()):
        ensure(Progress())
