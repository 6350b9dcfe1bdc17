"""The systems that may report verdicts: made, changed, given another token, recognised and removed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import connection, transaction
from knox.crypto import create_token_string, hash_token
from knox.settings import CONSTANTS

from core.models import Site
from health.external.models import ReportedMachine, ReportSource
from health.external.services.intake import lock_machines
from health.external.services.reconciliation import settle
from health.monitoring.models.faults import Fault
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.services.verifications import dismiss_fault

TOKEN_PREFIX = "src-"


def _fresh_token(source: ReportSource) -> str:
    """Give the source another token and return its plain text, which is not kept."""
    plain = f"{TOKEN_PREFIX}{create_token_string()}"
    source.digest, source.token_key = hash_token(plain), plain[: CONSTANTS.TOKEN_KEY_LENGTH]
    return plain


def make_source(site: Site, *, actor: str, **fields: Any) -> tuple[ReportSource, str]:
    """A new source of this site and its token."""
    source = ReportSource(site=site, created_by=actor[:150], **fields)
    plain = _fresh_token(source)
    source.save()
    return source, plain


@transaction.atomic
def change_source(source_id: int, **fields: Any) -> ReportSource:
    """Change what a source may do. Its name and site stay: the checks it reported are called by it."""
    source = ReportSource.objects.select_for_update().get(pk=source_id)
    for name, value in fields.items():
        setattr(source, name, value)
    source.save(update_fields=list(fields) or None)
    return source


@transaction.atomic
def renew_token(source_id: int) -> tuple[ReportSource, str]:
    """Another token for a source; the one before no longer works."""
    source = ReportSource.objects.select_for_update().get(pk=source_id)
    plain = _fresh_token(source)
    source.save(update_fields=["digest", "token_key"])
    return source, plain


def source_of_token(plain: str) -> ReportSource | None:
    """The source that a token belongs to, enabled or not. One query."""
    return sources_of_tokens({plain}).get(plain)


def sources_of_tokens(plain: Collection[str]) -> dict[str, ReportSource]:
    """The sources that tokens belong to, enabled or not, by token. One query."""
    digests = {hash_token(token): token for token in plain if token.startswith(TOKEN_PREFIX)}
    found = ReportSource.objects.filter(digest__in=list(digests)) if digests else ()
    return {digests[source.digest]: source for source in found}


TAKE_BACK = """
UPDATE health_machinehealth health SET fail_count = greatest(0, fail_count - gone.fail),
    unknown_count = greatest(0, unknown_count - gone.unknown), warn_count = greatest(0, warn_count - gone.warn)
FROM (
    SELECT machine_id, count(*) FILTER (WHERE verdict = 'fail') AS fail,
        count(*) FILTER (WHERE verdict = 'unknown') AS unknown, count(*) FILTER (WHERE verdict = 'warn') AS warn
    FROM health_currentverdict WHERE machine_id = ANY(%s) AND starts_with(check_id, %s) GROUP BY machine_id
) gone
WHERE gone.machine_id = health.machine_id
"""


def remove_source(source_id: int, *, actor: str) -> None:
    """Forget a source and all it said; faults that nobody else shows are dismissed in the name of who removes it."""
    with transaction.atomic():
        source = ReportSource.objects.select_for_update().get(pk=source_id)
        prefix = f"{source.name}/"
        said = ReportedMachine.objects.select_for_update().filter(source=source).order_by("machine_id")
        machines = list(said.values_list("machine_id", flat=True))
        lock_machines(machines)
        with connection.cursor() as cursor:
            cursor.execute(TAKE_BACK, [machines, prefix])
        CurrentVerdict.objects.filter(machine_id__in=machines, check_id__startswith=prefix).delete()
        source.delete()
    shown = Fault.objects.filter(machine_id__in=machines).exclude(status=Fault.Status.CLEARED)
    for fault in shown.order_by("machine_id", "id"):
        if fault.checks and all(check.startswith(prefix) for check in fault.checks):
            dismiss_fault(fault.pk, reason=f"the source {prefix[:-1]} was removed", actor=actor)
    for machine_id in machines:
        settle(machine_id)
