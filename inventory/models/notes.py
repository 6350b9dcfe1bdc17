"""What people leave on devices and racks: photos and papers, and comments."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.files import StoredFile
from core.models import Site
from inventory.models.devices import Device
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
