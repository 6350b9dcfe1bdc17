"""The outbox of domain events, and the handlers of other rooms that could not keep up with one."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class Event(models.Model):
    """One change of state. Written while its subject's row is locked, so ids of one subject are in order."""

    kind = models.CharField(max_length=64)
    site_id = models.BigIntegerField(null=True, help_text="Without a foreign key: this room knows no other.")
    subject = models.CharField(max_length=64, help_text="What changed, such as machine:12.")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150, blank=True)
    data = models.JSONField(default=dict)
    published_at = models.DateTimeField(null=True)

    class Meta:
        ordering: ClassVar = ["id"]
        indexes: ClassVar = [
            models.Index(fields=["id"], name="event_unpublished", condition=Q(published_at__isnull=True)),
            models.Index(fields=["subject", "-id"], name="event_subject"),
            models.Index(fields=["at"], name="event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}"


class HandlerFailure(models.Model):
    """A handler that raised on an event; a periodic task tries again, and the dashboard shows what is stuck."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="failures")
    handler = models.CharField(max_length=200)
    error = models.TextField()
    attempts = models.PositiveIntegerField(default=1)
    next_try_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "handler"], name="one_failure_per_handler")]
