"""What is kept how long: the only table. `docs/operations.md` shows it, and a test keeps both equal.

Every row can be set by its variable in the environment, in days; 0 keeps for ever. What people own (inventory, tickets
and the history of a part) is never removed, nor what `KEPT_FOR_EVER` lists; captures of the fabric are kept as long as
their source says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

FOR_EVER = timedelta(days=365 * 1000)


@dataclass(frozen=True)
class Kept:
    """One kind of row that comes with time. `days`: by default, 0 for ever; `least`: what the service itself needs."""

    name: str
    days: int
    what: str
    variable: str = ""
    least: int = 1

    @property
    def env(self) -> str:
        return self.variable or f"RACKSIDE_KEEP_{self.name.upper()}_DAYS"


TABLE = (
    Kept("samples", 30, "measured values and verdicts of every check of a machine", least=8),
    Kept("transitions", 730, "changes of a verdict", least=31),
    Kept("sweeps", 90, "sweeps with their shards"),
    Kept("bmc_log_entries", 30, "entries of BMCs' logs that say that something is wrong and were not taken back"),
    Kept("active_runs", 180, "runs of active checks with their outputs"),
    Kept("run_evidence", 90, "logs, stacks and dumps that were fetched from the machines of training runs"),
    Kept("scheduler_jobs", 365, "jobs that ran on machines"),
    Kept("training_runs", 730, "training runs that ended, with their ranks and what these printed last", least=8),
    Kept(
        "training_steps",
        365,
        "steps of training runs; of older ones figures of 1,024 together stay",
        least=8,
    ),
    Kept("port_samples", 30, "counters of ports", least=8),
    Kept("meter_minutes", 1, "what meters of power and cooling told, by the minute; each reading stays six hours"),
    Kept("meter_quarters", 18, "the same by the quarter of an hour", least=2),
    Kept("meter_days", 1830, "the same by the hour, with the extremes of each day", least=31),
    Kept("power_findings", 365, "findings of power and cooling that are over"),
    Kept("fabric_events", 365, "events of the fabric"),
    Kept("discoveries", 90, "discovery runs whose captures are gone, but those that an open finding names"),
    Kept("bmc_discoveries", 90, "discoveries of BMCs, but those of which machines were accepted"),
    Kept("software_tasks", 180, "what each task of base software did; runs and what became of each role stay"),
    Kept("live_events", 90, "domain events that were published, with the failures of their handlers"),
    Kept("webhooks_delivered", 7, "deliveries of webhooks that arrived"),
    Kept("webhooks_failed", 30, "deliveries of webhooks that were given up"),
    Kept("messages", 90, "messages about tickets that were sent or given up, and mails that came in"),
    Kept("idempotency_keys", 14, "answers to requests that may be sent again"),
    Kept("vendor_bundles", 90, "bundles made for vendors, with their files"),
    Kept("imports", 14, "imports and exports with their files", "RACKSIDE_JOB_DAYS"),
    Kept("history", 0, "the audit log", "RACKSIDE_HISTORY_DAYS"),
)

KEPT_FOR_EVER = (
    ("faults and verifications", "what was wrong with a machine and when it was not any more: a few rows a repair"),
    ("changes of drivers, firmware and settings", "none comes while nothing changes"),
    ("drains, resumes and failures of nodes at the scheduler", "none comes while nothing changes"),
    ("provisioning runs with their log", "how a machine was installed; people start them"),
    ("measurements of links", "the evidence of link tickets, one for each time it is asked for"),
    ("burn-ins and imports from NetBox", "people start them"),
    ("mails of the weekly report", "one a week and subscriber, without what it said"),
)
"""What nothing removes, and why that is no burden: it grows with the work that is done, not with the time."""


def read(number: Callable[[str, int], int]) -> dict[str, timedelta]:
    """Name to how long its rows are kept; `number` reads a variable or gives the default.

    Raises ValueError for fewer days than the service needs.
    """
    found = {}
    for kept in TABLE:
        days = number(kept.env, kept.days)
        if days < 0 or 0 < days < kept.least:
            raise ValueError(f"{kept.env} is {days}: at least {kept.least} days are needed, or 0 for ever")
        found[kept.name] = timedelta(days=days) if days else FOR_EVER
    return found
