"""Whether this instance may act on the outside world, or is a copy that waits until somebody takes it over.

A database remembers where it lives: in which PostgreSQL cluster, as which database of it, and in which place (host and
data folder). Found anywhere else it was restored, copied or moved, and the original may still run beside it: the
instance is paused. It shows and reads everything, but nothing leaves it: no webhook, mail, remedy, scheduler write,
power action, installation or switch write. Whoever writes to the outside asks `is_paused` first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec
from uuid import uuid4

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from core.audit.actor import Actor, acting
from core.models import InstanceState, Site
from live.events import emit

log = structlog.get_logger(__name__)
CACHED_S = 1.0
RESTORED_SETTING = "rackside.restored"
"""Set on a database by `./rackside restore`, so that one from before this table begins paused, too."""
MOVED = "This is a restored, copied or moved instance: its database last ran {was}."

STATE = """
SELECT (SELECT system_identifier::text FROM pg_control_system()),
    (SELECT oid::text FROM pg_database WHERE datname = current_database()),
    state.home::text, state.paused_at, state.paused_reason
FROM (VALUES (1)) AS one(id) LEFT JOIN core_instancestate state USING (id)
"""


@dataclass(frozen=True)
class Standing:
    """Whether the instance is paused, why, and since when as far as somebody noted it."""

    paused: bool
    reason: str = ""
    since: datetime | None = None


class NotPaused(Exception):
    """There is nothing to take over."""


# ---- pure ----


def differs(home: dict[str, str], here: dict[str, str]) -> str:
    """How a database's home differs from where it is found, as the end of a sentence; empty when it is at home."""
    if home == here:
        return ""
    if home.get("place") != here.get("place"):
        return f"at {home.get('place') or 'a place without a name'}"
    return "in another database of this PostgreSQL" if home.get("system") == here["system"] else "in another PostgreSQL"


# ---- reading ----

_cached: list[tuple[float, Standing]] = []


def is_paused() -> bool:
    """Whether nothing may be sent to the outside world. Cheap: read at most once a second. Raises DatabaseError."""
    return standing().paused


def standing() -> Standing:
    """The same with reason and time."""
    if connection.in_atomic_block:  # what this transaction did is not what others see
        return standing_now()
    now = time.monotonic()
    for at, known in _cached:
        if now - at < CACHED_S:
            return known
    found = standing_now()
    _cached[:] = [(now, found)]  # another thread may clear it at any moment
    return found


def standing_now() -> Standing:
    """The same as the database has it: for who is told of a change and asks once."""
    with connection.cursor() as cursor:
        cursor.execute(STATE)
        system, database, home, since, reason = cursor.fetchone()
    if home is None:
        return Standing(True, "This instance has no identity: migrate its database.")
    if since is not None:
        return Standing(True, reason, since)
    was = differs(json.loads(home), here(system, database))
    return Standing(True, MOVED.format(was=was)) if was else Standing(False)


def here(system: str, database: str) -> dict[str, str]:
    return {"system": system, "database": database, "place": settings.HOME}


def current_home() -> dict[str, str]:
    """Where this database is found now."""
    with connection.cursor() as cursor:
        cursor.execute(STATE)
        system, database, *_ = cursor.fetchone()
    return here(system, database)


P = ParamSpec("P")


def outward(body: Callable[P, Any]) -> Callable[P, Any]:
    """A task that writes to the outside world: nothing while the instance is paused, and what is due stays due."""

    @wraps(body)
    def unless_paused(*args: P.args, **kwargs: P.kwargs) -> Any:
        if is_paused():
            log.info("left_undone_while_paused", task=body.__name__)
            return None
        return body(*args, **kwargs)

    return unless_paused


# ---- writing ----


def adopt(**_: Any) -> None:
    """Receiver of `post_migrate`: a new database is at home where it was made; one that was restored is not."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('core_instancestate'), current_setting(%s, true)", [RESTORED_SETTING])
        table, restored = cursor.fetchone()
    if table is None or InstanceState.objects.exists():
        return
    with acting(Actor("rackside", "command", "migrate")):
        row = InstanceState(home={} if restored else current_home())
        if restored:
            row.paused_at, row.paused_reason = timezone.now(), restored[:300]
        row.save(force_insert=True)


def note() -> bool:
    """Write down since when a copy is paused, so that it stays so wherever it is found next; True when it was new.

    A database without an identity is paused as well, but has no row to write it in.
    """
    found = standing()
    if not found.paused or found.since is not None or not InstanceState.objects.exists():
        return False
    pause(found.reason, actor="rackside")
    log.warning("instance_paused", reason=found.reason)
    return True


@transaction.atomic
def pause(reason: str, *, actor: str) -> None:
    """Send nothing to the outside world from here on, until somebody takes the instance over."""
    row = InstanceState.objects.select_for_update().get(pk=1)
    if row.paused_at is None:
        row.paused_at, row.paused_reason = timezone.now(), reason[:300]
        row.save()
        _tell(row, actor)


@transaction.atomic
def take_over(reason: str, *, actor: str) -> InstanceState:
    """Make this the instance that acts: it is at home here from now on, under an identity of its own.

    What was due when the copy was made is done now, as after a crash. Raises NotPaused.
    """
    row = InstanceState.objects.select_for_update().get(pk=1)
    if not standing_now().paused:
        raise NotPaused
    row.identity, row.home = uuid4(), current_home()
    row.paused_at, row.paused_reason = None, ""
    row.taken_over_at, row.taken_over_by, row.taken_over_reason = timezone.now(), actor[:150], reason[:300]
    row.save()
    _tell(row, actor)
    log.warning("instance_taken_over", by=actor, reason=reason)
    return row


def _tell(row: InstanceState, actor: str) -> None:
    transaction.on_commit(_cached.clear)
    for site_id in Site.objects.values_list("pk", flat=True):
        data = {"paused": row.paused_at is not None, "reason": row.paused_reason}
        emit("instance.changed", site_id=site_id, subject="instance", data=data, actor=actor)
