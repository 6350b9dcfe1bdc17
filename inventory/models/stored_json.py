"""JSON columns that are always read: what PostgreSQL stores and Python cannot decode costs its own row, not the query.

PostgreSQL keeps numbers of 131,072 digits and mappings thousands deep; `json` refuses more than 4,300 digits and about
a thousand levels, with errors that end the reading of every other row.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import models


class Unreadable(dict[str, Any]):
    """What stands for a value that cannot be read: empty, with the reason. It is never stored."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.why = f"{type(error).__name__}: {error}"


def read_json(text: str) -> Any:
    """The value of a JSON text; never raises."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return Unreadable(error)


class StoredJSONField(models.JSONField):
    """A JSONField whose rows can always be read. Nothing changes in the database."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        try:
            return super().from_db_value(value, expression, connection)  # type: ignore[misc]
        except (ValueError, RecursionError) as error:
            return Unreadable(error)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """Raises ValueError for what was never read: it would be replaced by nothing."""
        if isinstance(value, Unreadable):
            raise ValueError(f"{self.name} cannot be read ({value.why}) and is not overwritten with nothing")
        return super().get_db_prep_value(value, connection, prepared)

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs
