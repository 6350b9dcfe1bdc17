"""Refuse to start on a database this room cannot keep its promises with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver

OLDEST_POSTGRESQL = 18


def too_old(server_version: int) -> str | None:
    """What to say of this server (as in `server_version_num`, 180006), or None when it is new enough."""
    if server_version >= OLDEST_POSTGRESQL * 10_000:
        return None
    return f"PostgreSQL {server_version // 10_000} is too old: Rackside needs {OLDEST_POSTGRESQL} or newer."


@register(Tags.database)
def postgresql_is_new_enough(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """For `manage.py check --database default` and `migrate`: an older server is an error before anything is done."""
    errors: list[CheckMessage] = []
    for alias in databases or []:
        try:
            connections[alias].ensure_connection()
        except ImproperlyConfigured as error:
            hint = "Upgrade the server, or point RACKSIDE_DATABASE_URL at a newer one."
            errors.append(Error(str(error), hint=hint, id="health.E001"))
    return errors


@receiver(connection_created)
def refuse_an_old_server(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Every process refuses at its first connection; the version is known from the handshake, so this costs nothing."""
    problem = too_old(connection.connection.info.server_version)
    if problem:
        connection.close()
        raise ImproperlyConfigured(problem)
