"""Pages that people keep, and notes from shift to shift."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site


class Bookmark(models.Model):
    """A page of the dashboard that somebody keeps: a favourite, or a view with its filters. With a site it is shared
    with all who see that site. What stands on the page is asked for again each time, with the reader's own rights."""

    class Kind(models.TextChoices):
        FAVOURITE = "favourite"
        VIEW = "view"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="bookmarks")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    name = models.CharField(max_length=120)
    url = models.CharField(
        max_length=1000,
        validators=[RegexValidator(r"^/(?!/)[^\s\\]*$", "Give the path of a page, beginning with one slash.")],
        help_text="Path and query of a page of the dashboard.",
    )
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="bookmarks")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["owner", "kind", "url"], name="bookmark_once"),
            models.CheckConstraint(condition=Q(kind__in=["favourite", "view"]), name="bookmark_kind_is_known"),
            models.CheckConstraint(
                condition=Q(url__regex=r"^/([^/\\[:space:]][^\\[:space:]]*)?$"), name="bookmark_is_a_page_of_ours"
            ),
            models.CheckConstraint(condition=~Q(kind="favourite") | Q(site=None), name="favourites_are_personal"),
            models.CheckConstraint(condition=~Q(name=""), name="bookmark_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class ShiftNote(models.Model):
    """What the next shift must know. It stays on the hand-over page until somebody acknowledges it."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="shift_notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="shift_notes")
    text = models.CharField(max_length=2000)
    at = models.DateTimeField(db_default=Now())
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-at", "-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(text=""), name="shift_note_says_something"),
            models.CheckConstraint(
                condition=Q(acknowledged_at=None, acknowledged_by=None)
                | Q(acknowledged_at__isnull=False, acknowledged_by__isnull=False),
                name="acknowledged_note_has_who_and_when",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site"], name="shift_note_open", condition=Q(acknowledged_at=None)),
            models.Index(fields=["site", "-at"], name="shift_note_of_site"),
        ]

    def __str__(self) -> str:
        return self.text[:60]
