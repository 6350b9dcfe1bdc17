"""Scripts on many machines at once over SSH, each session a short one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from access.queries import ssh_targets
from access.services import record_identities
from drivers.ssh import Limits, SshResult, SshTarget, run_one
from health.machines.remote import by_root

CONCURRENCY = 64
LIMITS = Limits(connect_timeout_s=5, login_timeout_s=10, command_timeout_s=20)


def ask(
    some: Sequence[tuple[int, str]],
    *,
    as_root: bool = False,
    actor: str = "active checks",
    told: Mapping[int, bytes] | None = None,
) -> list[SshResult | None]:
    """The answer to each (machine, script), in their order; None where no address is known. `as_root`: by sudo where
    we log in as somebody else. `told`: what a machine's script reads from its standard input, such as a secret."""
    targets = {target.machine_id: target for target in ssh_targets(sorted({machine_id for machine_id, _ in some}))}
    asked = [(targets.get(machine_id), script) for machine_id, script in some]
    if as_root:
        asked = [(target, by_root(target, script) if target else script) for target, script in asked]
    answers = asyncio.run(_run(asked, told or {}))
    record_identities([answer for answer in answers if answer is not None], actor=actor)
    return answers


def text_of(result: SshResult) -> str:
    return result.stdout.decode("utf-8", "replace")


async def _run(some: Sequence[tuple[SshTarget | None, str]], told: Mapping[int, bytes]) -> list[SshResult | None]:
    gate = asyncio.Semaphore(CONCURRENCY)
    # One session at a time on a machine: eight rails at once would be more logins than sshd lets in by default.
    turns: dict[int | None, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def one(target: SshTarget | None, script: str) -> SshResult | None:
        if target is None:
            return None
        async with turns[target.machine_id], gate:
            return await run_one(target, script, LIMITS, told=told.get(target.machine_id or 0, b""))

    return list(await asyncio.gather(*(one(target, script) for target, script in some)))
