"""The password of one BMC over Redfish: changed, then used. No database here; nothing is tried twice in a round."""

from __future__ import annotations

from dataclasses import dataclass, replace

from access.queries import BmcTarget
from drivers.bmc.accounts import Account, account, set_password
from drivers.redfish import CertificateChanged, RedfishAuthError, RedfishError, RedfishStatus
from drivers.redfish_connection import PasswordChangeRequired
from provisioning.bmc.passwords import Answer, Verdict, verdict, why_not

REQUEST_S = 10.0


@dataclass(frozen=True, slots=True)
class Changed:
    """What came of one try. `written`: the new password was sent, or nobody knows."""

    verdict: Verdict
    message: str
    written: bool = False
    fingerprint: bytes | None = None


async def find(target: BmcTarget) -> Changed:
    """What a dry run does: sign in, and see whether the account's password can be changed."""
    try:
        async with target.client(REQUEST_S) as client:
            found = await account(client, target.username)
    except RedfishAuthError as error:
        return Changed(Verdict.NEITHER, str(error))
    except RedfishError as error:
        return Changed(Verdict.UNKNOWN, str(error))
    if reason := _why_not(found):
        return Changed(Verdict.OLD, reason)
    return Changed(Verdict.NEW, f"the account {target.username} would get a password of its own", False)


def _why_not(found: Account) -> str:
    return why_not(found.shortest, found.longest, found.locks_after)


async def change(target: BmcTarget, password: str) -> Changed:
    """Give the account this password, and sign in with it; the target's own is the old one."""
    client, written = target.client(REQUEST_S), False
    try:
        async with client:
            found = await account(client, target.username)
            if reason := _why_not(found):
                return Changed(Verdict.OLD, reason)
            written = True
            await set_password(client, found.path, password)
    except CertificateChanged as error:
        return Changed(Verdict.UNKNOWN if written else Verdict.OLD, str(error), written)
    except RedfishAuthError as error:
        if not written:
            return Changed(Verdict.NEITHER, f"the BMC refuses the password on record, it was changed outside: {error}")
        return await which(target, password, rounds=0, why=str(error))
    except RedfishStatus as error:
        if error.status < 500:
            return Changed(Verdict.OLD, f"the BMC refuses the change: {error}")
        return await which(target, password, rounds=0, why=str(error))
    except RedfishError as error:
        if not written:
            return Changed(Verdict.OLD, f"nothing was changed, the BMC gave no usable answer: {error}")
        return await which(replace(target, pinned=client.fingerprint), password, rounds=0, why=str(error))
    return await which(replace(target, pinned=client.fingerprint), password, rounds=0)


async def which(target: BmcTarget, password: str, *, rounds: int, written: bool = True, why: str = "") -> Changed:
    """Which of the two is in force: the new one is tried first, and the old one only where it is refused."""
    new, fingerprint = await _try(replace(target, password=password, refused=""))
    old = Answer.UNTRIED
    if new is Answer.REFUSED:
        old, _ = await _try(target)
    came = verdict(new, old, written=written, rounds=rounds)
    told = {
        Verdict.NEW: "the new password was used",
        Verdict.OLD: "the BMC did not take the new password, the one from before is in force",
        Verdict.NEITHER: "the BMC takes neither the new password nor the one from before",
        Verdict.UNKNOWN: "it is not known yet which password is in force",
    }[came]
    return Changed(came, f"{told}: {why}" if why and came is not Verdict.NEW else told, written, fingerprint)


async def _try(target: BmcTarget) -> tuple[Answer, bytes | None]:
    client = target.client(REQUEST_S)
    try:
        async with client:
            await client.system()
    except PasswordChangeRequired:
        return Answer.ACCEPTED, client.fingerprint
    except RedfishAuthError:
        return Answer.REFUSED, None
    except RedfishError:
        return Answer.SILENT, None
    return Answer.ACCEPTED, client.fingerprint
