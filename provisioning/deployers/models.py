"""The columns that MAAS and Ironic share; each has tables of its own."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from core.models import Credential
from provisioning.deployers.decisions import Kind

KINDS = [kind.value for kind in Kind]


class Deployer(models.Model):
    """How a site's service is reached, and what may be written to it. What is off is said and not sent."""

    class State(models.TextChoices):
        NEVER = "never"
        GOOD = "good"
        FAILED = "failed"

    enabled = models.BooleanField(default=False)
    credential = models.ForeignKey(Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    url = models.CharField(max_length=200, blank=True)
    authorities = models.TextField(
        blank=True, help_text="Certificates (PEM) of who signed its own; empty: the system's authorities."
    )
    state = models.CharField(max_length=6, choices=State.choices, default=State.NEVER)
    message = models.CharField(max_length=500, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    last_good_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class DeployerRecord(models.Model):
    """Its record of a machine, as it was seen last. `wanted` is what was last to be written because of our state."""

    status_text = models.CharField(max_length=300)
    seen_at = models.DateTimeField()
    wanted = models.CharField(max_length=12, blank=True, choices=[(kind, kind) for kind in KINDS])

    class Meta:
        abstract = True


class DeployerWrite(models.Model):
    """One thing that is to be written to it because of the state of a machine here, and what became of it."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        DRY_RUN = "dry_run"
        DROPPED = "dropped"

    kind = models.CharField(max_length=12, choices=[(kind, kind) for kind in KINDS])
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    message = models.CharField(max_length=500, blank=True)
    comment = models.CharField(max_length=300, blank=True, help_text="As it got it, or would have.")
    created_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} of machine {getattr(self, 'machine_id', '?')}"
