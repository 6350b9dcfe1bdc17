"""One command on one machine over SSH, and what its failure says of whether it began; and what runs on machines."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from django.conf import settings

from access.queries import ssh_targets
from access.services import record_identities
from drivers import shell
from drivers.ssh import Limits, SshFailureKind, SshResult, SshTarget, run_one
from health.machines import hooks, workload
from health.machines.calls import AUTOMATION, Report
from health.machines.workload import Workload

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
ASKED_AT_ONCE = 256
ASKED_WITHIN_S = 75.0
"""For all machines of one question together; tasks that ask many have 100 s."""
ASKING = Limits(connect_timeout_s=5, login_timeout_s=5, command_timeout_s=25, output_cap_bytes=4 * 1024 * 1024)
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
    record_identities([result], actor=AUTOMATION)
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


# ---- what runs there ----


def workload_of(machine_id: int) -> Workload:
    """What the machine says runs on it, asked now. Never raises for the machine."""
    return workloads_of([machine_id])[machine_id]


def workloads_of(machine_ids: Iterable[int]) -> dict[int, Workload]:
    """The same of many, asked at the same time. One that did not tell within `ASKED_WITHIN_S` is not known."""
    ids = sorted(set(machine_ids))
    targets = [target for target in ssh_targets(ids) if target.address] if ids else []
    kubelets = hooks.scheduler().tells_containers(ids) if targets else set()
    results = asyncio.run(_ask(targets)) if targets else []
    record_identities(results, actor=AUTOMATION)
    said = {target.machine_id: workload.untold(f"no answer within {ASKED_WITHIN_S:g} s") for target in targets}
    said |= {
        result.target.machine_id: _told(result, kubelet=result.target.machine_id in kubelets) for result in results
    }
    return {pk: said.get(pk) or workload.silent("no address is known for it") for pk in ids}


def by_root(target: SshTarget, script: str) -> str:
    """A script of ours as a command of root, where we log in as somebody else."""
    return script if target.username == "root" else f"sudo -n sh -c {shell.literal(script)}"


async def _ask(targets: list[SshTarget]) -> list[SshResult]:
    gate = asyncio.Semaphore(ASKED_AT_ONCE)
    script = workload.script()

    async def one(target: SshTarget) -> SshResult:
        async with gate:
            return await run_one(target, by_root(target, script), ASKING)

    tasks = [asyncio.create_task(one(target)) for target in targets]
    done, late = await asyncio.wait(tasks, timeout=ASKED_WITHIN_S)
    for task in late:
        task.cancel()
    return [task.result() for task in tasks if task in done]


def _told(result: SshResult, *, kubelet: bool = False) -> Workload:
    """Whoever showed a host key is up, also when it lets nobody in, tells nothing in time, or has another key."""
    if result.failure is not None and result.presented_key is not None:
        return workload.untold(str(result.failure))
    if result.failure is not None:
        return workload.silent(f"it does not answer: {result.failure}")
    text = (result.stdout or result.stderr).decode("utf-8", "replace")
    return workload.read(text, system=settings.SYSTEM_WORKLOADS, kubelet=kubelet)
