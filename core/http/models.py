"""Answers kept for a retry. Telemetry: the audit log leaves this table out (its list stands in `core/audit/`)."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models


class IdempotencyKey(models.Model):
    """The answer to one POST, written in the transaction of what the POST wrote: both are there, or neither is."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.BinaryField(help_text="BLAKE2 of the request and of the rights it was sent with.")
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.BinaryField()
    sealed = models.BooleanField(default=False, help_text="The body is encrypted: it shows a secret once.")
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        db_table = "core_idempotency_key"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="one_answer_per_key")]

    def __str__(self) -> str:
        return f"{self.key} of user {self.user_id}"
