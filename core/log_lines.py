"""What is taken out of log lines before they are written."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

import structlog

BOOT_TOKEN = re.compile(r"(/boot/)[A-Za-z0-9_\-]{20,}")


def hide_boot_tokens(logger: Any, method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: a boot token is a secret while it lives, and failed requests are logged by their path."""
    for name, value in line.items():
        if isinstance(value, str) and "/boot/" in value:
            line[name] = BOOT_TOKEN.sub(r"\1[token]", value)
    return line


def leave_out_expired(logger: Any, method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: a task of the clock that waited for longer than its period is left out, the next is there.

    That is meant (`config.periodic`) and no warning. A queue that stands still is told by the watchdog.
    """
    if line.get("event") == "task_revoked" and line.get("expired"):
        raise structlog.DropEvent
    return line
