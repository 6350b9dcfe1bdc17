"""The remedies: one row per rung that automation can take. Pure data; docs/remediation.md shows the same table."""

from __future__ import annotations

from health.checks.levels import Rung
from health.remediation.types import Remedy

_DRAINED = ("automation drained the machine for an incident", "no job, no reservation of others, nobody logged in")

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        name="restart_service",
        rung=Rung.SERVICE,
        title="Restart a service",
        preconditions=("nothing runs on the machine", "it answers over SSH"),
        needs_drain=False,
        intrusive=True,
        idempotent=True,
        power=False,
        deadline_s=300,
        verification="the failed checks pass",
        level=0,
        next_rung=Rung.REBOOT,
    ),
    Remedy(
        name="reset_gpu",
        rung=Rung.GPU_RESET,
        title="Reset the GPU",
        preconditions=(*_DRAINED, "it answers over SSH"),
        needs_drain=True,
        intrusive=True,
        idempotent=False,
        power=False,
        deadline_s=600,
        verification="the failed checks pass, no row remap is pending, the driver asks for no recovery",
        level=1,
        next_rung=Rung.REBOOT,
    ),
    Remedy(
        name="reboot",
        rung=Rung.REBOOT,
        title="Reboot",
        preconditions=_DRAINED,
        needs_drain=True,
        intrusive=True,
        idempotent=False,
        power=True,
        deadline_s=1800,
        verification="another boot id, the failed checks pass",
        level=2,
        next_rung=Rung.POWER_CYCLE,
    ),
    Remedy(
        name="power_cycle",
        rung=Rung.POWER_CYCLE,
        title="Power cycle by the BMC, two minutes off",
        preconditions=(*_DRAINED, "its BMC switches no other machine that works"),
        needs_drain=True,
        intrusive=True,
        idempotent=False,
        power=True,
        deadline_s=2400,
        verification="another boot id, the failed checks pass",
        level=3,
        next_rung=Rung.REIMAGE,
    ),
    Remedy(
        name="reimage",
        rung=Rung.REIMAGE,
        title="Reimage",
        preconditions=_DRAINED,
        needs_drain=True,
        intrusive=True,
        idempotent=False,
        power=True,
        deadline_s=3 * 3600,
        verification="every check of the machine passes",
        level=3,
        next_rung=Rung.TICKET,
    ),
)

BY_RUNG = {remedy.rung: remedy for remedy in REMEDIES}
BY_NAME = {remedy.name: remedy for remedy in REMEDIES}
