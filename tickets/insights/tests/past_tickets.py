"""Tickets with a past, made by SQL: what a month of repairs leaves behind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from inventory.models import Machine

MADE = """
WITH made AS (
    INSERT INTO tickets_ticket (site_id, subject, device_id, machine_id, part, fault_class, title, summary, status,
        priority, source, source_ref, link, subject_name, led_wanted, evidence_count, version, opened_at, updated_at,
        closed_at)
    SELECT %(site)s, 'machine', %(machine)s, %(machine)s, 'GPU ' || n %% 8,
        (ARRAY['gpu.gone', 'psu.failed'])[1 + n %% 2],
        'Replace', '', 'closed', 'P2', 'fault', '', '', '', true, 0, 1, %(now)s - n * %(every)s - %(took)s,
        %(now)s - n * %(every)s, %(now)s - n * %(every)s
    FROM generate_series(1, %(count)s) n RETURNING id, opened_at, closed_at
), changed AS (
    INSERT INTO tickets_ticketchange (ticket_id, at, actor, event, text, data)
    SELECT made.id, opened_at + each.after, 'tina', each.event, each.event, '{}'
    FROM made CROSS JOIN (VALUES
        ('take', interval '1 hour'), ('verify', interval '4 hours'), ('pass', %(took)s::interval)
    ) AS each (event, after)
), noted AS (
    INSERT INTO tickets_ticketchange (ticket_id, at, actor, event, text, data)
    SELECT made.id, opened_at, 'health', '', 'Opened', '{}' FROM made
)
INSERT INTO tickets_step (ticket_id, number, kind, title, detail, key, done_at, done_by, swaps, outcome, outcome_text)
SELECT made.id, n, 'check', 'Check', '', '', opened_at + interval '2 hours' + n * interval '1 minute', 'tina', '', '',
    ''
FROM made CROSS JOIN generate_series(0, 4) n
"""


def make_closed(machine: Machine, count: int, *, every: timedelta = timedelta(hours=1), took: timedelta) -> None:
    """`count` tickets: acknowledged after an hour, hands on after two, verified and closed after `took`."""
    asked: dict[str, Any] = {
        "site": machine.device.site_id, "machine": machine.pk, "count": count, "every": every, "took": took,
        "now": timezone.now(),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(MADE, asked)
        cursor.execute("ANALYZE tickets_ticket, tickets_ticketchange, tickets_step")  # as autovacuum does soon after
