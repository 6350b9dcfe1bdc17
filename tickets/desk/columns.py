"""What the desk keeps of a ticket, as columns of the ticket itself: lists filter and order by them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tickets.desk.rules.queues import Queue


class DeskColumns(models.Model):
    """Priority and its reason, due time, queue, acknowledgement, snooze, reopenings, and where it was merged or split.

    `ranked_at` empty: the ticket was opened this moment, and `tickets.desk.ranks` has not seen it.
    """

    queue = models.CharField(
        max_length=7,
        choices=[(q.value, q.value) for q in Queue],
        default=Queue.HANDS.value,
        db_default=Queue.HANDS.value,
    )
    queue_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="Who moved it by hand; empty: by rule.",
    )  # fmt: skip
    priority_line = models.CharField(max_length=200, blank=True, default="", db_default="", help_text="Why, in a line.")
    priority_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="Who set it by hand; it then stays.",
    )  # fmt: skip
    severity = models.CharField(
        max_length=2, blank=True, default="", db_default="", help_text="The priority of its class, as it was opened."
    )
    ranked_at = models.DateTimeField(null=True, blank=True, help_text="When its cost was last worked out.")
    counted_from = models.DateTimeField(
        null=True, blank=True, help_text="The due time counts from here, not from the opening: it was reopened."
    )
    due_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    snoozed_until = models.DateTimeField(null=True, blank=True)
    snoozed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    snooze_reason = models.CharField(max_length=500, blank=True, default="", db_default="")
    snoozed_faults = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Faults it had when it was snoozed: one more ends the snooze."
    )
    reopened = models.PositiveSmallIntegerField(default=0, db_default=0, help_text="Failed verifications, reopenings.")
    worked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="Who had it when it came back the last time.",
    )  # fmt: skip
    second_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="The second pair of eyes since it came back the last time.",
    )  # fmt: skip
    merged_into = models.ForeignKey(
        "tickets.Ticket", on_delete=models.PROTECT, null=True, blank=True, related_name="merged"
    )
    split_from = models.ForeignKey(
        "tickets.Ticket", on_delete=models.PROTECT, null=True, blank=True, related_name="splits"
    )

    class Meta:
        abstract = True
