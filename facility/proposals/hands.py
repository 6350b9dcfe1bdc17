"""What steps do to machines: the power limits of their GPUs over SSH, their power by the BMC. Many at once.

Nothing here decides. Each answers for every machine, and raises for none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from access.bmc import BmcResult, failed, known_by
from access.queries import BmcTarget, bmc_targets, ssh_targets
from access.services import record_bmc_identities, record_identities
from drivers.redfish import RedfishClient, RedfishError
from drivers.ssh import Limits, SshResult, SshTarget, run_one
from health.machines.remote import by_root, text_of

AT_ONCE = 64
ACTOR = "power"
SSH = Limits(connect_timeout_s=5, login_timeout_s=5, command_timeout_s=30, output_cap_bytes=64 * 1024)
BMC_TIMEOUT_S, BMC_TOTAL_S = 8, 30
NO_BMC = "no BMC address is known for it"
NO_MACHINE = "it is not in the inventory"
QUERY = "nvidia-smi --query-gpu=index,power.limit --format=csv,noheader,nounits"


# ---- power limits ----


class GpuLimits(NamedTuple):
    """Watts by index of the GPU; without any, `why`."""

    watts: dict[str, float]
    why: str = ""


def gpu_limits(machine_ids: Collection[int]) -> dict[int, GpuLimits]:
    """What each GPU may draw now, as its driver says."""
    found = _over_ssh(dict.fromkeys(machine_ids, QUERY))
    return {pk: _limits(found[pk]) if pk in found else GpuLimits({}, NO_MACHINE) for pk in machine_ids}


def _limits(result: SshResult) -> GpuLimits:
    if why := _why_not(result):
        return GpuLimits({}, why)
    try:
        rows = [line.split(",") for line in result.stdout.decode().splitlines() if line.strip()]
        watts = {index.strip(): float(limit) for index, limit in rows}
    except ValueError:
        return GpuLimits({}, f"its driver tells no limit: {text_of(result)[:120]}")
    return GpuLimits(watts) if watts else GpuLimits({}, "it shows no GPU")


def set_gpu_limits(wanted: Mapping[int, Mapping[str, float]]) -> dict[int, str]:
    """Set watts by index of the GPU; answers why not, empty where it was done."""
    scripts = {
        pk: " && ".join(f"nvidia-smi -i {int(index)} -pl {watts:g}" for index, watts in sorted(limits.items()))
        for pk, limits in wanted.items()
    }
    found = _over_ssh(scripts)
    return {pk: _why_not(found[pk]) if pk in found else NO_MACHINE for pk in wanted}


def _why_not(result: SshResult) -> str:
    if result.failure is not None:
        return str(result.failure)
    return "" if result.exit_status == 0 else f"exit status {result.exit_status}: {text_of(result)[:200]}"


def _over_ssh(scripts: Mapping[int, str]) -> dict[int, SshResult]:
    async def all_of_them(targets: Iterable[SshTarget]) -> list[SshResult]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(target: SshTarget) -> SshResult:
            async with gate:
                return await run_one(target, by_root(target, scripts[target.machine_id or 0]), SSH)

        return await asyncio.gather(*map(one, targets))

    results = asyncio.run(all_of_them(ssh_targets(list(scripts)))) if scripts else []
    record_identities(results, actor=ACTOR)
    return {result.target.machine_id or 0: result for result in results}


# ---- power ----


class Told(NamedTuple):
    """What a BMC said, or why it said nothing."""

    word: str
    why: str = ""


def power_states(machine_ids: Collection[int]) -> dict[int, str]:
    """`on`, `off`, another word of the BMC, or `unknown`."""
    found = _by_bmc(machine_ids, lambda client: client.power_state())
    return {pk: found[pk].word or "unknown" for pk in machine_ids}


def order_power(machine_ids: Collection[int], action: str) -> dict[int, str]:
    """`graceful_off` or `on`; answers why not, empty where the BMC took the order or the machine is so already."""
    wanted = "on" if action == "on" else "off"

    async def order(client: RedfishClient) -> str:
        if await client.power_state() != wanted:
            await client.power(action)
        return wanted

    found = _by_bmc(machine_ids, order)
    return {pk: found[pk].why for pk in machine_ids}


def _by_bmc(machine_ids: Collection[int], work: Callable[[RedfishClient], Awaitable[str]]) -> dict[int, Told]:
    met: list[BmcResult] = []

    async def one(target: BmcTarget, gate: asyncio.Semaphore) -> Told:
        if not target.address:
            return Told("", NO_BMC)
        client = target.client(BMC_TIMEOUT_S)
        try:
            async with gate, asyncio.timeout(BMC_TOTAL_S), client:
                word = await work(client)
        except TimeoutError:
            return Told("", "its BMC took too long")
        except RedfishError as error:
            met.append(failed(target, client, error))
            return Told("", str(error))
        met.append(BmcResult(target, fingerprint=known_by(client)))
        return Told(word)

    async def all_of_them(targets: Sequence[BmcTarget]) -> dict[int, Told]:
        gate = asyncio.Semaphore(AT_ONCE)
        told = await asyncio.gather(*(one(target, gate) for target in targets))
        return {target.machine_id: each for target, each in zip(targets, told, strict=True)}

    targets = bmc_targets(list(machine_ids)) if machine_ids else []
    found = asyncio.run(all_of_them(targets)) if targets else {}
    record_bmc_identities(met, actor=ACTOR)
    return {pk: found.get(pk, Told("", NO_BMC)) for pk in machine_ids}
