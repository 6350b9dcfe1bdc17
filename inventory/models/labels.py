"""What people add to records of any kind: tags, custom fields and contacts."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models.names import unique_together

# Columns that bulk writers leave out have their default in the database.
EMPTY = models.Value({}, output_field=models.JSONField())


class Tag(models.Model):
    """A word on records, the same at every site."""

    name = models.CharField(max_length=50, unique=True)
    colour = models.CharField(max_length=7, blank=True, help_text="Such as #2f81f7.")
    description = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class CustomField(models.Model):
    """A field a site's staff added; values stand in the `custom` column of the records of its kinds."""

    class Type(models.TextChoices):
        TEXT = "text"
        INTEGER = "integer"
        NUMBER = "number"
        BOOLEAN = "boolean"
        DATE = "date"
        URL = "url"
        CHOICE = "choice"
        CHOICES = "choices", "several choices"

    name = models.SlugField(unique=True, help_text="As in files and the API: cf_NAME.")
    title = models.CharField(max_length=60)
    help = models.CharField(max_length=200, blank=True)
    type = models.CharField(max_length=8, choices=Type.choices)
    kinds = ArrayField(models.CharField(max_length=30), help_text="Kinds of records that have it, such as racks.")
    required = models.BooleanField(default=False)
    choices = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    pattern = models.CharField(max_length=200, blank=True, help_text="A regular expression a text must match.")
    minimum = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)
    maximum = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(type__in=["text", "integer", "number", "boolean", "date", "url", "choice", "choices"]),
                name="custom_field_type_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Contact(models.Model):
    """Whom to call: about one site, or about all of them."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, null=True, blank=True, related_name="contacts")
    name = models.CharField(max_length=100)
    role = models.CharField(max_length=60, blank=True, help_text="Such as facility, vendor support, owner.")
    email = models.EmailField(blank=True)
    phone = models.CharField(max_length=40, blank=True)
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [unique_together("site", "name", name="contact_name_in_site", nulls_distinct=False)]

    def __str__(self) -> str:
        return self.name
