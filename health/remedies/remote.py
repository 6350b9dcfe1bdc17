"""One command on one machine over SSH, and what its failure says of whether it began."""

from __future__ import annotations

import asyncio
import re

from access.queries import ssh_targets
from access.services import record_identities
from drivers.ssh import Limits, SshFailureKind, SshResult, run_one
from health.remediation.types import Report

NEVER_BEGAN = frozenset(
    {
        SshFailureKind.REFUSED,
        SshFailureKind.TIMEOUT,
        SshFailureKind.NO_BANNER,
        SshFailureKind.AUTH_DENIED,
        SshFailureKind.HOST_KEY_CHANGED,
        SshFailureKind.OTHER,
    }
)
"""Failures before the command was handed over; after any other it may have run."""
_JOINTS = re.compile(r"( && | \|\| | ; )")


def run(machine_id: int, command: str, *, timeout_s: float = 40, as_root: bool = False) -> SshResult | None:
    """Run a command; None when the machine is not in the inventory. Never raises for the machine.

    `as_root` puts sudo before each command of a line whose commands stand between ` && `, ` || ` or ` ; `.
    """
    targets = ssh_targets([machine_id])
    if not targets:
        return None
    if as_root and targets[0].username != "root":
        parts = _JOINTS.split(command)
        command = "".join(part if n % 2 else f"sudo -n {part}" for n, part in enumerate(parts))
    limits = Limits(connect_timeout_s=5, login_timeout_s=5, command_timeout_s=timeout_s, output_cap_bytes=256 * 1024)
    result = asyncio.run(run_one(targets[0], command, limits))
    record_identities([result], actor="automation")
    return result


def text_of(result: SshResult) -> str:
    """What it printed, short enough to be kept."""
    return (result.stdout + result.stderr).decode(errors="replace").strip()[:2000]


def report_of(result: SshResult | None, *, well: Report) -> tuple[Report, str]:
    """What the answer proves: `well` for exit status 0. A lost connection proves nothing."""
    if result is None:
        return Report.REFUSED, "the machine is not in the inventory"
    if result.failure is not None:
        began = result.failure.kind not in NEVER_BEGAN
        return (Report.NONE if began else Report.REFUSED), str(result.failure)
    if result.exit_status == 0:
        return well, text_of(result) or "it ended well"
    return Report.FAILED, f"exit status {result.exit_status}: {text_of(result)}"
