"""One among many: what goes wrong with it does not keep the others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError

log = structlog.get_logger(__name__)

NOT_OF_ONE = (OperationalError, InterfaceError, MemoryError, SoftTimeLimitExceeded)
"""The database is away, two writers met, this process is at its end: nothing that one of many does."""


@contextmanager
def alone(event: str, **about: Any) -> Iterator[None]:
    """Do one of many things: an error is logged as `event`, and the loop around it goes on. Raises
    `NOT_OF_ONE`.

    A database error needs a transaction of its own inside, which is rolled back before it is logged here.
    """
    try:
        yield
    except NOT_OF_ONE:
        raise
    except Exception:
        log.exception(event, **about)
