"""What is done by the clock, in one table. Beat has one entry for each period, and sends all tasks of it by name.

Each task goes to its own queue with its own `expires`, as if it had an entry to itself: none waits for another, and one
that the broker did not take is sent again alone (`config.pulse`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from health.monitoring.sweep_period import step_s

HOUR, DAY = 3600, 86_400
NEVER_AGAIN_S = 100.0 * 365 * DAY
GROUP = "periodic"
"""The task that a group names; it exists in no worker, `config.pulse` sends those of the group instead."""


class Periodic(NamedTuple):
    """A task that is sent every so many seconds, and forgotten where no worker took it for `expires_s`."""

    task: str
    every_s: int
    expires_s: int = 0
    args: tuple[Any, ...] = ()


TABLE = (
    Periodic("core.webhooks.tasks.deliver", 2),
    Periodic("health.monitoring.tasks.requeue_lost_shards", 3),
    Periodic("core.work.tasks.follow", 5, args=(5,)),
    Periodic("health.monitoring.tasks.confirm_due", 5),
    Periodic("health.remediation.tasks.remediate", 5),
    Periodic("tickets.messages.tasks.plan", 5),
    Periodic("tickets.tasks.run_steps", 5),
    Periodic("facility.meters.tasks.read_due", 5),
    Periodic("core.work.tasks.follow", 15, args=(15,)),
    Periodic("core.work.tasks.retry_failed_handlers", 15),
    Periodic("health.monitoring.tasks.end_expired_responses", 15),
    Periodic("health.external.tasks.follow_reports", 15),
    Periodic("provisioning.tasks.reap", 15),
    Periodic("runs.tasks.follow_runs", 15),
    Periodic("fabric.discovery.tasks.start_due", 15),
    Periodic("fabric.wiring.tasks.write_approved_names", 15),
    Periodic("fabric.ports.tasks.carry_out_port_actions", 15),
    Periodic("tickets.tasks.sync_indicator_leds", 15),
    Periodic("core.work.tasks.follow", 30, args=(30,)),
    Periodic("health.monitoring.tasks.close_late_sweeps", 30),
    Periodic("health.monitoring.tasks.mark_unreachable", 30),
    Periodic("provisioning.tasks.follow_maas", 30),
    Periodic("provisioning.tasks.follow_ironic", 30),
    Periodic("provisioning.bmc.tasks.read_due", 30),
    Periodic("runs.tasks.find_runs", 30),
    Periodic("runs.tasks.read_metrics", 30),
    Periodic("health.diagnostics.tasks.begin_windows", 30),
    Periodic("fabric.quality.tasks.follow_quality", 30),
    Periodic("tickets.tasks.settle_orders", 30),
    Periodic("tickets.systems.tasks.poll_all", 60),
    Periodic("tickets.messages.tasks.fetch_mail", 60),
    Periodic("core.work.tasks.follow", 60, args=(60,)),
    Periodic("health.remediation.tasks.mark_stuck", 60),
    Periodic("tickets.tasks.follow_desk", 60),
    Periodic("provisioning.tasks.tidy_media", 60),
    Periodic("fabric.quality.tasks.read_fabric_events", 60),
    Periodic("provisioning.mirrors.tasks.ask_machines", 60),
    Periodic("tickets.insights.tasks.plan_reports", 60),
    Periodic("facility.meters.tasks.roll_up", 60),
    Periodic("facility.overview.tasks.add_up", 60),
    Periodic("facility.energy.tasks.write_down", 60),
    Periodic("core.http.tasks.prune_idempotency_keys", HOUR),
    Periodic("inventory.tasks.remove_orphan_files", HOUR),
    Periodic("health.insights.tasks.keep_golden_set", HOUR, 600),
    Periodic("health.monitoring.tasks.maintain_partitions", HOUR, 600),
    Periodic("fabric.ports.tasks.remind_of_ports", HOUR, 600),
    Periodic("fabric.quality.tasks.maintain_samples", HOUR, 600),
    Periodic("facility.meters.tasks.maintain_history", HOUR, 600),
    Periodic("facility.overview.tasks.look_closely", HOUR, 600),
    Periodic("core.tasks.prune_history", DAY, HOUR),
    Periodic("core.webhooks.tasks.prune", DAY, HOUR),
    Periodic("tickets.messages.tasks.prune", DAY, HOUR),
    Periodic("core.jobs.tasks.prune", DAY, HOUR),
    Periodic("live.tasks.prune_events", DAY, HOUR),
    Periodic("health.diagnostics.tasks.prune_active_runs", DAY, HOUR),
    Periodic("runs.tasks.prune_runs", DAY, HOUR),
    Periodic("fabric.discovery.tasks.prune_captures", DAY, HOUR),
    Periodic("facility.overview.tasks.prune_findings", DAY, HOUR),
    Periodic("provisioning.discovery.tasks.prune_discoveries", DAY, HOUR),
    Periodic("provisioning.software.tasks.prune_tasks", DAY, HOUR),
    Periodic("runs.tasks.prune_collections", DAY, HOUR),
    Periodic("tickets.vendors.tasks.prune_bundles", DAY, HOUR),
)


def every(seconds: int) -> str:
    """The name of the entry of a period."""
    return {HOUR: "hourly", DAY: "daily", 60: "every-minute"}.get(seconds, f"every-{seconds}s")


def schedule(sweep_period_s: float) -> dict[str, dict[str, Any]]:
    """Celery's beat schedule: one entry for each period of the table, and those of the sweep.

    Beat asks several times a period whether a sweep is due, for the period may be longer than was set; and once at the
    start, when one is due in any case.
    """
    groups: dict[int, list[Periodic]] = defaultdict(list)
    for row in TABLE:
        groups[row.every_s].append(row)
    entries = {every(seconds): _entry(seconds, rows) for seconds, rows in groups.items()}
    asked_s = step_s(sweep_period_s)
    sweep = {"task": "health.monitoring.tasks.start_sweep", "schedule": asked_s, "options": {"expires": asked_s}}
    at_start = {"schedule": NEVER_AGAIN_S, "kwargs": {"at_once": True}, "options": {"expires": sweep_period_s}}
    return {"sweep-at-start": {**sweep, **at_start}, "sweep": sweep, **entries}


def _entry(seconds: int, rows: list[Periodic]) -> dict[str, Any]:
    members = [(row.task, row.args, row.expires_s or row.every_s) for row in rows]
    return {"task": GROUP, "schedule": float(seconds), "kwargs": {"members": members}}
