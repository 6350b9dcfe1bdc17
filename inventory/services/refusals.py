"""What PostgreSQL refuses, as an exception of the services."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from inventory.kinds.refusals import MEANINGS


class Refused(Exception):
    """A write that would break a promise of the inventory; `field` is the field to blame."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field, self.reason = field, reason


@contextmanager
def refusing() -> Iterator[None]:
    """A transaction whose broken constraints come out as Refused; nothing of it is written then."""
    try:
        with transaction.atomic():
            yield
    except ProtectedError as error:
        kinds = sorted({str(row._meta.verbose_name_plural) for row in error.protected_objects})
        raise Refused("non_field_errors", f"It is still used by {', '.join(kinds)}.") from error
    except IntegrityError as error:
        diagnosis = getattr(error.__cause__, "diag", None)
        name = getattr(diagnosis, "constraint_name", None) or ""
        field, reason, _ = MEANINGS.get(name, ("non_field_errors", f"the database refuses it ({name or error})", ""))
        raise Refused(field, f"{reason[0].upper()}{reason[1:]}.") from error
