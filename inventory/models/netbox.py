"""Imports from NetBox: how far each has come, what it read, and which record of ours came from which row there."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class NetBoxRun(models.Model):
    """One import. Its rows stay until it is done, so that one that broke off continues."""

    class Status(models.TextChoices):
        READING = "reading"
        WRITING = "writing"
        DONE = "done"
        FAILED = "failed"

    url = models.CharField(max_length=200, help_text="NetBox's address, without the token.")
    version = models.CharField(max_length=30, blank=True)
    options = models.JSONField(default=dict)
    dry_run = models.BooleanField(default=False)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.READING)
    by = models.CharField(max_length=150)
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)
    message = models.TextField(blank=True, help_text="Why it failed.")
    steps = models.JSONField(default=dict, help_text="List of NetBox to how far it was read; kind to what was written.")
    findings = models.JSONField(default=list, help_text="What stays behind, changed, refused and in conflict.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["reading", "writing", "done", "failed"]), name="netbox_run_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.pk} from {self.url}"


class NetBoxRow(models.Model):
    """A row as NetBox answered it, until the run is done."""

    run = models.ForeignKey(NetBoxRun, on_delete=models.CASCADE, related_name="rows")
    endpoint = models.CharField(max_length=60)
    netbox_id = models.BigIntegerField()
    data = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "endpoint", "netbox_id"], name="netbox_row_read_once")
        ]


class NetBoxLink(models.Model):
    """A record of ours that came from a row of NetBox, and what that row said when it was last written."""

    url = models.CharField(max_length=200)
    endpoint = models.CharField(max_length=60)
    netbox_id = models.BigIntegerField()
    part = models.CharField(max_length=30, blank=True, help_text="Tells several records from one row apart.")
    kind = models.CharField(max_length=30)
    # No foreign key: it leads to a table for each kind, and a record that is deleted here is made anew.
    object_id = models.BigIntegerField()
    said = models.JSONField(default=dict)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["url", "kind", "endpoint", "netbox_id", "part"], name="one_record_per_netbox_row"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["kind", "object_id"], name="netbox_link_object")]
