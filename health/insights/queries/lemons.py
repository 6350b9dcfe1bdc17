"""What machines went through in the last weeks, counted for their lemon score."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.db import connection

from health.insights.lemons import CAUSED_BY_MACHINE, CAUSED_BY_PROGRAM, Score, scores

MACHINES = """
SELECT device.id, device.name, model.slug, site.slug, EXISTS (
    SELECT FROM health_schedulermachine row JOIN health_schedulersource source ON source.id = row.source_id
    WHERE row.machine_id = device.id AND source.last_read_at >= %(since)s
) FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN inventory_devicemodel model ON model.id = device.model_id
JOIN core_site site ON site.id = device.site_id
WHERE health.state NOT IN ('new', 'retired') AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
    AND (%(site)s::bigint IS NULL OR device.site_id = %(site)s)
"""
# A fault that no incident explains counts as one: incidents are opened for those that automation may work on.
COUNTS = """
SELECT machine_id, term, count(*) FROM (
    SELECT machine_id, 'failed_verification' AS term FROM health_verification
    WHERE status = 'failed' AND finished_at >= %(since)s
    UNION ALL
    SELECT machine_id, 'remediation' FROM health_remediationaction WHERE sent_at >= %(since)s
    UNION ALL
    SELECT machine_id, 'incident' FROM health_incident WHERE machine_id IS NOT NULL AND opened_at >= %(since)s
    UNION ALL
    SELECT machine_id, 'incident' FROM health_fault
    WHERE incident_id IS NULL AND led_by_id IS NULL AND announced_at >= %(since)s
    UNION ALL
    SELECT machine_id, 'ecc_storm' FROM (
        SELECT DISTINCT machine_id, part, date_trunc('day', at, 'UTC') FROM health_transition
        WHERE check_id = 'gpu.corrected' AND to_verdict IN ('warn', 'fail') AND at >= %(since)s
    ) storms
    UNION ALL
    SELECT machine_ids[1], 'job_failure' FROM health_schedulerjob
    WHERE machine_count = 1 AND state = ANY(%(by_machine)s) AND ended_at >= %(since)s
    UNION ALL
    SELECT machine_id, 'job_failure' FROM (
        SELECT DISTINCT machine_ids[1] AS machine_id, account, date_trunc('day', ended_at, 'UTC')
        FROM health_schedulerjob WHERE machine_count = 1 AND state = ANY(%(by_program)s) AND ended_at >= %(since)s
    ) failed
) happened
GROUP BY 1, 2
"""
TOLD_BY_SCHEDULER = ("job_failure",)
"""Not known of a machine that no scheduler told of in this time."""


def lemons(sites: list[int] | None, *, since: datetime, site: int | None = None) -> list[tuple[Score, dict[str, Any]]]:
    """Scores of the machines of these sites (None: all), the worst first, each with the machine. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(MACHINES, {"sites": sites, "site": site, "since": since})
        rows = cursor.fetchall()
        ends = {"by_machine": [*CAUSED_BY_MACHINE], "by_program": [*CAUSED_BY_PROGRAM]}
        cursor.execute(COUNTS, {"since": since, **ends})
        counts: dict[int, dict[str, int]] = defaultdict(dict)
        for machine_id, term, count in cursor.fetchall():
            counts[machine_id][term] = count
    about = {pk: {"id": pk, "name": name, "site": place} for pk, name, _, place, _ in rows}
    unknown = {pk: TOLD_BY_SCHEDULER for pk, *_, told in rows if not told}
    found = scores(((pk, model) for pk, _, model, *_ in rows), counts, unknown)
    return [(score, about[score.machine_id]) for score in found]
