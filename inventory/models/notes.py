"""What people leave on devices and racks: photos and papers, comments, and what charts mark."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.files import StoredFile
from core.models import Site
from inventory.models.devices import Device
from inventory.models.names import unique_together
from inventory.models.places import Rack

ONE_SUBJECT = Q(device__isnull=False, rack__isnull=True) | Q(device__isnull=True, rack__isnull=False)


class Attachment(StoredFile):
    """A file about one device or one rack, of its site."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="attachments")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, null=True, blank=True, related_name="attachments")
    rack = models.ForeignKey(Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="attachments")

    class Meta(StoredFile.Meta):
        constraints: ClassVar = [models.CheckConstraint(condition=ONE_SUBJECT, name="attachment_has_one_subject")]


class Comment(models.Model):
    """What somebody said about one device or one rack, of its site."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="comments")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, null=True, blank=True, related_name="comments")
    rack = models.ForeignKey(Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="comments")
    at = models.DateTimeField(db_default=Now())
    edited_at = models.DateTimeField(null=True, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=ONE_SUBJECT, name="comment_has_one_subject"),
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Annotation(models.Model):
    """A moment or a while that the charts of a site, or of one device, mark: a roll-out, work on the cooling."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="annotations")
    device = models.ForeignKey(Device, on_delete=models.CASCADE, null=True, blank=True, related_name="annotations")
    at = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    text = models.CharField(max_length=200)
    author = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text="User name of whoever made it."
    )

    class Meta:
        ordering: ClassVar = ["-at", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(text=""), name="annotation_says_something"),
            models.CheckConstraint(condition=Q(until=None) | Q(until__gt=F("at")), name="annotation_ends_later"),
            unique_together("site", "device", "at", "text", name="annotation_said_once", nulls_distinct=False),
        ]
        indexes: ClassVar = [models.Index(fields=["site", "at"], name="annotation_of_site")]

    def __str__(self) -> str:
        return self.text
