"""What the supervisor of `./rackside` wrote down of programs that keep ending; nothing in other deployments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from django.conf import settings


class Crashing(NamedTuple):
    """A program in a crash loop."""

    name: str
    how: str
    deaths: int
    at: datetime


def crashing() -> list[Crashing]:
    """Programs in a crash loop. A record that cannot be read tells of none: other signs of life then go missing."""
    if not settings.PROCESS_FILE:
        return []
    try:
        troubles = json.loads(Path(settings.PROCESS_FILE).read_text()).get("troubles", [])
        return [
            Crashing(each["name"], each["how"], each["deaths"], datetime.fromtimestamp(each["at"], UTC))
            for each in troubles
            if each["loop"]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
