"""What the machines of a run are asked over SSH, many at once; each machine's failure is its own.

Three short sessions a machine over one connection: which processes are ranks; logs and dumps; stacks. What one of them
cannot give, or is cut off in, costs the others nothing.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from access.queries import ssh_targets
from access.services import record_identities
from drivers.shell import UnsafeWord
from drivers.ssh import KeptSsh, Limits, SshFailureKind, SshResult, SshTarget, kept_ssh, run_one
from runs.collection import answer, clocks, places, processes, script
from runs.collection.answer import Piece
from runs.models import CollectedMachine

log = structlog.get_logger(__name__)
CONCURRENCY = 128
WHO = Limits(connect_timeout_s=5, login_timeout_s=10, command_timeout_s=20, output_cap_bytes=2 << 20)
FILES = Limits(connect_timeout_s=5, login_timeout_s=10, command_timeout_s=50, output_cap_bytes=script.SHARE + (1 << 20))
STACKS = Limits(
    connect_timeout_s=5, login_timeout_s=10, command_timeout_s=45, output_cap_bytes=script.SHARE + (1 << 20)
)
ACTOR = "evidence of runs"

Result = CollectedMachine.Result
RESULTS = {
    SshFailureKind.AUTH_DENIED: Result.REFUSED,
    SshFailureKind.HOST_KEY_CHANGED: Result.REFUSED,
    SshFailureKind.COMMAND_TIMEOUT: Result.CUT,
    SshFailureKind.OUTPUT_TOO_LARGE: Result.TOO_LARGE,
}
"""What a failed session is called; of any other the machine was not reached."""


@dataclass(frozen=True)
class Ask:
    """What is wanted of one machine."""

    row: int
    """Of CollectedMachine."""
    machine_id: int | None
    facts: places.Facts
    own_logs: str
    site_logs: Sequence[str]
    dumps: str
    since: float
    attempt: int | None
    native: bool
    ras: bool
    share: int = script.SHARE


@dataclass
class Fetched:
    row: int
    result: str
    message: str = ""
    pieces: list[Piece] = field(default_factory=list)
    pids: dict[int, int] = field(default_factory=dict)
    """Process id to rank."""
    clock: tuple[float, float] | None = None
    """Least and most seconds by which its clock is ahead of ours."""
    took_s: float = 0.0


def fetch(asks: Sequence[Ask]) -> Iterator[Fetched]:
    """Ask all machines, and give each answer as it comes. Never raises for a machine."""
    ids = [ask.machine_id for ask in asks if ask.machine_id is not None]
    targets = {target.machine_id: target for target in ssh_targets(ids)}
    came: queue.Queue[tuple[Fetched, list[SshResult]] | None] = queue.Queue()

    def work() -> None:
        try:
            asyncio.run(_all(asks, targets, came))
        except Exception:
            log.exception("evidence_sessions_failed")
        finally:
            came.put(None)

    thread = threading.Thread(target=work, name=ACTOR, daemon=True)
    thread.start()
    while (one := came.get()) is not None:
        fetched, results = one
        record_identities(results, actor=ACTOR)
        yield fetched
    thread.join()


async def _all(asks: Sequence[Ask], targets: Mapping[int | None, SshTarget], came: queue.Queue[Any]) -> None:
    gate = asyncio.Semaphore(CONCURRENCY)
    kept = kept_ssh(CONCURRENCY)

    async def one(ask: Ask) -> None:
        async with gate:
            started = time.monotonic()
            results: list[SshResult] = []
            target = targets.get(ask.machine_id) if ask.machine_id is not None else None
            try:
                fetched = await _one(ask, target, results, kept)
            except Exception as error:  # whatever one machine does must not end the others
                log.exception("evidence_of_machine_failed", machine=ask.facts.machine)
                fetched = Fetched(ask.row, Result.FAILED, f"{type(error).__name__}: {error}"[:300])
            fetched.took_s = time.monotonic() - started
            came.put((fetched, results))

    await asyncio.gather(*(one(ask) for ask in asks))
    await kept.close_all()


async def _one(ask: Ask, target: SshTarget | None, results: list[SshResult], kept: KeptSsh) -> Fetched:
    if target is None or not target.address:
        why = "no address is known for it" if ask.machine_id is not None else "not in the inventory"
        return Fetched(ask.row, Result.UNREACHABLE, why)

    async def run(command: str, limits: Limits) -> SshResult:
        result = await run_one(target, command, limits, kept)
        results.append(result)
        return result

    said = await run(script.who_script(), WHO)
    if said.failure is not None:
        return Fetched(ask.row, RESULTS.get(said.failure.kind, Result.UNREACHABLE), str(said.failure)[:300])
    seen = processes.read(said.stdout.decode("utf-8", "replace"))
    facts = ask.facts
    found = processes.ranks_of(
        seen.processes, job=facts.job, key=facts.key, attempt=ask.attempt, ranks=facts.ranks.keys()
    )
    fetched = Fetched(ask.row, Result.NOTHING, pids={process.pid: rank for rank, process in found.items()})
    fetched.clock = clocks.ahead_s(said.asked_at, seen.clock, said.answered_at)
    try:
        files = script.files_script(
            places.logs_of(facts, ask.own_logs, ask.site_logs, found),
            places.dumps_of(facts, ask.dumps, found),
            ask.since,
            ask.share,
        )
    except UnsafeWord as error:
        fetched.message = str(error)
        return fetched
    troubles = [_add(fetched, await run(files, FILES))]
    if found or ask.ras:
        asked = [script.Process(process.pid, rank) for rank, process in sorted(found.items())]
        stacks = script.stacks_script(asked, native=ask.native, ras=ask.ras, share=ask.share)
        troubles.append(_add(fetched, await run(stacks, STACKS)))
    _conclude(fetched, [one for one in troubles if one is not None], readable=seen.all_readable)
    return fetched


def _add(fetched: Fetched, result: SshResult) -> tuple[str, str] | None:
    """Take the pieces of a session; (result, why) where it was not whole."""
    if result.failure is not None:
        return RESULTS.get(result.failure.kind, Result.UNREACHABLE), str(result.failure)
    said = answer.read(result.stdout)
    fetched.pieces += said.pieces
    if said.whole:
        return None
    shown = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    return Result.CUT, shown.splitlines()[0] if shown else "the answer breaks off"


def _conclude(fetched: Fetched, troubles: list[tuple[str, str]], *, readable: bool) -> None:
    outcome = answer.outcome_of(fetched.pieces)
    fetched.result, fetched.message = outcome
    if troubles:
        result, why = troubles[0]
        fetched.result = Result.PARTLY if outcome.result in (Result.OK, Result.PARTLY) else result
        fetched.message = why[:300]
    elif outcome.result == Result.NOTHING and not readable:
        fetched.result = Result.REFUSED
        fetched.message = "only root may see whose processes run there, and sudo is refused; no log is known"
