"""A full disk: how it is recognised in an error, and whether one is nearly full before it comes to that."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from redis.exceptions import RedisError

DISK_FULL = "53100"
"""PostgreSQL's SQLSTATE where it could not extend a file."""
CANNOT_PERSIST = "MISCONF"
"""How Valkey begins its refusal of writes while its append-only file cannot be written."""
SENTENCE = "The disk of the server is full: nothing was changed. Make space and try again."


def is_full(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, says that a disk is full: a file, the database or the event store."""
    return any(_says_full(each) for each in _chain(error))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _says_full(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    if isinstance(error, RedisError):
        return str(error).startswith(CANNOT_PERSIST)
    return getattr(error, "sqlstate", None) == DISK_FULL


def shortage() -> str:
    """What is short of space, in a sentence; empty while every disk has more than the floor free."""
    for path in map(Path, settings.SPACE_PATHS):
        free = free_mib(path)
        if free is not None and free < settings.FREE_MIN_MIB:
            return f"The disk of {path} has {free} MiB free, less than the {settings.FREE_MIN_MIB} MiB it needs."
    return ""


def free_mib(path: Path) -> int | None:
    """Free space as we may use it; of a folder that is not there yet, that of the one above it."""
    for place in (path, *path.parents):
        try:
            found = os.statvfs(place)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return found.f_bavail * found.f_frsize // 2**20
    return None
