"""What makes a record unique where it belongs."""

from __future__ import annotations

from typing import Any

from django.db import models


def unique_together(*fields: str, name: str, **more: Any) -> models.UniqueConstraint:
    """Checked at the end of a statement, not row by row: rows of one write may trade names, or pass them on."""
    return models.UniqueConstraint(fields=list(fields), name=name, deferrable=models.Deferrable.IMMEDIATE, **more)
