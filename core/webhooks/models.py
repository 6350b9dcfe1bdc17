"""Hooks, their deliveries, and the outbox between the change and its deliveries."""

from __future__ import annotations

import secrets
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.models import Site, cipher
from core.webhooks.signatures import new_secret


def message_id() -> str:
    return f"msg_{secrets.token_urlsafe(18)}"


class Webhook(models.Model):
    """Where news of one site, or of all, is sent. The secret is encrypted as credentials are."""

    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, null=True, blank=True, related_name="webhooks", help_text="Empty: every site."
    )
    name = models.CharField(max_length=100)
    url = models.CharField(max_length=2000)
    events = models.JSONField(default=list, help_text="Names or patterns, such as ticket.changed, racks.*, *")
    active = models.BooleanField(default=True)
    inactive_reason = models.CharField(max_length=200, blank=True, help_text="Why Rackside switched it off.")
    timeout_s = models.PositiveSmallIntegerField(default=10)
    secret = models.BinaryField(editable=False)
    previous_secret = models.BinaryField(editable=False, null=True)
    previous_until = models.DateTimeField(editable=False, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150, blank=True)

    class Meta:
        db_table = "core_webhook"
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="webhook_name_in_site", nulls_distinct=False),
            models.CheckConstraint(condition=Q(timeout_s__range=(1, 30)), name="webhook_timeout_is_sane"),
        ]

    def __str__(self) -> str:
        return self.name

    def make_secret(self) -> str:
        """A new secret, readable this once. The caller saves the row."""
        plain = new_secret()
        self.secret = cipher().encrypt(plain.encode())
        return plain

    def secrets(self) -> list[str]:
        """The secrets to sign with: after a change the one before too, for a day.

        Raises `cryptography.fernet.InvalidToken` when no configured key fits.
        """
        sealed = [self.secret]
        if self.previous_secret is not None and self.previous_until and self.previous_until > timezone.now():
            sealed.append(self.previous_secret)
        return [cipher().decrypt(bytes(value)).decode() for value in sealed]


class Delivery(models.Model):
    """One message to one hook, with all its attempts. Its id stays the same, so a receiver can ignore repeats."""

    class Status(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        DEAD = "dead"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.CharField(max_length=40, default=message_id, unique=True)
    event = models.CharField(max_length=100, help_text="The event it reports, such as ticket.changed.")
    body = models.TextField(help_text="The bytes that are signed.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now, help_text="When it is tried next, while pending.")
    created_at = models.DateTimeField(auto_now_add=True)
    tried_at = models.DateTimeField(null=True)
    response_status = models.PositiveSmallIntegerField(null=True)
    response_excerpt = models.CharField(max_length=1000, blank=True)
    error = models.CharField(max_length=300, blank=True, help_text="Why the last attempt failed.")
    duration_ms = models.PositiveIntegerField(null=True)

    class Meta:
        db_table = "core_webhook_delivery"
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["pending", "delivered", "dead"]), name="delivery_status_is_known"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["webhook", "next_at"], name="delivery_due", condition=Q(status="pending")),
            models.Index(fields=["webhook", "-id"], name="delivery_of_hook"),
            models.Index(fields=["created_at"], name="delivery_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}: {self.status}"


class OutboxRow(models.Model):
    """News that some hook may want, written by a trigger in the transaction of the news itself.

    Rows are deleted as they become deliveries. No cursor passes over them, so one whose transaction commits late is
    found when it is there.
    """

    source = models.CharField(max_length=8, help_text="event: live_event; change: core_auditentry.")
    source_id = models.BigIntegerField()

    class Meta:
        db_table = "core_webhook_outbox"

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}"
