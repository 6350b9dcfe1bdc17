"""Ask many BMCs at once, each within its time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from enum import StrEnum

from access.queries import BmcTarget
from drivers import redfish_logs
from drivers.redfish import (
    BmcAnswers,
    CertificateChanged,
    RedfishAuthError,
    RedfishClient,
    RedfishError,
    RedfishTimedOut,
    RedfishUnreachable,
)


class BmcFailureKind(StrEnum):
    NO_ADDRESS = "no_address"
    UNREACHABLE = "unreachable"
    AUTH_DENIED = "auth_denied"
    CERTIFICATE_CHANGED = "certificate_changed"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class BmcFailure:
    """Why there are no answers. `timed_out`: it kept us waiting, where others refuse at once."""

    kind: BmcFailureKind
    message: str
    timed_out: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class BmcResult:
    """What one BMC answered: exactly one of `answers` and `failure` is given."""

    target: BmcTarget
    answers: BmcAnswers | None = None
    failure: BmcFailure | None = None
    fingerprint: bytes | None = None
    """SHA-256 of the certificate of a BMC that let us in; one that did not may be another machine's."""
    changed_to: bytes | None = None
    """SHA-256 of the certificate that was refused, when it differs from the pinned one."""
    logs: tuple[redfish_logs.LogRead, ...] | None = None
    """What is new in its logs; None when they were not asked for, or not given."""
    logs_failure: str = ""
    elapsed_s: float = 0.0

    @property
    def timed_out(self) -> bool:
        return self.failure is not None and self.failure.timed_out


async def ask_many(
    targets: Sequence[BmcTarget],
    *,
    concurrency: int = 32,
    timeout_s: float = 5,
    total_s: float = 20,
    logs: Mapping[int, Mapping[str, str]] | None = None,
) -> AsyncIterator[BmcResult]:
    """The answers of every BMC as they come; never raises for one of them.

    `timeout_s` bounds a request, `total_s` all requests to one BMC, and once more those to its logs. `logs` are the
    cursors of the machines whose BMC's logs are to be read as well.
    """
    gate = asyncio.Semaphore(concurrency)

    async def guarded(target: BmcTarget) -> BmcResult:
        async with gate:
            cursors = (logs or {}).get(target.machine_id)
            began = time.monotonic()
            result = await ask(target, timeout_s=timeout_s, total_s=total_s, cursors=cursors)
            return replace(result, elapsed_s=time.monotonic() - began)

    tasks = [asyncio.create_task(guarded(target)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            yield await finished
    finally:
        for task in tasks:
            task.cancel()


async def collect(
    targets: Sequence[BmcTarget], *, concurrency: int = 32, timeout_s: float = 5, total_s: float = 20
) -> list[BmcResult]:
    """The answers of every BMC, in the order of the targets, when the last of them is in; see `ask_many`."""
    results = ask_many(targets, concurrency=concurrency, timeout_s=timeout_s, total_s=total_s)
    answered = {result.target.machine_id: result async for result in results}
    return [answered[target.machine_id] for target in targets]


async def ask(
    target: BmcTarget, *, timeout_s: float, total_s: float, cursors: Mapping[str, str] | None = None
) -> BmcResult:
    """The answers of one BMC, or why there are none; with `cursors` also what is new in its logs."""
    kind = BmcFailureKind
    if not target.address:
        return BmcResult(target, failure=BmcFailure(kind.NO_ADDRESS, "no BMC address is known"))
    client = target.client(timeout_s)
    try:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(total_s):
                await stack.enter_async_context(client)
                answers = await client.report()
            logs, refused = await _logs(client, answers, cursors, total_s)
        return BmcResult(target, answers=answers, fingerprint=client.fingerprint, logs=logs, logs_failure=refused)
    except CertificateChanged as error:
        failure = BmcFailure(kind.CERTIFICATE_CHANGED, str(error))
        return BmcResult(target, failure=failure, changed_to=error.presented)
    except RedfishAuthError as error:
        return BmcResult(target, failure=BmcFailure(kind.AUTH_DENIED, str(error)), fingerprint=known_by(client))
    except (RedfishUnreachable, TimeoutError) as error:
        waited = isinstance(error, RedfishTimedOut | TimeoutError)
        return BmcResult(target, failure=BmcFailure(kind.UNREACHABLE, str(error) or "no answer in time", waited))
    except RedfishError as error:
        return BmcResult(target, failure=BmcFailure(kind.OTHER, str(error)), fingerprint=known_by(client))


async def _logs(
    client: RedfishClient, answers: BmcAnswers, cursors: Mapping[str, str] | None, total_s: float
) -> tuple[tuple[redfish_logs.LogRead, ...] | None, str]:
    """What is new in the logs, or why it is not known; logs that are refused do not cost the other answers."""
    if cursors is None:
        return None, ""
    try:
        async with asyncio.timeout(total_s):
            wanted, boards = (await client.dialect()).logs, await client.boards()
            reads = await redfish_logs.read_logs(
                client, answers.manager, answers.system, cursors, wanted=wanted, boards=boards
            )
            return reads, ""
    except TimeoutError:
        return None, "the BMC's logs did not come in time"
    except RedfishError as error:
        return None, str(error) or type(error).__name__


def known_by(client: RedfishClient) -> bytes | None:
    """The certificate to know this BMC by; None when it never let us in, because then it may be anybody's."""
    return client.fingerprint if client.let_in else None
