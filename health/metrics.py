"""Numbers of this room for Prometheus: machines, verdicts, faults, sweeps and how old the news is."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from health.machines.lifecycle import NOT_SWEPT
from health.monitoring.services import watchdog
from health.monitoring.services.sweeps import periods

COUNTS = """
SELECT site.slug, health.state, health.cell, health.reachability, count(*)
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN core_site site ON site.id = device.site_id
GROUP BY 1, 2, 3, 4
"""
VERDICTS = """
SELECT site.slug, verdict.check_id, verdict.verdict, count(*)
FROM health_currentverdict verdict
JOIN inventory_device device ON device.id = verdict.machine_id
JOIN core_site site ON site.id = device.site_id
GROUP BY 1, 2, 3
"""
FAULTS = """
SELECT site.slug, fault.fault_class, fault.status, count(*)
FROM health_fault fault
JOIN inventory_device device ON device.id = fault.machine_id
JOIN core_site site ON site.id = device.site_id
WHERE fault.status <> 'cleared' AND fault.led_by_id IS NULL
GROUP BY 1, 2, 3
"""
LAST_SWEEP = """
SELECT DISTINCT ON (site.slug) site.slug, extract(epoch FROM sweep.finished_at - sweep.started_at),
    sweep.machines, sweep.reachable, extract(epoch FROM sweep.finished_at)
FROM health_sweep sweep JOIN core_site site ON site.id = sweep.site_id
WHERE sweep.kind = 'scheduled' AND sweep.finished_at IS NOT NULL
ORDER BY site.slug, sweep.id DESC
"""
HEARD_AGE = """
SELECT site.slug, extract(epoch FROM now() - min(health.last_seen_at)),
    extract(epoch FROM now() - percentile_disc(0.5) WITHIN GROUP (ORDER BY health.last_seen_at))
FROM health_machinehealth health
JOIN inventory_device device ON device.id = health.machine_id
JOIN core_site site ON site.id = device.site_id
WHERE health.last_seen_at IS NOT NULL AND health.state <> ALL(%(not_swept)s)
GROUP BY 1
"""


ACTIONS = """
SELECT site.slug, action.remedy, action.state, count(*)
FROM health_remediationaction action
JOIN inventory_device device ON device.id = action.machine_id
JOIN core_site site ON site.id = device.site_id
GROUP BY 1, 2, 3
"""
INCIDENTS = """
SELECT site.slug, incident.kind, count(*)
FROM health_incident incident JOIN core_site site ON site.id = incident.site_id
WHERE incident.closed_at IS NULL GROUP BY 1, 2
"""
BREAKER = """
SELECT site.slug, (automation.breaker_open_at IS NOT NULL)::int
FROM health_siteautomation automation JOIN core_site site ON site.id = automation.site_id
"""
KILLED = """
SELECT site.slug, automation.killed::int
FROM health_siteautomation automation JOIN core_site site ON site.id = automation.site_id
"""


def _gauge(name: str, text: str, labels: list[str], query: str) -> GaugeMetricFamily:
    """One sample per row; the last column is the value, the ones before are the labels."""
    family = GaugeMetricFamily(name, text, labels=labels)
    with connection.cursor() as cursor:
        cursor.execute(query)
        for *values, number in cursor.fetchall():
            family.add_metric([str(value) for value in values], float(number))
    return family


def collect() -> Iterator[Metric]:
    """All metrics of this room; each family is one query."""
    yield _gauge("rackside_machines", "Machines by state and cell.", ["site", "state", "cell", "reachability"], COUNTS)
    yield _gauge("rackside_verdicts", "Current verdicts that are not ok.", ["site", "check", "verdict"], VERDICTS)
    yield _gauge("rackside_faults", "Open leading faults.", ["site", "class", "status"], FAULTS)
    yield _gauge("rackside_actions", "Actions of remediation by state.", ["site", "remedy", "state"], ACTIONS)
    yield _gauge("rackside_incidents", "Open incidents.", ["site", "kind"], INCIDENTS)
    yield _gauge("rackside_breaker_open", "1: automation stopped itself.", ["site"], BREAKER)
    yield _gauge("rackside_automation_killed", "1: a person stopped automation.", ["site"], KILLED)
    yield from _sweeps()
    yield from _last_seen_age()
    yield from _watchdog()
    yield _gauge(
        "rackside_default_partition_rows",
        "History rows that wait for a partition; more than a few mean that nobody maintains them.",
        ["table"],
        "SELECT 'health_sample', count(*) FROM health_sample_default "
        "UNION ALL SELECT 'health_transition', count(*) FROM health_transition_default",
    )


def _watchdog() -> Iterator[Metric]:
    """What the watchdog says now: 1 for each thing that stopped, 0 for what is alive, by kind and name."""
    now = timezone.now()
    family = GaugeMetricFamily("rackside_watchdog", "1: late, never seen or broken.", labels=["kind", "name", "site"])
    for sign in watchdog.signs(now=now):
        labels = [sign.kind, sign.name, str(sign.site or "")]
        family.add_metric(labels, float(sign.state(now) in ("late", "never", "broken")))
    yield family


def _sweeps() -> Iterator[Metric]:
    duration = GaugeMetricFamily(
        "rackside_sweep_duration_seconds", "Length of the last scheduled sweep.", labels=["site"]
    )
    machines = GaugeMetricFamily("rackside_sweep_machines", "Machines of the last scheduled sweep.", labels=["site"])
    reachable = GaugeMetricFamily("rackside_sweep_reachable", "Machines reached in it.", labels=["site"])
    ended = GaugeMetricFamily("rackside_sweep_finished_timestamp_seconds", "When it ended.", labels=["site"])
    with connection.cursor() as cursor:
        cursor.execute(LAST_SWEEP)
        for site, *numbers in cursor.fetchall():
            for family, number in zip((duration, machines, reachable, ended), numbers, strict=True):
                family.add_metric([site], float(number))
    yield from (duration, machines, reachable, ended)
    period = GaugeMetricFamily("rackside_sweep_period_seconds", "Between two sweeps: now, and as set.", labels=["of"])
    now = periods.in_force()
    period.add_metric(["now"], now.period_s)
    period.add_metric(["set"], now.set_s)
    yield period


def _last_seen_age() -> Iterator[Metric]:
    family = GaugeMetricFamily("rackside_last_seen_age_seconds", "Age of the newest answer.", labels=["site", "of"])
    with connection.cursor() as cursor:
        cursor.execute(HEARD_AGE, {"not_swept": [state.value for state in NOT_SWEPT]})
        for site, oldest, median in cursor.fetchall():
            family.add_metric([site, "oldest"], float(oldest))
            family.add_metric([site, "median"], float(median))
    yield family
