"""Ask many BMCs at once, each within its time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from access.queries import BmcTarget
from drivers import redfish_logs
from drivers.gate import is_address
from drivers.kept import Kept
from drivers.redfish import (
    BmcAnswers,
    CertificateChanged,
    RedfishAuthError,
    RedfishClient,
    RedfishError,
    RedfishStatus,
    RedfishTimedOut,
    RedfishUnreachable,
)
from drivers.redfish_connection import PasswordChangeRequired

KeptBmc = Kept[RedfishClient]


def kept_bmc(most: int) -> KeptBmc:
    """Room for so many open clients; the BMC's certificate was checked when each was opened."""
    return Kept(most, is_open=lambda client: client.may_be_kept, close=lambda client: client.close())


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

    @property
    def refused(self) -> bool:
        """Whether it refused the login that was sent now. One that let us in before only keeps something from us."""
        denied = self.failure is not None and self.failure.kind is BmcFailureKind.AUTH_DENIED
        return denied and self.fingerprint is None and not self.target.refused


async def ask_many(
    targets: Sequence[BmcTarget],
    *,
    concurrency: int = 32,
    timeout_s: float = 5,
    total_s: float = 20,
    logs: Mapping[int, Mapping[str, str]] | None = None,
    kept: KeptBmc | None = None,
) -> AsyncIterator[BmcResult]:
    """The answers of every BMC as they come; never raises for one of them.

    `timeout_s` bounds a request, `total_s` all requests to one BMC, and once more those to its logs. `logs` are the
    cursors of the machines whose BMC's logs are to be read as well. With `kept` the connections stay open for the next
    call.
    """
    gate = asyncio.Semaphore(concurrency)

    async def guarded(target: BmcTarget) -> BmcResult:
        async with gate:
            cursors = (logs or {}).get(target.machine_id)
            began = time.monotonic()
            result = await ask(target, timeout_s=timeout_s, total_s=total_s, cursors=cursors, kept=kept)
            return replace(result, elapsed_s=time.monotonic() - began)

    tasks = [asyncio.create_task(guarded(target)) for target in targets]
    try:
        for finished in asyncio.as_completed(tasks):
            yield await finished
    finally:
        for task in tasks:
            task.cancel()


async def ask(
    target: BmcTarget,
    *,
    timeout_s: float,
    total_s: float,
    cursors: Mapping[str, str] | None = None,
    kept: KeptBmc | None = None,
) -> BmcResult:
    """The answers of one BMC, or why there are none; with `cursors` also what is new in its logs."""
    if not target.address:
        return BmcResult(target, failure=BmcFailure(BmcFailureKind.NO_ADDRESS, "no BMC address is known"))
    if kept is None or target.refused or not is_address(target.address):
        return await _ask_anew(target, target.client(timeout_s), total_s, cursors, None)
    over_old = await _ask_over_kept(target, total_s, cursors, kept)
    return over_old or await _ask_anew(target, target.client(timeout_s, keep=True), total_s, cursors, kept)


def _place(target: BmcTarget, pinned: bytes | None) -> tuple[object, ...]:
    """What a kept client must have been made for: another address, login or pinned certificate is another."""
    return target.machine_id, target.address, target.port, target.username, target.password, pinned


async def _ask_over_kept(
    target: BmcTarget, total_s: float, cursors: Mapping[str, str] | None, kept: KeptBmc
) -> BmcResult | None:
    """The answers over a connection that is still open. None where there is none, or the one there was leads nowhere:
    that says nothing of the BMC, which is then asked as if it had never been there."""
    found = await kept.take(_place(target, target.pinned)) if target.pinned else None
    if found is None:
        return None
    client, until = found
    result: BmcResult | None = None
    try:
        target.gate.check(target.address, target.port)
        client.resume()
        result = await _asked(target, client, total_s, cursors)
    except (OSError, RedfishUnreachable, RedfishStatus) as error:
        if isinstance(error, TimeoutError):  # it answered, and went on answering for too long
            result = failed(target, client, error)
    except RedfishError as error:
        result = failed(target, client, error)  # not asked twice: a refused password counts against us
    finally:
        if result is None or result.answers is None:
            await client.close()
    if result is not None and result.answers is not None:
        await kept.give(_place(target, client.fingerprint), client, until)
    return result


async def _ask_anew(
    target: BmcTarget,
    client: RedfishClient,
    total_s: float,
    cursors: Mapping[str, str] | None,
    kept: KeptBmc | None,
) -> BmcResult:
    result: BmcResult | None = None
    try:
        result = await _asked(target, client, total_s, cursors)
    except (RedfishError, TimeoutError) as error:
        result = failed(target, client, error)
    finally:
        if kept is None or result is None or result.answers is None:
            await client.close()
    if kept is not None and result.answers is not None:
        await kept.give(_place(target, client.fingerprint), client)
    return result


async def _asked(
    target: BmcTarget, client: RedfishClient, total_s: float, cursors: Mapping[str, str] | None
) -> BmcResult:
    """Opens the client where it is not open, and leaves it open."""
    async with asyncio.timeout(total_s):
        if not client.is_open:
            await client.open()
        answers = await client.report()
    logs, refused = await _logs(client, answers, cursors, total_s)
    return BmcResult(target, answers=answers, fingerprint=client.fingerprint, logs=logs, logs_failure=refused)


def failed(target: BmcTarget, client: RedfishClient, error: Exception) -> BmcResult:
    """What a RedfishError, or a time that is over, says of this BMC."""
    kind = BmcFailureKind
    if isinstance(error, CertificateChanged):
        failure = BmcFailure(kind.CERTIFICATE_CHANGED, str(error))
        return BmcResult(target, failure=failure, changed_to=error.presented)
    if isinstance(error, RedfishAuthError) and not isinstance(error, PasswordChangeRequired):  # that one is right
        return BmcResult(target, failure=BmcFailure(kind.AUTH_DENIED, str(error)), fingerprint=known_by(client))
    if isinstance(error, RedfishUnreachable | TimeoutError):
        waited = isinstance(error, RedfishTimedOut | TimeoutError)
        return BmcResult(target, failure=BmcFailure(kind.UNREACHABLE, str(error) or "no answer in time", waited))
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
