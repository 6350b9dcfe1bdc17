"""The golden set: who comes in after enough clean days, and who falls out of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from health.insights.models import GoldenMachine
from health.machines.calls import AUTOMATION
from health.machines.models.automation import SiteAutomation
from health.machines.models.machines import MachineHealth


class NotPossible(Exception):
    """The machine is golden already, or is not."""


@dataclass(frozen=True)
class Candidate:
    """A machine that may come in, and since when it is clean."""

    machine_id: int
    name: str
    model: str
    clean_since: datetime
    days: int
    """What its site asks for."""


# Clean: in service all the time, heard, nothing against it now, and since then no confirmed fault, no failed
# verification, and nobody took it out of the set.
CANDIDATES = """
SELECT device.id, device.name, model.slug, greatest(health.state_since, trouble.last), site.days
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN inventory_devicemodel model ON model.id = device.model_id
JOIN (
    SELECT core_site.id, coalesce(golden_days, %(days)s) AS days,
        %(now)s - coalesce(golden_days, %(days)s) * interval '1 day' AS since
    FROM core_site LEFT JOIN health_siteautomation ON site_id = core_site.id
) site ON site.id = device.site_id
LEFT JOIN LATERAL (
    SELECT max(at) AS last FROM (
        SELECT max(coalesce(cleared_at, 'infinity')) AS at FROM health_fault
        WHERE machine_id = device.id AND confirmed_at IS NOT NULL
        UNION ALL
        SELECT max(finished_at) FROM health_verification WHERE machine_id = device.id AND status = 'failed'
        UNION ALL
        SELECT max(coalesce(demoted_at, 'infinity')) FROM health_goldenmachine WHERE machine_id = device.id
    ) each_kind
) trouble ON true
WHERE health.state = 'ready' AND health.reachability = 'reachable' AND health.worst IN ('ok', 'info')
    AND health.state_since <= site.since AND coalesce(trouble.last, '-infinity') <= site.since
    AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
ORDER BY 4, 2
"""


def candidates(sites: list[int] | None = None, now: datetime | None = None) -> list[Candidate]:
    """Machines of these sites (None: all) that were clean for as long as their site asks, and are not golden. One
    query."""
    usual = SiteAutomation._meta.get_field("golden_days").default
    with connection.cursor() as cursor:
        cursor.execute(CANDIDATES, {"now": now or timezone.now(), "days": usual, "sites": sites})
        return [Candidate(*row) for row in cursor.fetchall()]


@transaction.atomic
def promote_clean(now: datetime | None = None) -> int:
    """Promote every machine that was clean for long enough; returns how many. Safe to run twice."""
    found = candidates(now=now)
    made = GoldenMachine.objects.bulk_create(
        [
            GoldenMachine(
                machine_id=each.machine_id,
                promoted_by=AUTOMATION,
                reason=f"clean for {each.days} days, since {each.clean_since:%Y-%m-%d}",
            )
            for each in found
        ],
        ignore_conflicts=True,
    )
    return len(made)


@transaction.atomic
def promote(machine_id: int, *, reason: str, actor: str) -> GoldenMachine:
    """A person takes a machine into the set, whatever its days. Raises NotPossible."""
    MachineHealth.objects.select_for_update().get(pk=machine_id)
    if GoldenMachine.objects.filter(machine_id=machine_id, demoted_at=None).exists():
        raise NotPossible("it is golden already")
    return GoldenMachine.objects.create(machine_id=machine_id, promoted_by=actor[:150], reason=reason[:300])


@transaction.atomic
def demote(machine_id: int, *, reason: str, actor: str) -> GoldenMachine:
    """Take a machine out of the set. Raises NotPossible when it is not in it."""
    golden = GoldenMachine.objects.select_for_update().filter(machine_id=machine_id, demoted_at=None).first()
    if golden is None:
        raise NotPossible("it is not golden")
    golden.demoted_at, golden.demoted_by, golden.demote_reason = timezone.now(), actor[:150], reason[:300]
    golden.save()
    return golden
