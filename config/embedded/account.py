"""Who runs a program, and whether that account can reach a path. PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Account:
    """A numeric user and group that a child is started as."""

    name: str
    uid: int
    gid: int


def database_account() -> Account | None:
    """None for a normal user, who runs PostgreSQL himself; `nobody` where we are root."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return Account("nobody", 65534, 65534)
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _allows(info: os.stat_result, account: Account, bit: int) -> bool:
    """Whether the mode bits give `account` the permission `bit` (4 read, 1 enter)."""
    if info.st_uid == account.uid:
        return bool(info.st_mode & (bit << 6))
    if info.st_gid == account.gid:
        return bool(info.st_mode & (bit << 3))
    return bool(info.st_mode & bit)


def closed_parent(path: Path, account: Account) -> Path | None:
    """The first folder above or at `path` that `account` cannot enter, or None when it reaches it.

    Judged by mode bits (access lists are left aside); folders that do not exist yet count as open.
    """
    path = Path(os.path.realpath(path))
    for folder in [*reversed(path.parents), path]:
        try:
            info = folder.stat()
        except FileNotFoundError:
            return None
        if stat.S_ISDIR(info.st_mode) and not _allows(info, account, 1):
            return folder
    return None
