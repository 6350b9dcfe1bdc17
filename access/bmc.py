"""Ask many BMCs at once, each within its time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from access.queries import BmcTarget
from drivers.redfish import (
    BmcAnswers,
    CertificateChanged,
    RedfishAuthError,
    RedfishClient,
    RedfishError,
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
    kind: BmcFailureKind
    message: str

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


async def collect(
    targets: Sequence[BmcTarget], *, concurrency: int = 32, timeout_s: float = 5, total_s: float = 20
) -> list[BmcResult]:
    """The answers of every BMC, in the order of the targets; never raises for one of them.

    `timeout_s` bounds a request, `total_s` all requests to one BMC.
    """
    gate = asyncio.Semaphore(concurrency)

    async def guarded(target: BmcTarget) -> BmcResult:
        async with gate:
            return await ask(target, timeout_s=timeout_s, total_s=total_s)

    return list(await asyncio.gather(*(guarded(target) for target in targets)))


async def ask(target: BmcTarget, *, timeout_s: float, total_s: float) -> BmcResult:
    """The answers of one BMC, or why there are none."""
    kind = BmcFailureKind
    if not target.address:
        return BmcResult(target, failure=BmcFailure(kind.NO_ADDRESS, "no BMC address is known"))
    client = target.client(timeout_s)
    try:
        async with asyncio.timeout(total_s), client:
            answers = await client.report()
        return BmcResult(target, answers=answers, fingerprint=client.fingerprint)
    except CertificateChanged as error:
        failure = BmcFailure(kind.CERTIFICATE_CHANGED, str(error))
        return BmcResult(target, failure=failure, changed_to=error.presented)
    except RedfishAuthError as error:
        return BmcResult(target, failure=BmcFailure(kind.AUTH_DENIED, str(error)), fingerprint=known_by(client))
    except (RedfishUnreachable, TimeoutError) as error:
        return BmcResult(target, failure=BmcFailure(kind.UNREACHABLE, str(error) or "no answer in time"))
    except RedfishError as error:
        return BmcResult(target, failure=BmcFailure(kind.OTHER, str(error)), fingerprint=known_by(client))


def known_by(client: RedfishClient) -> bytes | None:
    """The certificate to know this BMC by; None when it never let us in, because then it may be anybody's."""
    return client.fingerprint if client.let_in else None
