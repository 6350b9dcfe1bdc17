"""A piece of work that takes longer than a request: who asked for it, how far it is, what came of it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.models import Role, Site

STATUSES = ("queued", "running", "done", "refused", "failed")


def no_progress() -> dict[str, Any]:
    return {"done": 0, "total": 0, "stage": "queued"}


class Job(models.Model):
    """`refused`: the input was wrong and nothing was written. `failed`: it broke off, and nothing was written."""

    kind = models.CharField(max_length=30, help_text="What is done, such as import.")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="jobs")
    role_limit = models.CharField(
        max_length=16, choices=Role.choices, default=Role.ADMIN, help_text="Ceiling of the token it was asked with."
    )
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=8, choices=[(word, word) for word in STATUSES], default="queued")
    options = models.JSONField(default=dict)
    progress = models.JSONField(default=no_progress)
    result = models.JSONField(default=dict)
    message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    heard_at = models.DateTimeField(null=True, blank=True, help_text="Last heartbeat of the worker.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [models.CheckConstraint(condition=Q(status__in=STATUSES), name="job_status_is_known")]
        indexes: ClassVar = [
            models.Index(fields=["status"], name="job_open", condition=Q(status__in=["queued", "running"])),
            models.Index(fields=["created_at"], name="job_created"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class JobFile(models.Model):
    """The uploaded file of a job. In the database, because web server and worker may share no disk."""

    job = models.OneToOneField(Job, on_delete=models.CASCADE, primary_key=True, related_name="file")
    name = models.CharField(max_length=200)
    content = models.BinaryField()
