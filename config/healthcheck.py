"""Health of the process of this container: `python -m config.healthcheck NAME` exits 0 when it is healthy."""

from __future__ import annotations

import os
import sys
import time
import urllib.request
from pathlib import Path

from config.processes import WEB_PORT

FRESH_S = 60.0


def is_fresh(path: Path, *, now: float) -> bool:
    """Whether the file was touched within FRESH_S; a missing one is not fresh."""
    try:
        return now - path.stat().st_mtime <= FRESH_S
    except FileNotFoundError:
        return False


def web_is_ready(port: int = WEB_PORT) -> bool:
    """Whether /readyz answers 200, asked under a host name that the settings allow."""
    names = [name for name in os.environ.get("RACKSIDE_ALLOWED_HOSTS", "").split(",") if name.strip("*. ")]
    headers = {"Host": names[0].strip().lstrip(".") if names else "localhost"}
    try:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/readyz", headers=headers)
        with urllib.request.urlopen(request, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def database_answers() -> bool:
    import django
    from django.db import DatabaseError, connection

    django.setup()
    try:
        connection.ensure_connection()
    except DatabaseError:
        return False
    return True


def is_healthy(process: str) -> bool:
    """The web answers that it is ready; the migration job reaches the database; the others have a fresh pulse."""
    if process == "web":
        return web_is_ready()
    if process == "migrate":
        return database_answers()
    return is_fresh(Path(os.environ["RACKSIDE_PULSE_FILE"]), now=time.time())


if __name__ == "__main__":
    sys.exit(0 if is_healthy(sys.argv[1]) else 1)
