"""The account that we sign in to a BMC with, and its password (DSP0266 13.3; AccountService of DSP0268)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drivers.redfish import RedfishClient, RedfishError, link, members
from drivers.redfish_connection import SERVICE_ROOT, PasswordChangeRequired

MOST_ACCOUNTS = 32


@dataclass(frozen=True, slots=True)
class Account:
    """The account that we sign in with, and what the BMC demands of its password; 0: it says nothing."""

    path: str
    shortest: int = 0
    longest: int = 0
    locks_after: int = 0
    """Wrong passwords in a row that lock it."""


async def account(client: RedfishClient, username: str) -> Account:
    """Raises RedfishError where no account has this name; PasswordChangeRequired is answered with where it is told."""
    try:
        service_path = link(await client.root(), "AccountService") or f"{SERVICE_ROOT}AccountService"
        service = await client.get(service_path)
    except PasswordChangeRequired as error:
        if not error.account:
            raise
        return Account(error.account)
    accounts = members(await client.get(link(service, "Accounts") or f"{service_path}/Accounts"))
    for path in accounts[:MOST_ACCOUNTS]:
        if (await client.get(path)).get("UserName") == username:
            return Account(
                path, _count(service, "MinPasswordLength"), _count(service, "MaxPasswordLength"),
                _count(service, "AccountLockoutThreshold"),
            )  # fmt: skip
    raise RedfishError(f"the BMC lists no account {username}")


def _count(resource: Mapping[str, Any], name: str) -> int:
    value = resource.get(name)
    return value if isinstance(value, int) and value > 0 else 0


async def set_password(client: RedfishClient, path: str, password: str) -> None:
    await client.patch(path, {"Password": password})
