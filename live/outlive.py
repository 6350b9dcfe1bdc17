"""How a long-running process outlives its database and its broker: it says so, waits a little, and goes on.

One place for relay, beat, workers and requests to tell a service that is away from a mistake in what was asked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError, connections
from redis.exceptions import ConnectionError as BrokerAway
from redis.exceptions import TimeoutError as BrokerSilent

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 3.0
STEADY_S = 10.0
"""Work that went on for so long begins anew with the first wait."""
AWAY_CLASSES = ("08", "57P")  # SQLSTATE: connection exceptions, operator intervention (shutting down, starting up)
log = structlog.get_logger(__name__)


def is_away(error: BaseException) -> bool:
    """Whether the error means that the database or the broker cannot be reached now; it may be back in a moment."""
    if isinstance(error, InterfaceError | BrokerAway | BrokerSilent):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or str(state).startswith(AWAY_CLASSES)  # without a state the server never answered


def drop_broken_connections() -> None:
    """Close what this thread holds, so that the next statement begins with a fresh connection."""
    for connection in connections.all(initialized_only=True):
        if connection.in_atomic_block:
            continue  # a test's
        try:
            connection.close()
        except Exception:
            connection.connection = None


def outlive(work: Callable[[], None], stop: threading.Event, *, alive: Callable[[], None] = lambda: None) -> None:
    """Call `work` until it returns or `stop` is set; whatever it raises, it is called again a little later.

    A service that is away is one line in the log, anything else comes with its traceback. `alive` is called while
    waiting: the process lives, although it can do nothing.
    """
    wait = FIRST_WAIT_S
    while not stop.is_set():
        began = time.monotonic()
        try:
            return work()
        except Exception as error:
            if time.monotonic() - began > STEADY_S:
                wait = FIRST_WAIT_S
            if is_away(error):
                log.warning("service_away", error=f"{type(error).__name__}: {error}".strip()[:300], again_in_s=wait)
            else:
                log.exception("work_failed", again_in_s=wait)
        drop_broken_connections()
        alive()
        stop.wait(wait)
        wait = min(LONGEST_WAIT_S, 2 * wait)
